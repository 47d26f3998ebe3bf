"""What the faces of all labs have in common under `--bug`.

The line is read as a command of another name, as with `--predict`; its face gets the lab's own.
Does not model: several bugs at a time.
"""

from __future__ import annotations

from labs.base import Record, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from labs.bugs import Break, Bug


class BugParams(Record):
    """The bug; `is_own` says that it is tried on its own case."""

    bug: Bug
    is_own: bool


class BugResult(Record):
    """The first step at which both ways part, and the first that breaks the bug's invariant."""

    parted: int | None
    first: Break | None

    @property
    def holds(self) -> bool:
        """What is broken here is broken on purpose."""
        return True


class BugFace:
    """A face under `--bug`; `lab` is the lab's own."""

    def __init__(self, name: str, lab: Any) -> None:
        self.name, self.lab = name, lab
        self.Params = lab.Params


def refuse(bug: Bug, knobs: Iterable[str], options: dict[str, Any]) -> None:
    """`LabError` at an option that means nothing beside a bug."""
    for knob in knobs:
        option = ("--no-" if options.get(knob) is False else "--") + knob.replace("_", "-")
        require(knob not in options, option, "not_with", option, other=f"--bug {bug.name}")
