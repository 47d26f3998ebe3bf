"""The command `answers`, in process through the entry point."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import answers.check
import inference_lab
from answers.check import NAMES, SHIPPED, Params, document, params, render, run
from answers.l3_problems import PROBLEMS
from answers.message import question
from answers.problem import judge
from answers.sheet import Sheet, read_sheet
from labs.view.languages import LANGUAGES

Write = Callable[..., str]
Captured = pytest.CaptureFixture[str]


def output(capsys: Captured, *words: str) -> tuple[int, str]:
    code = inference_lab.main(list(words))
    out, err = capsys.readouterr()
    assert err == ""
    return code, out


def checked(project: Path, *words: str, cwd: Path | None = None) -> tuple[int, str, str]:
    """What the command prints in a process of its own, on the sheet of a copied project."""
    done = subprocess.run(
        [sys.executable, str(project / "inference_lab.py"), *words],
        cwd=cwd or project,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


BLANK = {
    "en": """\
Sheet answers/l3.py
  p1 blank: replace ... at answers/l3.py:{p1}
  p2 blank: replace ... at answers/l3.py:{p2}
  p3 blank: replace ... at answers/l3.py:{p3}
  p4 blank: replace ... at answers/l3.py:{p4}
  p5 blank: replace ... at answers/l3.py:{p5}
  p6 blank: replace ... at answers/l3.py:{p6}
Next: fill in answers/l3.py:{p1}, then run: python3 inference_lab.py answers

answers: 0 right, 0 wrong, 6 blank
""",
    "zh": """\
答卷 answers/l3.py
  p1 未作答：请替换 answers/l3.py:{p1} 处的 ...
  p2 未作答：请替换 answers/l3.py:{p2} 处的 ...
  p3 未作答：请替换 answers/l3.py:{p3} 处的 ...
  p4 未作答：请替换 answers/l3.py:{p4} 处的 ...
  p5 未作答：请替换 answers/l3.py:{p5} 处的 ...
  p6 未作答：请替换 answers/l3.py:{p6} 处的 ...
下一步：填写 answers/l3.py:{p1}，再运行：python3 inference_lab.py answers

answers: 0 right, 0 wrong, 6 blank
""",
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_blank_sheet_is_found_from_anywhere(project: Path, tmp_path: Path, lang: str) -> None:
    lines = (project / SHIPPED).read_text("utf-8").split("\n")
    expected = BLANK[lang].format(**{name: lines.index(f"{name} = ...") + 1 for name in NAMES})
    assert checked(project, "answers", "--lang", lang) == (0, expected, "")
    assert checked(project, f"--lang={lang}", "answers", cwd=tmp_path) == (0, expected, "")


FILES: dict[str, tuple[bytes | None, str]] = {
    "gone": (None, ": no such file (got answers/l3.py)"),
    "utf-16": (
        "p1 = 4\n".encode("utf-16"),
        ":1: is UTF-16, as some Windows shells write with >: save it as UTF-8",
    ),
    "cr": (b"p1 = 4\r\np2 = 1\r", ":2: holds a carriage return: save it with LF line ends"),
    "gbk": ("# 答案\n".encode("gbk"), ":1: is not UTF-8 text"),
    "too-large": (b"#" * (1 << 20) + b"\n", ": is larger than 1048576 bytes (got answers/l3.py)"),
    "no-assignment": (b"p1 = 4\nprint(p1)\n", ":2: is not NAME = ANSWER"),
}


@pytest.mark.parametrize(("data", "what"), FILES.values(), ids=FILES.keys())
def test_an_unreadable_shipped_sheet_is_called_by_its_place_in_the_project(
    project: Path, tmp_path: Path, data: bytes | None, what: str
) -> None:
    if data is None:
        (project / SHIPPED).unlink()
    else:
        (project / SHIPPED).write_bytes(data)
    code, out, err = checked(project, "answers", cwd=tmp_path)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: answers/l3.py{what}")
    assert err.count("\n") == 1
    assert str(project) not in err


def test_the_shipped_sheet_asks_what_the_catalogue_asks(project: Path) -> None:
    comments = [line.lstrip("# ") for line in (project / SHIPPED).read_text("utf-8").split("\n")]
    sheet = "".join("".join(comments).split())
    for problem in PROBLEMS:
        for lang in LANGUAGES:
            asked = question(problem.name, judge(problem, None).fields, lang)
            assert "".join(asked.split()) in sheet, (problem.name, lang)


def test_the_shipped_sheet_stands_on_lines_that_give_nothing_away(project: Path) -> None:
    parts = {part for problem in PROBLEMS for part in problem.key(problem.inputs)}
    lines = {given.line for given in read_sheet(str(project / SHIPPED), NAMES).answers}
    assert len(lines) == len(PROBLEMS)
    assert not parts & lines


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


def test_the_shipped_sheet_is_read_only_if_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped, given = Sheet(SHIPPED, ()), Sheet("given.py", ())
    reads: list[Sheet] = []

    def read() -> Sheet:
        reads.append(shipped)
        return shipped

    monkeypatch.setattr(answers.check, "shipped_sheet", read)
    assert params(sheets=[given]) == Params((given,))
    assert reads == []
    assert params() == params(sheets=[]) == Params((shipped,))
    assert reads == [shipped, shipped]
