"""From traces and random loads to arrivals on a clock of whole ticks."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.files.traces import TraceRequest
from labs.replay.arrivals import RandomLoad
from labs.replay.load import Arrival, at_once, at_rate, of_random, of_trace, on_a_clock, rate_of
from labs.replay.longest import check_longest
from labs.replay.step_cost import StepCost

THREE = (Arrival(0, 10, 2), Arrival(100, 20, 3), Arrival(400, 30, 4))


def test_a_trace_begins_with_its_first_arrival() -> None:
    found = of_trace([TraceRequest(1000, 5, 2, (1,)), TraceRequest(Fraction(2001, 2), 6, 0, (1,))])
    assert found == (Arrival(0, 5, 2, (1,)), Arrival(Fraction(1, 2), 6, 1, (1,)))


def test_no_output_counts_as_one_token() -> None:
    assert [arrival.output_length for arrival in of_trace([TraceRequest(0, 5, n) for n in (0, 1, 2)])] == [
        *(1, 1, 2)
    ]


def test_a_random_load_is_in_whole_microseconds() -> None:
    found = of_random(RandomLoad(4, 3, 128, 7, burstiness="inf"))
    assert [arrival.ms for arrival in found] == [
        Fraction(us, 1000) for us in (333333, 666667, 1000000, 1333333)
    ]
    assert {(arrival.input_length, arrival.output_length) for arrival in found} == {(128, 7)}


def test_a_rate_stretches_all_times_alike() -> None:
    # 3 requests at 10 a second come in 300 ms; they came in 400
    found = at_rate(THREE, Fraction(10))
    assert [arrival.ms for arrival in found] == [0, 75, 300]
    assert [arrival.input_length for arrival in found] == [10, 20, 30]
    assert rate_of(found) == 10


def test_the_rate_of_a_load() -> None:
    assert rate_of(THREE) == Fraction(15, 2)
    assert rate_of(at_once(THREE)) is None


def test_a_rate_of_requests_at_once_is_refused() -> None:
    with pytest.raises(LabError) as refused:
        at_rate(at_once(THREE), Fraction(1))
    assert (refused.value.where, refused.value.rule) == ("--sweep-rate", "all_at_once")


def test_ticks_are_whole_with_awkward_fractions() -> None:
    """Sevenths of a ms in the arrivals, thirds and elevenths in the cost: 231 ticks a ms."""
    arrivals = [Arrival(0, 5, 2), Arrival(Fraction(3, 7), 6, 3)]
    cost = StepCost(5, Fraction(1, 3), 0, Fraction(2, 11))
    coming, ticks, ids = on_a_clock(arrivals, cost)
    assert ticks.per_ms == 231
    assert [tick for tick, _ in coming] == [0, 99]
    assert (ticks.base, ticks.prefill_token, ticks.decode, ticks.kv_token) == (1155, 77, 0, 42)
    assert ids == {}


def test_requests_as_the_rules_know_them() -> None:
    coming, _, ids = on_a_clock(
        [Arrival(0, 5, 2, (8, 9)), Arrival(1, 6, 1, None, (4, 5))], StepCost(1, 0, 0, 0)
    )
    requests = [request for _, request in coming]
    assert [(r.name, r.prefill, r.decode, r.prompt) for r in requests] == [
        ("r1", 5, 1, None),
        ("r2", 6, 0, (4, 5)),
    ]
    assert ids == {"r1": (8, 9)}


@given(st.lists(st.fractions(0, 10**6), min_size=1, max_size=9).map(sorted), st.fractions(0, 9))
def test_every_time_is_kept_exactly(times: list[Fraction], base: Fraction) -> None:
    cost = StepCost(base + Fraction(1, 7), 0, 0, 0)
    coming, ticks, _ = on_a_clock([Arrival(ms, 1, 1) for ms in times], cost)
    assert [Fraction(tick, ticks.per_ms) for tick, _ in coming] == times
    assert Fraction(ticks.base, ticks.per_ms) == cost.base


LONGEST = [
    # r3 holds 30 + 4 - 1 = 33 tokens at its end: 3 blocks of 16
    pytest.param(3, 16, None, None, id="fits exactly"),
    pytest.param(2, 16, None, ("--kv-blocks", "replay_longest"), id="a block short"),
    pytest.param(None, 16, None, None, id="no limit"),
    pytest.param(2, 16, 33, None, id="cut at 33 tokens: 32 are computed"),
    pytest.param(2, 16, 34, ("--kv-blocks", "replay_longest"), id="cut at 34 tokens"),
    pytest.param(None, 16, 30, ("--max-model-len", "prompt_too_long"), id="a prompt as long as the model"),
    pytest.param(None, 16, 31, None, id="room for one output"),
]


@pytest.mark.parametrize(("blocks", "size", "most", "refusal"), LONGEST)
def test_who_could_never_finish(
    blocks: int | None, size: int, most: int | None, refusal: tuple[str, str] | None
) -> None:
    if refusal is None:
        check_longest(THREE, blocks, size, most, "--kv-blocks")
        return
    with pytest.raises(LabError) as refused:
        check_longest(THREE, blocks, size, most, "--kv-blocks")
    assert (refused.value.where, refused.value.rule) == refusal
    assert refused.value.values["name"] == "r3"
