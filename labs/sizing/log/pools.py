"""The pool of blocks that a deployment has: its groups, and what a block takes on the rank that pays most.

    num_blocks              floor(KV bytes / bytes per block), for some number of bytes that prints as it did
    tokens, older (to 0.23) floor(num_blocks / groups) x tokens a block x dcp
    tokens, newer (0.24 on) floor(num_blocks / blocks of a request x max_model_len)
    concurrency             num_blocks / blocks of a request of max_model_len tokens

The older line takes a request to need a block in every group for each block of tokens, and its concurrency
line does not: where there is more than one group the two do not divide into each other.

Source: vLLM 0.10 to 0.32, `get_kv_cache_config` and `get_kv_cache_capacity`, and logs of these engines.
Does not model: several kinds of attention block within one older engine (the smallest counts).
"""

from __future__ import annotations

from labs.base import LabError, Record
from labs.sizing.grouping import blocks_of_request, cache_groups
from labs.sizing.layers import layer_specs
from labs.sizing.log.deployments import OLDER
from labs.sizing.plan import bytes_of_stages, stages_of, tokens_logged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.stack import ModelStack
    from labs.sizing.grouping import CacheGroup
    from labs.sizing.layers import Deployment
    from labs.sizing.log.printed import Rounded


class Pool(Record):
    """One deployment's groups, and bytes of a block on the rank that pays most, and least, for it.

    They differ where pipeline stages do. `windows_in_full` charges layers with a window as full.
    """

    groups: tuple[CacheGroup, ...]
    bytes_per_block: int
    cheapest_block: int
    deployment: Deployment
    windows_in_full: bool = False

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
        return blocks_of_request(self.groups, max_model_len, self.deployment.in_flight, self.deployment.dcp)

    def request_bytes(self, length: int) -> int:
        """Bytes of a request of so many tokens: its blocks in all groups, padding and all."""
        return self.blocks_of_request(length) * self.bytes_per_block

    def request_bytes_of_layers(self, length: int) -> int:
        """The same as older engines add it up: layer by layer, without padding."""
        return sum(
            blocks_of_request((group,), length, self.deployment.in_flight, self.deployment.dcp)
            * sum(spec.page_bytes for spec in group.specs)
            for group in self.groups
        )

    def blocks_in(self, memory: Rounded) -> range:
        """Every number of blocks that the smallest memory, printed in GiB, may hold; 0 for a negative one.

        The smallest memory may be that of any stage.
        """
        least = memory.whole_units(self.bytes_per_block)
        return range(least[0], memory.whole_units(self.cheapest_block)[-1] + 1)

    def tokens_line(self, blocks: int, definition: str, max_model_len: int | None) -> int | None:
        """The token line by one of its definitions; None where it depends on a length that is not known."""
        if definition == OLDER:
            return blocks // len(self.groups) * self.block_size * self.deployment.dcp
        if max_model_len is None:
            return None
        return tokens_logged(blocks, self.blocks_of_request(max_model_len), max_model_len)


def pool_of(stack: ModelStack, deployment: Deployment, windows_in_full: bool = False) -> Pool | None:
    """The pool of one deployment, None if its pages cannot be unified or a stage is left without layers."""
    by_layer = layer_specs(stack, deployment)
    specs = [spec for layer in by_layer for spec in layer]
    if windows_in_full:
        specs = [spec.without_window() for spec in specs]
    layer_of = [index for index, layer in enumerate(by_layer) for _ in layer]
    try:
        groups = cache_groups(specs)
        stages = stages_of(len(by_layer), deployment.pp)
    except LabError:
        return None
    per_block = bytes_of_stages(groups, layer_of, stages)
    if not all(per_block):
        return None
    return Pool(groups, max(per_block), min(per_block), deployment, windows_in_full)


class Pools:
    """The pools of one model by deployment, each made once: hypotheses often differ in other things."""

    def __init__(self, stack: ModelStack) -> None:
        self.stack = stack
        self.made: dict[tuple[Deployment, bool], Pool | None] = {}

    def of(self, deployment: Deployment, windows_in_full: bool = False) -> Pool | None:
        """As `pool_of`; what is in flight changes no block."""
        blocks_of = deployment.replace(max_num_batched_tokens=1, async_scheduling=False)
        key = (blocks_of, windows_in_full)
        if key not in self.made:
            self.made[key] = pool_of(self.stack, blocks_of, windows_in_full)
        pool = self.made[key]
        return None if pool is None else pool.replace(deployment=deployment)

    def changed(self, pool: Pool, **changes: object) -> Pool | None:
        """The pool of the same deployment with some settings changed."""
        return self.of(pool.deployment.replace(**changes), pool.windows_in_full)
