"""The prefix lab drawn: both hash chains, block by block, and where the look-up stops."""

from __future__ import annotations

from labs.view.catalog.page import PREFIX, TEXTS
from labs.view.page.markup import Figure, Markup, said, tag
from labs.view.tables import shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.prefix import Block, Result

MAX_BLOCKS = 64
ARROW = "\u2192"


def prefix_figure(result: Result) -> Figure:
    """A step a block, and one more for what can be reused."""
    blocks = result.same.blocks[:MAX_BLOCKS]
    more = len(result.same.blocks) - len(blocks)
    reach = said(
        PREFIX,
        "reach",
        matching=result.matching_tokens,
        bound=result.bound_tokens,
        reusable=result.reusable_tokens,
        total=len(result.params.b),
    )
    chains = [_chain("a", blocks), _chain("b", blocks), _verdicts(blocks)]
    drawing = tag(
        "div",
        tag("div", tag("table", *chains), class_="scroll"),
        *([tag("p", said(TEXTS, "more_blocks", more=more), class_="small")] if more else []),
        tag("p", tag("span", reach), data_step=len(blocks) + 1, class_="panel"),
    )
    labels = [*[said(TEXTS, "block", label=block.index) for block in blocks], said(PREFIX, "reuse")]
    return Figure("prefix", "block", 0, tuple(range(len(labels))), tuple(labels), drawing)


def _chain(name: str, blocks: tuple[Block, ...]) -> Markup:
    """One prompt's blocks: the key of the block before, an arrow, and the key that covers it."""
    cells = [tag("th", said(PREFIX, name), class_="name")]
    parent: str = said(PREFIX, "root")
    for block in blocks:
        tokens, digest = (block.a_tokens, block.a_hash) if name == "a" else (block.b_tokens, block.b_hash)
        if digest is None:
            key = tag("div", said(PREFIX, "no_key" if tokens else "nothing"), class_="small")
        else:
            key = tag("div", parent, f" {ARROW} ", tag("strong", digest.hex()[:8]), class_="key")
            parent = digest.hex()[:8]
        kind = "" if name == "a" else "match" if block.match else "miss"
        words = tag("div", shortened(str(list(tokens)), 28)) if tokens else ""
        drawn = tag("div", words, key, class_=f"block {kind}".rstrip())
        cells.append(tag("td", drawn, data_step=block.index + 1))
    return tag("tr", *cells)


def _verdicts(blocks: tuple[Block, ...]) -> Markup:
    cells = [tag("th", class_="name")]
    for block in blocks:
        says = said(PREFIX, "match") if block.match else said(PREFIX, "miss", reason=block.reason)
        word = tag("span", says, class_="good" if block.match else "bad")
        cells.append(tag("td", word, data_step=block.index + 1))
    return tag("tr", *cells)
