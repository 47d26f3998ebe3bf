"""The marks of a class as CSV: one line a sheet, states in columns p1 to pN, notes in English.

A cell that a spreadsheet would take for a formula gets an apostrophe before it: names of files come from
others.

Does not model: the totals, which stand in the text and in the document.
"""

from __future__ import annotations

import csv
from io import StringIO

from answers.grade import Result, note_of

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def marks_csv(result: Result) -> str:
    """The table as text with LF line ends."""
    rows = result.params.rows
    found = [{v.problem: v.state for v in row.sheet.verdicts} if row.sheet else {} for row in rows]
    names = max((list(states) for states in found), key=len, default=[])
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["file", "sheet", "seed", "right", "wrong", "blank", *names, "note"])
    for row, states in zip(rows, found):
        marks = row.marks if row.sheet else ("", "", "")
        cells = [row.file, *row.made_from, *marks, *[states.get(name, "") for name in names]]
        writer.writerow([safe(cell) for cell in (*cells, note_of(row, "en"))])
    return stream.getvalue().encode("utf-8", "backslashreplace").decode()


def safe(cell: object) -> object:
    """A cell that no spreadsheet computes.

    >>> safe("=1+1"), safe("anna.py"), safe(3)
    ("'=1+1", 'anna.py', 3)
    """
    return "'" + cell if isinstance(cell, str) and cell.startswith(FORMULA_SIGNS) else cell
