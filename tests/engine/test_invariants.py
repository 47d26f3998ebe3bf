"""Random runs, looked at after every round: blocks, counts, budgets and the tokens that blocks hold.

Turned red by: a block handed out while in use, a hit on another prefix or salt, an admission in a step that
preempted, a budget that is exceeded, tokens computed beyond the known ones.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.engine.run.engines import nano_vllm, vllm
from labs.engine.run.stepper import EngineStepper
from labs.engine.simulator import simulate
from tests.engine import workloads
from tests.engine.golden_cases import (
    Case,
    by_name,
    fuzz_cases,
    knobs_of,
    requests_of,
    scheduler_cases,
    vllm_of,
)
from tests.engine.inside import Watched
from tests.engine.invariants import Ledger, check_summary

ENGINES: dict[str, Callable[..., EngineStepper]] = {"vllm": vllm, "nano-vllm": nano_vllm}


@pytest.mark.parametrize("case", by_name({**scheduler_cases(), **fuzz_cases()}))
def test_recorded_runs_keep_the_rules(case: Case) -> None:
    requests, stepper = requests_of(case), vllm_of(case)
    ledger = Ledger("vllm", requests, knobs_of(case), stepper)
    run = simulate(requests, Watched(stepper, ledger.look), 500, skip=False)
    check_summary(run, requests)
    assert stepper.scheduler.pool.num_used == 0


@pytest.mark.parametrize("rule", ENGINES)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_what_holds_after_every_round(rule: str, data: st.DataObject) -> None:
    requests = data.draw(workloads.requests(rule))
    knobs = data.draw(workloads.knobs())
    stepper = ENGINES[rule](knobs)
    ledger = Ledger(rule, requests, knobs, stepper)
    try:
        run = simulate(requests, Watched(stepper, ledger.look), 60, skip=False)
    except LabError as refused:
        assume(refused.rule != "no_room_to_decode")
        raise
    check_summary(run, requests)
    if not stepper.live:
        assert stepper.scheduler.pool.num_used == 0
