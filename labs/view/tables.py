"""Plain text tables, padded by display width, so that Chinese cells line up too."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def char_widths(text: str) -> list[int]:
    """Columns that each character takes in a terminal: 2 if it is wide or full-width, else 1."""
    if text.isascii():
        return [1] * len(text)
    from unicodedata import east_asian_width

    return [2 if east_asian_width(char) in "WF" else 1 for char in text]


def display_width(text: str) -> int:
    """Columns that a text takes in a terminal.

    >>> display_width("block"), display_width("块 1")
    (5, 4)
    """
    return sum(char_widths(text))


def table(rows: Sequence[Sequence[object]], indent: int = 2) -> str:
    """Rows as lines with left-aligned columns, two blanks apart.

    >>> print(table([("round", "A"), (1, "decode")]), end="")
      round  A
      1      decode
    """
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(display_width, column)) for column in zip(*cells)]
    lines = []
    for row in cells:
        padded = [cell + " " * (width - display_width(cell)) for cell, width in zip(row, widths)]
        lines.append((" " * indent + "  ".join(padded)).rstrip() + "\n")
    return "".join(lines)


def shortened(text: str, limit: int) -> str:
    """A text cut to so many characters, the cut shown as dots.

    >>> shortened("[1, 2, 3, 4]", 8)
    '[1, 2...'
    """
    return text if len(text) <= limit else text[: limit - 3] + "..."


def paragraph(text: str, width: int = 100) -> str:
    """Prose in lines of at most so many columns: broken at blanks, and between Chinese characters.

    >>> print(paragraph("one two three", width=8))
    one two
    three
    """
    return "\n".join(part for line in text.split("\n") for part in _wrapped(line, width))


def _wrapped(line: str, width: int) -> list[str]:
    """A line may be broken after a blank and beside a wide character, unless punctuation forbids it."""
    widths = char_widths(line)
    parts, start, place, used = [], 0, 0, 0
    for i, char in enumerate(line):
        breakable = i and (line[i - 1] == " " or 2 in widths[i - 1 : i + 1])
        if breakable and char not in "，。；：？！、）” " and line[i - 1] not in "（“":
            place = i
        used += widths[i]
        if used > width and char != " " and place > start:
            parts.append(line[start:place].rstrip())
            start, used = place, sum(widths[place : i + 1])
    return [*parts, line[start:].rstrip()]
