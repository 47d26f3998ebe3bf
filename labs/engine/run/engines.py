"""The engines under their knobs, ready to be played."""

from __future__ import annotations

from labs.engine.external.connector import ExternalKV
from labs.engine.kv.block_pool import UNLIMITED, BlockPool
from labs.engine.kv.kv_manager import KVManager
from labs.engine.kv.nano_pool import NanoPool
from labs.engine.rules.nano_vllm import NanoScheduler
from labs.engine.rules.vllm import VllmScheduler
from labs.engine.run.live_requests import LiveRequests, nano_sampled_token, sampled_token
from labs.engine.run.stepper import EngineStepper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.external.script import ExternalScript
    from labs.engine.knobs import Knobs

SAMPLED_TOKENS = {"vllm": sampled_token, "nano-vllm": nano_sampled_token}


def vllm(
    knobs: Knobs, external: ExternalScript | None = None, detail: bool = True, queues: bool = True
) -> EngineStepper:
    """vLLM's scheduler over its own pool; `detail` records tables, `queues` free queues too."""
    scheduler = VllmScheduler(knobs, vllm_kv(knobs), ExternalKV(external) if external else None)
    return EngineStepper(scheduler, LiveRequests(knobs, SAMPLED_TOKENS["vllm"]), knobs.budget, detail, queues)


def vllm_kv(knobs: Knobs) -> KVManager:
    """vLLM's block tables over a pool of the knobs' size."""
    pool = BlockPool(UNLIMITED if knobs.kv_blocks is None else knobs.kv_blocks)
    return KVManager(pool, knobs.block_size, knobs.prefix_caching, watermark_blocks(knobs))


def watermark_blocks(knobs: Knobs) -> int:
    """Blocks that stay free when somebody new joins what runs.

    The engine counts the null block in, and multiplies in floating point.
    """
    return 0 if knobs.kv_blocks is None else int(knobs.watermark * (knobs.kv_blocks + 1))


def nano_vllm(knobs: Knobs, detail: bool = True, queues: bool = True) -> EngineStepper:
    """nano-vllm's scheduler over its own pool; `detail` and `queues` as with vLLM's."""
    pool = NanoPool(UNLIMITED if knobs.kv_blocks is None else knobs.kv_blocks)
    scheduler = NanoScheduler(pool, knobs.block_size, knobs.budget, knobs.max_num_seqs, knobs.prefix_caching)
    return EngineStepper(
        scheduler, LiveRequests(knobs, SAMPLED_TOKENS["nano-vllm"]), knobs.budget, detail, queues
    )
