"""The attention lab drawn: the rows that each path projects at each position, and the cache as it fills."""

from __future__ import annotations

from labs.view.catalog.page import ATTENTION, TEXTS
from labs.view.page.markup import Figure, Markup, chips, joined, said, slots, tag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.attention import Result

MAX_POSITIONS = 48


def attention_figure(result: Result) -> Figure:
    """A row a position; the last step uncovers what all positions came to."""
    shown = min(len(result.positions), MAX_POSITIONS)
    more = len(result.positions) - shown
    drawing = tag(
        "div",
        tag("p", said(ATTENTION, "legend"), class_="small"),
        tag("div", _positions(result, shown), class_="scroll"),
        *([tag("p", said(TEXTS, "more_positions", more=more), class_="small")] if more else []),
        *[_store(result, position) for position in range(shown)],
    )
    labels = tuple([said(TEXTS, "position", label=position) for position in range(shown)])
    return Figure("attention", "position", 0, tuple(range(shown)), labels, drawing)


def _positions(result: Result, shown: int) -> Markup:
    keys = ("position", "recompute", "cached", "rows", "equal")
    rows = [tag("tr", *[tag("th", said(ATTENTION, key)) for key in keys])]
    for position in result.positions[:shown]:
        number = position.position
        full, kept = result.recompute_work[number], result.cached_work[number]
        equal = position.cached_matches_full
        drawn = [
            slots(number + 1, "prefill"),
            joined([slots(number, "empty"), slots(1, "prefill")]),
            f"{full.rows_projected} / {kept.rows_projected}",
            tag("span", str(equal), class_="good" if equal else "bad"),
        ]
        kinds = ["rows", "rows", None, None]
        cells = [
            tag("td", tag("span", part), class_=kind, data_step=number + 1)
            for kind, part in zip(kinds, drawn)
        ]
        rows.append(tag("tr", tag("th", str(number)), *cells))
    return tag("table", *rows)


def _store(result: Result, position: int) -> Markup:
    """The physical blocks with the positions that they hold once this one is stored."""
    size = result.params.physical_block_size
    blocks = [
        tag(
            "div",
            tag("div", said(ATTENTION, "physical", block=block), class_="small"),
            _slots(_held(result.block_table, block, size, position), size),
            class_="block",
        )
        for block in range(min(max(result.block_table) + 1, MAX_POSITIONS))
    ]
    lead = tag("p", said(ATTENTION, "store", position=position))
    return tag(
        "div", lead, tag("div", *blocks, class_="chain scroll"), class_="panel", data_only=position + 1
    )


def _held(block_table: Sequence[int], block: int, size: int, position: int) -> list[int]:
    """The positions in a physical block once `position` is stored.

    >>> _held((1, 0), 0, 2, 2), _held((1, 0), 1, 2, 2)
    ([2], [0, 1])
    """
    logical = block_table.index(block) if block in block_table else None
    if logical is None:
        return []
    return list(range(logical * size, min((logical + 1) * size, position + 1)))


def _slots(held: Sequence[int], size: int) -> Markup:
    shown = min(size, MAX_POSITIONS)
    return joined([chips(held, shown), slots(shown - len(held), "empty")])
