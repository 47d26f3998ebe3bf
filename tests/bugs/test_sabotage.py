"""Invariants, counts and variants, broken on purpose (mistakes.txt): the test there must turn red."""

from __future__ import annotations

import pytest

from tests.sabotage import Mistake, found, make, mistakes, turns_red

MISTAKES = mistakes(__file__)
TESTS = sorted({mistake.test for mistake in MISTAKES})


def test_there_are_mistakes_to_make() -> None:
    assert len(MISTAKES) > 30
    assert len({mistake.name for mistake in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize("name", TESTS)
def test_what_is_not_broken_is_green(name: str) -> None:
    """Or else every mistake would be noticed."""
    assert not turns_red(found("tests.bugs", name))


@pytest.mark.parametrize("mistake", [pytest.param(m, id=f"{m.function}-{m.name}") for m in MISTAKES])
def test_a_broken_rule_is_noticed(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    make(mistake, "labs.bugs", monkeypatch)
    assert turns_red(found("tests.bugs", mistake.test))
