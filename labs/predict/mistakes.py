"""Mistakes that learners make in sizing KV: what each of them would give in place of a right figure."""

from __future__ import annotations

from fractions import Fraction

from labs.predict.quantities import Mistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.shape import ModelShape

    Number = int | Fraction

GROUP_SIZES = (2, 4, 8, 16)  # query heads a KV head, as models have them


def of_formula(right: Number, shape: ModelShape, divided: ModelShape | None = None) -> list[Mistake]:
    """Mistakes in 2 x layers x KV heads x head dim x bytes, as they change a figure proportional to it.

    `divided` is the shape for whom takes head dim to be hidden size / query heads, if that is another one.
    The group size is guessed at where the shape does not tell its query heads.
    """
    found = []
    heads, queries, head_dim = shape.kv_heads, shape.query_heads, shape.head_dim
    group = Fraction(queries, heads) if heads and queries else Fraction(1)
    if queries and group > 1:
        told = {"query_heads": queries, "kv_heads": heads, "group": str(group)}
        found.append(Mistake("query_heads", right * group, told))
    if divided is not None:
        value = right * Fraction(divided.bytes_per_token, shape.bytes_per_token)
        found.append(Mistake("head_dim", value, {"head_dim": head_dim, "divided": divided.head_dim}))
        if heads and queries and head_dim and divided.head_dim:  # width of K in a layer: hidden size
            told = {"hidden": queries * divided.head_dim, "width": heads * head_dim}
            told |= {"kv_heads": heads, "head_dim": head_dim}
            found.append(Mistake("hidden_size", value * group, told))
    if heads:  # not where a latent stands for both
        found.append(Mistake("k_or_v_forgotten", Fraction(right) / 2, {}))
    found += [
        Mistake("bits_for_bytes", right * 8, {}),
        Mistake("counted_twice", right * 2, {}),
    ]
    if len(shape.groups) == 1:
        layers = shape.groups[0].layers
        found.append(Mistake("layers_forgotten", Fraction(right) / layers, {"layers": layers}))
    if heads:
        found.append(Mistake("kv_heads_forgotten", Fraction(right) / heads, {"kv_heads": heads}))
    if head_dim:
        found.append(Mistake("head_dim_forgotten", Fraction(right) / head_dim, {"head_dim": head_dim}))
    found.append(Mistake("divided_by_8", Fraction(right) / 8, {}))
    if heads and queries is None:
        for size in GROUP_SIZES:
            told = {"kv_heads": heads, "query_heads": heads * size, "group": str(size)}
            found.append(Mistake("group_size", right * size, told))
    return found
