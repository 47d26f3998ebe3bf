"""prefill-first: decode-first with its halves swapped.

Models: no engine. It shows the other side of the trade: prompts start at once, and who decodes pays for it.
"""

from __future__ import annotations

from labs.engine.rules.lecture import State
from labs.engine.simulator import DECODE, PREFILL, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def prefill_first(states: Sequence[State], budget: int) -> list[Work]:
    """First prefills, in order, as far as the budget goes; then one token to each that was decoding already.

    `states` are the unfinished requests that have arrived, in their order; `budget` is in tokens.
    """
    work = []
    for state in states:
        if state.phase == PREFILL and budget > 0:
            tokens = min(state.prefill_left, budget)
            work.append(Work(state.name, PREFILL, tokens))
            budget -= tokens
    for state in states:
        if state.phase == DECODE and budget > 0:
            work.append(Work(state.name, DECODE, 1))
            budget -= 1
    return work
