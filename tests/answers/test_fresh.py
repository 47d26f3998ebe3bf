"""Fresh problems: `answers new`, and `answers` on what it wrote.

Turned red by a draw that depends on the process or the version of Python, a tempting mistake that is the
key, a key of the course's sheet that solves a fresh one, numbers that are read from the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from answers.draw import Draw, fresh, tempting_key
from answers.header import Header, header_line, header_of
from answers.l3_keys import PrefixHit
from answers.new import asked
from answers.problem import RIGHT, Problem, judge
from answers.sheet import Given, parse_sheet
from answers.sheets import SHEETS, problems_of
from answers.show import answer_text
from labs.base import LabError
from labs.view.languages import LANGUAGES

if TYPE_CHECKING:
    from tests.conftest import RunLab

SEEDS = range(1, 1001)
ANNA = Path(__file__).parents[1] / "cases" / "sheets" / "anna.py"


def filled_in(text: str, **answers: str) -> str:
    for name, answer in answers.items():
        text, count = re.subn(rf"^{name} = \.\.\.$", f"{name} = {answer}", text, flags=re.MULTILINE)
        assert count == 1
    return text


def test_the_same_seed_prints_the_same_bytes(run_lab: RunLab) -> None:
    """The file in the cases was written once; p1 and p4 in it were worked by hand."""
    ran = run_lab(["answers", "new", "l3", "--seed", "7", "--lang", "en"])
    assert (ran.code, ran.err) == (0, "")
    assert filled_in(ran.out, p1="[1, 0.5]", p4="144") == ANNA.read_text("utf-8")


def test_in_a_process_of_its_own_with_another_hash_seed(run_process: Callable[..., Any]) -> None:
    words = ["answers", "new", "l3", "--seed", "12345", "--lang", "zh"]
    outs = {run_process(words, environment={"PYTHONHASHSEED": n}).stdout for n in ("0", "1")}
    assert len(outs) == 1
    assert outs.pop().decode("utf-8").startswith("# sheet: l3  seed: 12345  lang: zh\n")


@pytest.mark.parametrize("sheet", SHEETS)
def test_no_tempting_mistake_is_the_key_and_no_course_answer_fits(sheet: str) -> None:
    course = {problem.name: problem.key(problem.inputs) for problem in problems_of(sheet, 0)}
    for seed in SEEDS:
        for problem in problems_of(sheet, seed):
            key = problem.key(problem.inputs)
            assert tuple(key) != tuple(course[problem.name]) or problem.shape == "yes", (seed, problem.name)
            for mistake in problem.mistakes:
                for answer in mistake.answers(problem.inputs):
                    assert tuple(answer) != tuple(key), (seed, problem.name, mistake.name)


@pytest.mark.parametrize("sheet", SHEETS)
def test_seeds_differ_and_keys_are_numbers_one_can_write(sheet: str) -> None:
    sheets = [tuple(problem.inputs for problem in problems_of(sheet, seed)) for seed in range(1, 101)]
    assert len(set(map(repr, sheets))) > 95
    for seed in range(101):
        for problem in problems_of(sheet, seed):
            assert judge(problem, given(problem, answer_text(problem))).state == RIGHT, (seed, problem.name)


def given(problem: Problem, text: str) -> Given | None:
    return parse_sheet(f"{problem.name} = {text}", (problem.name,), "x").answer(problem.name)


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sheet_is_read_back_blank_and_then_right(
    run_lab: RunLab, tmp_path: Path, sheet: str, lang: str
) -> None:
    text = run_lab(["answers", "new", sheet, "--seed", "31", "--lang", lang]).out
    assert lang == "zh" or text.isascii()
    assert re.search("[\u4e00-\u9fff]", text) or lang == "en"
    assert max(map(len, text.split("\n"))) <= 110
    problems = problems_of(sheet, 31)
    path = tmp_path / "my.py"
    path.write_text(text, "utf-8")
    assert run_lab(["answers", str(path)]).out.endswith(f"0 right, 0 wrong, {len(problems)} blank\n")
    solved = {problem.name: answer_text(problem) for problem in problems}
    path.write_text(filled_in(text, **solved), "utf-8")
    ran = run_lab(["answers", str(path)])
    assert ran.out.endswith(f"answers: {len(problems)} right, 0 wrong, 0 blank\n"), ran.out
    assert f"made from: {sheet}, seed 31" in ran.out
    assert run_lab(["answers", str(path), "--json"]).code == 0


def test_the_course_answers_never_solve_a_fresh_sheet(
    run_lab: RunLab, tmp_path: Path, published: dict[str, str]
) -> None:
    path = tmp_path / "my.py"
    text = run_lab(["answers", "new", "l3", "--seed", "3"]).out
    path.write_text(filled_in(text, **published), "utf-8")
    ran = run_lab(["answers", str(path)])
    assert ran.code == 1
    assert ran.out.endswith("answers: 0 right, 6 wrong, 0 blank\n")


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_fresh_sheet_takes_no_course_answer_but_what_is_self_assessed(sheet: str) -> None:
    """Judged as a sheet is: of L3's six, none; of `reuse`, the six questions that are answered yes."""
    course = {problem.name: answer_text(problem) for problem in problems_of(sheet, 0)}
    for seed in range(1, 101):
        problems = problems_of(sheet, seed)
        right = {p.name for p in problems if judge(p, given(p, course[p.name])).state == RIGHT}
        assert right == {problem.name for problem in problems if problem.shape == "yes"}
        assert len(right) < len(problems)


