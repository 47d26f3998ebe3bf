"""Replays worked by hand, and many steps at once against one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.replay import clock
from labs.replay.engine import stepper_of
from labs.replay.served import Progress, Served
from labs.replay.ticks import Ticks
from tests.replay.second_way import second_way
from tests.replay.small_replays import Load, counted, expanded, played, times

# a step 10 ticks, a prefill token 1, a decode 2
PLAIN = Ticks(10, 1, 2, 0, 1)
WITH_KV = Ticks(10, 1, 2, 1, 1)
EQUAL = Ticks(10, 0, 0, 0, 1)
TWO: Load = [(0, 6, 3), (5, 4, 2)]

BY_HAND = [
    # 0-16 r1 prefill 6; 16-32 r1 decode, r2 prefill 4; 32-46 both decode
    pytest.param("vllm", 8, PLAIN, [(0, 16, 46), (16, 32, 46)], [14, 14, 16], id="vllm"),
    # the same steps, and the tokens computed at their ends: 6; 7 + 4; 8 + 5
    pytest.param("vllm", 8, WITH_KV, [(0, 22, 76), (22, 49, 76)], [27, 27, 27], id="vllm, KV tokens read"),
    # 0-14 r1 prefill 4; 14-28 r1 prefill 2, r2 prefill 2; 28-42 r1 decode, r2 prefill 2; 42-56 both decode
    pytest.param("vllm", 4, PLAIN, [(0, 28, 56), (14, 42, 56)], [14, 14, 14], id="vllm, prompts in chunks"),
    pytest.param("decode-first", 8, PLAIN, [(0, 16, 46), (16, 32, 46)], [14, 14, 16], id="decode-first"),
    pytest.param(
        "decode-first", 4, PLAIN, [(0, 28, 56), (14, 42, 56)], [14, 14, 14], id="decode-first, in chunks"
    ),
    # 0-16 r1 prefill 6; 16-30 r2 prefill 4 alone; 30-44 both decode; 44-56 r1 decode
    pytest.param("nano-vllm", 8, PLAIN, [(0, 16, 56), (16, 30, 44)], [12, 14, 28], id="nano-vllm"),
    # 0-16 r1 prefill 6; 16-28, 28-40 r1 decode; 40-54 r2 prefill 4; 54-66 r2 decode
    pytest.param("static", 8, PLAIN, [(0, 16, 40), (40, 54, 66)], [12, 12, 12], id="static, one at a time"),
]


@pytest.mark.parametrize(("rule", "budget", "ticks", "expected", "gaps"), BY_HAND)
def test_two_requests_by_hand(
    rule: str, budget: int, ticks: Ticks, expected: list[tuple[int, int, int]], gaps: list[int]
) -> None:
    knobs: dict[str, Any] = {"max_num_seqs": 1} if rule == "static" else {}
    found = played(TWO, ticks, rule, budget=budget, **knobs)
    assert times(found) == expected
    assert expanded(found.gaps) == gaps
    assert found.end == max(last for _, _, last in expected)
    assert [served.output_tokens for served in found.served] == [3, 2]
    assert [served.prompt_tokens for served in found.served] == [6, 4]
    assert all(served.finished for served in found.served)
    assert not found.stuck


# 0-10 both prefill (2 of 4 blocks of 4); 10-50 four decodes each (4 blocks); at 50 r1 needs a fifth block and
# r2 gives way; 50-90 r1 decodes alone to its end; 90-100 r2 computes its 9 tokens but for the block that is
# still cached; 100-130 its last three decodes
TIGHT: Load = [(0, 4, 9), (0, 4, 9)]


def test_a_preemption_by_hand() -> None:
    found = played(TIGHT, EQUAL, kv_blocks=4, block_size=4, budget=16)
    assert times(found) == [(0, 10, 90), (0, 10, 130)]
    assert [served.preemptions for served in found.served] == [0, 1]
    assert [served.pauses for served in found.served] == [(), ((50, 90),)]
    assert expanded(found.gaps) == [10] * 15 + [50]
    assert (found.preemptions, found.peak_blocks, found.peak_running, found.peak_waiting) == (1, 4, 2, 1)


def test_what_was_computed_before_a_preemption_is_computed_again() -> None:
    # a token read costs 1: 0-18 prompts (4 + 4); then 10 + (5+5), (6+6), (7+7), (8+8): 18, 38, 60, 84, 110.
    # r1 alone: 10 + 9, 10, 11, 12: 129, 149, 170, 192. r2 again: 9 tokens in all, 10 + 9 = 211 (5 of them as
    # prefill, 4 hit); then 10 + 10, 11, 12: 231, 252, 274
    found = played(TIGHT, Ticks(10, 0, 0, 1, 1), kv_blocks=4, block_size=4, budget=16)
    assert times(found) == [(0, 18, 192), (0, 18, 274)]
    assert found.served[1].pauses == ((110, 192),)


def test_what_was_computed_before_a_preemption_is_forgotten() -> None:
    """Without a cache all 9 tokens are prefill again: at a tick each 10 + 9 from 98 on, 8 for the prompts."""
    # 0-18 prompts; 18-58 four decodes; r1 alone 58-98; r2 again 98-117; 117-147 its last decodes
    knobs: dict[str, Any] = {"kv_blocks": 4, "block_size": 4, "budget": 16, "prefix_caching": False}
    assert times(played(TIGHT, Ticks(10, 1, 0, 0, 1), **knobs)) == [(0, 18, 98), (0, 18, 147)]
    # and each of them is read once when it is computed: 110-129-149-170-192 as above, then 10 + 9, 10, 11, 12
    assert times(played(TIGHT, Ticks(10, 0, 0, 1, 1), **knobs))[1] == (0, 18, 274)


def test_who_is_never_admitted_again_has_an_open_pause() -> None:
    request = Progress(Request("r1", 4, 2), 0)
    request.pauses, request.preempted = [(3, 5)], 8
    assert request.served().pauses == ((3, 5), (8, None))


def test_work_and_prefills_are_told_apart() -> None:
    # of TWO under vllm: steps of 16, 16 and 14, the first two with prefill tokens
    found = played(TWO, PLAIN, budget=8)
    assert (found.busy, found.prefill_ticks, found.prefill_steps, found.steps) == (46, 32, 2, 3)


def test_the_clock_goes_on_to_the_next_arrival() -> None:
    # 7-23 r1 prefill 6, done; nobody until 100; 100-116
    found = played([(7, 6, 1), (100, 6, 1)], PLAIN, budget=8)
    assert times(found) == [(7, 23, 23), (100, 116, 116)]
    assert found.busy == 32


def test_who_arrives_as_a_step_begins_is_in_it() -> None:
    # r2 arrives at 16, as r1's first step ends
    assert times(played([(0, 6, 2), (16, 4, 1)], PLAIN, budget=8)) == [(0, 16, 32), (16, 32, 32)]


def test_who_arrives_a_tick_later_waits_for_a_whole_step() -> None:
    # 16-28 r1 decode; 28-42 r2 prefill
    assert times(played([(0, 6, 2), (17, 4, 1)], PLAIN, budget=8)) == [(0, 16, 28), (28, 42, 42)]


def test_who_arrives_in_a_row_of_decodes_joins_the_next_of_them() -> None:
    # 0-16 r1 prefill; decodes end at 28, 40, 52, 64, ...: r2, there at 41, is in the step from 52
    found = played([(0, 6, 50), (41, 4, 1)], PLAIN, budget=8)
    assert times(found)[1] == (52, 68, 68)


def test_who_arrives_in_a_row_of_longer_and_longer_decodes() -> None:
    # a token read costs 1. 0-16 r1 prefill 6; decodes of 17, 18, ... end at 33, 51, 70; r2, there at 50, is
    # in the step from 51, in which r1 has 9 tokens and r2 4
    found = played([(0, 6, 50), (50, 4, 1)], Ticks(10, 0, 0, 1, 1), budget=8)
    assert times(found)[1] == (51, 74, 74)


# one decode: 10 ticks each; or with 5 tokens read 15, 16, 17 ticks, so they end at 15, 31, 48
BEGUN = [(10, 1), (11, 2), (20, 2), (21, 3), (1, 1), (0, 1)]
BEGUN_WITH_KV = [(15, 1), (16, 2), (31, 2), (32, 3), (48, 3), (49, 4), (1, 1), (0, 1)]


@pytest.mark.parametrize(
    ("kv", "ticks", "steps"),
    [*[(0, ticks, steps) for ticks, steps in BEGUN], *[(1, ticks, steps) for ticks, steps in BEGUN_WITH_KV]],
)
def test_steps_that_begin_before_an_arrival(kv: int, ticks: int, steps: int) -> None:
    """At least one, as the step is about to begin; one that begins with the arrival is none of them."""
    assert Ticks(10, 0, 0, kv, 1).decodes_before(ticks, 1, 5) == steps


def test_one_output_has_no_gap() -> None:
    found = played([(0, 6, 1)], PLAIN, budget=8)
    assert found.gaps == ()
    assert times(found) == [(0, 16, 16)]


def test_arrivals_at_once_are_served_in_their_order() -> None:
    # budget 4, each prompt 4: one a step, 14 ticks; each is done with its first token
    found = played([(3, 4, 1)] * 3, PLAIN, budget=4)
    assert times(found) == [(3, 17, 17), (17, 31, 31), (31, 45, 45)]
    assert (found.peak_running, found.peak_waiting) == (1, 2)


def test_who_can_never_be_served_is_stuck() -> None:
    """Without chunks a prompt of 6 never fits into 4 tokens a step."""
    found = played([(0, 6, 1)], PLAIN, budget=4, chunked_prefill=False)
    assert found.stuck
    assert times(found) == [(None, None, None)]
    assert not found.served[0].finished


def test_nobody_behind_who_is_stuck_makes_time_pass() -> None:
    """Steps that serve nobody take no time: also with a cost that has no base the run ends."""
    found = played([(0, 6, 1), (50, 2, 1)], Ticks(0, 1, 0, 0, 1), budget=4, chunked_prefill=False)
    assert found.stuck
    assert (found.busy, found.end) == (0, 50)


def test_hits_are_those_of_the_first_admission() -> None:
    # an id is 4 tokens, blocks of 4: r2 shares the first block of r1; of 4 + 4 + 2 tokens it computes 6
    ids = {"r1": (1, 2, 3), "r2": (1, 5, 6)}
    found = played([(0, 10, 1), (100, 10, 1)], PLAIN, ids=ids, id_tokens=4, block_size=4, budget=16)
    assert [served.cached_tokens for served in found.served] == [0, 4]
    assert times(found) == [(0, 20, 20), (100, 116, 116)]


def test_progress_is_told_up_to_all() -> None:
    told: list[tuple[int, int]] = []
    coming = [(0, Request("r1", 6, 2)), (5, Request("r2", 4, 0))]
    clock.replay(coming, stepper_of("vllm", Knobs(), {}, 512), PLAIN, lambda *done: told.append(done))
    assert told == [(1, 2), (2, 2)]


def test_a_run_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "MAX_STEPS", 5)
    with pytest.raises(LabError) as refused:
        played(TWO, PLAIN, budget=1)
    assert (refused.value.where, refused.value.rule) == ("TRACE", "too_many_replay_steps")


def test_every_step_is_counted_against_the_bound() -> None:
    with pytest.MonkeyPatch.context() as patch:
        test_a_run_without_end_is_refused(patch)


LOADS = st.lists(
    st.tuples(st.integers(0, 300), st.integers(1, 40), st.integers(1, 30)), min_size=1, max_size=7
).map(sorted)
COSTS = st.builds(
    Ticks, st.integers(0, 9), st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), st.just(1)
).filter(lambda ticks: ticks.base + ticks.prefill_token + ticks.decode + ticks.kv_token > 0)


def alike(load: Load, ticks: Ticks, rule: str, **knobs: Any) -> None:
    many, single = (played(load, ticks, rule, many=many, **knobs) for many in (True, False))
    assert many.replace(gaps=(), played=0) == single.replace(gaps=(), played=0)
    assert counted(many.gaps) == counted(single.gaps)


@given(LOADS, COSTS, st.sampled_from(["vllm", "nano-vllm"]), st.integers(5, 24), st.integers(0, 2))
def test_many_steps_at_once_are_the_same_as_one_by_one(
    load: Load, ticks: Ticks, rule: str, blocks: int, seqs: int
) -> None:
    sizes = {"block_size": 16, "kv_blocks": blocks}
    alike(load, ticks, rule, budget=48, max_num_seqs=seqs + 1, **sizes)


@given(LOADS, COSTS, st.lists(st.integers(0, 2), min_size=10, max_size=10), st.integers(18, 40))
def test_the_same_with_shared_prefixes(load: Load, ticks: Ticks, pattern: list[int], blocks: int) -> None:
    ids = {
        f"r{number}": (1, *[10 * place + pattern[place] for place in range(1, 10)])[: -(-prompt // 8)]
        for number, (_, prompt, _) in enumerate(load, 1)
    }
    alike(load, ticks, "vllm", budget=48, ids=ids, id_tokens=8, block_size=4, kv_blocks=blocks)


@given(LOADS, COSTS, st.sampled_from(["vllm", "nano-vllm", "decode-first", "prefill-first", "static"]))
def test_every_request_gets_what_it_asked_for(load: Load, ticks: Ticks, rule: str) -> None:
    found = played(load, ticks, rule, budget=40)
    assert [served.output_tokens for served in found.served] == [outputs for _, _, outputs in load]
    for served in found.served:
        assert in_order(served)
    assert sum(counted(found.gaps).values()) == sum(outputs - 1 for _, _, outputs in load)
    spans = sum((served.last_token or 0) - (served.first_token or 0) for served in found.served)
    assert sum(expanded(found.gaps)) == spans


def in_order(served: Served) -> bool:
    events = [served.arrival, served.admitted, served.first_token, served.last_token]
    known = [event for event in events if event is not None]
    return len(known) == len(events) and known == sorted(known)


@given(LOADS, COSTS, st.integers(1, 60), st.integers(1, 8))
def test_against_a_replay_written_a_second_way(load: Load, ticks: Ticks, budget: int, seqs: int) -> None:
    found = played(load, ticks, budget=budget, max_num_seqs=seqs)
    cost = (ticks.base, ticks.prefill_token, ticks.decode, ticks.kv_token)
    ours = [(first or 0, last or 0) for _, first, last in times(found)]
    assert ours == [(int(first), int(last)) for first, last in second_way(load, cost, budget, seqs)]
