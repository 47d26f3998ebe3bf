"""The capacity lab drawn: four lines to work out, and the slots of the blocks that requests reserve."""

from __future__ import annotations

from labs.view.capacity import formula_lines
from labs.view.catalog.capacity import TEXTS as LAB_TEXTS
from labs.view.catalog.page import CAPACITY, TEXTS
from labs.view.languages import LANGUAGES
from labs.view.languages import texts as in_language
from labs.view.page.markup import Figure, Markup, both, joined, said, slots, tag
from labs.view.units import rate_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity import Result

NUM_LINES = 4
MAX_SLOTS = 64  # of one request
MAX_LENGTHS = 16


def capacity_figure(result: Result) -> Figure:
    """A step a line: what is asked stands in sight, formula and result are covered."""
    params = result.params
    asked = [
        said(CAPACITY, "line_1"),
        said(CAPACITY, "line_2", tokens=params.tokens),
        said(
            CAPACITY,
            "line_3",
            lengths="/".join(map(str, params.lengths[:MAX_LENGTHS])),
            size=params.block_size,
        ),
        said(CAPACITY, "line_4", rate=rate_text(params.bandwidth)),
    ]
    lines = {lang: formula_lines(result, in_language(LAB_TEXTS, lang)) for lang in LANGUAGES}
    drawn = []
    for step in range(1, NUM_LINES + 1):
        formula = both(lambda lang, step=step: lines[lang][step - 1], "pre")  # type: ignore[misc]
        blocks = _blocks(result) if step == 3 else ""
        drawn += [
            tag("h2", asked[step - 1]),
            tag("div", tag("div", formula, blocks), class_="panel", data_step=step),
        ]
    numbers = tuple(range(1, NUM_LINES + 1))
    labels = tuple([said(TEXTS, "line", label=number) for number in numbers])
    return Figure("capacity", "line", 1, numbers, labels, tag("div", *drawn))


def _blocks(result: Result) -> Markup:
    """Each request's slots, block by block: those that hold a token, and those that stand empty."""
    size, rows = result.params.block_size, []
    for length, blocks in list(zip(result.params.lengths, result.blocks_of_each))[:MAX_LENGTHS]:
        boxes = []
        for first in range(0, min(blocks * size, MAX_SLOTS), size):
            filled = min(max(length - first, 0), size)
            boxes.append(tag("span", slots(filled, "decode"), slots(size - filled, "empty"), class_="block"))
        more = blocks - len(boxes)
        boxes += [tag("span", f"+{more}", class_="more")] if more else []
        rows.append(
            tag("p", said(CAPACITY, "length", length=length), tag("span", *boxes, class_="chain scroll"))
        )
    return joined([tag("p", said(CAPACITY, "slots"), class_="small"), *rows])
