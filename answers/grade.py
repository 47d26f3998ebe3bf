"""`answers grade DIR`: the marks of a class, one row a sheet.

Every file `*.py` of the folder itself is looked at, in the order of names. A file with a header line, or with
an answer to a problem, is a sheet; others are passed over and named. A sheet that cannot be read is a row
with its error. The numbers of a sheet derive from its seed again, so a changed question changes nothing.

Does not model: who wrote a sheet, sheets in folders below.
"""

from __future__ import annotations

import os
import re

from answers.check import CheckedSheet, checked, recognised
from answers.message import path_text
from answers.problem import BLANK, MALFORMED, RIGHT, WRONG
from answers.sheet import sheet_text
from answers.words import add_words, words_of
from labs.base import LabError, Record, require
from labs.options import knob, nonempty_text
from labs.view.catalog.answers_new import KNOBS, TEXTS
from labs.view.errors import error_line
from labs.view.languages import texts
from labs.view.tables import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

AN_ANSWER = re.compile(r"^\s*p[0-9]+\s*=|^\s*#.*\bseed\b", re.MULTILINE | re.IGNORECASE)


class Row(Record):
    """One sheet: its name in the folder, and what was found, or why it cannot be read."""

    file: str
    sheet: CheckedSheet | None
    error: LabError | None = None

    def count(self, *states: str) -> int:
        """How many answers are in one of these states."""
        return sum(verdict.state in states for verdict in self.sheet.verdicts) if self.sheet else 0

    @property
    def marks(self) -> tuple[int, int, int]:
        """Right, wrong or malformed, blank."""
        return self.count(RIGHT), self.count(WRONG, MALFORMED), self.count(BLANK)

    @property
    def made_from(self) -> tuple[str, str]:
        """The sheet's name and its seed, as a table shows them."""
        if self.sheet is None:
            return "", ""
        header = self.sheet.made_from
        return (header.sheet, str(header.seed)) if header else ("l3", "")


def read_folder(folder: str, where: str) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """The rows of a folder, and the files that were passed over; `LabError` if it cannot be listed."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LabError(where, "not_a_folder", folder, reason=reason) from None
    rows, others = [], []
    for name in names:
        try:
            path = os.path.join(folder, name)
            special = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
            require(not special, name, "not_a_regular_file", name)  # a pipe would be waited for
            text = sheet_text(path, name)
            if not AN_ANSWER.search(text):
                others.append(name)
                continue
            rows.append(Row(name, checked(recognised(text, name))))
        except LabError as error:
            rows.append(Row(name, None, error))
    return tuple(rows), tuple(others)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder and --csv to a parser."""
    add_words(parser, ("DIR", KNOBS["DIR"]))
    knob(parser, "--csv", nonempty_text, KNOBS["--csv"], metavar="FILE")


class Params(Record):
    """The folder and its sheets, already read, and the file to write, if any."""

    folder: str
    rows: tuple[Row, ...]
    others: tuple[str, ...] = ()
    csv: str | None = None


def params(words: Sequence[str] = (), csv: str | None = None) -> Params:
    """Params from what was given; `LabError` without a folder, or if a sheet would be overwritten."""
    (path,) = words_of(words, "DIR")
    rows, others = read_folder(path, "DIR")
    if csv is not None:
        from labs.files.writing import is_same_file

        read = [os.path.join(path, name) for name in (*[row.file for row in rows], *others)]
        require(not any(is_same_file(csv, file) for file in read), "--csv", "is_an_input", csv)
    return Params(path, rows, others, csv)


class Result(Record):
    """The rows, and their sums."""

    params: Params

    @property
    def totals(self) -> tuple[int, int, int]:
        """Right, wrong and blank answers over all sheets."""
        marks = [row.marks for row in self.params.rows]
        right, wrong, blank = (sum(mark[i] for mark in marks) for i in range(3))
        return right, wrong, blank

    @property
    def unreadable(self) -> int:
        """How many sheets cannot be read."""
        return sum(row.error is not None for row in self.params.rows)

    @property
    def holds(self) -> bool:
        """Whether every sheet can be read and no answer is wrong."""
        return self.unreadable == 0 and self.totals[1] == 0


def run(params: Params) -> Result:
    """The sheets were judged as they were read."""
    return Result(params)


def note_of(row: Row, lang: str) -> str:
    """What is to be said of a row: its error, or that it has no header."""
    if row.error is not None:
        return error_line(row.error, lang).removeprefix("error: ")
    if row.sheet is not None and row.sheet.made_from is None:
        return texts(TEXTS, lang)["no_header"]
    return ""


def render(result: Result, lang: str) -> str:
    """A row a sheet, what is to be said of some, and the totals."""
    said, params = texts(TEXTS, lang), result.params
    rows: list[tuple[object, ...]] = [tuple(said["row_names"].split("|"))]
    for row in params.rows:
        states = [f"{v.problem} {v.state}" for v in row.sheet.verdicts] if row.sheet else ["-"]
        marks = row.marks if row.sheet else ("-", "-", "-")
        sheet, seed = row.made_from
        rows.append((path_text(row.file), sheet or "-", seed or "-", *marks, ", ".join(states)))
    text = (
        table(rows, indent=0)
        if params.rows
        else said["no_sheets"].format(folder=path_text(params.folder)) + "\n"
    )
    notes = [(path_text(row.file), note_of(row, lang)) for row in params.rows]
    for file, note in notes:
        if note:
            text += said["grade_note"].format(file=file, note=note) + "\n"
    if params.others:
        text += said["passed_over"].format(files=", ".join(map(path_text, params.others))) + "\n"
    right, wrong, blank = result.totals
    text += "\n" + said["next_hint"].format(command="python3 inference_lab.py answers new") + "\n"
    return (
        text
        + said["grade_total"].format(
            sheets=len(params.rows) - result.unreadable,
            unreadable=result.unreadable,
            right=right,
            wrong=wrong,
            blank=blank,
        )
        + "\n"
    )


def files(result: Result) -> dict[str, tuple[str, str]]:
    """The marks, where --csv asks for them."""
    if result.params.csv is None:
        return {}
    from answers.marks_csv import marks_csv

    return {"--csv": (result.params.csv, marks_csv(result))}


def document(result: Result) -> dict[str, Any]:
    """The rows as data; notes are in English."""
    rows = []
    for row in result.params.rows:
        sheet, seed = row.made_from
        right, wrong, blank = row.marks
        entry = {"file": row.file, "sheet": sheet or None, "seed": int(seed) if seed else None}
        counts = {"right": right, "wrong": wrong, "blank": blank}
        states = {v.problem: v.state for v in row.sheet.verdicts} if row.sheet else {}
        rows.append({**entry, **counts, "states": states, "note": note_of(row, "en") or None})
    right, wrong, blank = result.totals
    counts = {"right": right, "wrong": wrong, "blank": blank, "unreadable": result.unreadable}
    params = {"folder": result.params.folder, "csv": result.params.csv}
    return {"params": params, "result": {"sheets": rows, "passed_over": list(result.params.others), **counts}}
