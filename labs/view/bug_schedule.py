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
    from labs.bugs.account import Case
    from labs.engine.simulator import Round, Run
    from labs.schedule_bug import Result

MAX_ROWS = 30
MAX_CELL, MAX_HELD = 60, 300  # characters
AROUND = 4  # rounds shown before and after those that matter, in longer runs
ALIKE = ("preempted-as-hits", "tpot-by-n")  # only figures are wrong there
UNUSED = "budget-before-hit"


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
    for name, answers in case.external.answers.items() if case.external else ():
        loads = [tokens for tokens, is_async in answers if is_async and tokens]
        reports = case.external.reports if case.external else {}
        steps = [step for step, report in reports.items() if name in report.finished_recving]
        if loads:
            text = t["load" if steps else "no_report"]
            lines.append(text.format(tokens=loads[0], name=name, round=min(steps, default=None)))
    return lines


def _requests(case: Case, t: dict[str, str]) -> str:
    with_prompts = any(request.prompt for request in case.requests)
    rows = [t["columns_requests"].split("|") + ([t["prompt"]] if with_prompts else [])]
    for request in case.requests:
        decode = "inf" if request.decode is None else request.decode
        row = [request.name, *map(str, (request.prefill, decode, request.arrive))]
        rows.append(
            row
            + (
                [shortened(str(list(request.prompt)), 44) if request.prompt else t["none"]]
                if with_prompts
                else []
            )
        )
    return table(rows).removesuffix("\n")


def _rounds(result: Result, t: dict[str, str]) -> str:
    """One row a round; of long runs those around what matters."""
    bug, right, broken = result.params.bug, result.right, result.broken
    runs = [broken.run] if bug.name in ALIKE or right is None else [right.run, broken.run]
    heads = ["column_both"] if bug.name in ALIKE else ["column_right", "column_broken"][-len(runs) :]
    with_blocks = result.params.case.knobs.kv_blocks is not None or bug.name == UNUSED
    more = ["column_unused" if bug.name == UNUSED else "column_blocks"] if with_blocks else []
    rows = [[t["column_round"], *[t[name] for head in heads for name in (head, *more)], ""]]
    numbers = _chosen(result, max(run.num_rounds for run in runs))
    for before, number in zip([0, *numbers], numbers):
        if number > before + 1:
            rows.append([t["more"], *[""] * (len(rows[0]) - 1)])
        cells = [cell for run in runs for cell in _cells(run, number, bug.name, bool(more), t)]
        rows.append([str(number), *cells, _marks(result, number, t)])
    return table(rows).removesuffix("\n")


def _chosen(result: Result, last: int) -> list[int]:
    if last <= MAX_ROWS:
        return list(range(1, last + 1))
    steps = [1, result.parted or 1, last]
    if result.first is not None and result.params.bug.unit == "round":
        steps.append(result.first.step)
    near = {number for step in steps for number in range(step - AROUND, step + AROUND + 1)}
    return sorted(number for number in near if 1 <= number <= last)


def _cells(run: Run, number: int, bug: str, with_count: bool, t: dict[str, str]) -> list[str]:
    if number > run.num_rounds:
        return [t["ended"], *([""] if with_count else [])]
    round = run.rounds[number - 1]
    count = round.unused_budget if bug == UNUSED else round.used_blocks
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


def _values(result: Result, t: dict[str, str]) -> dict[str, object]:
    """The values of the first step, as they stand in sentences."""
    if result.first is None:
        return {}
    name, values = result.params.bug.name, dict(result.first.values)
    if name == "tpot-by-n":
        broken = Fraction(str(values["rounds"]))
        spans = {"rounds": broken, "product": broken * int(str(values["gaps"]))}
        spans["right_rounds"] = Fraction(int(str(values["span"])), int(str(values["gaps"])))
        values.update({key: trimmed(each.numerator, each.denominator) for key, each in spans.items()})
    elif name == "pooled-rounding":
        rows = zip(values["names"], values["tokens"], values["held"])  # type: ignore[call-overload]
        held = [t["holds"].format(name=name, tokens=tokens, blocks=blocks) for name, tokens, blocks in rows]
        values["requests"] = shortened(t["comma"].join(held), MAX_HELD)
    elif name == UNUSED:
        hit = _hit_of_right_run(result, str(values["name"]))
        values.update(hit=hit, left=int(str(values["tokens"])) - hit)
    return values


def _hit_of_right_run(result: Result, name: str) -> int:
    """What a request hits where it is admitted in time."""
    rounds = result.right.run.rounds if result.right else ()
    return next(
        (item.cached_tokens for round in rounds for item in round.admitted if item.request == name), 0
    )
