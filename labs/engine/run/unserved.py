"""Who was there in a round and got nothing: named only when somebody asks.

With thousands of requests in the queue, writing their names down would cost more than the round itself. A
round keeps what tells them apart instead: how many had joined by then, and who was served. Everybody who had
joined, and neither had ended before nor was served, was waiting.
"""

from __future__ import annotations

from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from labs.engine.run.live_request import LiveRequest
    from labs.engine.simulator import Work


class Unserved(Sequence[str]):
    """Their names, in order of arrival; equal to a tuple of the same names.

    `joined` and `ended` (name: the last round in which it was there) are of the whole run. Both go on to grow
    after the round `number`, which does not change who was there in it.

    >>> from labs.engine.kv.block_keys import BlockKeys
    >>> from labs.engine.run.live_request import LiveRequest
    >>> from labs.engine.simulator import Work
    >>> a, b, c, d = [LiveRequest(name, 1, 9, BlockKeys(1)) for name in "ABCD"]
    >>> joined, ended = [a, b, c], {}
    >>> second = Unserved(joined, ended, 2, [Work("A", "decode", 1)])
    >>> joined.append(d); ended["B"] = 2
    >>> second, Unserved(joined, ended, 3, [Work("A", "decode", 1)])
    (('B', 'C'), ('C', 'D'))
    """

    __slots__ = ("ended", "joined", "length", "num_joined", "number", "work")

    def __init__(
        self,
        joined: Sequence[LiveRequest],
        ended: Mapping[str, int],
        number: int,
        work: Sequence[Work],
    ) -> None:
        self.joined = joined
        self.ended = ended
        self.number = number
        self.work = work
        self.num_joined = len(joined)
        self.length = self.num_joined - len(ended) - len(work)

    def __iter__(self) -> Iterator[str]:
        served = {item.request for item in self.work}
        for request in self.joined[: self.num_joined]:
            name = request.name
            if name not in served and self.ended.get(name, self.number) >= self.number:
                yield name

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, Unserved)) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
