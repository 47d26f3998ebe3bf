"""The simulator under rules other than decode-first: figures must follow from the rounds alone.

Under decode-first a request that was served once never waits again, so these figures could be wrong there
without a trace. Turned red by: waiting counted only before the first token, starvation only of those who
never got one, a rule that sees requests that are finished or not there yet.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from labs.engine.requests import Request
from labs.engine.rules.lecture import LectureStepper, State
from labs.engine.simulator import PREFILL, Run, Work, simulate

Plan = dict[int, str]


def run_plan(requests: list[Request], plan: Plan, rounds: int) -> Run:
    """Serve one token to the request that the plan names for a round, if it is there."""
    number = 0

    def rule(states: Sequence[State], budget: int) -> list[Work]:
        nonlocal number
        number += 1
        named = [state for state in states if state.name == plan.get(number)]
        return [Work(state.name, state.phase, 1) for state in named]

    return simulate(requests, LectureStepper(rule, 1), rounds, skip=False)  # this rule counts its calls


A, B = Request("A", prefill=9, decode=0), Request("B", prefill=9, decode=0, arrive=3)


@pytest.mark.parametrize(
    ("plan", "waited"),
    [
        ({}, (8, 6)),
        ({1: "A"}, (7, 6)),
        ({1: "A", 5: "A"}, (6, 6)),
        ({1: "A", 2: "B", 8: "A"}, (6, 6)),
        ({3: "B", 4: "A"}, (7, 5)),
    ],
    ids=str,
)
def test_waiting_counts_rounds_without_a_token(plan: Plan, waited: tuple[int, int]) -> None:
    """Eight rounds, B there from the third: every one in which it got nothing, before and after a token."""
    run = run_plan([A, B], plan, 8)
    assert tuple(outcome.waited_rounds for outcome in run.outcomes) == waited


@pytest.mark.parametrize(
    ("plan", "starved"),
    [
        ({}, ("A", "B")),
        ({1: "A"}, ("A", "B")),
        ({4: "A"}, ("A", "B")),
        ({5: "A"}, ("B",)),
        ({1: "A", 8: "B"}, ("A",)),
        ({5: "A", 6: "B"}, ()),
    ],
    ids=str,
)
def test_who_gets_nothing_in_the_last_half_is_starved(plan: Plan, starved: tuple[str, ...]) -> None:
    """Of eight rounds the last half is 5 to 8, whatever was served before."""
    assert run_plan([A, B], plan, 8).starved == starved


def test_who_has_finished_is_not_starved() -> None:
    one = Request("A", prefill=1, decode=0)
    assert run_plan([one, B], {1: "A"}, 8).starved == ("B",)


def test_a_rule_sees_who_is_there_and_unfinished() -> None:
    seen: list[list[str]] = []

    def rule(states: Sequence[State], budget: int) -> list[Work]:
        seen.append([state.name for state in states])
        return [Work(state.name, state.phase, 1) for state in states[:1]]

    requests = [Request("A", prefill=2, decode=0), Request("B", prefill=1, decode=1, arrive=2)]
    run = simulate(requests, LectureStepper(rule, 4), 9)
    assert seen == [["A"], ["A", "B"], ["B"], ["B"]]
    assert [round.waiting for round in run.rounds] == [(), ("B",), (), ()]
    assert [round.finished for round in run.rounds] == [(), ("A",), (), ("B",)]
    assert [round.unused_budget for round in run.rounds] == [3, 3, 3, 3]
    assert [round.work[0].phase == PREFILL for round in run.rounds] == [True, True, True, False]


def longest_first(states: Sequence[State], budget: int) -> list[Work]:
    """A rule that looks at how many decodes are left."""
    order = sorted(states, key=lambda state: -(state.decode_steps_left or 0))
    return [Work(state.name, state.phase, 1) for state in order[:budget]]


def test_a_rule_that_looks_at_more_than_phases_is_asked_in_every_round() -> None:
    """Longest first serves A until it has as few left as B, then both in turn."""
    requests = [Request("A", prefill=0, decode=4, context=1), Request("B", prefill=0, decode=2, context=1)]
    run = simulate(requests, LectureStepper(longest_first, 1), 9)
    assert "".join(item.request for round in run.singles() for item in round.work) == "AAABAB"


@pytest.mark.parametrize("tokens", [0, 3, 9], ids=["nothing", "more-than-left", "more-than-the-budget"])
def test_a_rule_that_hands_out_what_there_is_not_is_caught(tokens: int) -> None:
    def rule(states: Sequence[State], budget: int) -> list[Work]:
        return [Work(state.name, state.phase, tokens) for state in states]

    with pytest.raises(AssertionError):
        simulate([Request("A", prefill=2, decode=0)], LectureStepper(rule, 8), 9)
