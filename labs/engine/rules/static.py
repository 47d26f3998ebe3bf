"""static: batches that nobody joins and nobody leaves early.

Models: no engine of today, but serving before continuous batching (the baseline of Yu et al. 2022, Orca):
the first `max_num_seqs` that wait form a batch; the batch prefills, then decodes; the next one starts when
all of it have finished. Requests that decode from the start are the first batch.
"""

from __future__ import annotations

from labs.engine.rules.lecture import State
from labs.engine.simulator import DECODE, PREFILL, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def static(max_num_seqs: int) -> Callable[[Sequence[State], int], list[Work]]:
    """The rule for batches of so many requests."""

    def rule(states: Sequence[State], budget: int) -> list[Work]:
        """Prefills of the batch in order, as far as the budget goes; with none left, one token to each."""
        batch = [state for state in states if state.joined]
        if not batch:
            batch = list(states[:max_num_seqs])
            for state in batch:
                state.joined = True
        work = []
        prefilling = [state for state in batch if state.phase == PREFILL]
        for state in prefilling or batch:
            if budget > 0:
                tokens = min(state.prefill_left, budget) if prefilling else 1
                work.append(Work(state.name, PREFILL if prefilling else DECODE, tokens))
                budget -= tokens
        return work

    return rule
