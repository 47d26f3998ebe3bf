"""The command `answers`, in process through the entry point."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import answers.check
import inference_lab
from answers.check import NAMES, SHIPPED, Params, document, render, run, shipped_sheet
from answers.l3_problems import PROBLEMS
from answers.message import question
from answers.problem import judge
from answers.sheet import read_sheet
from labs.view.languages import LANGUAGES

ROOT = Path(answers.check.__file__).parent.parent
Write = Callable[..., str]
Captured = pytest.CaptureFixture[str]


def output(capsys: Captured, *words: str) -> tuple[int, str]:
    code = inference_lab.main(list(words))
    out, err = capsys.readouterr()
    assert err == ""
    return code, out


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_shipped_sheet_is_blank(capsys: Captured, lang: str) -> None:
    code, out = output(capsys, "answers", "--lang", lang)
    assert code == 0
    assert out.endswith("\nanswers: 0 right, 0 wrong, 6 blank\n")
    for name in NAMES:
        answer = shipped_sheet().answer(name)
        assert answer is not None
        assert f"{SHIPPED}:{answer.line}" in out


def test_the_shipped_sheet_is_found_from_anywhere(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = output(capsys, "answers", "--lang", "en")
    monkeypatch.chdir(tmp_path)
    assert output(capsys, "answers", "--lang", "en") == here
    assert output(capsys, "--lang=en", "answers") == here


def test_the_shipped_sheet_asks_what_the_catalogue_asks() -> None:
    comments = [line.lstrip("# ") for line in (ROOT / SHIPPED).read_text("utf-8").split("\n")]
    sheet = "".join("".join(comments).split())
    for problem in PROBLEMS:
        for lang in LANGUAGES:
            asked = question(problem.name, judge(problem, None).fields, lang)
            assert "".join(asked.split()) in sheet, (problem.name, lang)


def test_the_shipped_sheet_stands_on_lines_that_give_nothing_away() -> None:
    parts = {part for problem in PROBLEMS for part in problem.key(problem.inputs)}
    assert not parts & {given.line for given in shipped_sheet().answers}


def test_a_right_sheet(capsys: Captured, write_sheet: Write) -> None:
    code, out = output(capsys, "answers", write_sheet(), "--lang", "en")
    assert code == 0
    assert out.endswith("\nanswers: 6 right, 0 wrong, 0 blank\n")
    assert "p1 right. Only the KV cache shrinks" in out


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_wrong_and_a_malformed_answer(capsys: Captured, write_sheet: Write, lang: str) -> None:
    path = write_sheet(p4="32", p5="75", p6="...")
    code, out = output(capsys, "answers", path, "--lang", lang)
    assert code == 1
    assert out.endswith("\nanswers: 3 right, 2 wrong, 1 blank\n")
    assert f"{path}:4" in out
    assert f"python3 inference_lab.py answers {path}" in out


def test_several_sheets_are_counted_together(capsys: Captured, tmp_path: Path, write_sheet: Write) -> None:
    other = tmp_path / "other.py"
    other.write_text("p1 = [4, 4]\n")
    code, out = output(capsys, "answers", write_sheet(), str(other), "--lang", "en")
    assert code == 1
    assert out.endswith("\nanswers: 6 right, 1 wrong, 5 blank\n")
    assert f"p2 blank: there is no line for it in {other}" in out


def test_one_bad_sheet_among_several_prints_nothing_else(capsys: Captured, write_sheet: Write) -> None:
    assert inference_lab.main(["answers", write_sheet(), "no/such.py", "--lang", "en"]) == 2
    assert capsys.readouterr() == ("", "error: no/such.py: no such file (got no/such.py)\n")


def test_the_document(capsys: Captured, write_sheet: Write) -> None:
    path = write_sheet(p2="[6, 8]", p3="'x'", p4="...", p5="[1, 2]")
    code, out = output(capsys, "answers", path, "--json")
    assert code == 1
    answered = json.loads(out)
    problems = answered["result"]["sheets"][0].pop("problems")
    assert answered == {
        "schema": 1,
        "lab": "answers",
        "params": {"sheets": [path]},
        "result": {"sheets": [{"sheet": path}], "right": 2, "wrong": 3, "blank": 1},
    }
    assert [(p["problem"], p["state"], p["line"], p["diagnosis"]) for p in problems] == [
        ("p1", "right", 1, None),
        ("p2", "wrong", 2, "position"),
        ("p3", "malformed", 3, None),
        ("p4", "blank", 4, None),
        ("p5", "wrong", 5, None),
        ("p6", "right", 6, None),
    ]


def test_a_missing_line_has_no_place_in_the_document(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("")
    result = run(Params(sheets=(read_sheet(str(path), NAMES),)))
    lines = [problem["line"] for problem in document(result)["result"]["sheets"][0]["problems"]]
    assert lines == [None] * 6
    assert result.holds
    assert render(result, "en").endswith("\nanswers: 0 right, 0 wrong, 6 blank\n")


def test_the_sheet_is_parsed_and_never_executed(capsys: Captured, tmp_path: Path) -> None:
    path, witness = tmp_path / "sheet.py", tmp_path / "witness"
    path.write_text(f"p1 = open({str(witness)!r}, 'w')\n")
    assert inference_lab.main(["answers", str(path)]) == 2
    assert capsys.readouterr().out == ""
    assert not witness.exists()


def test_params_read_the_shipped_sheet_only_if_none_is_given() -> None:
    assert Params().sheets == Params(sheets=()).sheets == (shipped_sheet(),)
    given = read_sheet(str(ROOT / SHIPPED), NAMES)
    assert Params(sheets=(given,)).sheets == (given,)
