"""The pool of physical KV blocks: who holds them, in what order free ones are reused, which can be hit.

    ref_cnt[b]   requests whose block table holds block b
    free queue   blocks with ref_cnt 0, reused from the head: first those that were freed without a key,
                 then those never used, then those with a key, least recently freed first
    hash table   key of a full block -> the block that holds it; a key is evicted only when its block is
                 taken from the queue for something else, so a freed block can still be hit

A freed request gives its blocks back last to first, so of its cached prefix the tail is lost first.
Source: vLLM 0.32.0, `block_pool.BlockPool` and `kv_cache_utils.FreeKVCacheBlockQueue`.
Does not model: bytes, KV groups, sliding windows, events.
"""

from __future__ import annotations

from collections import OrderedDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

NULL_BLOCK = 0  # never handed out; stands where a table needs a block that is not there
UNLIMITED = 1 << 60


class BlockPool:
    """`num_blocks` usable blocks with ids from `first_block_id` on; the null block is not counted.

    >>> pool = BlockPool(7)
    >>> a, b = pool.take(3), pool.take(2)
    >>> pool.cache(a[:2], ["a0", "a1"]); pool.cache(b, ["b0", "b1"])
    >>> pool.free(reversed(a)); pool.free(reversed(b))
    >>> pool.free_queue(), pool.hit(["a0", "a1", "a2"])
    ([3, 6, 7, 2, 1, 5, 4], [1, 2])
    """

    def __init__(self, num_blocks: int = UNLIMITED, first_block_id: int = NULL_BLOCK + 1) -> None:
        self.num_blocks = num_blocks
        self.num_free = num_blocks
        self.first_block_id = first_block_id
        self.end = first_block_id + num_blocks
        self.ref_cnt: list[int] = [0] * first_block_id  # grows with the blocks that were ever used
        self.key_of: dict[int, Hashable] = {}
        self.block_of: dict[Hashable, int] = {}  # the first entered of the blocks with that key
        self.copies_of: dict[Hashable, list[int]] = {}  # the others, if two requests computed the same
        # The free queue is keyless + never used + keyed, in this order.
        self.keyless: list[int] = []  # its head at the end
        self.keyed: OrderedDict[int, None] = OrderedDict()

    @property
    def is_limited(self) -> bool:
        return self.num_blocks < UNLIMITED

    @property
    def num_used(self) -> int:
        return self.num_blocks - self.num_free

    def free_queue(self) -> list[int]:
        """Ids of all free blocks, the next to be reused first. Not for an unlimited pool."""
        never_used = range(len(self.ref_cnt), self.end)
        return [*reversed(self.keyless), *never_used, *self.keyed]

    def take(self, count: int) -> list[int]:
        """Blocks from the head of the queue, for one user each; there must be so many."""
        assert count <= self.num_free
        taken = [self.take_one() for _ in range(min(count, len(self.keyless)))]
        start = len(self.ref_cnt)
        num_fresh = min(count - len(taken), self.end - start)
        taken.extend(range(start, start + num_fresh))
        self.ref_cnt.extend([1] * num_fresh)
        self.num_free -= num_fresh
        taken.extend([self.take_one() for _ in range(count - len(taken))])
        return taken

    def take_one(self) -> int:
        """The block at the head of the queue, for one user; there must be one."""
        self.num_free -= 1
        if self.keyless:
            block = self.keyless.pop()
        elif len(self.ref_cnt) < self.end:
            block = len(self.ref_cnt)
            self.ref_cnt.append(1)
            return block
        else:
            block, _ = self.keyed.popitem(last=False)
            self.uncache(block)
        self.ref_cnt[block] = 1
        return block

    def hit(self, keys: Iterable[Hashable]) -> list[int]:
        """The blocks of a prefix, up to the first key that is not in the table."""
        blocks = []
        for key in keys:
            block = self.block_of.get(key)
            if block is None:
                break
            blocks.append(block)
        return blocks

    def touch(self, blocks: Iterable[int]) -> None:
        """One more user for each; free ones leave the queue."""
        for block in blocks:
            if self.ref_cnt[block] == 0:
                del self.keyed[block]
                self.num_free -= 1
            self.ref_cnt[block] += 1

    def num_free_among(self, blocks: Iterable[int]) -> int:
        """How many of these have no user: touching them takes them out of the queue."""
        return sum([self.ref_cnt[block] == 0 for block in blocks])

    def free(self, blocks: Iterable[int]) -> None:
        """One user fewer for each, in this order; at none a block goes to its end of the queue."""
        num_keyed, without_key = len(self.keyed), []
        for block in blocks:
            self.ref_cnt[block] -= 1
            if self.ref_cnt[block] > 0:
                continue
            if block in self.key_of:
                self.keyed[block] = None
            else:
                without_key.append(block)
        self.keyless.extend(reversed(without_key))
        self.num_free += len(self.keyed) - num_keyed + len(without_key)

    def cache(self, blocks: Sequence[int], keys: Sequence[Hashable]) -> None:
        """Enter full blocks of one request in the hash table."""
        for block, key in zip(blocks, keys):
            self.cache_one(block, key)

    def cache_one(self, block: int, key: Hashable) -> None:
        """Enter a full block in the hash table; of equal keys the first entered is found."""
        self.key_of[block] = key
        if self.block_of.setdefault(key, block) != block:
            self.copies_of.setdefault(key, []).append(block)

    def uncache(self, block: int) -> None:
        """Take a block out of the hash table, if it is there."""
        key = self.key_of.pop(block, None)
        if key is None:
            return
        copies = self.copies_of.get(key, [])
        if self.block_of[key] != block:
            copies.remove(block)
        elif copies:
            self.block_of[key] = copies.pop(0)
        else:
            del self.block_of[key]
        if not copies:
            self.copies_of.pop(key, None)

    def reset(self) -> bool:
        """Forget every key, unless a block is in use: then nothing changes."""
        if self.num_used:
            return False
        self.key_of.clear()
        self.block_of.clear()
        self.copies_of.clear()
        return True
