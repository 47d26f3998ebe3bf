"""Where the cached path keeps K and V: slots of physical blocks, found through a block table.

The blocks lie in shuffled order, as in a pool that has been in use; a slot holds what an earlier request
left there until it is written. Damaged stores show what the comparison would notice.

Does not model: a pool that several requests share, allocation, eviction.
"""

from __future__ import annotations

from labs.engine.blocks import num_blocks, slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = list[float]

LEFTOVER = 1.0  # what earlier requests are taken to have left in every slot
SABOTAGES = ("stale", "shifted", "dropped")


class KVStore:
    """K and V rows of one request, written once a position and read by later ones.

    `row_length` numbers make a row; position p lies in slot p % block_size of block
    block_table[p // block_size].
    """

    def __init__(self, row_length: int, block_table: Sequence[int], block_size: int) -> None:
        self.block_table = block_table
        self.block_size = block_size
        num_slots = (max(block_table) + 1) * block_size
        self.keys: list[Row] = [[LEFTOVER] * row_length for _ in range(num_slots)]
        self.values: list[Row] = [[LEFTOVER] * row_length for _ in range(num_slots)]

    def write(self, position: int, key: Row, value: Row) -> None:
        """Store K and V of a position."""
        self.keys[self.slot(position)] = key
        self.values[self.slot(position)] = value

    def read(self, position: int) -> tuple[Row, Row]:
        """K and V of a position."""
        return self.keys[self.slot(position)], self.values[self.slot(position)]

    def slot(self, position: int) -> int:
        return slot(position, self.block_table, self.block_size)


class DamagedStore(KVStore):
    """A store that writes wrongly, in one of three ways.

    stale     the write of one position is lost: its slot keeps what an earlier request left
    dropped   K and V of one position are gone: zeros stand in their place
    shifted   each V is written one position too early, away from its K
    """

    def __init__(
        self, row_length: int, block_table: Sequence[int], block_size: int, sabotage: str, position: int
    ) -> None:
        super().__init__(row_length, block_table, block_size)
        self.sabotage = sabotage
        self.damaged_position = position

    def write(self, position: int, key: Row, value: Row) -> None:
        if self.sabotage == "shifted":
            self.keys[self.slot(position)] = key
            self.values[self.slot(max(position - 1, 0))] = value
        elif position != self.damaged_position:
            super().write(position, key, value)
        elif self.sabotage == "dropped":
            super().write(position, [0.0] * len(key), [0.0] * len(value))


def shuffled_block_table(num_tokens: int, block_size: int, seed: int) -> tuple[int, ...]:
    """Physical blocks 0 to n-1 in an order that depends on the seed alone.

    >>> sorted(shuffled_block_table(10, 4, seed=1))
    [0, 1, 2]
    """
    from random import Random

    random = Random(seed)
    # Only random() is the same in every version of Python; shuffle() is not promised to be.
    table = sorted(range(num_blocks(num_tokens, block_size)), key=lambda _: random.random())
    if table == sorted(table):  # by chance in order: still let it be another
        table = [*table[1:], *table[:1]]
    return tuple(table)
