"""Detailed results: every aggregate recomputed, and the mistake behind one that differs named.

The engine's own results must come out whole. Wrong values are made here with the statistics module and plain
sums from the same lists, not with the code under test.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from labs.replay.bench.buckets import most_at_once, true_peak
from labs.replay.bench.samples import samples_of
from tests.schedule.bench_check import detailed, queued, reading_of, result_of, words

Value = dict[str, Any]


def test_the_detailed_result_of_the_engine() -> None:
    """37 figures without the goodput, whose limits no file tells; with limits that nobody meets, 38."""
    reading = reading_of(detailed())
    assert (len(reading.compared), reading.differing, reading.holds) == (37, (), True)
    assert len(reading_of(detailed(), ttft=1, tpot=1).compared) == 38
    assert reading.goodput is None
    assert "goodput_unknown" in words(reading)


def test_the_summary_of_the_engine() -> None:
    """Rates, E2EL and the client's queue come out of what it keeps; the rest is checked."""
    reading = reading_of(queued())
    assert (len(reading.compared), reading.differing, reading.holds) == (17, (), True)
    assert len(reading.checks) > 40
    assert reading.estimates["mean_in_flight"] < 4
    # all requests have 16 tokens, so that the parts are the whole
    parts, mean = reading.estimates["e2e_from_parts_s"], reading.result.figures["mean_e2el_ms"] / 1000
    assert abs(parts / mean - 1) < Fraction(1, 10**9)


def failed_last(value: Value) -> None:
    """The last request failed: its lists hold zeros, as the engine writes them."""
    value["errors"][-1] = "connection reset"
    for key in ("output_lens", "ttfts", "latencies"):
        value[key][-1] = 0
    value["itls"][-1] = []


def first_of_one_token(value: Value) -> None:
    """The first answer has one token."""
    value["output_lens"][0] = 1
    value["itls"][0] = []
    value["latencies"][0] = value["ttfts"][0]


def tpots(value: Value, by: Callable[[int], int] = lambda n: n - 1) -> list[float]:
    rows = zip(value["latencies"], value["ttfts"], value["output_lens"])
    return [(latency - ttft) / by(n) for latency, ttft, n in rows if n > 1]


def percentile(values: list[float], percent: int) -> float:
    """The inclusive rule, by the statistics module."""
    return statistics.quantiles(sorted(values), n=100, method="inclusive")[percent - 1]


def gaps(value: Value) -> list[float]:
    return [gap for own in value["itls"] for gap in own]


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


