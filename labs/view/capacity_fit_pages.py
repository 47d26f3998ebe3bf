"""The pages of `capacity fit`: what one block of one layer of each kind takes on one rank."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity_fit import Result
    from labs.sizing.layers import LayerSpec


def page_lines(result: Result, t: dict[str, str]) -> list[str]:
    """A line for each kind of layer, and one for an attention block that had to grow."""
    counts: dict[tuple[LayerSpec, LayerSpec], int] = {}
    placed = {place: spec for group in result.plan.groups for place, spec in zip(group.places, group.specs)}
    for place, spec in enumerate(result.specs):
        key = (spec, placed[place])
        counts[key] = counts.get(key, 0) + 1
    lines = [t["pages_head"]]
    for (own, grouped), count in counts.items():
        lines.append(_page_line(result, own, grouped, count, t))
    return [*lines, *_enlarged(result, t)]


def _page_line(result: Result, own: LayerSpec, grouped: LayerSpec, count: int, t: dict[str, str]) -> str:
    if own.kind == "linear":
        state = result.params.stack.state
        assert state is not None
        (size,) = own.widths
        return t["page_state"].format(count=count, state=state.kind, own=size, page=grouped.page_bytes)
    unpadded = own.page_bytes // own.block_size * grouped.block_size
    changed = "" if unpadded == grouped.page_bytes else t["page_padded"].format(page=grouped.page_bytes)
    if own.kind == "mla":
        (latent,) = own.widths
        return t["page_latent"].format(
            count=count, kind="mla", block=grouped.block_size, latent=latent, page=unpadded, changed=changed
        )
    heads, k, v = own.widths
    return t["page_full"].format(
        count=count,
        kind=own.kind,
        block=grouped.block_size,
        heads=heads,
        k=k,
        v=v,
        bytes=result.params.bytes_per_element,
        page=unpadded,
        changed=changed,
    )


def _enlarged(result: Result, t: dict[str, str]) -> list[str]:
    """How the attention block of a model with linear layers was found, if it grew."""
    grown = result.enlarged_block
    if grown is None:
        return []
    block, align, state, per_token = grown
    return [t["block_enlarged"].format(block=block, align=align, own=state, per_token=per_token)]
