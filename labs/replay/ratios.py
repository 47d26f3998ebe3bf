"""Exact ratios as (numerator, denominator), not reduced: they are rounded once, where they are printed.

Not Fractions, since reducing a mean over thousands of requests costs more than the replay itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Ratio = tuple[int, int]


def exact_sum(numerators: dict[int, int]) -> Ratio:
    """The sum of fractions, given as {denominator: numerator}, over one denominator.

    Neighbours are summed first, then their sums: so the numbers stay short for as long as can be.

    >>> exact_sum({2: 1, 3: 1, 4: 2}), exact_sum({})
    ((32, 24), (0, 1))
    """
    terms = [(numerator, denominator) for denominator, numerator in numerators.items()] or [(0, 1)]
    while len(terms) > 1:
        pairs = zip(terms[::2], terms[1::2])
        rest = terms[len(terms) // 2 * 2 :]
        terms = [(a * d + c * b, b * d) for (a, b), (c, d) in pairs] + rest
    return terms[0]


def mean(numerators: dict[int, int], count: int) -> Ratio:
    """The mean over `count` members of fractions summed up as {denominator: numerator}.

    >>> mean({2: 1, 3: 1}, 4)
    (5, 24)
    """
    numerator, denominator = exact_sum(numerators)
    return numerator, denominator * count


def median(numbers: Sequence[int]) -> Ratio:
    """The middle number, or half the sum of the two in the middle.

    >>> median([5, 1, 3]), median([1, 2, 4, 8])
    ((6, 2), (6, 2))
    """
    ordered = sorted(numbers)
    return ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2], 2
