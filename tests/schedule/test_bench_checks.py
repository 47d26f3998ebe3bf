"""A summary against itself: which relation breaks when one figure is changed, and which traps show.

The base is a made run: 100 requests of 500 tokens in and 100 out in 50 s at a rate of 2.5, ten at once; its
rates are worked out by hand. "must break" stands beside "must hold".
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from labs.replay.bench.checks import checks_of
from labs.replay.bench.curve import Curve, curves_of
from tests.schedule.bench_check import failing, reading_of, reading_of_block, result_of, words

Value = dict[str, Any]

BASE: Value = {
    "num_prompts": 101,
    "request_rate": 2.5,
    "max_concurrency": 10,
    "completed": 100,
    "failed": 1,
    "duration": 50.0,
    "total_input_tokens": 50_000,
    "total_output_tokens": 10_000,
    "request_throughput": 2.0,
    "output_throughput": 200.0,
    "total_token_throughput": 1200.0,
    "max_output_tokens_per_s": 400.0,
    "max_concurrent_requests": 12,
    "mean_ttft_ms": 500.0,
    "median_ttft_ms": 450.0,
    "std_ttft_ms": 120.0,
    "p50_ttft_ms": 450.0,
    "p95_ttft_ms": 800.0,
    "p99_ttft_ms": 900.25,
    "mean_tpot_ms": 30.0,
    "median_tpot_ms": 29.0,
    "p99_tpot_ms": 45.0,
    "mean_itl_ms": 30.0,
    "median_itl_ms": 28.0,
    "p99_itl_ms": 60.0,
    "mean_e2el_ms": 3470.0,
    "median_e2el_ms": 3400.0,
    "std_e2el_ms": 300.0,
    "p99_e2el_ms": 4500.0,
}


def test_the_base_holds() -> None:
    """In full and as a block; its traps are those it has."""
    reading = reading_of(BASE)
    assert failing(reading) == set()
    assert words(reading) == {"failed_requests", "peak_is_not_concurrency", "drain_tail", "goodput_unknown"}
    assert failing(reading_of_block({**BASE, "max_concurrent_requests": 12.0})) == set()


BREAKS: list[tuple[Value, set[str]]] = [
    ({"request_throughput": 2.02}, {"request_throughput"}),
    ({"output_throughput": 202.0}, {"output_throughput"}),
    ({"total_token_throughput": 1212.0}, {"total_token_throughput"}),
    ({"total_output_tokens": 10_100}, {"output_throughput", "total_token_throughput"}),
    ({"total_input_tokens": 50_100}, {"total_token_throughput"}),
    ({"input_throughput": 999.0}, {"input_throughput"}),
    ({"failed": 2}, {"completed"}),
    ({"num_prompts": 99}, {"completed"}),
    ({"max_concurrent_requests": 101}, {"max_concurrent_requests"}),
    ({"max_concurrent_requests": 6}, {"max_concurrent_requests_over_mean"}),
    ({"request_goodput": 2.1}, {"request_goodput"}),
    ({"p95_ttft_ms": 950.0}, {"p99_ttft_ms"}),
    ({"p95_ttft_ms": 440.0}, {"p95_ttft_ms"}),
    ({"p50_ttft_ms": 451.0}, {"p50_ttft_ms"}),
    ({"p99_tpot_ms": 28.0}, {"p99_tpot_ms"}),
    ({"p99_itl_ms": 50_006.0}, {"p99_itl_ms"}),
    ({"max_itl_ms": 59.0}, {"max_itl_ms"}),
    ({"min_itl_ms": 31.0}, {"median_itl_ms", "mean_itl_ms"}),
    ({"min_itl_ms": 29.0, "median_itl_ms": 29.5, "mean_itl_ms": 28.5}, {"mean_itl_ms"}),
    ({"max_itl_ms": 61.0, "mean_itl_ms": 62.0}, {"mean_itl_ms"}),
    ({"mean_ttft_ms": 571.0}, {"mean_ttft_ms"}),
    ({"mean_ttft_ms": 329.0}, {"mean_ttft_ms"}),
    ({"mean_itl_ms": 13.9}, {"mean_itl_ms"}),
    ({"std_ttft_ms": 40.0}, {"mean_ttft_ms", "p99_ttft_ms_of_std"}),
    ({"std_ttft_ms": 50.0, "p99_ttft_ms": 998.0}, {"p99_ttft_ms_of_std"}),
    ({"mean_e2el_ms": 5010.0, "std_e2el_ms": 2000.0}, {"mean_in_flight"}),
    ({"concurrency": 7.1}, {"concurrency"}),
    ({"p99_e2el_ms": 50_006.0}, {"p99_e2el_ms", "p99_e2el_ms_of_std"}),
    ({"median_e2el_ms": 440.0, "std_e2el_ms": 9000.0}, {"median_e2el_ms_over_ttft"}),
    ({"request_rate": 1.0}, {"duration_at_rate"}),
    ({"average_latency_s": 50.5}, {"average_latency_s"}),
    (
        {"average_latency_per_token_s": 0.2, "average_latency_per_output_token_s": 0.1},
        {"average_latency_per_output_token_s"},
    ),
    ({"mean_tpot_ms": -1.0}, {"mean_tpot_ms"}),
]


@pytest.mark.parametrize(("change", "expected"), [pytest.param(*row, id="-".join(row[0])) for row in BREAKS])
def test_a_changed_figure_breaks(change: Value, expected: set[str]) -> None:
    """Exactly the relations that it is in."""
    value = {**BASE, **change}
    reading = reading_of(value)
    assert failing(reading) == expected
    assert not reading.holds


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"request_throughput": 2.000000001}, id="a-relative-1e-9"),
        pytest.param({"failed": 0}, id="fewer-prompts-in-the-data-set"),
        pytest.param({"p95_ttft_ms": 900.25}, id="equal-percentiles"),
        pytest.param({"mean_ttft_ms": 570.0}, id="mean-one-std-from-the-median"),
        pytest.param({"mean_itl_ms": 14.0}, id="half-the-median"),
        pytest.param({"mean_e2el_ms": 5000.0, "std_e2el_ms": 2000.0}, id="all-places-taken"),
        pytest.param({"concurrency": 6.94}, id="little-as-printed"),
        pytest.param({"max_concurrent_requests": 7}, id="above-the-mean-in-flight"),
        pytest.param({"request_goodput": 2.0}, id="all-good"),
        pytest.param({"median_e2el_ms": 450.0, "std_e2el_ms": 9000.0}, id="one-token-each"),
        pytest.param({"request_rate": 1.5}, id="gaps-by-chance"),
        pytest.param({"request_rate": "inf"}, id="all-at-once"),
        pytest.param({"request_goodput": None}, id="goodput-not-asked-for"),
        pytest.param({"note": "mine", "tp": "4"}, id="metadata"),
    ],
)
def test_a_changed_figure_that_may_be(change: Value) -> None:
    """The other side of each bound."""
    assert failing(reading_of({**BASE, **change})) == set()


def test_half_a_unit_of_the_last_place() -> None:
    """24685 / 46.94 is 525.884: 525.92 may be printed, since the duration is rounded too; 525.95 may not."""
    value = {"completed": 500, "duration": 46.94, "total_output_tokens": 24685}
    assert failing(reading_of({**value, "output_throughput": 525.92})) == set()
    assert failing(reading_of({**value, "output_throughput": 525.95})) == {"output_throughput"}
    (check,) = checks_of(result_of({**value, "output_throughput": 525.95}))
    assert check.low == Fraction(24685) / Fraction("46.945")
    assert check.high == Fraction(24685) / Fraction("46.935")


def test_written_in_full_there_is_no_half_unit() -> None:
    """A float of 15 digits stands for itself."""
    value = {"completed": 500, "duration": 46.940123456789, "total_output_tokens": 24685}
    assert failing(reading_of({**value, "output_throughput": 525.92})) == {"output_throughput"}
    right = 24685 / 46.940123456789
    assert failing(reading_of({**value, "output_throughput": right})) == set()


def test_one_request_is_its_own_average() -> None:
    """bench-02's first point: mean, median and P99 are one value."""
    value = {"completed": 1, "duration": 9.06, "mean_ttft_ms": 34.69, "median_ttft_ms": 34.69}
    assert failing(reading_of({**value, "p99_ttft_ms": 34.69})) == set()
    assert "mean_ttft_ms" in failing(reading_of({**value, "p99_ttft_ms": 34.9}))


