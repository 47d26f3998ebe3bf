"""Random arrivals: the client's own rule, the shapes of the gaps, and the same times on every machine.

The times in SAME_EVERYWHERE were printed alike by CPython 3.10.13, 3.11, 3.12.1 and 3.13.0; those of
burstiness 1 follow by hand from `Random(seed).random()`, which the language keeps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.replay.arrivals import (
    INF,
    RandomLoad,
    options,
    read_burstiness,
    read_request_rate,
    read_request_rates,
)
from labs.view.catalog.schedule_replay import KNOBS
from labs.view.errors import error_line

SHAPES = [Fraction(1, 100), Fraction(1, 2), 1, Fraction(3, 2), 7, 1000, INF]
rates = st.fractions(Fraction(1, 100), 10_000, max_denominator=1000)


def load(num: int, rate: Any, seed: int = 0, burstiness: Any = 1) -> RandomLoad:
    return RandomLoad(num, rate, 128, 128, seed, burstiness)


@given(st.integers(1, 40), rates, st.integers(0, 2**63 - 1), st.sampled_from(SHAPES))
def test_the_last_is_sent_at_n_over_rate(num: int, rate: Fraction, seed: int, shape: Any) -> None:
    sent = load(num, rate, seed, shape).arrivals_us()
    assert len(sent) == num
    assert sent == sorted(sent)
    assert sent[0] >= 0
    assert abs(sent[-1] - num * 10**6 / rate) <= Fraction(1, 2)


@given(st.integers(1, 40), st.integers(0, 2**63 - 1), st.sampled_from(SHAPES))
def test_another_rate_stretches_the_same_pattern(num: int, seed: int, shape: Any) -> None:
    fast, slow = [load(num, rate, seed, shape).arrivals_us() for rate in (8, Fraction(1, 2))]
    assert all(abs(16 * early - late) <= 9 for early, late in zip(fast, slow, strict=True))


@pytest.mark.parametrize("shape", SHAPES)
def test_at_rate_inf_all_come_at_once(shape: Any) -> None:
    assert load(3, INF, burstiness=shape).arrivals_us() == [0, 0, 0]


def test_gaps_that_are_all_alike() -> None:
    assert load(4, 8, burstiness=INF).arrivals_us() == [125_000, 250_000, 375_000, 500_000]


@pytest.mark.parametrize("seed", [0, 1, 7, 2**40])
def test_poisson_instants_are_thrown_at_random(seed: int) -> None:
    """All but the last, which is sent at N / rate."""
    random = Random(seed)
    thrown = sorted([random.random() * 12.5 for _ in range(49)])
    for us, seconds in zip(load(50, 4, seed).arrivals_us(), [*thrown, 12.5], strict=True):
        assert abs(us - seconds * 1e6) <= 0.51


def test_the_seed_decides() -> None:
    assert load(9, 4, 5).arrivals_us() == load(9, 4, 5).arrivals_us()
    assert load(9, 4, 5).arrivals_us() != load(9, 4, 6).arrivals_us()


def above_mean(shape: float) -> float:
    """The share of gaps above the mean: of gamma variates of this shape, where the formula is short."""
    if shape == 0.5:
        return math.erfc(math.sqrt(0.5))
    # whole shapes: a Poisson process has fewer than `shape` events by then
    return math.exp(-shape) * math.fsum(shape**k / math.factorial(k) for k in range(int(shape)))


@pytest.mark.parametrize("shape", [Fraction(1, 2), 1, 2, 5])
def test_the_gaps_have_the_shape(shape: Any) -> None:
    """Variance over squared mean is 1 / shape, and so many are longer than the mean: to a few sigma."""
    num = 8000
    sent = load(num, 1, seed=3, burstiness=shape).arrivals_us()
    gaps = [(later - sooner) / 1e6 for sooner, later in zip([0, *sent], sent)]
    squares = math.fsum((gap - 1) ** 2 for gap in gaps) / num
    assert squares == pytest.approx(1 / shape, rel=0.1)
    longer = sum(gap > 1 for gap in gaps) / num
    assert longer == pytest.approx(above_mean(float(shape)), abs=0.02)


def test_the_first_request_waits_a_gap_too() -> None:
    """On the average one of N / rate / N."""
    firsts = [load(10, 1, seed).arrivals_us()[0] / 1e6 for seed in range(2000)]
    assert math.fsum(firsts) / 2000 == pytest.approx(1, rel=0.1)


SAME_EVERYWHERE: list[tuple[int, Any, list[int]]] = [
    (0, 1, [388375, 630857, 766912, 1136932, 1266633, 1500000]),
    (2026, 1, [153955, 178680, 753774, 767734, 1290001, 1500000]),
    (0, Fraction(1, 2), [169259, 380050, 640280, 1283412, 1406266, 1500000]),
    (7, Fraction(1, 2), [459335, 507778, 974357, 1255789, 1370624, 1500000]),
    (0, Fraction(5, 2), [127614, 662768, 755765, 934249, 1268758, 1500000]),
    (0, Fraction(1, 100), [81597, 81870, 81873, 1499994, 1499997, 1500000]),
    (1, 1000, [244848, 501728, 743724, 989239, 1244214, 1500000]),
]


@pytest.mark.parametrize(("seed", "shape", "sent"), SAME_EVERYWHERE)
def test_the_same_on_every_machine(seed: int, shape: Any, sent: list[int]) -> None:
    assert load(len(sent), 4, seed, shape).arrivals_us() == sent


# options


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("4", 4),
        ("4req/s", 4),
        ("0.25 requests/s", Fraction(1, 4)),
        ("240req/min", 4),
        ("30requests/min", Fraction(1, 2)),
        ("12031req/h", Fraction(12031, 3600)),
        (" inf ", INF),
    ],
)
def test_read_rate(text: str, rate: Any) -> None:
    assert read_request_rate(text, "--rate") == rate


@pytest.mark.parametrize(
    ("read", "text", "told"),
    [
        (read_request_rate, "", "requests a second"),
        (read_request_rate, "0", "above zero"),
        (read_request_rate, "-1", "above zero"),
        (read_request_rate, "four", "requests a second"),
        (read_request_rate, "nan", "requests a second"),
        (read_request_rate, "4Hz", "unknown unit"),
        (read_request_rate, "1e3", "without an exponent"),
        (read_request_rate, "1E-9req/s", "without an exponent"),
        (read_request_rates, "1,1e300", "without an exponent"),
        (read_burstiness, "1e0", "without an exponent"),
        (read_request_rate, "1000001", "at most 1000000"),
        (read_request_rates, "1,4,4", "above the one before"),
        (read_request_rates, "8,4", "above the one before"),
        (read_request_rates, "inf,4", "above the one before"),
        (read_request_rates, "4,inf,inf", "above the one before"),
        (read_request_rates, "1,,4", "requests a second"),
        (read_burstiness, "0", "from 0.01 to 1000"),
        (read_burstiness, "0.009", "from 0.01 to 1000"),
        (read_burstiness, "1000.1", "from 0.01 to 1000"),
        (read_burstiness, "x", "from 0.01 to 1000"),
    ],
)
def test_refused(read: Callable[[str, str], Any], text: str, told: str) -> None:
    with pytest.raises(LabError) as caught:
        read(text, "--x")
    assert error_line(caught.value, "en").startswith("error: --x: ")
    assert told in error_line(caught.value, "en")
    assert error_line(caught.value, "zh").isascii() is False


def test_rates_of_a_sweep() -> None:
    assert list(read_request_rates("1,4,8,16,32", "--sweep-rate")) == [1, 4, 8, 16, 32]
    assert list(read_request_rates("90req/min, 2req/s,inf", "--sweep-rate")) == [Fraction(3, 2), 2, INF]


@pytest.mark.parametrize("text", ["0.01", "1", "2.5", "1000"])
def test_burstiness_within_bounds(text: str) -> None:
    assert read_burstiness(text, "--burstiness") == Fraction(text)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"num": 0}, "--random"),
        ({"num": 10**6 + 1}, "--random"),
        ({"input_len": 0}, "--input-len"),
        ({"input_len": 10**9}, "--input-len"),
        ({"output_len": 0}, "--output-len"),
        ({"seed": -1}, "--seed"),
        ({"rate": 0}, "--rate"),
        ({"rate": 10**7}, "--rate"),
        ({"burstiness": 0}, "--burstiness"),
        ({"burstiness": 1001}, "--burstiness"),
    ],
)
def test_a_load_out_of_bounds(changes: dict[str, Any], where: str) -> None:
    with pytest.raises(LabError) as caught:
        load(4, 4).replace(**changes)
    assert caught.value.where == where


@pytest.mark.parametrize("name", [name for name, _, _ in options()])
def test_each_option_has_a_help(name: str) -> None:
    assert name in KNOBS
