"""Blocks for requests: how many a step needs, whether they are there, which tokens need not be computed.

    needed    ceil(tokens after the step / block size) - blocks held - blocks hit
    capacity  free blocks; a hit block that nobody holds takes one too, as it leaves the free queue

All or nothing: what does not fit changes nothing. Full blocks enter the hash table when their tokens are
scheduled, before they are computed; so a request admitted later in the same step can hit them.
Source: vLLM 0.32.0, `kv_cache_manager.KVCacheManager` (`get_computed_blocks`, `allocate_slots`, `free`).
Does not model: KV groups, sliding windows, speculative tokens.
"""

from __future__ import annotations

from labs.engine.blocks import max_hit_tokens, num_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.kv.block_pool import BlockPool
    from labs.engine.run.live_request import LiveRequest


class KVManager:
    """Block tables over one pool; `watermark_blocks` stay free when something new joins what runs."""

    def __init__(
        self, pool: BlockPool, block_size: int, prefix_caching: bool = True, watermark_blocks: int = 0
    ) -> None:
        self.pool = pool
        self.block_size = block_size
        self.prefix_caching = prefix_caching
        self.watermark_blocks = watermark_blocks

    def cached_blocks(self, request: LiveRequest) -> list[int]:
        """The leading blocks of a request that are in the hash table; its last token is never among them."""
        if not self.prefix_caching:
            return []
        most = max_hit_tokens(request.num_tokens, self.block_size) // self.block_size
        return self.pool.hit(request.keys.between(0, most))

    def allocate(
        self,
        request: LiveRequest,
        num_new_tokens: int,
        hit: Sequence[int] = (),
        num_external_tokens: int = 0,
        *,
        joins: bool = False,
        others_run: bool = True,
        full_prompt_must_fit: bool = False,
        reserved_blocks: int = 0,
        enter: bool = True,
    ) -> list[int] | None:
        """Slots for tokens past those computed, hit and loaded; None, and no change, if they do not fit.

        `joins` says that the request waits so far: the watermark holds for it if `others_run`, and with
        `full_prompt_must_fit` all its known tokens must fit. `reserved_blocks` of the free ones are left for
        others. Without `enter` the full blocks stay out of the hash table, as their tokens are not there yet.
        """
        held = len(request.block_table) + len(hit)
        leaves_queue = self.pool.num_free_among(hit) if hit else 0
        margin = self.watermark_blocks if joins and others_run else 0
        num_free = self.pool.num_free - leaves_queue - margin
        whole = max(num_blocks(request.num_tokens, self.block_size) - held, 0)
        if full_prompt_must_fit and whole > num_free:
            return None
        end = request.num_computed_tokens + len(hit) * self.block_size + num_external_tokens + num_new_tokens
        needed = max(num_blocks(end, self.block_size) - held, 0)
        if needed > num_free - reserved_blocks:
            return None
        if hit:
            self.pool.touch(hit)
            request.block_table.extend(hit)
            request.num_cached_blocks = len(hit)
        taken = self.pool.take(needed) if needed else []
        request.block_table.extend(taken)
        if enter:
            self.enter(request, min(end, request.num_tokens))  # a block of tokens not yet known has no key
        return taken

    def extend(self, request: LiveRequest, num_tokens: int) -> bool:
        """Slots for so many tokens in all of a running request; False, and no change, if they do not fit."""
        table = request.block_table
        if num_tokens > len(table) * self.block_size:
            needed = num_blocks(num_tokens, self.block_size) - len(table)
            if needed > self.pool.num_free:
                return False
            if needed == 1:  # a decode takes no more, and most blocks are taken by decodes
                table.append(self.pool.take_one())
            else:
                table.extend(self.pool.take(needed))
        self.enter(request, num_tokens)
        return True

    def enter(self, request: LiveRequest, num_tokens: int) -> None:
        """Enter the full blocks among so many tokens of a request in the hash table."""
        size, table = self.block_size, request.block_table
        request.settled_tokens = len(table) * size + 1
        if not self.prefix_caching:
            return
        first, full = request.num_cached_blocks, num_tokens // size
        if full > first:
            keys = request.keys.between(first, full)
            if full == first + 1:
                self.pool.cache_one(table[first], keys[0])
            else:
                self.pool.cache(table[first:full], keys)
            request.num_cached_blocks = first = full
        if first < len(table):
            request.settled_tokens = (first + 1) * size

    def free(self, request: LiveRequest) -> None:
        """Give all blocks back, the last one first."""
        self.pool.free(reversed(request.block_table))
        request.block_table = []
        request.num_cached_blocks = request.settled_tokens = 0
