"""Refusing numbers with an exponent: `1e3` would otherwise pass for a 1 with an unknown unit.

Does not model: other ways to write a number.
"""

from __future__ import annotations

from labs.base import require
from labs.view.units import split_quantity


def check_no_exponent(text: str, where: str) -> None:
    """`LabError` if a number is written with an exponent, whatever its unit.

    >>> check_no_exponent("4req/s", "--rate")
    """
    unit = split_quantity(text)[1]
    require(not (unit[:1] in ("e", "E") and unit[1:].lstrip("+-")[:1].isdigit()), where, "exponent", text)
