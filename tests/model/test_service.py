"""Service figures against hand-computed ones."""

from __future__ import annotations

from fractions import Fraction

import pytest

from labs.base import LabError
from labs.model.service import fetch_cost_ms, fetch_saving_ms, goodput, throughput


@pytest.mark.parametrize(
    ("requests", "seconds", "rate"),
    [(100, 10, Fraction(10)), (75, 10, Fraction(15, 2)), (0, 3, Fraction(0)), (1, 3, Fraction(1, 3))],
    ids=["course-throughput", "course-goodput", "none", "a-third"],
)
def test_rates_are_requests_by_time(requests: int, seconds: int, rate: Fraction) -> None:
    assert throughput(requests, seconds) == goodput(requests, seconds) == rate


def test_no_time_is_refused() -> None:
    with pytest.raises(LabError, match="not_positive"):
        throughput(1, 0)


@pytest.mark.parametrize(
    ("steps", "overlap", "recompute", "cost", "saving"),
    [
        ((3, 20, 7), 8, 60, 22, 38),
        ((3, 20, 7), 0, 60, 30, 30),
        ((3, 20, 7), 30, 60, 0, 60),
        ((5, 50, 5), 0, 10, 60, -50),
    ],
    ids=["course", "no-overlap", "all-overlaps", "fetching-costs-more"],
)
def test_fetch(steps: tuple[int, int, int], overlap: int, recompute: int, cost: int, saving: int) -> None:
    assert fetch_cost_ms(*steps, overlap) == cost
    assert fetch_saving_ms(recompute, cost) == saving


def test_more_overlap_than_steps_is_refused() -> None:
    with pytest.raises(LabError, match="at_most"):
        fetch_cost_ms(1, 1, 1, 4)
