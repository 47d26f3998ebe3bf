"""full-hit: a prompt that is cached to its last token is hit whole.

    right    floor((num_tokens - 1) / block size) blocks at most      broken   floor(num_tokens / block size)

Nothing is left to compute then, and without a pass over the last token there are no logits to sample from.
Source: engines asked for no token at all for such a prompt, and failed or hung; vLLM bounds the look-up.
"""

from __future__ import annotations

from labs.bugs.look_up import LookUpVariant, Prompts

CASE = Prompts((1, 2, 3, 4), (1, 2, 3, 4))


def whole_prompt(num_tokens: int, block_size: int) -> int:
    """All whole blocks, though the last token may stand in the last of them.

    >>> whole_prompt(4, 2), whole_prompt(5, 2)
    (4, 4)
    """
    return num_tokens // block_size * block_size


VARIANT = LookUpVariant(bound=whole_prompt)
