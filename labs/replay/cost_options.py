"""Reading the options of a step cost: terms with times, compute and memory rates, parameters.

    5ms, 20us, 40ns            times, by `labs.view.times`
    989TFLOP/s, 989TFLOPS      operations a second, powers of 1000
    3.35TB/s, 3.35TiB/s        bytes a second: no bits, as no data sheet has them for a memory
    8.03B, 8030261248          parameters; B is 10^9 here, and a bare number is a count

Does not model: peak rates that a kernel does not reach. State what is reached, or a share of the peak.
"""

from __future__ import annotations

from labs.base import LabError, require
from labs.replay.options import with_path
from labs.replay.plain_digits import check_no_exponent
from labs.replay.step_cost import TERMS, StepCost
from labs.view.times import read_time
from labs.view.units import SIZES, plain_number, read_quantity, split_quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    from labs.options import Reader
    from labs.replay.step_fit import Fit

    Number = int | Fraction

PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
# data sheets write TFLOPS for TFLOP/s
FLOP_RATES = {
    prefix + unit: size for unit in ("FLOP/s", "FLOPS", "FLOPs") for prefix, size in PREFIXES.items()
}
BYTE_RATES = {f"{unit}/s": size for unit, size in SIZES.items()}
COUNTS = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}


def options() -> tuple[tuple[str, Reader, str], ...]:
    """The options of a step cost: name, reader, what stands for the value in the help.

    One of `--cost`, `--cost-fit`, or rates and parameters together.
    """
    return (
        ("--cost", read_cost, "TERMS"),
        ("--cost-fit", with_path(read_cost_fit), "RESULT"),
        ("--flops", read_flop_rate, "RATE"),
        ("--memory-bandwidth", read_byte_rate, "RATE"),
        ("--parameters", read_count, "N"),
    )


def read_cost(text: str, where: str) -> StepCost:
    """A cost `base=5ms,prefill=20us,decode=100us,kv=40ns`; terms left out are zero; `LabError` otherwise.

    >>> read_cost("base=5ms,kv=40ns", "--cost").terms
    (Fraction(5, 1), 0, 0, Fraction(1, 25000))
    """
    terms: dict[str, Number] = {}
    for part in text.split(","):
        term, equals, time = [piece.strip() for piece in part.partition("=")]
        require(bool(equals), where, "not_a_cost", text)
        require(term in TERMS, where, "unknown_cost_term", term, known=", ".join(TERMS))
        require(term not in terms, where, "repeated_cost_term", term)
        check_no_exponent(time, where)
        terms[term] = read_time(time, where)
    require(any(terms.values()), where, "cost_is_nothing", text)
    return StepCost(*[terms.get(term, 0) for term in TERMS])


def read_cost_fit(path: str, where: str) -> Fit:
    """The cost that fits the one detailed result in a file; `LabError` at the option or `path:line`."""
    from labs.files.bench_result import read_results
    from labs.replay.step_fit import fit_cost, timed_requests

    results = read_results(path, where)
    require(len(results) == 1, f"{path}:{results[-1].line}", "fit_one_result", f"{len(results)} results")
    place = f"{path}:{results[0].line}"
    return fit_cost(timed_requests(results[0], place), place)


def read_flop_rate(text: str, where: str) -> Fraction:
    """FLOP/s of a compute rate such as `989TFLOP/s`, above zero; `LabError` without a unit.

    >>> read_flop_rate("989TFLOP/s", "--flops")
    Fraction(989000000000000, 1)
    """
    return _positive(text, where, FLOP_RATES, ("TFLOP/s", "GFLOP/s"))


def read_byte_rate(text: str, where: str) -> Fraction:
    """B/s of a memory rate such as `3.35TB/s`, above zero; `LabError` without a unit, or for bits.

    >>> read_byte_rate("3.35TB/s", "--memory-bandwidth")
    Fraction(3350000000000, 1)
    """
    return _positive(text, where, BYTE_RATES, ("TB/s", "GB/s"))


def read_count(text: str, where: str) -> int:
    """A number of parameters, `8030261248` or `8.03B` (10^9); `LabError` unless whole and above zero.

    >>> read_count("8.03B", "--parameters")
    8030000000
    """
    check_no_exponent(text, where)
    number, unit = split_quantity(text)
    if unit not in COUNTS:
        raise LabError(where, "unknown_unit", text, units=", ".join(filter(None, COUNTS)))
    try:
        count = plain_number(number) * COUNTS[unit]
    except LabError:
        raise LabError(where, "not_a_count", text) from None
    require(count > 0 and count.denominator == 1, where, "not_a_count", text)
    return int(count)


def _positive(text: str, where: str, units: dict[str, int], readings: tuple[str, str]) -> Fraction:
    check_no_exponent(text, where)
    amount = read_quantity(text, where, units, readings)
    require(amount > 0, where, "not_positive", text)
    return amount
