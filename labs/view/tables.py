"""Plain text tables, padded by display width, so that Chinese cells line up too."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def display_width(text: str) -> int:
    """Columns that a text takes in a terminal: wide and full-width characters take two.

    >>> display_width("block"), display_width("块 1")
    (5, 4)
    """
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return len(text) + len([char for char in text if east_asian_width(char) in "WF"])


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
    lines = []
    for line in text.split("\n"):
        lines.append("")
        for piece in _pieces(line):
            if display_width(lines[-1] + piece.rstrip()) > width and lines[-1]:
                lines.append("")
            lines[-1] += piece
    return "\n".join([line.rstrip() for line in lines])


def _pieces(text: str) -> list[str]:
    """Where a text may be broken: after a blank, around a wide character, not before punctuation."""
    pieces = [""]
    for char in text:
        wide = display_width(char) == 2
        last = pieces[-1][-1:]
        if (wide or last == " " or (last and display_width(last) == 2)) and char not in "，。；：？！、）” ":
            pieces.append("")
        pieces[-1] += char
    return [piece for piece in pieces if piece]
