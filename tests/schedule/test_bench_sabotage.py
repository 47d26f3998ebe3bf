"""Each rule of latency, checks and curves, broken on purpose (bench_mistakes.txt): its test must turn red."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sabotage import Mistake, found, make, turns_red


def mistakes() -> list[Mistake]:
    """Those of bench_mistakes.txt, which has the form of a mistakes.txt."""
    text = Path(__file__).with_name("bench_mistakes.txt").read_text(encoding="utf-8")
    made = []
    for stanza in text.strip("\n").split("\n\n"):
        if not stanza.startswith(("#", "==")):
            name, function, *pieces, test = stanza.splitlines()
            right, wrong = ("\n".join(line[2:] for line in pieces if line[0] == sign) for sign in "-+")
            made.append(Mistake(name, function, right, wrong, test))
    return made


MISTAKES = mistakes()
TESTS = sorted({mistake.test for mistake in MISTAKES})


def test_there_are_mistakes_to_make() -> None:
    assert len(MISTAKES) > 60
    assert len({(mistake.function, mistake.name) for mistake in MISTAKES}) == len(MISTAKES)
    assert all(mistake.right != mistake.wrong for mistake in MISTAKES)


@pytest.mark.parametrize("name", TESTS)
def test_what_is_not_broken_is_green(name: str) -> None:
    """Or else every mistake would be noticed."""
    assert not turns_red(found("tests", name))


@pytest.mark.parametrize("mistake", [pytest.param(m, id=f"{m.function}-{m.name}") for m in MISTAKES])
def test_a_broken_rule_is_noticed(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    make(mistake, "labs", monkeypatch)
    assert turns_red(found("tests", mistake.test))
