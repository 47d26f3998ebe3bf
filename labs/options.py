"""Adding knobs to a parser, and reading their values strictly.

A reader takes (text, option name) and returns the value or raises `LabError` naming the option. Knobs
that were not given stay out of the namespace, so the defaults of `Params` are the documented case.
"""

from __future__ import annotations

from labs.base import LabError, check_bounds, require
from labs.files.numbers import read_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    Reader = Callable[[str, str], Any]


class RefusedError(Exception):
    """Carries a `LabError` through argparse, which would swallow a ValueError."""

    def __init__(self, error: LabError) -> None:
        super().__init__(str(error))
        self.error = error


def knob(
    parser: argparse._ActionsContainer,
    name: str,
    read: Reader,
    help: tuple[str, str],
    metavar: str | None = None,
    action: str = "store",
) -> None:
    """Add an option whose text goes through a reader; `help` is (English, Chinese)."""
    parser.add_argument(
        name,
        action=action,
        type=reader(read, name),
        metavar=metavar or name.lstrip("-").upper().replace("-", "_"),
        default=_suppress(),
        help=help,  # type: ignore[arg-type]  # the entry's parser class picks the language
    )


def flag(
    parser: argparse._ActionsContainer, name: str, help: tuple[str, str], dest: str | None = None
) -> None:
    """Add an option that is either there or not; `help` is (English, Chinese)."""
    settings = {} if dest is None else {"dest": dest}
    parser.add_argument(
        name,
        action="store_true",
        default=_suppress(),
        help=help,  # type: ignore[arg-type]
        **settings,  # type: ignore[arg-type]
    )


def switch(parser: argparse._ActionsContainer, name: str, help: tuple[str, str]) -> None:
    """Add a pair of options, `--name` and `--no-name`; `help` is (English, Chinese)."""
    opposite = (f"switches {name} off", f"关闭 {name}")
    for option, value, text in ((name, "store_true", help), (f"--no-{name[2:]}", "store_false", opposite)):
        parser.add_argument(
            option,
            action=value,
            dest=name[2:].replace("-", "_"),
            default=_suppress(),
            help=text,  # type: ignore[arg-type]
        )


def fraction(text: str, where: str) -> float:
    """A decimal fraction from 0 to below 1."""
    number = text.strip()
    plain = number.isascii() and number.replace(".", "", 1).isdigit()
    require(plain and len(number) <= 20 and float(number) < 1, where, "not_a_fraction", text)
    return float(number)


def _suppress() -> str:
    import argparse

    return argparse.SUPPRESS


def reader(read: Reader, name: str) -> Callable[[str], Any]:
    """The reader as argparse wants it: one argument, and no ValueError to be reworded."""

    def convert(text: str) -> Any:
        try:
            return read(text, name)
        except LabError as error:
            raise RefusedError(error) from None

    return convert


def text_value(text: str, where: str) -> str:
    """Any text that can be encoded, as it is."""
    require(text.isprintable(), where, "not_printable", text)
    return text


def whole(least: int, most: int | None = None) -> Reader:
    """A reader of whole numbers within bounds."""

    def read(text: str, where: str) -> int:
        number = read_whole(text, where)
        check_bounds(number, where, least, most)
        return number

    return read


def nonempty_text(text: str, where: str) -> str:
    """Any printable text but none."""
    require(bool(text), where, "is_empty", text)
    return text_value(text, where)


def one_of(choices: tuple[str, ...]) -> Reader:
    """A reader of one word out of a list."""

    def read(text: str, where: str) -> str:
        require(text in choices, where, "not_one_of", text, choices=", ".join(choices))
        return text

    return read
