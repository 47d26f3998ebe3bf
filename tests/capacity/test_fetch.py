"""Fetching KV against recomputing it: the course's problem, cases worked by hand, break-evens as properties.

Turned red by: an overlap taken off twice or not at all, bits taken for bytes, the larger of links and host
limit, a break-even that is off by one or on the wrong side.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.capacity_fetch import Params, Result, run
from labs.sizing.fetch import (
    EffectiveRate,
    break_even_bandwidth,
    break_even_length,
    break_even_overlap_ms,
    effective_rate,
)

if TYPE_CHECKING:
    from tests.conftest import RunJson

COURSE: dict[str, object] = {
    "lookup_ms": 3,
    "data_path_ms": 20,
    "conversion_ms": 7,
    "overlap_ms": 8,
    "fetch_ms": 22,
    "recompute_ms": 60,
    "saving_ms": 38,
    "fetch_wins": True,
}
SLOW_STEPS = "--lookup 10ms --conversion 20ms --overlap 0ms --recompute-rate 5000tok/s --tokens 1000"
# words -> figures; `.` goes into break_even
BY_HAND: dict[str, dict[str, object]] = {
    "": COURSE,
    "--lookup 3000us --data-path 0.02s --conversion 7000000ns --overlap 8ms --recompute 60ms": COURSE,
    # all 30 ms overlap: nothing is left to pay
    "--overlap 30ms": {"fetch_ms": 0, "saving_ms": 60},
    "--overlap 0ms": {"fetch_ms": 30, "saving_ms": 30},
    # 3 + 20 + 7 - 8 = 22: a draw, which fetching does not win; the overlap that there is breaks even
    "--recompute 22ms": {"saving_ms": 0, "fetch_wins": False, ".overlap_ms": 8},
    "--recompute 10ms": {"saving_ms": -12, "fetch_wins": False, ".overlap_ms": 20},
    "--recompute 0ms": {"fetch_wins": False, ".overlap_ms": None, ".overlap_reason": "never"},
    # 50e6 B x 8 / 4e11 bit/s = 1 ms; 4e8 bit in the 60 - 2 ms that recomputing leaves = 6896551724.14 bit/s
    "--size 50MB --bandwidth 400Gbit/s": {
        "size_bytes": 50_000_000,
        "data_path_ms": 1,
        "fetch_ms": 3,
        "saving_ms": 57,
        "limited_by": "links",
        ".bandwidth_bits_per_s": 6896551724.137931,
        ".tokens": None,
        ".tokens_reason": "not_given",
    },
    # the fixed 3 + 7 - 8 = 2 ms alone are as long as recomputing
    "--size 50MB --bandwidth 400Gbit/s --recompute 2ms": {
        "saving_ms": -1,
        ".bandwidth_bits_per_s": None,
        ".bandwidth_reason": "never",
    },
    # 1000 x 100 kB = 8e8 bit / 8e9 bit/s = 100 ms; cost 10 + 100 + 20 = 130; 1000 / 5000 = 200 ms.
    # A token: 0.2 ms against 0.1 ms; 30 / 0.1 = 300 tokens, a draw, so from 301. 8e8 bit / (200 - 30 ms).
    f"{SLOW_STEPS} --kv-per-token 100kB --bandwidth 8Gbit/s": {
        "size_bytes": 100_000_000,
        "kv_bytes_per_token": 100_000,
        "data_path_ms": 100,
        "fetch_ms": 130,
        "recompute_ms": 200,
        "saving_ms": 70,
        "effective_bandwidth_bits_per_s": 8 * 10**9,
        ".tokens": 301,
        ".exact_tokens": 300,
        ".tokens_side": "from",
        ".tokens_reason": None,
        ".bandwidth_bits_per_s": 4705882352.941176,
        ".overlap_ms": -70,
    },
    # the same data, given as a size: 100 MB / 1000 tokens
    f"{SLOW_STEPS} --size 100MB --bandwidth 1GB/s": {
        "kv_bytes_per_token": 100_000,
        "fetch_ms": 130,
        ".tokens": 301,
    },
    # 4 x 2 = 8 Gbit/s, the host lets 4 through: 200 ms. A token takes 0.2 ms either way, so 30 ms stay lost.
    f"{SLOW_STEPS} --kv-per-token 100kB --bandwidth 2Gbit/s --links 4 --host-limit 4Gbit/s": {
        "effective_bandwidth_bits_per_s": 4 * 10**9,
        "limited_by": "host",
        "fetch_ms": 230,
        "saving_ms": -30,
        ".tokens": None,
        ".exact_tokens": None,
        ".tokens_side": None,
        ".tokens_reason": "never",
        ".overlap_ms": 30,
    },
    # 4 x 2 = 8 Gbit/s, exactly what the host lets through: the links bind
    f"{SLOW_STEPS} --kv-per-token 100kB --bandwidth 2Gbit/s --links 4 --host-limit 8Gbit/s": {
        "effective_bandwidth_bits_per_s": 8 * 10**9,
        "limited_by": "links",
        "fetch_ms": 130,
    },
    # an overlap of 40 ms makes the fixed part -10 ms: at 0.2 ms a token either way fetching leads by it
    f"{SLOW_STEPS} --kv-per-token 100kB --bandwidth 4Gbit/s --overlap 40ms": {
        "saving_ms": 10,
        ".tokens": None,
        ".tokens_reason": "always",
    },
    # at 0.4 ms against 0.2 ms a token the 10 ms last for 50 tokens, a draw, so up to 49
    f"{SLOW_STEPS} --kv-per-token 100kB --bandwidth 2Gbit/s --overlap 40ms": {
        "fetch_ms": 390,
        ".tokens": 49,
        ".exact_tokens": 50,
        ".tokens_side": "up_to",
    },
    # 8192 x 131072 B = 1 GiB: 21.474836 ms; a token: 0.125 against 0.00262144 ms; 2 / 0.12237856 = 16.342732
    "--tokens 8192 --model llama-3-8b --bandwidth 400Gbit/s --recompute-rate 8ktok/s": {
        "size_bytes": 2**30,
        "data_path_ms": 21.474836,
        "fetch_ms": 23.474836,
        "recompute_ms": 1024,
        ".tokens": 17,
        ".exact_tokens": 16.342732,
    },
    # 32 layers x 1 of 8 KV heads x 128 x (K+V) x 1 byte = 8192 B a token on each of 8 ranks
    "--tokens 1000 --model llama-3-8b --kv-dtype fp8 --tp 8 --bandwidth 400Gbit/s": {
        "kv_bytes_per_token": 8192,
        "size_bytes": 8_192_000,
    },
}


@pytest.mark.parametrize("words", BY_HAND)
def test_by_hand(words: str, run_json: RunJson) -> None:
    document = run_json(["capacity", "fetch", *words.split()])
    result = document["result"]
    found = {key: result["break_even"][key[1:]] if key[0] == "." else result[key] for key in BY_HAND[words]}
    assert document["lab"] == "capacity fetch"
    assert found == BY_HAND[words]


def test_a_config_gives_what_the_model_of_the_same_name_does(run_json: RunJson, root: Any) -> None:
    config = str(root / "tests" / "cases" / "configs" / "llama-3.1-8b.json")
    rest = ["--tokens", "100", "--bandwidth", "1GB/s"]
    by_file = run_json(["capacity", "fetch", "--config", config, *rest])
    assert by_file["result"]["size_bytes"] == 100 * 131072
    assert by_file["params"]["config"] == config
    assert by_file["result"] == run_json(["capacity", "fetch", "--model", "llama-3.1-8b", *rest])["result"]


def test_params_hold_what_counts_in_this_run(run_json: RunJson) -> None:
    """Defaults where they are used, null where a value follows from others."""
    times = run_json(["capacity", "fetch"])["params"]
    assert (times["lookup"], times["data_path"], times["recompute"], times["links"]) == (3, 20, 60, None)
    words = "--tokens 5 --model qwen3-8b --bandwidth 1Gbit/s --recompute-rate 0.5tok/s --lookup 1.5us"
    whole = run_json(["capacity", "fetch", *words.split()])["params"]
    assert (whole["data_path"], whole["recompute"], whole["links"]) == (None, None, 1)
    assert (whole["lookup"], whole["recompute_rate"], whole["bandwidth"]) == (0.0015, 0.5, 10**9)
    assert (whole["kv_dtype"], whole["tp"]) == ("bfloat16", 1)


MS = st.fractions(0, 200, max_denominator=1000)
PER_TOKEN = st.fractions(Fraction(1, 1000), 10, max_denominator=1000)


def cost(fixed: Fraction, fast: Fraction, tokens: Fraction | int) -> Fraction:
    """A fetch's cost; one whose steps are shorter than the overlap costs nothing."""
    return max(fixed + fast * tokens, Fraction(0))


