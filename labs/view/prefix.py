"""The prefix lab's result as text."""

from __future__ import annotations

from labs.view.catalog.prefix import TEXTS
from labs.view.languages import texts
from labs.view.tables import paragraph, shortened, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.prefix import Comparison, Result

MAX_ROWS = 20
MAX_MATCHES = 1024


def render_prefix(result: Result, lang: str) -> str:
    t, params, same = texts(TEXTS, lang), result.params, result.same
    shown = same.blocks[:MAX_ROWS]
    rows = [t["columns"].split("|")]
    for block in shown:
        keys = [hash.hex()[:8] if hash else "-" for hash in (block.a_hash, block.b_hash)]
        tokens = [shortened(str(list(part)), 24) for part in (block.a_tokens, block.b_tokens)]
        rows.append([str(block.index), *tokens, *keys, str(block.match), block.reason or ""])
    lines = [
        t["setup"].format(**params.as_dict()),
        t["lists"].format(a=shortened(str(list(params.a)), 80), b=shortened(str(list(params.b)), 80)),
        "\n" + table(rows) if shown else "",
        t["more_blocks"].format(more=len(same.blocks) - len(shown)) if same.blocks[MAX_ROWS:] else "",
        t["matches"].format(matches=_matches(same, t)),
        t["other_namespace"].format(matches=_matches(result.other_namespace, t)),
        t["other_salt"].format(matches=_matches(result.other_salt, t)) if result.other_salt else "",
        _first_miss_text(result, t),
        t["reusable"].format(
            reusable=result.reusable_tokens,
            total=len(params.b),
            matching=result.matching_tokens,
            bound=result.bound_tokens,
        ),
        "\n" + paragraph(t["why"] + _why(result, t)),
        paragraph(t["not_shown"]),
        t["next" if params.a != params.b else "next_size" if params.salt else "next_salt"],
    ]
    return "\n".join(line.removesuffix("\n") for line in lines if line) + "\n"


def _matches(comparison: Comparison, t: dict[str, str]) -> str:
    """All matches as a list; of very many the first."""
    more = len(comparison.blocks) - MAX_MATCHES
    if more <= 0:
        return str(comparison.matches)
    return str(comparison.matches[:MAX_MATCHES])[:-1] + t["cut_matches"].format(more=more) + "]"


def _miss_values(result: Result, t: dict[str, str]) -> dict[str, object]:
    """The first miss, with the prompt that has no full block there, if that is why."""
    miss = result.same.first_miss
    assert miss is not None
    block = result.same.blocks[miss.block]
    names = [name for name, hash in (("A", block.a_hash), ("B", block.b_hash)) if hash is None]
    return {**miss.as_dict(), "lacking": names[0] if len(names) == 1 else t["both"]}


def _first_miss_text(result: Result, t: dict[str, str]) -> str:
    miss = result.same.first_miss
    if miss is None:
        return t["no_miss"]
    values = _miss_values(result, t)
    return t["first_miss"].format(**values) + t[miss.reason].format(**values)


def _why(result: Result, t: dict[str, str]) -> str:
    """The reason in this run's values: what the first miss does to the blocks after it."""
    params, miss, blocks = result.params, result.same.first_miss, result.same.blocks
    alike = next((block for block in blocks if block.reason == "parent_differs"), None)
    if alike is not None and miss is not None:
        why = t["why_parent"].format(
            index=alike.index, tokens=shortened(str(list(alike.a_tokens)), 60), parent=miss.block
        )
    elif miss is not None:
        why = t["why_" + miss.reason].format(**_miss_values(result, t))
    else:
        why = t["why_all_match" if blocks else "why_nothing"].format(count=len(blocks))
    if result.reusable_tokens < result.matching_tokens:
        why += t["why_bound"].format(matching=result.matching_tokens, reusable=result.reusable_tokens)
    if all(block.a_hash is None for block in blocks):
        return why  # no key, so nothing that a key covers
    if params.lora:
        why += t["why_lora"].format(adapter=":".join(params.lora))
    if params.salt:
        why += t["why_salt"].format(salt=params.salt)
    if params.namespace != params.other_namespace:
        key = "why_namespace" if params.scheme == "lab" else "why_other_pool"
        why += t[key].format(**params.as_dict())
    else:
        why += t["why_same_namespace"].format(namespace=params.namespace)
    return why
