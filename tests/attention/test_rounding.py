"""Rounding to the four dtypes, half to even, against `struct` and against exact integers.

Oracle: a finite double is the exact integer ratio p/q; it is divided by the spacing of the dtype at its
size, and the quotient is rounded half to even on integers. The oracle itself must agree with
`struct` for float32 and float16 (`test_oracle_...`), so what it says of bfloat16 can be believed.

Turned red by: truncation, ties away from zero, ties to zero, saturation instead of infinity,
subnormal numbers flushed to zero, and bfloat16 reached by way of float32 (double rounding). Each is
a mutant in MUTANTS, and `test_table_tells_every_mutant_apart` shows that the table has a row for it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.engine.floats import Arithmetic, round_to, same_bits, ulp_exponent

# precision in bits with the hidden one, exponent of the smallest normal and of the largest number
FORMATS = {
    "float64": (53, -1022, 1023),
    "float32": (24, -126, 127),
    "float16": (11, -14, 15),
    "bfloat16": (8, -126, 127),
}
STRUCT_CODES = {"float32": "<f", "float16": "<e"}
Rounding = Callable[[Fraction], int]


def half_even(exact: Fraction) -> int:
    """The nearest whole number, a tie to the even one, by integer arithmetic."""
    whole, rest = divmod(exact.numerator, exact.denominator)
    return whole + (2 * rest > exact.denominator or (2 * rest == exact.denominator and whole % 2 == 1))


def half_up(exact: Fraction) -> int:
    """A tie goes away from zero (mutant)."""
    return math.floor(exact + Fraction(1, 2))


def half_down(exact: Fraction) -> int:
    """A tie goes to zero (mutant)."""
    return math.ceil(exact - Fraction(1, 2))


def oracle(value: float, dtype: str, rounding: Rounding = half_even, fate: str = "inf") -> float:
    """The nearest number of the dtype to a value that is no NaN."""
    if value == 0 or math.isinf(value):
        return value
    precision, lowest, highest = FORMATS[dtype]
    size = abs(Fraction(value))
    exponent = max(math.frexp(value)[1] - 1, lowest)
    if fate == "flush" and math.frexp(value)[1] - 1 < lowest:
        return math.copysign(0.0, value)
    spacing = Fraction(2) ** (exponent - precision + 1)
    nearest = rounding(size / spacing) * spacing
    largest = (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** highest
    if nearest > largest:
        return math.copysign(float(largest) if fate == "saturate" else math.inf, value)
    return math.copysign(float(nearest), value)


def by_struct(value: float, dtype: str) -> float:
    """The same by the interpreter's own packing, which refuses what we call infinite."""
    code = STRUCT_CODES[dtype]
    try:
        rounded: float = struct.unpack(code, struct.pack(code, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded


def bits(value: float) -> bytes:
    """The bits of a double, so that -0.0 differs from 0.0."""
    return struct.pack("<d", value)


MUTANTS: dict[str, Callable[[float, str], float]] = {
    "truncates": lambda value, dtype: oracle(value, dtype, math.floor),
    "ties-away-from-zero": lambda value, dtype: oracle(value, dtype, half_up),
    "ties-to-zero": lambda value, dtype: oracle(value, dtype, half_down),
    "saturates": lambda value, dtype: oracle(value, dtype, fate="saturate"),
    "flushes-subnormals": lambda value, dtype: oracle(value, dtype, fate="flush"),
    "loses-the-sign-of-zero": lambda value, dtype: oracle(value, dtype) + 0.0,
    "by-way-of-float32": lambda value, dtype: oracle(oracle(value, "float32"), dtype),
}

EXAMPLES = [
    pytest.param("bfloat16", 1 + 2**-8, 1.0, id="bf16-tie-to-even-down"),
    pytest.param("bfloat16", 1 + 3 * 2**-8, 1 + 2**-6, id="bf16-tie-to-even-up"),
    pytest.param("bfloat16", 1 + 2**-8 + 2**-40, 1 + 2**-7, id="bf16-not-by-way-of-float32"),
    pytest.param("bfloat16", 3.4e38, math.inf, id="bf16-overflow"),
    pytest.param("bfloat16", -3.4e38, -math.inf, id="bf16-overflow-negative"),
    pytest.param("bfloat16", 255 * 2.0**120, 255 * 2.0**120, id="bf16-largest"),
    pytest.param("bfloat16", 511 * 2.0**119, math.inf, id="bf16-tie-at-the-top"),
    pytest.param("bfloat16", 2.0**-133, 2.0**-133, id="bf16-smallest"),
    pytest.param("bfloat16", 2.0**-134, 0.0, id="bf16-half-of-the-smallest"),
    pytest.param("bfloat16", 3 * 2.0**-135, 2.0**-133, id="bf16-three-quarters-of-the-smallest"),
    pytest.param("float16", 65504.0, 65504.0, id="fp16-largest"),
    pytest.param("float16", 65519.99, 65504.0, id="fp16-just-below-overflow"),
    pytest.param("float16", 65520.0, math.inf, id="fp16-overflow"),
    pytest.param("float16", 2049.0, 2048.0, id="fp16-tie-to-even-down"),
    pytest.param("float16", 2051.0, 2052.0, id="fp16-tie-to-even-up"),
    pytest.param("float16", 2.0**-24, 2.0**-24, id="fp16-smallest"),
    pytest.param("float16", -(2.0**-26), -0.0, id="fp16-negative-zero"),
    pytest.param("float32", 16777217.0, 16777216.0, id="fp32-tie-to-even-down"),
    pytest.param("float32", 16777219.0, 16777220.0, id="fp32-tie-to-even-up"),
    pytest.param("float32", 1e39, math.inf, id="fp32-overflow"),
    pytest.param("float32", 2.0**128, math.inf, id="fp32-just-overflow"),
    pytest.param("float32", (2**24 - 1) * 2.0**104, (2**24 - 1) * 2.0**104, id="fp32-largest"),
    pytest.param("float32", (2**25 - 1) * 2.0**103, math.inf, id="fp32-tie-at-the-top"),
    pytest.param("bfloat16", 2.0**128, math.inf, id="bf16-just-overflow"),
    pytest.param("float32", 2.0**-149, 2.0**-149, id="fp32-smallest"),
    pytest.param("float64", 0.1, 0.1, id="fp64-unchanged"),
]


@pytest.mark.parametrize(("dtype", "value", "expected"), EXAMPLES)
def test_worked_example(dtype: str, value: float, expected: float) -> None:
    """Each of these was worked out by hand from the format."""
    assert bits(round_to(value, dtype)) == bits(expected)


@pytest.mark.parametrize("mutant", MUTANTS)
def test_table_tells_every_mutant_apart(mutant: str) -> None:
    """The table above has a row that each of the mistakes gets wrong, and the oracle none."""
    rows = [tuple(row.values) for row in EXAMPLES]
    for dtype, value, expected in rows:
        assert bits(oracle(float(value), str(dtype))) == bits(float(expected))  # type: ignore[arg-type]
    wrong = [d for d, v, e in rows if bits(MUTANTS[mutant](float(v), str(d))) != bits(float(e))]  # type: ignore[arg-type]
    assert wrong


# values of every size, and values near the ties, where rounding rules differ
finite = st.floats(allow_nan=False, allow_infinity=False)
near_ties = st.builds(
    lambda whole, exponent, nudge: math.ldexp(2 * whole + 1, exponent) * (1 + nudge * 2.0**-50),
    st.integers(-(2**12), 2**12),
    st.integers(-150, 130),
    st.sampled_from([-1, 0, 0, 1]),
)
values = finite | near_ties


@pytest.mark.parametrize("dtype", STRUCT_CODES)
@given(value=values)
@settings(deadline=None, max_examples=150)
def test_oracle_agrees_with_struct(dtype: str, value: float) -> None:
    """The oracle is right where the interpreter offers a second opinion."""
    assert bits(oracle(value, dtype)) == bits(by_struct(value, dtype))


@pytest.mark.parametrize("dtype", STRUCT_CODES)
@given(value=values)
@settings(deadline=None, max_examples=150)
def test_equals_struct(dtype: str, value: float) -> None:
    """float32 and float16 round as the interpreter packs them."""
    assert bits(round_to(value, dtype)) == bits(by_struct(value, dtype))


@pytest.mark.parametrize("dtype", FORMATS)
@given(value=values)
@settings(deadline=None, max_examples=150)
def test_equals_exact_rounding(dtype: str, value: float) -> None:
    """Every dtype rounds as the exact integers say."""
    assert bits(round_to(value, dtype)) == bits(oracle(value, dtype))


@pytest.mark.parametrize("dtype", FORMATS)
def test_infinity_and_nan_stay(dtype: str) -> None:
    """What is not finite is not touched."""
    assert round_to(math.inf, dtype) == math.inf
    assert round_to(-math.inf, dtype) == -math.inf
    assert math.isnan(round_to(math.nan, dtype))


@pytest.mark.parametrize("dtype", FORMATS)
@given(value=values)
@settings(deadline=None, max_examples=50)
def test_rounding_twice_changes_nothing(dtype: str, value: float) -> None:
    """A rounded number is a number of the dtype."""
    once = round_to(value, dtype)
    assert bits(round_to(once, dtype)) == bits(once)


# each result would be another number, or one that the dtype does not hold, if it were not rounded
OPERATIONS = [
    pytest.param("bfloat16", "add", (1.0, 2.0**-8), 1.0, id="bf16-add"),
    pytest.param("bfloat16", "subtract", (2.0, 2.0**-8), 2.0, id="bf16-subtract"),
    pytest.param("bfloat16", "multiply", (1 + 2.0**-7, 1 + 2.0**-7), 1 + 2.0**-6, id="bf16-multiply"),
    pytest.param("bfloat16", "divide", (1.0, 3.0), 171 * 2.0**-9, id="bf16-divide"),
    pytest.param("bfloat16", "exp", (-1.0,), 188 * 2.0**-9, id="bf16-exp"),
    pytest.param("float16", "add", (65504.0, 16.0), math.inf, id="fp16-add-overflows"),
    pytest.param("float16", "multiply", (-256.0, 256.0), -math.inf, id="fp16-multiply-overflows"),
    pytest.param("float16", "divide", (2.0**-24, 4.0), 0.0, id="fp16-divide-underflows"),
    pytest.param("float32", "subtract", (16777216.0, -1.0), 16777216.0, id="fp32-subtract"),
    pytest.param("float16", "exp", (-math.inf,), 0.0, id="fp16-exp-of-minus-infinity"),
    pytest.param("float64", "divide", (1.0, 0.0), math.inf, id="by-zero"),
    pytest.param("float64", "divide", (-1.0, 0.0), -math.inf, id="minus-by-zero"),
    pytest.param("float64", "divide", (1.0, -0.0), -math.inf, id="by-minus-zero"),
    pytest.param("float64", "divide", (-math.inf, -0.0), math.inf, id="infinity-by-minus-zero"),
]


@pytest.mark.parametrize(("dtype", "operation", "operands", "expected"), OPERATIONS)
def test_operations_are_rounded(
    dtype: str, operation: str, operands: tuple[float, ...], expected: float
) -> None:
    """Worked by hand; quotients by zero as IEEE 754 has them, where Python raises."""
    assert bits(getattr(Arithmetic(dtype), operation)(*operands)) == bits(expected)


@pytest.mark.parametrize("operands", [(0.0, 0.0), (-0.0, 0.0), (math.nan, 0.0), (math.nan, 1.0)], ids=repr)
def test_quotients_that_are_no_number(operands: tuple[float, float]) -> None:
    assert math.isnan(Arithmetic("float64").divide(*operands))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (0.0, 0.0, True),
        (0.0, -0.0, False),
        (math.nan, math.nan, True),
        (math.nan, 0.0, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
        (1.0, 1.0 + 2**-52, False),
        (2.0**-1074, 0.0, False),
        (0.1 + 0.2, 0.3, False),
    ],
    ids=repr,
)
def test_same_bits(one: float, other: float, same: bool) -> None:
    """Bit-equal is stricter than ==, but for NaN."""
    assert same_bits(one, other) is same


@pytest.mark.parametrize(
    ("value", "dtype", "exponent"),
    [
        (1.0, "float64", -52),
        (1.0, "bfloat16", -7),
        (-3.0, "float16", -9),
        (2.0**-20, "float16", -24),
        (0.0, "float16", -24),
        (0.0, "float32", -149),
        (0.0, "float64", -1074),
    ],
    ids=repr,
)
def test_ulp(value: float, dtype: str, exponent: int) -> None:
    """Precision - 1 bits below the leading one, and never finer than the smallest number."""
    assert ulp_exponent(value, dtype) == exponent
