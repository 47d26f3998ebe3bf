"""`pytest answers`, as a learner runs it: in a process of its own, on a copied sheet."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import answers.check
from answers.check import NAMES, shipped_sheet

ROOT = Path(answers.check.__file__).parent.parent


def run_pytest(sheet: str | None = None, lang: str = "C", root: Path = ROOT) -> tuple[int, str]:
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


def test_a_blank_sheet_is_skipped_with_the_reason() -> None:
    code, out = run_pytest()
    assert code == 0
    assert " 6 skipped in " in out
    for name in NAMES:
        answer = shipped_sheet().answer(name)
        assert answer is not None
        assert f"{name} blank: replace ... at answers/l3.py:{answer.line}" in out


def test_a_right_sheet_passes(write_sheet: Callable[..., str]) -> None:
    code, out = run_pytest(write_sheet())
    assert (code, " 6 passed in " in out) == (0, True)


def test_wrong_answers_fail_without_a_traceback(write_sheet: Callable[..., str]) -> None:
    path = write_sheet("blank", p1="[4, 4]", p3="[0, 3, 4, 6]", p4="True")
    code, out = run_pytest(path)
    assert code == 1
    assert " 2 failed, 1 passed, 3 skipped in " in out
    assert "check: Both sizes are the same" in out
    assert f"edit {path}:1, then run: INFERENCE_LAB_SHEET={path} python3 -m pytest answers" in out
    assert "Traceback" not in out
    assert "test_l3.py:" not in out.partition("short test summary")[0].replace("test_l3.py::", "")


def test_it_speaks_chinese(write_sheet: Callable[..., str]) -> None:
    assert "检查：如果全部 token 都复用" in run_pytest(write_sheet(p4="32"), "zh_CN")[1]


def test_a_file_that_is_no_sheet_is_one_line_and_not_executed(tmp_path: Path) -> None:
    sheet, witness = tmp_path / "sheet.py", tmp_path / "witness"
    sheet.write_text(f"p1 = 4\nopen({str(witness)!r}, 'w')\n")
    code, out = run_pytest(str(sheet))
    assert code == 1
    assert " 6 failed in " in out
    assert f"error: {sheet}:2: is not NAME = ANSWER" in out
    assert "Traceback" not in out
    assert not witness.exists()


def test_pytest_does_not_execute_the_shipped_sheet_either(tmp_path: Path) -> None:
    """Its doctest search imports what it finds, unless the folder's conftest keeps it out."""
    root, witness = tmp_path / "project", tmp_path / "witness"
    for folder in ("answers", "labs"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "answers" / "l3.py").write_text(f"open({str(witness)!r}, 'w')\n")
    code, out = run_pytest(root=root)
    assert code == 1
    assert " 6 failed in " in out
    assert "error: answers/l3.py:1: is not NAME = ANSWER" in out
    assert not witness.exists()
