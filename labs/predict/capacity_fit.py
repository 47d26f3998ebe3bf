"""Figures of `capacity fit` that can be predicted, and the mistakes that give other ones.

    blocks, num_blocks    of the pool             tokens        that it holds
    concurrency           longest requests        fits: yes     whether one of them does
    available             bytes for KV, a GPU     bytes per block             a GPU
    kv, KV per token      bytes, a GPU            request       bytes of a longest request, a GPU

Diagnosed, beside the mistakes of the formula of KV: utilization left out, or taken of what the weights leave;
weights or overhead not taken off; GB for GiB in the GPU's memory or the weights; tokens for blocks; the null
block; one layer's block for all layers'.
"""

from __future__ import annotations

from fractions import Fraction

from labs.predict.mistakes import of_formula
from labs.predict.quantities import WORDS, Mistake, Quantity
from labs.predict.units import BYTES, COUNT, REQUESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity_fit import Result
    from labs.model.shape import ModelShape

GIB_FOR_GB = Fraction(1024, 1000) ** 3
YES, NO = ("yes", r"\byes\b|true|^\s*(能|是)"), ("no", r"\bno\b|false|^\s*(不|否)|放不下")


def fit_quantities(result: Result) -> tuple[Quantity, ...]:
    """What a run can be asked for; labels are tried in this order."""
    plan, shape = result.plan, result.params.stack.shape
    request = plan.blocks_of_request * max(worker.bytes_per_block for worker in plan.workers)
    per_token = Fraction(max(result.bytes_per_token_of_ranks), plan.dcp)
    exact_request = Mistake("not_whole_blocks", per_token * plan.max_model_len, _told(result))
    all_tokens = [Mistake("all_tokens", request, {"tokens": plan.max_model_len})]
    blocks = _block_mistakes(result)
    longest = plan.max_model_len
    return (
        Quantity(
            *("max_concurrency", "concurren|并发|at once|同时", REQUESTS, plan.max_concurrency),
            (
                Mistake("whole_requests", int(plan.max_concurrency), _told(result)),
                *[one.replace(value=Fraction(one.value) / plan.blocks_of_request) for one in blocks],
            ),
        ),
        Quantity(
            "fits",
            "fits?$|放得?不?下",
            WORDS,
            "yes" if plan.fits else "no",
            (),
            (NO, YES),
            values=_why_fits(result),
        ),
        Quantity(
            "available_bytes", "available|可用|for kv", BYTES, _available(result), _memory_mistakes(result)
        ),
        Quantity(
            "bytes_per_block",
            "(bytes|[kmgt]i?b) (per|of a) block|/ ?block|每块|block bytes",
            BYTES,
            _per_block(result),
            _formula(result),
        ),
        Quantity(
            *(
                "kv_bytes_per_token_per_gpu",
                "per token|/ ?token|每 ?token|^kv( +[0-9.]+ ?[kmgt]?i?b.*)?$",
                BYTES,
                per_token,
            ),
            (*_all_ranks(result), *all_tokens, *of_formula(per_token, shape, _divided(result))),
        ),
        Quantity(
            "request_bytes_per_gpu",
            "kv of|request|请求",
            BYTES,
            request,
            (exact_request, *_formula(result, request)),
        ),
        Quantity("num_blocks", "blocks?|块|pool|池", COUNT, plan.num_blocks, tuple(blocks)),
        Quantity(
            *("kv_cache_size_tokens", "tokens?|cache size", COUNT, plan.kv_cache_size_tokens),
            (
                Mistake("blocks_for_tokens", plan.num_blocks, _told(result)),
                Mistake("one_group_for_all", plan.num_blocks * _block_size(result), _told(result)),
                *[
                    one.replace(value=int(one.value * longest / plan.blocks_of_request))
                    for one in blocks
                    if one.cause != "tokens_for_blocks"
                ],
            ),
        ),
    )


def _block_size(result: Result) -> int:
    return result.plan.groups[0].specs[0].block_size


def _available(result: Result) -> int:
    return result.plan.workers[0].planned_bytes


