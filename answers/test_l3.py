"""L3 by pytest: one test a problem. A blank answer is skipped, a wrong one fails with its message.

It checks answers/l3.py, or the sheet that the environment variable INFERENCE_LAB_SHEET names.
"""

from __future__ import annotations

import os
import shlex

import pytest

from answers.check import load_sheet, shipped_sheet
from answers.l3_problems import PROBLEMS
from answers.message import message, path_text
from answers.problem import BLANK, RIGHT, Problem, judge
from labs.base import LabError
from labs.view.errors import error_line
from labs.view.languages import language_of

VARIABLE = "INFERENCE_LAB_SHEET"
COMMAND = "python3 -m pytest answers"


@pytest.mark.parametrize("problem", PROBLEMS, ids=[problem.name for problem in PROBLEMS])
def test_answer(problem: Problem) -> None:
    path = os.environ.get(VARIABLE)
    lang = language_of(os.environ)
    sheet, unreadable = None, ""
    try:
        sheet = load_sheet(path) if path else shipped_sheet()
    except LabError as error:
        unreadable = error_line(error, lang)
    if sheet is None:  # outside the except clause, so that pytest shows no chain of exceptions
        pytest.fail(unreadable, pytrace=False)
    verdict = judge(problem, sheet.answer(problem.name))
    command = f"{VARIABLE}={path_text(shlex.quote(path))} {COMMAND}" if path else COMMAND
    said = message(verdict, sheet.path, lang, command)
    if verdict.state == BLANK:
        pytest.skip(said)
    if verdict.state != RIGHT:
        pytest.fail(said, pytrace=False)
