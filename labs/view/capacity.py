"""The capacity lab's result as text: formula, substitution and units, then the figures and why."""

from __future__ import annotations

from labs.view.capacity_why import each_blocks, is_mixed, joined, next_key, why
from labs.view.catalog.capacity import TEXTS
from labs.view.languages import texts
from labs.view.tables import paragraph, table
from labs.view.units import binary_size, decimal_size, rate_text, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity import Result
    from labs.model.shape import ModelShape

MAX_GROUPS = 16


def render_capacity(result: Result, lang: str) -> str:
    """The whole text: formula and substitution, the lecture's lines, more lines, why, limits, next step."""
    t = texts(TEXTS, lang)
    parts = [
        _setup(result, t),
        t["trace"],
        *formula_lines(result, t),
        _groups(result, t),
        *_contract_lines(result, t),
        *_more_lines(result, t),
        paragraph(t["why"] + t["join"].join(why(result, t))),
        paragraph(_not_shown(result, t)),
        t[next_key(result)],
    ]
    return "\n".join(part.removesuffix("\n") for part in parts if part) + "\n"


def _setup(result: Result, t: dict[str, str]) -> str:
    shape, params = result.shape, result.params
    if shape.name:
        from labs.view.errors import shown

        model = t["named"].format(name=shown(shape.name, 200), layers=shape.layers)
    else:
        model = t["plain"].format(layers=shape.layers, kv_heads=shape.kv_heads, head_dim=shape.head_dim)
    bound = t["setup_windows" if shape.has_windows else "setup_bound"]
    return t["setup"].format(bound=bound, model=model, dtype=params.kv_dtype, bytes=params.bytes_per_element)


def formula_lines(result: Result, t: dict[str, str]) -> list[str]:
    """Four figures worked out with units: KV per token, KV of a request, blocks, transfer."""
    return ["\n".join(line.removesuffix("\n") for line in _per_token(result, t)), *_trace(result, t)]


def _is_plain(shape: ModelShape) -> bool:
    """One group with K and V of equal width: the course's formula holds as it stands."""
    group = shape.groups[0] if len(shape.groups) == 1 else None
    return group is not None and group.k_dim is not None and group.k_dim == group.v_dim


def _per_token(result: Result, t: dict[str, str]) -> list[str]:
    shape, bytes_per_element = result.shape, result.params.bytes_per_element
    plain = _is_plain(shape)
    lines = [t["formula" if plain else "formula_groups"]]
    for group in shape.groups[:MAX_GROUPS]:
        if plain:
            term = "plain_term"
        elif group.kind == "linear":
            term = "linear_term"
        else:
            term = "latent_term" if group.kv_heads is None else "kv_term"
        lines.append(
            t[term].format(
                kind=group.kind,
                layers=group.layers,
                heads=group.kv_heads,
                k=group.k_dim,
                v=group.v_dim,
                bytes=bytes_per_element,
                elements=group.bytes_per_token_per_layer // bytes_per_element,
                total=group.bytes_per_token,
            )
        )
    if shape.groups[MAX_GROUPS:]:
        lines.append(t["more_groups"].format(more=len(shape.groups) - MAX_GROUPS))
    if len(shape.groups) != 1:
        lines.append(t["sum"].format(total=shape.bytes_per_token))
    return lines


def _trace(result: Result, t: dict[str, str]) -> list[str]:
    params, size = result.params, result.params.block_size
    return [
        t["request"].format(
            tokens=params.tokens,
            per_token=result.shape.bytes_per_token,
            total=result.kv_bytes,
            binary=binary_size(result.kv_bytes, 3),
            decimal=decimal_size(result.kv_bytes, 3),
        ),
        t["blocks"].format(
            terms=joined([f"ceil({length}/{size})" for length in params.lengths], " + "),
            each=each_blocks(result),
            blocks=result.blocks,
            size=size,
            reserved=result.reserved_slots,
        ),
        t["transfer"].format(
            total=result.transfer_bytes,
            rate=params.bandwidth,
            seconds=visible(result.transfer_bits, params.bandwidth, 5),
            ms=visible(1000 * result.transfer_bits, result.params.bandwidth),
        ),
    ]


