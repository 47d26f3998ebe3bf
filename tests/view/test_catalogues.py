"""Every text stands in both languages with the same fields, and every rule that is raised has a text."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path
from string import Formatter

import pytest

import labs.view.catalog
from labs.view.catalog.errors import RULES

ROOT = Path(__file__).parents[2]
CATALOGUES = [
    (f"{module.name}.{name}", catalogue)
    for module in pkgutil.iter_modules(labs.view.catalog.__path__)
    for name, catalogue in vars(importlib.import_module(f"labs.view.catalog.{module.name}")).items()
    if isinstance(catalogue, dict) and not name.startswith("_")
]
PAIRS = [
    pytest.param(pair, id=f"{name}:{key}")
    for name, catalogue in CATALOGUES
    for key, pair in catalogue.items()
]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_there_is_a_catalogue_for_each_lab() -> None:
    names = {name.partition(".")[0] for name, _ in CATALOGUES}
    assert {"attention", "prefix", "schedule", "capacity", "answers", "entry", "errors"} <= names


@pytest.mark.parametrize("pair", PAIRS)
def test_both_languages_with_the_same_fields(pair: tuple[str, str]) -> None:
    english, chinese = pair
    assert english.isascii()
    assert bool(english.strip()) == bool(chinese.strip())
    assert fields(english) == fields(chinese)
    assert english.count("|") == chinese.count("|"), "columns of a table"


def raised_rules() -> set[str]:
    """The rule of every LabError(...) and require(...) in the sources: second or third argument."""
    found = set()
    for path in [*ROOT.glob("labs/**/*.py"), *ROOT.glob("answers/*.py"), ROOT / "inference_lab.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                place = {"LabError": 1, "require": 2}.get(node.func.id)
                if place is not None and len(node.args) > place:
                    argument = node.args[place]
                    if isinstance(argument, ast.Constant):
                        found.add(str(argument.value))
    return found


def test_every_rule_that_is_raised_has_a_text() -> None:
    rules = raised_rules()
    assert len(rules) > 20
    assert rules <= set(RULES)
