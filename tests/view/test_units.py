"""Quantities: exact reading, fixed printing, and no guess where a unit is missing."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.view.errors import error_line
from labs.view.units import (
    binary_size,
    decimal_size,
    fixed,
    plain_number,
    rate_text,
    read_rate,
    read_size,
    thousands,
    trimmed,
)


@given(st.integers(-(10**12), 10**12), st.integers(1, 10**9), st.integers(0, 6))
def test_fixed_rounds_half_to_even_as_decimal_does(numerator: int, denominator: int, places: int) -> None:
    with localcontext() as context:
        context.prec = 60
        scaled = Decimal(numerator) * 10**places / Decimal(denominator)
        expected = int(scaled.to_integral_value(rounding=ROUND_HALF_EVEN))
    assert Decimal(fixed(numerator, denominator, places)) == Decimal(expected) / 10**places


@pytest.mark.parametrize(
    ("numerator", "denominator", "places", "text"),
    [
        (1, 8, 2, "0.12"),
        (3, 8, 2, "0.38"),
        (5, 2, 0, "2"),
        (7, 2, 0, "4"),
        (-1, 3, 2, "-0.33"),
        (0, 5, 2, "0.00"),
    ],
)
def test_fixed_on_ties_and_signs(numerator: int, denominator: int, places: int, text: str) -> None:
    assert fixed(numerator, denominator, places) == text


@pytest.mark.parametrize(
    ("num_bytes", "binary", "decimal"),
    [
        (0, "0 B", "0 B"),
        (1023, "1023 B", "1.02 kB"),
        (1024, "1 KiB", "1.02 kB"),
        (131072, "128 KiB", "131.07 kB"),
        (2**30, "1 GiB", "1.07 GB"),
        (25 * 2**29, "12.5 GiB", "13.42 GB"),
        (80 * 10**9, "74.51 GiB", "80 GB"),
    ],
)
def test_sizes_in_both_families(num_bytes: int, binary: str, decimal: str) -> None:
    assert (binary_size(num_bytes), decimal_size(num_bytes)) == (binary, decimal)


@pytest.mark.parametrize(
    ("text", "num_bytes"),
    [("80GiB", 80 * 2**30), ("80 GB", 80 * 10**9), ("1.5KiB", 1536), ("0.5kB", 500), ("7B", 7)],
)
def test_read_size(text: str, num_bytes: int) -> None:
    assert read_size(text, "--size") == num_bytes


@pytest.mark.parametrize(
    ("text", "bits_per_second"),
    [("400Gbit/s", 4 * 10**11), ("50GB/s", 4 * 10**11), ("1GiB/s", 8 * 2**30), ("2.5 Gbit/s", 25 * 10**8)],
)
def test_read_rate(text: str, bits_per_second: int) -> None:
    assert read_rate(text, "--bandwidth") == bits_per_second


DECIMAL, BINARY = ("B", "kB", "MB", "GB", "TB"), ("B", "KiB", "MiB", "GiB", "TiB")


@pytest.mark.parametrize("step", range(5))
def test_every_unit_both_ways(step: int) -> None:
    """A step up is 1000 in one family and 1024 in the other; bytes a second are 8 bits a second."""
    for unit, size, text in (
        (DECIMAL[step], 1000**step, decimal_size),
        (BINARY[step], 1024**step, binary_size),
    ):
        assert read_size(f"3{unit}", "--size") == 3 * size
        assert read_rate(f"3{unit}/s", "--bandwidth") == 8 * 3 * size
        assert text(3 * size) == f"3 {unit}"
        assert text(size) == f"1 {unit}"
    bits = DECIMAL[step].replace("B", "bit/s")
    assert read_rate(f"3{bits}", "--bandwidth") == 3 * 1000**step
    assert rate_text(3 * 1000**step) == f"3 {bits}"


def test_a_bare_number_is_refused_with_its_two_readings() -> None:
    with pytest.raises(LabError) as size:
        read_size("80", "--size")
    with pytest.raises(LabError) as rate:
        read_rate("400", "--bandwidth")
    assert error_line(size.value, "en") == "error: --size: needs a unit: 80GiB or 80GB? (got 80)"
    assert error_line(rate.value, "en") == "error: --bandwidth: needs a unit: 400Gbit/s or 400GB/s? (got 400)"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GiB",
        "80gib",
        "80Gb",
        "1e3GB",
        "-1GB",
        "0GB",
        "0.3B",
        "1_000GB",
        "٣GB",
        "1.GB",
        ".5GB",
        "9" * 5000 + "GB",
    ],
)
def test_sizes_that_are_refused(text: str) -> None:
    with pytest.raises(LabError) as caught:
        read_size(text, "--size")
    assert len(error_line(caught.value, "en")) < 300


def test_small_texts() -> None:
    assert (rate_text(4 * 10**11), rate_text(10**6), rate_text(1)) == ("400 Gbit/s", "1 Mbit/s", "1 bit/s")
    assert (trimmed(5, 2), trimmed(100), trimmed(1, 3, 4)) == ("2.5", "100", "0.3333")
    assert (trimmed(100, places=0), trimmed(1999, 10, 0)) == ("100", "200")
    assert (binary_size(1025, 3), decimal_size(1234, 0)) == ("1.001 KiB", "1 kB")
    assert (thousands(0), thousands(999), thousands(1000), thousands(1048576)) == (
        "0",
        "999",
        "1,000",
        "1,048,576",
    )


def test_plain_number_is_exact() -> None:
    assert [plain_number(text) for text in ("0.1", "12.50", "7")] == [Fraction(1, 10), Fraction(25, 2), 7]


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", "1e3", "1/3", "1.", ".5", "1.2.3", "\u0663", "1_0", "9" * 31]
)
def test_numbers_that_are_not_plain(text: str) -> None:
    with pytest.raises(LabError) as caught:
        plain_number(text)
    assert caught.value.rule == "not_a_number"
