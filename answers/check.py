"""Checking answer sheets: the command `answers`, one of the faces that the entry point knows.

    right + wrong + blank = problems x sheets; a malformed answer counts as wrong

Without a sheet named, the shipped one is checked, found beside this module and not in the folder that
the learner happens to stand in.

Does not model: fresh problems, other sheets than L3, marks for a class.
"""

from __future__ import annotations

import os

from answers.l3_problems import PROBLEMS
from answers.message import check_command, message, path_text, place_of
from answers.problem import BLANK, RIGHT, Verdict, judge
from answers.sheet import Sheet, read_sheet
from labs.base import Record
from labs.options import reader
from labs.view.catalog.answers import TEXTS
from labs.view.languages import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
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
    """The sheets to check, already read; none stands for the shipped one."""

    sheets: tuple[Sheet, ...] = ()

    def check(self) -> None:
        # Here and not in `run`, which is pure, nor at import, when a sheet may not be needed: a plain
        # `answers` passes no option through argparse that could read the file.
        self.__dict__["sheets"] = tuple(self.sheets) or (shipped_sheet(),)


class CheckedSheet(Record):
    """A sheet's path and the verdict on each of its problems."""

    path: str
    verdicts: tuple[Verdict, ...]


class Result(Record):
    """The verdicts on all sheets."""

    params: Params
    sheets: tuple[CheckedSheet, ...]

    def count(self, *states: str) -> int:
        """How many answers are in one of these states."""
        return sum(verdict.state in states for sheet in self.sheets for verdict in sheet.verdicts)

    @property
    def right(self) -> int:
        return self.count(RIGHT)

    @property
    def blank(self) -> int:
        return self.count(BLANK)

    @property
    def wrong(self) -> int:
        """Wrong and malformed answers."""
        return sum(len(sheet.verdicts) for sheet in self.sheets) - self.right - self.blank

    @property
    def holds(self) -> bool:
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
        command = check_command(sheet.path, SHIPPED)
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
