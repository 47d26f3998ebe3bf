"""Which hypotheses make the printed lines of a V1 log come out, and with how many blocks.

A hypothesis comes out if some number of blocks gives the printed memory, the printed tokens by its meaning of
the line, and the printed concurrency. The token line leaves few such numbers, so they are solved for, and
not tried one by one.

Does not model: figures that a person rounded when pasting.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record
from labs.engine.blocks import num_blocks
from labs.sizing.log.deployments import OLDER, as_likely, hypotheses, with_other_ranks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from labs.sizing.log.deployments import Hypothesis
    from labs.sizing.log.known import Known
    from labs.sizing.log.pools import Pool, Pools
    from labs.sizing.log.printed import Printed


class Match(Record):
    """A hypothesis that makes every printed line come out, its pool, and the numbers of blocks that do."""

    hypothesis: Hypothesis
    pool: Pool
    blocks: tuple[int, ...]


def likeliest(printed: Printed, pools: Pools, known: Known, definitions: tuple[str, ...]) -> list[Match]:
    """The likeliest match, then those about as likely, or equal to the byte, with other ranks or dtypes."""
    chosen: list[Match] = []
    found = as_likely(_matches(printed, pools, known, definitions))
    for match in (*found, *(_equal_to(found[0], printed, pools, known) if found else ())):
        if all(_ranks_and_dtype(match) != _ranks_and_dtype(other) for other in chosen):
            chosen.append(match)
    return chosen


def _equal_to(first: Match, printed: Printed, pools: Pools, known: Known) -> Iterator[Match]:
    """The same deployment with other ranks and dtype whose blocks have as many bytes, however unlikely."""
    for hypothesis in with_other_ranks(first.hypothesis, pools.stack, known):
        pool = pools.of(hypothesis.deployment, hypothesis.windows_in_full)
        if pool is None or pool.bytes_per_block != first.pool.bytes_per_block:
            continue
        blocks = matching_blocks(pool, hypothesis.definition, printed, known.max_model_len)
        if tuple(blocks) == first.blocks:
            yield Match(hypothesis, pool, tuple(blocks))


def _ranks_and_dtype(match: Match) -> tuple[object, ...]:
    deployment = match.pool.deployment
    return deployment.tp, deployment.dcp, deployment.kv_dtype


def _matches(
    printed: Printed, pools: Pools, known: Known, definitions: tuple[str, ...]
) -> Iterator[tuple[int, Match]]:
    for hypothesis in hypotheses(pools.stack, known, definitions):
        pool = pools.of(hypothesis.deployment, hypothesis.windows_in_full)
        if pool is not None:
            blocks = matching_blocks(pool, hypothesis.definition, printed, known.max_model_len)
            if blocks:
                yield hypothesis.price, Match(hypothesis, pool, tuple(blocks))


def matching_blocks(pool: Pool, definition: str, printed: Printed, max_model_len: int | None) -> list[int]:
    """Every number of blocks with which all printed lines come out, ascending."""
    return [
        blocks
        for blocks in _candidates(pool, definition, printed, max_model_len)
        if _memory_holds(pool, blocks, printed)
        and _concurrency_comes_out(pool, blocks, printed, max_model_len)
        and printed.kv_tokens in (None, pool.tokens_line(blocks, definition, max_model_len))
    ]


def _memory_holds(pool: Pool, blocks: int, printed: Printed) -> bool:
    """Whether the printed memory makes so many blocks; an override makes them whatever the memory."""
    if printed.kv_gib is None or printed.num_gpu_blocks_override is not None:
        return True
    return blocks in pool.blocks_in(printed.kv_gib)


def _concurrency_comes_out(pool: Pool, blocks: int, printed: Printed, max_model_len: int | None) -> bool:
    if printed.concurrency is None or max_model_len is None:
        return True
    return printed.concurrency.covers(Fraction(blocks, pool.blocks_of_request(max_model_len)))


def _candidates(pool: Pool, definition: str, printed: Printed, max_model_len: int | None) -> range:
    """The numbers of blocks that the token line leaves, or else the memory, or else the concurrency."""
    tokens, override = printed.kv_tokens, printed.num_gpu_blocks_override
    if override is not None:
        return range(override, override + 1)
    if tokens is not None and definition == OLDER:
        rows, rest = divmod(tokens, pool.block_size * pool.deployment.dcp)
        groups = len(pool.groups)
        return range(0) if rest else range(rows * groups, (rows + 1) * groups)
    if max_model_len is None:
        return range(0) if tokens is not None or printed.kv_gib is None else pool.blocks_in(printed.kv_gib)
    per_request = pool.blocks_of_request(max_model_len)
    if tokens is not None:
        low = tokens * per_request // max_model_len
        return range(low, num_blocks((tokens + 1) * per_request, max_model_len) + 1)
    if printed.kv_gib is not None:
        return pool.blocks_in(printed.kv_gib)
    if printed.concurrency is None:
        return range(0)
    return range(int(printed.concurrency.low * per_request), int(printed.concurrency.high * per_request) + 2)
