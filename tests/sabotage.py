"""Putting a mistake into one function, and asking whether a test notices."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Mistake(NamedTuple):
    """A stanza of mistakes.txt."""

    name: str
    function: str  # with its module, under the labs' room
    right: str
    wrong: str
    test: str  # with its module, under the tests' room


def mistakes(beside: str, name: str = "mistakes.txt") -> list[Mistake]:
    """All of the mistakes.txt, or of another file of that form, in a test file's folder."""
    text = Path(beside).with_name(name).read_text(encoding="utf-8").strip("\n")
    stanzas = [stanza.splitlines() for stanza in text.split("\n\n") if not stanza.startswith(("#", "=="))]
    made = []
    for mistake, function, *pieces, test in stanzas:
        right, wrong = ("\n".join(line[2:] for line in pieces if line[0] == sign) for sign in "-+")
        made.append(Mistake(mistake, function, right, wrong, test))
    return made


Test = Callable[..., None]


def suite(
    beside: str, package: str, tests: str, more_than: int, files: Sequence[str] = ("mistakes.txt",)
) -> tuple[Test, Test, Test]:
    """Three tests for a test file: there are so many mistakes, what is right is green, what is wrong is red.

    `package` and `tests` stand before the names in the files.
    """
    made = [mistake for name in files for mistake in mistakes(beside, name)]

    def test_there_are_mistakes_to_make() -> None:
        assert len(made) > more_than
        assert len({(mistake.function, mistake.name) for mistake in made}) == len(made)
        assert all(mistake.right != mistake.wrong for mistake in made)

    @pytest.mark.parametrize("name", sorted({mistake.test for mistake in made}))
    def test_what_is_not_broken_is_green(name: str) -> None:
        """Or else every mistake would be noticed."""
        assert not turns_red(found(tests, name))

    @pytest.mark.parametrize("mistake", [pytest.param(m, id=f"{m.function}-{m.name}") for m in made])
    def test_a_broken_rule_is_noticed(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
        make(mistake, package, monkeypatch)
        assert turns_red(found(tests, mistake.test))

    return test_there_are_mistakes_to_make, test_what_is_not_broken_is_green, test_a_broken_rule_is_noticed


def found(package: str, path: str) -> Any:
    """The object of a dotted path: modules, then what they hold."""
    value: Any = import_module(package)
    for name in path.split("."):
        if inspect.ismodule(value) and not hasattr(value, name):
            import_module(f"{value.__name__}.{name}")
        value = getattr(value, name)
    return value


def make(mistake: Mistake, room: str, patch: pytest.MonkeyPatch) -> None:
    """Make the mistake in a room of the labs for as long as the patch lasts.

    The function stays the same object, so that everybody who has imported it runs the other code.
    """
    function = plain(found(room, mistake.function))
    source = inspect.getsource(function)
    assert source.count(mistake.right) == 1, f"say anew how to break {mistake.function}:\n{source}"
    broken = textwrap.dedent(source.replace(mistake.right, mistake.wrong))
    made: dict[str, Any] = {}
    exec("from __future__ import annotations\n" + broken, function.__globals__, made)
    patch.setattr(function, "__code__", plain(made[function.__name__]).__code__)


def plain(function: Any) -> Any:
    """The function of a property, or the function."""
    return function.fget if isinstance(function, property) else function


def turns_red(test: Callable[..., None]) -> bool:
    """Whether a test fails for any of its parameters, be it only that nothing was refused."""
    for arguments in parameters(test):
        try:
            test(**arguments)
        except (Exception, pytest.fail.Exception):
            return True
    return False


def parameters(test: Callable[..., None]) -> Iterator[dict[str, Any]]:
    """What pytest would call a test with: every combination of its parameter sets."""
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    choices = [[_named(mark.args[0], values) for values in mark.args[1]] for mark in marks]
    for combination in product(*choices):
        yield {name: value for named in combination for name, value in named.items()}


def _named(names: str | tuple[str, ...], values: Any) -> dict[str, Any]:
    """One parameter set: `pytest.param(...)`, a tuple, or the only value."""
    if hasattr(values, "marks"):
        values = values.values
        return dict(zip([names] if isinstance(names, str) else names, values, strict=True))
    return {names: values} if isinstance(names, str) else dict(zip(names, values, strict=True))
