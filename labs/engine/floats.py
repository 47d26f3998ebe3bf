"""Arithmetic in a narrow floating-point format, on Python's 64-bit floats.

Every sum, product and quotient is computed in float64 and then rounded to the format: half to even, with
gradual underflow, and overflow to infinity. The two roundings give what one exact rounding would, since
53 >= 2 x 24 + 2 (Figueroa, "When is double rounding innocuous?", 1995). exp is float64's, then rounded.

    format     significand bits   exponents
    float64    53                 -1022 .. 1023
    float32    24                  -126 .. 127
    float16    11                   -14 .. 15
    bfloat16    8                  -126 .. 127

Source of the formats: IEEE 754; bfloat16 is float32 without its last 16 bits.
Does not model: fused multiply-add, wider accumulators, a GPU's order of summing.
"""

from __future__ import annotations

import math

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Format(Record):
    """A binary floating-point format: bits of the significand (the hidden one too), exponents."""

    significand_bits: int
    min_exponent: int
    max_exponent: int
    num_bytes: int


FORMATS = {
    "float64": Format(53, -1022, 1023, 8),
    "float32": Format(24, -126, 127, 4),
    "float16": Format(11, -14, 15, 2),
    "bfloat16": Format(8, -126, 127, 2),
}


def round_to(value: float, dtype: str) -> float:
    """The value in a format of `FORMATS`, rounded half to even; too large ones become infinite.

    >>> round_to(0.1, "bfloat16"), round_to(2049, "float16"), round_to(70000.0, "float16")
    (0.10009765625, 2048.0, inf)
    """
    if dtype == "float64" or value == 0 or not math.isfinite(value):
        return float(value)
    beyond_largest = math.ldexp(1.0, FORMATS[dtype].max_exponent + 1)
    if abs(value) < beyond_largest:
        spacing = ulp_exponent(value, dtype)
        rounded = math.ldexp(round(math.ldexp(value, -spacing)), spacing)
        if abs(rounded) < beyond_largest:
            return math.copysign(rounded, value)
    return math.copysign(math.inf, value)


def ulp_exponent(value: float, dtype: str) -> int:
    """The exponent of the power of two by which the format's neighbours differ at a finite value.

    >>> ulp_exponent(1.0, "float32"), ulp_exponent(0.0, "float16")
    (-23, -24)
    """
    format = FORMATS[dtype]
    exponent = math.frexp(value)[1] - 1 if value else format.min_exponent
    return max(exponent, format.min_exponent) - format.significand_bits + 1


def same_bits(a: float, b: float) -> bool:
    """Whether two floats are the same value, sign of zero included; NaN equals NaN."""
    return a.hex() == b.hex()


def largest_difference(a: Sequence[float], b: Sequence[float]) -> float:
    """The largest |x - y| of two rows; infinite if any of them is no number.

    >>> largest_difference([1.0, 2.0], [1.0, 2.5]), largest_difference([1.0, math.nan], [1.0, 2.0])
    (0.5, inf)
    """
    differences = [abs(x - y) for x, y in zip(a, b, strict=True)]
    return max(differences) if all(map(math.isfinite, differences)) else math.inf


class Arithmetic:
    """The operations of one format. Its functions take and give floats that the format holds."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self.num_bytes: int = FORMATS[dtype].num_bytes

    def round(self, value: float) -> float:
        return round_to(value, self.dtype)

    def add(self, a: float, b: float) -> float:
        return round_to(a + b, self.dtype)

    def subtract(self, a: float, b: float) -> float:
        return round_to(a - b, self.dtype)

    def multiply(self, a: float, b: float) -> float:
        return round_to(a * b, self.dtype)

    def divide(self, a: float, b: float) -> float:
        if b == 0:  # IEEE 754, where Python raises
            return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)
        return round_to(a / b, self.dtype)

    def exp(self, value: float) -> float:
        """e to a power that is at most 0, or NaN."""
        return round_to(math.exp(value), self.dtype)
