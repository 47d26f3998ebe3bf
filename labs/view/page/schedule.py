"""The schedule lab drawn: requests by rounds, the budget of each round, and a panel for each round."""

from __future__ import annotations

from labs.view.catalog.page import SCHEDULE, TEXTS
from labs.view.page.markup import Figure, Markup, said, tag
from labs.view.page.schedule_panels import panels
from labs.view.schedule import MAX_LINES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.requests import Request
    from labs.engine.simulator import Round, Run
    from labs.schedule import Params

MAX_REQUESTS = 40
MAX_CELLS = 4000
MAX_LISTED_QUEUE = 4096  # of longer free queues not even the head is drawn: listing them takes too long


def schedule_figure(run: Run, num_rounds: int, params: Params) -> Figure:
    """The rounds of `run`, which may be the first of `num_rounds`; tables need their columns."""
    rounds, requests = run.rounds, params.requests
    shown = requests[:MAX_REQUESTS]
    notes = []
    if run.num_rounds < num_rounds:
        notes.append(
            tag("p", said(TEXTS, "more_columns", last=run.num_rounds, rounds=num_rounds), class_="small")
        )
    if len(requests) > len(shown):
        notes.append(tag("p", said(TEXTS, "more_requests", more=len(requests) - len(shown)), class_="small"))
    drawing = tag(
        "div",
        tag("p", said(SCHEDULE, "legend"), class_="small"),
        tag("div", timeline(rounds, shown, params.budget), class_="scroll"),
        *notes,
        panels(run, requests, len(shown), params.block_size),
    )
    labels = tuple([said(TEXTS, "round", label=number) for number in numbers(rounds)])
    return Figure("schedule", "round", 1, tuple([round.last for round in rounds]), labels, drawing)


def numbers(rounds: Sequence[Round]) -> tuple[str, ...]:
    """A number for each column, or the first and the last of rounds alike."""
    return tuple([str(r.round) if r.repeat == 1 else f"{r.round}-{r.last}" for r in rounds])


def drawn(run: Run, num_requests: int) -> tuple[Round, ...]:
    """The rounds that get a column: each by itself in a short run, else those alike together; the first."""
    rounds = run.singles() if run.num_rounds <= MAX_LINES else run.rounds
    return tuple(rounds[: MAX_CELLS // min(num_requests, MAX_REQUESTS)])


def timeline(rounds: Sequence[Round], requests: Sequence[Request], budget: int) -> Markup:
    """A row a request, a column a round, and what was left of the budget."""
    columns = [cells(round) for round in rounds]
    rows = [
        tag(
            "tr",
            tag("th", said(SCHEDULE, "request"), class_="name"),
            *[tag("th", n) for n in numbers(rounds)],
        )
    ]
    for request in requests:
        own = [column.get(request.name, ("", "")) for column in columns]
        rows.append(
            tag("tr", _name(request), *[_cell(step, *cell) for step, cell in enumerate(own, start=1)])
        )
    bars = [_cell(step, _budget_bar(round, budget)) for step, round in enumerate(rounds, start=1)]
    rows.append(tag("tr", tag("th", said(SCHEDULE, "budget", budget=budget), class_="name"), *bars))
    rows.append(_row("unused", [str(round.unused_budget) for round in rounds]))
    if any(round.used_blocks is not None for round in rounds):
        rows.append(_row("blocks", [str(round.used_blocks) for round in rounds]))
    return tag("table", *rows)


def cells(round: Round) -> dict[str, tuple[str, str]]:
    """What each request gets in a round, as (text, classes)."""
    found = dict.fromkeys(round.waiting, (".", "waiting"))
    found |= dict.fromkeys(round.preempted, ("x", "preempted"))
    for item in round.work:
        found[item.request] = (("P" if item.phase == "prefill" else "d") + str(item.tokens), item.phase)
    for name in (*round.finished, *round.aborted):
        text, kind = found.get(name, ("", ""))
        found[name] = text, f"{kind} ended"
    return found


def _name(request: Request) -> Markup:
    decode = "inf" if request.decode is None else request.decode
    key = "asked" if request.prefill else "decoding"
    small = [said(SCHEDULE, key, prefill=request.prefill, context=request.context, decode=decode)]
    if request.arrive > 1:
        small.append(said(SCHEDULE, "arrives", arrive=request.arrive))
    return tag(
        "th", request.name, " ", tag("span", *small, class_="small"), class_="name", title=request.name
    )


def _row(key: str, texts: Sequence[str]) -> Markup:
    return tag(
        "tr",
        tag("th", said(SCHEDULE, key), class_="name"),
        *[_cell(step, text) for step, text in enumerate(texts, start=1)],
    )


def _cell(step: int, content: str, kind: str = "") -> Markup:
    return tag("td", tag("span", content), class_=kind or None, data_step=step)


def _budget_bar(round: Round, budget: int) -> Markup:
    """How much of the budget went to decodes, and how much to prefills; decodes at the bottom."""
    parts = []
    for phase in ("decode", "prefill"):
        tokens = sum([item.tokens for item in round.work if item.phase == phase])
        height = min(100 * tokens // budget, 100)
        parts.append(tag("span", class_=phase, style=f"height:{height}%", title=f"{phase} {tokens}"))
    return tag("span", *parts, class_="budget")
