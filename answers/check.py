"""Checking answer sheets: the command `answers`, one of the faces that the entry point knows.

    right + wrong + blank = problems over all sheets; a malformed answer counts as wrong

Without a sheet named, the shipped one is checked, found beside this module and not in the folder that
the learner happens to stand in. A sheet with a header line is judged by the problems that its seed makes;
one without, by those of the shipped sheet.

Does not model: marks for a class (`answers.grade`), partial credit.
"""

from __future__ import annotations

import os
import shlex

from answers.l3_problems import PROBLEMS
from answers.message import message, path_text, place_of
from answers.problem import BLANK, MALFORMED, RIGHT, WRONG, Problem, Verdict, judge
from answers.sheet import Sheet, parse_sheet, sheet_text
from labs.base import LabError, Record
from labs.options import reader
from labs.view.catalog.answers import TEXTS
from labs.view.languages import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from answers.header import Header
    from answers.report_check import Report

SHIPPED = "answers/l3.py"
NAMES = tuple(problem.name for problem in PROBLEMS)


def load_sheet(path: str, where: str = "") -> Sheet:
    """The sheet in a file, as an option's reader; `LabError` names the path and line."""
    return recognised(sheet_text(path, path), path)


def load_word(path: str, where: str = "") -> Sheet | Report:
    """What a word on the command line names: a report if it ends in `.md`, else a sheet."""
    if not path.lower().endswith(".md"):
        return load_sheet(path)
    from answers.report_check import load_report

    return load_report(path)


def shipped_sheet() -> Sheet:
    """The sheet that comes with the lab, named by its place in the project on every machine."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.path.basename(SHIPPED))
    return recognised(sheet_text(beside, SHIPPED), SHIPPED)


def recognised(text: str, path: str) -> Sheet:
    """The sheet in a text, whose header line says what problems it holds; without one, L3's."""
    header = None
    if "seed" in text.lower():  # else there is no header to look for
        from answers.header import header_of

        header = header_of(text, path)
    names = tuple(problem.name for problem in _made_from(header))
    try:
        return parse_sheet(text, names, path).replace(made_from=header)
    except LabError as error:
        if header is None and error.rule == "unknown_problem":  # perhaps of another sheet, which is not named
            raise LabError(error.where, "problem_without_header", error.got, **error.values) from None
        raise


def problems_of_sheet(sheet: Sheet) -> tuple[Problem, ...]:
    """The problems that a sheet answers, made again from its seed."""
    return _made_from(sheet.made_from)


def _made_from(header: Header | None) -> tuple[Problem, ...]:
    if header is None:
        return PROBLEMS
    from answers.sheets import problems_of

    return problems_of(header.sheet, header.seed)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sheets to a parser."""
    from argparse import SUPPRESS

    parser.add_argument(
        "sheets",
        nargs="*",
        type=reader(load_word, "SHEET"),
        metavar="SHEET",
        default=SUPPRESS,
        help=TEXTS["sheets_help"],  # type: ignore[arg-type]  # the entry's parser picks the language
    )


class Params(Record):
    """The sheets to check, and the reports, already read."""

    sheets: tuple[Sheet, ...]
    reports: tuple[Report, ...] = ()


def params(sheets: Sequence[Sheet | Report] = ()) -> Params:
    """Params from the files given, or else from the shipped sheet, read here; `LabError` if it is none."""
    if not sheets:
        return Params((shipped_sheet(),))
    found = tuple(sheet for sheet in sheets if isinstance(sheet, Sheet))
    return Params(found, tuple(other for other in sheets if not isinstance(other, Sheet)))


class CheckedSheet(Record):
    """A sheet's path, its header, and the verdict on each of its problems."""

    path: str
    verdicts: tuple[Verdict, ...]
    made_from: Header | None = None


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
    return Result(params, tuple(checked(sheet) for sheet in params.sheets))


def checked(sheet: Sheet) -> CheckedSheet:
    """The verdict on every problem of one sheet."""
    verdicts = [judge(problem, sheet.answer(problem.name)) for problem in problems_of_sheet(sheet)]
    return CheckedSheet(sheet.path, tuple(verdicts), sheet.made_from)


def render(result: Result, lang: str) -> str:
    """A paragraph a sheet, with a message a problem; the totals stand last."""
    said = texts(TEXTS, lang)
    lines: list[str] = []
    for sheet in result.sheets:
        command = check_command(sheet.path, sheet.made_from)
        lines.append(said["sheet"].format(path=path_text(sheet.path)))
        if sheet.made_from:
            lines.append("  " + said["made_from"].format(**sheet.made_from.as_dict()))
        elif sheet.path != SHIPPED:
            lines.append("  " + said["no_header"].format(shipped=SHIPPED))
        for verdict in sheet.verdicts:
            first, *rest = message(verdict, sheet.path, lang, command).split("\n")
            lines += [f"  {first}", *(f"     {line}" for line in rest)]
        blank = next((verdict for verdict in sheet.verdicts if verdict.state == BLANK), None)
        if blank is None:
            lines.append(said["does_not_show"])
        else:
            lines.append(said["next"].format(place=place_of(blank, sheet.path), command=command))
        lines.append("")
    if result.params.reports:
        from answers.report_check import report_lines

        for report in result.params.reports:
            lines += [*report_lines(report, lang), ""]
        if not result.sheets:
            return "\n".join(lines)
    lines.append(said["total"].format(right=result.right, wrong=result.wrong, blank=result.blank))
    return "\n".join(lines) + "\n"


def check_command(path: str, made_from: Header | None = None) -> str:
    """The command that checks a sheet again; for a Chinese one it asks for Chinese.

    >>> check_command("my sheet.py"), check_command("answers/l3.py")
    ("python3 inference_lab.py answers 'my sheet.py'", 'python3 inference_lab.py answers')
    """
    argument = "" if path == SHIPPED else " " + path_text(shlex.quote(path))
    lang = " --lang zh" if made_from and made_from.lang == "zh" else ""
    return f"python3 inference_lab.py answers{argument}{lang}"


def document(result: Result) -> dict[str, Any]:
    """The verdicts as data."""
    sheets = [
        {
            "sheet": sheet.path,
            **({"made_from": sheet.made_from.as_dict()} if sheet.made_from else {}),
            "problems": [_problem_document(verdict) for verdict in sheet.verdicts],
        }
        for sheet in result.sheets
    ]
    counts: dict[str, Any] = {"right": result.right, "wrong": result.wrong, "blank": result.blank}
    if result.params.reports:
        from answers.report_check import report_document

        counts["reports"] = [report_document(report) for report in result.params.reports]
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
