"""A broken look-up beside the right one, block by block, as text."""

from __future__ import annotations

from labs.view.bug_parts import ending, title
from labs.view.catalog.bugs import TEXTS
from labs.view.languages import texts
from labs.view.tables import shortened, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.bugs.look_up import Looked, LookUp
    from labs.prefix_bug import Result

MAX_BLOCKS = 40


def render_prefix_bug(result: Result, lang: str) -> str:
    """The page, ending in one newline."""
    t, params, first = texts(TEXTS, lang), result.params, result.first
    case, bug = params.case, params.bug
    rows = [[*t["columns_blocks"].split("|"), ""]]
    for ours, theirs in list(zip(result.right.blocks, result.broken.blocks))[:MAX_BLOCKS]:
        marks = [t["parts_here"]] if ours.index == result.parted else []
        marks += [t["breaks_here"]] if first is not None and ours.index == first.step else []
        cells = [_cell(ours, result.right, t), _cell(theirs, result.broken, t)]
        rows.append([str(ours.index), shortened(str(list(ours.tokens)), 24), *cells, t["comma"].join(marks)])
    if len(result.right.blocks) > MAX_BLOCKS:
        rows.append([t["more"], "", "", "", ""])
    prompts = {"a": shortened(str(list(case.a)), 80), "b": shortened(str(list(case.b)), 80)}
    counts = {"right": result.right.hit_tokens, "broken": result.broken.hit_tokens, "total": len(case.b)}
    parted = "parted_none" if result.parted is None else "parted_block"
    same_count = result.right.hit_tokens == result.broken.hit_tokens
    values = {
        "how": "same_count" if same_count else None,
        **(first.values if first else {}),
        "right_hit": result.right.hit_tokens,
        "right_left": len(case.b) - result.right.hit_tokens,
    }
    lines = [
        title(bug, lang),
        t["prompts"].format(**prompts, size=case.block_size, scheme=case.scheme),
        "",
        table(rows).removesuffix("\n"),
        "",
        t["hit_tokens"].format(**counts),
        t[parted].format(step=result.parted),
        *ending(bug, first, values, params.is_own, lang),
    ]
    return "\n".join(lines) + "\n"


def _cell(block: Looked, looked: LookUp, t: dict[str, str]) -> str:
    """What became of one block in one look-up."""
    if block.found is None:
        return t["block_miss"]
    if block.hit:
        return t["block_hit"].format(found=block.found)
    missed = any(other.found is None for other in looked.blocks[: block.index])
    return t["block_passed" if missed else "block_bound"].format(found=block.found)