# name of the figure, the wrong value in ms (or a rate), what prints it
WRONG: list[tuple[str, Callable[[Value], float], str]] = [
    ("mean_tpot_ms", lambda v: 1000 * mean(tpots(v, lambda n: n)), "tpot_by_n"),
    ("p99_tpot_ms", lambda v: 1000 * percentile(tpots(v, lambda n: n), 99), "tpot_by_n"),
    (
        "mean_tpot_ms",
        lambda v: 1000 * mean([e / n for e, n in zip(v["latencies"], v["output_lens"])]),
        "tpot_with_first_token",
    ),
    (
        "mean_tpot_ms",
        lambda v: 1000 * mean([e / (n - 1) for e, n in zip(v["latencies"], v["output_lens"])]),
        "tpot_of_e2el",
    ),
    ("std_ttft_ms", lambda v: 1000 * statistics.stdev(v["ttfts"]), "sample_std"),
    ("std_itl_ms", lambda v: 1000 * statistics.stdev(gaps(v)), "sample_std"),
    ("std_e2el_ms", lambda v: 1000 * statistics.pvariance(v["latencies"]), "variance_for_std"),
    ("p90_ttft_ms", lambda v: 1000 * sorted(v["ttfts"])[math.ceil(0.9 * 24) - 1], "nearest_rank"),
    ("p90_itl_ms", lambda v: 1000 * sorted(gaps(v))[math.ceil(0.9 * 337) - 1], "nearest_rank"),
    ("p90_e2el_ms", lambda v: 1000 * sorted(v["latencies"])[math.floor(23 * 0.9)], "rank_below"),
    ("p99_ttft_ms", lambda v: 1000 * max(v["ttfts"]), "nearest_rank"),
    (
        "p90_ttft_ms",
        lambda v: 1000 * statistics.quantiles(v["ttfts"], n=10, method="exclusive")[8],
        "exclusive_ranks",
    ),
    ("p90_ttft_ms", lambda v: 1000 * max(v["ttfts"]), "largest_value"),
    ("mean_ttft_ms", lambda v: 1000 * statistics.median(v["ttfts"]), "median_for_mean"),
    ("median_ttft_ms", lambda v: 1000 * mean(v["ttfts"]), "mean_for_median"),
    ("mean_ttft_ms", lambda v: mean(v["ttfts"]), "seconds_for_ms"),
    ("p99_itl_ms", lambda v: percentile(gaps(v), 99), "seconds_for_ms"),
    ("mean_e2el_ms", lambda v: 10**6 * mean(v["latencies"]), "ms_for_seconds"),
    ("mean_itl_ms", lambda v: 1000 * mean([mean(own) for own in v["itls"]]), "each_request_first"),
    ("mean_itl_ms", lambda v: 1000 * math.fsum(gaps(v)) / 360, "gaps_without_chunks"),
    ("mean_ttft_ms", lambda v: round(1000 * mean(v["ttfts"]), 2), "rounded"),
    ("output_throughput", lambda v: (337 + 24) / v["duration"], "chunks_for_tokens"),
    ("output_throughput", lambda v: 360 / v["duration"], "first_tokens_left_out"),
    ("total_token_throughput", lambda v: 384 / v["duration"], "output_only"),
    ("max_concurrent_requests", lambda _: 4, "true_peak"),
    ("total_output_tokens", lambda _: 361, "chunks_for_tokens"),
    (
        "request_throughput",
        lambda v: 24 / (max(s + e for s, e in zip(v["start_times"], v["latencies"])) - min(v["start_times"])),
        "other_duration",
    ),
]


@pytest.mark.parametrize(
    ("name", "wrong", "mistake"),
    [pytest.param(*row, id=f"{row[2]}-{row[0]}") for row in WRONG],
)
def test_a_wrong_aggregate_is_named(name: str, wrong: Callable[[Value], float], mistake: str) -> None:
    """With both values and the mistake."""
    value = detailed()
    right = value[name]
    value[name] = wrong(value)
    (found,) = reading_of(value).differing
    assert (found.name, found.mistake) == (name, mistake)
    assert float(found.printed) == pytest.approx(value[name], rel=1e-12)
    assert float(found.recomputed) == pytest.approx(right, rel=1e-9)


@pytest.mark.parametrize("factor", [1 + 5e-9, 1 - 5e-9])
@pytest.mark.parametrize("name", ["mean_ttft_ms", "std_tpot_ms", "p95_itl_ms", "output_throughput"])
def test_any_relative_error_above_1e_9_differs(name: str, factor: float) -> None:
    """Five times that, with no mistake known; a fifth of it is none."""
    value = detailed()
    right = value[name]
    value[name] = right * factor
    (found,) = reading_of(value).differing
    assert (found.name, found.mistake) == (name, None)
    assert not reading_of(value).holds
    value[name] = right * (1 + (factor - 1) / 25)
    assert reading_of(value).differing == ()


def test_a_value_rounded_wrong_has_no_name() -> None:
    """18.44 is 18.4432652 rounded, 18.5 is not."""
    value = detailed()
    value["mean_ttft_ms"] = 18.5
    assert [one.mistake for one in reading_of(value).differing] == [None]


