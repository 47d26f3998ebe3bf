"""`bugs`: which invariant does this run break, and where does that show first?

    key = [number of the invariant, first step]      a step is a round, a block (from 0), or a row (from 1)

Every question prints a run of an engine with one of the bugs of `labs.bugs`, without its name, and four
invariants; runs and first steps are the lab's own.

Does not model: several bugs at a time; runs that break nothing.
"""

from __future__ import annotations

from answers.draw import fresh
from answers.problem import Mistake, Problem
from answers.sheets.bugs_cases import (
    NUM_INVARIANTS,
    BudgetFirst,
    FullHit,
    InFlight,
    Oversized,
    Pooled,
    Recounted,
    Reported,
    Shown,
    Unchained,
    broken_run,
    first_step,
    num_steps,
    rounds_of,
)
from answers.sheets.bugs_draws import (
    draw_budget_first,
    draw_full_hit,
    draw_in_flight,
    draw_oversized,
    draw_pooled,
    draw_recounted,
    draw_reported,
    draw_unchained,
)
from answers.sheets.bugs_print import printed
from labs.bugs.account import Account
from labs.view.units import trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from answers.draw import Draw
    from answers.problem import Parts

    Steps = Callable[[Shown], Iterable[int]]

SHEET = "bugs"


def found(inputs: Shown) -> Parts:
    """The number, from 1, under which the broken invariant is listed, and the first step.

    >>> found(FullHit((1, 0, 2, 3), "", a=(7, 8, 9, 6), b=(7, 8, 9, 6)))
    (2, 1)
    """
    return inputs.order.index(0) + 1, first_step(inputs)


def before(inputs: Shown) -> Iterable[int]:
    """All steps before the first one."""
    return range(1 if isinstance(broken_run(inputs)[0], Account) else 0, first_step(inputs))


def after(inputs: Shown) -> Iterable[int]:
    """All steps after it: the consequences."""
    is_look_up = not isinstance(broken_run(inputs)[0], Account)
    return range(first_step(inputs) + 1, num_steps(inputs) + (0 if is_look_up else 1))


def one_more(inputs: Shown) -> Iterable[int]:
    """The step under its number if they were counted from 1."""
    return [first_step(inputs) + 1]


def preempted(inputs: Shown) -> Iterable[int]:
    return [round.round for round in rounds_of(inputs) if round.preempted]


def begun(inputs: Shown) -> Iterable[int]:
    """Rounds in which B is admitted."""
    rounds = rounds_of(inputs)
    return [round.round for round in rounds if any(item.request == "B" for item in round.admitted)]


def reported(inputs: Shown) -> Iterable[int]:
    """The round after which the load is reported, and the one in which it is used."""
    return [inputs.report, inputs.report + 1] if isinstance(inputs, InFlight) else []


def wrong_step(steps: Steps) -> Callable[[Shown], list[Parts]]:
    """The right invariant with another step."""

    def answers(inputs: Shown) -> list[Parts]:
        number, first = found(inputs)
        return [(number, step) for step in steps(inputs) if step != first]

    return answers


def wrong_invariant(inputs: Shown) -> list[Parts]:
    """The right step with another invariant."""
    number, first = found(inputs)
    return [(other, first) for other in range(1, NUM_INVARIANTS + 1) if other != number]


def problem(name: str, inputs: Shown, *steps: tuple[str, Steps]) -> Problem:
    """A problem with its mistakes: another invariant, then these wrong steps by name."""
    mistakes = (
        Mistake("other_invariant", wrong_invariant),
        *(Mistake(mistake, wrong_step(wrong)) for mistake, wrong in steps),
    )
    return Problem(name, printed(inputs), found, "numbers", "two", mistakes, SHEET, worked)


def worked(inputs: Shown) -> dict[str, Any]:
    """The first step with its values."""
    number, step = inputs.order.index(0) + 1, first_step(inputs)
    first = broken_run(inputs)[1]
    values = {key: value for key, value in (first.values if first else {}).items() if value is not None}
    if isinstance(inputs, Reported):
        outputs, begun_in, ended_in = inputs.rows[step - 1]
        span = ended_in - begun_in
        values |= {"right": trimmed(span, outputs - 1), "wrong": trimmed(span, outputs)}
    if isinstance(inputs, BudgetFirst):
        values["hit"] = inputs.shared  # whole blocks, and A has computed them before B comes
    return {**values, "number": number, "step": step}


KINDS: tuple[tuple[Problem, Callable[[Draw], Shown]], ...] = (
    (
        problem(
            "p1",
            FullHit((1, 0, 3, 2), "", tuple(range(1, 10)), tuple(range(1, 10)), 3),
            ("from_one", one_more),
            ("too_early", before),
        ),
        draw_full_hit,
    ),
    (
        problem(
            "p2",
            Unchained((2, 1, 3, 0), "", tuple(range(1, 9)), (1, 2, 3, 4, 7, 8, 5, 6, 9)),
            ("too_late", after),
            ("too_early", before),
        ),
        draw_unchained,
    ),
    (
        problem("p3", InFlight((0, 2, 1, 3)), ("load", reported), ("too_early", before), ("too_late", after)),
        draw_in_flight,
    ),
    (
        problem(
            "p4", BudgetFirst((3, 0, 1, 2)), ("admitted", begun), ("too_late", after), ("too_early", before)
        ),
        draw_budget_first,
    ),
    (
        problem(
            "p5",
            Recounted((1, 2, 0, 3)),
            ("preempted", preempted),
            ("too_late", after),
            ("too_early", before),
        ),
        draw_recounted,
    ),
    (
        problem(
            "p6", Pooled((2, 3, 1, 0)), ("preempted", preempted), ("too_late", after), ("too_early", before)
        ),
        draw_pooled,
    ),
    (problem("p7", Reported((0, 3, 2, 1)), ("too_early", before), ("too_late", after)), draw_reported),
    (problem("p8", Oversized((1, 0, 2, 3)), ("too_late", after), ("too_early", before)), draw_oversized),
)


def problems(seed: int) -> tuple[Problem, ...]:
    """The eight problems.

    >>> [problem.key(problem.inputs) for problem in problems(0)][:2]
    [(2, 2), (4, 2)]
    """
    return tuple(fresh(problem, drawn, seed) for problem, drawn in KINDS)
