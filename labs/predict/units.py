"""The units of a predicted quantity, in the forms in which people write them.

    KiB, kib, bytes, 字节        of sizes; kB is 1000 B, and K or KB may be either: refused with both
    ms, msec, seconds, 毫秒       of times        Gbit/s, Gbps, GB/s        of rates

Does not model: arithmetic, powers of ten; a number is written out.
"""

from __future__ import annotations

import re
from fractions import Fraction

from labs.view.times import TIMES_NS
from labs.view.units import RATES, SIZES

BYTES, MS, RATE, COUNT, REQUESTS = "bytes", "ms", "rate", "count", "requests"  # kinds of numbers
UNITS: dict[str, dict[str, Fraction]] = {
    BYTES: {unit: Fraction(size) for unit, size in SIZES.items()},
    MS: {unit: Fraction(ns, TIMES_NS["ms"]) for unit, ns in TIMES_NS.items()},
    RATE: {unit: Fraction(size) for unit, size in RATES.items()},
}
READINGS = {BYTES: ("KiB", "kB"), MS: ("ms", "s"), RATE: ("Gbit/s", "GB/s")}
NUMBER = re.compile(r"([-+]?)([0-9]+(?:\.[0-9]+)?)\s*([A-Za-zµμ]+(?:/s)?|字节|毫秒|微秒|秒)?")
ARITHMETIC = re.compile(r"\s*(?:\^|[*+/×x]+\s*[0-9])")
ALIASES = {
    "bytes": "B",
    "byte": "B",
    "字节": "B",
    "毫秒": "ms",
    "微秒": "us",
    "秒": "s",
    "µs": "us",
    "μs": "us",
}
ALIASES |= {
    "msec": "ms",
    "millisecond": "ms",
    "milliseconds": "ms",
    "sec": "s",
    "second": "s",
    "seconds": "s",
}


def known_unit(unit: str, kind: str) -> str:
    """A unit as it is known, however it is written; another one as it is.

    >>> known_unit("kib", "bytes"), known_unit("bytes", "bytes"), known_unit("KB", "bytes")
    ('KiB', 'B', 'KB')
    """
    unit = ALIASES.get(unit.lower(), unit)
    if unit in UNITS[kind] or unit.lower()[1:] != "ib":
        return unit
    return unit[0].upper() + "iB"


def readings(kind: str, number: str, unit: str) -> tuple[str, str] | None:
    """Two units that a number could have had: without one, or with one that may be of 1024 or of 1000.

    >>> readings("bytes", "128", ""), readings("bytes", "131072", ""), readings("bytes", "128", "KB")
    (('KiB', 'kB'), ('B', 'KiB'), ('KiB', 'kB'))
    """
    if not unit:
        many_bytes = kind == BYTES and len(number.partition(".")[0]) > 4
        return ("B", "KiB") if many_bytes else READINGS[kind]
    letter = unit.upper().removesuffix("B")
    if kind != BYTES or unit in UNITS[BYTES] or letter not in ("K", "M", "G", "T"):
        return None
    return f"{letter}iB", f"{letter.replace('K', 'k')}B"
