"""The schedule lab's result as text: rounds as lines, then a chart of requests by rounds, then why."""

from __future__ import annotations

from labs.view.catalog.schedule import TEXTS
from labs.view.languages import texts
from labs.view.tables import paragraph, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from labs.engine.simulator import Round, Work
    from labs.schedule import Params, Result

MAX_LINES = 100  # longer runs are drawn together where rounds are alike
MAX_COLUMNS = 20  # rounds side by side


def render_schedule(result: Result, lang: str) -> str:
    t, params, trace = texts(TEXTS, lang), result.params, result.run
    asked = [[t["column_request"], "prefill", "decode", t["column_arrive"]]]
    for request in params.requests:
        decode = "inf" if request.decode is None else request.decode
        asked.append([request.name, *map(str, (request.prefill, decode, request.arrive))])
    became = [t["outcome_columns"].split("|")]
    for outcome in trace.outcomes:
        state = "finished" if outcome.finished else "unfinished"
        if outcome.name in trace.starved:
            state = "starved"
        rounds = [outcome.first_round or "-", outcome.last_round or "-", outcome.waited_rounds]
        became.append([outcome.name, *map(str, rounds), t[state]])
    parts = [
        t["setup"].format(budget=params.budget, rule=params.rule) + "\n" + _unused_keys(params, t),
        table(asked),
        round_lines(trace.rounds, t),
        chart(trace.rounds, [request.name for request in params.requests], t),
        table(became),
        _ending(result, t),
        "\n".join(
            [paragraph(t["why"] + _why(result, t)), paragraph(t["not_shown"]), t[_next_command(params)]]
        ),
    ]
    return "\n".join(part.removesuffix("\n") + "\n" for part in parts if part)


def _next_command(params: Params) -> str:
    """What to try next: the course's exercise, then a stream without end, then the lecture again."""
    if any(request.decode is None for request in params.requests):
        return "next_lecture"
    return "next_endless" if params.budget == 2 else "next"


def _unused_keys(params: Params, t: dict[str, str]) -> str:
    """Say which keys were given that the rule does not look at."""
    keys = [key for key in ("priority", "salt") if any(getattr(r, key) for r in params.requests)]
    return t["unused_keys"].format(keys=t["list"].join(keys), rule=params.rule) if keys else ""


def _ending(result: Result, t: dict[str, str]) -> str:
    """That the run was cut off, if it was, who starved, and what fairness would need."""
    params, starved = result.params, result.run.starved
    if all(outcome.finished for outcome in result.run.outcomes):
        return ""
    ending = t["cut_off"].format(rounds=params.rounds)
    if starved:
        half = params.rounds // 2
        work = [item for round in result.run.rounds[half:] for item in round.work]
        served = list(dict.fromkeys(item.request for item in work))
        waits_for_prefill = all(r.prefill > 0 for r in params.requests if r.name in starved)
        names = {"starved": t["list"].join(starved), "served": t["list"].join(served)}
        ending += "\n" + t["starved_line"].format(first=half + 1, rounds=params.rounds, **names)
        ending += t[
            "fairness_decodes" if all(item.phase == "decode" for item in work) else "fairness_order"
        ].format(budget=params.budget, victims=t["prefills" if waits_for_prefill else "others"], **names)
    return paragraph(ending)


def _why(result: Result, t: dict[str, str]) -> str:
    """The first prefill that was cut and the first wait, in the order of rounds; then the longest wait."""
    params, outcomes = result.params, result.run.outcomes
    reasons = []
    waited = next((round for round in result.run.rounds if round.waiting), None)
    if waited is not None:
        busy = t["list"].join(_served(item) for item in waited.work)
        values = {"round": waited.round, "busy": busy, "waiting": t["list"].join(waited.waiting)}
        reasons.append((waited.round, t["why_wait"].format(budget=params.budget, **values)))
    cut = _first_cut(result, t)
    if cut is not None:
        text = t["why_cut" if cut["taken"] else "why_cut_alone"]
        reasons.append((cut["round"], text.format(budget=params.budget, **cut)))
    said = [text for _, text in sorted(reasons)]
    longest = max(outcome.waited_rounds for outcome in outcomes)
    if longest:
        names = [outcome.name for outcome in outcomes if outcome.waited_rounds == longest]
        said.append(t["why_most"].format(names=t["list"].join(names), waited=longest))
    if not said:
        widest = max(params.budget - round.unused_budget for round in result.run.rounds)
        said.append(t["why_fits"].format(budget=params.budget, widest=widest))
    return t["join"].join(said)


def _first_cut(result: Result, t: dict[str, str]) -> dict[str, Any] | None:
    """The first prefill that got less than it still needed, and what was served before it."""
    left = {request.name: request.prefill for request in result.params.requests}
    for round in result.run.rounds:
        for place, item in enumerate(round.work):
            if item.phase == "prefill" and item.tokens < left[item.request]:
                before = round.work[:place]
                return {
                    "round": round.round,
                    "name": item.request,
                    "tokens": item.tokens,
                    "left": left[item.request],
                    "before": t["list"].join(_served(other) for other in before),
                    "taken": sum(other.tokens for other in before),
                }
            if item.phase == "prefill":
                left[item.request] -= item.tokens
    return None


def _served(work: Work) -> str:
    return f"{work.request} {work.phase} {work.tokens}"


def round_lines(rounds: Sequence[Round], t: dict[str, str]) -> str:
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


def _work(round: Round, t: dict[str, str]) -> str:
    return t["comma"].join(_served(item) for item in round.work) or t["idle"]


def chart(rounds: Sequence[Round], names: Sequence[str], t: dict[str, str]) -> str:
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
