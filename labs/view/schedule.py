"""The schedule lab's result as text: rounds as lines, then a chart of requests by rounds, then why."""

from __future__ import annotations

from labs.view.catalog.schedule import TEXTS
from labs.view.languages import texts
from labs.view.schedule_why import lost_tokens, served, why
from labs.view.tables import paragraph, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.simulator import Blocked, Round, Run
    from labs.schedule import Params, Result

MAX_LINES = 100  # longer runs are drawn together where rounds are alike
MAX_COLUMNS = 20  # rounds side by side
ENGINE_RULES = ("nano-vllm", "vllm")
OTHER_KNOBS = (
    *("policy", "long_prefill_threshold", "watermark", "max_model_len"),
    *("full_prompt_must_fit", "chunked_prefill"),
)


def render_schedule(result: Result, lang: str) -> str:
    t, params, run = texts(TEXTS, lang), result.params, result.run
    order = t["order_priority" if params.rule == "vllm" and params.policy == "priority" else "order_arrival"]
    parts = [
        t["setup"].format(budget=params.budget, rule=params.rule, order=order) + "\n" + _knobs(params, t),
        _asked(params, t),
        round_lines(run, t),
        chart(run, [request.name for request in params.requests], t),
        _became(run, t),
        *_more(result, lang),
        _ending(result, t),
        paragraph(t["why"] + why(result, t, lang))
        + "\n"
        + paragraph(t[f"not_shown_{params.rule}" if f"not_shown_{params.rule}" in t else "not_shown"])
        + "\n"
        + t[_next_command(params)],
    ]
    return "\n".join(part.removesuffix("\n") + "\n" for part in parts if part)


def _more(result: Result, lang: str) -> list[str]:
    """What options add: the second rule, external KV, the log."""
    parts = []
    if result.params.external is not None:
        from labs.view.schedule_external import render_external

        parts.append(render_external(result.run, result.params.external.policy, lang))
    if result.comparison is not None:
        from labs.view.schedule_compare import render_compare

        parts.append(render_compare(result.comparison, lang))
    if result.events is not None:
        from labs.view.schedule_log import render_log

        parts.append(render_log(result.events, lang))
    return parts


def _next_command(params: Params) -> str:
    """What to try next: the course's exercise, then a stream without end, then the lecture again."""
    if params.external is not None:
        return "next_external"
    if params.rule in ENGINE_RULES:
        return "next_pool" if params.kv_blocks is None else "next_compare"
    if params.rule != "decode-first":
        return "next_vllm"
    if any(request.decode is None for request in params.requests):
        return "next_lecture"
    return "next_endless" if params.budget == 2 else "next"


def _knobs(params: Params, t: dict[str, str]) -> str:
    """The pool and the scheduler's knobs, and which keys of requests the rule does not look at."""
    lines = ""
    if params.rule == "static":
        lines += t["batches"].format(max_num_seqs=params.max_num_seqs) + "\n"
    elif params.rule in ENGINE_RULES:
        blocks = t["unlimited"] if params.kv_blocks is None else params.kv_blocks
        caching = t["on" if params.prefix_caching else "off"]
        lines += t["pool"].format(
            blocks=blocks,
            block_size=params.block_size,
            max_num_seqs=params.max_num_seqs,
            caching=caching,
        )
        lines += "\n" + _other_knobs(params, t)
    unused = [] if params.rule in ENGINE_RULES else ["salt", "stop_token_ids"]
    if not (params.rule == "vllm" and params.policy == "priority"):
        unused = ["priority", "arrival_time", *unused]
    keys = [key for key in unused if any(getattr(r, key) not in (None, 0, "", ()) for r in params.requests)]
    return lines + (t["unused_keys"].format(keys=t["list"].join(keys), rule=params.rule) if keys else "")


def _other_knobs(params: Params, t: dict[str, str]) -> str:
    """The scheduler's further knobs, those that are not at their defaults."""
    given = [name for name in OTHER_KNOBS if getattr(params, name) != type(params).defaults[name]]
    said = [f"{name}={getattr(params, name)}" for name in given]
    return t["other_knobs"].format(knobs=t["list"].join(said)) + "\n" if said else ""


