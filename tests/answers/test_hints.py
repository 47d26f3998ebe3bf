"""`answers hint` and `answers show`: steps without a key, solutions of what is right.

Turned red by a hint that holds a number from nowhere, a solution of an open problem, a missing part.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from answers.hint import fields_of, steps_of
from answers.message import part_of, question
from answers.new import asked
from answers.sheets import SHEETS, problems_of
from answers.show import PARTS, answer_text, solution
from labs.view.languages import LANGUAGES

if TYPE_CHECKING:
    from tests.conftest import RunLab

ANNA = str(Path(__file__).parents[1] / "cases" / "sheets" / "anna.py")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
PROBLEMS = [(sheet, problem.name) for sheet in SHEETS for problem in problems_of(sheet, 0)]


def numbers_in(text: str) -> set[Fraction]:
    return {Fraction(number) for number in NUMBER.findall(text)}


@pytest.mark.parametrize(("sheet", "name"), PROBLEMS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_hints_hold_no_number_but_those_of_the_question(sheet: str, name: str, lang: str) -> None:
    for seed in (0, 7, 8):
        problem = next(problem for problem in problems_of(sheet, seed) if problem.name == name)
        steps = steps_of(problem, lang)
        assert len(steps) >= 2 or problem.shape in ("choice", "yes")
        assert len(steps) == len(steps_of(problem, "en"))
        for step in steps:
            assert step
            assert numbers_in(step) <= numbers_in(question(name, fields_of(problem), lang, sheet))


@pytest.mark.parametrize(("sheet", "name"), PROBLEMS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_solution_has_four_parts_and_the_answer(sheet: str, name: str, lang: str) -> None:
    for seed in (0, 7):
        problem = next(problem for problem in problems_of(sheet, seed) if problem.name == name)
        parts = solution(problem, lang)
        assert len(parts) == len(PARTS)
        assert all(parts)
        assert answer_text(problem) in " ".join(parts)
        assert "Fraction" not in " ".join(parts)
        assert lang == "zh" or " ".join(parts).isascii()


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_problem_has_its_texts_and_no_text_is_idle(sheet: str) -> None:
    problems = problems_of(sheet, 0)
    for part in ("QUESTIONS", "HINTS", "NOTES", "STEPS", "SOLUTIONS"):
        assert set(part_of(sheet, part)) == {problem.name for problem in problems}, part
    named = {f"{problem.name}_{mistake.name}" for problem in problems for mistake in problem.mistakes}
    assert set(part_of(sheet, "DIAGNOSES")) == named


@pytest.mark.parametrize("sheet", SHEETS)
def test_hints_and_diagnoses_hold_no_digit(sheet: str) -> None:
    for part in ("HINTS", "NOTES", "DIAGNOSES", "STEPS"):
        for key, pair in part_of(sheet, part).items():
            for text in pair:
                assert not re.search(r"\d", re.sub(r"\{[^}]*\}", "", text)), key


def test_hints_come_one_by_one(run_lab: RunLab) -> None:
    first = run_lab(["answers", "hint", ANNA, "p2"])
    assert (first.code, first.err) == (0, "")
    lines = first.out.split("\n")
    assert lines[0] == "p2, hint 1 of 3"
    assert lines[1].startswith("asked: A block holds 8 tokens")
    assert lines[2].startswith("hint: Positions are cut into logical blocks of 8.")
    assert lines[3] == f"Next: python3 inference_lab.py answers hint {ANNA} p2 --step 2"
    assert first == run_lab(["answers", "hint", ANNA, "p2", "--step", "1"])
    last = run_lab(["answers", "hint", ANNA, "p2", "--step", "3"]).out
    assert "Slot = physical block times 8" in last
    assert last.endswith(f"Next: python3 inference_lab.py answers {ANNA}\n")
    assert "第 2 步提示" in run_lab(["answers", "hint", ANNA, "p2", "--step", "2", "--lang", "zh"]).out


REFUSED = [
    (["hint"], "FILE: needs a value (got nothing)"),
    (["hint", ANNA], "PROBLEM: must be one of p1, p2, p3, p4, p5, p6 (got nothing)"),
    (["hint", ANNA, "p9"], "PROBLEM: no such problem; known are p1, p2, p3, p4, p5, p6 (got p9)"),
    (["hint", ANNA, "p2", "--step", "4"], "--step: must be at most 3 (got 4)"),
    (["hint", ANNA, "p2", "--step", "0"], "--step: must be at least 1 (got 0)"),
    (["hint", "none.py", "p2"], "none.py: no such file (got none.py)"),
    (["show"], "FILE: needs a value (got nothing)"),
    (["show", "none.py"], "none.py: no such file (got none.py)"),
]


@pytest.mark.parametrize(("words", "error"), REFUSED, ids=[error for _, error in REFUSED])
def test_refused(run_lab: RunLab, words: list[str], error: str) -> None:
    assert run_lab(["answers", *words]) == (2, "", f"error: {error}\n")


def test_only_what_is_right_is_shown(run_lab: RunLab) -> None:
    ran = run_lab(["answers", "show", ANNA])
    assert (ran.code, ran.err) == (0, "")
    assert re.findall(r"^(p\d) solved$", ran.out, re.MULTILINE) == ["p1", "p4"]
    assert re.findall(r"^(p\d) is not right yet", ran.out, re.MULTILINE) == ["p2", "p3", "p5", "p6"]
    assert "units: tokens: 144" in ran.out
    assert ran.out.endswith("solutions: 2 shown, 4 hidden\n")
    assert f"answers hint {ANNA} p2" in ran.out
    for problem in problems_of("l3", 7):
        if problem.name in ("p2", "p3", "p6"):
            assert answer_text(problem) not in ran.out


def test_reveal_shows_all(run_lab: RunLab) -> None:
    ran = run_lab(["answers", "show", ANNA, "--reveal"])
    assert ran.code == 0
    for problem in problems_of("l3", 7):
        assert answer_text(problem) in ran.out
        assert asked(problem, "en").replace("\n", "\n    ") in ran.out
    assert ran.out.endswith("solutions: 6 shown, 0 hidden\n")
    assert "answers new l3 --seed 8" in ran.out


def test_a_wrong_answer_is_not_shown(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "my.py"
    path.write_text("p4 = 32\np1 = [4, 1]\n")
    out = run_lab(["answers", "show", str(path)]).out
    assert "p4 is not right yet" in out
    assert "p1 solved" in out
    assert out.endswith("solutions: 1 shown, 5 hidden\n")


def test_the_documents(run_lab: RunLab) -> None:
    hint = json.loads(run_lab(["answers", "hint", ANNA, "p4", "--json"]).out)
    assert hint["lab"] == "answers hint"
    assert hint["result"]["steps"] == 3
    assert set(hint["result"]["hint"]) == set(LANGUAGES)
    shown = json.loads(run_lab(["answers", "show", ANNA, "--json"]).out)["result"]["problems"]
    assert [("answer" in entry, entry["state"]) for entry in shown[:2]] == [(True, "right"), (False, "blank")]
    assert shown[3]["answer"] == "144"
