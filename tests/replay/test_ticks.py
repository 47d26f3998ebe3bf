"""Equal decode steps in a row: their time, and how many of them begin before a tick."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from labs.replay.ticks import UNBOUNDED, Ticks

COSTS = st.builds(Ticks, st.integers(0, 40), st.just(0), st.integers(0, 9), st.integers(0, 5), st.just(1))


def lone(first: int, longer: int) -> Ticks:
    """Steps of one decode that has read nothing: the first takes `first`, each further one `longer` more."""
    return Ticks(first, 0, 0, longer, 1)


def ends(cost: Ticks, steps: int, decodes: int, kv_tokens: int) -> list[int]:
    """When each of so many steps ends, adding one by one; each reads a token more of every decode."""
    times = [0]
    for step in range(steps):
        times.append(times[-1] + cost.of_step(0, decodes, kv_tokens + step * decodes))
    return times


def test_a_row_by_hand() -> None:
    """4 decodes reading 10, 14, 18 KV tokens of 2, with 1 a step and 3 each: 33 + 41 + 49."""
    assert Ticks(1, 0, 3, 2, 1).of_decodes(3, 4, 10) == 123


@given(COSTS, st.integers(0, 60), st.integers(0, 9), st.integers(0, 100))
def test_a_row_is_its_steps_added_up(cost: Ticks, steps: int, decodes: int, kv_tokens: int) -> None:
    assert cost.of_decodes(steps, decodes, kv_tokens) == ends(cost, steps, decodes, kv_tokens)[-1]


@given(COSTS, st.integers(1, 1500), st.integers(1, 9), st.integers(0, 100))
def test_any_steps_that_begin_before_a_tick(cost: Ticks, ticks: int, decodes: int, kv_tokens: int) -> None:
    """A step that begins at that very tick is none of them."""
    begins = ends(cost, 60, decodes, kv_tokens)[:60]
    begun = sum(begin < ticks for begin in begins)
    assert min(cost.decodes_before(ticks, decodes, kv_tokens), 60) == begun


@given(st.integers(1, 10**30), st.integers(1, 10**20), st.integers(1, 10**12))
@example(10**60, 1, 1)
def test_no_float_on_the_way(ticks: int, first: int, longer: int) -> None:
    """The least number of steps that lasts as long, whatever the size."""
    cost = lone(first, longer)
    steps = cost.decodes_before(ticks, 1, 0)
    assert cost.of_decodes(steps, 1, 0) >= ticks
    assert steps == 1 or cost.of_decodes(steps - 1, 1, 0) < ticks


@pytest.mark.parametrize(
    ("ticks", "first", "longer", "steps"),
    [
        pytest.param(0, 10, 0, 1, id="no time, but a step"),
        pytest.param(1, 10, 0, 1, id="the first begins at once"),
        pytest.param(10, 10, 0, 1, id="equal steps, at the boundary"),
        pytest.param(11, 10, 0, 2, id="equal steps, past it"),
        pytest.param(33, 10, 1, 3, id="10 + 11 + 12, at the boundary"),
        pytest.param(34, 10, 1, 4, id="10 + 11 + 12, past it"),
        pytest.param(1, 0, 4, 2, id="the first takes no time"),
        pytest.param(5, 0, 0, UNBOUNDED, id="none takes time: as many as may be"),
    ],
)
def test_steps_that_begin_before_a_tick(ticks: int, first: int, longer: int, steps: int) -> None:
    assert lone(first, longer).decodes_before(ticks, 1, 0) == steps
