"""Imports: the standard library and this project only, and down the floors only.

Floors, from the top: entry; labs and answers; engine and model; files and view helpers; base. Turned red
by a third-party import, an engine that knows a language, a view that calls an engine, a lab that leans on
another. `test_the_check_sees` feeds the check such files.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import inference_lab

ROOT = Path(inference_lab.__file__).resolve().parent
FLOORS = {
    "inference_lab": 5,
    "answers": 4,
    "labs.bugs": 3,
    "labs.engine": 3,
    "labs.model": 3,
    "labs.predict": 3,
    "labs.sizing": 3,
    "labs.replay": 3,
    "labs.files": 2,
    "labs.view": 2,
    "labs.options": 2,
    "labs.parser": 2,
    "labs.command_line": 5,  # the entry's own: it finds the faces by name
    "labs.parsed_line": 5,
    "labs.base": 1,
}
FACES = ("attention", "prefix", "schedule", "capacity")
OURS = ("inference_lab", "labs", "answers")
# engine and model do no I/O, read no clock and no environment, know no language
IMPURE = {"os", "sys", "io", "time", "datetime", "secrets", "locale", "gettext", "pathlib"}
IMPURE |= {"socket", "subprocess", "threading", "tempfile", "logging", "platform"}
IMPURE_CALLS = {"open", "print", "input"}


def floor(module: str) -> int:
    """The floor of one of our modules."""
    if module == "labs":
        return 1  # the list of the labs
    for prefix, number in FLOORS.items():
        if module == prefix or module.startswith(prefix + "."):
            return number
    return 4  # the faces


def room(module: str) -> str:
    """The room of a module; faces are rooms of their own."""
    return ".".join(module.split(".")[:2]) if module.startswith("labs.") else module.split(".")[0]


def at_run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those under `if TYPE_CHECKING:`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for other in node.orelse:
                yield other
                yield from at_run_time(other)
            continue
        yield node
        yield from at_run_time(node)


def imports(source: str) -> Iterator[str]:
    """Full names of the modules that a file imports when it runs; relative imports are errors."""
    for node in at_run_time(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield node.module or ""
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in names if is_module(name))


def is_module(name: str) -> bool:
    """Whether a name is a module or a package of ours, and not something in one."""
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def unseeded(source: str) -> Iterator[str]:
    """What a file takes from `random`, apart from generators of its own made from a seed."""
    nodes = list(ast.walk(ast.parse(source)))
    aliases = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "random":
            yield from (alias.name for alias in node.names if alias.name != "Random")
        if isinstance(node, ast.Attribute) and "random" in aliases and ast.unparse(node.value) == "random":
            yield from {node.attr} - {"Random"}
        if isinstance(node, ast.Call) and not node.args and ast.unparse(node.func).endswith("Random"):
            yield "Random() without a seed"


def problems(module: str, source: str) -> list[str]:
    """What a file imports or calls that its floor may not."""
    found = []
    for name in imports(source):
        top = name.split(".")[0]
        if top not in OURS:
            if top not in sys.stdlib_module_names:
                found.append(f"{module} imports {name}, which is not in the standard library")
            if floor(module) == 3 and top in IMPURE:
                found.append(f"{module} imports {name}: engine and model are pure")
        elif floor(name) > floor(module):
            found.append(f"{module} imports {name}, which is a floor above")
        elif floor(name) == floor(module) == 4 and room(name) != room(module) and "answers" not in module:
            found.append(f"{module} imports {name}: no lab leans on another")
        if floor(module) == 3 and name.startswith(("labs.view.languages", "labs.view.catalog")):
            found.append(f"{module} imports {name}: engine and model know no language")
    found += [f"{module} calls random.{name}" for name in unseeded(source)]
    if floor(module) == 3:
        calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        names = {func.id for func in calls if isinstance(func, ast.Name)}
        found += [f"{module} calls {name}()" for name in sorted(names & IMPURE_CALLS)]
    return found


# the pytest face of the answers may import pytest
FILES = [
    ROOT / "inference_lab.py",
    *sorted((ROOT / "labs").rglob("*.py")),
    *(
        path
        for path in sorted((ROOT / "answers").rglob("*.py"))
        if not path.name.startswith(("test_", "conftest", "l3.py"))  # pytest's face; a learner's sheet
    ),
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports(path: Path) -> None:
    """Each file of the project."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    assert problems(module, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("labs.prefix", "import numpy"),
        ("labs.prefix", "def f():\n    from yaml import load"),
        ("labs.prefix", "from labs.schedule import run"),
        ("labs.prefix", "from labs import schedule"),
        ("labs.prefix", "import inference_lab"),
        ("labs.engine.blocks", "from labs.view.languages import texts"),
        ("labs.engine.blocks", "from labs.view import catalog"),
        ("labs.engine.blocks", "from labs.view.catalog import prefix"),
        ("labs.engine.blocks", "import time"),
        ("labs.engine.blocks", "import random\nx = random.random()"),
        ("labs.engine.blocks", "from random import shuffle"),
        ("labs.engine.blocks", "from random import Random\nx = Random()"),
        ("labs.engine.blocks", "from labs.prefix import run"),
        ("labs.engine.blocks", "def f(path):\n    return open(path)"),
        ("labs.view.units", "from labs.engine.blocks import slot"),
        ("labs.files.text", "from labs.model.kv import kv_bytes_per_token"),
        ("labs.base", "from labs.view.units import fixed"),
    ],
)
def test_the_check_sees(module: str, source: str) -> None:
    """A file that breaks a rule is found out."""
    assert problems(module, source) != []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("labs.prefix", "from hashlib import sha256\nfrom labs.engine.blocks import slot"),
        (
            "labs.engine.blocks",
            "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from typing_extensions import Self",
        ),
        ("labs.engine.blocks", "import random\nx = random.Random(7)"),
        ("answers.key", "from labs.capacity import run"),
        ("labs.view.errors", "from labs.base import LabError"),
    ],
)
def test_the_check_lets_pass(module: str, source: str) -> None:
    """A file that keeps the rules is not."""
    assert problems(module, source) == []


def test_top_level_is_as_agreed() -> None:
    """Nothing stands beside the six, but dot files and what tools leave."""
    left_by_tools = ("__pycache__", "build")
    visible = {
        path.name
        for path in ROOT.iterdir()
        if not path.name.startswith(".") and path.name not in left_by_tools and path.suffix != ".egg-info"
    }
    assert visible <= {"inference_lab.py", "labs", "answers", "tests", "pyproject.toml", "README.md"}
