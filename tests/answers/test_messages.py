"""What a learner reads: in both languages, with nothing in it that gives a key away."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

import answers.message
from answers.l3_keys import Fetch, KvSize, Load, PrefixHit, Round, Slots
from answers.l3_problems import PROBLEMS
from answers.message import message, question
from answers.problem import BLANK, MALFORMED, RIGHT, WRONG, Problem, Verdict, judge
from answers.sheet import parse_sheet
from labs.base import Record
from labs.view.catalog.answers import FLAWS, HINTS, NOTES, QUESTIONS, TEXTS
from labs.view.catalog.answers_diagnoses import DIAGNOSES
from labs.view.languages import LANGUAGES

BY_NAME = {problem.name: problem for problem in PROBLEMS}
VerdictOn = Callable[[Problem, str], Verdict]
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def numbers_in(text: str) -> set[Fraction]:
    return {Fraction(number) for number in NUMBER.findall(text)}


def leaked(verdict: Verdict, lang: str) -> set[Fraction]:
    """The numbers of a message that stand neither in the question nor in the learner's own answer."""
    said = message(verdict, "SHEET", lang, "COMMAND").removeprefix(verdict.problem)
    own = verdict.given.text if verdict.given else ""
    line = f"SHEET:{verdict.given.line}" if verdict.given else "SHEET"
    assert line in said or verdict.state == RIGHT
    asked = question(verdict.problem, verdict.fields, lang)
    return numbers_in(said.replace(line, "")) - numbers_in(asked) - numbers_in(own)


def few(least: int, most: int) -> st.SearchStrategy[int]:
    return st.integers(least, most)


INPUTS: dict[str, st.SearchStrategy[Record]] = {
    "p1": st.builds(
        KvSize,
        layers=few(1, 100),
        head_dim=few(1, 300),
        bytes_per_element=few(1, 4),
        tokens=few(1, 10**6),
        kv_heads=st.tuples(few(1, 64), few(1, 64)),
    ),
    "p2": st.builds(
        Slots,
        block_size=st.just(8),
        block_table=st.tuples(few(0, 99), few(0, 99), few(0, 99)),
        positions=st.tuples(few(0, 23), few(0, 23)),
    ),
    "p3": st.builds(Round, lengths=st.lists(few(1, 50), min_size=1, max_size=5).map(tuple)),
    "p4": st.builds(PrefixHit, block_size=few(1, 64), num_tokens=few(1, 500)),
    "p5": st.builds(Load, seconds=few(1, 99), successes=few(50, 500), within_limits=few(1, 50)),
    "p6": st.builds(
        Fetch,
        recompute_ms=few(1, 99),
        lookup_ms=few(1, 20),
        data_path_ms=few(1, 50),
        conversion_ms=few(1, 20),
        overlap_ms=few(0, 3),
    ),
}
PART = st.fractions(0, 10**4, max_denominator=8)


def written(parts: tuple[object, ...], shape: str) -> str:
    texts = [str(part) for part in parts]
    return texts[0] if shape == "one" else f"[{', '.join(texts)}]"


@st.composite
def cases(draw: st.DrawFn, name: str) -> tuple[Problem, tuple[Fraction, ...], str]:
    """A problem with drawn inputs, a key drawn apart from them, and an answer: any, or a mistake's."""
    problem = BY_NAME[name].replace(inputs=draw(INPUTS[name]))
    sizes = {"one": (1, 1), "two": (2, 2), "list": (1, 6)}[problem.shape]
    key = tuple(draw(st.lists(PART, min_size=sizes[0], max_size=sizes[1])))
    answers = [tuple(answer) for mistake in problem.mistakes for answer in mistake.answers(problem.inputs)]
    some = draw(st.lists(PART, min_size=sizes[0], max_size=sizes[1]))
    return problem, key, written(draw(st.sampled_from([*answers, tuple(some)])), problem.shape)


@pytest.mark.parametrize("name", BY_NAME)
@settings(deadline=None)
@drawn(data=st.data())
def test_no_message_holds_a_part_of_a_key(verdict_on: VerdictOn, name: str, data: st.DataObject) -> None:
    """Key and inputs are drawn apart, so what a message holds of a key can come from nowhere else."""
    problem, key, text = data.draw(cases(name))
    verdict = verdict_on(problem.replace(key=lambda inputs: key), text)
    own = verdict_on(problem, text)
    assert verdict.state in (WRONG, RIGHT)
    for lang in LANGUAGES:
        assert leaked(verdict, lang) == set()
        if (own.state, own.mistake) == (verdict.state, verdict.mistake):
            assert message(own, "SHEET", lang, "AGAIN") == message(verdict, "SHEET", lang, "AGAIN")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "text", ["...", "None", "[None, 1]", "'x'", "['x', 1]", "[..., 1]", "(0, 0.125)", "5"]
)
@pytest.mark.parametrize("name", BY_NAME)
def test_no_leak_on_the_published_inputs(verdict_on: VerdictOn, name: str, text: str, lang: str) -> None:
    verdict = verdict_on(BY_NAME[name], text)
    assert verdict.state in (BLANK, MALFORMED, WRONG)
    assert leaked(verdict, lang) == set()


