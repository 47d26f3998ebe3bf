"""`answers hint SHEET PROBLEM`: a problem's hints, one step at a time.

A hint is filled in with the question's inputs alone; no key is computed here.

Does not model: which hints a learner has seen; the next command names the next step.
"""

from __future__ import annotations

import shlex

from answers.check import check_command, load_sheet, problems_of_sheet
from answers.message import part_of, path_text, question
from answers.sheet import Sheet
from answers.words import add_words, words_of
from labs.base import LabError, Record, check_bounds, require
from labs.options import knob, whole
from labs.view.catalog.answers_new import KNOBS, TEXTS
from labs.view.languages import LANGUAGES, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from answers.problem import Problem

MAX_STEP = 99


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sheet, the problem and the step to a parser."""
    add_words(parser, ("FILE", KNOBS["FILE"]), ("PROBLEM", KNOBS["PROBLEM"]))
    knob(parser, "--step", whole(1, MAX_STEP), KNOBS["--step"], metavar="N")


class Params(Record):
    """A sheet that was read, one of its problems, and the hint's number from 1."""

    sheet: Sheet
    problem: str
    step: int = 1

    def check(self) -> None:
        names = [problem.name for problem in problems_of_sheet(self.sheet)]
        require(self.problem in names, "PROBLEM", "unknown_problem", self.problem, choices=", ".join(names))
        check_bounds(self.step, "--step", 1, len(steps_of(chosen(self), LANGUAGES[0])))


def params(words: Sequence[str] = (), **given: Any) -> Params:
    """Params from what was given; `LabError` where the sheet or the problem is missing."""
    if len(words) == 1:  # say which problems there are
        sheet = load_sheet(words[0])
        names = ", ".join([problem.name for problem in problems_of_sheet(sheet)])
        raise LabError("PROBLEM", "not_one_of", "nothing", choices=names)
    file, problem = words_of(words, "FILE", "PROBLEM")
    return Params(load_sheet(file), problem, **given)


def chosen(params: Params) -> Problem:
    """The problem asked about."""
    return next(problem for problem in problems_of_sheet(params.sheet) if problem.name == params.problem)


def fields_of(problem: Problem) -> dict[str, object]:
    """What a problem's texts are filled in with: its inputs, tuples as lists."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in problem.inputs.as_dict().items()}


def steps_of(problem: Problem, lang: str) -> list[str]:
    """The hints of a problem, in their order."""
    steps = texts(part_of(problem.sheet, "STEPS"), lang)[problem.name]
    return [step.format(**fields_of(problem)) for step in steps.split("\n")]


class Result(Record):
    """The problem that is hinted at."""

    params: Params
    problem: Problem

    @property
    def holds(self) -> bool:
        """A hint judges nothing."""
        return True


def run(params: Params) -> Result:
    """Find the problem."""
    return Result(params, chosen(params))


def render(result: Result, lang: str) -> str:
    """The question, one hint, and the command for the next."""
    said, params, problem = texts(TEXTS, lang), result.params, result.problem
    steps = steps_of(problem, lang)
    asked = question(problem.name, fields_of(problem), lang, problem.sheet, indent=2)
    lines = [
        said["hint"].format(problem=problem.name, step=params.step, steps=len(steps)),
        said["asked"].format(question=asked),
        said["think"].format(hint=steps[params.step - 1]),
        said["next_hint"].format(command=next_command(params, len(steps))),
    ]
    return "\n".join(lines) + "\n"


def next_command(params: Params, num_steps: int) -> str:
    """What brings the next hint; after the last one, what checks the sheet."""
    if params.step == num_steps:
        return check_command(params.sheet.path, params.sheet.made_from)
    path = path_text(shlex.quote(params.sheet.path))
    return f"python3 inference_lab.py answers hint {path} {params.problem} --step {params.step + 1}"


def document(result: Result) -> dict[str, Any]:
    """The hint as data, in both languages."""
    params = result.params
    hints = {lang: steps_of(result.problem, lang) for lang in LANGUAGES}
    return {
        "params": {"sheet": params.sheet.path, "problem": params.problem, "step": params.step},
        "result": {
            "steps": len(hints[LANGUAGES[0]]),
            "hint": {lang: steps[params.step - 1] for lang, steps in hints.items()},
        },
    }
