"""L3 by pytest: one test a problem. A blank answer is skipped, a wrong one fails with its message.

It checks answers/l3.py, or the sheet that the environment variable INFERENCE_LAB_SHEET names, which may
be any sheet that `answers new` makes.
"""

from __future__ import annotations

import os
import shlex

import pytest

from answers.check import NAMES, load_sheet, problems_of_sheet, shipped_sheet
from answers.message import message, path_text
from answers.problem import BLANK, RIGHT, judge
from answers.sheet import Sheet
from labs.base import LabError
from labs.view.errors import error_line
from labs.view.languages import language_of

VARIABLE = "INFERENCE_LAB_SHEET"
COMMAND = "python3 -m pytest answers"


def the_sheet() -> Sheet:
    """The sheet to check; `LabError` if it is none."""
    path = os.environ.get(VARIABLE)
    return load_sheet(path) if path else shipped_sheet()


def names() -> tuple[str, ...]:
    """The problems of the sheet; of one that cannot be read, L3's, which then all say why."""
    try:
        return tuple(problem.name for problem in problems_of_sheet(the_sheet()))
    except LabError:
        return NAMES


@pytest.mark.parametrize("name", names())
def test_answer(name: str) -> None:
    path = os.environ.get(VARIABLE)
    lang = language_of(os.environ)
    sheet, unreadable = None, ""
    try:
        sheet = the_sheet()
    except LabError as error:
        unreadable = error_line(error, lang)
    if sheet is None:  # outside the except clause, so that pytest shows no chain of exceptions
        pytest.fail(unreadable, pytrace=False)
    problem = next(problem for problem in problems_of_sheet(sheet) if problem.name == name)
    verdict = judge(problem, sheet.answer(name))
    command = f"{VARIABLE}={path_text(shlex.quote(path))} {COMMAND}" if path else COMMAND
    said = message(verdict, sheet.path, lang, command)
    if verdict.state == BLANK:
        pytest.skip(said)
    if verdict.state != RIGHT:
        pytest.fail(said, pytrace=False)