SHOWS: list[tuple[Value, str]] = [
    ({"failed": 1}, "failed_requests"),
    ({"failed": None}, "failed_requests"),  # 101 sent, 100 came back
    ({"failed": None, "num_prompts": None}, "failures_not_told"),
    ({"max_concurrent_requests": 11}, "peak_is_not_concurrency"),
    ({"max_concurrency": None, "max_concurrent_requests": 15}, "peak_is_not_concurrency"),
    ({"mean_e2el_ms": None, "mean_itl_ms": 40.0}, "itl_above_tpot"),
    ({"mean_itl_ms": 31.0}, "several_tokens_a_chunk"),
    ({"mean_itl_ms": 26.0}, "itl_below_tpot"),
    ({"mean_itl_ms": 0.0, "median_itl_ms": 0.0, "p99_itl_ms": 0.0}, "not_streamed"),
    ({"median_tpot_ms": 0.0}, "zero_tpot"),
    ({"median_tpot_ms": -0.5}, "negative_tpot"),
    ({"request_rate": 2.2}, "drain_tail"),
    ({"request_rate": 5.0}, "saturated"),
    ({"request_rate": 1.0}, "rate_label_wrong"),
    ({"max_output_tokens_per_s": 190.0}, "peak_below_average"),
    ({"total_output_tokens_retokenized": 8_000}, "retokenized_differs"),
    ({"average_latency_per_output_token_s": 0.1}, "latency_with_queue"),
    (
        {
            "request_rate": "inf",
            "max_concurrency": None,
            "mean_e2el_ms": 3.47,
            "mean_ttft_ms": 0.5,
            "mean_tpot_ms": 0.03,
            "mean_itl_ms": 0.03,
        },
        "looks_like_seconds",
    ),
    ({"mean_tpot_ms": 530.0, "mean_e2el_ms": None}, "parts_exceed_run"),
    ({"mean_tpot_ms": 42.0}, "parts_differ"),
    ({}, "goodput_unknown"),
]
SILENT: list[tuple[Value, str]] = [
    ({"failed": 0, "num_prompts": 100}, "failed_requests"),
    ({"failed": 0, "num_prompts": None}, "failures_not_told"),
    ({"max_concurrent_requests": 10}, "peak_is_not_concurrency"),
    ({"max_concurrency": None, "max_concurrent_requests": 12}, "peak_is_not_concurrency"),
    ({"mean_e2el_ms": None, "mean_itl_ms": 37.0}, "itl_above_tpot"),
    ({"mean_itl_ms": 30.0}, "several_tokens_a_chunk"),
    ({"mean_itl_ms": 28.0}, "itl_below_tpot"),
    ({}, "not_streamed"),
    ({}, "zero_tpot"),
    ({"request_rate": 2.0}, "drain_tail"),
    ({"request_rate": 2.0}, "rate_label_wrong"),
    ({"request_rate": 4.0}, "saturated"),
    ({"max_output_tokens_per_s": 200.0}, "peak_below_average"),
    ({"total_output_tokens_retokenized": 9_500}, "retokenized_differs"),
    ({"request_rate": "inf", "max_concurrency": None}, "looks_like_seconds"),
    ({"mean_tpot_ms": 35.0}, "parts_differ"),
    ({"mean_tpot_ms": 500.0, "mean_e2el_ms": None}, "parts_exceed_run"),
]


