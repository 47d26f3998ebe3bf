"""Deployments that a log may come from: what is known of it, and guesses for the rest, likely ones first.

Every guess has a price; deployments come in the order of their sum, and the first that makes all printed
lines come out is taken. Those that come out at about the same price are told as alternatives. What is known
has no guesses.

    tp            1; then 2, 4, 8, 16                 KV dtype   16 bits; then fp8, dearer than any tp
    dcp           1; then 16, 8, 4, 2 ranks of tp     block      16 (64 for a latent); then others
    batched       2048, 8192, 16384, then others      async      off; then on
    windows       forgotten; then charged in full     states     2 blocks a group; then 1
    token line    the older meaning; then the newer, where the log does not decide

Batched tokens, async and windows matter only where layers have windows, states only where they are linear.

Source: defaults of vLLM's server by version and GPU; a log seldom says its ranks and dtype.
Does not model: pipeline partitions by hand, draft models, other dtypes of KV than 16 bits and fp8.
"""

from __future__ import annotations

from itertools import product

from labs.base import LabError, Record
from labs.sizing.layers import Deployment, check_context_parallel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TypeVar

    from labs.model.stack import ModelStack
    from labs.sizing.log.known import Known

    Priced = Sequence[tuple[int, Any]]
    Guess = TypeVar("Guess")

OLDER, NEWER = "older", "newer"
DEFAULT_BLOCK = 16
RANKS: Priced = ((0, 1), (10, 2), (11, 4), (12, 8), (14, 16))
DTYPES: Priced = ((0, "bfloat16"), (15, "fp8"))
CONTEXT: Priced = ((0, 1), (8, 16), (9, 8), (10, 4), (11, 2))
BLOCKS: Priced = ((0, DEFAULT_BLOCK), (6, 32), (6, 64), (6, 128))
LATENT_BLOCKS: Priced = ((0, 64), (1, 16), (2, 128), (2, 32))  # FlashMLA's block, then other kernels'
LARGE_BLOCKS: Priced = ((7, 256), (8, 512))  # of other platforms; an estimate tells them
BATCHED: Priced = tuple(enumerate((2048, 8192, 16384, 4096, 1024, 512, 32768, 65536)))
ASYNC: Priced = ((0, False), (3, True))
STATES: Priced = ((0, True), (1, False))
WINDOWS_IN_FULL: Priced = ((0, False), (5, True))
SECOND_MEANING = 2
AS_LIKELY = 5  # a price within so much of the lowest is told as an alternative


class Hypothesis(Record):
    """One deployment, the meaning of its token line, and whether windows are charged in full."""

    deployment: Deployment
    definition: str
    windows_in_full: bool
    price: int


def hypotheses(
    stack: ModelStack, known: Known, definitions: tuple[str, ...], more_blocks: Priced = ()
) -> list[Hypothesis]:
    """All deployments that agree with what is known and that an engine would run, likely ones first."""
    windows, linear = has_windows(stack), stack.state is not None
    blocks = BLOCKS[:1] if linear else LATENT_BLOCKS if stack.is_latent else BLOCKS
    tables: dict[str, Priced] = {
        "tp": _or_known(known.tp, RANKS),
        "kv_dtype": _or_known(known.kv_dtype, DTYPES),
        "dcp": _or_known(known.dcp, CONTEXT),
        "block_size": _or_known(known.block_size, (*blocks, *more_blocks)),
        "max_num_batched_tokens": _or_known(
            known.max_num_batched_tokens, BATCHED if windows else BATCHED[:1]
        ),
        "async_scheduling": _or_known(known.async_scheduling, ASYNC if windows else ASYNC[:1]),
        "prefix_caching": _or_known(known.prefix_caching, STATES if linear else STATES[:1]),
    }
    meanings = [(SECOND_MEANING * place, definition) for place, definition in enumerate(definitions)]
    charged = WINDOWS_IN_FULL if windows else WINDOWS_IN_FULL[:1]
    found = []
    for chosen in product(*tables.values(), meanings, charged):
        price = sum(price for price, _ in chosen)
        *values, definition, in_full = (value for _, value in chosen)
        deployment = Deployment(pp=known.pp or 1, **dict(zip(tables, values)))
        if _runs(stack, deployment):
            found.append(Hypothesis(deployment, definition, in_full, price))
    return sorted(found, key=lambda hypothesis: hypothesis.price)


def with_other_ranks(hypothesis: Hypothesis, stack: ModelStack, known: Known) -> list[Hypothesis]:
    """The same hypothesis for every number of ranks and dtype that is not known."""
    found = []
    for (_, tp), (_, kv_dtype) in product(_or_known(known.tp, RANKS), _or_known(known.kv_dtype, DTYPES)):
        deployment = hypothesis.deployment.replace(tp=tp, kv_dtype=kv_dtype)
        if _runs(stack, deployment):
            found.append(hypothesis.replace(deployment=deployment))
    return found


def has_windows(stack: ModelStack) -> bool:
    """Whether some layers forget, so that tokens in flight matter."""
    return bool(stack.kinds & {"sliding", "chunked"})


def as_likely(found: Iterable[tuple[int, Guess]]) -> list[Guess]:
    """Of guesses with their prices, in ascending order, the first and those at about its price."""
    chosen: list[Guess] = []
    lowest = 0
    for price, guess in found:
        if not chosen:
            lowest = price
        elif price > lowest + AS_LIKELY:
            break
        chosen.append(guess)
    return chosen


def _or_known(known: object, guesses: Priced) -> Priced:
    return guesses if known is None else ((0, known),)


def _runs(stack: ModelStack, deployment: Deployment) -> bool:
    """Whether an engine would take it: heads and states divide, and the ranks share tokens as it allows."""
    try:
        stack.shape.on_one_rank(deployment.tp)
        check_context_parallel(stack, deployment.tp, deployment.dcp)
        if stack.state is not None:
            stack.state.bytes_on_one_rank(deployment.tp)
    except LabError:
        return False
    return True
