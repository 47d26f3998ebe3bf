"""Figures of the capacity lab that can be predicted, and the mistakes that give other ones.

    kv, KV per token            bytes a token, whole model        per rank           the same on one rank
    request, KV of N tokens     bytes of a request                blocks, slots      of all lengths
    logical, physical           bytes of all requests             transfer           a time

Diagnosed: query heads for KV heads (off by the group size: that of the lecture's numbers is Llama-3-8B's, any
other size given by knobs has an unknown one), the hidden size or a head dim of hidden / heads (for a named
model, as a config's shape does not say), K or V forgotten, bits for bytes, a factor left out, one rank for
all, rounding a pool of tokens instead of each request, a shared prefix that is not cut to whole blocks, bytes
over bits a second.
"""

from __future__ import annotations

from fractions import Fraction

from labs.predict.mistakes import of_formula
from labs.predict.quantities import Mistake, Quantity
from labs.predict.units import BYTES, COUNT, MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity import Result
    from labs.model.shape import ModelShape


LECTURE_MODEL = "llama-3-8b"


def capacity_quantities(result: Result) -> tuple[Quantity, ...]:
    """What a run of the lab can be asked for; labels are tried in this order."""
    p, per_token = result.params, result.shape.bytes_per_token

    def formula(right: int) -> list[Mistake]:
        return _formula(result, right)

    rank = result.rank_shape.bytes_per_token
    tp = {"tp": p.tp}
    one_rank = [Mistake("one_rank", rank, tp)] if rank != per_token else []
    all_tokens = Mistake("all_tokens", result.kv_bytes, {"tokens": p.tokens})
    all_requests = Mistake("all_requests", result.logical_bytes, {"concurrency": p.concurrency})
    one_token = Mistake("one_token", per_token, {"tokens": p.tokens})
    one_request = Mistake("one_request", result.kv_bytes, {"concurrency": p.concurrency})
    sharing = Mistake("sharing_taken_off", result.physical_bytes, {})
    windows = Mistake("windows_taken_off", result.kept_bytes, {})
    return (
        Quantity(
            "transfer_ms", "transfer|传输|(bit|b|bps)/s", MS, _transfer(result), _transfer_mistakes(result)
        ),
        Quantity("physical_bytes", "physical|物理", BYTES, result.physical_bytes, _sharing_mistakes(result)),
        Quantity(
            *("logical_bytes", "logical|逻辑", BYTES, result.logical_bytes),
            (one_request, sharing, *formula(result.logical_bytes)),
        ),
        Quantity(
            *("kv_bytes_per_token_per_rank", "rank", BYTES, rank),
            (Mistake("all_ranks", per_token, tp), *formula(rank)),
        ),
        Quantity(
            *(
                "kv_bytes_per_token",
                "per token|/ ?token|每 ?token|^kv( +[0-9.]+ ?[kmgt]?i?b.*)?$",
                BYTES,
                per_token,
            ),
            (*one_rank, all_tokens, *formula(per_token)),
        ),
        Quantity(
            *(
                "kv_bytes",
                "kv of|tokens? kv|^[0-9]+ tokens?$|request|请求|^kv bytes$",
                BYTES,
                result.kv_bytes,
            ),
            (one_token, all_requests, windows, *formula(result.kv_bytes)),
        ),
        Quantity("used_slots", "used|已用", COUNT, result.used_slots),
        Quantity("reserved_slots", "slots?", COUNT, result.reserved_slots, _slot_mistakes(result)),
        Quantity("blocks", "blocks?|块", COUNT, result.blocks, _block_mistakes(result)),
    )


def _formula(result: Result, right: int) -> list[Mistake]:
    """Mistakes in the formula; the lecture's numbers are a model's whose query heads are known."""
    p, shape = result.params, result.shape
    if p.model is not None or p.config is not None or p.plain_size() != type(p)().plain_size():
        return of_formula(right, shape, _divided(result))
    from labs.model.models import COURSE_MODELS, built_in

    model = built_in(LECTURE_MODEL)
    told = {"model": COURSE_MODELS[LECTURE_MODEL], "layers": shape.layers, "head_dim": shape.head_dim}
    found = of_formula(right, shape.replace(query_heads=model.query_heads))
    return [
        one.replace(values={**told, **one.values}) if one.cause == "query_heads" else one for one in found
    ]


def _divided(result: Result) -> ModelShape | None:
    """The shape of a named model with head dim taken as hidden / heads, if that is another one."""
    if result.params.model is None:
        return None
    from labs.model.stack import built_in_stack

    stack = built_in_stack(result.params.model, "--model").with_divided_head_dim()
    return None if stack is None else stack.shape.in_dtype(result.params.bytes_per_element)


def _block_mistakes(result: Result) -> tuple[Mistake, ...]:
    lengths, size = list(result.params.lengths), result.params.block_size
    told = {"lengths": lengths, "block_size": size, "of_each": list(result.blocks_of_each)}
    told |= {"total": result.used_slots, "pooled": result.pooled_blocks}
    return (
        Mistake("pooled_rounding", result.pooled_blocks, told),
        Mistake("rounded_down", sum(length // size for length in lengths), told),
        Mistake("one_block_more", sum(length // size + 1 for length in lengths), told),
        Mistake("slots_for_blocks", result.reserved_slots, told),
    )


def _slot_mistakes(result: Result) -> tuple[Mistake, ...]:
    size = result.params.block_size
    of_blocks = _block_mistakes(result)[:3]
    return (
        Mistake("used_not_reserved", result.used_slots, of_blocks[0].values),
        *[one.replace(value=one.value * size) for one in of_blocks],
        Mistake("blocks_for_slots", result.blocks, of_blocks[0].values),
    )


def _sharing_mistakes(result: Result) -> tuple[Mistake, ...]:
    p, per_token = result.params, result.shape.bytes_per_token
    uncut = per_token * (p.shared_prefix + p.concurrency * (p.tokens - p.shared_prefix))
    told = {"shared_prefix": p.shared_prefix, "shared": result.shared_tokens, "block_size": p.block_size}
    return (
        Mistake("sharing_forgotten", result.logical_bytes, told),
        Mistake("part_of_a_block_shared", uncut, told),
        Mistake("prefix_not_stored", p.concurrency * (p.tokens - result.shared_tokens) * per_token, told),
        *_formula(result, result.physical_bytes),
    )


def _transfer(result: Result) -> Fraction:
    return Fraction(1000 * result.transfer_bits, result.params.bandwidth)


def _transfer_mistakes(result: Result) -> tuple[Mistake, ...]:
    right = _transfer(result)
    return (
        Mistake("bytes_over_bits", right / 8, {"bytes": result.transfer_bytes}),
        Mistake("eight_twice", right * 8, {}),
        Mistake("seconds_for_ms", right / 1000, {}),
    )
