"""The latency definitions: by hand, against the statistics module, and against the engine's own results.

Expected values are worked out here or are those of tests/golden/bench_detailed.json.
"""

from __future__ import annotations

import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.replay.latency import (
    Limits,
    goodput,
    is_good,
    mean,
    median,
    percentile,
    root,
    std,
    summary,
    total,
    tpot,
    variance,
)
from labs.replay.queueing import knee, mm1_wait, peak, planned_rate

WHOLES = st.lists(st.integers(0, 10**6), min_size=1, max_size=40)
FLOATS = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=40)  # squares of smaller ones underflow


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        pytest.param([7], 99, Fraction(7), id="one-value"),
        pytest.param([10, 20], 99, Fraction(199, 10), id="between-two"),
        pytest.param([1, 2, 3, 4, 5], 25, Fraction(2), id="on-a-rank"),
        pytest.param([1, 2, 3, 4], 50, Fraction(5, 2), id="even-median"),
        pytest.param(list(range(1, 101)), 99, Fraction(9901, 100), id="p99-of-100"),
        pytest.param(list(range(1, 101)), 95, Fraction(9505, 100), id="p95-of-100"),
        pytest.param([3, 9], 0, Fraction(3), id="smallest"),
        pytest.param([3, 9], 100, Fraction(9), id="largest"),
        pytest.param([0, 1000], Fraction("99.9"), Fraction(999), id="p99.9"),
    ],
)
def test_percentiles_by_hand(values: list[int], percent: Fraction | int, expected: Fraction) -> None:
    """Linear interpolation between ranks of n - 1."""
    assert percentile(values, percent) == expected


@given(WHOLES.filter(lambda values: len(values) > 1), st.integers(1, 99))
def test_percentiles_against_quantiles(values: list[int], percent: int) -> None:
    """`statistics.quantiles`, inclusive, is the same rule found another way; exact on Fractions."""
    exact = [Fraction(value) for value in values]
    expected = statistics.quantiles(exact, n=100, method="inclusive")[percent - 1]
    assert percentile(sorted(values), percent) == expected


@given(FLOATS, st.integers(0, 100))
def test_a_percentile_lies_between_its_ranks(values: list[float], percent: int) -> None:
    """Never outside the values, and ascending with the percent."""
    ordered = sorted(values)
    found = percentile(ordered, percent)
    assert ordered[0] <= found <= ordered[-1]
    assert found <= percentile(ordered, min(100, percent + 1))


def test_mean_median_and_std_by_hand() -> None:
    """The population's standard deviation: 2, where the sample's would be 2.138."""
    values = [2, 4, 4, 4, 5, 5, 7, 9]
    assert (mean(values), median(values), std(values)) == (Fraction(5), Fraction(9, 2), Fraction(2))
    assert variance([1, 3]) == 1
    assert std([0.5, 0.5, 0.5]) == 0
    assert total([0.1] * 10) == 1  # rounded once, not ten times


@given(WHOLES)
def test_mean_and_median_against_statistics(values: list[int]) -> None:
    """Exact on whole numbers."""
    exact = [Fraction(value) for value in values]
    assert mean(values) == statistics.mean(exact)
    assert median(sorted(values)) == statistics.median(exact)
    assert variance(values) == statistics.pvariance(exact)


@given(FLOATS)
def test_std_of_floats(values: list[float]) -> None:
    """That of the same numbers as Fractions, but for what floats round away."""
    exact = float(std([Fraction(value) for value in values]))
    assert float(std(values)) == pytest.approx(exact, rel=1e-9, abs=1e-9 * max(values))


@given(st.integers(0, 10**12), st.integers(1, 10**12))
def test_roots(numerator: int, denominator: int) -> None:
    """Cut below, by less than a relative 2^-79; exact of squares."""
    square = Fraction(numerator, denominator)
    found = root(square)
    assert found * found <= square <= (found * (1 + Fraction(1, 2**79))) ** 2
    assert root(square * square) == square


@pytest.mark.parametrize(
    ("ttft", "e2el", "tokens", "expected"),
    [
        pytest.param(Fraction(1), Fraction(4), 4, Fraction(1), id="by-n-minus-1"),
        pytest.param(Fraction(1), Fraction(4), 2, Fraction(3), id="two-tokens"),
        pytest.param(Fraction(1), Fraction(1), 1, None, id="one-token-has-none"),
        pytest.param(Fraction(1), Fraction(1), 0, None, id="no-token-has-none"),
    ],
)
def test_tpot(ttft: Fraction, e2el: Fraction, tokens: int, expected: Fraction | None) -> None:
    """Undefined, not zero, without a second token."""
    assert tpot(ttft, e2el, tokens) == expected


