"""Keys of a request's full blocks, as exact as hash chains without collisions, and cheaper.

A key is a number that stands for a whole prefix: two requests have the same key where `hash_chain` would
give them the same hash. For prompts that are written out, each (key of the parent, tokens of the block)
that comes up is numbered once for all requests of a run. A request whose tokens nobody else has needs no
chain: its keys are numbers that no other request gets.

The tokens that a simulated model samples follow a rule, so blocks of outputs have keys as well.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

MAX_BLOCKS = 1 << 40  # of one request, and of all chains of a run


class BlockKeys:
    """Keys of a request whose tokens are its own; `number`, from 1, is no other request's.

    >>> BlockKeys(1).between(0, 2) == BlockKeys(2).between(0, 2)
    False
    """

    can_be_shared = False

    def __init__(self, number: int) -> None:
        self.first = number * MAX_BLOCKS

    def between(self, start: int, stop: int) -> Sequence[int]:
        """The keys of full blocks start to stop - 1."""
        return range(self.first + start, self.first + stop)

    def contents(self, start: int, stop: int) -> Sequence[Hashable]:
        """What full blocks start to stop - 1 hold, to be compared."""
        return self.between(start, stop)


class ChainedKeys(BlockKeys):
    """Keys of a request whose prompt others may share; `numbered` is one table for all of them.

    `sampled_token(n)` is the id of the n-th output token, from 1.

    >>> table, outputs = {}, lambda n: 100 + n
    >>> a = ChainedKeys((1, 2, 3, 4, 5), 2, table, outputs)
    >>> b = ChainedKeys((1, 2, 9, 4), 2, table, outputs)
    >>> a.between(0, 3), b.between(0, 2)
    ([0, 1, 2], [0, 3])
    """

    can_be_shared = True

    def __init__(
        self,
        prompt: tuple[int, ...],
        block_size: int,
        numbered: dict[tuple[Hashable, ...], int],
        sampled_token: Callable[[int], int],
        salt: str = "",
    ) -> None:
        self.prompt = prompt
        self.block_size = block_size
        self.numbered = numbered
        self.sampled_token = sampled_token
        self.salt = salt
        self.keys: list[int] = []

    def between(self, start: int, stop: int) -> Sequence[int]:
        while len(self.keys) < stop:
            first = len(self.keys) * self.block_size
            tokens = self._tokens(first, first + self.block_size)
            parent = self.keys[-1] if self.keys else self.salt
            self.keys.append(self.numbered.setdefault((parent, tokens), len(self.numbered)))
        return self.keys[start:stop]

    def contents(self, start: int, stop: int) -> Sequence[Hashable]:
        size = self.block_size
        return [self._tokens(index * size, (index + 1) * size) for index in range(start, stop)]

    def _tokens(self, start: int, stop: int) -> tuple[int, ...]:
        known = len(self.prompt)
        if stop <= known:
            return self.prompt[start:stop]
        outputs = [self.sampled_token(n - known + 1) for n in range(max(start, known), stop)]
        return (*self.prompt[start:known], *outputs)
