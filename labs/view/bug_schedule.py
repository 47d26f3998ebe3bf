"""A broken scheduler's run beside the right one, round by round, as text."""

from __future__ import annotations

from fractions import Fraction

from labs.view.bug_figures import figures
from labs.view.bug_parts import ending, title
from labs.view.catalog.bugs import TEXTS
from labs.view.errors import error_line
from labs.view.languages import texts
from labs.view.schedule_why import served
from labs.view.tables import paragraph, shortened, table
from labs.view.units import trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.bugs import Bug
    from labs.bugs.account import Case
    from labs.engine.simulator import Round, Run
    from labs.schedule_bug import Result

MAX_ROUNDS = 30
MAX_CELL, MAX_PROMPT, MAX_HELD = 80, 44, 300  # characters
AROUND = 4  # rounds shown before and after those that matter, in longer runs


def render_schedule_bug(result: Result, lang: str) -> str:
    """The page, ending in one newline."""
    t, params, first = texts(TEXTS, lang), result.params, result.first
    bug = params.bug
    lines = [
        title(bug, lang),
        *_setup(params.case, t),
        "",
        _requests(params.case, t),
        "",
        _rounds(result, t),
        *figures(result, t),
        "",
        *_parting(result, t, lang),
        *ending(bug, first, _values(result, t), params.is_own, lang),
    ]
    return "\n".join(lines) + "\n"


def _setup(case: Case, t: dict[str, str]) -> list[str]:
    knobs = case.knobs
    blocks = t["unlimited"] if knobs.kv_blocks is None else knobs.kv_blocks
    caching = t["on" if knobs.prefix_caching else "off"]
    lines = [t["knobs"].format(budget=knobs.budget, blocks=blocks, size=knobs.block_size, caching=caching)]
    if case.external is None:
        return lines
    reports = case.external.reports.items()
    for name, answers in case.external.answers.items():
        loads = [tokens for tokens, is_async in answers if is_async and tokens]
        steps = [step for step, report in reports if name in report.finished_recving]
        if loads:
            text = t["load" if steps else "no_report"]
            lines.append(text.format(tokens=loads[0], name=name, round=min(steps, default=None)))
    return lines


def _requests(case: Case, t: dict[str, str]) -> str:
    with_prompts = any(request.prompt for request in case.requests)
    rows = [t["columns_requests"].split("|") + ([t["prompt"]] if with_prompts else [])]
    for request in case.requests:
        decode = "inf" if request.decode is None else request.decode
        prompt = shortened(str(list(request.prompt)), MAX_PROMPT) if request.prompt else t["none"]
        row = [request.name, *map(str, (request.prefill, decode, request.arrive))]
        rows.append([*row, prompt] if with_prompts else row)
    return table(rows).removesuffix("\n")


def _rounds(result: Result, t: dict[str, str]) -> str:
    """One row a round; of long runs those around what matters."""
    bug, right, broken = result.params.bug, result.right, result.broken
    is_alike = bug.shows != "rounds"
    runs = [broken.run] if is_alike or right is None else [right.run, broken.run]
    heads = ["column_both"] if is_alike else ["column_right", "column_broken"][-len(runs) :]
    with_count = result.params.case.knobs.kv_blocks is not None or bug.column == "unused"
    more = [f"column_{bug.column}"] if with_count else []
    rows = [[t["column_round"], *[t[name] for head in heads for name in (head, *more)], ""]]
    numbers = _chosen(result, max(run.num_rounds for run in runs))
    for before, number in zip([0, *numbers], numbers):
        if number > before + 1:
            rows.append([t["more"], *[""] * (len(rows[0]) - 1)])
        cells = [cell for run in runs for cell in _cells(run, number, bug, with_count, t)]
        rows.append([str(number), *cells, _marks(result, number, t)])
    return table(rows).removesuffix("\n")


def _chosen(result: Result, last: int) -> list[int]:
    if last <= MAX_ROUNDS:
        return list(range(1, last + 1))
    steps = [1, result.parted or 1, last]
    if result.first is not None and result.params.bug.unit == "round":
        steps.append(result.first.step)
    near = {number for step in steps for number in range(step - AROUND, step + AROUND + 1)}
    return sorted(number for number in near if 1 <= number <= last)


def _cells(run: Run, number: int, bug: Bug, with_count: bool, t: dict[str, str]) -> list[str]:
    if number > run.num_rounds:
        return [t["ended"], *([""] if with_count else [])]
    round = run.rounds[number - 1]
    count = round.unused_budget if bug.column == "unused" else round.used_blocks
    return [cell(round, t), *([str(count)] if with_count else [])]


def cell(round: Round, t: dict[str, str]) -> str:
    """Who was served, how much was there already, and what became of the others."""
    external = round.columns.external if round.columns else None
    states = {state[0]: state[1] for state in external.after_schedule} if external else {}
    there = {item.request: item.cached_tokens for item in round.admitted}
    parts = []
    for work in round.work:
        tokens = there.get(work.request)
        text = t["loaded_cell" if external else "hit"]
        parts.append(text.format(served=served(work), tokens=tokens) if tokens else served(work))
    for name in round.waiting:
        kind = "loading" if states.get(name) == "WAITING_FOR_REMOTE_KVS" else "waits"
        parts.append(t["preempted" if name in round.preempted else kind].format(name=name))
    return shortened(t["comma"].join(parts), MAX_CELL) or t["none"]


def _marks(result: Result, number: int, t: dict[str, str]) -> str:
    first = result.first
    breaks = first is not None and result.params.bug.unit == "round" and first.step == number
    marks = [t["parts_here"]] if result.parted == number else []
    return t["comma"].join(marks + ([t["breaks_here"]] if breaks else []))


def _parting(result: Result, t: dict[str, str], lang: str) -> list[str]:
    lines = []
    if result.refusal is not None:
        lines.append(paragraph(t["refused"].format(line=error_line(result.refusal, lang))))
    if result.broken.run.stuck is not None:
        lines.append(t["stuck"].format(round=result.broken.run.stuck))
    if result.parted is not None:
        lines.append(t["parted_round"].format(step=result.parted))
    elif result.right is not None:
        differ = (result.right.counts, result.right.tpots) != (result.broken.counts, result.broken.tpots)
        lines.append(t["parted_figures" if differ else "parted_none"])
    return lines


def _values(result: Result, t: dict[str, str]) -> dict[str, Any]:
    """The values of the first step, as they stand in sentences."""
    if result.first is None:
        return {}
    values = dict(result.first.values)
    if result.params.bug.shows == "tpots":
        broken: Fraction = values["rounds"]
        right = Fraction(values["span"], values["gaps"])
        spans = {"rounds": broken, "product": broken * values["gaps"], "right_rounds": right}
        values |= {key: trimmed(each.numerator, each.denominator) for key, each in spans.items()}
    elif result.params.bug.shows == "counters" and not values["hit"]:
        values["how"] = "nothing_found"
    elif "held" in values:
        rows = zip(values["names"], values["tokens"], values["held"])
        held = [t["holds"].format(name=name, tokens=tokens, blocks=blocks) for name, tokens, blocks in rows]
        values["requests"] = shortened(t["comma"].join(held), MAX_HELD)
    return values