def test_tpot_of_a_whole_run() -> None:
    """bench-36: 7.27956 s to the first token, 2048 tokens at 70.14 ms: 150.86 s in all."""
    e2el = Fraction("7.27956") + 2047 * Fraction("0.07014")
    assert round(e2el, 2) == Fraction("150.86")
    assert tpot(Fraction("7.27956"), e2el, 2048) == Fraction("0.07014")


LIMITED = Limits(ttft=Fraction(200), tpot=Fraction(50), e2el=Fraction(1000))


@pytest.mark.parametrize(
    ("ttft", "e2el", "tokens", "expected"),
    [
        pytest.param(0.2, 0.25, 2, True, id="each-at-its-limit"),
        pytest.param(0.2000001, 0.21, 2, False, id="ttft-above"),
        pytest.param(0.1, 0.1501, 2, False, id="tpot-above"),
        pytest.param(0.1, 1.0001, 1001, False, id="e2el-above"),
        pytest.param(0.1, 0.9, 1, True, id="one-token-has-tpot-0"),
        pytest.param(0.1, 1.0, 1001, True, id="e2el-at-its-limit"),
        pytest.param(Fraction(1, 5), Fraction(1, 4), 2, True, id="exact-at-the-limit"),
        pytest.param(Fraction(1, 5) + Fraction(1, 10**12), Fraction(1, 4), 2, False, id="exact-above"),
    ],
)
def test_good_requests(ttft: float, e2el: float, tokens: int, expected: bool) -> None:
    """All limits at once, each with <=; seconds against milliseconds."""
    assert is_good(LIMITED, ttft, e2el, tokens) is expected


def test_good_requests_in_other_units() -> None:
    """A replay counts in ticks: here four a millisecond."""
    assert is_good(LIMITED, 800, 1000, 2, per_ms=4)
    assert not is_good(LIMITED, 801, 1000, 2, per_ms=4)
    assert is_good(Limits(), 10**9, 10**9, 1, per_ms=1)


def test_goodput_is_over_wall_time() -> None:
    """The course's fifth problem: 75 good ones in ten seconds."""
    assert goodput(75, Fraction(10)) == Fraction("7.5")


def test_a_summary() -> None:
    """Values in any order; nothing of nothing."""
    found = summary([4, 1, 3, 2], (50, 99))
    assert found is not None
    assert (found.count, found.mean, found.median) == (4, Fraction(5, 2), Fraction(5, 2))
    assert found.percentiles == ((50, Fraction(5, 2)), (99, Fraction(397, 100)))
    assert found.std == root(Fraction(5, 4))
    assert summary([]) is None


@pytest.mark.parametrize(
    ("throughputs", "expected"),
    [
        pytest.param([1, 4, 8, 10, 10], 3, id="plateau"),
        pytest.param([10, 50, 51, 49], 1, id="noise-is-no-growth"),
        pytest.param([100, 105, 100], 0, id="five-percent-exactly"),
        pytest.param([10000, 10501, 10000], 1, id="more-than-five-percent"),
        pytest.param([1, 2, 4], None, id="still-growing"),
        pytest.param([5, 4, 3], 0, id="falling-from-the-start"),
        pytest.param([10, 10, 12], None, id="a-later-rise-counts"),
        pytest.param([7], None, id="one-point"),
    ],
)
def test_knee(throughputs: list[int], expected: int | None) -> None:
    """The smallest load that no larger one exceeds by more than 5 %; never the largest load."""
    assert knee([Fraction(value) for value in throughputs]) == expected


def test_peak_plan_and_wait() -> None:
    """The course: capacity 50; at 10 a wait of 1/40 s, at 50 none that ends; 70 % of the knee."""
    assert peak([Fraction(1), Fraction(3), Fraction(3), Fraction(2)]) == 1
    assert planned_rate(Fraction(50)) == 35
    assert mm1_wait(Fraction(50), Fraction(10)) == Fraction(1, 40)
    assert mm1_wait(Fraction(50), Fraction(49)) == 1
    assert mm1_wait(Fraction(50), Fraction(50)) is None
    assert mm1_wait(Fraction(50), Fraction(51)) is None
