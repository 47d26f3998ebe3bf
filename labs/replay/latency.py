"""What the words of a latency report mean: each name has one definition, the engine's.

    TTFT   sending (after any queue of the client) to the first streamed chunk with a choice
    E2EL   sending to the last such chunk, which may come before the end of the stream
    TPOT   (E2EL - TTFT) / (output tokens - 1), one value a request; none for answers of one token or less
    ITL    the gaps between such chunks, pooled over all requests: one value a chunk, which may carry
           several tokens

    mean, median        plain
    std                 the population's: divided by n, not n - 1
    percentile q        between the values at ranks floor and ceil of (n - 1) q / 100 (from 0), linearly
    goodput             requests that meet all limits (<=), over the duration; TPOT of a one-token answer
                        counts as 0, a failed request is never good

Values are ints, floats or Fractions of any one unit. Results are Fractions: exact for ints and Fractions; of
floats the sum is rounded once (`math.fsum`), all after it is exact. A standard deviation is the root to 80
bits.

Source: vLLM 0.32.0, `vllm bench serve`, checked field by field against its detailed results.
Does not model: how a server streams; re-tokenising; confidence in a percentile of few values.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum, isqrt

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Number = int | float | Fraction

ROOT_BITS = 80
MS_PER_S = 1000


def total(values: Sequence[Number]) -> Fraction:
    """The sum; of floats the nearest float to it.

    >>> total([0.1] * 10), total([1, Fraction(1, 2)])
    (Fraction(1, 1), Fraction(3, 2))
    """
    if any(isinstance(value, float) for value in values):
        return Fraction(fsum(values))
    exact = [value for value in values if not isinstance(value, float)]
    return Fraction(sum(exact))


def mean(values: Sequence[Number]) -> Fraction:
    """The plain mean of at least one value.

    >>> mean([1, 2])
    Fraction(3, 2)
    """
    return total(values) / len(values)


def percentile(ordered: Sequence[Number], percent: Fraction | int) -> Fraction:
    """The percentile (0 to 100) of at least one value in ascending order, interpolated linearly.

    >>> percentile([10, 20, 30, 40], 50), percentile([10, 20], 99)
    (Fraction(25, 1), Fraction(199, 10))
    """
    rank = (len(ordered) - 1) * Fraction(percent) / 100
    below = int(rank)
    low = Fraction(ordered[below])
    if rank == below:
        return low
    return low + (Fraction(ordered[below + 1]) - low) * (rank - below)


def median(ordered: Sequence[Number]) -> Fraction:
    """The middle of at least one value in ascending order; of an even number the mean of the two.

    >>> median([1, 2, 4, 8])
    Fraction(3, 1)
    """
    return percentile(ordered, 50)


def variance(values: Sequence[Number]) -> Fraction:
    """The mean square distance from the mean, in the square of the unit.

    >>> variance([1, 3])
    Fraction(1, 1)
    """
    center: Number = mean(values)
    if any(isinstance(value, float) for value in values):
        center = float(center)
    return mean([(value - center) * (value - center) for value in values])


def std(values: Sequence[Number]) -> Fraction:
    """The population's standard deviation of at least one value.

    >>> std([2, 4, 4, 4, 5, 5, 7, 9])
    Fraction(2, 1)
    """
    return root(variance(values))


def root(square: Fraction) -> Fraction:
    """The square root, exact if it is a fraction of that size, else cut at a relative 2^-80.

    >>> root(Fraction(9, 4)), float(root(Fraction(2)))
    (Fraction(3, 2), 1.4142135623730951)
    """
    if square == 0:
        return Fraction(0)
    scaled = square.numerator * square.denominator
    shift = max(0, 2 * ROOT_BITS - scaled.bit_length()) // 2 + 1
    return Fraction(isqrt(scaled << 2 * shift), square.denominator << shift)


def tpot(ttft: Number, e2el: Number, output_tokens: int) -> Number | None:
    """Time per output token after the first; None where there is no second one.

    >>> tpot(Fraction(1), Fraction(4), 4), tpot(1, 1, 1)
    (Fraction(1, 1), None)
    """
    if output_tokens <= 1:
        return None
    return (e2el - ttft) / (output_tokens - 1)


class Summary(Record):
    """The aggregates of one measure, in the unit of its values; `percentiles` are (percent, value)."""

    count: int
    mean: Fraction
    median: Fraction
    std: Fraction
    percentiles: tuple[tuple[Fraction | int, Fraction], ...]


def summary(values: Iterable[Number], percents: Sequence[Fraction | int] = (50, 95, 99)) -> Summary | None:
    """All aggregates of some values; None of none at all, where an engine's report says 0.

    >>> summary([3, 1], (99,))
    Summary(count=2, mean=Fraction(2, 1), median=Fraction(2, 1), std=Fraction(1, 1), \
percentiles=((99, Fraction(149, 50)),))
    """
    ordered = sorted(values)
    if not ordered:
        return None
    percentiles = tuple([(percent, percentile(ordered, percent)) for percent in percents])
    return Summary(len(ordered), mean(ordered), median(ordered), std(ordered), percentiles)


class Limits(Record):
    """Limits of a good request in milliseconds; None where a measure has no limit."""

    ttft: Fraction | None = None
    tpot: Fraction | None = None
    e2el: Fraction | None = None


def is_good(
    limits: Limits, ttft: Number, e2el: Number, output_tokens: int, per_ms: Number = Fraction(1, MS_PER_S)
) -> bool:
    """Whether a request that succeeded meets all limits; its times have `per_ms` units a millisecond.

    A float is held against the nearest float to the limit, as the engine does it.

    >>> limits = Limits(ttft=Fraction(200), tpot=Fraction(50))
    >>> is_good(limits, 0.2, 0.25, 2), is_good(limits, 0.2, 0.26, 2), is_good(limits, 0.1, 0.1, 1)
    (True, False, True)
    """
    own_tpot = tpot(ttft, e2el, output_tokens)
    for limit, value in (
        (limits.ttft, ttft),
        (limits.tpot, 0 if own_tpot is None else own_tpot),
        (limits.e2el, e2el),
    ):
        if limit is None:
            continue
        most: Number = limit * Fraction(per_ms)
        if value > (float(most) if isinstance(value, float) else most):
            return False
    return True


def goodput(good_requests: int, duration_s: Fraction) -> Fraction:
    """Good requests a second of wall time.

    >>> goodput(75, Fraction(10))
    Fraction(15, 2)
    """
    return good_requests / duration_s
