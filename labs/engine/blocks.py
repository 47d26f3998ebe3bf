"""Arithmetic of paged KV: which block and slot hold a token, and how far a cache hit may reach.

Symbols: `block_size` tokens a block; `block_table[i]` the physical block of logical block i; a slot is
one token's place in the pool, counted over all physical blocks.
Source: vLLM 0.32.0, `kv_cache_manager` (the look-up is bounded by num_tokens - 1, then whole blocks).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def num_blocks(num_tokens: int, block_size: int) -> int:
    """Blocks that hold so many tokens of one request; a started block counts whole.

    >>> num_blocks(17, 16), num_blocks(16, 16), num_blocks(0, 16)
    (2, 1, 0)
    """
    return -(-num_tokens // block_size)


def slot(position: int, block_table: Sequence[int], block_size: int) -> int:
    """The physical slot of a logical position.

    >>> slot(5, [3, 0], 4), slot(3, [3, 0], 4)
    (1, 15)
    """
    return block_table[position // block_size] * block_size + position % block_size


def query_start_loc(num_scheduled_tokens: Sequence[int]) -> list[int]:
    """Where each request's tokens of this round start in the flat batch, and where the last ends.

    >>> query_start_loc([2, 2, 1])
    [0, 2, 4, 5]
    """
    boundaries = [0]
    for tokens in num_scheduled_tokens:
        boundaries.append(boundaries[-1] + tokens)
    return boundaries


def max_hit_tokens(num_tokens: int, block_size: int) -> int:
    """The most tokens of a prompt that a prefix-cache hit may cover.

    At least one token is computed, for its logits; a hit consists of whole blocks.

    >>> max_hit_tokens(33, 16), max_hit_tokens(16, 16), max_hit_tokens(0, 16)
    (32, 0, 0)
    """
    return max(num_tokens - 1, 0) // block_size * block_size
