"""prefill-first: decode-first with its halves swapped.

Models: no engine. It shows the other side of the trade: prompts start at once, and who decodes pays for it.
"""

from __future__ import annotations

from labs.engine.rules.decode_first import decodes, prefills

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.rules.lecture import State
    from labs.engine.simulator import Work


def prefill_first(states: Sequence[State], budget: int) -> list[Work]:
    """First prefills, in order, as far as the budget goes; then one token to each that was decoding already.

    `states` are the unfinished requests that have arrived, in their order; `budget` is in tokens.
    """
    work = prefills(states, budget)
    return work + decodes(states, budget - sum([item.tokens for item in work]))
