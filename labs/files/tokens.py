"""Token lists and adapters as they are written on the command line or in a file."""

from __future__ import annotations

from labs.base import require
from labs.files.text import read_text
from labs.options import whole

MAX_TOKENS = 1 << 18
MAX_FILE_BYTES = 20 * MAX_TOKENS

read_token_id = whole(0)


def read_tokens(text: str, where: str) -> tuple[int, ...]:
    """Token ids: `1,2,3`, '' for none, or `@file` with ids parted by commas, blanks or lines.

    >>> read_tokens("1, 2,9", "--a")
    (1, 2, 9)
    """
    if text.startswith("@"):
        path = text[1:]
        lines = enumerate(read_text(path, where, most=MAX_FILE_BYTES).split("\n"), 1)
        words = [
            (f"{path}:{number}", word) for number, line in lines for word in line.replace(",", " ").split()
        ]
    else:
        words = [(where, word) for word in text.split(",")] if text.strip() else []
    require(len(words) <= MAX_TOKENS, where, "too_many_tokens", len(words), most=MAX_TOKENS)
    return tuple(read_token_id(word, place) for place, word in words)


def read_lora(text: str, where: str) -> tuple[str, str]:
    """An adapter `NAME:PATH`; the path may hold colons.

    >>> read_lora("ad1:/adapters/x", "--lora")
    ('ad1', '/adapters/x')
    """
    name, _, path = text.partition(":")
    require(bool(name and path) and text.isprintable(), where, "not_lora", text)
    return name, path
