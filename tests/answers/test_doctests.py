"""The examples in this room's docstrings; pytest's own search is kept out of the folder of sheets."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

import answers.check
import answers.l3_keys
import answers.l3_problems
import answers.message
import answers.problem
import answers.sheet

MODULES = (
    answers.check,
    answers.l3_keys,
    answers.l3_problems,
    answers.message,
    answers.problem,
    answers.sheet,
)


@pytest.mark.parametrize("module", MODULES, ids=[module.__name__ for module in MODULES])
def test_examples(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
