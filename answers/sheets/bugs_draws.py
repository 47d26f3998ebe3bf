"""Numbers for the sheet `bugs`, drawn so that each bug shows and its run can be read.

A draw raises `LabError` where that is not so; `answers.draw.fresh` then draws again.

Does not model: how often a bug would show.
"""

from __future__ import annotations

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
    deeds,
    deeds_of_own_case,
    first_step,
    num_steps,
)
from answers.sheets.bugs_print import printed
from labs.base import check_bounds, require
from labs.engine.blocks import num_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from answers.draw import Draw

MAX_STEPS = 16


def order(draw: Draw) -> tuple[int, ...]:
    return draw.sample(range(NUM_INVARIANTS), NUM_INVARIANTS)


def shown(inputs: Shown) -> Shown:
    """The case in print; `LabError` if the bug does not show, the lab shows this run, or it is too long."""
    asked = printed(inputs)
    check_bounds(num_steps(asked), "steps", 1, MAX_STEPS)
    is_own = deeds(broken_run(asked)[0]) == deeds_of_own_case(asked.bug)
    require(not is_own, asked.bug, "not_asked", "the lab's own")
    return asked


def draw_full_hit(draw: Draw) -> Shown:
    size, blocks = draw.between(2, 4), draw.between(2, 4)
    tokens = draw.sample(range(10, 99), size * blocks + draw.between(0, size))
    return shown(FullHit(order(draw), "", tokens, tokens[: size * blocks], size))


def draw_unchained(draw: Draw) -> Shown:
    size, alike = draw.between(2, 3), draw.between(1, 2)
    tokens = draw.sample(range(10, 99), size * (alike + 3) + 1)
    parts = [tokens[i * size : (i + 1) * size] for i in range(alike + 3)]
    others = draw.sample(parts[alike:], draw.between(2, 3))
    b = tuple(token for part in (*parts[:alike], *others, tokens[-1:]) for token in part)
    return shown(Unchained(order(draw), "", tokens[:-1], b, size))


def draw_in_flight(draw: Draw) -> Shown:
    size = draw.choice((2, 4, 8))
    shared, arrive = size * draw.between(2, 3), draw.between(2, 4)
    prompts = shared + draw.between(1, size - 1), shared + draw.between(1, size - 1)
    return shown(InFlight(order(draw), "", size, shared, *prompts, arrive, arrive + draw.between(0, 2)))


def draw_budget_first(draw: Draw) -> Shown:
    size, arrive = draw.choice((2, 4)), draw.between(2, 4)
    shared = size * draw.between(2, 4)
    a_prompt, b_prompt = shared + draw.between(1, 4), shared + draw.between(1, 4)
    a_decode, c_prompt = arrive + draw.between(0, 3), draw.between(2, 6)
    return shown(
        BudgetFirst(
            order(draw), "", size, b_prompt, shared, a_prompt, a_decode, b_prompt, c_prompt, arrive=arrive
        )
    )


def draw_recounted(draw: Draw) -> Shown:
    a, b = draw.between(4, 8), draw.between(3, 7)
    blocks = num_blocks(a, 2) + num_blocks(b, 2) + draw.between(0, 2)
    asked = shown(Recounted(order(draw), "", blocks, a, draw.between(4, 7), b, draw.between(3, 6)))
    first = broken_run(asked)[1]
    check_bounds(first.values["hit"] if first else 0, "hit", 1)
    return asked


def draw_pooled(draw: Draw) -> Shown:
    size = draw.choice((4, 8))
    a, b, c = (draw.between(size // 2, 2 * size) for _ in range(3))
    blocks = sum(num_blocks(prompt, size) for prompt in (a, b, c)) - draw.between(0, 1)
    asked = shown(Pooled(order(draw), "", size, blocks, a, b, c, draw.between(2, 4)))
    check_bounds(first_step(asked), "step", 2)
    return asked


def draw_reported(draw: Draw) -> Shown:
    rows = [(1, first, first) for first in draw.sample(range(1, 6), draw.between(1, 2))]
    for _ in range(draw.between(2, 3)):
        outputs, first = draw.between(2, 9), draw.between(1, 5)
        rows.append((outputs, first, first + (outputs - 1) * draw.between(1, 2) + draw.between(0, 3)))
    return shown(Reported(order(draw), "", tuple(sorted(rows, key=lambda row: (row[0] > 1, row[2])))))


def draw_oversized(draw: Draw) -> Shown:
    size, blocks = 4, draw.between(3, 4)
    prefill = size * blocks - draw.between(2, 6)
    decode = size * blocks - prefill + draw.between(2, 5)
    small = draw.between(1, 3), draw.between(2, 4)
    return shown(Oversized(order(draw), "", size, blocks, draw.between(6, 9), prefill, decode, *small))
