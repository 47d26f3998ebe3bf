"""What `answers` says of a report: a line for each of its seven sections.

Does not model: marks; a section that says something is written, whatever it says.
"""

from __future__ import annotations

from answers.message import path_text
from answers.report import empty_sections, open_items, read_report
from labs.base import Record
from labs.view.catalog.answers_report import SECTIONS, TEXTS
from labs.view.languages import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Report(Record):
    """A report that was read: its path, the names of its empty sections, and the open boxes."""

    path: str
    empty: tuple[str, ...]
    open_items: int


def load_report(path: str) -> Report:
    """The report in a file; `LabError` if it is none."""
    text = read_report(path)
    return Report(path, empty_sections(text), open_items(text))


def report_lines(report: Report, lang: str) -> list[str]:
    """A line a section, and the sum."""
    said = texts(TEXTS, lang)
    lines = [said["report"].format(path=path_text(report.path))]
    for number, (name, title) in enumerate(texts(SECTIONS, lang).items(), 1):
        state = "empty" if name in report.empty else "written"
        lines.append(said[state].format(number=number, title=title))
    if report.open_items:
        lines.append(said["boxes"].format(number=report.open_items))
    empty = len(report.empty)
    lines += [said["unjudged"], said["report_total"].format(written=len(SECTIONS) - empty, empty=empty)]
    return lines


def report_document(report: Report) -> dict[str, Any]:
    """The sections as data."""
    sections = [
        {"number": number, "section": name, "empty": name in report.empty}
        for number, name in enumerate(SECTIONS, 1)
    ]
    return {"report": report.path, "sections": sections, "open_items": report.open_items}