def _asked(params: Params, t: dict[str, str]) -> str:
    shown = [] if params.policy == "fcfs" else ["priority"]
    for key in ("arrival_time", "abort", "stop_token_ids"):
        shown += [key] if any(getattr(request, key) not in (None, ()) for request in params.requests) else []
    rows = [[t["column_request"], "prefill", "decode", t["column_arrive"], *shown]]
    for request in params.requests:
        decode = "inf" if request.decode is None else request.decode
        row = [request.name, *map(str, (request.prefill, decode, request.arrive))]
        more = [getattr(request, key) for key in shown]
        rows.append(row + ["-" if value in (None, ()) else _cell(value) for value in more])
    return table(rows)


def _cell(value: object) -> str:
    return ";".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _became(run: Run, t: dict[str, str]) -> str:
    preempted = [name for round in run.rounds for name in round.preempted]
    rows = [t["outcome_columns"].split("|")]
    rows[0][-1:] = [t["column_preempted"], ""] if preempted else [""]
    for outcome in run.outcomes:
        state = "finished" if outcome.finished else "unfinished"
        state = "aborted" if outcome.aborted else "failed" if outcome.failed else state
        state = "starved" if outcome.name in run.starved else state
        rounds = [outcome.first_round or "-", outcome.last_round or "-", outcome.waited_rounds]
        times = [str(preempted.count(outcome.name))] if preempted else []
        rows.append([outcome.name, *map(str, rounds), *times, t[state]])
    return table(rows)


def _ending(result: Result, t: dict[str, str]) -> str:
    """That the run was cut off or stuck, if it was, who starved, and what fairness would need."""
    params, run = result.params, result.run
    if all(outcome.ended for outcome in run.outcomes):
        return ""
    if run.stuck is not None:
        names = [outcome.name for outcome in run.outcomes if not outcome.ended]
        stuck = t["stuck"].format(round=run.stuck, names=t["list"].join(names))
        return paragraph(stuck + _blocked(run.blocked, params, t))
    ending = t["cut_off"].format(rounds=params.rounds)
    if not run.starved:
        return paragraph(ending)
    half = params.rounds // 2
    work = [item for round in run.rounds if round.last > half for item in round.work]
    busy = dict.fromkeys([item.request for item in work])
    who = {"starved": t["list"].join(run.starved), "served": t["list"].join(busy)}
    ending += "\n" + t["starved_line"].format(first=half + 1, rounds=params.rounds, **who)
    if params.rule == "static":
        batch = [item.request for item in run.rounds[-1].work]
        return paragraph(ending + t["fairness_batch"].format(served=t["list"].join(batch)))
    if not _budget_starves(run, params, half):
        return paragraph(ending)
    only_decodes = params.rule in ("decode-first", "vllm") and all(item.phase == "decode" for item in work)
    victims = t["prefills" if _open_prefills(run, params).issuperset(run.starved) else "others"]
    kind = "fairness_decodes" if only_decodes else "fairness_order"
    ending += t[kind].format(budget=params.budget, victims=victims, **who)
    return paragraph(ending)


def _budget_starves(run: Run, params: Params, half: int) -> bool:
    """Whether it is the budget, used up in every round, and no other limit that leaves nothing over."""
    other_limit = params.rule == "nano-vllm" or (
        params.rule == "vllm" and params.max_num_seqs <= params.budget
    )
    return not other_limit and not any(round.unused_budget for round in run.rounds if round.last > half)


def _open_prefills(run: Run, params: Params) -> set[str]:
    """Who still lacks prefill tokens."""
    left = {request.name: request.prefill for request in params.requests}
    for round in run.rounds:
        for item in round.work:
            left[item.request] -= item.tokens
    return {name for name, tokens in left.items() if tokens > 0}


