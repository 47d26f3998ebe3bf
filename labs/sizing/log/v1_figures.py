"""The figures that a V1 log's reconciliation shows: what the config gives, and what wrong readings would.

Does not model: figures of other generations (`labs.sizing.log.v0`, `labs.sizing.log.refusal`).
"""

from __future__ import annotations

from fractions import Fraction

from labs.model.kv import DTYPE_BYTES
from labs.sizing.log.deployments import NEWER, OLDER
from labs.sizing.log.outcome import Figure
from labs.sizing.log.printed import GIB

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.stack import ModelStack
    from labs.sizing.log.known import Known
    from labs.sizing.log.matching import Match
    from labs.sizing.log.pools import Pool, Pools
    from labs.sizing.log.printed import Printed


def identity_figures(printed: Printed, max_model_len: int | None) -> tuple[Figure, ...]:
    """Without a config: tokens over the longest request, which newer and plain engines log as concurrency."""
    if printed.kv_tokens is None or max_model_len is None:
        return ()
    quotient = Fraction(printed.kv_tokens, max_model_len)
    agrees = printed.concurrency is None or printed.concurrency.covers(quotient)
    return (Figure("concurrency" if agrees else "naive_concurrency", quotient, 2),)


def plain_figures(match: Match, printed: Printed, pools: Pools, known: Known) -> tuple[Figure, ...]:
    """Of a model whose every layer keeps every token."""
    pool, size, dcp = match.pool, match.pool.block_size, match.pool.deployment.dcp
    figures = [
        Figure("bytes_per_token_per_gpu", _bytes_per_token(pool)),
        Figure("block_bytes", pool.bytes_per_block),
    ]
    if printed.kv_gib is not None:
        possible = pool.blocks_in(printed.kv_gib)
        figures.append(
            Figure("tokens_from_printed_gib", (possible[0] * size * dcp, possible[-1] * size * dcp))
        )
    figures.append(Figure("num_blocks", match.blocks[0]))
    figures += _several(match)
    figures += _of_request(pool, match.blocks[0], known.max_model_len)
    whole = pools.changed(pool, tp=1, dcp=1)
    if printed.kv_tokens is not None and whole is not None:
        total = printed.kv_tokens * _bytes_per_token(whole) / GIB
        figures.append(Figure("kv_gib_if_total_mistaken_for_per_gpu", total, 2))
    if printed.kv_tokens is not None and dcp > 1:
        share = printed.kv_tokens // dcp
        figures += [Figure(f"tokens_over_{dcp}", share), Figure(f"blocks_of_{size}_per_gpu", share // size)]
    return (*figures, *_wrong_readings(pool, printed, pools.stack))


def grouped_figures(match: Match, printed: Printed, pools: Pools, known: Known) -> tuple[Figure, ...]:
    """Of a model with several groups, windows or states."""
    pool, blocks, definition = match.pool, match.blocks[0], match.hypothesis.definition
    figures = [
        Figure("block_bytes", pool.bytes_per_block),
        Figure("groups", len(pool.groups)),
        Figure("block_size", pool.block_size),
        Figure("num_blocks", blocks),
        Figure("kv_gib", Fraction(blocks * pool.bytes_per_block, GIB), 2),
    ]
    figures += _several(match)
    if printed.kv_gib is None or definition == OLDER:
        figures.append(Figure("num_blocks_inferred", blocks))
    if DTYPE_BYTES[pool.deployment.kv_dtype] == 1:
        figures.append(Figure("block_bytes_fp8", pool.bytes_per_block))
    if pools.stack.state is not None:
        figures.append(Figure("state_blocks_per_group", 2 if pool.deployment.prefix_caching else 1))
    figures += _of_request(pool, blocks, known.max_model_len)
    line = pool.tokens_line(blocks, definition, known.max_model_len)
    if line is not None:
        figures.append(Figure("tokens_line", line))
    if printed.kv_tokens is not None and known.max_model_len is not None:
        figures.append(Figure("naive_concurrency", Fraction(printed.kv_tokens, known.max_model_len), 2))
    return (*figures, *_naive_tokens(pool, printed, pools.stack))


def naive_figures(pool: Pool, printed: Printed, stack: ModelStack) -> tuple[Figure, ...]:
    """Where nothing comes out: a block, and what the plain formula says of the memory."""
    figures = (Figure("block_bytes", pool.bytes_per_block), Figure("groups", len(pool.groups)))
    return (*figures, *_naive_tokens(pool, printed, stack))


def _several(match: Match) -> list[Figure]:
    """All numbers of blocks that come out, if there are several: other figures are those of the smallest."""
    if len(match.blocks) == 1:
        return []
    return [Figure("num_blocks_range", (match.blocks[0], match.blocks[-1]))]


def _bytes_per_token(pool: Pool) -> Fraction:
    return Fraction(pool.bytes_per_block, pool.block_size)


def _of_request(pool: Pool, blocks: int, max_model_len: int | None) -> list[Figure]:
    if max_model_len is None:
        return []
    per_request = pool.blocks_of_request(max_model_len)
    return [
        Figure("blocks_per_request", per_request),
        Figure("concurrency", Fraction(blocks, per_request), 2),
        Figure("tokens_by_concurrency", pool.tokens_line(blocks, NEWER, max_model_len)),
    ]


def _wrong_readings(pool: Pool, printed: Printed, stack: ModelStack) -> list[Figure]:
    """What a latent's memory would hold if it were split among ranks, or were plain heads."""
    tp, memory = pool.deployment.tp, printed.kv_gib
    if not stack.is_latent or tp == 1 or memory is None:
        return []
    figures = [Figure("wrong_if_split_by_tp", int(memory.value * GIB * tp / _bytes_per_token(pool)))]
    if stack.hidden_size:
        attention = sum(1 for layer in stack.layers for one in layer if one.kind != "linear")
        per_element = DTYPE_BYTES[pool.deployment.kv_dtype]
        as_heads = Fraction(2 * attention * stack.hidden_size * per_element, tp)
        figures.append(Figure("wrong_if_mha", int(memory.value * GIB / as_heads)))
    return figures


def _naive_tokens(pool: Pool, printed: Printed, stack: ModelStack) -> list[Figure]:
    """Memory over the bytes of every attention layer, in whole blocks: what a plain formula says."""
    if printed.kv_gib is None:
        return []
    per_element = DTYPE_BYTES[pool.deployment.kv_dtype]
    shape = stack.shape.on_one_rank(pool.deployment.tp).in_dtype(per_element)
    possible = printed.kv_gib.whole_units(pool.block_size * shape.bytes_per_token)
    return [Figure("naive_tokens", (possible[0] * pool.block_size, possible[-1] * pool.block_size))]
