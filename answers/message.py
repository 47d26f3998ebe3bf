"""What a learner reads about one answer, made from a verdict alone.

A verdict holds the question's inputs, the learner's own text, and which mistake was recognised, but no
key; so nothing here can print one.

Does not model: hints in steps, worked solutions.
"""

from __future__ import annotations

from answers.problem import BLANK, MALFORMED, RIGHT, UNITS, Verdict
from labs.view.catalog.answers import FLAWS, HINTS, NOTES, QUESTIONS, TEXTS
from labs.view.catalog.answers_diagnoses import DIAGNOSES
from labs.view.errors import shown
from labs.view.languages import texts

MAX_SHOWN = 200


def message(verdict: Verdict, path: str, lang: str, command: str) -> str:
    """The lines about one answer, without a newline at the end; `command` is what checks it again."""
    said = texts(TEXTS, lang)
    place = place_of(verdict, path)
    if verdict.state == BLANK:
        return said["blank" if verdict.given else "missing"].format(problem=verdict.problem, place=place)
    if verdict.state == RIGHT:
        return said["right"].format(problem=verdict.problem, note=texts(NOTES, lang)[verdict.problem])
    assert verdict.given is not None  # only an answer that is there can be wrong
    return said[verdict.state].format(
        problem=verdict.problem,
        question=question(verdict.problem, verdict.fields, lang),
        given=shown(verdict.given.text, MAX_SHOWN),
        check=what_to_check(verdict, lang),
        place=place,
        command=command,
    )


def question(problem: str, fields: dict[str, object], lang: str) -> str:
    """A problem's question with its inputs filled in."""
    return texts(QUESTIONS, lang)[problem].format(**fields)


def what_to_check(verdict: Verdict, lang: str) -> str:
    """The hint for a wrong answer: its form, else the mistake recognised, else the general one."""
    if verdict.state == MALFORMED and verdict.reason is not None:
        units = ", ".join(UNITS[verdict.unit])
        return texts(FLAWS, lang)[verdict.reason].format(unit=verdict.unit, units=units)
    if verdict.mistake is not None:
        return texts(DIAGNOSES, lang)[f"{verdict.problem}_{verdict.mistake}"].format(**verdict.fields)
    return texts(HINTS, lang)[verdict.problem]


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