@given(st.fractions(-200, 200, max_denominator=1000), PER_TOKEN, PER_TOKEN, st.integers(1, 10**6))
def test_length(fixed: Fraction, slow: Fraction, fast: Fraction, tokens: int) -> None:
    """At the crossing both cost the same; the winner is as told there, next to it and anywhere else."""
    length = break_even_length(fixed, slow, fast)
    told = {"always": True, "never": False}
    if length.exact_tokens is not None and length.tokens is not None:
        assert cost(fixed, fast, length.exact_tokens) == slow * length.exact_tokens
        step = 1 if length.side == "from" else -1
        assert cost(fixed, fast, length.tokens) < slow * length.tokens
        assert cost(fixed, fast, length.tokens - step) >= slow * (length.tokens - step)
        told = {"from": tokens >= length.tokens, "up_to": tokens <= length.tokens}
    assert (cost(fixed, fast, tokens) < slow * tokens) == told[length.side]


@given(st.integers(1, 10**12), st.fractions(-200, 200, max_denominator=1000), MS, st.integers(1, 10**13))
def test_bandwidth(num_bytes: int, fixed: Fraction, recompute: Fraction, rate: int) -> None:
    """At the crossing both cost the same, above it fetching wins, below it not; or it wins at no rate."""
    crossing = break_even_bandwidth(num_bytes, fixed, recompute)
    wins = cost(fixed, Fraction(8000 * num_bytes, rate), 1) < recompute
    if crossing is None:
        assert not wins
        return
    assert cost(fixed, 8000 * num_bytes / crossing, 1) == recompute
    assert wins == (rate > crossing)


