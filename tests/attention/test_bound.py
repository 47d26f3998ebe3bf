"""The bound on the online softmax: what it is, how a distance is measured, and that it can be exceeded.

Turned red by: a bound that is larger or smaller than the stated one, a distance that looks at one number or
one position only, ulps of another dtype or size, NaN that gets lost, and a verdict that is always the same.
"""

from __future__ import annotations

import math

import pytest

from labs.engine.online_softmax import Ulps, distance

ULP_OF_ONE = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
Rows = list[list[float]]


@pytest.mark.parametrize(
    ("tokens", "block", "bound"), [(1, 1, 16), (1, 4, 16), (4, 2, 40), (5, 2, 48), (9, 1, 92), (16, 16, 92)]
)
def test_bound_as_stated(tokens: int, block: int, bound: int) -> None:
    """4 x (tokens + blocks + log2 of tokens + 2): 4 x (5 + 3 + 2 + 2) = 48."""
    ones = [[1.0]] * tokens
    assert distance(ones, ones, ones, block, "float64") == Ulps(0.0, bound, True, False)


@pytest.mark.parametrize("dtype", ULP_OF_ONE)
@pytest.mark.parametrize(("ulps", "within"), [(0, True), (1, True), (16, True), (17, False), (1000, False)])
def test_verdict_at_the_bound(dtype: str, ulps: int, within: bool) -> None:
    """One token in one block may be off by 16 ulps, and not by 17."""
    off = 1.0 + ulps * ULP_OF_ONE[dtype]
    for one, other in (([[1.0]], [[off]]), ([[off]], [[1.0]])):
        assert distance(one, other, [[1.0]], 1, dtype) == Ulps(float(ulps), 16, within, False)


U = ULP_OF_ONE["float64"]
DISTANCES: dict[str, tuple[Rows, Rows, Rows, float]] = {
    "the largest of a row": ([[0.0, 0.0]], [[3 * U, U]], [[1.0, 1.0]], 3.0),
    "the largest of a row, elsewhere": ([[0.0, 0.0]], [[U, -3 * U]], [[1.0, 1.0]], 3.0),
    "the largest of the rows": ([[0.0]] * 3, [[U], [5 * U], [2 * U]], [[1.0]] * 3, 5.0),
    "at the values, not at the outputs": ([[0.25]], [[0.25 + U]], [[-1.5]], 1.0),
    "a larger value makes a larger ulp": ([[0.0]], [[4 * U]], [[4.0]], 1.0),
    "only values read so far": ([[0.0]] * 2, [[U], [0.0]], [[1.0], [4.0]], 1.0),
    "and all of them": ([[0.0]] * 2, [[0.0], [4 * U]], [[4.0], [1.0]], 1.0),
    "of a row, too": ([[0.0, 0.0]], [[4 * U, 0.0]], [[1.0, -4.0]], 1.0),
}


@pytest.mark.parametrize("name", DISTANCES)
def test_distance_in_ulps_at_the_largest_value_read(name: str) -> None:
    plain, blocks, values, ulps = DISTANCES[name]
    assert distance(plain, blocks, values, 1, "float64").max_ulps == ulps


@pytest.mark.parametrize("lost", [math.nan, math.inf, -math.inf], ids=repr)
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_what_is_no_number_is_beyond_every_bound(place: int, lost: float) -> None:
    """At any place of two rows: NaN compares as neither larger nor smaller, so a maximum may lose it."""
    ones = [[1.0, 1.0], [1.0, 1.0]]
    other = [[lost if place == 2 * row + column else 1.0 for column in (0, 1)] for row in (0, 1)]
    for plain, blocks in ((ones, other), (other, ones)):
        found = distance(plain, blocks, ones, 1, "float64")
        assert (found.max_ulps, found.within_bound) == (math.inf, False)


@pytest.mark.parametrize(("tokens", "vacuous"), [(28, False), (29, True)])
def test_a_bound_as_large_as_the_values_says_nothing(tokens: int, vacuous: bool) -> None:
    """bfloat16 has 2**8 = 256 ulps from 1 to 2: 4 x (28 + 28 + 4 + 2) = 248, 4 x (29 + 29 + 4 + 2) = 256."""
    ones = [[1.0]] * tokens
    assert distance(ones, ones, ones, 1, "bfloat16").bound_is_vacuous is vacuous
