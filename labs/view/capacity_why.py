"""Why a capacity run has the figures it has, in its own values."""

from __future__ import annotations

from labs.view.units import DECIMAL, binary_size, rate_text, trimmed, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity import Result
    from labs.model.shape import ModelShape

MAX_LENGTHS = 16


def joined(words: list[str], sign: str) -> str:
    """The words with a sign between them, the middle of a long list left out."""
    if len(words) > MAX_LENGTHS:
        words = [*words[: MAX_LENGTHS - 2], "...", words[-1]]
    return sign.join(words)


def each_blocks(result: Result) -> str:
    """The blocks of each request, as a sum."""
    return joined([str(blocks) for blocks in result.blocks_of_each], " + ")


def byte_rate(bits_per_second: int) -> str:
    """A rate in bytes a second, in the largest unit of powers of 1000 that leaves at least 1.

    >>> byte_rate(400 * 10**9), byte_rate(100)
    ('50 GB/s', '12.5 B/s')
    """
    unit = next((name for name in reversed(DECIMAL) if bits_per_second >= 8 * DECIMAL[name]), "B")
    return f"{trimmed(bits_per_second, 8 * DECIMAL[unit], 3)} {unit}/s"


def is_mixed(shape: ModelShape) -> bool:
    """Whether some layers do not keep every token."""
    return any(group.kind != "full" for group in shape.groups)


def why(result: Result, t: dict[str, str]) -> list[str]:
    """The reasons for this run's figures, in this run's values."""
    params, shape = result.params, result.shape
    pooled = "why_pooled" if result.pooled_blocks < result.blocks else "why_not_pooled"
    lines = [
        t[pooled].format(
            each=each_blocks(result),
            blocks=result.blocks,
            used=result.used_slots,
            pooled=result.pooled_blocks,
        ),
        _why_heads(result, t),
    ]
    if is_mixed(shape):
        lines.append(_why_layers(shape, t))
    lines.append(
        t["why_transfer"].format(
            rate=rate_text(params.bandwidth),
            byte_rate=byte_rate(params.bandwidth),
            no_bits=visible(1000 * result.transfer_bytes, params.bandwidth, 3),
        )
    )
    if params.shared_prefix:
        lines.append(_why_shared(result, t))
    if params.tp > 1:
        lines.append(_why_rank(result, t))
    return [line for line in lines if line]


def _why_layers(shape: ModelShape, t: dict[str, str]) -> str:
    """How many layers keep what; layers that keep nothing, or two things, show in the sum."""
    counts = {"full": 0, "windowed": 0, "linear": 0}
    for group in shape.groups:
        counts["windowed" if group.kind in ("sliding", "chunked") else group.kind] += group.layers
    counts["none"] = max(shape.layers - sum(counts.values()), 0)
    parts = [t[f"layers_{kind}"].format(count=count) for kind, count in counts.items() if count]
    return t["why_layers"].format(layers=shape.layers, parts=t["comma"].join(parts))


def _why_shared(result: Result, t: dict[str, str]) -> str:
    params = result.params
    if params.concurrency == 1:
        return t["why_alone"]
    return t["why_shared" if result.shared_tokens else "why_no_block"].format(
        shared=result.shared_tokens,
        prefix=params.shared_prefix,
        concurrency=params.concurrency,
        saved=binary_size(result.logical_bytes - result.physical_bytes),
    )


def _why_heads(result: Result, t: dict[str, str]) -> str:
    """Why the KV per token is what it is: heads that are shared, not shared, unknown, or a latent."""
    shape, heads, query = result.shape, result.shape.kv_heads, result.shape.query_heads
    first = shape.groups[0] if shape.groups else None
    if first is not None and first.kind != "linear" and first.kv_heads is None:
        elements = first.bytes_per_token_per_layer // result.params.bytes_per_element
        return t["why_latent"].format(elements=elements)
    if heads is None:
        return ""
    one_head = shape.bytes_per_token // heads
    if query is None:
        return t["why_kv_heads"].format(kv=heads, more=binary_size(one_head))
    if query == heads:
        return t["why_mha"].format(query=query)
    wrong = binary_size(one_head * query)
    return t["why_heads"].format(query=query, kv=heads, wrong=wrong, ratio=trimmed(query, heads))


def _why_rank(result: Result, t: dict[str, str]) -> str:
    tp, whole = result.params.tp, result.shape.bytes_per_token
    on_all_ranks = tp * result.rank_shape.bytes_per_token
    if not whole:
        return ""
    return t["why_rank"].format(
        tp=tp,
        on_all_ranks=binary_size(on_all_ranks),
        ratio=trimmed(on_all_ranks, whole),
        reason=t["replicated" if on_all_ranks > whole else "split"],
    )


def next_key(result: Result) -> str:
    """The next of the lab's three exercises that this run has not done."""
    params = result.params
    if params.concurrency > 1:
        return "next_table"
    changed = params.kv_heads is not None or params.model is not None or params.config is not None
    return "next_share" if changed else "next_heads"
