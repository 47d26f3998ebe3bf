"""in-flight-hit: blocks of an asynchronous load can be hit before the workers have reported it.

Right: they enter the hash table when the load is reported (`ExternalKV.is_ready`).
Broken: they enter it when they are allocated, as the blocks of computed tokens do.
Source: vLLM 0.32.0, where asynchronous loads are the one exception to blocks being entered when scheduled.
"""

from __future__ import annotations

from labs.bugs.account import Case, Variant
from labs.engine.external.script import ExternalScript, Report
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules.vllm import VllmScheduler
from labs.engine.run.engines import vllm_kv

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.rules.vllm import Prefix
    from labs.engine.run.live_request import LiveRequest

SHARED = (1, 2, 3, 4, 5, 6, 7, 8)
CASE = Case(
    (
        Request("A", 10, 2, prompt=(*SHARED, 11, 12)),
        Request("B", 10, 2, arrive=2, prompt=(*SHARED, 21, 22)),
    ),
    Knobs(budget=16, block_size=4, kv_blocks=12),
    ExternalScript({"A": ((8, True),)}, {3: Report(finished_recving=("A",))}),
)


class InFlightHit(VllmScheduler):
    """Enters the blocks of a load at once."""

    def _allocate(self, request: LiveRequest, num_new_tokens: int, prefix: Prefix) -> bool:
        has_room = super()._allocate(request, num_new_tokens, prefix)
        hit, num_loaded, loads_async = prefix
        if has_room and loads_async:
            self.kv.enter(request, len(hit) * self.block_size + num_loaded)
        return has_room


VARIANT = Variant(lambda knobs, external: InFlightHit(knobs, vllm_kv(knobs), external))
