"""Traps that can be seen in one result: a word each, with the numbers that show it.

    failed_requests         averages leave failed requests out: fast failures make a report look good
    errors_counted_as_complete  an error text stands beside a request that counts as complete
    failures_not_told       nothing says how many were sent
    peak_is_not_concurrency     max_concurrent_requests counts whoever touches a second
    several_tokens_a_chunk, itl_above_tpot  ITL is a chunk's, TPOT a token's
    itl_below_tpot          TPOT weighs requests alike, ITL their chunks
    not_streamed            the whole answer came at once: TTFT = E2EL, ITL 0
    one_token_answers       have no TPOT, and are left out of it; 0 in goodput
    zero_tpot, negative_tpot    no time at all, or less, between tokens: invalid samples of older scripts
    drain_tail              the run goes on after the last request was sent: throughput below the rate
    saturated               as much again and more: the rate is offered, not served
    rate_label_wrong        faster than its rate allows
    peak_below_average      a second's peak below the average: counted chunks, or the text's tokens
    retokenized_differs     the text has other tokens than the server counted
    latency_with_queue      2023's latency per output token holds the queue and the prompt: no TPOT
    looks_like_seconds      all sent at once, but hardly ever one under way: times a thousand times too small
    parts_exceed_run        TTFT + (n - 1) x TPOT is longer than the run
    parts_differ            ... or far from the printed E2EL
    goodput_other_limits    the printed goodput is not that of the limits given
    goodput_limits_not_told the file has a goodput, but not its limits: a 0 may be one that nobody asked for
    goodput_unknown         no limits, or no lists to hold them against: not zero

Does not model: what caused it.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record
from labs.replay.bench.estimates import number_completed
from labs.replay.bench.recompute import TOLERANCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from labs.files.bench_result import BenchResult
    from labs.replay.bench.samples import Samples

CHUNKED_FROM = Fraction(5, 4)  # ITL over TPOT; the two weigh differently, so that a little more says nothing
BELOW_TO = Fraction(9, 10)
CHUNKED_GAPS = Fraction(101, 100)
TAIL_FROM = Fraction(5, 100)
PARTS_OFF = Fraction(20, 100)
RETOKENIZED_OFF = Fraction(10, 100)
HARDLY_EVER = Fraction(2, 100)
AT_ONCE = Fraction(98, 100)


class Warned(Record):
    """A trap's word and its numbers."""

    word: str
    values: dict[str, Fraction | int | str]


def warnings_of(
    result: BenchResult,
    estimates: dict[str, Fraction],
    samples: Samples | None,
    peak: int | None,
    goodput: Fraction | None,
) -> tuple[Warned, ...]:
    """All traps of one result; `peak` is the true one if the lists tell it."""
    found = [
        *_failures(result, samples),
        *_peaks(result, estimates, peak),
        *_chunks(result, estimates, samples),
        *_tpot(result, samples),
        *_rate(result, estimates),
        *_parts(result, estimates),
    ]
    printed = result.figures.get("request_goodput")
    if goodput is None:
        found.append(Warned("goodput_unknown", {}))
        if printed is not None:
            found.append(Warned("goodput_limits_not_told", {"printed": printed}))
    elif printed is not None and abs(printed - goodput) > goodput * TOLERANCE:
        found.append(Warned("goodput_other_limits", {"printed": printed, "goodput": goodput}))
    return tuple(found)


def _failures(result: BenchResult, samples: Samples | None) -> Iterator[Warned]:
    completed, sent = result.figures.get("completed"), result.settings.get("num_prompts")
    failed = result.figures.get("failed")
    if failed is None and samples is not None and result.requests.errors is not None:
        failed = Fraction(samples.number_of_requests - len(samples.succeeded))
    if failed is None and completed is not None and sent is not None:
        failed = sent - completed
    if failed is None:
        yield Warned("failures_not_told", {})
    elif failed > 0:
        yield Warned("failed_requests", {"failed": failed, "completed": completed or Fraction(0)})
    errors = result.requests.errors
    if samples is not None and errors is not None:
        wrong = sum([bool(errors[i]) for i in samples.succeeded])
        if wrong:
            yield Warned("errors_counted_as_complete", {"errors": wrong, "completed": len(samples.succeeded)})


def _peaks(result: BenchResult, estimates: dict[str, Fraction], peak: int | None) -> Iterator[Warned]:
    figures = result.figures
    printed, limit = figures.get("max_concurrent_requests"), result.settings.get("max_concurrency")
    true = Fraction(peak) if peak is not None else limit
    if printed is not None and true is not None and printed > true:
        yield Warned("peak_is_not_concurrency", {"printed": printed, "true": true})
    elif printed is not None and true is None:
        mean = estimates.get("mean_in_flight", estimates.get("little"))
        if mean is not None and printed > 2 * mean:
            yield Warned("peak_is_not_concurrency", {"printed": printed, "true": mean})
    rate, tokens = figures.get("max_output_tokens_per_s"), figures.get("total_output_tokens")
    if rate is not None and tokens is not None and "duration" in figures:
        seconds = int(figures["duration"]) + 2  # buckets that a run can touch
        if rate * seconds < tokens:
            average = tokens / figures["duration"]
            yield Warned("peak_below_average", {"peak": rate, "average": average})
    retokenized = figures.get("retokenized_tokens")
    if retokenized is not None and tokens and abs(retokenized - tokens) > RETOKENIZED_OFF * tokens:
        yield Warned("retokenized_differs", {"tokens": tokens, "retokenized": retokenized})


