"""unchained: each block's key covers its own tokens alone.

    right    h[i] = H(h[i-1], tokens)      broken   h[i] = H(root, tokens)

A block is then found wherever its tokens stood, though its KV was computed after other tokens and at other
positions: the output is wrong, and nothing fails.
Source: caches keyed by a chunk's text; the course's lab B.
"""

from __future__ import annotations

from labs.bugs.look_up import LookUpVariant, Prompts
from labs.engine.hash_chain import block_hasher, root_hash

CASE = Prompts((1, 2, 3, 4, 5, 6), (1, 2, 5, 6, 3, 4, 7))


def own_tokens_only(prompts: Prompts, token_ids: tuple[int, ...]) -> list[bytes]:
    """Every block hashed as if it were the first after the root; its extra keys are its own."""
    size = prompts.block_size
    hash_block = block_hasher(prompts.scheme, prompts.extra.namespace)
    root = root_hash(prompts.scheme, prompts.hash_seed)
    blocks_keys = prompts.extra.of_blocks(len(token_ids) // size, size)
    return [
        hash_block(root, token_ids[index * size : (index + 1) * size], keys)
        for index, keys in enumerate(blocks_keys)
    ]


VARIANT = LookUpVariant(keys=own_tokens_only)
