"""Broken variants of the rules, one a module, and the invariants that they break.

    variant     the right rule with as little as possible changed: a subclass, or another way of counting
    invariant   a statement about a run's records that holds for every right run; its first violation has
                a step (a round, a block, a request) and this run's values

Each module holds `CASE`, on which its bug shows, and `VARIANT`. All of them were met in real engines, in one
form or another. Does not model: two bugs at a time.
"""

from __future__ import annotations

from labs.base import LabError, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from labs.options import Reader


class Bug(Record):
    """A bug's name, the lab it lives in, the invariant it breaks, and what its page looks like.

    `unit` is what its steps are; `not_with` are knobs that mean nothing beside it. Where `own_pool_only`, the
    pool limits its own case alone; the learner's requests have an unlimited one unless they name another.
    `shows` is where the runs differ: `rounds`, or `counters` or `tpots` over the same rounds. `column` stands
    beside a round: `blocks` in use, or budget that is `unused`.
    """

    name: str
    lab: str
    invariant: str
    unit: str = "round"
    not_with: tuple[str, ...] = ("external",)
    own_pool_only: bool = False
    shows: str = "rounds"
    column: str = "blocks"


class Break(Record):
    """The first step at which an invariant is broken, and the values of this run there.

    A step is a round, a block (from 0), or a request's place in the order of finishing (from 1).
    """

    step: int
    values: Mapping[str, Any]


CACHE_AND_STORE = ("external", "prefix_caching")  # options that these bugs refuse
BUGS = {
    bug.name: bug
    for bug in (
        Bug("full-hit", "prefix", "logits", "block", ("other_namespace",)),
        Bug("unchained", "prefix", "prefix", "block", ("other_namespace",)),
        Bug("in-flight-hit", "schedule", "loaded", not_with=("prefix_caching",)),
        Bug("budget-before-hit", "schedule", "budget", not_with=CACHE_AND_STORE, column="unused"),
        Bug("preempted-as-hits", "schedule", "first_admissions", not_with=CACHE_AND_STORE, shows="counters"),
        Bug("pooled-rounding", "schedule", "pool", not_with=(*CACHE_AND_STORE, "watermark")),
        Bug("tpot-by-n", "schedule", "gaps", "request", own_pool_only=True, shows="tpots"),
        Bug("oversized", "schedule", "fits", not_with=("external", "watermark")),
    )
}


def bugs_of(lab: str) -> tuple[str, ...]:
    """The names of a lab's bugs.

    >>> bugs_of("prefix")
    ('full-hit', 'unchained')
    """
    return tuple([bug.name for bug in BUGS.values() if bug.lab == lab])


def bug_reader(lab: str) -> Reader:
    """A reader of one of a lab's bugs; of another lab's it says where that belongs."""
    from labs.options import one_of

    names = bugs_of(lab)
    read_name = one_of(names)

    def read(text: str, where: str) -> str:
        bug = BUGS.get(text)
        if bug is not None and bug.lab != lab:
            raise LabError(where, "bug_of_lab", text, choices=", ".join(names), bug=text, lab=bug.lab)
        return str(read_name(text, where))

    return read


def module_of(bug: str) -> Any:
    """The module of a bug.

    >>> module_of("tpot-by-n").__name__
    'labs.bugs.tpot_by_n'
    """
    from importlib import import_module

    return import_module(f"labs.bugs.{bug.replace('-', '_')}")