@pytest.mark.parametrize(
    ("change", "word"), [pytest.param(*row, id=f"{row[1]}-{i}") for i, row in enumerate(SHOWS)]
)
def test_a_trap_shows(change: Value, word: str) -> None:
    """Once, with its numbers."""
    value = {name: figure for name, figure in {**BASE, **change}.items() if figure is not None}
    found = [warned.word for warned in reading_of(value).warnings]
    assert found.count(word) == 1


@pytest.mark.parametrize(
    ("change", "word"), [pytest.param(*row, id=f"{row[1]}-{i}") for i, row in enumerate(SILENT)]
)
def test_a_trap_does_not_show(change: Value, word: str) -> None:
    """On the other side of its bound."""
    value = {name: figure for name, figure in {**BASE, **change}.items() if figure is not None}
    assert word not in words(reading_of(value))


def curves(*changes: Value) -> tuple[Curve, ...]:
    """The curves of the base with each of the changes."""
    base = {**BASE, "max_concurrency": None, "max_concurrent_requests": 60}
    return curves_of([reading_of({**base, **change}) for change in changes])


def rate(offered: float | str, served: float, **more: Any) -> Value:
    """A run at a rate, which lasts as long as 100 requests take."""
    duration = 100 / served
    figures = {"duration": duration, "request_throughput": served, "output_throughput": 100 * served}
    return {"request_rate": offered, **figures, "total_token_throughput": 600 * served, **more}


