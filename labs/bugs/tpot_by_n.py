"""tpot-by-n: the time per output token divides by the outputs, not by the gaps between them.

    right    (last output - first output) / (n - 1)      broken   (last output - first output) / n

The broken figure is too small by the factor (n - 1) / n: most for short answers. Rounds are the same.
Source: benchmark scripts that divide by the number of output tokens.
"""

from __future__ import annotations

from labs.bugs.account import Case, Variant
from labs.engine.knobs import Knobs
from labs.engine.requests import Request

CASE = Case(
    (Request("A", 2, 0), Request("B", 6, 5), Request("C", 5, 4)),
    Knobs(budget=16, block_size=2, kv_blocks=7),
)


def number_of_outputs(outputs: int) -> int:
    """What the broken figure divides by."""
    return outputs


VARIANT = Variant(divisor=number_of_outputs)
