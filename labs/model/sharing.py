"""Logical and physical KV of requests that share a prefix, and slots that blocks reserve.

    logical  = concurrency x tokens                         as if every request held its own
    shared   = min(shared_prefix // block, (tokens - 1) // block) x block
    physical = shared + concurrency x (tokens - shared)     whole blocks of the prefix stand once

Source: vLLM 0.32.0: only full blocks are shared, and a hit ends before the last token, which is computed
for its logits.

Does not model: empty slots of last blocks (the lab's `reserved_slots` counts those), eviction, windows.
"""

from __future__ import annotations

from labs.engine.blocks import max_hit_tokens, num_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def shared_tokens(tokens: int, shared_prefix: int, block_size: int) -> int:
    """Tokens of the common prefix that stand only once.

    >>> shared_tokens(8192, 1000, 16), shared_tokens(32, 32, 16)
    (992, 16)
    """
    return min(shared_prefix // block_size * block_size, max_hit_tokens(tokens, block_size))


def physical_tokens(tokens: int, shared_prefix: int, block_size: int, concurrency: int) -> int:
    """Tokens whose KV is stored for all requests together.

    >>> physical_tokens(tokens=100, shared_prefix=64, block_size=16, concurrency=10)
    424
    """
    shared = shared_tokens(tokens, shared_prefix, block_size)
    return shared + concurrency * (tokens - shared)


def blocks_of(lengths: Iterable[int], block_size: int) -> int:
    """Blocks of several requests; each rounds up by itself, since no block serves two of them.

    >>> blocks_of([17, 31], 16)
    4
    """
    return sum(num_blocks(length, block_size) for length in lengths)
