"""Where the cached path keeps K and V: slots of physical blocks, found through a block table.

The blocks lie in shuffled order, as in a pool that has been in use; a slot holds what an earlier request
left there until it is written. Three kinds of damage show what the comparison would notice.
"""

from __future__ import annotations

from labs.engine.blocks import num_blocks, slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = list[float]

LEFTOVER = 1.0
SABOTAGES = ("stale", "shifted", "dropped")


class KVStore:
    """K and V rows of one request, written once a position and read by later ones."""

    def __init__(self, row_length: int, block_table: Sequence[int], block_size: int) -> None:
        self.block_table = block_table
        self.block_size = block_size
        num_slots = (max(block_table) + 1) * block_size
        self.keys: list[Row] = [[LEFTOVER] * row_length for _ in range(num_slots)]
        self.values: list[Row] = [[LEFTOVER] * row_length for _ in range(num_slots)]

    def write(self, position: int, key: Row, value: Row) -> None:
        self.write_key(position, key)
        self.write_value(position, value)

    def write_key(self, position: int, key: Row) -> None:
        self.keys[slot(position, self.block_table, self.block_size)] = key

    def write_value(self, position: int, value: Row) -> None:
        self.values[slot(position, self.block_table, self.block_size)] = value

    def read(self, position: int) -> tuple[Row, Row]:
        """K and V of a position."""
        at = slot(position, self.block_table, self.block_size)
        return self.keys[at], self.values[at]


class StaleStore(KVStore):
    """The write of one position is lost: its slot keeps an earlier request's K and V."""

    lost_position = 0

    def write(self, position: int, key: Row, value: Row) -> None:
        if position != self.lost_position:
            super().write(position, key, value)


class DroppedStore(StaleStore):
    """K and V of one position are gone: zeros stand in their place."""

    def write(self, position: int, key: Row, value: Row) -> None:
        if position == self.lost_position:
            key, value = [0.0] * len(key), [0.0] * len(value)
        KVStore.write(self, position, key, value)


class ShiftedStore(KVStore):
    """Each V is written one position too early, so that K and V no longer belong together."""

    def write(self, position: int, key: Row, value: Row) -> None:
        self.write_key(position, key)
        self.write_value(max(position - 1, 0), value)


def make_store(
    num_tokens: int, row_length: int, block_table: Sequence[int], block_size: int, sabotage: str | None
) -> KVStore:
    """An empty store for so many tokens, sound or damaged; damage of one position hits the middle one."""
    kinds = {None: KVStore, "stale": StaleStore, "dropped": DroppedStore, "shifted": ShiftedStore}
    store = kinds[sabotage](row_length, block_table, block_size)
    if isinstance(store, StaleStore):
        store.lost_position = num_tokens // 2
    return store


def shuffled_block_table(num_tokens: int, block_size: int, seed: int) -> tuple[int, ...]:
    """Physical blocks 0 to n-1 in an order that depends on the seed alone.

    >>> sorted(shuffled_block_table(10, 4, seed=1))
    [0, 1, 2]
    """
    from random import Random

    random = Random(seed)
    # Only random() is the same in every version of Python; shuffle() is not promised to be.
    return tuple(sorted(range(num_blocks(num_tokens, block_size)), key=lambda _: random.random()))