def test_seed_0_has_the_course_numbers(run_lab: RunLab, tmp_path: Path, published: dict[str, str]) -> None:
    path = tmp_path / "my.py"
    text = run_lab(["answers", "new", "l3"]).out
    assert text == run_lab(["answers", "new", "l3", "--seed", "0"]).out
    path.write_text(filled_in(text, **published), "utf-8")
    assert run_lab(["answers", str(path)]).out.endswith("answers: 6 right, 0 wrong, 0 blank\n")


def test_numbers_come_from_the_seed_and_not_from_the_file(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "my.py"
    path.write_text(ANNA.read_text("utf-8").replace("160 tokens", "33 tokens").replace("p4 = 144", "p4 = 32"))
    ran = run_lab(["answers", str(path)])
    assert ran.code == 1
    assert "A prompt of 160 tokens is fully cached" in ran.out


HEADERS = [
    ("# sheet: l3  seed: 7  lang: en\np1 = 1", Header("l3", 7, "en")),
    ("p1 = 1\n\n  ##SHEET=L3,seed=7", Header("l3", 7)),
    ("# made by me\n# seed 7 of sheet l3, lang fr\n", Header("l3", 7)),
    ("# sheet\uff1al3 seed\uff1a0007 lang\uff1azh", Header("l3", 7, "zh")),
    ("# sheet: l3 seed: x\n# sheet: l3 seed: 8", Header("l3", 8)),
    ("# sheet: l3\n# seed: 7\np1 = 1", None),
    ("p1 = 'sheet: l3 seed: 7'", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "header"), HEADERS, ids=[repr(text) for text, _ in HEADERS])
def test_headers(text: str, header: Header | None) -> None:
    assert header_of(text, "my.py") == header


def test_a_header_line_is_read_back() -> None:
    for sheet in SHEETS:
        header = Header(sheet, 10**9, "zh")
        assert header_of(header_line(header), "my.py") == header


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("\n# sheet: l4 seed: 7", "my.py:2: no such sheet; known are l3"),
        ("p1 = 4\n# sheet: metrics  seed: x  lang: en", "my.py:2: names a sheet, but no number for its seed"),
        ("# sheet: l3 seed: 1000000001", "my.py:1: must be at most 1000000000 (got 1000000001)"),
        ("# sheet: l3 seed: " + "9" * 5000, "my.py:1: must be at most 1000000000 (got 99"),
    ],
)
def test_a_header_that_names_nothing(run_lab: RunLab, tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "my.py"
    path.write_text(text, "utf-8")
    ran = run_lab(["answers", str(path)])
    assert (ran.code, ran.out) == (2, "")
    assert error in ran.err
    assert ran.err.count("\n") == 1


def test_a_header_that_is_gone_is_said_in_one_line(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "my.py"
    path.write_text("".join(ANNA.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    lines = run_lab(["answers", str(path)]).out.split("\n")
    found = [line for line in lines if "no header line" in line]
    assert found == [
        "  no header line (# sheet: NAME  seed: N): checked with the numbers of answers/l3.py",
    ]
    assert "没有题头行" in run_lab(["answers", str(path), "--lang", "zh"]).out


def test_a_longer_sheet_whose_header_is_gone_is_refused(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "my.py"
    path.write_text(run_lab(["answers", "new", "warmup"]).out.partition("\n")[2], "utf-8")
    ran = run_lab(["answers", str(path)])
    assert (ran.code, ran.out) == (2, "")
    assert "no such problem in a sheet without header line (# sheet: NAME  seed: N)" in ran.err


def test_a_chinese_sheet_is_checked_again_in_chinese(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "my.py"
    path.write_text(run_lab(["answers", "new", "l3", "--seed", "5", "--lang", "zh"]).out, "utf-8")
    assert f"python3 inference_lab.py answers {path} --lang zh" in run_lab(["answers", str(path)]).out


BAD = [
    (["l4"], "SHEET: no such sheet; known are l3"),
    (["l3", "--seed", "-1"], "--seed: must be"),
    (["l3", "--seed", "7.5"], "--seed: must be a whole number"),
    (["l3", "--seed", "1000000001"], "--seed: must be at most 1000000000"),
    (["--seed", "7"], "--seed: means nothing without SHEET"),
]


@pytest.mark.parametrize(("words", "error"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_refused(run_lab: RunLab, words: list[str], error: str) -> None:
    ran = run_lab(["answers", "new", *words])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {error}")


def test_the_list_names_every_sheet(run_lab: RunLab) -> None:
    out = run_lab(["answers", "new"]).out
    names = [line.split()[0] for line in out.split("\n") if line.startswith("  ")]
    assert names == [*SHEETS, "report"]
    document = run_lab(["answers", "new", "--json"]).out
    assert all(f'"{sheet}"' in document for sheet in SHEETS)


def test_a_key_that_a_mistake_reaches_is_drawn_again() -> None:
    """Sabotage: a prompt of one token more than a block; its bound is the hit."""
    problem = problems_of("l3", 0)[3]
    trap, good = PrefixHit(block_size=8, num_tokens=25), PrefixHit(block_size=8, num_tokens=40)
    assert tempting_key(problem.replace(inputs=trap), (24,))
    drawn = iter([trap, good])
    assert fresh(problem, lambda draw: next(drawn), seed=1).inputs == good


def test_numbers_that_do_not_go_together_are_drawn_again() -> None:
    problem = problems_of("l3", 0)[3]
    attempts: list[Draw] = []

    def inputs(draw: Draw) -> PrefixHit:
        attempts.append(draw)
        return PrefixHit(block_size=len(attempts) - 1, num_tokens=8)

    with pytest.raises(LabError):
        inputs(Draw())
    attempts.clear()
    assert fresh(problem, inputs, seed=1).inputs != problem.inputs


def test_draws_are_even_enough() -> None:
    counts = [0] * 6
    for key in range(6000):
        counts[Draw("even", key).below(6)] += 1
    assert min(counts) > 850
    assert max(counts) < 1150


def test_questions_and_exact_numbers() -> None:
    """A hint for the reader: no key of the sheet needs more than twelve decimals."""
    for seed in range(1, 201):
        for problem in problems_of("l3", seed):
            for part in problem.key(problem.inputs):
                assert (Fraction(part) * 10**12).denominator == 1
            assert asked(problem, "en").isascii()
