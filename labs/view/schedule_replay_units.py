"""A replay's values as text: milliseconds, rates, shares, terms of the cost."""

from __future__ import annotations

from labs.view.times import number_text
from labs.view.units import trimmed, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    Number = int | Fraction

UNITS = ((1, "ms"), (1000, "us"), (10**6, "ns"))  # so many in a millisecond


def ms_text(ms: Number | None) -> str:
    """Milliseconds with two digits after the point; a dash where there is none.

    >>> ms_text(12), ms_text(None)
    ('12.00', '-')
    """
    return "-" if ms is None else visible(ms.numerator, ms.denominator)


def per_second(rate: Number | None) -> str:
    """A rate a second, with three digits after the point.

    >>> per_second(2)
    '2'
    """
    return "-" if rate is None else trimmed(rate.numerator, rate.denominator, 3)


def percent(part: Number, whole: Number) -> str:
    """A share in percent.

    >>> percent(1, 8)
    '12.50 %'
    """
    return visible(100 * part.numerator * whole.denominator, part.denominator * whole.numerator) + " %"


def cost_text(ms: Number) -> str:
    """A term of the cost in its own unit.

    >>> from fractions import Fraction
    >>> cost_text(5), cost_text(Fraction(1, 50)), cost_text(Fraction(1, 25000)), cost_text(0)
    ('5 ms', '20 us', '40 ns', '0 ms')
    """
    size, unit = next((entry for entry in UNITS if ms * entry[0] >= 1), UNITS[-1] if ms else UNITS[0])
    return f"{number_text(ms * size)} {unit}"
