"""Broken variants of the rules, one a module, and the invariants that they break.

    variant     the right rule with as little as possible changed: a subclass, or another way of counting
    invariant   a statement about a run's records that holds for every right run; its first violation has
                a step (a round, a block, a request) and this run's values

Each module holds `CASE`, on which its bug shows, and `VARIANT`. All of them were met in real engines, in one
form or another. Does not model: two bugs at a time.
"""

from __future__ import annotations

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Bug(Record):
    """A bug's name, the lab it lives in, the invariant it breaks, and knobs that mean nothing beside it.

    `unit` is what its steps are. Where `any_pool`, the pool belongs to its own case, not to others' requests.
    """

    name: str
    lab: str
    invariant: str
    unit: str = "round"
    refuses: tuple[str, ...] = ("external",)
    any_pool: bool = False


BUGS = {
    bug.name: bug
    for bug in (
        Bug("full-hit", "prefix", "logits", "block", ("other_namespace",)),
        Bug("unchained", "prefix", "prefix", "block", ("other_namespace",)),
        Bug("in-flight-hit", "schedule", "loaded", refuses=("prefix_caching",)),
        Bug("budget-before-hit", "schedule", "budget", refuses=("external", "prefix_caching")),
        Bug("preempted-as-hits", "schedule", "first_admissions", refuses=("external", "prefix_caching")),
        Bug("pooled-rounding", "schedule", "pool", refuses=("external", "prefix_caching", "watermark")),
        Bug("tpot-by-n", "schedule", "gaps", "request", any_pool=True),
        Bug("oversized", "schedule", "fits", refuses=("external", "watermark")),
    )
}


def bugs_of(lab: str) -> tuple[str, ...]:
    """The names of a lab's bugs.

    >>> bugs_of("prefix")
    ('full-hit', 'unchained')
    """
    return tuple([bug.name for bug in BUGS.values() if bug.lab == lab])


def module_of(bug: str) -> Any:
    """The module of a bug.

    >>> module_of("tpot-by-n").__name__
    'labs.bugs.tpot_by_n'
    """
    from importlib import import_module

    return import_module(f"labs.bugs.{bug.replace('-', '_')}")
