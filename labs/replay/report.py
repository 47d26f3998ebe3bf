"""What a replay comes to: latencies by the engine's definitions, rates, preemptions and peaks.

    TTFT     first output token - arrival              TPOT   (E2EL - TTFT) / (output tokens - 1)
    E2EL     last output token - arrival               ITL    gaps between tokens, pooled over all requests
    duration first arrival to the last step's end      goodput   requests that meet all limits / duration

One token leaves at a time, so a gap is a step's time, or longer where a request waited or was preempted.
All times are from the cost model; tokens, hits, preemptions and blocks are counted by the rule.

Does not model: what `labs.replay.clock` does not.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record
from labs.replay.latency import Summary, is_good, mean, root, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from labs.replay.latency import Limits
    from labs.replay.served import Gaps, Replay, Served

MS_PER_S = 1000
PERCENTS = (50, 95, 99)


class Report(Record):
    """The figures of one replay: summaries in ms (None without a value), rates a second, tokens and counts.

    Mean TTFT = `queue_ms` (arrival to first admission) + `prefill_ms` (from there to the first token). Steps
    took `busy_ms`, `prefill_steps_ms` of it the `prefill_steps` that held prefill tokens.
    """

    requests: int
    completed: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    duration_ms: Fraction
    ttft: Summary | None
    tpot: Summary | None
    itl: Summary | None
    e2el: Summary | None
    good: int | None
    steps: int
    preemptions: int
    preempted_requests: int
    peak_blocks: int | None
    peak_running: int
    peak_waiting: int
    stuck: bool
    queue_ms: Fraction | None
    prefill_ms: Fraction | None
    busy_ms: Fraction
    prefill_steps: int
    prefill_steps_ms: Fraction

    def per_second(self, count: int) -> Fraction:
        """A count over the duration; 0 if the whole run took no time."""
        return Fraction(0) if self.duration_ms == 0 else count * MS_PER_S / self.duration_ms

    @property
    def request_throughput(self) -> Fraction:
        """Requests completed a second."""
        return self.per_second(self.completed)

    @property
    def output_throughput(self) -> Fraction:
        """Output tokens a second."""
        return self.per_second(self.output_tokens)

    @property
    def total_token_throughput(self) -> Fraction:
        """Prompt and output tokens of completed requests a second."""
        return self.per_second(self.input_tokens + self.output_tokens)

    @property
    def goodput(self) -> Fraction | None:
        """Good requests a second; None without limits: unknown, and not zero."""
        return None if self.good is None else self.per_second(self.good)


def report_of(replay: Replay, limits: Limits | None = None) -> Report:
    """The figures; of requests that did not finish only their number."""
    done, per_ms = [served for served in replay.served if served.finished], replay.per_ms
    parts = _latencies(done, per_ms)
    first = min((served.arrival for served in replay.served), default=0)
    return Report(
        requests=len(replay.served),
        completed=len(done),
        input_tokens=sum(served.prompt_tokens for served in done),
        output_tokens=sum(served.output_tokens for served in done),
        cached_tokens=sum(served.cached_tokens for served in replay.served),
        duration_ms=Fraction(replay.end - first, per_ms),
        itl=in_ms(summary_of_gaps(replay.gaps), per_ms),
        good=None if limits is None else _good(done, limits, per_ms),
        steps=replay.steps,
        preemptions=replay.preemptions,
        preempted_requests=sum(1 for served in replay.served if served.preemptions),
        peak_blocks=replay.peak_blocks,
        peak_running=replay.peak_running,
        peak_waiting=replay.peak_waiting,
        stuck=replay.stuck,
        busy_ms=Fraction(replay.busy, per_ms),
        prefill_steps=replay.prefill_steps,
        prefill_steps_ms=Fraction(replay.prefill_ticks, per_ms),
        **parts,
    )


def _latencies(done: Sequence[Served], per_ms: int) -> dict[str, Any]:
    """TTFT, TPOT and E2EL in ms, and the two parts of the mean TTFT."""
    ttfts, e2els = [_ttft(served) for served in done], [_e2el(served) for served in done]
    tpots = [served.tpot for served in done]
    queues = [(served.admitted or 0) - served.arrival for served in done]
    queue_ms = mean(queues) / per_ms if done else None
    return {
        "ttft": in_ms(summary(ttfts, PERCENTS), per_ms),
        "tpot": in_ms(summary([value for value in tpots if value is not None], PERCENTS), per_ms),
        "e2el": in_ms(summary(e2els, PERCENTS), per_ms),
        "queue_ms": queue_ms,
        "prefill_ms": None if queue_ms is None else mean(ttfts) / per_ms - queue_ms,
    }


def _good(done: Sequence[Served], limits: Limits, per_ms: int) -> int:
    return sum(is_good(limits, _ttft(each), _e2el(each), each.output_tokens, per_ms) for each in done)


def _ttft(served: Served) -> int:
    assert served.ttft is not None  # of a request that is done
    return served.ttft


def _e2el(served: Served) -> int:
    assert served.e2el is not None
    return served.e2el


def in_ms(ticks: Summary | None, per_ms: int) -> Summary | None:
    """A summary of ticks in milliseconds."""
    if ticks is None:
        return None
    return Summary(
        ticks.count,
        ticks.mean / per_ms,
        ticks.median / per_ms,
        ticks.std / per_ms,
        tuple((percent, value / per_ms) for percent, value in ticks.percentiles),
    )


def summary_of_gaps(gaps: Iterable[Gaps]) -> Summary | None:
    """The summary of all gaps between tokens, in ticks: as of the list that they stand for.

    >>> from labs.replay.served import Gaps
    >>> found = summary_of_gaps([Gaps(first=10, growth=5, steps=2, requests=3), Gaps(40, 0, 1, 1)])
    >>> found.count, found.mean, found.median
    (7, Fraction(115, 7), Fraction(15, 1))
    """
    counts: dict[int, int] = {}
    for entry in gaps:
        if entry.growth == 0:
            counts[entry.first] = counts.get(entry.first, 0) + entry.steps * entry.requests
            continue
        for step in range(entry.steps):
            gap = entry.first + step * entry.growth
            counts[gap] = counts.get(gap, 0) + entry.requests
    if not counts:
        return None
    values = sorted(counts)
    total = sum(counts.values())
    center = Fraction(sum(value * counts[value] for value in values), total)
    squares = Fraction(sum(value * value * counts[value] for value in values), total)
    ends, seen = [], 0
    for value in values:
        seen += counts[value]
        ends.append(seen)

    def at(percent: int) -> Fraction:
        return percentile_of_counts(values, ends, percent)

    percentiles = tuple((percent, at(percent)) for percent in PERCENTS)
    return Summary(total, center, at(50), root(squares - center * center), percentiles)


def percentile_of_counts(values: Sequence[int], ends: Sequence[int], percent: int) -> Fraction:
    """The percentile of ascending values of which the first `ends[i]` are at most `values[i]`; linear.

    >>> percentile_of_counts([10, 20], [3, 4], 100), percentile_of_counts([10, 20], [1, 2], 50)
    (Fraction(20, 1), Fraction(15, 1))
    """
    from bisect import bisect_right

    rank = Fraction((ends[-1] - 1) * percent, 100)
    below = int(rank)
    low = values[bisect_right(ends, below)]
    if rank == below:
        return Fraction(low)
    return low + (values[bisect_right(ends, below + 1)] - low) * (rank - below)
