"""Reconciling a V0 log (0.2 to 0.7), which counts blocks: its memory budget, its CPU blocks, its GPU blocks.

    KV memory    total x utilization - weights - other - activation peak (or - peak of torch - other)
    CPU blocks   floor(swap space / bytes of a block); the swap space is 4 GiB unless it is said
    GPU blocks   floor(KV memory / bytes of a block), 0 for a negative budget
    tokens       GPU blocks x tokens a block: blocks are per GPU, but each holds its tokens for all of them

CPU blocks are an exact check of a block's bytes, as no profile enters them. They are not held against the
default swap space in the earliest logs (up to 0.2: lines before 300 of llm_engine.py), unless it is said.
Where GPU blocks come out and CPU blocks do not, another swap space is assumed if it is a whole number of GiB.
Every layer is charged in full: these engines give windows no memory back.

Verdicts
    no config, or nothing to check with it   identity_only
    GPU blocks out of the printed memory     within_rounding; exact if it leaves one number, as below zero
    CPU blocks alone                         exact
    GPU blocks not of the printed memory     identity_only, unexplained

Source: vLLM 0.4 to 0.7, `determine_num_available_blocks`, and logs of these engines.
Does not model: block sizes that a backend changes by itself, pipeline stages.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import LabError, Record
from labs.model.kv import DTYPE_BYTES
from labs.sizing.log.assumed import assumed_basics
from labs.sizing.log.deployments import BLOCKS, DEFAULT_BLOCK, DTYPES, RANKS, as_likely
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


class Block(Record):
    """What a block may be: tokens, ranks, dtype, its bytes on one GPU, and the price of the guess."""

    price: int
    size: int
    tp: int
    kv_dtype: str
    num_bytes: int


def reconcile_v0(
    printed: Printed, stack: ModelStack | None, known: Known, kv_left: Rounded | None
) -> Outcome:
    """The outcome for the figures of a V0 log; `kv_left` is what the lines of its budget leave, in GiB."""
    later = (
        printed.blocks_device == "cuda" or printed.total_gib is not None or printed.concurrency is not None
    )
    generation = LATER if later else OLDEST
    size = known.block_size or DEFAULT_BLOCK
    checks = _printed_checks(printed, size, known.max_model_len)
    figures = _printed_figures(printed, size, kv_left, known)
    if stack is None:
        return Outcome(IDENTITY, generation, tuple(figures), checks=tuple(checks))
    blocks = _possible_blocks(stack.shape, known)
    if not blocks:  # the ranks that the log names cannot share this model's heads
        return Outcome(IDENTITY, generation, tuple(figures), checks=tuple(checks), explained=False)
    block, *others = _likeliest(printed, blocks, known)
    of_config = _config_checks(printed, block, known)
    outcome = Outcome(
        IDENTITY,
        generation,
        tuple(figures + _config_figures(printed, block, known, kv_left)),
        checks=(*checks, *of_config),
        explained=all(check.holds for check in (*checks, *of_config) if check.decides),
    )
    if not outcome.explained or not of_config:
        return outcome
    if not any(check.holds for check in of_config):
        return outcome.replace(explained=False)
    return outcome.replace(
        verdict=EXACT if all(check.is_exact for check in of_config) else WITHIN,
        assumptions=_assumptions(printed, block, known),
        alternatives=tuple(_assumptions(printed, other, known) for other in others),
    )


def _likeliest(printed: Printed, blocks: list[Block], known: Known) -> list[Block]:
    """The likeliest block, and those about as likely: all checks hold, else those that decide, else any."""
    by_checks = [(block, _config_checks(printed, block, known)) for block in blocks]
    all_hold = [block for block, checks in by_checks if all(check.holds for check in checks)]
    decided = [block for block, checks in by_checks if all(check.holds for check in checks if check.decides)]
    if all_hold:
        return as_likely((block.price, block) for block in all_hold)
    return (decided or blocks)[:1]


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


def _printed_figures(printed: Printed, size: int, kv_left: Rounded | None, known: Known) -> list[Figure]:
    figures: list[Figure] = []
    if printed.total_gib is not None and printed.utilization is not None:
        figures.append(Figure("budget_gib", printed.total_gib.value * printed.utilization.value, 2))
    if kv_left is not None:
        figures.append(Figure("kv_gib", kv_left.value, 2))
    tokens = printed.error_kv_tokens if printed.gpu_blocks is None else printed.gpu_blocks * size
    if tokens is not None:
        figures.append(Figure("tokens", tokens))
        if known.max_model_len is not None:
            figures.append(Figure("concurrency", Fraction(tokens, known.max_model_len), 2))
            figures.append(Figure("fits", tokens >= known.max_model_len))
    return figures


def _possible_blocks(shape: ModelShape, known: Known) -> list[Block]:
    """Blocks that a deployment may have, likely ones first."""
    ranks = RANKS if known.tp is None else [(0, known.tp)]
    dtypes = DTYPES if known.kv_dtype is None else [(0, known.kv_dtype)]
    sizes = BLOCKS[:2] if known.block_size is None else [(0, known.block_size)]
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


def _swap_blocks(printed: Printed, block: Block, known: Known) -> int:
    """CPU blocks by the swap space that is told, or by the default."""
    swap = DEFAULT_SWAP_BYTES if known.swap_space is None else known.swap_space
    return swap // block.num_bytes


def _config_checks(printed: Printed, block: Block, known: Known) -> list[Check]:
    checks = []
    if printed.cpu_blocks is not None and (known.swap_space is not None or not printed.early):
        blocks = _swap_blocks(printed, block, known)
        holds = printed.cpu_blocks == blocks
        settled = known.swap_space is not None or _other_swap_gib(printed, block) is None
        check = Check(
            "cpu_blocks", printed.cpu_blocks, blocks, blocks, holds, of_config=True, decides=settled
        )
        checks.append(check)
    if printed.gpu_blocks is not None and printed.kv_gib is not None:
        possible = printed.kv_gib.whole_units(block.num_bytes)
        holds = printed.gpu_blocks in possible
        checks.append(
            Check("gpu_blocks", printed.gpu_blocks, possible[0], possible[-1], holds, of_config=True)
        )
    return checks


def _config_figures(printed: Printed, block: Block, known: Known, kv_left: Rounded | None) -> list[Figure]:
    figures = [Figure("block_bytes", block.num_bytes)]
    if printed.cpu_blocks is not None:
        figures.append(Figure("cpu_blocks", _swap_blocks(printed, block, known)))
    if printed.gpu_blocks is not None:
        size = Fraction(printed.gpu_blocks * block.num_bytes, GIB)
        figures.append(Figure("gpu_kv_gib", size, 3))
        figures.append(Figure("kv_gib_all_gpus", size * block.tp, 2))
        if kv_left is None:
            figures.append(Figure("kv_gib", size, 2))
    if printed.kv_gib is not None:
        possible = printed.kv_gib.whole_units(block.num_bytes)
        figures.append(
            Figure("tokens_from_printed_gib", (possible[0] * block.size, possible[-1] * block.size))
        )
    return figures


def _other_swap_gib(printed: Printed, block: Block) -> int | None:
    """The whole GiB of swap space that make the printed CPU blocks, None if none do."""
    if not printed.cpu_blocks:
        return None
    size = -(-printed.cpu_blocks * block.num_bytes // GIB)
    return size if size * GIB // block.num_bytes == printed.cpu_blocks else None


def _assumptions(printed: Printed, block: Block, known: Known) -> tuple[Assumption, ...]:
    found = assumed_basics(known, block.tp, block.kv_dtype, block.size)
    for check in _config_checks(printed, block, known):
        if check.name == "cpu_blocks" and not check.holds:
            found.append(Assumption("swap_space_gib", _other_swap_gib(printed, block)))
    return tuple(found)
