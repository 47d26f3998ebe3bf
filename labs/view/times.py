"""Times and token rates: reading them exactly with their units, and printing times in ms.

ns, us, ms, s       a time; zero is one
tok/s, token/s, tokens/s, ktok/s       tokens a second
"""

from __future__ import annotations

from labs.base import require
from labs.view.units import read_quantity, trimmed, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    Number = int | Fraction

NS_PER_MS = 10**6
TIMES_NS = {"ns": 1, "us": 10**3, "ms": NS_PER_MS, "s": 10**9}
TOKEN_RATES = {"tok/s": 1, "token/s": 1, "tokens/s": 1, "ktok/s": 1000}


def read_time(text: str, where: str) -> Fraction:
    """Milliseconds of a time such as `3ms`, `250 us` or `0s`; `LabError` without a unit.

    >>> read_time("250us", "--lookup"), read_time("1.5 s", "--lookup")
    (Fraction(1, 4), Fraction(1500, 1))
    """
    return read_quantity(text, where, TIMES_NS, ("ms", "s")) / NS_PER_MS


def read_token_rate(text: str, where: str) -> Fraction:
    """Tokens a second of a rate such as `8000tok/s`, above zero; `LabError` without a unit.

    >>> read_token_rate("8ktok/s", "--recompute-rate")
    Fraction(8000, 1)
    """
    rate = read_quantity(text, where, TOKEN_RATES, ("tok/s", "ktok/s"))
    require(rate > 0, where, "not_positive", text)
    return rate


def number_text(value: Number, about: str = "", places: int = 3) -> str:
    """A value to so many places, or to the first that is not zero; `about` stands before a rounded one.

    >>> number_text(22), number_text(-38), number_text(0)
    ('22', '-38', '0')
    >>> from fractions import Fraction
    >>> number_text(Fraction(2**33, 4 * 10**8), "about "), number_text(Fraction(1, 2 * 10**4), "about ")
    ('about 21.475', '0.00005')
    """
    if value.denominator == 1:
        return str(int(value))
    from fractions import Fraction

    text = visible(value.numerator, value.denominator, places)
    text = text.rstrip("0").rstrip(".")
    return text if Fraction(text) == value else about + text


def token_rate_text(tokens_per_s: Number) -> str:
    """A rate of tokens.

    >>> token_rate_text(8000)
    '8000 tok/s'
    """
    return f"{trimmed(tokens_per_s.numerator, tokens_per_s.denominator, 3)} tok/s"
