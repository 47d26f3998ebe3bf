"""The time of a step and of many in a row, by hand and step by step; rates and terms as they are written."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.replay.cost_options import options, read_byte_rate, read_cost, read_count, read_flop_rate
from labs.replay.step_cost import (
    StatedRates,
    StepCost,
)
from labs.view.catalog.schedule_replay import KNOBS
from labs.view.errors import error_line

BY_HAND = [
    pytest.param((0, 0, 0), Fraction(5), id="an empty step takes the base"),
    pytest.param((100, 0, 0), Fraction(7), id="100 prefill tokens of 20 us"),
    pytest.param((0, 8, 0), Fraction("5.8"), id="8 decodes of 100 us"),
    pytest.param((0, 0, 1_000_000), Fraction(45), id="a million KV tokens of 40 ns"),
    pytest.param((512, 8, 12_000), Fraction("16.52"), id="all of it: 5 + 10.24 + 0.8 + 0.48"),
]


@pytest.mark.parametrize(("counts", "ms"), BY_HAND)
def test_a_step_by_hand(counts: tuple[int, int, int], ms: Fraction) -> None:
    cost = read_cost("base=5ms,prefill=20us,decode=100us,kv=40ns", "--cost")
    assert cost.step_ms(*counts) == ms


def test_terms_of_llama_3_8b_on_one_h100() -> None:
    """8.03e9 parameters at 16 bits, 128 KiB of KV a token; 989 TFLOP/s, 3.35 TB/s: by hand."""
    rates = StatedRates(8_030_000_000, 131072, 989 * 10**12, 3350 * 10**9)
    assert rates.cost() == StepCost(
        base=Fraction(16_060, 3350),  # 16.06 GB, 4.79 ms
        prefill=Fraction(1606, 98_900),  # 16.06 GFLOP, 16.2 us
        decode=Fraction(1606, 98_900),
        kv=Fraction(131_072, 3_350_000_000),  # 39.1 ns
    )


def test_the_weights_may_be_stated_and_the_rest_stays() -> None:
    rates = StatedRates(10**9, 1000, 10**12, 10**9, weight_bytes=5 * 10**8)
    assert rates.cost().terms == (500, 2, 2, Fraction(1, 1000))


rate = st.integers(1, 10**6)


@given(rate, rate, rate, rate, st.integers(0, 10**4), st.integers(0, 300), st.integers(0, 10**6))
def test_the_sum_is_between_a_roofline_and_twice_that(
    parameters: int, kv: int, flops: int, memory: int, prefill: int, decodes: int, kv_tokens: int
) -> None:
    """Perfect overlap: the longer of computing and reading."""
    step = StatedRates(parameters, kv, flops, memory).cost().step_ms(prefill, decodes, kv_tokens)
    computing = Fraction(2000 * parameters * (prefill + decodes), flops)
    reading = Fraction(1000 * (2 * parameters + kv * kv_tokens), memory)
    assert step == computing + reading
    assert max(computing, reading) <= step <= 2 * max(computing, reading)


@pytest.mark.parametrize(
    "changes",
    [
        {"parameters": 0},
        {"flops_per_s": 0},
        {"bytes_per_s": 0},
        {"kv_bytes_per_token": -1},
        {"weight_bytes": -1},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_rates_out_of_bounds(changes: dict[str, Any]) -> None:
    with pytest.raises(LabError):
        StatedRates(10**9, 1000, 10**12, 10**9).replace(**changes)


@pytest.mark.parametrize("place", range(4))
def test_no_term_is_below_zero(place: int) -> None:
    with pytest.raises(LabError) as caught:
        StepCost(*[-1 if place == other else 1 for other in range(4)])
    assert caught.value.rule == "cost_below_zero"


def test_a_cost_takes_some_time() -> None:
    with pytest.raises(LabError) as caught:
        StepCost(0, 0, 0, 0)
    assert caught.value.rule == "cost_is_nothing"


# ticks


def test_a_clock_on_which_every_term_is_whole() -> None:
    cost = StepCost(Fraction(5, 4), Fraction(1, 6), 3, 0)
    assert cost.ticks_per_ms == 12
    assert cost.in_ticks(12) == (15, 2, 36, 0)
    assert cost.in_ticks(36) == (45, 6, 108, 0)
    with pytest.raises(AssertionError):
        cost.in_ticks(18)


# options


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("base=5ms", (5, 0, 0, 0)),
        ("kv=40ns, base=1s", (1000, 0, 0, Fraction(4, 10**5))),
        (" decode = 100 us ,prefill=0ms", (0, 0, Fraction(1, 10), 0)),
        ("base=4.79ms,prefill=16.2us,decode=16.2us,kv=39.1ns", None),
    ],
)
def test_read_cost(text: str, terms: tuple[Fraction, ...] | None) -> None:
    expected = terms or tuple(Fraction(t) for t in ("4.79", "0.0162", "0.0162", "0.0000391"))
    assert read_cost(text, "--cost").terms == expected


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (read_flop_rate, "989TFLOP/s", 989 * 10**12),
        (read_flop_rate, "989.5 TFLOPS", 9895 * 10**11),
        (read_flop_rate, "1PFLOP/s", 10**15),
        (read_flop_rate, "500GFLOPs", 5 * 10**11),
        (read_byte_rate, "3.35TB/s", 335 * 10**10),
        (read_byte_rate, "2TiB/s", 2 << 40),
        (read_byte_rate, "0.9 GB/s", 9 * 10**8),
        (read_count, "8030261248", 8_030_261_248),
        (read_count, "8.03B", 8_030_000_000),
        (read_count, "494 M", 494_000_000),
        (read_count, "1.5T", 15 * 10**11),
    ],
)
def test_rates_and_counts(read: Callable[[str, str], Fraction], text: str, value: int) -> None:
    assert read(text, "--x") == value


@pytest.mark.parametrize(
    ("read", "text", "told"),
    [
        (read_cost, "", "must be terms"),
        (read_cost, "5ms", "must be terms"),
        (read_cost, "base=5", "5ms or 5s?"),
        (read_cost, "base=5ms,base=6ms", "twice"),
        (read_cost, "base=5ms,", "must be terms"),
        (read_cost, "base=-5ms", "number with a unit"),
        (read_cost, "tokens=5ms", "base, prefill, decode, kv"),
        (read_cost, "base=0ms", "above zero"),
        (read_cost, "base=5min", "ns, us, ms, s"),
        (read_cost, "base=nanms", "number with a unit"),
        (read_flop_rate, "989", "989TFLOP/s or 989GFLOP/s?"),
        (read_flop_rate, "989TB/s", "unknown unit"),
        (read_flop_rate, "0TFLOP/s", "more than zero"),
        (read_flop_rate, "1e3TFLOP/s", "without an exponent"),
        (read_byte_rate, "3.35", "3.35TB/s or 3.35GB/s?"),
        (read_byte_rate, "400Gbit/s", "unknown unit"),
        (read_byte_rate, "0GB/s", "more than zero"),
        (read_count, "0", "whole number above zero"),
        (read_count, "1.5", "whole number above zero"),
        (read_count, "-3B", "whole number above zero"),
        (read_count, "B", "whole number above zero"),
        (read_count, "8GiB", "unknown unit"),
        (read_count, "8e9", "without an exponent"),
        (read_count, "9" * 99, "whole number above zero"),
    ],
)
def test_refused(read: Callable[[str, str], Any], text: str, told: str) -> None:
    with pytest.raises(LabError) as caught:
        read(text, "--x")
    line = error_line(caught.value, "en")
    assert line.startswith("error: --x: ")
    assert told in line
    assert error_line(caught.value, "zh").isascii() is False


@pytest.mark.parametrize("name", [name for name, _, _ in options()])
def test_each_option_has_a_help(name: str) -> None:
    assert name in KNOBS