def test_a_hint_that_gives_the_answer_away_is_noticed(
    verdict_on: VerdictOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HINTS, "p6", ("It is 22, not that.", "是 22。"))
    assert leaked(verdict_on(BY_NAME["p6"], "[25, 35]"), "en") == {Fraction(22)}


def test_the_message_module_cannot_reach_a_key() -> None:
    tree = ast.parse(Path(answers.message.__file__).read_text("utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not {name for name in modules if name and (name.startswith("answers.l3") or "model" in name)}
    known = ("problem", "state", "given", "fields", "unit", "reason", "mistake", "sheet")
    assert set(Verdict.field_names) == set(known)


@pytest.mark.parametrize("catalogue", [HINTS, DIAGNOSES, NOTES, FLAWS, TEXTS], ids=["h", "d", "n", "f", "t"])
def test_only_questions_hold_digits(catalogue: dict[str, tuple[str, str]]) -> None:
    for key, pair in catalogue.items():
        for text in pair:
            literal = "".join(part for part, *_ in Formatter().parse(text))
            assert not re.search(r"\d", literal), key


@pytest.mark.parametrize("catalogue", [QUESTIONS, HINTS, DIAGNOSES, NOTES, FLAWS, TEXTS], ids=list("qhdnft"))
def test_the_chinese_texts_are_chinese_but_for_the_line_of_totals(
    catalogue: dict[str, tuple[str, str]],
) -> None:
    assert {key for key, (_, chinese) in catalogue.items() if chinese.isascii()} <= {"total"}


def test_every_problem_and_mistake_has_its_texts_and_no_text_is_idle() -> None:
    for catalogue in (QUESTIONS, HINTS, NOTES):
        assert set(catalogue) == set(BY_NAME)
    assert set(DIAGNOSES) == {f"{p.name}_{mistake.name}" for p in PROBLEMS for mistake in p.mistakes}
    assert len(set(DIAGNOSES.values())) == len(DIAGNOSES)


def test_a_wrong_answer_says_what_was_asked_given_and_to_check_and_where() -> None:
    answer = parse_sheet("\np2 = [6,\n 8]  # hm", ("p2",), "my.py").answers[0]
    said = message(judge(BY_NAME["p2"], answer), "my.py", "en", "rerun me").split("\n")
    assert said[0] == "p2 wrong"
    assert said[1].startswith("asked: A block holds 4 tokens, and a request's block table is [7, 2, 9].")
    assert said[2] == "you gave: [6, 8]"
    assert said[3].startswith("check: That is the logical position.")
    assert said[4:] == ["edit my.py:2, then run: rerun me"]


def test_what_was_given_stays_on_its_line(verdict_on: VerdictOn) -> None:
    text = "['" + "x" * 250 + "', '\u2028\u202e']"
    said = message(verdict_on(BY_NAME["p1"], text), "odd\npath", "en", "again")
    assert len(said.split("\n")) == len(said.splitlines()) == 5
    assert "..." in said
    assert "odd\\npath:1" in said


CHECKS = [
    ("p4", "[16]", "The answer is a single number, in tokens, or text that carries a unit."),
    ("p6", "22", "The answer is a list, [first, second]: each a number in ms, or text that carries a unit."),
    ("p3", "3", "The answer is a list of numbers, in tokens."),
    ("p5", "[10, ...]", "A part of the list is still blank."),
    ("p6", "['22', 38]", "Text must hold a number and one of these units: us, ms, s."),
]


@pytest.mark.parametrize(
    ("name", "text", "check"), CHECKS, ids=[f"{name}-{text}" for name, text, _ in CHECKS]
)
def test_a_malformed_answer_hears_about_its_form(name: str, text: str, check: str) -> None:
    answer = parse_sheet(f"{name} = {text}", (name,), "my.py").answers[0]
    said = message(judge(BY_NAME[name], answer), "my.py", "en", "again").split("\n")
    assert said[2:4] == [f"you gave: {text}", f"check: {check}"]
