"""Rounds as lines and as a chart: one row a request, one column a round."""

from __future__ import annotations

from labs.view.tables import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labs.engine.simulator import Round

MAX_LINES = 100  # longer runs are drawn together where rounds are alike
MAX_COLUMNS = 20  # rounds side by side


def round_lines(rounds: Sequence[Round], t: Mapping[str, str]) -> str:
    """One line a round, in long runs one line for all rounds of a row that are alike."""
    lines, first = [], 0
    while first < len(rounds):
        last = first
        if len(rounds) > MAX_LINES:
            while last + 1 < len(rounds) and rounds[last + 1].work == rounds[first].work:
                last += 1
        number = f"{rounds[first].round}" if first == last else f"{rounds[first].round}-{rounds[last].round}"
        lines.append(
            t["round" if first == last else "rounds"].format(number=number) + _work(rounds[first], t)
        )
        first = last + 1
    return "\n".join(lines)


def _work(round: Round, t: Mapping[str, str]) -> str:
    parts = [f"{item.request} {item.phase} {item.tokens}" for item in round.work]
    return t["comma"].join(parts) or t["idle"]


def chart(rounds: Sequence[Round], names: Sequence[str], t: Mapping[str, str]) -> str:
    """P is prefill tokens, d decode tokens, a dot a round of waiting; below them the unused budget."""
    parts = [t["chart"]]
    charted = rounds if len(rounds) <= MAX_LINES else rounds[:MAX_COLUMNS]
    for start in range(0, len(charted), MAX_COLUMNS):
        shown = charted[start : start + MAX_COLUMNS]
        cells = [_cells(round) for round in shown]
        rows = [[t["column_request"], *(str(round.round) for round in shown)]]
        rows += [[name, *(column.get(name, "") for column in cells)] for name in names]
        rows.append([t["unused"], *(str(round.unused_budget) for round in shown)])
        parts.append(table(rows))
    if len(rounds) > len(charted):
        parts.append(t["more_rounds"].format(more=len(rounds) - len(charted)))
    return "\n".join(part.removesuffix("\n") for part in parts)


def _cells(round: Round) -> dict[str, str]:
    cells = {
        item.request: ("P" if item.phase == "prefill" else "d") + str(item.tokens) for item in round.work
    }
    return {**dict.fromkeys(round.waiting, "."), **cells}