def _blocked(blocked: Blocked | None, params: Params, t: dict[str, str]) -> str:
    """What the first of those who wait for ever waits for."""
    if blocked is None:
        return ""
    free = blocked.free_blocks
    reason = "stuck_blocks" if free is not None and blocked.needed_blocks > free else "stuck_other"
    if not params.chunked_prefill and blocked.num_tokens > params.budget:
        reason = "stuck_unchunked"
    values = {**blocked.as_dict(), "pool": params.kv_blocks, "budget": params.budget}
    return t["stuck_loading" if blocked.is_loading else reason].format(**values)


def round_lines(run: Run, t: dict[str, str]) -> str:
    """One line a round, in long runs one line for all rounds of a row that are alike."""
    rounds = run.singles() if run.num_rounds <= MAX_LINES else run.rounds
    lines: list[str] = []
    first = 0
    while first < len(rounds) and len(lines) < 2 * MAX_LINES:
        last = first
        if run.num_rounds > MAX_LINES:
            while last + 1 < len(rounds) and _alike(rounds[last], rounds[last + 1]):
                last += 1
        began, ended = rounds[first], rounds[last]
        start, end = began.round, ended.last
        number = t["round"] if start == end else t["rounds"]
        text = number.format(number=start if start == end else f"{start}-{end}")
        lines.append(text + (t["comma"].join(map(served, began.work)) or t["idle"]))
        lines += _notes(began.replace(aborted=ended.aborted), t)
        first = last + 1
    if first < len(rounds):
        lines.append(t["more_rounds"].format(more=run.num_rounds - rounds[first].round + 1))
    return "\n".join(lines)


def _alike(before: Round, after: Round) -> bool:
    """The same work, and nothing between them that deserves a line of its own."""
    noted = before.aborted or after.preempted or any(item.cached_tokens for item in after.admitted)
    return before.work == after.work and not noted


def _notes(round: Round, t: dict[str, str]) -> list[str]:
    """What happened in a round beside the work."""
    notes = [t["note_preempted"].format(name=name) for name in round.preempted]
    lost = lost_tokens(round)
    notes += [t["note_lost"].format(name=name, tokens=tokens) for name, tokens in lost.items()]
    for item in round.admitted:
        if item.cached_tokens and item.request not in lost:
            notes.append(t["note_cached"].format(name=item.request, tokens=item.cached_tokens))
    notes += [t["note_aborted"].format(name=name) for name in round.aborted]
    return ["  " + note for note in notes]


def chart(run: Run, names: Sequence[str], t: dict[str, str]) -> str:
    """P is prefill tokens, d decode tokens, a dot a round of waiting; below them the unused budget."""
    rounds = run.singles() if run.num_rounds <= MAX_LINES else _first_singles(run)
    parts = [t["chart_preempted" if any(round.preempted for round in run.rounds) else "chart"]]
    for start in range(0, len(rounds), MAX_COLUMNS):
        shown = rounds[start : start + MAX_COLUMNS]
        cells = [_cells(round) for round in shown]
        rows = [[t["column_request"], *(str(round.round) for round in shown)]]
        rows += [[name, *(column.get(name, "") for column in cells)] for name in names]
        rows.append([t["unused"], *(str(round.unused_budget) for round in shown)])
        if any(round.used_blocks is not None for round in shown):
            rows.append([t["used_blocks"], *(str(round.used_blocks) for round in shown)])
        parts.append(table(rows))
    if run.num_rounds > len(rounds):
        parts.append(t["more_rounds"].format(more=run.num_rounds - len(rounds)))
    return "\n".join(part.removesuffix("\n") for part in parts)


def _first_singles(run: Run) -> list[Round]:
    few = run.replace(rounds=run.rounds[:MAX_COLUMNS])
    return few.singles()[:MAX_COLUMNS]


def _cells(round: Round) -> dict[str, str]:
    cells = dict.fromkeys(round.waiting, ".") | dict.fromkeys(round.preempted, "x")
    return cells | {
        item.request: ("P" if item.phase == "prefill" else "d") + str(item.tokens) for item in round.work
    }
