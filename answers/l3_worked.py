"""The figures of L3's worked solutions, each computed from a problem's inputs on the way to its key.

This is the solved half of L3, which only `answers show` reads.

Does not model: other ways to the same answer.
"""

from __future__ import annotations

from itertools import accumulate

from answers.l3_keys import Fetch, KvSize, Load, PrefixHit, Round, Slots, fetch_figures, rates
from labs.model.kv import kv_bytes_per_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def kv_size(inputs: KvSize) -> dict[str, object]:
    """Bytes of a token and of all tokens, with each number of KV heads.

    >>> kv_size(KvSize(layers=1, head_dim=2, tokens=10, kv_heads=(4, 1)))["per_token"]
    [32, 8]
    """
    per_token = [
        kv_bytes_per_token(inputs.layers, heads, inputs.head_dim, inputs.bytes_per_element)
        for heads in inputs.kv_heads
    ]
    return {"per_token": per_token, "num_bytes": [each * inputs.tokens for each in per_token]}


def slots(inputs: Slots) -> dict[str, object]:
    """Index into the table, offset and block of each position."""
    size = inputs.block_size
    indexes = [position // size for position in inputs.positions]
    offsets = [position % size for position in inputs.positions]
    return {
        "indexes": indexes,
        "offsets": offsets,
        "blocks": [inputs.block_table[index] for index in indexes],
        "slots": size * len(inputs.block_table),
    }


def boundaries(inputs: Round) -> dict[str, object]:
    """The running sums, and the total in which they end."""
    return {"sums": list(accumulate(inputs.lengths)), "total": sum(inputs.lengths)}


def prefix_hit(inputs: PrefixHit) -> dict[str, object]:
    """The bound of the look-up, the whole blocks below it, and what is left to compute."""
    bound = inputs.num_tokens - 1
    blocks = bound // inputs.block_size
    return {"bound": bound, "blocks": blocks, "rest": inputs.num_tokens - blocks * inputs.block_size}


def load(inputs: Load) -> dict[str, object]:
    """The requests that miss a limit."""
    assert rates(inputs)[1] <= rates(inputs)[0]
    return {"missed": inputs.successes - inputs.within_limits}


def fetch(inputs: Fetch) -> dict[str, object]:
    """The sum of the steps, then cost and saving."""
    cost, saving = fetch_figures(inputs)
    return {
        "steps": inputs.lookup_ms + inputs.data_path_ms + inputs.conversion_ms,
        "cost": cost,
        "saving": saving,
    }


WORKED: dict[str, Callable[[Any], dict[str, object]]] = {
    "p1": kv_size,
    "p2": slots,
    "p3": boundaries,
    "p4": prefix_hit,
    "p5": load,
    "p6": fetch,
}
