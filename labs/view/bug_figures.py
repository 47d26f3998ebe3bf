"""What a broken run counts beside the right counts: the prefix cache's counters, and TPOT."""

from __future__ import annotations

from labs.view.tables import table
from labs.view.units import trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    from labs.schedule_bug import Result

MAX_FIGURES = 30


def figures(result: Result, t: dict[str, str]) -> list[str]:
    """A table under the rounds, for the bugs that only count wrong."""
    shows = result.params.bug.shows
    if result.right is None or shows == "rounds":
        return []
    heads, *rows = _counts(result, t) if shows == "counters" else _tpots(result, t)
    if len(rows) > MAX_FIGURES:
        rows = [*rows[:MAX_FIGURES], [t["more"], *[""] * (len(heads) - 1)]]
    return ["", table([heads, *rows]).removesuffix("\n")]


def _counts(result: Result, t: dict[str, str]) -> list[list[str]]:
    """The counters after each round with an admission."""
    assert result.right is not None
    rows = [[t["column_round"], *t["columns_counts"].split("|"), ""]]
    ours = {count.round: count for count in result.right.counts}  # the last of a round stands
    theirs = {count.round: count for count in result.broken.counts}
    for number, right in ours.items():
        broken = theirs[number]
        mark = t["breaks_here"] if result.first is not None and result.first.step == number else ""
        cells = (right.queries, right.hits, broken.queries, broken.hits)
        rows.append([str(number), *map(str, cells), mark])
    return rows


def _tpots(result: Result, t: dict[str, str]) -> list[list[str]]:
    """One row a request, in the order of finishing."""
    assert result.right is not None
    rows = [[*t["columns_tpots"].split("|"), ""]]
    for place, (right, broken) in enumerate(zip(result.right.tpots, result.broken.tpots), 1):
        mark = t["breaks_here"] if result.first is not None and result.first.step == place else ""
        counts = (place, right.request, right.outputs, right.first, right.last)
        rows.append([*map(str, counts), _rounds(right.rounds, t), _rounds(broken.rounds, t), mark])
    return rows


def _rounds(value: Fraction | None, t: dict[str, str]) -> str:
    return t["none"] if value is None else trimmed(value.numerator, value.denominator)
