"""Schedule lab, benchmark results: each one recomputed and checked, several put beside each other.

    read        `labs.files.bench_result`: JSON of `vllm bench serve`, or the printed block
    recompute   `labs.replay.bench.recompute`: every aggregate from the lists, by `labs.replay.latency`
    check       `labs.replay.bench.checks`: what the figures of one result must keep among themselves
    curve       `labs.replay.bench.curve`: throughput over rates, the knee, M/M/1 beside it

Source: vLLM 0.32.0, `vllm bench serve`; older forms back to 2023.
Does not model: why a server was as fast as it was; other tools' results, but SGLang's.
"""

from __future__ import annotations

from labs.base import Record, require
from labs.replay.latency import Limits
from labs.replay.limits import is_file, read_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from fractions import Fraction
    from typing import Any

    from labs.files.bench_result import BenchResult
    from labs.replay.bench.curve import Curve
    from labs.replay.bench.reading import Reading

    Word = tuple[BenchResult, ...] | tuple[str, Fraction]


class Params(Record):
    """The results in their order, the limits of a good request if there are any, and a file to write."""

    results: tuple[BenchResult, ...]
    limits: Limits | None = None
    csv: str | None = None


class Result(Record):
    """Each result read, and the curves that several of them make."""

    params: Params
    readings: tuple[Reading, ...]
    curves: tuple[Curve, ...]

    @property
    def holds(self) -> bool:
        """Whether every equality that must hold does, in every result."""
        return all(reading.holds for reading in self.readings)


def run(params: Params) -> Result:
    """Read every result, and put them beside each other."""
    from labs.replay.bench.curve import curves_of
    from labs.replay.bench.reading import read
    from labs.replay.bench.repeats import with_repeats

    readings = with_repeats([read(result, params.limits) for result in params.results])
    return Result(params, readings, curves_of(readings))


def params(
    results: list[Word] | None = None, goodput: list[Word] | None = None, csv: str | None = None
) -> Params:
    """Params of the words given: those that are limits, and the results of the files."""
    from labs.files.bench_result import MAX_RESULTS

    found: list[BenchResult] = []
    limits: dict[str, Any] = {}
    for word in [*(results or []), *(goodput or [])]:
        if isinstance(word[0], str):
            name, value = word
            require(name not in limits, "--goodput", "bench_limit_twice", name)
            limits[name] = value
        else:
            found += word
    require(bool(found), "RESULT", "needs_result", "nothing")
    require(len(found) <= MAX_RESULTS, "RESULT", "bench_too_many", len(found), most=MAX_RESULTS)
    if csv is not None:
        from labs.files.writing import is_same_file

        same = any(is_same_file(path, csv) for path in {result.path for result in found})
        require(not same, "--csv", "is_an_input", csv)
    return Params(tuple(found), Limits(**limits) if limits else None, csv)


def read_word(text: str, where: str) -> Word:
    """A file's results, or a limit such as `ttft:200`."""
    if is_file(text, where == "RESULT"):
        from labs.files.bench_result import read_results

        return read_results(text, "RESULT")
    return read_limit(text, "--goodput")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files and the options; files are read while the line is."""
    from argparse import SUPPRESS

    from labs.options import knob, nonempty_text, reader
    from labs.view.catalog.schedule_bench import KNOBS

    parser.add_argument(
        "results",
        nargs="*",
        type=reader(read_word, "RESULT"),
        metavar="RESULT",
        default=SUPPRESS,
        help=KNOBS["RESULT"],  # type: ignore[arg-type]  # the entry's parser picks the language
    )
    parser.add_argument(
        "--goodput",
        nargs="+",
        action="extend",
        type=reader(read_word, "--goodput"),
        metavar="NAME:MS",
        default=SUPPRESS,
        help=KNOBS["--goodput"],  # type: ignore[arg-type]
    )
    knob(parser, "--csv", nonempty_text, KNOBS["--csv"], metavar="FILE")


def render(result: Result, lang: str) -> str:
    """Each result, the table over rates, the knee, and why."""
    from labs.view.schedule_bench import render_bench

    return render_bench(result, lang)


def document(result: Result) -> dict[str, Any]:
    """The readings and the curves as JSON has them."""
    from labs.view.schedule_bench_json import bench_document

    return bench_document(result)


def files(result: Result) -> dict[str, tuple[str, str]]:
    """The table over rates, where --csv asks for it."""
    if result.params.csv is None:
        return {}
    from labs.view.schedule_bench_csv import rates_csv

    return {"--csv": (result.params.csv, rates_csv(result))}
