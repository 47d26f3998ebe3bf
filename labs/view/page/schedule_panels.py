"""A panel a round: what happened in it, how far each request has come, and who holds which block."""

from __future__ import annotations

from labs.base import Record
from labs.view.catalog.page import SCHEDULE
from labs.view.catalog.schedule import TEXTS
from labs.view.languages import texts
from labs.view.page.markup import Markup, both, chips, said, tag
from labs.view.schedule import round_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.requests import Request
    from labs.engine.simulator import Round, Run

MAX_BLOCKS = 16  # of a block table
MAX_QUEUE = 32
MAX_POOL = 64  # a larger pool is not drawn


class Held(Record):
    """What a request has once a round was scheduled: tokens computed, its block table, blocks hit in front.

    `state` is an engine's word, where an external store is looked at.
    """

    computed: int
    table: tuple[int, ...] = ()
    num_hit: int = 0
    state: str = ""


def panels(run: Run, requests: Sequence[Request], num_shown: int, block_size: int) -> Markup:
    """One for each round, of which the script shows the one that was uncovered last."""
    held = {request.name: Held(request.context) for request in requests}
    drawn = []
    for step, round in enumerate(run.rounds, start=1):
        held = after(held, round, block_size)
        drawn.append(_panel(run, round, step, requests[:num_shown], held))
        for name in (*round.finished, *round.aborted, *round.preempted):
            if name in held:
                held[name] = held[name].replace(table=(), num_hit=0)
    return tag("div", *drawn)


def after(held: dict[str, Held], round: Round, block_size: int) -> dict[str, Held]:
    """What everybody has when this round has been scheduled; who was preempted in it has nothing.

    >>> from labs.engine.simulator import Admitted, Round, Work
    >>> round = Round(1, (Work("A", "prefill", 3),), 0, (), preempted=("B",), admitted=(Admitted("A", 4),))
    >>> found = after({"A": Held(0), "B": Held(5)}, round, 4)
    >>> found["A"].computed, found["A"].num_hit, found["B"].computed
    (7, 1, 0)
    """
    found = dict(held)
    for name in round.preempted:
        found[name] = Held(0)
    for began in round.admitted:
        found[began.request] = Held(began.cached_tokens, num_hit=began.cached_tokens // block_size)
    tables = round.columns.block_tables if round.columns else [()] * len(round.work)
    for item, table in zip(round.work, tables):
        before = found[item.request]
        computed = before.computed + item.tokens * round.repeat
        found[item.request] = before.replace(computed=computed, table=table)
    external = round.columns.external if round.columns else None
    for name, status, _, computed, table in external.after_update if external else ():
        found[name] = found[name].replace(computed=computed, table=table, state=status)
    return {name: found[name] for name in held}


def _panel(run: Run, round: Round, step: int, requests: Sequence[Request], held: dict[str, Held]) -> Markup:
    lines = both(lambda lang: round_lines(run.replace(rounds=(round,)), texts(TEXTS, lang)), "pre")
    has_pool, has_states = round.columns is not None, any(one.state for one in held.values())
    head = [tag("th", said(SCHEDULE, key)) for key in ("request", "tokens")]
    head += [tag("th", said(SCHEDULE, "table"))] if has_pool else []
    head += [tag("th", said(SCHEDULE, "state"))] if has_states else []
    rows = [tag("tr", *head)]
    for request in requests:
        if request.arrive > round.last:
            continue
        mine = held[request.name]
        row = [tag("th", request.name, class_="name"), _progress(request, mine.computed)]
        row += (
            [tag("td", chips(mine.table, MAX_BLOCKS, hits=mine.num_hit), class_="rows")] if has_pool else []
        )
        row += [tag("td", mine.state)] if has_states else []
        rows.append(tag("tr", *row))
    parts = [lines, tag("div", tag("table", *rows), class_="scroll"), *_pool(round, held), *_queues(round)]
    return tag("div", *parts, class_="panel", data_only=step)


def _progress(request: Request, computed: int) -> Markup:
    """Tokens computed of all that will be: the last output never is."""
    if request.decode is None:
        return tag("td", str(computed))
    prompt = request.prefill or request.context
    total = prompt + request.decode
    parts = [
        tag("span", class_=phase, style=f"width:{100 * max(tokens, 0) // total}%")
        for phase, tokens in (("prefill", min(computed, prompt)), ("decode", computed - prompt))
    ]
    return tag("td", tag("span", *parts, class_="bar"), f" {computed} / {total}", class_="rows")


def owners(round: Round, held: dict[str, Held]) -> dict[int, list[str]]:
    """Every physical block that is held or free, in order, and who holds it.

    >>> from labs.engine.run.columns import Columns
    >>> from labs.engine.simulator import Round
    >>> round = Round(1, (), 8, (), columns=Columns((), (), (), (3,), 2, 4))
    >>> owners(round, {"A": Held(5, (2, 1)), "B": Held(4, (2,))})
    {1: ['A'], 2: ['A', 'B'], 3: []}
    """
    free = round.columns.free_queue_after_step if round.columns else None
    found: dict[int, list[str]] = {block: [] for block in free or ()}
    for name, mine in held.items():
        for block in mine.table:
            found.setdefault(block, []).append(name)
    return dict(sorted(found.items()))


def _pool(round: Round, held: dict[str, Held]) -> list[Markup]:
    """The pool as squares, each with its holders; only where the whole of it is known, and small."""
    found = owners(round, held)
    if round.columns is None or round.columns.free_queue_after_step is None or len(found) > MAX_POOL:
        return []
    squares = [
        tag("span", str(block), tag("b", " ".join(names)), class_="square" if names else "square free")
        for block, names in found.items()
    ]
    return [tag("div", said(SCHEDULE, "pool"), *squares, class_="pool")]


def _queues(round: Round) -> list[Markup]:
    columns = round.columns
    if columns is None:
        return []
    parts = []
    if columns.waiting_after_schedule:
        waiting = chips(columns.waiting_after_schedule, MAX_BLOCKS)
        parts.append(tag("p", said(SCHEDULE, "waiting"), waiting))
    if columns.free_queue_after_step:
        parts.append(tag("p", said(SCHEDULE, "queue"), chips(columns.free_queue_after_step, MAX_QUEUE)))
    if any(columns.block_tables):
        parts.append(tag("p", said(SCHEDULE, "hit_legend"), class_="small"))
    return parts