@given(MS, MS, st.fractions(0, 1, max_denominator=100))
def test_overlap(steps: Fraction, recompute: Fraction, part: Fraction) -> None:
    """Any part of the steps that overlaps makes fetching win exactly if it is more than the break-even."""
    crossing = break_even_overlap_ms(steps, recompute)
    wins = steps - part * steps < recompute
    assert wins == (crossing is not None and part * steps > crossing)
    if crossing is None:
        assert recompute == 0
    else:
        assert steps - crossing == recompute


@given(st.integers(1, 10**12), st.integers(1, 64), st.none() | st.integers(1, 10**13))
def test_effective_rate(bandwidth: int, links: int, host: int | None) -> None:
    rate = effective_rate(bandwidth, links, host)
    if host is None:
        assert rate == EffectiveRate(links * bandwidth, "links")
    else:
        assert rate.bits_per_s <= links * bandwidth
        assert rate.bits_per_s <= host
        assert rate.bits_per_s == {"links": links * bandwidth, "host": host}[rate.limited_by]


CASES = st.fixed_dictionaries(
    {
        "lookup": MS,
        "conversion": MS,
        "overlap": MS,
        "tokens": st.integers(1, 10_000),
        "kv_per_token": st.integers(1, 10**6),
        "bandwidth": st.integers(10**6, 10**12),
        "links": st.integers(1, 8),
        "host_limit": st.integers(10**6, 10**13),
        "recompute_rate": st.integers(1, 10**6),
    }
)


def ran(case: dict[str, Any], **changes: Any) -> Result:
    """A run whose overlap is cut to what can overlap."""
    values = {**case, **changes}
    steps = Params(**{**values, "overlap": 0}).steps_ms()
    return run(Params(**{**values, "overlap": min(values["overlap"], steps)}))


@given(CASES)
def test_the_formula_from_the_raw_values(case: dict[str, Any]) -> None:
    """Cost, recompute time and saving, worked out here from bytes, bits and tokens."""
    result = ran(case)
    rate = min(case["links"] * case["bandwidth"], case["host_limit"])
    data_path = Fraction(case["tokens"] * case["kv_per_token"] * 8 * 1000, rate)
    steps = case["lookup"] + data_path + case["conversion"]
    fetch = max(steps - case["overlap"], Fraction(0))
    recompute = Fraction(case["tokens"] * 1000, case["recompute_rate"])
    assert (result.costs.fetch_ms, result.costs.recompute_ms) == (fetch, recompute)
    assert (result.costs.saving_ms, result.costs.fetch_wins) == (recompute - fetch, fetch < recompute)


@given(CASES)
def test_one_token_flips_the_winner(case: dict[str, Any]) -> None:
    """Run again at the length told and at its neighbour: here fetching wins, there it does not.

    The overlap is cut to look-up and conversion, as a longer one would not fit every length.
    """
    case["overlap"] = min(case["overlap"], case["lookup"] + case["conversion"])
    length = ran(case).length
    assert length is not None
    if length.tokens is None:
        assert all(ran(case, tokens=n).costs.fetch_wins == (length.side == "always") for n in (1, 10**9))
        return
    assert length.side == "from"
    assert ran(case, tokens=length.tokens).costs.fetch_wins
    assert length.tokens == 1 or not ran(case, tokens=length.tokens - 1).costs.fetch_wins


@given(CASES, st.integers(2, 5))
def test_monotonic(case: dict[str, Any], times: int) -> None:
    """What adds work never lowers the cost, what takes it off or speeds it up never raises it."""
    fetch = ran(case).costs.fetch_ms
    for name in ("lookup", "conversion", "kv_per_token", "tokens"):
        assert ran(case, **{name: case[name] * times}).costs.fetch_ms >= fetch
    for name in ("overlap", "bandwidth", "links", "host_limit"):
        assert ran(case, **{name: case[name] * times}).costs.fetch_ms <= fetch
    faster = ran(case, recompute_rate=case["recompute_rate"] * times)
    assert faster.costs.saving_ms < ran(case).costs.saving_ms
