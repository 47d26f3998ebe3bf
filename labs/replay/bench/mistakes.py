"""Why a printed figure is not the one that the lists give: the common mistakes, tried one by one.

Other values under the right statistic:

    tpot_by_n                   (E2EL - TTFT) / n
    tpot_with_first_token       E2EL / n, the first token inside
    tpot_of_e2el                E2EL / (n - 1)
    one_token_answers_as_zero   answers of one token counted as TPOT 0
    failures_in_averages        failed requests counted in, with their zeros
    gaps_without_chunks         ITL shared out over all tokens: several of a chunk counted as gaps of 0
    each_request_first          the mean of each request's mean gap, not of all gaps
    queue_counted_in / queue_left_out   the client's queue

Another statistic of the right values: the sample's standard deviation (n - 1), a percentile by nearest rank,
the ranks below and above, exclusive ranks (n + 1), the largest value, mean for median. Another unit: seconds
for ms, and the other way round. Rates: failures counted in, chunks for tokens, first tokens left out. Peaks:
the true one. Last of all a right value that was rounded.

Does not model: two mistakes at once; answers shorter than asked for, whose asked length no file tells.
"""

from __future__ import annotations

from fractions import Fraction

from labs.files.bench_fields import split_name
from labs.replay.bench.buckets import true_peak
from labs.replay.bench.recompute import RATES, differs, rates, statistic_of
from labs.replay.latency import MS_PER_S, mean, root, variance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from labs.replay.bench.samples import Samples

MAX_ROUNDED_PLACES = 6


def mistake(
    name: str, printed: Fraction, right: Fraction, samples: Samples, duration_s: Fraction | None
) -> str | None:
    """The first mistake that gives the printed value, None if none does."""
    for word, value in _candidates(name, right, samples, duration_s):
        if not differs(name, printed, value):
            return word
    return "rounded" if _is_rounded(printed, right) else None


def _is_rounded(printed: Fraction, right: Fraction) -> bool:
    """Whether a value is the right one cut to the few decimals that it has.

    >>> [_is_rounded(Fraction(printed), Fraction("18.4432652")) for printed in ("18.44", "18.5")]
    [True, False]
    """
    for places in range(MAX_ROUNDED_PLACES + 1):
        if not differs("", printed, Fraction(round(printed, places))):
            return printed != 0 and 2 * 10**places * abs(printed - right) <= 1
    return False


def _candidates(
    name: str, right: Fraction, samples: Samples, duration_s: Fraction | None
) -> Iterator[tuple[str, Fraction]]:
    parts = split_name(name)
    if parts is not None:
        yield "seconds_for_ms", right / MS_PER_S
        yield "ms_for_seconds", right * MS_PER_S
        statistic, metric = parts
        for word, value in _other_statistics(statistic, sorted(samples.values(metric) or [])):
            yield word, value * MS_PER_S
        for word, values in _other_values(metric, samples):
            yield word, statistic_of(statistic, sorted(values)) * MS_PER_S
    elif name in RATES:
        yield from _other_rates(name, samples, duration_s)
    else:
        yield from _other_counts(name, samples)


def _other_statistics(statistic: str, ordered: Sequence[float]) -> Iterator[tuple[str, Fraction]]:
    """Other statistics of the right values, ascending."""
    n = len(ordered)
    if n == 0:
        return
    if statistic == "std":
        if n > 1:
            yield "sample_std", root(variance(ordered) * n / (n - 1))
        yield "variance_for_std", variance(ordered)
        return
    if statistic in ("mean", "median", "p50"):
        yield (
            "mean_for_median" if statistic != "mean" else "median_for_mean",
            (statistic_of("median", ordered) if statistic == "mean" else mean(ordered)),
        )
    if statistic[0] == "p" or statistic == "median":
        percent = Fraction(50) if statistic == "median" else Fraction(statistic[1:])
        yield from _other_percentiles(percent, ordered)


