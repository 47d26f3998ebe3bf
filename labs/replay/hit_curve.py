"""How many blocks of a trace an LRU prefix cache would have hit, for every capacity at once.

The rule: requests in file order; a request hits the leading blocks that are all in the cache, and no further;
after its look-up each of its blocks is touched, head to tail, whether it was hit or not; the partial last
block is a block like any other. A cache of C blocks keeps the C most recently touched.

All blocks are touched whatever is hit, so the order of touches is the same for every capacity, and a block
is hit if and only if C is at least its

    needs = different blocks touched since this block's last touch, itself included      (a reuse distance)

Keys are chained: a key stands for a block and all before it. So a block is never touched without its parents,
the last touches along a request's path get older and older, and the path falls into stretches, each last
touched by one earlier request. Of that request's blocks exactly the tail from the stretch's start on has
not been touched since; with all that later requests touched, that is what the whole stretch needs:

    needs(stretch) = number of keys whose last touch was in that earlier request or after it

Symbols: a *path* is a request's keys, head first; *reuse* is (needs, request, start, end): blocks start to
end - 1 of the request's path, all hit from `needs` blocks on. Needs grow along a path.
Source: R. L. Mattson et al., "Evaluation techniques for storage hierarchies", 1970 (stack distances of LRU).

Does not model
- an engine's pool: blocks held by running requests, the last block of a full hit computed again, tails
  freed before heads;
- other policies than LRU, several stores, time.
"""

from __future__ import annotations

from bisect import bisect_right

from labs.base import Record
from labs.replay.capacities import by_size
from labs.replay.ratios import mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from labs.replay.ratios import Ratio

    Path = Sequence[int]
    Reuse = tuple[int, int, int, int]


class NotChainedError(Exception):
    """A key that stands after two different blocks, or twice in one request: no key of a chain does.

    Block `index` of path `request` is the key; `other` is the path that has it in another place.
    """

    def __init__(self, request: int, index: int, other: int) -> None:
        super().__init__(f"block {index} of path {request} stands elsewhere in path {other}")
        self.request, self.index, self.other = request, index, other


class LastTouched:
    """Counts of the keys last touched by each request, with sums over all earlier ones in log time.

    A binary indexed tree: place i holds the sum of the i & -i counts that end with it.
    """

    def __init__(self, size: int) -> None:
        self.tree = [0] * (size + 1)

    def add(self, request: int, count: int) -> None:
        """Change a request's count."""
        at, tree, size = request + 1, self.tree, len(self.tree)
        while at < size:
            tree[at] += count
            at += at & -at

    def before(self, request: int) -> int:
        """Keys last touched by an earlier request.

        >>> counts = LastTouched(3)
        >>> counts.add(0, 5); counts.add(1, 2); counts.add(0, -1)
        >>> counts.before(0), counts.before(1), counts.before(2)
        (0, 4, 6)
        """
        total, tree = 0, self.tree
        while request:
            total += tree[request]
            request &= request - 1
        return total


def reuses(paths: Sequence[Path]) -> list[Reuse]:
    """All stretches that were touched before, in file order; `NotChainedError` if the keys are no chains.

    >>> reuses([[1, 2], [1, 3], [1, 2]])  # 1 and 2 lie under 3 when the third request comes
    [(2, 1, 0, 1), (2, 2, 0, 1), (3, 2, 1, 2)]
    """
    owner: dict[int, int] = {}  # the last request that touched a key
    touched, found = LastTouched(len(paths)), []
    for request, path in enumerate(paths):
        at, length, num_keys = 0, len(path), len(owner)
        while at < length and path[at] in owner:
            last = owner[path[at]]
            earlier = paths[last]
            in_place = path[at] == earlier[at] if at < len(earlier) else False
            if not in_place or (at and path[at - 1] != earlier[at - 1]):
                raise NotChainedError(request, at, last)
            end = common_end(path, earlier, at)
            found.append((num_keys - touched.before(last), request, at, end))
            touched.add(last, at - end)
            at = end
        if not owner.keys().isdisjoint(path[at:]):
            index = next(i for i in range(at, length) if path[i] in owner)
            raise NotChainedError(request, index, owner[path[index]])
        owner.update(dict.fromkeys(path, request))
        if len(owner) != num_keys + length - at:
            index = next(i for i in range(at, length) if path[i] in path[:i])
            raise NotChainedError(request, index, request)
        touched.add(request, length)
    return found


def common_end(path: Path, other: Path, start: int) -> int:
    """Where two paths that agree at `start` first differ, or the shorter one ends.

    >>> common_end([1, 2, 3], [1, 2, 4], 0), common_end([1, 2], [1, 2, 4], 1)
    (2, 2)
    """
    end = min(len(path), len(other))
    if path[start:end] == other[start:end]:
        return end
    return next(i for i in range(start, end) if path[i] != other[i])


