"""`answers grade`: the marks of a folder.

Turned red by a sheet that stops the others, an order that follows the disk, a half-written CSV file.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import answers.marks_csv
from labs.base import LabError

if TYPE_CHECKING:
    from tests.conftest import RunLab

ANNA = (Path(__file__).parents[1] / "cases" / "sheets" / "anna.py").read_text("utf-8")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_not_waited_for(run_lab: RunLab, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f.py")
    (tmp_path / "g.py").write_text(ANNA, "utf-8")
    ran = run_lab(["answers", "grade", str(tmp_path)])
    assert "f.py: is no regular file" in ran.out
    assert "sheets: 1 read, 1 unreadable" in ran.out


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A folder of sheets: two fresh ones, one without header, broken ones, and what is no sheet."""
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "zoe.py").write_text(ANNA.replace("p4 = 144", "p4 = 160"), "utf-8")
    (folder / "anna.py").write_text(ANNA, "utf-8")
    (folder / "Ben.py").write_text("p1 = [4, 1]\np2 = 'x'\n", "utf-8")
    (folder / "broken.py").write_text("# sheet: l3 seed: 9\np1 = open('x')\n", "utf-8")
    (folder / "gbk.py").write_bytes("p1 = 4  # 答案\n".encode("gbk"))
    (folder / "lost.py").write_text("# sheet: l9 seed: 9\np1 = 4\n", "utf-8")
    (folder / "helper.py").write_text("import os\n", "utf-8")
    (folder / "notes.txt").write_text("p1 = 4\n", "utf-8")
    (folder / "folder.py").mkdir()
    return folder


NO_HEADER = "no header line: checked with the numbers of the sheet that comes with the lab"
ROWS = [
    ["file", "sheet", "seed", "right", "wrong", "blank", "p1", "p2", "p3", "p4", "p5", "p6", "note"],
    ["Ben.py", "l3", "", "1", "1", "4", "right", "malformed", "blank", "blank", "blank", "blank", NO_HEADER],
    ["anna.py", "l3", "7", "2", "0", "4", "right", "blank", "blank", "right", "blank", "blank", ""],
    ["broken.py", *[""] * 11],
    ["folder.py", *[""] * 11],
    ["gbk.py", *[""] * 11],
    ["lost.py", *[""] * 11],
    ["zoe.py", "l3", "7", "1", "1", "4", "right", "blank", "blank", "wrong", "blank", "blank", ""],
]
ERRORS = {
    "broken.py": "broken.py:2: is not a number, text, list or arithmetic on numbers",
    "folder.py": "folder.py: ",
    "gbk.py": "gbk.py:1: is not UTF-8 text",
    "lost.py": "lost.py:1: no such sheet",
}


def test_the_csv(run_lab: RunLab, course: Path, tmp_path: Path) -> None:
    marks = tmp_path / "marks.csv"
    ran = run_lab(["answers", "grade", str(course), "--csv", str(marks)])
    assert (ran.code, ran.err) == (1, "")
    rows = list(csv.reader(StringIO(marks.read_text("utf-8"))))
    for row, expected in zip(rows, ROWS, strict=True):
        error = ERRORS.get(row[0])
        if error is None:
            assert row == expected
        else:
            assert row[:-1] == expected
            assert row[-1].startswith(error)


def test_the_table(run_lab: RunLab, course: Path) -> None:
    out = run_lab(["answers", "grade", str(course)]).out
    names = [line.split()[0] for line in out.split("\n")[1:8]]
    assert names == [row[0] for row in ROWS[1:]]
    assert "p1 right, p2 malformed, p3 blank" in out
    assert "gbk.py: gbk.py:1: is not UTF-8 text" in out
    assert "passed over, as they are no sheets: helper.py" in out
    assert out.endswith("sheets: 3 read, 4 unreadable; answers: 4 right, 2 wrong, 12 blank\n")
    chinese = run_lab(["answers", "grade", str(course), "--lang", "zh"]).out
    assert "没有题头行" in chinese
    assert chinese.endswith("\n" + out.split("\n")[-2] + "\n")


def test_the_document(run_lab: RunLab, course: Path) -> None:
    document = json.loads(run_lab(["answers", "grade", str(course), "--json"]).out)
    sheets = document["result"].pop("sheets")
    assert document["result"] == {
        "passed_over": ["helper.py"],
        "right": 4,
        "wrong": 2,
        "blank": 12,
        "unreadable": 4,
    }
    assert [(sheet["file"], sheet["seed"]) for sheet in sheets][:2] == [("Ben.py", None), ("anna.py", 7)]
    assert sheets[1]["states"]["p4"] == "right"


def test_a_class_without_mistakes_is_0(run_lab: RunLab, course: Path) -> None:
    for path in course.iterdir():
        if path.is_dir():
            path.rmdir()
        elif path.name != "anna.py":
            path.unlink()
    assert run_lab(["answers", "grade", str(course)]).code == 0
    (course / "anna.py").unlink()
    empty = run_lab(["answers", "grade", str(course)])
    assert empty.code == 0
    assert "no sheets in" in empty.out


def test_the_csv_is_written_whole_or_not_at_all(
    run_lab: RunLab, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = tmp_path / "marks.csv"
    marks.write_text("old")

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fails)
        ran = run_lab(["answers", "grade", str(course), "--csv", str(marks)])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: --csv: ")
    assert marks.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class", "marks.csv"]


REFUSED: list[tuple[Callable[[Path], list[str]], str]] = [
    (lambda folder: [], "DIR: needs a value (got nothing)"),
    (lambda folder: [str(folder / "none")], "DIR: is no folder that can be listed"),
    (lambda folder: [str(folder / "anna.py")], "DIR: is no folder that can be listed"),
    (lambda folder: [str(folder), "--csv", str(folder / "anna.py")], "--csv: is the file that is read"),
    (lambda folder: [str(folder), "--csv", str(folder / "no" / "x")], "--csv: is in a folder that does not"),
]


@pytest.mark.parametrize(("words", "error"), REFUSED, ids=[error for _, error in REFUSED])
def test_refused(run_lab: RunLab, course: Path, words: Callable[[Path], list[str]], error: str) -> None:
    ran = run_lab(["answers", "grade", *words(course)])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {error}")
    assert ran.err.count("\n") == 1
    assert (course / "anna.py").read_text("utf-8") == ANNA


def test_no_cell_is_a_formula(run_lab: RunLab, course: Path, tmp_path: Path) -> None:
    (course / "=1+1.py").write_text(ANNA, "utf-8")
    run_lab(["answers", "grade", str(course), "--csv", str(tmp_path / "marks.csv")])
    assert "\n'=1+1.py,l3,7," in (tmp_path / "marks.csv").read_text("utf-8")
    assert answers.marks_csv.safe("anna") == "anna"


def test_an_error_has_one_line(course: Path) -> None:
    from answers.grade import read_folder

    rows, others = read_folder(str(course), "DIR")
    assert [row.file for row in rows if isinstance(row.error, LabError)] == list(ERRORS)
    assert others == ("helper.py",)
