"""A replay's values as text: milliseconds, rates, shares, terms of the cost."""

from __future__ import annotations

from labs.view.times import number_text
from labs.view.units import trimmed, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    Number = int | Fraction

NOUNS = (  # those that stand after a field in the texts
    *("request", "step", "preemption", "time", "gap", "lone prefill", "KV block"),
    *("token", "input token", "output token", "prompt token"),
)
UNITS = ((1, "ms"), (1000, "us"), (10**6, "ns"))  # so many in a millisecond


def ms_text(ms: Number | None) -> str:
    """Milliseconds with two digits after the point; a dash where there is none.

    >>> ms_text(12), ms_text(None)
    ('12.00', '-')
    """
    return "-" if ms is None else visible(ms.numerator, ms.denominator)


def per_second(rate: Number | None) -> str:
    """A rate a second: three digits after the point, and of a small one three that are not zeros before.

    >>> from fractions import Fraction
    >>> per_second(2), per_second(Fraction(1, 3 * 10**9))
    ('2', '0.000000000333')
    """
    if rate is None:
        return "-"
    places = 3
    while rate and abs(rate) * 10**places < 100:
        places += 1
    return trimmed(rate.numerator, rate.denominator, places)


def filled(text: str, **fields: str) -> str:
    """A text with its fields; where a field is "1", the noun after it loses its s.

    >>> filled("{steps} steps of {size} tokens", steps="1", size="16")
    '1 step of 16 tokens'
    """
    for name, value in fields.items():
        for noun in NOUNS if value == "1" else ():
            text = text.replace(f"{{{name}}} {noun}s", f"{{{name}}} {noun}")
    return text.format(**fields)


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
