"""Quantities with units: reading them exactly, and printing them with fixed digits.

Everything is an integer count of bytes, bits or bits a second until it is printed. A quotient is
passed as numerator and denominator, so nothing is rounded before its last digit.

    B, kB, MB, GB, TB       bytes, powers of 1000        KiB, MiB, GiB, TiB    powers of 1024
    bit/s, kbit/s ... Tbit/s   bits a second (also kbps ... Tbps)   B/s, kB/s ... TiB/s   bytes a second
"""

from __future__ import annotations

from labs.base import LabError, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

DECIMAL = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
BINARY = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
SIZES = {**DECIMAL, **BINARY}
RATES = {
    **{f"{prefix}bps": 10**power for prefix, power in zip("kMGT", (3, 6, 9, 12))},
    **{f"{prefix}bit/s": 10**power for prefix, power in zip(("", "k", "M", "G", "T"), (0, 3, 6, 9, 12))},
    **{f"{unit}/s": 8 * size for unit, size in SIZES.items()},
}
MAX_DIGITS = 30


def fixed(numerator: int, denominator: int = 1, places: int = 2) -> str:
    """A quotient with so many digits after the point, rounded half to even.

    >>> fixed(2**30 * 8 * 1000, 4 * 10**11), fixed(1, 8), fixed(-5, 2, places=0)
    ('21.47', '0.12', '-2')
    """
    scaled = rounded(numerator, denominator, places)
    sign = "-" if scaled < 0 else ""
    whole, rest = divmod(abs(scaled), 10**places)
    return f"{sign}{whole}.{rest:0{places}d}" if places else f"{sign}{whole}"


def visible(numerator: int, denominator: int = 1, places: int = 2) -> str:
    """As `fixed`, with more places where all digits would be zeros.

    >>> visible(2**33 * 1000, 4 * 10**11), visible(8000 * 1000, 4 * 10**11), visible(0)
    ('21.47', '0.00002', '0.00')
    """
    enough = (n for n in range(places, places + 12) if rounded(numerator, denominator, n))
    return fixed(numerator, denominator, next(enough, places))


def rounded(numerator: int, denominator: int, places: int) -> int:
    """The quotient times 10**places as a whole number, rounded half to even.

    >>> rounded(1, 8, 2), rounded(3, 8, 2)
    (12, 38)
    """
    whole, rest = divmod(numerator * int(10**places), denominator)
    up = 2 * rest > denominator or (2 * rest == denominator and whole % 2 == 1)
    return whole + 1 if up else whole


def trimmed(numerator: int, denominator: int = 1, places: int = 2) -> str:
    """As `fixed`, without the zeros at the end.

    >>> trimmed(25, 2), trimmed(3, 1)
    ('12.5', '3')
    """
    text = fixed(numerator, denominator, places)
    return text.rstrip("0").rstrip(".") if "." in text else text


def binary_size(num_bytes: int, places: int = 2) -> str:
    """Bytes in the largest unit of powers of 1024 that leaves at least 1.

    >>> binary_size(131072), binary_size(2**30), binary_size(1000), binary_size(0)
    ('128 KiB', '1 GiB', '1000 B', '0 B')
    """
    return _in_largest_unit(num_bytes, {"B": 1, **BINARY}, places)


def decimal_size(num_bytes: int, places: int = 2) -> str:
    """Bytes in the largest unit of powers of 1000 that leaves at least 1.

    >>> decimal_size(2**30)
    '1.07 GB'
    """
    return _in_largest_unit(num_bytes, DECIMAL, places)


def rate_text(bits_per_second: int) -> str:
    """A rate in the largest unit of bits a second that leaves at least 1.

    >>> rate_text(400 * 10**9)
    '400 Gbit/s'
    """
    bits = {unit: size for unit, size in RATES.items() if unit.endswith("bit/s")}
    return _in_largest_unit(bits_per_second, bits, 2)


def _in_largest_unit(amount: int, units: dict[str, int], places: int) -> str:
    unit = next((name for name in reversed(units) if amount >= units[name]), next(iter(units)))
    return f"{trimmed(amount, units[unit], places)} {unit}"


def thousands(number: int) -> str:
    """A whole number with thousands separators.

    >>> thousands(1048576)
    '1,048,576'
    """
    return f"{number:,}"


def read_size(text: str, where: str) -> int:
    """Bytes of a size such as `80GiB`, `1.5 GB` or `512KiB`; `LabError` without a unit."""
    return _whole_quantity(text, where, SIZES, ("GiB", "GB"))


def read_rate(text: str, where: str) -> int:
    """Bits a second of a rate such as `400Gbit/s` or `50GB/s`; `LabError` without a unit."""
    return _whole_quantity(text, where, RATES, ("Gbit/s", "GB/s"))


def _whole_quantity(text: str, where: str, units: dict[str, int], readings: tuple[str, str]) -> int:
    amount = read_quantity(text, where, units, readings)
    require(amount.denominator == 1, where, "not_whole_quantity", text)
    require(amount > 0, where, "not_positive", text)
    return int(amount)


def read_quantity(text: str, where: str, units: dict[str, int], readings: tuple[str, str]) -> Fraction:
    """A number times its unit, exact; a bare number is refused with the two `readings` it could have had."""
    number, unit = split_quantity(text)
    require(_is_plain_number(number), where, "not_a_quantity", text, example=f"80{readings[0]}")
    require(bool(unit), where, "bare_number", text, first=number + readings[0], second=number + readings[1])
    require(unit in units, where, "unknown_unit", text, units=", ".join(units))
    return plain_number(number) * units[unit]


def read_memory(text: str, where: str) -> int:
    """Bytes of a memory size from 1, rounded down: logs print `12.02 GiB`, no whole number of bytes."""
    amount = read_memory_or_none(text, where)
    require(amount > 0, where, "not_positive", text)
    return amount


def read_memory_or_none(text: str, where: str) -> int:
    """As `read_memory`, from 0 bytes on."""
    return int(read_quantity(text, where, SIZES, ("GiB", "GB")))


def read_share(text: str, where: str) -> Fraction:
    """A share of a whole, above 0 and up to 1, exact; `LabError` for anything else."""
    number = text.strip()
    if not _is_plain_number(number) or not 0 < plain_number(number) <= 1:
        raise LabError(where, "not_a_share", text)
    return plain_number(number)


def split_quantity(text: str) -> tuple[str, str]:
    """The number and the unit of a quantity, as they are written.

    >>> split_quantity("400 Gbit/s"), split_quantity("12.5")
    (('400', 'Gbit/s'), ('12.5', ''))
    """
    text = text.strip()
    end = next((i for i, char in enumerate(text) if char not in "0123456789.+-_"), len(text))
    return text[:end], text[end:].strip()


def _is_plain_number(number: str) -> bool:
    whole, point, rest = number.partition(".")
    digits = whole + rest
    return (
        0 < len(digits) <= MAX_DIGITS
        and digits.isascii()
        and digits.isdigit()
        and bool(whole and (rest or not point))
    )


def plain_number(text: str) -> Fraction:
    """The exact value of digits with at most one point; `LabError` for anything else."""
    from fractions import Fraction

    if not _is_plain_number(text):
        raise LabError("number", "not_a_number", text)
    return Fraction(text)
