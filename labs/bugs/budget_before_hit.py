"""budget-before-hit: a prompt is held against the budget before its hit is taken off.

Right: a prompt takes what it still has to compute, as far as the budget goes.
Broken: a prompt with a hit is admitted only if all its tokens, hit ones too, fit in what is left of the
budget. Whoever stands behind it waits as well.
Source: nano-vllm, whose scheduler once compared `num_batched_tokens + len(seq)` with its budget.
"""

from __future__ import annotations

from labs.bugs.account import Case, Variant
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules.vllm import VllmScheduler
from labs.engine.run.engines import vllm_kv

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.rules.vllm import Prefix
    from labs.engine.run.decision import Decision
    from labs.engine.run.live_request import LiveRequest

SHARED = (1, 2, 3, 4, 5, 6, 7, 8)
CASE = Case(
    (
        Request("A", 12, 3, prompt=(*SHARED, 11, 12, 13, 14)),
        Request("B", 12, 1, arrive=2, prompt=(*SHARED, 21, 22, 23, 24)),
        Request("C", 6, 1, arrive=2),
    ),
    Knobs(budget=12, block_size=4),
)


class BudgetBeforeHit(VllmScheduler):
    """Lets a prompt with a hit wait until the budget holds it whole."""

    def _schedule_waiting(self, decision: Decision, cap: int, budget: int) -> None:
        self.budget_left = budget
        super()._schedule_waiting(decision, cap, budget)

    def _allocate(self, request: LiveRequest, num_new_tokens: int, prefix: Prefix) -> bool:
        hit, _, _ = prefix
        if hit and request.num_tokens > self.budget_left:
            return False
        has_room = super()._allocate(request, num_new_tokens, prefix)
        if has_room:
            self.budget_left -= num_new_tokens
        return has_room


VARIANT = Variant(lambda knobs, external: BudgetBeforeHit(knobs, vllm_kv(knobs), external))
