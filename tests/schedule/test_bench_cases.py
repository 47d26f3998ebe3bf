"""`schedule bench` on every handed case: what must come out of its figures, as JSON and as a printed block.

Expected values are those of tests/cases/bench.json, met to the places they are written with.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from labs.replay.bench.curve import Curve, curves_of
from labs.replay.bench.reading import Reading
from tests.schedule.bench_check import TESTS, failing, reading_of, reading_of_block, words

CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in json.loads((TESTS / "cases" / "bench.json").read_text(encoding="utf-8"))
}
SWEEPS = [name for name, case in CASES.items() if "points" in case["data"]]
SINGLE = [name for name in CASES if name not in SWEEPS]
FORMS = {"json": reading_of, "block": reading_of_block}
# the case's word for what a result calls otherwise
CALLED = {"throughput": "request_throughput"}
# traps that a case is about; others may show too
TRAPS = {
    "bench-18": {"itl_above_tpot"},
    "bench-19": {"peak_is_not_concurrency"},
    "bench-20": {"itl_below_tpot"},
    "bench-21": {"latency_with_queue", "saturated"},
    "bench-22": {"drain_tail"},
    "bench-26": {"peak_below_average", "retokenized_differs"},
    "bench-29": {"itl_below_tpot", "failures_not_told"},
    "bench-35": {"rate_label_wrong", "zero_tpot", "not_streamed", "retokenized_differs"},
}
CONTRADICTS = {"bench-35": {"duration_at_rate"}}
GENERATIONS = {
    "bench-17": "late 2024",
    "bench-18": "late 2024",
    "bench-19": "2025-08",
    "bench-20": "2024-06",
    "bench-21": "2023",
    "bench-22": "late 2024",
    "bench-26": "sglang",
    "bench-29": "2024-06",
    "bench-35": "sglang",
    "bench-36": "late 2024",
}


def flat(data: dict[str, Any]) -> dict[str, Any]:
    """A case's figures without those of a second run."""
    return {name: value for name, value in data.items() if not isinstance(value, dict)}


def close(found: Fraction, expected: float) -> bool:
    """Whether a figure is the expected one, to the places that is written with; 405.0 stands for 405."""
    places = len(str(expected).partition(".")[2].rstrip("0"))
    return abs(found - Fraction(str(expected))) <= Fraction(1, 2 * 10**places)


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("name", SINGLE)
def test_case(name: str, form: str) -> None:
    """Rates from counts and duration, Little's law, the parts of E2EL."""
    case = CASES[name]
    reading = FORMS[form](flat(case["data"]))
    values = {**reading.recomputed, **reading.estimates}
    for check, expected in case["checks"].items():
        if check != "rate4_throughput":
            assert close(values[CALLED.get(check, check)], expected), check
    assert failing(reading) == CONTRADICTS.get(name, set())
    assert reading.holds == (name not in CONTRADICTS)
    assert TRAPS.get(name, set()) <= words(reading)


@pytest.mark.parametrize("name", GENERATIONS)
def test_generation(name: str) -> None:
    """Since when a result is written with these figures."""
    assert reading_of(flat(CASES[name]["data"])).result.generation == GENERATIONS[name]
    block = reading_of_block(flat(CASES[name]["data"]))
    assert block.result.generation == GENERATIONS[name]


def sweep(name: str, form: str = "json") -> tuple[list[Reading], tuple[Curve, ...]]:
    """All points of a sweep, read, and their curves."""
    readings = [FORMS[form](point) for point in CASES[name]["data"]["points"]]
    return readings, curves_of(readings)


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("name", SWEEPS)
def test_sweep(name: str, form: str) -> None:
    """The curve of one load shape, its peak, and every identity within print accuracy."""
    checks = CASES[name]["checks"]
    readings, curves = sweep(name, form)
    assert len(readings) == checks["points"]
    assert all(reading.holds for reading in readings)
    longest = curves[0]
    rows = [(p.load, p.output_throughput, p.ttft_ms, p.tpot_ms) for p in longest.points]
    assert rows == [tuple(Fraction(str(value)) for value in row) for row in checks["sweep_1024_1024"]]
    assert longest.peak is not None
    best = longest.points[longest.peak]
    assert [best.load, best.output_throughput] == [Fraction(str(value)) for value in checks["peak"]]
    assert longest.knee == longest.peak


@pytest.mark.parametrize("name", SWEEPS)
def test_identities_of_a_sweep(name: str) -> None:
    """Printed output throughput against tokens / duration."""
    readings, _ = sweep(name)
    errors = [
        abs(reading.result.figures["output_throughput"] / reading.recomputed["output_throughput"] - 1)
        for reading in readings
    ]
    assert close(max(errors), CASES[name]["checks"]["identity_max_rel_error"])


def test_a_warm_cache_shows_in_a_sweep() -> None:
    """20 at once waited less than 10, 75 less than 50, 200 less than 100: prefixes of earlier runs."""
    _, curves = sweep("bench-02")
    warm = [point.load for point in curves[0].points if "warm_cache" in point.warnings]
    assert warm == [20, 75, 200]


def test_the_second_run_of_bench_22() -> None:
    """Rate 4 with the same 200 prompts: 1.491 of 4 served, which is saturation and no tail."""
    data = CASES["bench-22"]["data"]
    reading = reading_of({"completed": 200, "request_rate": 4, **data["rate4"]})
    assert close(reading.recomputed["request_throughput"], CASES["bench-22"]["checks"]["rate4_throughput"])
    assert "saturated" in words(reading)


def test_the_two_runs_of_bench_17() -> None:
    """A quarter more throughput and TTFT halved, at 2.5 times the TPOT: goodput may have fallen."""
    data = CASES["bench-17"]["data"]
    main = {"completed": 500, "total_input_tokens": 400000, **data["main"]}
    readings = [reading_of(flat(data)), reading_of(main)]
    (curve,) = curves_of(readings)
    assert [(point.place, point.warnings) for point in curve.points] == [(1, ()), (0, ("tpot_for_ttft",))]
