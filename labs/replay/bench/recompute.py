"""Every aggregate of a result once more, from its lists, by the engine's definitions.

    rates        counts / duration            a statistic in ms     1000 x that of the values in seconds
    differs      |printed - recomputed| > 1e-9 of the larger one; for a standard deviation, of the mean
                 if that is larger: it is what is left of a difference

Without a value there is nothing to average; the engine then writes 0. What the file has no lists for is not
recomputed. Without `latencies`, E2EL and TPOT follow from the gaps: older scripts measured to the end of the
stream, so a larger printed value is no contradiction there.

Source: vLLM 0.32.0, `calculate_metrics`.
Does not model: `rtfx`, and goodput unless its limits are given.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record
from labs.files.bench_fields import split_name
from labs.replay.bench.buckets import max_concurrent_requests, max_output_tokens_per_s
from labs.replay.latency import MS_PER_S, mean, median, percentile, std

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labs.files.bench_result import BenchResult
    from labs.replay.bench.samples import Samples

TOLERANCE = Fraction(1, 10**9)
RATES = ("request_throughput", "input_throughput", "output_throughput", "total_token_throughput")
COUNTED = ("completed", "total_input_tokens", "total_output_tokens")
SHOWN = ("mean", "median", "std", "p99")


class Difference(Record):
    """A figure that is not what the lists give, and the mistake that would print it (None: none known)."""

    name: str
    printed: Fraction
    recomputed: Fraction
    mistake: str | None


def recomputed(result: BenchResult, samples: Samples | None) -> dict[str, Fraction]:
    """Every figure that can be computed again, printed or not, by its name."""
    tells_success = result.requests.errors is not None or result.requests.output_lens is not None
    own = _counts(samples) if tells_success else {}
    counts = {name: own.get(name, result.figures.get(name)) for name in COUNTED}
    if result.generation == "2023":  # its block counts nothing: all that were sent came back
        counts["completed"] = result.settings.get("num_prompts")
    found = {**own, **rates(counts, result.figures.get("duration"))}
    if samples is None:
        return found
    for name, peak in (
        ("max_output_tokens_per_s", max_output_tokens_per_s(samples)),
        ("max_concurrent_requests", max_concurrent_requests(samples)),
    ):
        if peak is not None:
            found[name] = Fraction(peak)
    return {**found, **_statistics(result, samples)}


def _counts(samples: Samples | None) -> dict[str, Fraction]:
    """The counts that the lists give."""
    if samples is None:
        return {}
    ok = samples.succeeded
    counts = {"completed": len(ok), "failed": samples.number_of_requests - len(ok)}
    for name, lens in (
        ("total_input_tokens", samples.input_lens),
        ("total_output_tokens", samples.output_lens),
    ):
        if lens is not None:
            counts[name] = sum([lens[i] for i in ok])
    return {name: Fraction(count) for name, count in counts.items()}


def rates(counts: Mapping[str, Fraction | None], duration_s: Fraction | None) -> dict[str, Fraction]:
    """Requests and tokens a second, of the counts that are known."""
    if duration_s is None:
        return {}
    completed, inputs, outputs = [counts.get(name) for name in COUNTED]
    both = None if inputs is None or outputs is None else inputs + outputs
    amounts = zip(RATES, (completed, inputs, outputs, both))
    return {name: amount / duration_s for name, amount in amounts if amount is not None}


def _statistics(result: BenchResult, samples: Samples) -> dict[str, Fraction]:
    """Every statistic that is printed, and the usual ones of each measure that has values."""
    wanted: dict[str, list[str]] = {}
    for name in result.figures:
        parts = split_name(name)
        if parts:
            wanted.setdefault(parts[1], []).append(parts[0])
    found = {}
    for metric in ("ttft", "tpot", "itl", "e2el", "client_queue_time", "e2el_including_client_queue"):
        values = samples.values(metric)
        if values is None or (metric not in wanted and metric not in ("ttft", "tpot", "itl", "e2el")):
            continue
        ordered = sorted(values)
        for statistic in dict.fromkeys([*wanted.get(metric, []), *SHOWN]):
            found[f"{statistic}_{metric}_ms"] = statistic_of(statistic, ordered) * MS_PER_S
    return found


def statistic_of(statistic: str, ordered: Sequence[float]) -> Fraction:
    """A statistic by its name in a result (mean, median, std, min, max, p99); 0 of nothing, as the engine.

    >>> statistic_of("p50", [1.0, 2.0]), statistic_of("mean", [])
    (Fraction(3, 2), Fraction(0, 1))
    """
    if not ordered:
        return Fraction(0)
    if statistic.startswith("p"):
        return percentile(ordered, Fraction(statistic[1:]))
    if statistic in ("min", "max"):
        return Fraction(ordered[0 if statistic == "min" else -1])
    return {"mean": mean, "median": median, "std": std}[statistic](ordered)


def differs(name: str, printed: Fraction, right: Fraction, center: Fraction | None = None) -> bool:
    """Whether two values of a figure are more than a relative 1e-9 apart.

    >>> [differs("duration", Fraction(10**9), Fraction(10**9 + more)) for more in (1, 2)]
    [False, True]
    """
    size = max(abs(printed), abs(right))
    if name.startswith("std_") and center is not None:
        size = max(size, abs(center))
    return abs(printed - right) > TOLERANCE * size
