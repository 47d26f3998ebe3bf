"""Invariants, counts, variants (mistakes.txt) and pages (mistakes_view.txt) broken on purpose.

The test that a mistake names must turn red.
"""

from __future__ import annotations

import pytest

from tests.sabotage import Mistake, found, make, mistakes, turns_red

ROOMS = {"mistakes.txt": "labs.bugs", "mistakes_view.txt": "labs"}
MISTAKES = [(mistake, room) for file, room in ROOMS.items() for mistake in mistakes(__file__, file)]
TESTS = sorted({mistake.test for mistake, _ in MISTAKES})


def test_there_are_mistakes_to_make() -> None:
    assert len(MISTAKES) > 30
    assert len({mistake.name for mistake, _ in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize("name", TESTS)
def test_what_is_not_broken_is_green(name: str) -> None:
    """Or else every mistake would be noticed."""
    assert not turns_red(found("tests.bugs", name))


@pytest.mark.parametrize(
    ("mistake", "room"), [pytest.param(m, room, id=f"{m.function}-{m.name}") for m, room in MISTAKES]
)
def test_a_broken_rule_is_noticed(mistake: Mistake, room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make(mistake, room, monkeypatch)
    assert turns_red(found("tests.bugs", mistake.test))
