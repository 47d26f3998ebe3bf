"""What every rule offers, and that a reader can add one."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import pytest

from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.rules.lecture import LectureStepper, State
from labs.engine.simulator import Work, simulate

MODELLED = {
    "decode-first": ["lab C"],
    "prefill-first": [],
    "static": [],
    "nano-vllm": ["nano-vllm", "bb823b3", "Scheduler.schedule"],
    "vllm": ["vLLM 0.32.0", "v1.core.sched.scheduler.Scheduler", "schedule", "update_from_output"],
}


def test_the_rules_are_these() -> None:
    assert set(RULES) == set(MODELLED)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_says_what_it_models(rule: str) -> None:
    """Engine, version and function, where there is an engine; and its knobs are knobs."""
    text = import_module(f"labs.engine.rules.{rule.replace('-', '_')}").__doc__ or ""
    assert "Models:" in text
    assert [words for words in MODELLED[rule] if words not in text] == []
    assert set(RULES[rule].knobs) <= set(Knobs.field_names)


def shortest_first(states: Sequence[State], budget: int) -> list[Work]:
    """A reader's rule: everything to whoever has the fewest prefill tokens left, one token a decode."""
    first = min(states, key=lambda state: state.prefill_left, default=None)
    if first is None:
        return []
    return [Work(first.name, first.phase, min(first.prefill_left, budget) or 1)]


def test_a_rule_of_ones_own() -> None:
    requests = [Request("long", 5, 0), Request("short", 2, 1)]
    run = simulate(requests, LectureStepper(shortest_first, 4), 20)
    served = [(item.request, item.tokens) for round in run.rounds for item in round.work]
    assert served == [("short", 2), ("short", 1), ("long", 4), ("long", 1)]
