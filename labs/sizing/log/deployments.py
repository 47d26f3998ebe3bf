"""Deployments that a log may come from: what is known of it, and guesses for the rest, likely ones first.

Every guess has a price; deployments come in the order of their sum. What is known has no guesses:

    tp          1, then 2, 4, 8, 16                         KV dtype    16 bits, then fp8
    dcp         1, then divisors of tp                      block size  16 (64 for a latent), then others
    batched     2048, 8192, 16384 and other powers of two   async       off in older engines, on in newer ones
    windows     forgotten; then charged in full             states      2 blocks a group, then 1

Source: defaults of vLLM's server by version and GPU.
Does not model: pipeline partitions by hand, draft models, other dtypes of KV than 16 bits and fp8.
"""

from __future__ import annotations

from itertools import product

from labs.base import LabError, Record
from labs.sizing.layers import Deployment, check_context_parallel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from labs.model.stack import ModelStack
    from labs.sizing.log.known import Known

    Priced = Sequence[tuple[int, Any]]

OLDER, NEWER = "older", "newer"
RANKS = ((0, 1), (10, 2), (11, 4), (12, 8), (14, 16))
DTYPES = ((0, "bfloat16"), (15, "fp8"))
BATCHED = tuple(enumerate((2048, 8192, 16384, 4096, 1024, 512, 32768, 65536)))
BLOCKS = ((0, 16), (6, 32), (6, 64), (6, 128))
AS_LIKELY = 5  # a price within so much of the lowest is told as an alternative
LATENT_BLOCKS = ((0, 64), (1, 16), (2, 128), (2, 32))


class Hypothesis(Record):
    """One deployment, the meaning of its token line, and whether windows are charged in full."""

    deployment: Deployment
    definition: str
    windows_in_full: bool
    price: int


def hypotheses(stack: ModelStack, known: Known, definitions: tuple[str, ...]) -> list[Hypothesis]:
    """All deployments that agree with what is known and that an engine would run, likely ones first."""
    windows = bool(stack.kinds & {"sliding", "chunked"})
    linear = stack.state is not None
    blocks = [(0, 16)] if linear else LATENT_BLOCKS if stack.is_latent else BLOCKS
    tables: dict[str, Priced] = {
        "tp": _or_known(known.tp, RANKS),
        "kv_dtype": _or_known(known.kv_dtype, DTYPES),
        "dcp": _or_known(known.dcp, _context_parallel(known.tp)),
        "block_size": _or_known(known.block_size, blocks),
        "max_num_batched_tokens": _or_known(
            known.max_num_batched_tokens, BATCHED if windows else [(0, 8192)]
        ),
        "async_scheduling": _or_known(known.async_scheduling, [(0, False), (3, True)][: 1 + windows]),
        "aligned_states": _or_known(known.prefix_caching, [(0, True), (1, False)][: 1 + linear]),
    }
    meanings = [(2 * place, definition) for place, definition in enumerate(definitions)]
    charged = [(0, False), (5, True)][: 1 + windows]
    found = []
    for chosen in product(*tables.values(), meanings, charged):
        price = sum(price for price, _ in chosen)
        *values, definition, in_full = (value for _, value in chosen)
        deployment = Deployment(pp=known.pp or 1, **dict(zip(tables, values)))
        if _runs(stack, deployment):
            found.append(Hypothesis(deployment, str(definition), bool(in_full), price))
    return sorted(found, key=lambda hypothesis: hypothesis.price)


def _or_known(known: object, guesses: Priced) -> Priced:
    return guesses if known is None else [(0, known)]


def _context_parallel(tp: int | None) -> Priced:
    most = tp or 16
    return [(0, 1), *((8 + place, size) for place, size in enumerate((16, 8, 4, 2)) if size <= most)]


def _runs(stack: ModelStack, deployment: Deployment) -> bool:
    try:
        stack.shape.on_one_rank(deployment.tp)
        check_context_parallel(stack, deployment.tp, deployment.dcp)
        if stack.state is not None:
            stack.state.bytes_on_one_rank(deployment.tp)
    except LabError:
        return False
    return True