def _other_percentiles(percent: Fraction, ordered: Sequence[float]) -> Iterator[tuple[str, Fraction]]:
    n = len(ordered)
    nearest = -(-n * percent // 100)
    yield "nearest_rank", Fraction(ordered[max(0, int(nearest) - 1)])
    rank = (n - 1) * percent / 100
    yield "rank_below", Fraction(ordered[int(rank)])
    yield "rank_above", Fraction(ordered[min(n - 1, int(-(-rank // 1)))])
    yield "rank_n_times_q", Fraction(ordered[min(n - 1, int(n * percent / 100))])
    exclusive = min(max((n + 1) * percent / 100 - 1, Fraction(0)), Fraction(n - 1))
    low = Fraction(ordered[int(exclusive)])
    high = Fraction(ordered[min(n - 1, int(exclusive) + 1)])
    yield "exclusive_ranks", low + (high - low) * (exclusive - int(exclusive))
    yield "largest_value", Fraction(ordered[-1])


def _other_values(metric: str, samples: Samples) -> Iterator[tuple[str, list[float]]]:
    """Other values of a measure, in seconds."""
    everybody = range(samples.number_of_requests)
    ok = samples.succeeded
    if metric == "tpot" and samples.ttfts and samples.e2els and samples.output_lens:
        lens, e2els, ttfts = samples.output_lens, samples.e2els, samples.ttfts
        several = [i for i in ok if lens[i] > 1]
        some = [i for i in ok if lens[i] > 0]
        yield "tpot_by_n", [(e2els[i] - ttfts[i]) / lens[i] for i in several]
        yield "tpot_by_n", [(e2els[i] - ttfts[i]) / lens[i] for i in some]
        yield "tpot_with_first_token", [e2els[i] / lens[i] for i in several]
        yield "tpot_with_first_token", [e2els[i] / lens[i] for i in some]
        yield "tpot_of_e2el", [e2els[i] / (lens[i] - 1) for i in several]
        right = samples.values("tpot") or []
        yield "one_token_answers_as_zero", [*right, *[0.0] * (len(ok) - len(several))]
        yield "failures_in_averages", [*right, *[0.0] * (len(everybody) - len(ok))]
        yield "failures_in_averages", [*right, *[0.0] * (len(everybody) - len(several))]
        if several:
            tokens = sum([lens[i] - 1 for i in several])
            spent = [e2els[i] - ttfts[i] for i in several]
            yield "tpot_pooled", [float(mean(spent) * len(spent) / tokens)]
    elif metric == "itl" and samples.itls:
        own = [gaps for i in ok if (gaps := samples.itls[i])]
        yield "each_request_first", [float(mean(gaps)) for gaps in own]
        if samples.output_lens:
            gaps = samples.values("itl") or []
            tokens = sum([max(samples.output_lens[i] - 1, 0) for i in ok])
            yield "gaps_without_chunks", [*gaps, *[0.0] * min(max(tokens - len(gaps), 0), 10 * len(gaps))]
    else:
        values = samples.values(metric, everybody)
        if values is not None:
            yield "failures_in_averages", values
        other = {"e2el": "e2el_including_client_queue", "e2el_including_client_queue": "e2el"}.get(metric)
        queued = samples.values(other) if other else None
        if queued is not None:
            yield "queue_counted_in" if metric == "e2el" else "queue_left_out", queued


def _other_rates(name: str, samples: Samples, duration_s: Fraction | None) -> Iterator[tuple[str, Fraction]]:
    ok, chunks = samples.succeeded, samples.chunks
    counts = {"completed": Fraction(samples.number_of_requests)}
    inputs, outputs = samples.input_lens, samples.output_lens
    if inputs is not None:
        counts["total_input_tokens"] = Fraction(sum(inputs))
    if outputs is not None:
        counts["total_output_tokens"] = Fraction(sum(outputs))
    yield "failures_counted", rates(counts, duration_s).get(name, Fraction(-1))
    of_ok = {"completed": Fraction(len(ok))}
    if inputs is not None:
        of_ok["total_input_tokens"] = Fraction(sum([inputs[i] for i in ok]))
    if chunks is not None:
        of_chunks = {**of_ok, "total_output_tokens": Fraction(chunks)}
        yield "chunks_for_tokens", rates(of_chunks, duration_s).get(name, Fraction(-1))
    if outputs is not None:
        after_first = {**of_ok, "total_output_tokens": Fraction(sum([max(outputs[i] - 1, 0) for i in ok]))}
        yield "first_tokens_left_out", rates(after_first, duration_s).get(name, Fraction(-1))
        if name == "total_token_throughput":
            of_outputs = {"total_output_tokens": Fraction(sum([outputs[i] for i in ok]))}
            yield "output_only", rates(of_outputs, duration_s).get("output_throughput", Fraction(-1))
    if samples.start_times and samples.e2els and ok:
        starts, e2els = samples.start_times, samples.e2els
        span = Fraction(max([starts[i] + e2els[i] for i in ok])) - Fraction(min([starts[i] for i in ok]))
        right = dict(of_ok)
        if outputs is not None:
            right["total_output_tokens"] = Fraction(sum([outputs[i] for i in ok]))
        if span > 0:
            yield "other_duration", rates(right, span).get(name, Fraction(-1))


def _other_counts(name: str, samples: Samples) -> Iterator[tuple[str, Fraction]]:
    peak = true_peak(samples)
    if name == "max_concurrent_requests" and peak is not None:
        yield "true_peak", Fraction(peak)
    if name == "completed":
        yield "failures_counted", Fraction(samples.number_of_requests)
    if name == "total_input_tokens" and samples.input_lens is not None:
        yield "failures_counted", Fraction(sum(samples.input_lens))
    if name == "total_output_tokens" and samples.chunks is not None:
        yield "chunks_for_tokens", Fraction(samples.chunks)