def test_failures_leave_the_averages() -> None:
    """With 23 of 24 the engine's averages are over 23; over 24 they are named."""
    value = detailed()
    failed_last(value)
    value["completed"], value["failed"] = 23, 1
    reading = reading_of(value)
    assert reading.recomputed["completed"] == 23
    assert reading.recomputed["total_input_tokens"] == 23 * 128
    assert reading.recomputed["total_output_tokens"] == 23 * 16
    expected = 1000 * mean(value["ttfts"][:-1])
    assert float(reading.recomputed["mean_ttft_ms"]) == pytest.approx(expected, rel=1e-12)
    assert "failed_requests" in words(reading)
    value["mean_ttft_ms"] = 1000 * mean(value["ttfts"])
    value["mean_tpot_ms"] = 1000 * mean([*tpots(value), 0.0])
    value["request_throughput"] = 24 / value["duration"]
    value["total_input_tokens"] = 24 * 128
    named = {one.name: one.mistake for one in reading_of(value).differing}
    assert named["mean_ttft_ms"] == named["mean_tpot_ms"] == "failures_in_averages"
    assert named["request_throughput"] == named["total_input_tokens"] == "failures_counted"


def test_failures_without_a_list_of_errors() -> None:
    """Who has no output has failed, if the file counts as many."""
    value = detailed()
    failed_last(value)
    del value["errors"], value["failed"], value["num_prompts"]
    value["completed"] = 23
    samples = samples_of(result_of(value))
    assert samples is not None
    assert samples.succeeded == tuple(range(23))
    value["errors"] = [""] * 24  # some tools leave it empty
    samples = samples_of(result_of(value))
    assert samples is not None
    assert samples.succeeded == tuple(range(23))


def test_one_token_answers_have_no_tpot() -> None:
    """23 of 24 have one; as zeros they are named, and in goodput they count as 0."""
    value = detailed()
    first_of_one_token(value)
    reading = reading_of(value, tpot=3)
    right = tpots(value)
    assert len(right) == 23
    assert float(reading.recomputed["mean_tpot_ms"]) == pytest.approx(1000 * mean(right), rel=1e-12)
    assert reading.good == 1 + sum(1000 * one <= 3 for one in right)
    assert "one_token_answers" in words(reading)
    value["mean_tpot_ms"] = 1000 * mean([*right, 0.0])
    named = {one.name: one.mistake for one in reading_of(value).differing}
    assert named["mean_tpot_ms"] == "one_token_answers_as_zero"
    for by_n in (tpots(value, lambda n: n), [*tpots(value, lambda n: n), 0.0]):
        value["mean_tpot_ms"] = 1000 * mean(by_n)
        named = {one.name: one.mistake for one in reading_of(value).differing}
        assert named["mean_tpot_ms"] == "tpot_by_n"


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        pytest.param({"ttft": 20}, 16, id="ttft"),
        pytest.param({"tpot": 3}, 20, id="tpot"),
        pytest.param({"ttft": 20, "tpot": 3}, 15, id="both-at-once"),
        pytest.param({"ttft": 20, "tpot": 3, "e2el": 50}, 12, id="all-three"),
        pytest.param({"e2el": 10**6}, 24, id="everybody"),
        pytest.param({"ttft": 0}, 0, id="nobody"),
    ],
)
def test_goodput(limits: dict[str, int], expected: int) -> None:
    """Counted here from the file's lists: all limits at once, over the whole duration."""
    value = detailed()
    good = 0
    for i in range(24):
        own = {
            "ttft": value["ttfts"][i],
            "tpot": (value["latencies"][i] - value["ttfts"][i]) / 15,
            "e2el": value["latencies"][i],
        }
        good += all(own[name] <= limit / 1000 for name, limit in limits.items())
    reading = reading_of(value, **limits)
    assert reading.good == good == expected
    assert reading.goodput is not None
    assert float(reading.goodput) == pytest.approx(expected / value["duration"], rel=1e-12)


