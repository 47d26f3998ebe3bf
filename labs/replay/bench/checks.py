"""A result held against itself: relations that its figures must keep, whatever was measured.

    rates           request_throughput = completed / duration, and so on
    counts          completed + failed <= num_prompts
    order           a percentile is not below a smaller one; p50 is the median; min <= all <= max
    mean            of n values from 0 on: at least the part of them that lies at or above a percentile, times
                    that percentile; |mean - median| <= std; one value is its own mean and percentile
    largest         p <= mean + std x sqrt(n - 1), n values
    within          nobody waits longer than the run: every time <= duration
    of one request  TTFT <= E2EL, so mean <= mean and percentile <= percentile
    Little's law    requests under way on average = completed x mean E2EL / duration: what SGLang prints as
                    Concurrency, at most max_concurrency, at most the printed peak
    goodput         <= request throughput
    rate            the last request is sent N / rate after the first moment, so the run is no shorter: within
                    5 standard deviations of the gaps' sum, as older scripts drew it by chance

A figure printed with p decimals stands for value +- half a unit of the last place; one written in full for
itself, to a relative 1e-9. A check holds if the printed range and the allowed one meet.

Does not model: relations that only hold on average (TTFT + (n - 1) x TPOT against E2EL): see `estimates`.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record
from labs.files.bench_fields import COUNTS, METRICS, split_name
from labs.replay.bench.recompute import COUNTED, RATES, TOLERANCE
from labs.replay.latency import MS_PER_S, root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from labs.files.bench_result import BenchResult

GAP_DEVIATIONS = 5


class Check(Record):
    """One relation: the printed value, and the range it may lie in; None where a side is open."""

    name: str
    printed: Fraction
    low: Fraction | None
    high: Fraction | None
    holds: bool


class Printed:
    """The figures of a result as ranges."""

    def __init__(self, result: BenchResult) -> None:
        self.result = result
        self.figures = result.figures

    def __contains__(self, name: str) -> bool:
        return name in self.figures

    def slack(self, name: str) -> Fraction:
        """How far the true value may lie from the printed one."""
        if name in COUNTS:
            return Fraction(0)
        if self.result.places is None:
            return abs(self.figures[name]) * TOLERANCE
        return self.result.half(name)

    def low(self, name: str) -> Fraction:
        return self.figures[name] - self.slack(name)

    def high(self, name: str) -> Fraction:
        return self.figures[name] + self.slack(name)

    def check(self, name: str, of: str, low: Fraction | None, high: Fraction | None) -> Check:
        """The check `name` of the figure `of` against a range."""
        above = low is None or self.high(of) >= low
        below = high is None or self.low(of) <= high
        return Check(name, self.figures[of], low, high, above and below)


def checks_of(result: BenchResult) -> tuple[Check, ...]:
    """All checks that the printed figures allow."""
    printed = Printed(result)
    found = [*_rates(printed), *_counts(printed)]
    for metric in METRICS:
        found += [*_order(printed, metric), *_means(printed, metric)]
    return (*found, *_across(printed), *_little(printed), *_older(printed), *_offered(printed))


def _rates(printed: Printed) -> Iterator[Check]:
    if "duration" not in printed:
        return
    shortest, longest = printed.low("duration"), printed.high("duration")
    completed, inputs, outputs = COUNTED
    for rate, of in zip(RATES, ((completed,), (inputs,), (outputs,), (inputs, outputs))):
        if rate in printed and all(count in printed for count in of):
            amount = Fraction(sum([printed.figures[count] for count in of]))
            yield printed.check(rate, rate, amount / longest, amount / shortest)
        elif rate == "request_throughput" and rate in printed and "num_prompts" in printed.result.settings:
            # the 2023 form has no count of its own; all that were sent came back
            amount = printed.result.settings["num_prompts"]
            yield printed.check(rate, rate, amount / longest, amount / shortest)
    parts = RATES[1:3]
    if "total_input_tokens" not in printed and RATES[3] in printed and all(part in printed for part in parts):
        low, high = (sum([end(part) for part in parts]) for end in (printed.low, printed.high))
        yield printed.check(RATES[3], RATES[3], Fraction(low), Fraction(high))


def _counts(printed: Printed) -> Iterator[Check]:
    figures, sent = printed.figures, printed.result.settings.get("num_prompts")
    if sent is not None and "completed" in printed:
        # a data set may hold fewer prompts than were asked for
        yield printed.check("completed", "completed", None, sent - figures.get("failed", Fraction(0)))
    if "request_goodput" in printed and "request_throughput" in printed:
        yield printed.check("request_goodput", "request_goodput", None, printed.high("request_throughput"))
    if "max_concurrent_requests" in printed and "completed" in printed:
        name = "max_concurrent_requests"
        yield printed.check(name, name, None, figures["completed"])


def _ordered(printed: Printed, metric: str) -> list[tuple[Fraction, str]]:
    """The printed percentiles of a measure, (percent, name), ascending; median beside p50."""
    found = []
    for name in printed.figures:
        parts = split_name(name)
        if parts is None or parts[1] != metric or parts[0] in ("mean", "std"):
            continue
        percent = {"min": Fraction(0), "median": Fraction(50), "max": Fraction(100)}.get(parts[0])
        found.append((Fraction(parts[0][1:]) if percent is None else percent, name))
    return sorted(found)


def _order(printed: Printed, metric: str) -> Iterator[Check]:
    """Each percentile at least the one before it, equal at an equal rank, and within the run."""
    longest = printed.high("duration") * MS_PER_S if "duration" in printed else None
    if metric == "e2el_including_client_queue" or metric == "client_queue_time":
        longest = None  # the queue's first wait may begin before the run's clock
    before: tuple[Fraction, str] | None = None
    for percent, name in _ordered(printed, metric):
        low, high = Fraction(0), longest
        if before is not None:
            low = printed.low(before[1])
            high = printed.high(before[1]) if before[0] == percent else longest
        yield printed.check(name, name, low, high)
        before = percent, name


def _means(printed: Printed, metric: str) -> Iterator[Check]:
    """The mean between what the percentiles leave, and a standard deviation from the median."""
    mean, deviation, median = (f"{statistic}_{metric}_ms" for statistic in ("mean", "std", "median"))
    ordered = _ordered(printed, metric)
    known = metric in ("ttft", "e2el") and "completed" in printed
    n = int(printed.figures["completed"]) if known else None
    if mean in printed:
        lows, highs = [Fraction(0)], []
        for percent, name in ordered:
            lows.append(_at_or_above(percent, n) * printed.low(name))
            if percent == 100:
                highs.append(printed.high(name))
            if percent == 0 or n == 1:
                lows.append(printed.low(name))
            if n == 1:
                highs.append(printed.high(name))
        if deviation in printed and median in printed:
            lows.append(printed.low(median) - printed.high(deviation))
            highs.append(printed.high(median) + printed.high(deviation))
        if "duration" in printed and metric in ("ttft", "tpot", "itl", "e2el"):
            highs.append(printed.high("duration") * MS_PER_S)
        yield printed.check(mean, mean, max(lows), min(highs, default=None))
    if mean in printed and deviation in printed and "completed" in printed and metric not in ("itl",):
        others = max(int(printed.figures["completed"]) - 1, 0)
        for _, name in ordered[-1:]:
            most = printed.high(mean) + printed.high(deviation) * root(Fraction(others))
            # the root is cut below, never above
            yield printed.check(f"{name}_of_std", name, None, most * (1 + TOLERANCE))


def _at_or_above(percent: Fraction, n: int | None) -> Fraction:
    """The least part of n values that lies at or above a percentile of theirs.

    >>> _at_or_above(Fraction(99), 100), _at_or_above(Fraction(50), None)
    (Fraction(1, 100), Fraction(1, 2))
    """
    if n is None:
        # of a percentile p from 50 on, as many as (n - 1)(1 - p) rounded down lie above: none for small n
        return Fraction(1, 2) if percent == 50 else Fraction(0)
    if n == 0:
        return Fraction(0)
    rank = (n - 1) * percent / 100
    return Fraction(n - -(-rank // 1), n)


def _across(printed: Printed) -> Iterator[Check]:
    """TTFT against E2EL, statistic by statistic."""
    for name in printed.figures:
        parts = split_name(name)
        if parts is None or parts[1] != "e2el" or parts[0] == "std":
            continue
        ttft = f"{parts[0]}_ttft_ms"
        if ttft in printed:
            yield printed.check(f"{name}_over_ttft", name, printed.low(ttft), None)


def _little(printed: Printed) -> Iterator[Check]:
    """The mean number of requests under way, against what limits it and what is printed of it."""
    needed = ("mean_e2el_ms", "completed", "duration")
    if not all(name in printed for name in needed):
        return
    completed = printed.figures["completed"]
    low = completed * printed.low("mean_e2el_ms") / MS_PER_S / printed.high("duration")
    high = completed * printed.high("mean_e2el_ms") / MS_PER_S / printed.low("duration")
    middle = completed * printed.figures["mean_e2el_ms"] / MS_PER_S / printed.figures["duration"]
    most = printed.result.settings.get("max_concurrency")
    if most is not None:
        yield Check("mean_in_flight", middle, None, Fraction(most), low <= most)
    if "concurrency" in printed:
        yield printed.check("concurrency", "concurrency", low, high)
    if "max_concurrent_requests" in printed:
        peak = "max_concurrent_requests"
        yield printed.check(f"{peak}_over_mean", peak, low, None)


def _older(printed: Printed) -> Iterator[Check]:
    """The averages of 2023, in seconds."""
    latency, per_token, per_output = (
        f"average_latency_{of}s" for of in ("", "per_token_", "per_output_token_")
    )
    if latency in printed and "duration" in printed:
        yield printed.check(latency, latency, None, printed.high("duration"))
    if per_token in printed and per_output in printed:
        yield printed.check(per_output, per_output, printed.low(per_token), None)


def _offered(printed: Printed) -> Iterator[Check]:
    """The run is at least as long as sending takes."""
    rate = printed.result.settings.get("request_rate")
    shortest = min_duration_at_rate(printed.result)
    if "duration" not in printed or shortest is None or rate is None:
        return
    sent = shortest * rate
    burstiness = printed.result.settings.get("burstiness", 1)
    deviations = GAP_DEVIATIONS * shortest / root(sent * Fraction(burstiness))
    low = max(shortest - deviations, Fraction(0))
    yield printed.check("duration_at_rate", "duration", low, None)


def min_duration_at_rate(result: BenchResult) -> Fraction | None:
    """Seconds that sending takes at the rate asked for; None without a finite rate."""
    rate = result.settings.get("request_rate")
    sent = result.settings.get("num_prompts", result.figures.get("completed"))
    if rate in (None, "inf") or not sent:
        return None
    return Fraction(sent) / Fraction(rate)
