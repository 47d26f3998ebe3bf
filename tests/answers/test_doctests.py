"""The examples in this room's docstrings; pytest's own search is kept out of the folder of sheets."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

import answers.check
import answers.draw
import answers.grade
import answers.header
import answers.hint
import answers.l3_keys
import answers.l3_problems
import answers.l3_worked
import answers.marks_csv
import answers.message
import answers.new
import answers.problem
import answers.report
import answers.report_check
import answers.sheet
import answers.sheets
import answers.sheets.bugs
import answers.sheets.bugs_cases
import answers.sheets.kinds
import answers.sheets.l3_sheet
import answers.sheets.metrics
import answers.sheets.module5
import answers.sheets.reuse
import answers.sheets.schedule
import answers.sheets.setup
import answers.sheets.warmup
import answers.show
import answers.words

MODULES = (
    answers.check,
    answers.draw,
    answers.grade,
    answers.header,
    answers.hint,
    answers.l3_keys,
    answers.l3_problems,
    answers.l3_worked,
    answers.marks_csv,
    answers.new,
    answers.message,
    answers.problem,
    answers.sheet,
    answers.sheets,
    answers.sheets.bugs,
    answers.sheets.bugs_cases,
    answers.sheets.l3_sheet,
    answers.show,
    answers.report,
    answers.report_check,
    answers.sheets.kinds,
    answers.sheets.metrics,
    answers.sheets.module5,
    answers.sheets.reuse,
    answers.sheets.schedule,
    answers.sheets.setup,
    answers.sheets.warmup,
    answers.words,
)


@pytest.mark.parametrize("module", MODULES, ids=[module.__name__ for module in MODULES])
def test_examples(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