def _per_block(result: Result) -> int:
    return result.plan.workers[0].bytes_per_block


def _told(result: Result) -> dict[str, object]:
    """Figures that several sentences name."""
    plan = result.plan
    share = result.params.utilization or Fraction(9, 10)
    return {
        "block_size": _block_size(result),
        "groups": len(plan.groups),
        "request_blocks": plan.blocks_of_request,
        "max_model_len": plan.max_model_len,
        "num_blocks": plan.num_blocks,
        "bytes_per_block": _per_block(result),
        "available": _available(result),
        "utilization": f"{share.numerator}/{share.denominator}",
        "layers": len(result.specs),
        "ranks": len(plan.workers),
    }


def _divided(result: Result) -> ModelShape | None:
    stack = result.params.stack.with_divided_head_dim()
    return None if stack is None else stack.shape


def _all_ranks(result: Result) -> list[Mistake]:
    ranks = result.bytes_per_token_of_ranks
    together = Fraction(sum(ranks), result.plan.dcp)
    return [Mistake("all_ranks", together, {"tp": len(ranks)})] if len(ranks) > 1 else []


def _formula(result: Result, right: int | None = None) -> tuple[Mistake, ...]:
    right = _per_block(result) if right is None else right
    return tuple(of_formula(right, result.params.stack.shape, _divided(result)))


def _memory_mistakes(result: Result) -> tuple[Mistake, ...]:
    """What else somebody may leave for KV, on the first GPU."""
    p, told = result.params, _told(result)
    gpu, weights, overhead = [p.of_rank(name, 0) for name in ("gpu", "weights", "overhead")]
    if not gpu or result.plan.workers[0].blocks_override is not None:
        return ()
    share, taken = p.utilization or Fraction(9, 10), weights + overhead
    others = [
        ("utilization_forgotten", Fraction(gpu - taken)),
        ("utilization_of_the_rest", (gpu - taken) * share),
        ("weights_not_taken_off", gpu * share - overhead),
        ("overhead_not_taken_off", gpu * share - weights),
        ("nothing_taken_off", gpu * share),
        ("whole_memory", Fraction(gpu)),
        ("gb_for_gib", (gpu * share - taken) / GIB_FOR_GB),
        ("gb_for_gib", (gpu * share - taken) * GIB_FOR_GB),
        ("gb_for_gib", gpu * share / GIB_FOR_GB - taken),
        ("gb_for_gib", gpu * share - taken / GIB_FOR_GB),
    ]
    right = _available(result)
    return tuple(
        [Mistake(cause, value, told) for cause, value in others if int(value) != right and value > 0]
    )


def _block_mistakes(result: Result) -> list[Mistake]:
    """What else somebody may take for the blocks of the pool: other memory, or other blocks."""
    plan, told = result.plan, _told(result)
    per_block, available = _per_block(result), _available(result)
    found = [
        Mistake("tokens_for_blocks", plan.kv_cache_size_tokens, told),
        Mistake("null_block_taken_off", plan.num_blocks - 1, told),
        Mistake("rounded_up", -(-available // per_block), told),
    ]
    found += [one.replace(value=int(one.value / per_block)) for one in _memory_mistakes(result)]
    for one in _formula(result):  # a block of another size: fewer or more of them
        found.append(one.replace(value=int(available / Fraction(one.value))))
    if len(plan.workers) > 1:
        found.append(
            Mistake("all_ranks", sum(worker.own_blocks for worker in plan.workers), {"tp": len(plan.workers)})
        )
    return found


def _why_fits(result: Result) -> tuple[tuple[str, object], ...]:
    """The sum of the fit check, on the GPU with the least room."""
    plan, worker = result.plan, result.plan.tightest
    needed = plan.blocks_of_request * worker.bytes_per_block
    figures = {"needed": needed, "usable": worker.usable_bytes, "null": worker.bytes_per_block}
    told = {"request_blocks": plan.blocks_of_request, "max_model_len": plan.max_model_len}
    only_null = not plan.fits and needed <= worker.planned_bytes
    return tuple({**figures, **told, "is_null_block": only_null, "fits": plan.fits}.items())
