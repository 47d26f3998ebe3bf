"""The prefix lab's four groups as text."""

from __future__ import annotations

from labs.view.catalog.prefix_groups import TEXTS
from labs.view.languages import texts
from labs.view.tables import paragraph, shortened, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.prefix_groups import Group, Result


def render_groups(result: Result, lang: str) -> str:
    t, params = texts(TEXTS, lang), result.params
    pool = t["pool_limited"].format(kv_blocks=params.kv_blocks) if params.kv_blocks else t["pool_unlimited"]
    rows = [t["columns"].split("|")]
    for group in result.groups:
        stops = t["stops_at"].format(block=len(group.hit_blocks), reason=group.reason)
        blocks = [_ids(group.block_table, 24), _ids(group.hit_blocks, 24)]
        counts = [str(group.hit_tokens), str(group.computed_tokens)]
        rows.append([group.name, str(len(group.tokens)), *blocks, *counts, stops])
    lines = [
        t["setup"].format(block_size=params.block_size, pool=pool),
        t["requests"].format(
            prompt=_ids(params.prompt, 70),
            new=params.new_token,
            old=params.prompt[params.change],
            change=params.change,
            before=_ids(params.before, 70),
        ),
        t["state"],
        "\n" + table(rows),
        t["hit"].format(list=_by_group(result, "hit_tokens", t)),
        t["computed"].format(list=_by_group(result, "computed_tokens", t)),
        *[_evicts(result, group, t) for group in result.groups if group.evicted_blocks],
        "\n" + t["why"],
        *["- " + paragraph(sentence, 98).replace("\n", "\n  ") for sentence in _why(result, t)],
        paragraph(t["not_shown"]),
        _next(result, t),
    ]
    return "\n".join(lines) + "\n"


def _ids(ids: Sequence[int], limit: int) -> str:
    return shortened(str(list(ids)), limit)


def _by_group(result: Result, figure: str, t: dict[str, str]) -> str:
    return t["comma"].join([f"{group.name} {getattr(group, figure)}" for group in result.groups])


def _evicts(result: Result, group: Group, t: dict[str, str]) -> str:
    return t["evicts"].format(
        name=group.name,
        count=len(group.evicted_blocks),
        cached=len(result.params.prompt) // result.params.block_size,
        blocks=_ids(group.evicted_blocks, 60),
        left=group.left_tokens,
        hit=result.group("cold").left_tokens,
    )


def _why(result: Result, t: dict[str, str]) -> list[str]:
    """A sentence a group, in this run's values; then what the pool did, if it had to evict."""
    sentences = [_why_group(result, group, t) for group in result.groups]
    if any(group.evicted_blocks for group in result.groups):
        sentences.append(t["why_evicted"])
    if not result.holds:
        hit = result.group("warm").hit_tokens
        sentences.append(t["broken"].format(hit=hit, bound=result.bound_tokens))
    return sentences


def _why_group(result: Result, group: Group, t: dict[str, str]) -> str:
    cached, block = result.params.prompt, len(group.hit_blocks)
    at = group.position
    why = t["why_" + group.reason].format(
        name=group.name,
        tokens=len(group.tokens),
        hit=group.hit_tokens,
        blocks=len(group.block_table),
        keyed=len(group.tokens) // result.params.block_size,
        block=block,
        cached=len(cached),
        position=at,
        token=None if at is None else group.tokens[at],
        other=None if at is None else cached[at],
    )
    if group.reason == "tokens_differ":
        return why + _why_not_alike(result, group, t)
    return why if at is None else why + t["why_in_that_block"].format(position=at)


def _why_not_alike(result: Result, group: Group, t: dict[str, str]) -> str:
    """Where the request goes on with the cached tokens: why even these blocks are not hit."""
    params, size = result.params, result.params.block_size
    shift = len(params.before) if group.name == "not a prefix" else 0
    if shift % size:
        return t["why_shifted"].format(position=shift)
    block = max(shift // size, len(group.hit_blocks) + 1)
    here = group.tokens[block * size : (block + 1) * size]
    there = params.prompt[block * size - shift : (block + 1) * size - shift]
    if len(there) < size or here != there:
        return ""
    return t["why_parent"].format(block=block, other=block - shift // size, tokens=_ids(here, 40))


def _next(result: Result, t: dict[str, str]) -> str:
    """From the default on to whole blocks, to a pool that evicts, to other changes, and back."""
    params = result.params
    if params.kv_blocks is not None:
        return t["next_start"]
    if len(params.prompt) % params.block_size:
        return t["next_whole"]
    return t["next_small"]
