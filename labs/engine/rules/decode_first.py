"""decode-first: the lecture's rule.

Models: no engine, but the course's lab C. (vLLM 0.32.0 gives the same rounds on the lecture's requests, as a
consequence of admission order; see the course's chapter on the scheduler.)
"""

from __future__ import annotations

from labs.engine.rules.lecture import State
from labs.engine.simulator import DECODE, PREFILL, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def decode_first(states: Sequence[State], budget: int) -> list[Work]:
    """First one token to each request that is decoding now, in order; then prefills, in order.

    `states` are the unfinished requests that have arrived, in their order; `budget` is in tokens.
    """
    work = decodes(states, budget)
    return work + prefills(states, budget - len(work))


def decodes(states: Sequence[State], budget: int) -> list[Work]:
    """One token to each request that is decoding now, in order, as far as the budget goes."""
    decoding = [state for state in states if state.phase == DECODE]
    return [Work(state.name, DECODE, 1) for state in decoding[:budget]]


def prefills(states: Sequence[State], budget: int) -> list[Work]:
    """To each prefill what it lacks, in order, as far as the budget goes."""
    work = []
    for state in states:
        if state.phase == PREFILL and budget > 0:
            tokens = min(state.prefill_left, budget)
            work.append(Work(state.name, PREFILL, tokens))
            budget -= tokens
    return work