def test_the_curve_of_the_course() -> None:
    """Rates 1, 4, 8, 16, 32 against a server of 10 req/s: the knee is 16, the plan 7, M/M/1 with mu = 10."""
    runs = [rate(32, 10.0), rate(1, 1.0), rate(8, 8.0), rate(16, 9.9), rate(4, 4.0)]
    (curve,) = curves(*runs)
    assert (curve.load_kind, curve.throughput_kind) == ("request_rate", "output_throughput")
    assert [point.load for point in curve.points] == [1, 4, 8, 16, 32]
    assert (curve.knee, curve.peak) == (3, 4)
    assert curve.capacity == 10
    assert float(curve.plan or 0) == pytest.approx(6.93)
    waits = [point.mm1_wait_s for point in curve.points]
    assert waits == [Fraction(1, 9), Fraction(1, 6), Fraction(1, 2), None, None]


def test_a_server_that_is_not_full_has_no_capacity() -> None:
    """Rates 1, 2, 4, all served: M/M/1 has no mu, and no wait without bound is claimed of rate 4."""
    (curve,) = curves(rate(1, 1.0), rate(2, 2.0), rate(4, 4.0))
    assert (curve.knee, curve.capacity, curve.plan) == (None, None, None)
    assert all(point.mm1_wait_s is None for point in curve.points)


def test_all_at_once_is_the_largest_rate() -> None:
    """The string inf sorts last, and can be no knee."""
    (curve,) = curves(rate("inf", 9.0), rate(8, 8.9), rate(4, 4.0))
    assert [point.load for point in curve.points] == [4, 8, "inf"]
    assert curve.knee == 1
    (curve,) = curves(rate("inf", 9.0), rate(8, 8.0))
    assert (curve.knee, curve.plan, curve.peak) == (None, None, 1)
    assert curve.capacity == curve.points[1].request_throughput


def test_loads_without_a_rate() -> None:
    """Concurrency if it varies, else the requests sent, else what was measured."""
    (curve,) = curves(*({**rate("inf", served), "max_concurrency": c} for c, served in ((8, 5.0), (4, 4.0))))
    assert curve.load_kind == "max_concurrency"
    assert [str(point.load) for point in curve.points] == ["4", "8"]
    runs = [{**rate("inf", served), "request_rate": None} for served in (5.0, 4.0)]
    (curve,) = curves(*runs)
    assert curve.load_kind == "request_throughput"
    assert [str(point.load) for point in curve.points] == ["4", "5"]
    assert all(point.mm1_wait_s is None for point in curve.points)


def test_other_lengths_are_another_curve() -> None:
    """Within 10 % of the first one's mean lengths; another model is another curve as well."""
    longer = {"total_input_tokens": 56_000, "total_token_throughput": 1320.0}
    like = {"total_input_tokens": 55_000, "total_token_throughput": 1300.0}
    assert [len(curve.points) for curve in curves({}, like, longer)] == [2, 1]
    assert len(curves({"model_id": "a"}, {"model_id": "b"})) == 2
    assert len(curves({"model_id": "a"}, {})) == 1


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param([rate(1, 1.0), rate(2, 2.0, mean_ttft_ms=474.0)], ["warm_cache"], id="lower-at-more"),
        pytest.param([rate(1, 1.0), rate(2, 2.0, mean_ttft_ms=476.0)], [], id="about-equal"),
        pytest.param([rate(1, 1.0, mean_ttft_ms=240.0), rate(1, 1.0)], ["warm_cache"], id="same-run-again"),
        pytest.param([rate(1, 1.0, mean_ttft_ms=260.0), rate(1, 1.0)], [], id="same-load-some-faster"),
        pytest.param(
            [rate(1, 1.0), rate(1, 1.1, mean_ttft_ms=340.0, mean_tpot_ms=38.0)],
            ["tpot_for_ttft"],
            id="traded",
        ),
    ],
)
def test_traps_between_runs(runs: list[Value], expected: list[str]) -> None:
    """A prefix cache left warm; TTFT bought with TPOT."""
    (curve,) = curves(*runs)
    assert [word for point in curve.points for word in point.warnings] == expected


def test_the_best_of_equal_loads_counts() -> None:
    """Rate 4 was run twice: the better run says that 8 brings nothing more."""
    slow = {**rate(4, 3.0), "mean_ttft_ms": 600.0}
    (curve,) = curves(rate(1, 1.0), slow, rate(4, 4.0), rate(8, 4.0))
    assert curve.knee is not None
    assert curve.points[curve.knee].load == 4
    assert curve.points[curve.knee].request_throughput == 4
