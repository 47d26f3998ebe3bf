"""Peaks over time: the engine's one-second buckets, and the true number of requests at once.

    bucket of a time        whole seconds since the first request was sent
    max_output_tokens_per_s     the most chunks in one bucket (the name says tokens)
    max_concurrent_requests     the most requests that touch one bucket, be it for a moment
    true peak               the most requests between their sending and their last chunk at one moment

Every request that ends and every one that begins within a second counts in its bucket: short requests one
after the other look concurrent.
Source: vLLM 0.32.0, `vllm bench serve`.
Does not model: requests that failed, whose ends nobody knows.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from labs.replay.bench.samples import Samples


def max_output_tokens_per_s(samples: Samples) -> int | None:
    """Chunks in the fullest one-second bucket; None without the lists."""
    starts, firsts, itls = samples.start_times, samples.ttfts, samples.itls
    if starts is None or firsts is None or itls is None or not samples.succeeded:
        return None
    begin = min([starts[i] for i in samples.succeeded])
    buckets: dict[int, int] = {}
    for i in samples.succeeded:
        now = starts[i] + firsts[i]
        for gap in (0.0, *itls[i]):
            now += gap
            bucket = int(now - begin)
            buckets[bucket] = buckets.get(bucket, 0) + 1
    return max(buckets.values())


def max_concurrent_requests(samples: Samples) -> int | None:
    """Requests that touch the fullest one-second bucket; None without the lists."""
    spans = _spans(samples)
    if not spans:
        return None
    begin = min([start for start, _ in spans])
    return most_at_once([(int(start - begin), int(end - begin) + 1) for start, end in spans])


def true_peak(samples: Samples) -> int | None:
    """Most requests under way at one moment; None without the lists."""
    spans = _spans(samples)
    return most_at_once(spans) if spans else None


def _spans(samples: Samples) -> list[tuple[float, float]] | None:
    starts, e2els = samples.start_times, samples.e2els
    if starts is None or e2els is None:
        return None
    return [(starts[i], starts[i] + e2els[i]) for i in samples.succeeded]


def most_at_once(spans: Sequence[tuple[float, float]]) -> int:
    """The most spans [start, end) that hold one moment.

    >>> most_at_once([(0, 2), (1, 3), (2, 4)])
    2
    """
    events: Iterable[tuple[float, int]] = sorted(
        [(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans]
    )
    now = most = 0
    for _, change in events:
        now += change
        most = max(most, now)
    return most