def _chunks(result: BenchResult, estimates: dict[str, Fraction], samples: Samples | None) -> Iterator[Warned]:
    ratio = estimates.get("itl_over_tpot")
    tokens_per_gap = estimates.get("tokens_per_gap")
    figures = result.figures
    ttft, e2el = figures.get("mean_ttft_ms"), figures.get("mean_e2el_ms")
    if figures.get("mean_itl_ms") == 0 and (estimates.get("mean_output_tokens") or 0) > 1:
        yield Warned("not_streamed", {"ttft": ttft or Fraction(0), "e2el": e2el or ttft or Fraction(0)})
        return
    if samples is not None and samples.chunks is not None and samples.output_lens is not None:
        tokens = sum([max(samples.output_lens[i] - 1, 0) for i in samples.succeeded])
        gaps = samples.chunks - len(samples.succeeded)
        if tokens > gaps:
            yield Warned("several_tokens_a_chunk", {"gaps": gaps, "tokens": tokens})
    elif tokens_per_gap is not None and tokens_per_gap > CHUNKED_GAPS:
        tokens_after = figures["total_output_tokens"] - figures["completed"]
        gaps_about = tokens_after / tokens_per_gap
        yield Warned("several_tokens_a_chunk", {"gaps": round(gaps_about), "tokens": tokens_after})
    elif tokens_per_gap is None and ratio is not None and ratio >= CHUNKED_FROM:
        itl, tpot = figures["mean_itl_ms"], figures["mean_tpot_ms"]
        yield Warned("itl_above_tpot", {"itl": itl, "tpot": tpot, "ratio": ratio})
    if ratio is not None and ratio <= BELOW_TO:
        yield Warned("itl_below_tpot", {"itl": figures["mean_itl_ms"], "tpot": figures["mean_tpot_ms"]})
    several = (estimates.get("mean_output_tokens") or 0) > 1
    if several and e2el is not None and ttft is not None and ttft >= AT_ONCE * e2el:
        yield Warned("not_streamed", {"ttft": ttft, "e2el": e2el})


def _tpot(result: BenchResult, samples: Samples | None) -> Iterator[Warned]:
    printed = {name: value for name, value in result.figures.items() if name.endswith("_tpot_ms")}
    lowest = min([value for name, value in printed.items() if not name.startswith("std")], default=None)
    if lowest is not None and lowest < 0:
        yield Warned("negative_tpot", {"tpot": lowest})
    elif lowest == 0:
        yield Warned("zero_tpot", {})
    if samples is not None and samples.output_lens is not None:
        short = sum([samples.output_lens[i] <= 1 for i in samples.succeeded])
        if short:
            yield Warned("one_token_answers", {"answers": short, "of": len(samples.succeeded)})
    if "average_latency_per_output_token_s" in result.figures:
        yield Warned("latency_with_queue", {"s": result.figures["average_latency_per_output_token_s"]})


def _rate(result: BenchResult, estimates: dict[str, Fraction]) -> Iterator[Warned]:
    shortest, duration = estimates.get("min_duration_at_rate"), result.figures.get("duration")
    rate, completed = result.settings.get("request_rate"), number_completed(result)
    if shortest is None or duration is None or completed is None or rate in (None, "inf"):
        return
    served = completed / duration
    values: dict[str, Fraction | int | str] = {
        "rate": rate,
        "served": served,
        "shortest": shortest,
        "s": duration,
    }
    if duration < shortest * (1 - TAIL_FROM):
        yield Warned("rate_label_wrong", values)
    elif duration > 2 * shortest:
        yield Warned("saturated", values)
    elif duration > shortest * (1 + TAIL_FROM):
        yield Warned("drain_tail", {**values, "tail": duration - shortest})


def _parts(result: BenchResult, estimates: dict[str, Fraction]) -> Iterator[Warned]:
    parts, duration = estimates.get("e2e_from_parts_s"), result.figures.get("duration")
    e2el = result.figures.get("mean_e2el_ms")
    if parts is None or duration is None:
        return
    if parts > (1 + TAIL_FROM) * duration:
        yield Warned("parts_exceed_run", {"parts": parts, "s": duration})
    if e2el is not None and abs(parts - e2el / 1000) > PARTS_OFF * (e2el / 1000):
        yield Warned("parts_differ", {"parts": parts, "e2el": e2el / 1000})
    at_once = result.settings.get("request_rate") == "inf" and "max_concurrency" not in result.settings
    if at_once and estimates.get("little", Fraction(1)) < HARDLY_EVER:
        yield Warned("looks_like_seconds", {"parts": parts, "s": duration})