def test_failed_requests_are_never_good() -> None:
    """Their zeros would meet any limit."""
    value = detailed()
    failed_last(value)
    value["completed"], value["failed"] = 23, 1
    assert reading_of(value, e2el=10**6).good == 23


def test_goodput_of_a_summary_is_unknown() -> None:
    """Not zero: there is no list to count in. E2EL alone can be told where latencies are kept."""
    assert reading_of(queued(), ttft=200).goodput is None
    assert reading_of(queued(), tpot=200).good is None
    assert reading_of(queued(), e2el=60).good == 11


def test_the_true_peak() -> None:
    """The engine printed 13 in a second's bucket; at one moment four were under way."""
    samples = samples_of(result_of(detailed()))
    assert samples is not None
    assert true_peak(samples) == 4
    reading = reading_of(detailed())
    assert reading.recomputed["max_concurrent_requests"] == 13
    (warned,) = [one for one in reading.warnings if one.word == "peak_is_not_concurrency"]
    assert warned.values == {"printed": 13, "true": 4}


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        pytest.param([(0, 1), (1, 2)], 1, id="one-after-the-other"),
        pytest.param([(0, 2), (1, 3)], 2, id="overlapping"),
        pytest.param([(0, 9), (1, 2), (3, 4), (3, 5)], 3, id="inside"),
    ],
)
def test_most_at_once(spans: list[tuple[float, float]], expected: int) -> None:
    """An end and a beginning at one moment do not overlap."""
    assert most_at_once(spans) == expected


def test_chunks_of_several_tokens() -> None:
    """16 tokens an answer, 337 gaps in place of 360."""
    (warned,) = [one for one in reading_of(detailed()).warnings if one.word == "several_tokens_a_chunk"]
    assert warned.values == {"gaps": 337, "tokens": 360}
    # the summary's averages tell it too
    (warned,) = [one for one in reading_of(queued()).warnings if one.word == "several_tokens_a_chunk"]
    assert warned.values["gaps"] == 344


def test_an_older_file_without_latencies() -> None:
    """E2EL is the first chunk and the gaps; a longer printed one was measured to the end of the stream."""
    value = detailed()
    for key in ("latencies", "start_times", "queue_times", "rtfx"):
        del value[key]
    reading = reading_of(value)
    assert reading.differing == ()
    assert float(reading.recomputed["mean_e2el_ms"]) == pytest.approx(value["mean_e2el_ms"], rel=1e-9)
    value["mean_e2el_ms"] *= 1.01
    reading = reading_of(value)
    assert [one.mistake for one in reading.differing] == ["end_of_stream"]
    assert reading.holds
    value["mean_e2el_ms"] *= 0.9
    assert not reading_of(value).holds


def test_the_queue_of_the_client() -> None:
    """Its statistics come out; E2EL with the queue counted in is named."""
    value = queued()
    value["mean_e2el_ms"] = 1000 * mean([e + q for e, q in zip(value["latencies"], value["queue_times"])])
    named = {one.name: one.mistake for one in reading_of(value).differing}
    assert named == {"mean_e2el_ms": "queue_counted_in"}
    value = queued()
    both = [e + q for e, q in zip(value["latencies"], value["queue_times"])]
    value["mean_e2el_including_client_queue_ms"] = 1000 * mean(both)
    assert reading_of(value).differing == ()
    value["mean_e2el_including_client_queue_ms"] = value["mean_e2el_ms"]
    named = {one.name: one.mistake for one in reading_of(value).differing}
    assert named == {"mean_e2el_including_client_queue_ms": "queue_left_out"}


def test_nothing_completed() -> None:
    """The engine writes 0 for averages of nothing."""
    value = detailed()
    value["errors"] = ["refused"] * 24
    value["output_lens"] = [0] * 24
    value["completed"], value["failed"] = 0, 24
    reading = reading_of(value)
    assert reading.recomputed["mean_ttft_ms"] == reading.recomputed["p99_itl_ms"] == 0
    assert reading.true_peak is None
