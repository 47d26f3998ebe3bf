"""`answers new SHEET`: a sheet to fill in, made from a seed and printed.

    numbers = f(sheet, seed)      seed 0, the default, has the course's own numbers

The same seed prints the same bytes on every machine. The first line says what the sheet was made from;
`answers` reads it to make the problems again. Without a sheet named, the sheets are listed.

Does not model: a seed that nobody can guess; who knows it can make the sheet too.
"""

from __future__ import annotations

from answers.header import MAX_SEED, Header, header_line
from answers.message import part_of, question
from answers.problem import UNITS
from answers.report import template
from answers.sheets import SHEETS, problems_of
from answers.words import add_words, words_of
from labs.base import Record, check_bounds, require
from labs.options import knob, whole
from labs.view.catalog.answers_new import KNOBS, TEXTS
from labs.view.languages import LANGUAGES, texts
from labs.view.tables import paragraph, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from answers.problem import Problem

COURSE_SEED = 0
REPORT = "report"
CHOICES = (*SHEETS, REPORT)
WIDTH = 104


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sheet's name and the seed to a parser."""
    add_words(parser, ("SHEET", KNOBS["SHEET"]))
    knob(parser, "--seed", whole(0, MAX_SEED), KNOBS["--seed"], metavar="N")


class Params(Record):
    """Which sheet, None for a list of them, and its seed, None for the course's numbers."""

    sheet: str | None = None
    seed: int | None = None

    def check(self) -> None:
        if self.seed is not None:
            check_bounds(self.seed, "--seed", 0, MAX_SEED)
            require(self.sheet is not None, "--seed", "needs_option", self.seed, other="SHEET")
            require(self.sheet != REPORT, "--seed", "not_with", self.seed, other=REPORT)


def params(words: Sequence[str] = (), seed: int | None = None) -> Params:
    """Params from what was given; `LabError` if there is no such sheet."""
    (sheet,) = words_of(words, "SHEET") if words else (None,)
    require(sheet is None or sheet in CHOICES, "SHEET", "unknown_sheet", sheet, choices=", ".join(CHOICES))
    return Params(sheet, seed)


class Result(Record):
    """The problems of the sheet asked for; none where the sheets are listed."""

    params: Params
    problems: tuple[Problem, ...]

    @property
    def holds(self) -> bool:
        """Nothing is claimed here that could fail."""
        return True


def run(params: Params) -> Result:
    """Make the problems."""
    if params.sheet is None or params.sheet == REPORT:
        return Result(params, ())
    return Result(params, problems_of(params.sheet, params.seed or COURSE_SEED))


def render(result: Result, lang: str) -> str:
    """The sheet as a file holds it, or the list of sheets."""
    if result.params.sheet is None:
        return listed(lang)
    if result.params.sheet == REPORT:
        return template(lang)
    said = texts(TEXTS, lang)
    sheet = result.params.sheet
    header = header_line(Header(sheet, result.params.seed or COURSE_SEED, lang))
    file = f"my_{sheet}.py"
    intro = [title_of(sheet, lang), said["keep_header"], "", said["fill_in"]]
    command = f"    python3 inference_lab.py answers {file}"
    bare = not any(UNITS[problem.unit] for problem in result.problems)
    how = said["how"].format(units=said["how_bare" if bare else "how_units"])
    lines = [header, *commented(intro), *commented(["", command, "", how])]
    for problem in result.problems:
        lines += ["", *commented([asked(problem, lang)]), f"{problem.name} = ..."]
    return "\n".join(lines) + "\n"


def asked(problem: Problem, lang: str) -> str:
    """The question of a problem."""
    fields = {name: list(v) if isinstance(v, tuple) else v for name, v in problem.inputs.as_dict().items()}
    return question(problem.name, fields, lang, problem.sheet)


def commented(parts: list[str]) -> list[str]:
    """Texts as lines of comment.

    >>> commented(["one", "", "    two"])
    ['# one', '#', '#     two']
    """
    lines = [line for part in parts for line in paragraph(part, WIDTH).split("\n")]
    return [f"# {line}".rstrip() for line in lines]


def title_of(sheet: str, lang: str) -> str:
    """What a sheet is about."""
    return texts(part_of(sheet, "TITLE"), lang)["title"]


def listed(lang: str) -> str:
    """The sheets there are, and a command to try."""
    said = texts(TEXTS, lang)
    rows = [*((sheet, title_of(sheet, lang)) for sheet in SHEETS), (REPORT, said["report"])]
    return said["list"] + "\n\n" + table(rows) + "\n" + said["try"] + "\n"


def document(result: Result) -> dict[str, Any]:
    """The sheet as data, in both languages."""
    params = {"sheet": result.params.sheet, "seed": result.params.seed or COURSE_SEED}
    if result.params.sheet is None:
        sheets = [
            {"sheet": sheet, "title": {lang: title_of(sheet, lang) for lang in LANGUAGES}} for sheet in SHEETS
        ]
        return {"params": params, "result": {"sheets": sheets}}
    if result.params.sheet == REPORT:
        return {"params": params, "result": {"report": {lang: template(lang) for lang in LANGUAGES}}}
    problems = [
        {
            "problem": problem.name,
            "unit": problem.unit,
            "shape": problem.shape,
            "question": {lang: asked(problem, lang) for lang in LANGUAGES},
        }
        for problem in result.problems
    ]
    return {"params": params, "result": {"problems": problems}}
