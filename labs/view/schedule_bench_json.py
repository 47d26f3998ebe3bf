"""Benchmark results as JSON has them: one entry a result, then the curves over rates."""

from __future__ import annotations

from fractions import Fraction

from labs.files.bench_fields import COUNTS
from labs.view.units import rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.replay.bench.curve import Curve, Point
    from labs.replay.bench.reading import Reading
    from labs.schedule_bench import Result


def bench_document(result: Result) -> dict[str, Any]:
    """Counts as integers, all else to 6 places; `rates` and `knee` are those of the longest curve."""
    params = result.params
    first = result.curves[0]
    words = {point.place: point.warnings for curve in result.curves for point in curve.points}
    limits = None if params.limits is None else params.limits.as_dict()
    return {
        "params": {
            "results": list(dict.fromkeys(one.path for one in params.results)),
            "goodput": limits
            and {name: number(value) for name, value in limits.items() if value is not None},
            "csv": params.csv,
        },
        "result": {
            "holds": result.holds,
            "files": [
                _reading(reading, words.get(place, ())) for place, reading in enumerate(result.readings)
            ],
            **_curve(first, result),
            "curves": [_curve(curve, result) for curve in result.curves],
        },
    }


def number(value: Any, name: str = "") -> Any:
    """A value as JSON takes it: counts and whole settings as integers, fractions to 6 places."""
    if isinstance(value, Fraction):
        if value.denominator == 1 and (name in COUNTS or name in ("num_prompts", "max_concurrency", "seed")):
            return int(value)
        return rounded(value.numerator, value.denominator, 6) / 10**6
    return value


def _numbers(values: dict[str, Any]) -> dict[str, Any]:
    return {name: number(value, name) for name, value in values.items()}


def _reading(reading: Reading, of_curve: tuple[str, ...]) -> dict[str, Any]:
    one = reading.result
    return {
        "path": one.path,
        "line": one.line,
        "form": one.form,
        "tool": one.tool,
        "generation": one.generation,
        "settings": _numbers(one.settings),
        "figures": _numbers(one.figures),
        "recomputed": _numbers(reading.recomputed),
        "compared": list(reading.compared),
        "differing": [
            {
                "name": difference.name,
                "printed": number(difference.printed, difference.name),
                "recomputed": number(difference.recomputed, difference.name),
                "mistake": difference.mistake,
            }
            for difference in reading.differing
        ],
        "checks": [
            {name: number(value) for name, value in check.as_dict().items()} for check in reading.checks
        ],
        "estimates": _numbers(reading.estimates),
        "true_peak": reading.true_peak,
        "good_requests": reading.good,
        "goodput": number(reading.goodput),
        "warnings": [*[warned.word for warned in reading.warnings], *of_curve],
        "warned": [{"word": warned.word, **_numbers(dict(warned.values))} for warned in reading.warnings],
        "is_checked": reading.is_checked,
        "holds": reading.holds,
    }


def _curve(curve: Curve, result: Result) -> dict[str, Any]:
    return {
        "load": curve.load_kind,
        "throughput": curve.throughput_kind,
        "rates": [_point(point, result) for point in curve.points],
        "knee": None if curve.knee is None else _point(curve.points[curve.knee], result),
        "peak": None if curve.peak is None else _point(curve.points[curve.peak], result),
        "capacity": number(curve.capacity),
        "plan": number(curve.plan),
        "contradicting": [
            result.params.results[curve.points[place].place].path for place in curve.contradicting
        ],
    }


def _point(point: Point, result: Result) -> dict[str, Any]:
    return {
        "path": result.params.results[point.place].path,
        "rate": number(point.load, "completed"),
        "request_throughput": number(point.request_throughput),
        "output_throughput": number(point.output_throughput),
        "mean_ttft_ms": number(point.ttft_ms),
        "mean_tpot_ms": number(point.tpot_ms),
        "mean_e2el_ms": number(point.e2el_ms),
        "goodput": number(point.goodput),
        "mm1_wait_s": number(point.mm1_wait_s),
        "warnings": list(point.warnings),
    }
