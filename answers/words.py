"""The words that follow `answers new`, `hint`, `show` and `grade`: a fixed number of them, in order.

argparse is told that any number may come, since it would read a default through the type of a single one;
how many there must be is said by `words_of`.

Does not model: words parted by options.
"""

from __future__ import annotations

from labs.base import LabError
from labs.options import nonempty_text, reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def add_words(parser: argparse.ArgumentParser, *places: tuple[str, tuple[str, str]]) -> None:
    """Add words to a parser, each with its name and its help (English, Chinese)."""
    from argparse import SUPPRESS

    english, chinese = zip(*[help for _, help in places])
    parser.add_argument(
        "words",
        nargs="*",
        type=reader(nonempty_text, places[0][0]),
        metavar=" ".join(name for name, _ in places),
        default=SUPPRESS,
        help=("; ".join(english), "；".join(chinese)),  # type: ignore[arg-type]  # the entry picks the language
    )


def words_of(words: Sequence[str], *names: str) -> list[str]:
    """As many words as names; `LabError` at the name that has none, or at the word too many.

    >>> words_of(["my.py", "p2"], "FILE", "PROBLEM")
    ['my.py', 'p2']
    """
    for word in words[len(names) :]:
        raise LabError(word, "surplus_word", word)
    for name in names[len(words) :]:
        raise LabError(name, "needs_value")
    return list(words)
