"""Each rule, broken on purpose (mistakes.txt): the test that is there for it must turn red."""

from __future__ import annotations

import pytest

from labs.engine.external.script import ExternalScript
from tests.engine.test_external import (
    test_the_default_policy_ends_a_request_whose_load_failed as default_policy,
)
from tests.sabotage import Mistake, found, make, mistakes, turns_red

MISTAKES = mistakes(__file__)
TESTS = sorted({mistake.test for mistake in MISTAKES})


def test_there_are_mistakes_to_make() -> None:
    assert len(MISTAKES) > 100
    assert len({mistake.name for mistake in MISTAKES}) > 90
    assert all(mistake.right != mistake.wrong for mistake in MISTAKES)


@pytest.mark.parametrize("name", TESTS)
def test_what_is_not_broken_is_green(name: str) -> None:
    """Or else every mistake would be noticed."""
    assert not turns_red(found("tests.engine", name))


@pytest.mark.parametrize("mistake", [pytest.param(m, id=f"{m.function}-{m.name}") for m in MISTAKES])
def test_a_broken_rule_is_noticed(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    make(mistake, "labs.engine", monkeypatch)
    assert turns_red(found("tests.engine", mistake.test))


def test_another_default_policy_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ExternalScript.defaults, "policy", "recompute")
    assert turns_red(default_policy)
