"""What a learner reads about one answer, made from a verdict alone.

A verdict holds the question's inputs, the learner's own text, and which mistake was recognised, but no
key; so nothing here can print one.

Does not model: hints in steps (`answers.hint`), worked solutions (`answers.show`).
"""

from __future__ import annotations

import sys

from answers.problem import BLANK, MALFORMED, RIGHT, UNITS, Verdict
from labs.view.catalog.answers import FLAWS, HINTS, NOTES, QUESTIONS, TEXTS
from labs.view.catalog.answers_diagnoses import DIAGNOSES
from labs.view.errors import shown
from labs.view.languages import texts

MAX_SHOWN = 200
L3_PARTS = {"QUESTIONS": QUESTIONS, "HINTS": HINTS, "NOTES": NOTES, "DIAGNOSES": DIAGNOSES}


def part_of(sheet: str, part: str) -> dict[str, tuple[str, str]]:
    """One catalogue of a sheet: L3's stand in the checker's own, each other sheet has a module."""
    if sheet == "l3" and part in L3_PARTS:
        return L3_PARTS[part]
    module = f"labs.view.catalog.answers_{sheet}"
    __import__(module)
    if part == "HINTS" and sheet != "l3":  # the last step says most
        steps: dict[str, tuple[str, str]] = sys.modules[module].STEPS
        return {name: (pair[0].split("\n")[-1], pair[1].split("\n")[-1]) for name, pair in steps.items()}
    catalogue: dict[str, tuple[str, str]] = getattr(sys.modules[module], part)
    return catalogue


def message(verdict: Verdict, path: str, lang: str, command: str) -> str:
    """The lines about one answer, without a newline at the end; `command` is what checks it again."""
    said = texts(TEXTS, lang)
    place = place_of(verdict, path)
    if verdict.state == BLANK:
        return said["blank" if verdict.given else "missing"].format(problem=verdict.problem, place=place)
    if verdict.state == RIGHT:
        note = texts(part_of(verdict.sheet, "NOTES"), lang)[verdict.problem]
        return said["right"].format(problem=verdict.problem, note=note)
    assert verdict.given is not None  # only an answer that is there can be wrong
    return said[verdict.state].format(
        problem=verdict.problem,
        question=question(verdict.problem, verdict.fields, lang, verdict.sheet, indent=2),
        given=shown(verdict.given.text, MAX_SHOWN),
        check=what_to_check(verdict, lang),
        place=place,
        command=command,
    )


def question(problem: str, fields: dict[str, object], lang: str, sheet: str = "l3", indent: int = 0) -> str:
    """A problem's question with its inputs filled in; options stand on lines of their own, in `order`.

    Every line but the first begins with so many blanks more.
    """
    asked, *options = texts(part_of(sheet, "QUESTIONS"), lang)[problem].format(**fields).split(" | ")
    order = fields.get("order")
    if isinstance(order, list):
        options = [f"{number}) {options[index]}" for number, index in enumerate(order, 1)]
    return "\n".join([asked, *options]).replace("\n", "\n" + " " * indent)


def what_to_check(verdict: Verdict, lang: str) -> str:
    """The hint for a wrong answer: its form, else the mistake recognised, else the general one."""
    if verdict.state == MALFORMED and verdict.reason is not None:
        units = ", ".join(UNITS[verdict.unit])
        return texts(FLAWS, lang)[verdict.reason].format(unit=verdict.unit, units=units)
    if verdict.mistake is not None:
        found = texts(part_of(verdict.sheet, "DIAGNOSES"), lang)[f"{verdict.problem}_{verdict.mistake}"]
        return found.format(**verdict.fields)
    return texts(part_of(verdict.sheet, "HINTS"), lang)[verdict.problem].format(**verdict.fields)


def place_of(verdict: Verdict, path: str) -> str:
    """The file and line to edit; only the file where the line is missing.

    >>> place_of(Verdict("p4", BLANK, None, {}, "tokens"), "my.py")
    'my.py'
    """
    return f"{path_text(path)}:{verdict.given.line}" if verdict.given else path_text(path)


def path_text(path: str) -> str:
    """A path on one line, whatever characters it holds.

    >>> path_text("my\\nsheet.py")
    'my\\\\nsheet.py'
    """
    return shown(path, MAX_SHOWN)
