"""What a prediction gets for an answer: right, or the first difference and its cause.

A cause is a word that tests and JSON rely on; its sentence in either language stands in the view's catalogue.
Does not model: the differences after the first one, which often follow from it.
"""

from __future__ import annotations

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Difference(Record):
    """The first place where a prediction is not what the lab gives.

    `place` names it (`round` and `request`, `block`, `position` or `quantity`); `predicted` and `actual` are
    what stands there (None: it is not told), `values` the figures that explain it.
    """

    cause: str
    place: Mapping[str, object]
    predicted: object
    actual: object
    values: Mapping[str, Any]

    @property
    def round(self) -> object:
        """The round, in the schedule lab."""
        return self.place.get("round")

    @property
    def request(self) -> object:
        """The request, in the schedule lab, if the difference is one request's."""
        return self.place.get("request")


class Answer(Record):
    """The first difference, or None; `checked` says what was compared: a unit's name and how many."""

    unit: str
    checked: int
    difference: Difference | None

    @property
    def right(self) -> bool:
        return self.difference is None
