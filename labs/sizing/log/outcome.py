"""What comes of reconciling a log: checks, assumptions, figures and one of four verdicts.

exact               the integer comes out
within_rounding     it lies inside the range that a rounded figure leaves
mismatch_explained  a plain formula and the print differ, and it is known why
identity_only       no config, or no memory figure: only the printed numbers can be held against each other
"""

from __future__ import annotations

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    Number = int | Fraction | None
    Value = int | str | bool | Fraction | None

EXACT, WITHIN = "exact", "within_rounding"
EXPLAINED, IDENTITY = "mismatch_explained", "identity_only"


class Check(Record):
    """One equality: what is printed, and the smallest and largest number that the rule allows.

    `of_config` tells that it needs the model, and not only the printed numbers; a failure of one that
    `decides` makes the log fail.
    """

    name: str
    printed: Number
    low: Number
    high: Number
    holds: bool
    of_config: bool = False
    decides: bool = True

    @property
    def is_exact(self) -> bool:
        """Whether the rule leaves one number."""
        return self.low == self.high


class Assumption(Record):
    """Something that the log does not say and that makes its figures come out."""

    name: str
    value: Value


class Figure(Record):
    """A computed figure: a number with the places to print, a range, or (`table`) ranges by block size."""

    name: str
    value: Value | tuple[int, ...] = None
    places: int = 0
    table: tuple[tuple[int, tuple[int, ...]], ...] = ()


class Outcome(Record):
    """The verdict and what it rests on; `explained` is false where nothing that was tried comes out."""

    verdict: str
    generation: str
    figures: tuple[Figure, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    checks: tuple[Check, ...] = ()
    explained: bool = True
    alternatives: tuple[tuple[Assumption, ...], ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the config explains the print, and every equality that decides holds."""
        return self.explained and all(check.holds for check in self.checks if check.decides)
