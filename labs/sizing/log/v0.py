"""Reconciling a V0 log (0.2 to 0.7), which counts blocks: its memory budget, its CPU blocks, its GPU blocks.

    KV memory    total x utilization - weights - other - activation peak (or - peak of torch - other)
    CPU blocks   floor(swap space / bytes of a block); the swap space is 4 GiB unless it is said
    GPU blocks   floor(KV memory / bytes of a block), 0 for a negative budget
    tokens       GPU blocks x tokens a block: blocks are per GPU, but each holds its tokens for all of them

CPU blocks are an exact check of a block's bytes, as no profile enters them. They are not held against the
default swap space in the earliest logs (up to 0.2: lines before 300 of llm_engine.py), unless it is said.
Every layer is charged in full: these engines give windows no memory back.

Source: vLLM 0.4 to 0.7, `determine_num_available_blocks`, and logs of these engines.
Does not model: block sizes that a backend changes by itself, pipeline stages.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import LabError, Record
from labs.model.kv import DTYPE_BYTES
from labs.sizing.log.budget import budget_of
from labs.sizing.log.deployments import AS_LIKELY, BLOCKS, DTYPES, RANKS
from labs.sizing.log.outcome import EXACT, IDENTITY, WITHIN, Assumption, Check, Figure, Outcome
from labs.sizing.log.printed import GIB

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.shape import ModelShape
    from labs.model.stack import ModelStack
    from labs.sizing.log.known import Known
    from labs.sizing.log.printed import Printed, Rounded

OLDEST, LATER = "0.2 to 0.5 (V0)", "0.6, 0.7 (V0)"
DEFAULT_SWAP_BYTES = 4 * GIB
USUAL_BLOCK = BLOCKS[0][1]
GPU_BLOCKS, CPU_BLOCKS = "gpu_blocks", "cpu_blocks"


class Block(Record):
    """What a block may be: tokens, ranks, dtype, its bytes on one GPU, and the price of the guess."""

    price: int
    size: int
    tp: int
    kv_dtype: str
    num_bytes: int


def reconcile_v0(printed: Printed, stack: ModelStack | None, known: Known) -> Outcome:
    """The outcome for the figures of a V0 log."""
    later = (
        printed.blocks_device == "cuda" or printed.total_gib is not None or printed.concurrency is not None
    )
    generation = LATER if later else OLDEST
    size = known.block_size or USUAL_BLOCK
    left = budget_of(printed)
    budget = None if left is None else left.kv_gib
    checks = _printed_checks(printed, size, known.max_model_len)
    figures = _printed_figures(printed, size, budget, known)
    if stack is None:
        return Outcome(IDENTITY, generation, tuple(figures), checks=tuple(checks))
    block, fitting = _likeliest(printed, _possible_blocks(stack.shape, known), known)
    of_config = _config_checks(printed, block, known)
    figures += _config_figures(printed, block, stack.shape, known, budget)
    hard = [check for check in of_config if check.name == GPU_BLOCKS]
    explained = all(check.holds for check in hard)
    held = [check for check in of_config if check.holds]
    if not held or not explained:
        return Outcome(IDENTITY, generation, tuple(figures), (), (*checks, *of_config), explained)
    exact = all(check.is_exact for check in of_config)
    return Outcome(
        EXACT if exact else WITHIN,
        generation,
        tuple(figures),
        _assumptions(printed, block, known),
        (*checks, *of_config),
        alternatives=tuple(_assumptions(printed, other, known) for other in fitting if other != block),
    )


def _likeliest(printed: Printed, blocks: list[Block], known: Known) -> tuple[Block, list[Block]]:
    """The likeliest block, and those about as likely: by GPU and CPU blocks, else by GPU blocks, else any.

    CPU blocks alone may also come from a swap space that nobody told, so they do not overrule the others.
    """
    by_checks = [(block, _config_checks(printed, block, known)) for block in blocks]
    all_hold = [block for block, checks in by_checks if all(check.holds for check in checks)]
    hard_hold = [
        block
        for block, checks in by_checks
        if all(check.holds for check in checks if check.name == GPU_BLOCKS)
    ]
    fitting = all_hold or hard_hold or blocks
    near = [block for block in fitting if block.price <= fitting[0].price + AS_LIKELY]
    return fitting[0], near if all_hold else []


def _printed_checks(printed: Printed, size: int, max_model_len: int | None) -> list[Check]:
    checks, blocks = [], printed.gpu_blocks
    if blocks is not None and printed.concurrency is not None and max_model_len is not None:
        exact = Fraction(blocks * size, max_model_len)
        holds = printed.concurrency.covers(exact)
        checks.append(Check("concurrency", printed.concurrency.value, exact, exact, holds))
    if blocks is not None and printed.error_kv_tokens is not None:
        tokens = blocks * size
        holds = tokens == printed.error_kv_tokens
        checks.append(Check("error_kv_tokens", printed.error_kv_tokens, tokens, tokens, holds))
    return checks


def _printed_figures(printed: Printed, size: int, budget: Rounded | None, known: Known) -> list[Figure]:
    figures: list[Figure] = []
    if printed.total_gib is not None and printed.utilization is not None:
        figures.append(Figure("budget_gib", printed.total_gib.value * printed.utilization.value, 2))
    if budget is not None:
        figures.append(Figure("kv_gib", budget.value, 2))
    tokens = printed.error_kv_tokens if printed.gpu_blocks is None else printed.gpu_blocks * size
    if printed.gpu_blocks is not None:
        figures += [Figure("gpu_blocks", printed.gpu_blocks), Figure("gpu_tokens", printed.gpu_blocks * size)]
    if tokens is not None:
        figures.append(Figure("tokens", tokens))
        if known.max_model_len is not None:
            figures.append(Figure("concurrency", Fraction(tokens, known.max_model_len), 2))
            figures.append(Figure("fits", tokens >= known.max_model_len))
            figures.append(Figure(f"fits_{known.max_model_len}", tokens >= known.max_model_len))
    return figures


def _possible_blocks(shape: ModelShape, known: Known) -> list[Block]:
    """Blocks that a deployment may have, likely ones first."""
    ranks = [(0, known.tp)] if known.tp is not None else RANKS
    dtypes = [(0, known.kv_dtype)] if known.kv_dtype is not None else DTYPES
    sizes = [(0, known.block_size)] if known.block_size is not None else BLOCKS[:2]
    blocks = []
    for tp_price, tp in ranks:
        try:
            on_rank = shape.on_one_rank(tp)
        except LabError:
            continue
        for dtype_price, dtype in dtypes:
            per_token = on_rank.in_dtype(DTYPE_BYTES[dtype]).bytes_per_token
            for size_price, size in sizes:
                price = tp_price + dtype_price + size_price
                blocks.append(Block(price, size, tp, dtype, size * per_token))
    return sorted(blocks, key=lambda block: block.price)


def _config_checks(printed: Printed, block: Block, known: Known) -> list[Check]:
    checks = []
    told = known.swap_space is not None or not printed.early
    if printed.cpu_blocks is not None and told:
        swap = DEFAULT_SWAP_BYTES if known.swap_space is None else known.swap_space
        blocks = swap // block.num_bytes
        checks.append(_check(CPU_BLOCKS, printed.cpu_blocks, blocks, blocks))
    if printed.gpu_blocks is not None and printed.kv_gib is not None:
        low = max(0, printed.kv_gib.low * GIB // block.num_bytes)
        high = max(0, printed.kv_gib.high * GIB // block.num_bytes)
        checks.append(_check(GPU_BLOCKS, printed.gpu_blocks, low, high))
    return checks


def _check(name: str, printed: int, low: int, high: int) -> Check:
    return Check(name, printed, low, high, low <= printed <= high, of_config=True)


def _config_figures(
    printed: Printed, block: Block, shape: ModelShape, known: Known, budget: Rounded | None
) -> list[Figure]:
    figures = [Figure("block_bytes", block.num_bytes), Figure("block_bytes_per_gpu", block.num_bytes)]
    if printed.cpu_blocks is not None:
        swap = DEFAULT_SWAP_BYTES if known.swap_space is None else known.swap_space
        figures.append(Figure("cpu_blocks", swap // block.num_bytes))
    if printed.gpu_blocks is not None:
        size = Fraction(printed.gpu_blocks * block.num_bytes, GIB)
        figures.append(Figure("gpu_kv_gib", size, 3))
        figures.append(Figure("kv_gib_per_gpu", size, 2))
        figures.append(Figure("kv_gib_all_gpus", size * block.tp, 2))
        if budget is None:
            figures.append(Figure("kv_gib", size, 2))
    if printed.kv_gib is not None:
        ends = (printed.kv_gib.low, printed.kv_gib.high)
        tokens = tuple(max(0, int(end * GIB // block.num_bytes)) * block.size for end in ends)
        figures.append(Figure("tokens_from_printed_gib", tokens))
    return figures


def _assumptions(printed: Printed, block: Block, known: Known) -> tuple[Assumption, ...]:
    found = []
    if known.tp is None and block.tp > 1:
        found.append(Assumption("tp", block.tp))
    if known.kv_dtype is None and DTYPE_BYTES[block.kv_dtype] != 2:
        found.append(Assumption("kv_dtype", block.kv_dtype))
    if known.block_size is None and block.size != USUAL_BLOCK:
        found.append(Assumption("block_size", block.size))
    for check in _config_checks(printed, block, known):
        if check.name == CPU_BLOCKS and not check.holds and printed.cpu_blocks is not None:
            found.append(Assumption("swap_space_gib", Fraction(printed.cpu_blocks * block.num_bytes, GIB)))
    return tuple(found)