class Hits(Record):
    """What a cache of `capacity` blocks (None: without end) hits of a whole trace; ratios are exact.

    blocks, tokens      all that the trace asks for
    hit_blocks          blocks hit                 hit_tokens   sum of min(block_tokens x hits, input_length)
    whole_block_tokens  sum of min(hits, (input_length - 1) // block_tokens) x block_tokens
    request_mean        mean over the requests of hits / blocks, as numerator and denominator
    evicted             blocks that had to leave
    """

    capacity: int | None
    blocks: int
    tokens: int
    hit_blocks: int
    hit_tokens: int
    whole_block_tokens: int
    request_mean: Ratio
    evicted: int

    @property
    def rates(self) -> dict[str, Ratio]:
        """The hit rate by each of the four definitions, as numerator and denominator."""
        return {
            "blocks": (self.hit_blocks, self.blocks),
            "tokens": (self.hit_tokens, self.tokens),
            "whole_blocks": (self.whole_block_tokens, self.tokens),
            "requests": self.request_mean,
        }


class Load:
    """What a trace asks for: tokens of each request in blocks of `block_tokens`, and how many keys differ."""

    def __init__(self, lengths: Sequence[int], block_tokens: int) -> None:
        self.lengths, self.block_tokens = lengths, block_tokens
        self.sizes = [-(-length // block_tokens) for length in lengths]
        self.num_blocks, self.num_tokens = sum(self.sizes), sum(lengths)


class Tally:
    """Hits summed up stretch by stretch."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.hit_blocks = self.hit_tokens = self.whole_block_tokens = 0
        self.by_size: dict[int, int] = {}  # hit blocks by the request's number of blocks

    def add(self, request: int, start: int, end: int) -> None:
        """Count blocks start to end - 1 of a request as hit."""
        load, blocks = self.load, end - start
        size, tokens = load.sizes[request], blocks * load.block_tokens
        self.hit_blocks += blocks
        self.by_size[size] = self.by_size.get(size, 0) + blocks
        if end < size:
            self.hit_tokens += tokens
            self.whole_block_tokens += tokens
        else:  # the last block: it may be partial, and the whole blocks before the last token leave it out
            self.hit_tokens += load.lengths[request] - start * load.block_tokens
            self.whole_block_tokens += tokens - load.block_tokens

    def hits(self, capacity: int | None, evicted: int) -> Hits:
        """The sums so far as those of a capacity."""
        return Hits(
            capacity,
            self.load.num_blocks,
            self.load.num_tokens,
            self.hit_blocks,
            self.hit_tokens,
            self.whole_block_tokens,
            mean(self.by_size, len(self.load.lengths)),
            evicted,
        )


def hit_curve(
    found: Iterable[Reuse], load: Load, num_keys: int, capacities: Iterable[int | None]
) -> dict[int | None, Hits]:
    """The hits of each capacity, from the reuses of a trace that has `num_keys` different keys.

    A block that misses is put in, and nothing else is: what is not in the cache at the end has been evicted.
    (No block of a request leaves between the look-up that found it and its touch: what its stretch needs
    counts all that is touched up to then.)

    >>> load = Load([5, 5, 5], 4)
    >>> curve = hit_curve(reuses([[1, 2], [1, 3], [1, 2]]), load, 3, [2, None])
    >>> [(hits.hit_blocks, hits.hit_tokens, hits.evicted) for hits in curve.values()]
    [(2, 8, 2), (3, 9, 0)]
    """
    ordered = sorted(found)
    needs = [reuse[0] for reuse in ordered]
    tally, done, curve = Tally(load), 0, {}
    for capacity in sorted(set(capacities), key=by_size):
        reached = len(ordered) if capacity is None else bisect_right(needs, capacity)
        for _, request, start, end in ordered[done:reached]:
            tally.add(request, start, end)
        done = reached
        kept = num_keys if capacity is None else min(capacity, num_keys)
        curve[capacity] = tally.hits(capacity, load.num_blocks - tally.hit_blocks - kept)
    return curve


def enough(found: Iterable[Reuse], shares: Iterable[int]) -> dict[int, int]:
    """The smallest capacity that gives each share, in percent, of the hits that are possible at all.

    >>> enough(reuses([[1, 2], [1, 3], [1, 2]]), (50, 100))
    {50: 2, 100: 3}
    """
    ordered = sorted(found)
    most, so_far, capacities = sum(end - start for _, _, start, end in ordered), 0, {}
    wanted = sorted(shares)
    for needs, _, start, end in ordered:
        so_far += end - start
        while wanted and 100 * so_far >= wanted[0] * most:
            capacities[wanted.pop(0)] = needs
    return capacities
