"""Block keys of a request whose prompt is known by a trace's ids only.

    a trace's id stands for `block_tokens` tokens of the prompt (512 in Mooncake's), the last for what is left
    an engine's block that lies within one of them has the key (id, place within it)

What lies beyond the prompt is the request's own: outputs are in no trace. A block that holds the prompt's
end and outputs is its own as well. Ids are chained, so equal ids mean equal prefixes.

Does not model: outputs that come back in a later prompt other than by the trace's own ids.
"""

from __future__ import annotations

from labs.base import require
from labs.engine.kv.block_keys import BlockKeys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class TraceKeys(BlockKeys):
    """Keys by the ids of a trace; `number`, from 1, is no other request's.

    >>> keys = TraceKeys((7, 9), input_length=6, block_tokens=4, block_size=2, number=1)
    >>> list(keys.between(0, 3)), keys.between(3, 4)[0] < 0
    ([14, 15, 18], True)
    """

    can_be_shared = True

    def __init__(
        self, ids: tuple[int, ...], input_length: int, block_tokens: int, block_size: int, number: int
    ) -> None:
        super().__init__(number)
        self.ids = ids
        self.per_id = block_tokens // block_size
        self.known = input_length // block_size  # blocks full of prompt tokens

    def between(self, start: int, stop: int) -> Sequence[int]:
        known, per_id, ids = min(stop, self.known), self.per_id, self.ids
        own = range(-self.first - max(start, known), -self.first - stop, -1) if stop > known else ()
        if per_id == 1:
            return (*ids[start:known], *own)
        return (*[ids[i // per_id] * per_id + i % per_id for i in range(start, known)], *own)


def check_block_size(block_size: int, block_tokens: int) -> None:
    """Refuse engine blocks that a trace's ids say nothing about; `LabError` at `--block-size`."""
    require(
        block_tokens % block_size == 0, "--block-size", "block_of_ids", block_size, block_tokens=block_tokens
    )
