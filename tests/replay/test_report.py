"""The figures of a replay: by hand, and gaps in series against the list that they stand for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.replay.latency import Limits, Summary, summary
from labs.replay.report import Report, percentile_of_counts, report_of, summary_of_gaps
from labs.replay.served import Gaps, Replay, Served
from tests.replay.small_replays import expanded

PER_MS = 10

# ticks of a tenth of a ms. r1: arrives 0, admitted 10, first token 40, last 100, 4 outputs: TTFT 4 ms, TPOT
# (10 - 4) / 3 = 2 ms, E2EL 10 ms. r2: arrives 20, admitted 50, first and only token 80: TTFT and E2EL 6 ms
R1 = Served("r1", 0, 40, 100, 30, 4, 0, 1, True, 10)
R2 = Served("r2", 20, 80, 80, 20, 1, 16, 0, True, 50)
LEFT = Served("r3", 90, None, None, 70, 0, 8, 2, False, None)


def replay_of(*served: Served, **changes: Any) -> Replay:
    fields: dict[str, Any] = {
        "gaps": (Gaps(15, 0, 2, 1), Gaps(30, 0, 1, 1)),
        "per_ms": PER_MS,
        "end": 100,
        "steps": 5,
        "played": 4,
        "preemptions": 3,
        "peak_blocks": 7,
        "peak_running": 2,
        "peak_waiting": 1,
        "stuck": False,
        "busy": 80,
        "prefill_ticks": 50,
        "prefill_steps": 2,
    }
    return Replay(served=served, **{**fields, **changes})


def mean_of(found: Summary | None) -> Fraction:
    assert found is not None
    return found.mean


FIGURES = [
    ("requests", 2),
    ("completed", 2),
    ("input_tokens", 50),
    ("output_tokens", 5),
    ("cached_tokens", 16),
    ("duration_ms", 10),
    ("good", None),
    ("goodput", None),
    ("steps", 5),
    ("preemptions", 3),
    ("preempted_requests", 1),
    ("peak_blocks", 7),
    ("peak_running", 2),
    ("peak_waiting", 1),
    ("request_throughput", 200),  # 2 in 10 ms
    ("output_throughput", 500),
    ("total_token_throughput", 5500),
    ("queue_ms", 2),  # 1 and 3 ms
    ("prefill_ms", 3),  # 3 and 3 ms
    ("busy_ms", 8),
    ("prefill_steps", 2),
    ("prefill_steps_ms", 5),
]


@pytest.mark.parametrize(("name", "expected"), FIGURES)
def test_figures_by_hand(name: str, expected: int | None) -> None:
    report = report_of(replay_of(R1, R2))
    assert getattr(report, name) == expected


def test_latencies_by_hand() -> None:
    report = report_of(replay_of(R1, R2))
    means = [mean_of(getattr(report, name)) for name in ("ttft", "tpot", "itl", "e2el")]
    assert means == [5, 2, 2, 8]  # ITL: 1.5, 1.5 and 3 ms


def test_an_answer_of_one_token_has_no_tpot() -> None:
    report = report_of(replay_of(R1, R2))
    assert report.tpot is not None
    assert report.ttft is not None
    assert (report.tpot.count, report.ttft.count) == (1, 2)
    assert report_of(replay_of(R2, gaps=())).tpot is None


def test_who_has_not_finished_is_in_no_latency() -> None:
    with_left, without = report_of(replay_of(R1, R2, LEFT)), report_of(replay_of(R1, R2))
    assert (with_left.requests, with_left.completed) == (3, 2)
    for name in ("ttft", "tpot", "e2el", "input_tokens", "output_tokens", "queue_ms"):
        assert getattr(with_left, name) == getattr(without, name)


def test_hits_of_who_has_not_finished_count() -> None:
    assert report_of(replay_of(R2, LEFT)).cached_tokens == 24


def test_requests_preempted_twice_are_one() -> None:
    assert report_of(replay_of(R1, LEFT)).preempted_requests == 2  # once, and twice


def test_throughput_is_of_who_has_finished() -> None:
    assert report_of(replay_of(R1, LEFT)).request_throughput == 100


def test_nobody_finished() -> None:
    report = report_of(replay_of(LEFT, gaps=(), stuck=True), Limits(ttft=Fraction(1)))
    assert (report.ttft, report.tpot, report.itl, report.e2el, report.queue_ms) == (None,) * 5
    assert report.good == 0
    assert report.goodput == 0
    assert report.stuck


LIMITS = [
    pytest.param(Limits(ttft=Fraction(4)), 1, id="TTFT at the limit is good, above it not"),
    pytest.param(Limits(ttft=Fraction(6)), 2, id="both"),
    pytest.param(Limits(ttft=Fraction(399, 100)), 0, id="neither"),
    pytest.param(Limits(tpot=Fraction(2)), 2, id="one token counts as TPOT 0"),
    pytest.param(Limits(tpot=Fraction(19, 10)), 1, id="TPOT above"),
    pytest.param(Limits(e2el=Fraction(6)), 1, id="E2EL"),
    pytest.param(Limits(ttft=Fraction(4), e2el=Fraction(6)), 0, id="all limits at once"),
]


@pytest.mark.parametrize(("limits", "good"), LIMITS)
def test_goodput_by_hand(limits: Limits, good: int) -> None:
    report = report_of(replay_of(R1, R2), limits)
    assert report.good == good
    assert report.goodput == good * 100


def test_a_run_that_takes_no_time_has_no_rates() -> None:
    report = report_of(replay_of(Served("r1", 0, 0, 0, 5, 1, 0, 0, True, 0), gaps=(), end=0))
    assert [report.request_throughput, report.output_throughput] == [Fraction(0)] * 2


def test_the_duration_begins_with_the_first_arrival() -> None:
    report = report_of(replay_of(R2, gaps=()))
    assert report.duration_ms == 8  # 20 to 100 ticks


def no_gaps() -> Report:
    return report_of(replay_of(R2, gaps=()))


def test_without_gaps_there_is_no_itl() -> None:
    assert no_gaps().itl is None


GAPS = st.lists(
    st.builds(Gaps, st.integers(0, 50), st.integers(0, 3), st.integers(1, 9), st.integers(1, 5)),
    min_size=1,
    max_size=8,
)


@given(GAPS)
def test_gaps_in_series_are_the_list_that_they_stand_for(gaps: list[Gaps]) -> None:
    assert summary_of_gaps(gaps) == summary(expanded(gaps), (50, 95, 99))


PERCENTILES = [
    ([10, 20], [3, 4], 0, Fraction(10)),
    ([10, 20], [3, 4], 50, Fraction(10)),  # rank 1.5: between 10 and 10
    ([10, 20], [3, 4], 90, Fraction(17)),  # rank 2.7: between 10 and 20
    ([10, 20], [3, 4], 100, Fraction(20)),
    ([10, 20, 30], [1, 2, 3], 50, Fraction(20)),
    ([7], [1], 99, Fraction(7)),
]


@pytest.mark.parametrize(("values", "ends", "percent", "expected"), PERCENTILES)
def test_percentile_of_counts(values: list[int], ends: list[int], percent: int, expected: Fraction) -> None:
    assert percentile_of_counts(values, ends, percent) == expected
