"""Sheets for the tests of this folder, and verdicts on answers.

No test reads the sheet in the project's own folder: a learner may have filled it in. What needs the
shipped sheet uses the fixture `project`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from answers.problem import Problem, Verdict, judge
from answers.sheet import parse_sheet
from tests.documented import L3_ANSWERS


@pytest.fixture(scope="session")
def verdict_on() -> Callable[[Problem, str], Verdict]:
    """Judges a text as the answer to a problem."""

    def judged(problem: Problem, text: str) -> Verdict:
        sheet = parse_sheet(f"{problem.name} = {text}", (problem.name,), "sheet.py")
        return judge(problem, sheet.answer(problem.name))

    return judged


@pytest.fixture
def published() -> dict[str, str]:
    return dict(L3_ANSWERS)


@pytest.fixture
def write_sheet(tmp_path: Path) -> Callable[..., str]:
    """Writes a sheet with the given answers, the others right (or blank), and returns its path."""

    def write(others: str = "right", **answers: str) -> str:
        base = L3_ANSWERS if others == "right" else dict.fromkeys(L3_ANSWERS, "...")
        path = tmp_path / "sheet.py"
        path.write_text("".join(f"{name} = {text}\n" for name, text in {**base, **answers}.items()), "utf-8")
        return str(path)

    return write
