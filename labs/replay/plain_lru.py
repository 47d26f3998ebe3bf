"""A trace replayed step by step through one LRU cache of block ids, taken as they are.

For ids that the user calls chained although the trace shows that they are not: `hit_curve` does not hold for
them. The rule is the same (leading hits, then every block touched head to tail), one capacity at a time.
Does not model: what `hit_curve` does not; whether a hit under another prefix could be served.
"""

from __future__ import annotations

from collections import OrderedDict

from labs.replay.hit_curve import Hits, Load, Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def plain_replay(paths: Sequence[Sequence[int]], load: Load, capacity: int | None) -> tuple[Hits, list[int]]:
    """What a cache of `capacity` blocks (None: without end) hits, and the hit blocks of each request.

    >>> hits, by_request = plain_replay([(1, 2), (2, 1), (3, 2)], Load([2, 2, 2], 1), 2)
    >>> by_request, hits.evicted
    ([0, 2, 0], 2)
    """
    cache: OrderedDict[int, None] = OrderedDict()
    tally, by_request, evicted = Tally(load), [], 0
    for request, path in enumerate(paths):
        hits = next((i for i, block in enumerate(path) if block not in cache), len(path))
        tally.add(request, 0, hits)
        by_request.append(hits)
        for block in path:
            cache[block] = None
            cache.move_to_end(block)
            if capacity is not None and len(cache) > capacity:
                cache.popitem(last=False)
                evicted += 1
    return tally.hits(capacity, evicted), by_request
