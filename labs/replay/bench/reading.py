"""One result, read: recomputed where it has lists, checked against itself, with its traps and its goodput.

    compared    figures that were printed and computed again
    differing   those that differ; `end_of_stream` is no contradiction (see `recompute`)
    goodput     requests a second that meet the limits; None if there are no limits or no lists for them

Does not model: the goodput of failed requests, which is none.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record
from labs.files.bench_fields import split_name
from labs.replay.bench.buckets import true_peak
from labs.replay.bench.checks import Check, checks_of
from labs.replay.bench.estimates import estimates_of
from labs.replay.bench.mistakes import mistake
from labs.replay.bench.recompute import RATES, Difference, differs, recomputed
from labs.replay.bench.samples import samples_of
from labs.replay.bench.warnings import Warned, warnings_of
from labs.replay.latency import Limits, goodput, is_good

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.files.bench_result import BenchResult
    from labs.replay.bench.samples import Samples

END_OF_STREAM = "end_of_stream"


class Reading(Record):
    """All that is known of one result; `good` counts requests that meet the limits."""

    result: BenchResult
    recomputed: dict[str, Fraction]
    compared: tuple[str, ...]
    differing: tuple[Difference, ...]
    checks: tuple[Check, ...]
    estimates: dict[str, Fraction]
    warnings: tuple[Warned, ...]
    true_peak: int | None
    good: int | None
    goodput: Fraction | None

    @property
    def is_checked(self) -> bool:
        """Whether anything could be held against anything; that a time is not below zero is no check."""
        has_lists = any(entries is not None for entries in self.result.requests.as_dict().values())
        compared = has_lists and bool(self.compared)
        return compared or any(check.high is not None or bool(check.low) for check in self.checks)

    @property
    def holds(self) -> bool:
        """Whether every equality that must hold does."""
        differing = all(one.mistake == END_OF_STREAM for one in self.differing)
        return differing and all(check.holds for check in self.checks)


def read(result: BenchResult, limits: Limits | None = None) -> Reading:
    """A result with everything that its figures and lists tell."""
    samples = samples_of(result)
    again = recomputed(result, samples)
    checks = checks_of(result)
    compared = tuple([name for name in result.figures if name in again])
    failing = {check.name for check in checks if not check.holds}
    differing = []
    for name in compared:
        found = _difference(name, result, again, samples, name in failing)
        if found is not None:
            differing.append(found)
    estimates, peak = estimates_of(result), None if samples is None else true_peak(samples)
    good = None if samples is None or limits is None else _good(samples, limits)
    duration = result.figures.get("duration")
    rate = None if good is None or duration is None else goodput(good, duration)
    warnings = warnings_of(result, estimates, samples, peak, rate)
    if rate is not None and "request_goodput" in result.figures:
        again["request_goodput"] = rate
        if not differs("request_goodput", result.figures["request_goodput"], rate):
            compared = (*compared, "request_goodput")  # else under other limits, which no file tells
    return Reading(result, again, compared, tuple(differing), checks, estimates, warnings, peak, good, rate)


def _difference(
    name: str, result: BenchResult, again: dict[str, Fraction], samples: Samples | None, fails: bool
) -> Difference | None:
    """How a figure differs, if it does; without lists a rounded rate may only leave its range."""
    printed, right = result.figures[name], again[name]
    if samples is None or (name in RATES and result.form == "json_summary"):
        return Difference(name, printed, right, None) if fails else None
    parts = split_name(name)
    center = again.get(f"mean_{parts[1]}_ms") if parts else None
    if not differs(name, printed, right, center):
        return None
    word = mistake(name, printed, right, samples, result.figures.get("duration"))
    ends = parts is not None and parts[1] in ("e2el", "tpot", "e2el_including_client_queue")
    if word is None and ends and not samples.e2el_is_listed and printed > right:
        word = END_OF_STREAM
    return Difference(name, printed, right, word)


def _good(samples: Samples, limits: Limits) -> int | None:
    """Requests that meet the limits, None if a list that they need is not there."""
    needs_tokens = limits.tpot is not None
    if limits.ttft is not None and samples.ttfts is None:
        return None
    if samples.e2els is None and (limits.e2el is not None or needs_tokens):
        return None
    if needs_tokens and (samples.output_lens is None or samples.ttfts is None):
        return None
    good = 0
    for i in samples.succeeded:
        ttft = 0.0 if samples.ttfts is None else samples.ttfts[i]
        e2el = 0.0 if samples.e2els is None else samples.e2els[i]
        tokens = 1 if samples.output_lens is None else samples.output_lens[i]
        good += is_good(limits, ttft, e2el, tokens)
    return good
