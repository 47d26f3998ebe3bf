"""Refusing a load that holds a request which could never finish.

Does not model: requests that wait for ever for other reasons; a replay tells of those (`stuck`).
"""

from __future__ import annotations

from labs.base import require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.replay.load import Arrival


def check_longest(
    arrivals: Sequence[Arrival], blocks: int | None, block_size: int, max_model_len: int | None, option: str
) -> None:
    """`LabError` at the option if a request outgrows the pool, or its prompt the model's length.

    All its tokens but the last output need slots at once.
    """
    for number, arrival in enumerate(arrivals, 1) if max_model_len is not None else ():
        fits = arrival.input_length < (max_model_len or 0)
        where, tokens = "--max-model-len", arrival.input_length
        require(fits, where, "prompt_too_long", max_model_len, name=f"r{number}", tokens=tokens)
    if blocks is None:
        return
    ends = [arrival.input_length + arrival.output_length for arrival in arrivals]
    if max_model_len is not None:
        ends = [min(end, max_model_len) for end in ends]
    tokens = max(ends) - 1
    needed = -(-tokens // block_size)
    name = f"r{1 + ends.index(tokens + 1)}"
    require(
        needed <= blocks,
        option,
        "replay_longest",
        blocks,
        name=name,
        tokens=tokens,
        needed=needed,
        block_size=block_size,
    )
