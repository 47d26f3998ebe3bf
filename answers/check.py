"""Checking answer sheets: the command `answers`, one of the faces that the entry point knows.

    right + wrong + blank = problems x sheets; a malformed answer counts as wrong

Without a sheet named, the shipped one is checked, found beside this module and not in the folder that
the learner happens to stand in.

Does not model: fresh problems, other sheets than L3, marks for a class.
"""

from __future__ import annotations

import os
import shlex

from answers.l3_problems import PROBLEMS
from answers.message import message, path_text, place_of
from answers.problem import BLANK, MALFORMED, RIGHT, WRONG, Verdict, judge
from answers.sheet import Sheet, read_sheet
from labs.base import Record
from labs.options import reader
from labs.view.catalog.answers import TEXTS
from labs.view.languages import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

SHIPPED = "answers/l3.py"
NAMES = tuple(problem.name for problem in PROBLEMS)


def load_sheet(path: str, where: str = "") -> Sheet:
    """The sheet in a file, as an option's reader; `LabError` names the path and line."""
    return read_sheet(path, NAMES)


def shipped_sheet() -> Sheet:
    """The sheet that comes with the lab, named by its place in the project on every machine."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.path.basename(SHIPPED))
    return read_sheet(beside, NAMES, shown_as=SHIPPED)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sheets to a parser."""
    from argparse import SUPPRESS

    parser.add_argument(
        "sheets",
        nargs="*",
        type=reader(load_sheet, "SHEET"),
        metavar="SHEET",
        default=SUPPRESS,
        help=TEXTS["sheets_help"],  # type: ignore[arg-type]  # the entry's parser picks the language
    )


class Params(Record):
    """The sheets to check, already read."""

    sheets: tuple[Sheet, ...]


def params(sheets: Sequence[Sheet] = ()) -> Params:
    """Params from the sheets given, or else from the shipped one, read here; `LabError` if it is none."""
    return Params(tuple(sheets) or (shipped_sheet(),))


class CheckedSheet(Record):
    """A sheet's path and the verdict on each of its problems."""

    path: str
    verdicts: tuple[Verdict, ...]


class Result(Record):
    """The verdicts on all sheets."""

    params: Params
    sheets: tuple[CheckedSheet, ...]

    def count(self, *states: str) -> int:
        """How many answers are in one of these states, over all sheets."""
        return sum(verdict.state in states for sheet in self.sheets for verdict in sheet.verdicts)

    @property
    def right(self) -> int:
        """How many answers are right."""
        return self.count(RIGHT)

    @property
    def wrong(self) -> int:
        """How many answers are wrong or malformed."""
        return self.count(WRONG, MALFORMED)

    @property
    def blank(self) -> int:
        """How many answers are blank, or have no line."""
        return self.count(BLANK)

    @property
    def holds(self) -> bool:
        """Whether no answer is wrong; blanks are no mistake."""
        return self.wrong == 0


def run(params: Params) -> Result:
    """Judge every problem of every sheet."""
    sheets = [
        CheckedSheet(sheet.path, tuple(judge(problem, sheet.answer(problem.name)) for problem in PROBLEMS))
        for sheet in params.sheets
    ]
    return Result(params, tuple(sheets))


def render(result: Result, lang: str) -> str:
    """A paragraph a sheet, with a message a problem; the totals stand last."""
    said = texts(TEXTS, lang)
    lines: list[str] = []
    for sheet in result.sheets:
        command = check_command(sheet.path)
        lines.append(said["sheet"].format(path=path_text(sheet.path)))
        for verdict in sheet.verdicts:
            first, *rest = message(verdict, sheet.path, lang, command).split("\n")
            lines += [f"  {first}", *(f"     {line}" for line in rest)]
        blank = next((verdict for verdict in sheet.verdicts if verdict.state == BLANK), None)
        if blank is None:
            lines.append(said["does_not_show"])
        else:
            lines.append(said["next"].format(place=place_of(blank, sheet.path), command=command))
        lines.append("")
    lines.append(said["total"].format(right=result.right, wrong=result.wrong, blank=result.blank))
    return "\n".join(lines) + "\n"


def check_command(path: str) -> str:
    """The command that checks a sheet again.

    >>> check_command("my sheet.py"), check_command("answers/l3.py")
    ("python3 inference_lab.py answers 'my sheet.py'", 'python3 inference_lab.py answers')
    """
    argument = "" if path == SHIPPED else " " + path_text(shlex.quote(path))
    return f"python3 inference_lab.py answers{argument}"


def document(result: Result) -> dict[str, Any]:
    """The verdicts as data."""
    sheets = [
        {"sheet": sheet.path, "problems": [_problem_document(verdict) for verdict in sheet.verdicts]}
        for sheet in result.sheets
    ]
    counts = {"right": result.right, "wrong": result.wrong, "blank": result.blank}
    return {
        "params": {"sheets": [sheet.path for sheet in result.sheets]},
        "result": {"sheets": sheets, **counts},
    }


def _problem_document(verdict: Verdict) -> dict[str, Any]:
    return {
        "problem": verdict.problem,
        "state": verdict.state,
        "line": verdict.given.line if verdict.given else None,
        "diagnosis": verdict.mistake,
    }
