"""The life of each request follows the engines' recorded steps, however rounds were played.

Expected values are the engines' own (tests/golden). Turned red by: blocks given back in table order, a block
that is shared counted as free, a boundary block missed or taken a step early where rounds are played at once,
a preemption told after the allocation it made room for.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.engine.explain.life import Event, life
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.run.engines import nano_vllm, vllm
from labs.engine.simulator import Run, simulate
from tests.engine import workloads
from tests.engine.golden_cases import (
    Case,
    by_name,
    fuzz_cases,
    nano_cases,
    nano_vllm_of,
    scheduler_cases,
    vllm_of,
)
from tests.schedule.life_check import acts_of, difference, spy
from tests.schedule.life_lines import life_of


@pytest.mark.parametrize("skip", [True, False], ids=["skipping", "stepping"])
@pytest.mark.parametrize("case", by_name({**scheduler_cases(), **fuzz_cases()}))
def test_recorded_runs_of_vllm(case: Case, skip: bool) -> None:
    """Tables, hits, free blocks, preemptions and endings of every recorded step follow from the events."""
    events = life_of(case, vllm_of(case), skip=skip)
    assert difference(case, events, case["config"]["usable_blocks"]) is None


@pytest.mark.parametrize("case", by_name(nano_cases()))
def test_recorded_runs_of_nano_vllm(case: Case) -> None:
    events = life_of(case, nano_vllm_of(case))
    assert difference(case, events, case["config"]["num_blocks"]) is None


def lives(rule: str, requests: list[Request], knobs: Knobs, rounds: int, skip: bool) -> tuple[Event, ...]:
    """The life of a run; none if its requests are refused."""
    try:
        run = simulate(requests, RULES[rule].make(knobs, None, True), rounds, skip)
    except LabError:
        return ()
    return life(run, requests, knobs.block_size)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_skipping_changes_nothing(rule: str, data: st.DataObject) -> None:
    requests, knobs = data.draw(workloads.requests(rule)), data.draw(workloads.knobs())
    rounds = data.draw(st.integers(1, 120))
    assert lives(rule, requests, knobs, rounds, True) == lives(rule, requests, knobs, rounds, False)


@pytest.mark.parametrize("make", [vllm, nano_vllm], ids=["vllm", "nano-vllm"])
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_blocks_move_in_the_order_in_which_the_engine_moves_them(make: type, data: st.DataObject) -> None:
    """First come, first served; a victim of the priority policy may have had its turn already."""
    requests = data.draw(workloads.requests("vllm" if make is vllm else "nano-vllm"))
    knobs = data.draw(workloads.knobs()).replace(policy="fcfs")
    stepper = make(knobs)
    acts = spy(stepper)
    try:
        run: Run = simulate(requests, stepper, 60, False)
    except LabError:
        return
    assert acts_of(life(run, requests, knobs.block_size)) == acts


def test_a_long_run_takes_events_by_blocks_not_by_rounds() -> None:
    """A decode without end for 100,000 rounds in blocks of 16: one line and one block each 16 rounds."""
    request = Request("A", 0, None, context=1)
    run = simulate([request], vllm(Knobs()), 100_000)
    events = life(run, [request], 16)
    blocks = -(-100_001 // 16)
    counts = [sum(event.kind == kind for event in events) for kind in ("created", "allocated", "scheduled")]
    assert counts == [1, blocks, blocks]
