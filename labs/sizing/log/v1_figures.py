"""The figures that a V1 log's reconciliation shows: what the config gives, and what wrong readings would.

Does not model: figures of other generations (`labs.sizing.log.v0`, `labs.sizing.log.refusal`).
"""

from __future__ import annotations

from fractions import Fraction

from labs.model.kv import DTYPE_BYTES
from labs.sizing.log.deployments import OLDER
from labs.sizing.log.outcome import Figure
from labs.sizing.log.printed import GIB
from labs.sizing.log.token_lines import pool_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.stack import ModelStack
    from labs.sizing.log.known import Known
    from labs.sizing.log.printed import Printed
    from labs.sizing.log.token_lines import Pool


def plain_figures(
    pool: Pool,
    definition: str,
    blocks: int | None,
    printed: Printed,
    stack: ModelStack,
    known: Known,
) -> tuple[Figure, ...]:
    """Of a model whose every layer keeps every token."""
    deployment, size = pool.deployment, pool.block_size
    per_token = Fraction(pool.bytes_per_block, size)
    figures = [Figure("bytes_per_token_per_gpu", per_token), Figure("block_bytes", pool.bytes_per_block)]
    if printed.kv_gib is not None:
        possible = pool.blocks_in(printed.kv_gib)
        ends = (possible[0], possible[-1])
        tokens = tuple(end * size * deployment.dcp for end in ends)
        figures.append(Figure("tokens_from_printed_gib", tokens))
    if blocks is not None:
        figures.append(Figure("num_blocks", blocks))
        figures += _concurrency(pool, blocks, known.max_model_len)
    if printed.kv_tokens is not None:
        whole = pool_of(stack, deployment.replace(tp=1, dcp=1))
        if whole is not None:
            total = printed.kv_tokens * Fraction(whole.bytes_per_block, whole.block_size) / GIB
            figures.append(Figure("kv_gib_if_total_mistaken_for_per_gpu", total, 2))
        if deployment.dcp > 1:
            share = printed.kv_tokens // deployment.dcp
            figures.append(Figure(f"tokens_over_{deployment.dcp}", share))
            figures.append(Figure(f"blocks_of_{size}_per_gpu", share // size))
    return (*figures, *_wrong_readings(pool, printed, stack))


def _concurrency(pool: Pool, blocks: int, max_model_len: int | None) -> list[Figure]:
    if max_model_len is None:
        return []
    per_request = pool.blocks_of_request(max_model_len)
    return [
        Figure("blocks_per_request", per_request),
        Figure("concurrency", Fraction(blocks, per_request), 2),
        Figure("tokens_by_concurrency", pool.newer_tokens(blocks, max_model_len)),
    ]


def _wrong_readings(pool: Pool, printed: Printed, stack: ModelStack) -> list[Figure]:
    """What a latent's memory would hold if it were split among ranks, or were plain heads."""
    tp, memory = pool.deployment.tp, printed.kv_gib
    if not stack.is_latent or tp == 1 or memory is None:
        return []
    per_token = Fraction(pool.bytes_per_block, pool.block_size)
    figures = [Figure("wrong_if_split_by_tp", int(memory.value * GIB * tp / per_token))]
    if stack.hidden_size:
        attention = sum(1 for layer in stack.layers for one in layer if one.kind != "linear")
        per_element = DTYPE_BYTES[pool.deployment.kv_dtype]
        as_heads = Fraction(2 * attention * stack.hidden_size * per_element, tp)
        figures.append(Figure("wrong_if_mha", int(memory.value * GIB / as_heads)))
    return figures


def identity_figures(printed: Printed, max_model_len: int | None) -> tuple[Figure, ...]:
    """Without a config: tokens over the longest request, which newer and plain engines log as concurrency."""
    if printed.kv_tokens is None or max_model_len is None:
        return ()
    quotient = Fraction(printed.kv_tokens, max_model_len)
    agrees = printed.concurrency is None or printed.concurrency.covers(quotient)
    return (Figure("concurrency" if agrees else "naive_concurrency", quotient, 2),)


def grouped_figures(
    pool: Pool,
    definition: str,
    blocks: int | None,
    printed: Printed,
    stack: ModelStack,
    known: Known,
) -> tuple[Figure, ...]:
    """Of a model with several groups, windows or states."""
    assert blocks is not None
    figures = [
        Figure("block_bytes", pool.bytes_per_block),
        Figure("groups", len(pool.groups)),
        Figure("block_size", pool.block_size),
        Figure("num_blocks", blocks),
    ]
    if printed.kv_gib is None or definition == OLDER:
        figures.append(Figure("num_blocks_inferred", blocks))
    if DTYPE_BYTES[pool.deployment.kv_dtype] == 1:
        figures.append(Figure("block_bytes_fp8", pool.bytes_per_block))
    figures.append(Figure("kv_gib", Fraction(blocks * pool.bytes_per_block, GIB), 2))
    if stack.state is not None:
        figures.append(Figure("state_blocks_per_group", 2 if pool.deployment.aligned_states else 1))
    figures += _concurrency(pool, blocks, known.max_model_len)
    length, tokens = known.max_model_len, printed.kv_tokens
    line = pool.older_tokens(blocks) if definition == OLDER else None
    if line is None and length is not None:
        line = pool.newer_tokens(blocks, length)
    if line is not None:
        figures.append(Figure("tokens_line", line))
    if tokens is not None and length is not None:
        figures.append(Figure("naive_concurrency", Fraction(tokens, length), 2))
    if printed.kv_gib is not None:
        figures.append(_naive_tokens(pool, printed, stack))
    return tuple(figures)


def naive_figures(pool: Pool, printed: Printed, stack: ModelStack) -> tuple[Figure, ...]:
    """Of a model with groups where nothing comes out: its blocks, and what a plain formula would say."""
    figures = (Figure("block_bytes", pool.bytes_per_block), Figure("groups", len(pool.groups)))
    return figures if printed.kv_gib is None else (*figures, _naive_tokens(pool, printed, stack))


def _naive_tokens(pool: Pool, printed: Printed, stack: ModelStack) -> Figure:
    """Memory over the bytes of every attention layer, in whole blocks: what a plain formula says."""
    assert printed.kv_gib is not None
    per_element = DTYPE_BYTES[pool.deployment.kv_dtype]
    shape = stack.shape.on_one_rank(pool.deployment.tp).in_dtype(per_element)
    per_block = pool.block_size * shape.bytes_per_token
    ends = (printed.kv_gib.low, printed.kv_gib.high)
    return Figure("naive_tokens", tuple(int(end * GIB // per_block) * pool.block_size for end in ends))
