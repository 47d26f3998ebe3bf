"""`answers show SHEET`: worked solutions of the problems that are right already.

Formula, substitution, units, and a check whether the result can be; figures come from the problem's own
inputs. With `--reveal` also of the problems that are not right: this alone prints keys.

Does not model: the learner's own way to the answer.
"""

from __future__ import annotations

import shlex

from answers.check import load_sheet, problems_of_sheet
from answers.hint import fields_of
from answers.message import part_of, path_text, question
from answers.problem import RIGHT, judge
from answers.sheet import Sheet
from answers.words import add_words, words_of
from labs.base import Record
from labs.options import flag
from labs.view.catalog.answers_new import KNOBS, TEXTS
from labs.view.languages import LANGUAGES, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from answers.problem import Number, Problem

PARTS = ("formula", "substitution", "units", "sanity")
MAX_PLACES = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sheet and --reveal to a parser."""
    add_words(parser, ("FILE", KNOBS["FILE"]))
    flag(parser, "--reveal", KNOBS["--reveal"])


class Params(Record):
    """A sheet that was read, and whether to solve what is not right."""

    sheet: Sheet
    reveal: bool = False


def params(words: Sequence[str] = (), reveal: bool = False) -> Params:
    """Params from what was given; `LabError` where the sheet is missing."""
    (file,) = words_of(words, "FILE")
    return Params(load_sheet(file), reveal)


class Solved(Record):
    """A problem, the state of its answer, and whether its solution is shown."""

    problem: Problem
    state: str
    is_shown: bool


class Result(Record):
    """All problems of the sheet."""

    params: Params
    problems: tuple[Solved, ...]

    @property
    def holds(self) -> bool:
        """A solution judges nothing."""
        return True


def run(params: Params) -> Result:
    """Judge every answer, and choose what to show."""
    solved = []
    for problem in problems_of_sheet(params.sheet):
        if params.sheet.made_from is None:  # L3's own problems carry no solutions: the checker needs none
            from answers.l3_worked import WORKED

            problem = problem.replace(worked=WORKED[problem.name])
        state = judge(problem, params.sheet.answer(problem.name)).state
        solved.append(Solved(problem, state, state == RIGHT or params.reveal))
    return Result(params, tuple(solved))


def solution(problem: Problem, lang: str) -> list[str]:
    """Formula, substitution, units and sanity check, filled in."""
    figures = {name: shown_figure(value) for name, value in problem.worked(problem.inputs).items()}
    fields = {**fields_of(problem), **figures, "answer": answer_text(problem)}
    text = texts(part_of(problem.sheet, "SOLUTIONS"), lang)[problem.name]
    return text.format(**fields).split("\n")


def answer_text(problem: Problem) -> str:
    """The key as one would write it in the sheet."""
    parts = [plain(part) for part in problem.key(problem.inputs)]
    if problem.shape == "yes":
        return "True"
    if problem.shape == "reading":  # as the question writes it: its sizes carry their units
        return str(problem.worked(problem.inputs)["reading"])
    return parts[0] if problem.shape in ("one", "choice") else f"[{', '.join(parts)}]"


def shown_figure(value: Any) -> object:
    """A figure of a solution; lists keep their form, so that a text may take one member."""
    if isinstance(value, (list, tuple)):
        return [shown_figure(member) for member in value]
    return value if isinstance(value, (int, str)) else plain(value)


def plain(number: Number) -> str:
    """A number as a decimal that ends, else as a quotient.

    >>> from fractions import Fraction
    >>> plain(4), plain(Fraction(15, 2)), plain(Fraction(1, 3))
    ('4', '7.5', '1/3')
    """
    for places in range(MAX_PLACES):
        scaled = number * 10**places
        if scaled.denominator == 1:
            sign, digits = "-" if scaled < 0 else "", str(abs(int(scaled))).rjust(places + 1, "0")
            return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
    return str(number)


def render(result: Result, lang: str) -> str:
    """A paragraph a problem; the totals stand last."""
    said = texts(TEXTS, lang)
    path = path_text(shlex.quote(result.params.sheet.path))
    lines: list[str] = []
    for solved in result.problems:
        problem = solved.problem
        if not solved.is_shown:
            lines += [said["not_yet"].format(problem=problem.name), ""]
            continue
        asked = question(problem.name, fields_of(problem), lang, problem.sheet, indent=4)
        lines += [said["solved"].format(problem=problem.name), "  " + said["asked"].format(question=asked)]
        for part, text in zip(PARTS, solution(problem, lang)):
            lines.append("  " + said[part].format(text=text))
        lines.append("")
    hidden = [solved.problem.name for solved in result.problems if not solved.is_shown]
    made_from = result.params.sheet.made_from
    another = (made_from.sheet, made_from.seed + 1) if made_from else ("l3", 1)
    command = f"answers hint {path} {hidden[0]}" if hidden else "answers new {} --seed {}".format(*another)
    lines.append(said["next_hint"].format(command=f"python3 inference_lab.py {command}"))
    lines.append(said["show_total"].format(shown=len(result.problems) - len(hidden), hidden=len(hidden)))
    return "\n".join(lines) + "\n"


def document(result: Result) -> dict[str, Any]:
    """The solutions as data, in both languages."""
    problems = []
    for solved in result.problems:
        entry: dict[str, Any] = {"problem": solved.problem.name, "state": solved.state}
        if solved.is_shown:
            entry["answer"] = answer_text(solved.problem)
            entry["solution"] = {lang: dict(zip(PARTS, solution(solved.problem, lang))) for lang in LANGUAGES}
        problems.append(entry)
    params = {"sheet": result.params.sheet.path, "reveal": result.params.reveal}
    return {"params": params, "result": {"problems": problems}}
