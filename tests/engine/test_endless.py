"""Runs that would go on for ever end, say since when, and end soon.

Turned red by: no notice of rounds in which nothing can be scheduled, or of a request that preempts itself
again and again; a notice that comes although an arrival, an abort or a report is still to come.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.engine.external.script import ExternalScript, Report
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.run.engines import nano_vllm, vllm
from labs.engine.run.stepper import EngineStepper
from labs.engine.simulator import simulate
from tests.engine import workloads

SKIP = pytest.mark.parametrize("skip", [True, False], ids=["skipping", "stepping"])
ENGINES: dict[str, Callable[..., EngineStepper]] = {"vllm": vllm, "nano-vllm": nano_vllm}
MOST_ROUNDS = 4000
SMALL = Knobs(budget=8, kv_blocks=4, block_size=4)  # 16 tokens
PROMPT = tuple(range(10))
R = Request("r", 10, 2, prompt=PROMPT)
OTHER = Request("other", 3, 5)  # ends with round 6
LOADS = {"r": ((8, True),)}


def loads_until(last: int) -> dict[int, Report]:
    """Every second step reports a load that has failed altogether."""
    return {step: Report(finished_recving=("r",), failed_recving=("r",)) for step in range(2, last, 2)}


@SKIP
@pytest.mark.parametrize(
    ("requests", "knobs", "stuck"),
    [
        pytest.param([Request("A", 17, 0)], SMALL, 1, id="larger-than-the-pool"),
        pytest.param([Request("A", 17, 0, 5)], SMALL, 5, id="larger-than-the-pool-and-late"),
        pytest.param(
            [Request("A", 3, 2), Request("B", 17, 0), Request("C", 1, 0)], SMALL, 4, id="behind-one-that-ends"
        ),
        pytest.param(
            [Request("A", 10, 0)],
            SMALL.replace(kv_blocks=9, chunked_prefill=False),
            1,
            id="over-the-budget-unchunked",
        ),
        pytest.param(
            [Request("A", 0, None, context=3), Request("B", 17, 0)],
            Knobs(budget=1, kv_blocks=4, block_size=4),
            None,
            id="decode-without-end-fills-the-pool",
        ),
    ],
)
def test_nothing_can_be_scheduled(
    requests: list[Request], knobs: Knobs, stuck: int | None, skip: bool
) -> None:
    run = simulate(requests, RULES["vllm"].make(knobs, None, False), MOST_ROUNDS, skip)
    assert run.stuck is not None
    assert stuck in (None, run.stuck)
    assert run.num_rounds == run.stuck < 30


@SKIP
@pytest.mark.parametrize("rule", ENGINES)
@pytest.mark.parametrize("gate", [True, False], ids=["gate-on", "gate-off"])
@pytest.mark.parametrize("caching", [True, False], ids=["caching", "no-caching"])
@pytest.mark.parametrize("policy", ["fcfs", "priority"])
@pytest.mark.parametrize(
    "requests",
    [
        pytest.param([Request("A", 5, None)], id="alone"),
        pytest.param([Request("A", 5, None, priority=1), Request("B", 5, None)], id="two"),
        pytest.param([Request("A", 5, None), Request("B", 5, 4, 3), Request("C", 1, 2, 7)], id="three"),
        pytest.param([Request("A", 17, 1, priority=1), Request("B", 3, None)], id="behind-one-too-large"),
        pytest.param([Request("A", 0, None, context=3)], id="decoding-already"),
        pytest.param([Request("A", 5, None, prompt=(1, 2, 3, 4, 5))], id="prompt-written-out"),
    ],
)
def test_a_decode_without_end_in_a_small_pool(
    requests: list[Request], gate: bool, caching: bool, policy: str, rule: str, skip: bool
) -> None:
    """It preempts itself when it has the whole pool, and never comes further."""
    knobs = SMALL.replace(full_prompt_must_fit=gate, policy=policy, prefix_caching=caching)
    run = simulate(requests, RULES[rule].make(knobs, None, False), MOST_ROUNDS, skip)
    assert run.stuck is not None
    assert run.num_rounds < 100


@SKIP
@pytest.mark.parametrize(
    ("answers", "reports", "policy", "stuck"),
    [
        pytest.param({"r": ((None, False),)}, {}, "fail", 7, id="never-answers"),
        pytest.param(LOADS, {}, "fail", 7, id="never-reports-the-load"),
        pytest.param(LOADS, {3: Report(finished_sending=())}, "fail", 7, id="reports-something-else"),
        pytest.param(LOADS, loads_until(20), "recompute", 19, id="hits-again-whenever-a-load-has-failed"),
    ],
)
def test_a_connector_that_lets_a_request_wait(
    answers: dict[str, tuple[tuple[int | None, bool], ...]],
    reports: dict[int, Report],
    policy: str,
    stuck: int,
    skip: bool,
) -> None:
    """The other request has ended with round 6; a failed load is asked for again in the round after it."""
    script = ExternalScript(answers, reports, policy)
    stepper = RULES["vllm"].make(Knobs(budget=16, kv_blocks=31, block_size=4), script, False)
    run = simulate([R, OTHER], stepper, MOST_ROUNDS, skip)
    assert (run.stuck, run.num_rounds) == (stuck, stuck)
    assert [outcome.ended for outcome in run.outcomes] == [False, True]


@SKIP
@pytest.mark.parametrize(
    ("requests", "script", "rounds"),
    [
        pytest.param([Request("A", 3, 2), Request("B", 2, 0, 40)], None, 40, id="somebody-comes-later"),
        pytest.param(
            [Request("A", 17, 0, abort=20), Request("B", 2, 0)], None, 21, id="who-blocks-the-queue-withdraws"
        ),
        pytest.param(
            [Request("A", 5, None, abort=60), Request("B", 17, 0, abort=60)], None, 60, id="all-withdraw"
        ),
        pytest.param([R], ExternalScript(LOADS, {50: Report(("r",))}), 53, id="a-late-report"),
        pytest.param(
            [R],
            ExternalScript({"r": ((None, False),) * 9 + ((4, False),)}, {}),
            12,
            id="answers-at-the-tenth-time",
        ),
        pytest.param(
            [R], ExternalScript({}, {30: Report((), ("r",))}, "fail", frozenset("r")), 30, id="a-late-save"
        ),
    ],
)
def test_what_is_still_to_come_is_waited_for(
    requests: list[Request], script: ExternalScript | None, rounds: int, skip: bool
) -> None:
    stepper = RULES["vllm"].make(SMALL, script, False)
    run = simulate(requests, stepper, 500, skip)
    assert (run.stuck, run.num_rounds) == (None, rounds)
    assert all(outcome.ended for outcome in run.outcomes)


@SKIP
@pytest.mark.parametrize(
    "requests",
    [
        pytest.param([Request("A", 5, None, priority=1), Request("B", 2, 1, 40)], id="somebody-joins"),
        pytest.param([Request("A", 5, None, abort=40), Request("B", 2, 1)], id="the-culprit-withdraws"),
    ],
)
@pytest.mark.parametrize("gate", [True, False], ids=["it-waits", "it-preempts-itself-again-and-again"])
def test_a_loop_can_be_broken_from_outside(requests: list[Request], gate: bool, skip: bool) -> None:
    """A comes no further from round 13 on; from round 40 on B can be served, for two rounds."""
    knobs = SMALL.replace(policy="priority", full_prompt_must_fit=gate, prefix_caching=gate, max_num_seqs=1)
    run = simulate(requests, RULES["vllm"].make(knobs, None, False), 500, skip)
    assert [outcome.ended for outcome in run.outcomes if outcome.name == "B"] == [True]
    assert (run.stuck is None) == (requests[0].abort is not None)


@pytest.mark.parametrize("rule", ENGINES)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_run_of_finite_requests_ends(rule: str, data: st.DataObject) -> None:
    """It ends since all have finished, or it is stuck; then nothing happens in fifty rounds more."""
    requests = data.draw(workloads.requests(rule, endless=False))
    stepper = ENGINES[rule](data.draw(workloads.knobs(limited=True)), detail=False)
    try:
        run = simulate(requests, stepper, MOST_ROUNDS)
    except LabError as refused:
        assume(refused.rule != "no_room_to_decode")
        raise
    assert run.num_rounds < MOST_ROUNDS
    assert (run.stuck is None) == all(outcome.ended for outcome in run.outcomes)
    known = {name: live.num_tokens for name, live in stepper.live.items()}
    for number in range(50):
        assert not stepper.step(run.num_rounds + 1 + number, 1).finished
    assert {name: live.num_tokens for name, live in stepper.live.items()} == known
