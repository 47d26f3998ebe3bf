"""The same result given again: a file named twice, a block pasted twice.

    repeat      every figure as an earlier result has it, and no setting that both tell is another: the run's
                arguments may stand before the first of two pasted blocks only

A run that is counted twice would be two points of a curve with nothing between them.
Does not model: one run in full and once more rounded; two runs that happen to be alike in every figure; a
third set of settings between two that fit (the latest one is compared, and those equal to it).
"""

from __future__ import annotations

from labs.replay.bench.warnings import Warned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from labs.files.bench_result import BenchResult
    from labs.replay.bench.reading import Reading

REPEATED = "repeated_result"


def first_places(results: Sequence[BenchResult]) -> list[int]:
    """For each result the place of the first one that is the same, its own if there is none before."""
    same: dict[object, int] = {}
    latest: dict[object, int] = {}
    found: list[int] = []
    for place, one in enumerate(results):
        figures, settings = frozenset(one.figures.items()), frozenset(one.settings.items())
        before = same.get((figures, settings), latest.get(figures))
        fits = before is not None and _fit(results[before].settings, one.settings)
        first = found[before] if before is not None and fits else place
        same.setdefault((figures, settings), first)
        latest[figures] = first
        found.append(first)
    return found


def _fit(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether no setting that both tell is another.

    >>> _fit({"seed": 1}, {}), _fit({"seed": 1}, {"seed": 2})
    (True, False)
    """
    return all(other.get(name, value) == value for name, value in one.items())


def with_repeats(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """The readings, with a warning at each that repeats an earlier one."""
    results = [reading.result for reading in readings]
    found = []
    for place, (reading, first) in enumerate(zip(readings, first_places(results))):
        if first < place:
            where = f"{results[first].path}:{results[first].line}"
            warned = Warned(REPEATED, {"first": where})
            reading = reading.replace(warnings=(*reading.warnings, warned))
        found.append(reading)
    return tuple(found)
