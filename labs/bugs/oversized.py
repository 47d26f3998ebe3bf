"""oversized: a request that needs more blocks than the pool has is not refused.

Right: it is refused before it begins: all its tokens but the last need slots at once.
Broken: it is admitted, runs to the pool's end, has nobody to preempt but itself, computes everything again,
and so for ever; or it waits at the head for ever, and everybody behind it.
Source: engines that check a request against max_model_len but not against their pool.
"""

from __future__ import annotations

from labs.bugs.account import Case, Variant
from labs.engine.knobs import Knobs
from labs.engine.requests import Request

CASE = Case(
    (Request("A", 10, 8), Request("B", 3, 1, arrive=3)),
    Knobs(budget=8, block_size=4, kv_blocks=4, prefix_caching=False, full_prompt_must_fit=False),
)
VARIANT = Variant(refuses_oversized=False)
