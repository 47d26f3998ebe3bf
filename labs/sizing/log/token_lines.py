"""The token and concurrency lines of V1 engines against a model's config.

    num_blocks              floor(KV bytes / bytes per block), for some number of bytes that prints as it did
    tokens, older (to 0.23) floor(num_blocks / groups) x tokens a block x dcp
    tokens, newer (0.24 on) floor(num_blocks / blocks of a request x max_model_len)
    concurrency             num_blocks / blocks of a request of max_model_len tokens

The older line charges every group's layers for every token, and its concurrency line does not: where there is
more than one group the two do not divide into each other.

Source: vLLM 0.10 to 0.32, `get_kv_cache_config` and `get_kv_cache_capacity`, and logs of these engines.
Does not model: several kinds of attention block within one older engine (the smallest counts).
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import LabError, Record
from labs.engine.blocks import num_blocks
from labs.sizing.grouping import cache_groups
from labs.sizing.layers import layer_specs
from labs.sizing.log.deployments import OLDER
from labs.sizing.log.printed import GIB
from labs.sizing.plan import bytes_per_block, stages_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.stack import ModelStack
    from labs.sizing.grouping import CacheGroup
    from labs.sizing.layers import Deployment
    from labs.sizing.log.deployments import Hypothesis
    from labs.sizing.log.printed import Printed, Rounded


class Pool(Record):
    """The groups of one deployment and what a block of them takes on the rank that pays most for it."""

    groups: tuple[CacheGroup, ...]
    bytes_per_block: int
    deployment: Deployment

    @property
    def block_size(self) -> int:
        """Tokens of the smallest block of attention layers (of any layer if there are none)."""
        sizes = [group.specs[0].block_size for group in self.groups if group.specs[0].kind != "linear"]
        return min(sizes or [self.groups[0].specs[0].block_size])

    @property
    def is_plain(self) -> bool:
        """Whether every cached layer keeps every token: then bytes per token is all there is to know."""
        first = self.groups[0].specs[0]
        return len(self.groups) == 1 and first.window is None and first.kind != "linear"

    @property
    def is_padded(self) -> bool:
        """Whether some group has fewer layers than a block has room for."""
        return any(group.padding for group in self.groups)

    def blocks_of_request(self, max_model_len: int) -> int:
        """Blocks of a longest request."""
        deployment = self.deployment
        return sum(
            group.blocks_of_request(max_model_len, deployment.in_flight, deployment.dcp)
            for group in self.groups
        )

    def blocks_in(self, memory: Rounded) -> range:
        """Every number of blocks that a memory printed so may hold; 0 for a negative one."""
        low = max(0, memory.low * GIB // self.bytes_per_block)
        return range(low, max(low, memory.high * GIB // self.bytes_per_block) + 1)

    def older_tokens(self, blocks: int) -> int:
        """The token line up to 0.23."""
        return blocks // len(self.groups) * self.block_size * self.deployment.dcp

    def newer_tokens(self, blocks: int, max_model_len: int) -> int:
        """The token line from 0.24 on, in the engine's own floating point."""
        return int(blocks / self.blocks_of_request(max_model_len) * max_model_len)


def pool_of(stack: ModelStack, deployment: Deployment, windows_in_full: bool = False) -> Pool | None:
    """The pool of one deployment, None if its pages cannot be unified."""
    by_layer = layer_specs(stack, deployment)
    if windows_in_full:
        by_layer = tuple(
            tuple(
                spec.replace(kind="full", window=None) if spec.window is not None else spec for spec in layer
            )
            for layer in by_layer
        )
    specs = [spec for layer in by_layer for spec in layer]
    layer_of = [index for index, layer in enumerate(by_layer) for _ in layer]
    try:
        groups = cache_groups(specs)
        stages = stages_of(len(by_layer), deployment.pp)
    except LabError:
        return None
    dearest = 0
    for stage in stages:
        places = [place for place, layer in enumerate(layer_of) if layer in stage]
        if places:
            dearest = max(dearest, bytes_per_block(groups, range(places[0], places[-1] + 1)))
    return Pool(groups, dearest, deployment)


def matching_blocks(
    pool: Pool, hypothesis: Hypothesis, printed: Printed, max_model_len: int | None
) -> list[int]:
    """Every number of blocks with which all printed lines come out, ascending; empty if none does."""
    candidates = _candidates(pool, hypothesis, printed, max_model_len)
    found = []
    for blocks in candidates:
        if printed.kv_gib is not None and blocks not in pool.blocks_in(printed.kv_gib):
            continue
        if printed.concurrency is not None and max_model_len is not None:
            per_request = pool.blocks_of_request(max_model_len)
            if not printed.concurrency.covers(Fraction(blocks, per_request)):
                continue
        if printed.kv_tokens is not None and printed.kv_tokens != _tokens(
            pool, hypothesis, blocks, max_model_len
        ):
            continue
        found.append(blocks)
    return found


def _tokens(pool: Pool, hypothesis: Hypothesis, blocks: int, max_model_len: int | None) -> int | None:
    if hypothesis.definition == OLDER:
        return pool.older_tokens(blocks)
    return None if max_model_len is None else pool.newer_tokens(blocks, max_model_len)


def _candidates(pool: Pool, hypothesis: Hypothesis, printed: Printed, max_model_len: int | None) -> range:
    """The numbers of blocks that the token line leaves, or else the memory, or else the concurrency."""
    tokens = printed.kv_tokens
    if tokens is not None and hypothesis.definition == OLDER:
        per_row = pool.block_size * pool.deployment.dcp
        rows, rest = divmod(tokens, per_row)
        groups = len(pool.groups)
        return range(0) if rest else range(rows * groups, (rows + 1) * groups)
    if tokens is not None:
        if max_model_len is None:
            return range(0)
        per_request = pool.blocks_of_request(max_model_len)
        low = tokens * per_request // max_model_len
        return range(low, num_blocks((tokens + 1) * per_request, max_model_len) + 1)
    if printed.kv_gib is not None:
        blocks = pool.blocks_in(printed.kv_gib)
        return blocks if len(blocks) <= 100_000 else range(0)
    if printed.concurrency is not None and max_model_len is not None:
        per_request = pool.blocks_of_request(max_model_len)
        return range(
            int(printed.concurrency.low * per_request), int(printed.concurrency.high * per_request) + 2
        )
    return range(0)
