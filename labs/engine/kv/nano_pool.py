"""nano-vllm's block manager: one free queue, and a hit that compares tokens.

    free queue   whatever is given back goes to the back, with or without a key; reuse from the front
    hash table   key -> block; of two blocks with one key the last entered is the one found
    a hit        the key must be there and the block must hold the same tokens

Source: nano-vllm (GeeeekExplorer, commit bb823b3), `engine/block_manager.py`, `BlockManager`. Block 0 is a
block like any other.
Does not model: the 256 tokens that nano-vllm asks of a block; bytes.
"""

from __future__ import annotations

from collections import OrderedDict

from labs.engine.kv.block_pool import UNLIMITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence


class NanoPool:
    """`num_blocks` blocks with ids from 0.

    >>> pool = NanoPool(5)
    >>> a = pool.take(3); pool.cache(a[:2], ["a0", "a1"], [(1, 2), (3, 4)]); pool.free(reversed(a))
    >>> pool.free_queue(), pool.hit(["a0", "a1"], [(1, 2), (9, 4)])
    ([3, 4, 2, 1, 0], [0])
    """

    def __init__(self, num_blocks: int = UNLIMITED) -> None:
        self.num_blocks = num_blocks
        self.ref_cnt: list[int] = []  # grows with the blocks that were ever used
        self.key_of: dict[int, Hashable] = {}
        self.content_of: dict[int, Hashable] = {}
        self.block_of: dict[Hashable, int] = {}
        self.given_back: OrderedDict[int, None] = OrderedDict()  # comes after the blocks never used

    @property
    def is_limited(self) -> bool:
        return self.num_blocks < UNLIMITED

    @property
    def num_free(self) -> int:
        return self.num_blocks - len(self.ref_cnt) + len(self.given_back)

    @property
    def num_used(self) -> int:
        return self.num_blocks - self.num_free

    def free_queue(self) -> list[int]:
        """Ids of all free blocks, the next to be reused first. Not for an unlimited pool."""
        return [*range(len(self.ref_cnt), self.num_blocks), *self.given_back]

    def take(self, count: int) -> list[int]:
        """Blocks from the front of the queue, for one user each; there must be so many."""
        start = len(self.ref_cnt)
        fresh = min(count, self.num_blocks - start)
        taken = list(range(start, start + fresh))
        self.ref_cnt.extend([1] * fresh)
        while len(taken) < count:
            block, _ = self.given_back.popitem(last=False)
            self._forget(block)
            self.ref_cnt[block] = 1
            taken.append(block)
        return taken

    def _forget(self, block: int) -> None:
        key = self.key_of.pop(block, None)
        self.content_of.pop(block, None)
        if key is not None and self.block_of.get(key) == block:
            del self.block_of[key]

    def hit(self, keys: Iterable[Hashable], contents: Iterable[Hashable]) -> list[int]:
        """The blocks of a prefix, up to the first that is not there or holds other tokens."""
        blocks = []
        for key, content in zip(keys, contents):
            block = self.block_of.get(key)
            if block is None or self.content_of[block] != content:
                break
            blocks.append(block)
        return blocks

    def num_in_use_among(self, blocks: Iterable[int]) -> int:
        return sum([self.ref_cnt[block] > 0 for block in blocks])

    def touch(self, blocks: Iterable[int]) -> None:
        """One more user for each; free ones leave the queue."""
        for block in blocks:
            if self.ref_cnt[block] == 0:
                del self.given_back[block]
            self.ref_cnt[block] += 1

    def free(self, blocks: Iterable[int]) -> None:
        """One user fewer for each, in this order; at none they go to the back of the queue."""
        for block in blocks:
            self.ref_cnt[block] -= 1
            if self.ref_cnt[block] == 0:
                self.given_back[block] = None

    def cache(self, blocks: Sequence[int], keys: Sequence[Hashable], contents: Sequence[Hashable]) -> None:
        """Enter full blocks; a key that is there already now finds the new block."""
        for block, key, content in zip(blocks, keys, contents):
            self.key_of[block] = key
            self.content_of[block] = content
            self.block_of[key] = block
