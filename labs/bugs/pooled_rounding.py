"""pooled-rounding: the blocks of all requests are counted from the sum of their tokens.

    right    sum over requests of ceil(tokens / block size)      broken   ceil(sum of tokens / block size)

Each request's last block belongs to it alone, so the broken count is too small, and more is handed out than
the pool has. A real pool would fail, or write over a neighbour's block; here blocks beyond it are made up.
Source: the course's block arithmetic, and sizing sheets that add tokens before they divide.
Does not model: a prefix cache beside it.
"""

from __future__ import annotations

from labs.bugs.account import Case, Variant
from labs.engine.blocks import num_blocks
from labs.engine.knobs import Knobs
from labs.engine.kv.block_pool import UNLIMITED, BlockPool
from labs.engine.kv.kv_manager import KVManager
from labs.engine.requests import Request
from labs.engine.rules.vllm import VllmScheduler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from labs.engine.external.connector import ExternalKV
    from labs.engine.run.live_request import LiveRequest

CASE = Case(
    (Request("A", 5, 3), Request("B", 5, 3), Request("C", 5, 2, arrive=2)),
    Knobs(budget=16, block_size=4, kv_blocks=5, prefix_caching=False),
)


class PooledRounding(KVManager):
    """Holds the sum of all tokens against `believed` blocks."""

    def __init__(self, believed: int, block_size: int) -> None:
        super().__init__(BlockPool(UNLIMITED), block_size, prefix_caching=False)
        self.believed = believed
        self.holders: dict[LiveRequest, None] = {}

    def _fits(self, request: LiveRequest, num_tokens: int) -> bool:
        others = [other.num_computed_tokens for other in self.holders if other is not request]
        return num_blocks(sum(others) + num_tokens, self.block_size) <= self.believed

    def allocate(
        self,
        request: LiveRequest,
        num_new_tokens: int,
        hit: Sequence[int] = (),
        num_external_tokens: int = 0,
        **gates: Any,
    ) -> list[int] | None:
        whole = request.num_tokens if gates.get("full_prompt_must_fit") else 0
        if not self._fits(request, max(request.num_computed_tokens + num_new_tokens, whole)):
            return None
        self.holders[request] = None
        return super().allocate(request, num_new_tokens, hit, num_external_tokens, **gates)

    def extend(self, request: LiveRequest, num_tokens: int) -> bool:
        return self._fits(request, num_tokens) and super().extend(request, num_tokens)

    def enter(self, request: LiveRequest, num_tokens: int) -> None:
        request.settled_tokens = 0  # every token counts in the sum, so every one is asked for

    def free(self, request: LiveRequest) -> None:
        self.holders.pop(request, None)
        super().free(request)


def scheduler(knobs: Knobs, external: ExternalKV | None) -> VllmScheduler:
    """vLLM's scheduler over the manager that counts so; an unlimited pool has nothing to count."""
    believed = UNLIMITED if knobs.kv_blocks is None else knobs.kv_blocks
    return VllmScheduler(knobs, PooledRounding(believed, knobs.block_size))


VARIANT = Variant(scheduler)
