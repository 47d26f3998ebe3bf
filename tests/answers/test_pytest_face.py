"""`pytest answers`, as a learner runs it: in a process of its own, on a copied sheet."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from answers.check import NAMES, SHIPPED
from answers.sheet import read_sheet


def run_pytest(root: Path, sheet: str | None = None, lang: str = "C") -> tuple[int, str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "INFER"))
    }
    environment |= {"LANGUAGE": lang, "PYTHONIOENCODING": "utf-8"}
    if sheet is not None:
        environment["INFERENCE_LAB_SHEET"] = sheet
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "answers", "-p", "no:hypothesispytest"],
        cwd=root,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_blank_sheet_is_skipped_with_the_reason(project: Path) -> None:
    code, out = run_pytest(project)
    assert code == 0
    assert " 6 skipped in " in out
    for given in read_sheet(str(project / SHIPPED), NAMES).answers:
        assert f"{given.name} blank: replace ... at {SHIPPED}:{given.line}" in out


def test_the_shipped_sheet_can_be_filled_in(project: Path) -> None:
    sheet = project / SHIPPED
    sheet.write_text(sheet.read_text("utf-8").replace("p4 = ...", "p4 = 32"), "utf-8", newline="\n")
    code, out = run_pytest(project)
    assert code == 1
    assert " 1 failed, 5 skipped in " in out
    assert "then run: python3 -m pytest answers" in out


def test_a_right_sheet_passes(root: Path, write_sheet: Callable[..., str]) -> None:
    code, out = run_pytest(root, write_sheet())
    assert (code, " 6 passed in " in out) == (0, True)


def test_wrong_answers_fail_without_a_traceback(root: Path, write_sheet: Callable[..., str]) -> None:
    path = write_sheet("blank", p1="[4, 4]", p3="[0, 3, 4, 6]", p4="True")
    code, out = run_pytest(root, path)
    assert code == 1
    assert " 2 failed, 1 passed, 3 skipped in " in out
    assert "check: Both sizes are the same" in out
    assert f"edit {path}:1, then run: INFERENCE_LAB_SHEET={path} python3 -m pytest answers" in out
    assert "Traceback" not in out
    assert "test_l3.py:" not in out.partition("short test summary")[0].replace("test_l3.py::", "")


def test_it_speaks_chinese(root: Path, write_sheet: Callable[..., str]) -> None:
    assert "检查：如果全部 token 都复用" in run_pytest(root, write_sheet(p4="32"), "zh_CN")[1]


def test_a_file_that_is_no_sheet_is_one_line_and_not_executed(root: Path, tmp_path: Path) -> None:
    sheet, witness = tmp_path / "sheet.py", tmp_path / "witness"
    sheet.write_text(f"p1 = 4\nopen({str(witness)!r}, 'w')\n")
    code, out = run_pytest(root, str(sheet))
    assert code == 1
    assert " 6 failed in " in out
    assert f"error: {sheet}:2: is not NAME = ANSWER" in out
    assert "Traceback" not in out
    assert not witness.exists()


def test_pytest_does_not_execute_the_shipped_sheet_either(project: Path, tmp_path: Path) -> None:
    """Its doctest search imports what it finds, unless the folder's conftest keeps it out."""
    witness = tmp_path / "witness"
    (project / SHIPPED).write_text(f"open({str(witness)!r}, 'w')\n")
    code, out = run_pytest(project)
    assert code == 1
    assert " 6 failed in " in out
    assert "error: answers/l3.py:1: is not NAME = ANSWER" in out
    assert not witness.exists()
