"""The life of each request as text, one event a line in the order in which things happen, and as JSON.

The words of a line (`status=RUNNING`, `free=3`) are the same in every language. Blocks with consecutive ids
are drawn together: `[1..4,9]`; what goes on growing is cut in the middle.
"""

from __future__ import annotations

from labs.view.catalog.schedule_log import TEXTS
from labs.view.languages import texts
from labs.view.tables import paragraph, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from labs.engine.explain.life import Event

MAX_BLOCKS = 64  # looked at in one line, so that a log grows no faster than its lines
MAX_RANGES = 6  # shown in one line


def render_log(events: Sequence[Event], lang: str) -> str:
    """The log, what its words mean, and what each request took in all."""
    t = texts(TEXTS, lang)
    rows = [t["columns"].split("|")]
    for event, held in with_tables(events):
        rounds = _rounds(event.round, event.last_round)
        rows.append([rounds, event.request, event.kind, _line(event, held)])
    kinds = {event.kind for event in events}
    has_pool = any(event.num_blocks is not None for event in events)
    parts = [t["title"], table(rows).removesuffix("\n")]
    if any(event.last_round not in (None, event.round) for event in events):
        parts.append(paragraph(t["legend_runs"]))
    if "allocated" in kinds:
        parts.append(paragraph(t["legend_blocks"]))
    if "asked" in kinds:
        parts.append(paragraph(t["legend_external"]))
    parts.append(_phases(events, t))
    if has_pool:
        parts += [t["totals"], table(_totals(events, t)).removesuffix("\n")]
    else:
        parts.append(paragraph(t["no_blocks"]))
    return "\n".join(parts) + "\n"


def log_document(events: Sequence[Event]) -> list[dict[str, Any]]:
    """The log for JSON: the fields of an event's kind; under `allocated` the request's table after it."""
    documents = []
    for event, held in with_tables(events):
        facts = {key: list(fact) if isinstance(fact, tuple) else fact for key, fact in event.facts().items()}
        if event.kind == "allocated":
            facts["block_table"] = list(held)
        documents.append({"round": event.round, "request": event.request, "event": event.kind, **facts})
    return documents


def with_tables(events: Sequence[Event]) -> Iterator[tuple[Event, list[int]]]:
    """Each event with the blocks that its request then holds; the list goes on changing."""
    tables: dict[str, list[int]] = {}
    for event in events:
        held = tables.setdefault(event.request, [])
        if event.kind == "allocated":
            held += [*event.cached_blocks, *event.new_blocks]
        elif event.kind == "freed":
            held.clear()
        yield event, held


def _line(event: Event, held: Sequence[int]) -> str:
    """What happened, as key=value pairs."""
    later = str(event.asynchronous).lower()
    if event.kind == "created":
        blocks = "" if event.num_blocks is None else f" blocks={event.num_blocks}"
        return f"status={event.status} tokens={event.tokens}{blocks}"
    if event.kind == "allocated":
        cached, new = block_list(event.cached_blocks), block_list(event.new_blocks)
        return f"cached={cached} new={new} table={block_list(held)} free={_free(event)}"
    if event.kind == "scheduled":
        return f"phase={event.phase} tokens={event.tokens} cached={event.cached_tokens} status={event.status}"
    if event.kind == "preempted":
        return f"lost={event.tokens}"
    if event.kind == "freed":
        return f"blocks={block_list(event.freed_blocks)} free={_free(event)}"
    if event.kind == "finished":
        return f"reason={event.reason}" + (" blocks=kept" if event.keeps_blocks else "")
    if event.kind == "asked":
        external = "unknown" if event.tokens is None else event.tokens
        return f"cached={event.cached_tokens} external={external} async={later}"
    if event.kind == "loading":
        return f"tokens={event.tokens} async={later}"
    return f"usable={event.tokens}" if event.kind in ("loaded", "failed") else ""


def _free(event: Event) -> str:
    return "unlimited" if event.num_free is None else str(event.num_free)


def _rounds(first: int, last: int | None) -> str:
    return str(first) if last in (None, first) else f"{first}-{last}"


def block_list(blocks: Sequence[int]) -> str:
    """Ids with three or more in a row drawn together, up or down; long lists are cut before the last id.

    >>> block_list([1, 2, 3, 9, 5, 4]), block_list([7, 8]), block_list(range(0, 40, 2))
    ('[1..3,9,5,4]', '[7,8]', '[0,2,4,6,8,10,...,38]')
    """
    shown, first = blocks[:MAX_BLOCKS], 0
    ranges: list[str] = []
    while first < len(shown) and len(ranges) < MAX_RANGES:
        last = first
        for step in (1, -1):
            while last + 1 < len(shown) and shown[last + 1] - shown[first] == step * (last + 1 - first):
                last += 1
        last = last if last - first >= 2 else first
        ranges.append(str(shown[first]) if first == last else f"{shown[first]}..{shown[last]}")
        first = last + 1
    if first < len(blocks):
        ranges += ["...", str(blocks[-1])]
    return "[" + ",".join(ranges) + "]"


def _phases(events: Sequence[Event], t: dict[str, str]) -> str:
    """In how many rounds prefills and decodes were scheduled side by side."""
    rounds = max([event.last_round or event.round for event in events], default=0)
    decodes = _stretches(events, "decode")
    both = [
        (max(first, start), min(last, end))
        for first, last in _stretches(events, "prefill")
        for start, end in decodes
        if max(first, start) <= min(last, end)
    ]
    if not both:
        return t["unmixed"]
    count = sum([last - first + 1 for first, last in both])
    return t["mixed"].format(count=count, rounds=rounds, first=both[0][0])


def _stretches(events: Sequence[Event], phase: str) -> list[tuple[int, int]]:
    """First and last of the rounds in a row in which anybody was in this phase, in order."""
    stretches: list[tuple[int, int]] = []
    for first, last in sorted({(e.round, e.last_round or e.round) for e in events if e.phase == phase}):
        if stretches and first <= stretches[-1][1] + 1:
            stretches[-1] = stretches[-1][0], max(last, stretches[-1][1])
        else:
            stretches.append((first, last))
    return stretches


def _totals(events: Sequence[Event], t: dict[str, str]) -> list[list[str]]:
    """Of each request, in the order of creation: hits, computed tokens, blocks, when they came back."""
    names = [event.request for event in events if event.kind == "created"]
    hit, computed, most, preempted = (dict.fromkeys(names, 0) for _ in range(4))
    back: dict[str, int] = {}
    finished: set[str] = set()
    for event, held in with_tables(events):
        name = event.request
        most[name] = max(most[name], len(held))
        hit[name] += len(event.cached_blocks)
        preempted[name] += event.kind == "preempted"
        if event.kind == "scheduled":
            computed[name] += (event.tokens or 0) * ((event.last_round or event.round) - event.round + 1)
        elif event.kind == "finished":
            finished.add(name)
        elif event.kind == "freed" and name in finished:
            back[name] = event.round
    rows = [t["total_columns"].split("|")]
    for name in names:
        counts = (computed[name], hit[name], most[name], preempted[name], back.get(name, "-"))
        rows.append([name, *map(str, counts)])
    return rows
