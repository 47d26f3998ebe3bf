"""What fits, as JSON has it: the names are those of `tests/golden/kv_sizing.json`."""

from __future__ import annotations

from labs.view.units import rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.capacity_fit import Params, Result
    from labs.sizing.grouping import CacheGroup

SPEC_NAMES = {
    "full": "FullAttentionSpec",
    "mla": "MLAAttentionSpec",
    "sliding": "SlidingWindowSpec",
    "chunked": "ChunkedLocalAttentionSpec",
    "linear": "MambaSpec",
}
DOES_NOT_FIT = "ValueError: not enough KV memory for one request"


def log_line(result: Result) -> str:
    """The line that the engine logs; its concurrency is a quotient in floating point."""
    plan = result.plan
    concurrency = plan.num_blocks / plan.blocks_of_request
    return (
        f"GPU KV cache size: {plan.kv_cache_size_tokens:,} tokens, Maximum concurrency for "
        f"{plan.max_model_len:,} tokens per request: {concurrency:.2f}x"
    )


def fit_document(result: Result) -> dict[str, Any]:
    """Params as they count, and the plan; sizes in bytes."""
    plan = result.plan
    override = result.params.num_gpu_blocks_override
    ranks = [
        {
            "rank": worker.rank,
            "stage": worker.stage,
            "available_bytes": result.params.available_bytes(worker.rank),
            "bytes_per_block": worker.bytes_per_block,
            "num_blocks": worker.own_blocks,
            "unused_bytes": None
            if override is not None
            else worker.planned_bytes - plan.num_blocks * worker.bytes_per_block,
        }
        for worker in plan.workers
    ]
    per_block = [worker.bytes_per_block for worker in plan.workers]
    figures: dict[str, Any] = {
        "available_bytes": ranks[0]["available_bytes"],
        "max_model_len": plan.max_model_len,
        "fits": plan.fits,
        "max_in_flight_tokens": plan.in_flight,
        "num_layers": len(result.specs),
        "groups": [_group(group, blocks) for group, blocks in zip(plan.groups, plan.blocks_of_groups)],
        "bytes_per_block": plan.workers[0].bytes_per_block,
        "blocks_per_max_len_request": plan.blocks_of_request,
        "kv_bytes_per_token_per_gpu": max(result.bytes_per_token_of_ranks) // plan.dcp,
        "kv_bytes_per_token": sum(result.bytes_per_token_of_ranks) // plan.dcp,
        "request_bytes_per_gpu": plan.blocks_of_request * max(per_block),
        "request_bytes": result.request_bytes_of_all,
        "ranks": ranks,
    }
    if plan.fits:
        figures.update(
            num_blocks=plan.num_blocks,
            unused_bytes=ranks[0]["unused_bytes"],
            max_concurrency=rounded(plan.num_blocks, plan.blocks_of_request, 6) / 10**6,
            kv_cache_size_tokens=plan.kv_cache_size_tokens,
            num_blocks_times_block_size=plan.num_blocks * plan.groups[0].specs[0].block_size,
            log_line=log_line(result),
        )
    else:
        figures.update(error=DOES_NOT_FIT, estimated_max_model_len=plan.estimated_max_model_len)
    return {"params": _params(result.params), "result": figures}


def _group(group: CacheGroup, blocks: int) -> dict[str, Any]:
    spec = group.specs[0]
    pages = {spec.page_bytes for spec in group.specs}
    return {
        "layers": len(group.places),
        "padding_layers": group.padding,
        "spec": SPEC_NAMES[spec.kind] if group.is_uniform else "UniformTypeKVCacheSpecs",
        "block_size": spec.block_size,
        "page_bytes_per_layer": spec.page_bytes if len(pages) == 1 else None,
        "page_bytes": sum(spec.page_bytes for spec in group.specs),
        "window": spec.window,
        "blocks_per_max_len_request": blocks,
    }


def _params(params: Params) -> dict[str, Any]:
    given = params.as_dict()
    stack, _ = given.pop("stack"), given.pop("is_built_in")
    share = params.utilization
    for name in ("gpu", "weights", "overhead", "kv_memory", "pp_partition"):
        given[name] = list(given[name]) if given[name] else None
    given["utilization"] = None if share is None else rounded(share.numerator, share.denominator, 6) / 10**6
    return {"model": stack.shape.name, **given}
