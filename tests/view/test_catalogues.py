"""Every text stands in both languages with the same fields, and every rule that is raised has a text."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path
from string import Formatter

import pytest

import labs.view.catalog
from labs.view.errors import RULES

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


SOURCES = [
    path
    for path in [*ROOT.glob("labs/**/*.py"), *ROOT.glob("answers/**/*.py"), ROOT / "inference_lab.py"]
    if path.parent.name != "catalog" and path.name != "l3.py"  # the sheet is a learner's
]


def constants() -> set[str]:
    """Every string that stands in the sources, outside the catalogues themselves."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def raised_rules() -> set[str]:
    """Every rule that stands where one is raised: by its place in a call, or by its name."""
    places = {"LabError": 1, "require": 2, "refuse": 0, "error": 0, "refusal": 0}
    found = {text for text in constants() if text.startswith("config_")} - {"config_"}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            argument = node.args[places[name]] if len(node.args) > places.get(name, 99) else None
            if isinstance(argument, ast.Constant) and not str(argument.value).startswith("--"):
                found.add(str(argument.value))
    return found


def test_every_rule_that_is_raised_has_a_text() -> None:
    rules = raised_rules()
    assert len(rules) > 60
    assert rules - set(RULES) == set()


@pytest.mark.parametrize("name", [name for name, _ in CATALOGUES])
def test_no_text_is_idle(name: str) -> None:
    """Each key stands in the sources whole, or put together from two parts that stand there."""
    used = constants()
    beginnings = tuple(text for text in used if len(text) > 3 and text.endswith("_"))
    idle = [
        key
        for key in dict(CATALOGUES)[name]
        if key not in used and not key.startswith(beginnings) and key.partition("_")[2] not in used
    ]
    assert idle == []
