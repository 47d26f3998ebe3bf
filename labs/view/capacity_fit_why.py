"""Why `capacity fit` comes out as it does, in the run's own values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity_fit import Result


def why(result: Result, t: dict[str, str]) -> str:
    """What decides the number of tokens, then ranks and memory where they add something."""
    plan, params = result.plan, result.params
    negative = min(params.available_bytes(worker.rank) for worker in plan.workers)
    text = _of_requests(result, t)
    heads = params.stack.shape.kv_heads
    if params.tp > 1 and params.dcp == 1 and params.stack.is_latent:
        text += t["why_latent"].format(tp=params.tp)
    elif heads is not None and params.tp > heads and params.dcp == 1:
        text += t["why_replicated"].format(tp=params.tp, heads=heads, per_rank=1)
    if len({worker.own_blocks for worker in plan.workers}) > 1:
        smallest = min(plan.workers, key=lambda worker: worker.own_blocks)
        text += t["why_smallest"].format(rank=smallest.rank, blocks=plan.num_blocks)
    own = params.stack.max_model_len
    if own is not None and plan.max_model_len > own:
        text += t["why_too_long"].format(own=own)
    if negative < 0 and params.num_gpu_blocks_override is None:
        from labs.view.capacity_fit import signed_size

        text += t["why_negative"].format(size=signed_size(negative))
    return text


def _of_requests(result: Result, t: dict[str, str]) -> str:
    plan = result.plan
    spec = plan.groups[0].specs[0]
    values = {
        "layers": len(result.specs),
        "max_len": plan.max_model_len,
        "blocks": plan.num_blocks,
        "block": spec.block_size,
        "slots": plan.num_blocks * spec.block_size,
        "tokens": plan.kv_cache_size_tokens,
    }
    if not plan.fits:
        usable = max(0, plan.num_blocks - 1)
        return t["why_unfit" if usable else "why_no_blocks"].format(
            request=plan.blocks_of_request, usable=usable, **values
        )
    if len(plan.groups) == 1 and spec.window is None and spec.kind != "linear":
        empty = plan.dcp * spec.block_size * plan.blocks_of_request - plan.max_model_len
        if plan.dcp > 1 or empty <= 0:
            shared = t["why_shared_out"].format(dcp=plan.dcp) if plan.dcp > 1 else ""
            slots = plan.dcp * values["slots"]
            return t["why_plain"].format(**{**values, "slots": slots}, shared=shared)
        return t["why_partial"].format(empty=empty, **values)
    sums = {"full": 0, "window": 0, "state": 0}
    naive = 0
    for group, blocks in zip(plan.groups, plan.blocks_of_groups):
        first = group.specs[0]
        part = "state" if first.kind == "linear" else "full" if first.window is None else "window"
        sums[part] += blocks
        naive += -(-plan.max_model_len // first.block_size)
    parts = [
        t[f"part_{part}"].format(blocks=blocks, in_flight=plan.in_flight)
        for part, blocks in sums.items()
        if blocks
    ]
    return t["why_groups"].format(
        request=plan.blocks_of_request, parts=t["join_parts"].join(parts), naive=naive, **values
    )