def _groups(result: Result, t: dict[str, str]) -> str:
    """The table of layer groups, for models whose layers do not all keep every token."""
    shape, tokens = result.shape, result.params.tokens
    if not is_mixed(shape) and len(shape.groups) == 1:
        return ""
    rows = [t["group_columns"].format(tokens=tokens).split("|")]
    for group in shape.groups[:MAX_GROUPS]:
        kept, at_most = group.kept_tokens(tokens), "<= " if group.kind == "chunked" else ""
        rows.append(
            [
                group.kind,
                str(group.layers),
                "-" if group.window is None else str(group.window),
                str(group.bytes_per_token_per_layer),
                str(group.bytes_per_token),
                f"{at_most}{kept}",
                f"{at_most}{binary_size(kept * group.bytes_per_token)}",
            ]
        )
    return "\n" + table(rows)


def _contract_lines(result: Result, t: dict[str, str]) -> list[str]:
    """The lecture's four lines; readers and tests rely on their wording."""
    params = result.params
    return [
        t["per_token"].format(size=binary_size(result.shape.bytes_per_token)),
        t["of_tokens"].format(tokens=params.tokens, size=binary_size(result.kv_bytes)),
        t["slots"].format(
            lengths=joined([str(length) for length in params.lengths], "/"),
            size=params.block_size,
            blocks=result.blocks,
            reserved=result.reserved_slots,
        ),
        t["time"].format(
            size=size_text(result.transfer_bytes),
            rate=rate_text(params.bandwidth),
            ms=visible(1000 * result.transfer_bits, result.params.bandwidth),
        ),
    ]


def _not_shown(result: Result, t: dict[str, str]) -> str:
    """What is left out, and on which side of the truth that leaves the figures."""
    kinds = {group.kind for group in result.shape.groups}
    size = result.params.block_size
    held = [t[f"held_{kind}"].format(size=size) for kind in ("sliding", "chunked") if kind in kinds]
    in_flight = t["in_flight"].format(held=t["and"].join(held)) if held else ""
    return t["not_shown"].format(in_flight=in_flight) + t["side_windows" if held else "side"]


def _more_lines(result: Result, t: dict[str, str]) -> list[str]:
    shape, params, lines = result.shape, result.params, []
    if shape.has_windows:
        saved = binary_size(result.kv_bytes - result.kept_bytes)
        kept = binary_size(result.kept_bytes)
        chunked = any(group.kind == "chunked" for group in shape.groups)
        lines = [
            t["growing"].format(size=binary_size(shape.bytes_per_token_growing)),
            t["kept_chunked" if chunked else "kept"].format(tokens=params.tokens, size=kept, saved=saved),
        ]
    if params.tp > 1:
        per_token = result.rank_shape.bytes_per_token
        total = binary_size(params.tokens * per_token)
        size = binary_size(per_token)
        lines.append(t["rank"].format(tp=params.tp, size=size, tokens=params.tokens, total=total))
    return [
        *lines,
        t["logical"].format(
            concurrency=params.concurrency, tokens=params.tokens, size=both_sizes(result.logical_bytes)
        ),
        t["physical"].format(
            shared=result.shared_tokens if params.concurrency > 1 else 0,
            size=both_sizes(result.physical_bytes),
        ),
        t["slots_used"].format(
            reserved=result.reserved_slots,
            used=result.used_slots,
            empty=result.reserved_slots - result.used_slots,
        ),
    ]


def both_sizes(num_bytes: int) -> str:
    """Bytes in powers of 1024 and of 1000, since the two are easily confused.

    >>> both_sizes(2**30)
    '1 GiB = 1.074 GB'
    """
    return f"{binary_size(num_bytes, 3)} = {decimal_size(num_bytes, 3)}"


def size_text(num_bytes: int) -> str:
    """Bytes in powers of 1024, or of 1000 if only these come out even.

    >>> size_text(2**30), size_text(10**9), size_text(12345678)
    ('1 GiB', '1 GB', '11.77 MiB')
    """
    binary, decimal = binary_size(num_bytes), decimal_size(num_bytes)
    even = len(decimal_size(num_bytes, 9)) == len(decimal)
    return decimal if even and len(binary_size(num_bytes, 9)) > len(binary) else binary
