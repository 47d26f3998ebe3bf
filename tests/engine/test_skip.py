"""Rounds taken many at once are the rounds taken one by one, and are taken at once where nothing is decided.

Turned red by: a stretch that is a round too long at a finish, an arrival, a block boundary, an abort or the
pool's end; blocks dealt in another order; a stretch of one round.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.rules.vllm import VllmScheduler
from labs.engine.simulator import expanded, simulate
from tests.engine import workloads
from tests.engine.golden_cases import (
    Case,
    by_name,
    fuzz_cases,
    requests_of,
    scheduler_cases,
    vllm_of,
)

Outcome = tuple[Any, ...]


def outcome(
    rule: str, requests: list[Request], knobs: Knobs, rounds: int, skip: bool, detail: bool
) -> Outcome:
    """All of a run, every round by itself; or the complaint about its requests."""
    try:
        run = simulate(requests, RULES[rule].make(knobs, None, detail), rounds, skip)
    except LabError as error:
        return (error.rule, str(error.got))
    return expanded(run.rounds), run.outcomes, run.starved, run.stuck, run.num_rounds


def bare(outcome: Outcome) -> Outcome:
    """Without what is only recorded, or recorded round by round, where it is asked for."""
    if len(outcome) == 2:
        return outcome
    return [round.replace(columns=None, used_blocks=None) for round in outcome[0]], *outcome[1:]


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_skipping_changes_nothing(rule: str, data: st.DataObject) -> None:
    requests = data.draw(workloads.requests(rule))
    knobs, rounds = data.draw(workloads.knobs()), data.draw(st.integers(1, 120))
    stepped = outcome(rule, requests, knobs, rounds, False, True)
    assert outcome(rule, requests, knobs, rounds, True, True) == stepped
    assert bare(outcome(rule, requests, knobs, rounds, True, False)) == bare(stepped)


# Of the random runs those whose pool is tight, or whose prompts begin alike.
RECORDED = {
    **scheduler_cases(),
    **{name: fuzz_cases()[name] for name in fuzz_cases() if not name.startswith("any")},
}


@pytest.mark.parametrize("case", by_name(RECORDED))
def test_recorded_runs_are_the_same(case: Case) -> None:
    runs = [simulate(requests_of(case), vllm_of(case), 500, skip) for skip in (True, False)]
    assert expanded(runs[0].rounds) == expanded(runs[1].rounds)
    assert runs[0].outcomes == runs[1].outcomes


A = Request("A", 4, 1000)
ENGINES = ["vllm", "nano-vllm"]
LECTURE_RULES = ["decode-first", "prefill-first", "static"]


def num_records(rule: str, requests: list[Request], **knobs: Any) -> int:
    """Records that a run consists of, when it is played to its end."""
    run = simulate(requests, RULES[rule].make(Knobs(**{"budget": 8, **knobs}), None, False), 10**6)
    assert run.num_rounds > 800
    assert all(outcome.ended for outcome in run.outcomes)
    return len(run.rounds)


@pytest.mark.parametrize(
    ("rules", "requests", "knobs", "most"),
    [
        pytest.param(ENGINES, [A], {}, 3, id="prefill-decodes-last-decode"),
        pytest.param(LECTURE_RULES, [A], {}, 2, id="prefill-decodes"),
        pytest.param(ENGINES, [A], {"block_size": 1, "kv_blocks": 2000}, 3, id="over-block-boundaries"),
        pytest.param(
            ENGINES,
            [A.replace(prompt=(1, 2, 3, 4))],
            {"block_size": 2},
            3,
            id="with-blocks-that-can-be-shared",
        ),
        pytest.param(
            ["vllm"],
            [Request(name, 1, 1000 + 100 * place) for place, name in enumerate("ABCD")],
            {"budget": 99},
            9,
            id="four-of-different-lengths",
        ),
        pytest.param(
            [*ENGINES, *LECTURE_RULES],
            [A, Request("B", 2, 0, arrive=500)],
            {},
            6,
            id="somebody-joins-and-leaves",
        ),
        pytest.param(ENGINES, [A.replace(abort=950), Request("B", 3, 900)], {}, 6, id="somebody-withdraws"),
        pytest.param(
            ["vllm", "static"],
            [A, Request("B", 2, 1000)],
            {"max_num_seqs": 1, "prefix_caching": False},
            6,
            id="while-somebody-waits-for-a-place",
        ),
        pytest.param(
            ENGINES,
            [A, Request("B", 900, 10, arrive=200)],
            {"budget": 2000, "block_size": 4, "kv_blocks": 260},
            10,
            id="while-somebody-waits-for-blocks",
        ),
        pytest.param(
            ENGINES,
            [Request("A", 4, 600), Request("B", 4, 600)],
            {"budget": 512, "block_size": 4, "kv_blocks": 200, "prefix_caching": False},
            12,
            id="up-to-where-the-blocks-end-and-after-it",
        ),
    ],
)
def test_rounds_in_which_nothing_is_decided_are_one_record(
    rules: list[str], requests: list[Request], knobs: dict[str, Any], most: int
) -> None:
    for rule in rules:
        assert num_records(rule, requests, **knobs) <= most, rule


@pytest.mark.parametrize("rule", RULES)
def test_twice_the_output_is_no_more_records(rule: str) -> None:
    """Sixty-four requests of which eight run at once, all of one length."""
    knobs = {"budget": 512, "max_num_seqs": 8, "block_size": 16, "prefix_caching": False}
    records = [
        num_records(rule, [Request(f"r{number}", 128, decode) for number in range(64)], **knobs)
        for decode in (1000, 2000)
    ]
    assert records[0] == records[1]


def test_a_stretch_ends_before_it_is_too_long() -> None:
    """What a record of many rounds says holds for each: nobody finishes but after the last one."""
    run = simulate([A, Request("B", 2, 7)], RULES["vllm"].make(Knobs(), None, True), 10**6)
    repeats = [(round.round, round.repeat, round.finished) for round in run.rounds]
    assert repeats == [(1, 1, ()), (2, 6, ()), (8, 1, ("B",)), (9, 992, ()), (1001, 1, ("A",))]
    assert [round.round for round in expanded(run.rounds)] == list(range(1, 1002))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_blocked_head_needs_no_second_look(data: st.DataObject) -> None:
    """Trying to admit whoever waits in front in every step gives the same as waiting for a free block."""
    requests, knobs = data.draw(workloads.requests("vllm")), data.draw(workloads.knobs())
    usual = outcome("vllm", requests, knobs, 120, False, True)
    with pytest.MonkeyPatch.context() as patch:
        never = property(lambda self: False, lambda self, value: None)
        patch.setattr(VllmScheduler, "head_is_blocked", never, raising=False)
        assert outcome("vllm", requests, knobs, 120, False, True) == usual
