"""Who holds which blocks, and what has been noted of whom: the books behind `labs.engine.explain.life`.

    tables    request -> the blocks it holds, in the order of its tokens
    holders   block -> how many tables it stands in; a block in none is free
    open      request -> its last entry, if more rounds of the same may still lengthen it

An entry is an event's fields in a dict; one that covers several rounds is lengthened in place, so that a
run of equal decode steps is one entry however the rounds were played.
Does not model: the order of the free queue, hashes (the run's columns tell what came of them).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Entry = dict[str, Any]


class Ledger:
    """The books of one run; `pool_size` counts usable blocks, None if there is no end of them.

    >>> books = Ledger(pool_size=4)
    >>> books.allocate(1, "A", [1, 2]); books.allocate(1, "B", [1, 3], num_cached=1); books.give_back(2, "A")
    >>> [(entry["kind"], entry["num_free"]) for entry in books.entries]
    [('allocated', 2), ('allocated', 1), ('freed', 2)]
    """

    def __init__(self, pool_size: int | None) -> None:
        self.pool_size = pool_size
        self.entries: list[Entry] = []
        self.tables: dict[str, list[int]] = {}
        self.holders: dict[int, int] = {}
        self.computed: dict[str, int] = {}
        self.open: dict[str, tuple[tuple[object, ...], Entry]] = {}

    @property
    def num_free(self) -> int | None:
        return None if self.pool_size is None else self.pool_size - len(self.holders)

    def num_held(self, name: str) -> int:
        return len(self.tables.get(name, ()))

    def note(self, number: int, name: str, kind: str, **facts: object) -> None:
        """Something that happened to a request in round `number`; it ends what was open."""
        self.open.pop(name, None)
        self.entries.append({"round": number, "request": name, "kind": kind, **facts})

    def note_rounds(
        self, first: int, last: int, name: str, kind: str, alike: tuple[object, ...], **facts: object
    ) -> None:
        """The same in each of some rounds; lengthens what is open if it is `alike` and ended just before."""
        key = (kind, *alike)
        known, entry = self.open.get(name, ((), {}))
        if known == key and entry["last_round"] == first - 1:
            entry["last_round"] = last
            return
        self.note(first, name, kind, last_round=last, **facts)
        self.open[name] = key, self.entries[-1]

    def schedule(
        self, first: int, last: int, name: str, phase: str, tokens: int, computed: int, status: str
    ) -> None:
        """Tokens in each of some rounds, `computed` before the first of them."""
        facts = {"phase": phase, "tokens": tokens, "cached_tokens": computed, "status": status}
        self.note_rounds(first, last, name, "scheduled", (phase, tokens, status), **facts)
        self.computed[name] = computed + tokens * (last - first + 1)

    def allocate(self, number: int, name: str, blocks: Sequence[int], num_cached: int = 0) -> None:
        """Blocks join a request's table; the first `num_cached` of them were hit, not taken."""
        for block in blocks:
            self.holders[block] = self.holders.get(block, 0) + 1
        self.tables.setdefault(name, []).extend(blocks)
        cached, new = tuple(blocks[:num_cached]), tuple(blocks[num_cached:])
        self.note(number, name, "allocated", cached_blocks=cached, new_blocks=new, num_free=self.num_free)

    def give_back(self, number: int, name: str) -> None:
        """All blocks of a request go back, the last one first."""
        table = self.tables.pop(name, [])
        for block in table:
            if self.holders[block] == 1:
                del self.holders[block]
            else:
                self.holders[block] -= 1
        if table:
            self.note(number, name, "freed", freed_blocks=tuple(reversed(table)), num_free=self.num_free)

    def preempt(self, number: int, name: str) -> None:
        """All that a request had computed is lost, and its blocks go back."""
        self.note(number, name, "preempted", tokens=self.computed[name])
        self.give_back(number, name)

    def finish(self, number: int, name: str, reason: str, keeps_blocks: bool = False) -> None:
        """A request ends; its blocks go back unless something may still read or write them."""
        self.note(number, name, "finished", reason=reason, keeps_blocks=keeps_blocks)
        if not keeps_blocks:
            self.give_back(number, name)
