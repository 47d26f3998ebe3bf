"""KV of another store: the vllm rule against recorded runs with a scripted connector.

Turned red by: see `test_sabotage.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.engine.external.script import ExternalScript, Report
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.run.engines import vllm
from labs.engine.simulator import Round, simulate
from tests.engine import workloads
from tests.engine.external_check import difference
from tests.engine.golden_cases import Case, by_name, connector_cases, rounds_of, vllm_of
from tests.engine.inside import Watched
from tests.engine.invariants import check_pool
from tests.engine.random_workers import Workers

CASES = connector_cases()


def test_the_cases_are_there() -> None:
    assert len(CASES) == 18


@pytest.mark.parametrize("case", by_name(CASES))
def test_recorded_runs(case: Case) -> None:
    """States, calls, hash table, free blocks and loads of every step; each request's statuses in the end."""
    assert difference(case) is None


@pytest.mark.parametrize("case", by_name(CASES))
def test_stepping_is_the_same(case: Case) -> None:
    rounds = [rounds_of(case, vllm_of, skip=skip, most=len(case["steps"])) for skip in (True, False)]
    assert rounds[0] == rounds[1]


PROMPT = tuple(range(10))  # two full blocks of 4 and a partial one
FAILED_LOAD = {2: Report(finished_recving=("r",), failed_recving=("r",))}


def played(
    answers: dict[str, tuple[tuple[int | None, bool], ...]],
    reports: dict[int, Report],
    *more: Request,
    **script: str,
) -> list[Round]:
    """The rounds of r, of ten tokens and two outputs, and others, under a script."""
    requests = [Request("r", 10, 1, prompt=PROMPT), *more]
    knobs = Knobs(budget=16, kv_blocks=31, block_size=4)
    stepper = RULES["vllm"].make(knobs, ExternalScript(answers, reports, **script), True)  # type: ignore[arg-type]
    return list(simulate(requests, stepper, 30).rounds)


def work(rounds: list[Round]) -> list[str]:
    """Who computed how many tokens, a round a line."""
    return [", ".join(f"{item.request} {item.tokens}" for item in round.work) for round in rounds]


@pytest.mark.parametrize(
    ("answers", "rounds"),
    [
        pytest.param({}, ["r 10", "r 1"], id="not-asked-for-is-a-miss"),
        pytest.param({"r": ((0, True),)}, ["r 10", "r 1"], id="an-asynchronous-load-of-nothing-is-a-miss"),
        pytest.param({"r": ((3, False),)}, ["r 7", "r 1"], id="less-than-a-block"),
        pytest.param({"r": ((9, False),)}, ["r 1", "r 1"], id="all-but-the-last-token"),
        pytest.param({"r": ((None, False), (4, False))}, ["", "r 6", "r 1"], id="unknown-once-then-a-block"),
    ],
)
def test_answers_by_hand(answers: dict[str, tuple[tuple[int | None, bool], ...]], rounds: list[str]) -> None:
    assert work(played(answers, {})) == rounds


def test_the_default_policy_ends_a_request_whose_load_failed() -> None:
    rounds = played({"r": ((8, True), (0, False))}, FAILED_LOAD)
    assert work(rounds) == ["", ""]
    assert rounds[-1].finished == ("r",)


def test_under_the_other_policy_it_goes_on_without() -> None:
    rounds = played({"r": ((8, True), (0, False))}, FAILED_LOAD, policy="recompute")
    assert work(rounds) == ["", "", "r 10", "r 1"]


def test_others_run_while_one_loads() -> None:
    rounds = played(
        {"r": ((8, True),)}, {3: Report(finished_recving=("r",))}, Request("other", 3, 9, prompt=(50, 51, 52))
    )
    assert work(rounds)[:4] == ["other 3", "other 1", "other 1", "other 1, r 2"]


def answers_for(request: Request) -> st.SearchStrategy[tuple[tuple[int | None, bool], ...]]:
    """A few answers; what is loaded at once leaves a token to compute."""
    unknown = st.tuples(st.none(), st.booleans())
    at_once = st.tuples(st.integers(0, request.prefill - 1), st.just(False))
    in_the_background = st.tuples(st.integers(0, request.prefill), st.just(True))
    answer = st.one_of(unknown, at_once, in_the_background)
    return st.lists(answer, min_size=1, max_size=4).map(tuple)


@pytest.mark.parametrize("policy", ["fail", "recompute"])
@settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_the_workers_report(policy: str, data: st.DataObject) -> None:
    """After every round each block is free or in the tables that are counted; nobody is ahead of itself."""
    requests = [request for request in data.draw(workloads.requests("vllm")) if request.prefill]
    answers = {request.name: data.draw(answers_for(request)) for request in requests}
    workers = Workers(data.draw(st.lists(st.integers(0, 9), min_size=3, max_size=40)))
    kept = frozenset(data.draw(st.lists(st.sampled_from([*answers, ""]))))
    stepper = vllm(data.draw(workloads.knobs()), ExternalScript(answers, workers, policy, kept))
    workers.stepper = stepper

    def look(_: Round | None) -> None:
        check_pool(stepper)
        for live in stepper.live.values():
            assert 0 <= live.num_computed_tokens <= live.num_tokens
            assert live.num_computed_tokens <= len(live.block_table) * stepper.scheduler.block_size

    simulate(requests, Watched(stepper, look), 100)
    if not stepper.live:
        external = stepper.scheduler.external
        assert external is not None
        assert stepper.scheduler.pool.num_used == len({b for live in external.kept for b in live.block_table})


@pytest.mark.parametrize("answer", [(10, False), (11, False), (11, True)], ids=str)
def test_an_answer_that_leaves_nothing_to_compute(answer: tuple[int, bool]) -> None:
    """More than the ten tokens of r, or all of them at once: refused, or a token is computed all the same."""
    reports = {2: Report(finished_recving=("r",))} if answer[1] else {}
    try:
        rounds = played({"r": (answer,)}, reports)
    except LabError:
        return
    assert all(item.tokens >= 1 for round in rounds for item in round.work)
