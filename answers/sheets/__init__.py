"""The sheets: one module each, whose `problems(seed)` makes them; seed 0 has the course's own numbers."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from answers.problem import Problem

SHEETS = {
    "l3": "answers.sheets.l3_sheet",
    "warmup": "answers.sheets.warmup",
    "module5": "answers.sheets.module5",
    "setup": "answers.sheets.setup",
    "reuse": "answers.sheets.reuse",
    "schedule": "answers.sheets.schedule",
    "metrics": "answers.sheets.metrics",
    "bugs": "answers.sheets.bugs",
}


def problems_of(sheet: str, seed: int) -> tuple[Problem, ...]:
    """The problems of a sheet, made from its seed.

    >>> [problem.name for problem in problems_of("l3", 7)]
    ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']
    """
    __import__(SHEETS[sheet])  # the module of the one sheet asked for, no other
    problems: tuple[Problem, ...] = sys.modules[SHEETS[sheet]].problems(seed)
    return problems
