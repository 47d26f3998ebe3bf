"""A prediction that is a list of statements: one a line, or parted by "|" or ";"."""

from __future__ import annotations

import re

from labs.base import require

WHERE = "--predict"
TITLE = re.compile(r"\s*(?:attention|prefix|schedule|capacity(?: fit| fetch)?)\s*[:：]")
WHY = re.compile(r"^(?:Why:|原因：)", re.MULTILINE)


def result_lines(text: str, kept: re.Pattern[str]) -> str:
    """Of a lab's whole output, copied, its result lines, each on its line; any other text as it is.

    >>> result_lines("prefix: hashes\\nA = [1]\\nblock matches: [True]\\nWhy: so", re.compile("block"))
    '\\n\\nblock matches: [True]\\n'
    """
    if not TITLE.match(text):
        return text
    lines = [line if kept.match(line) else "" for line in WHY.split(text)[0].split("\n")]
    return "\n".join(lines) if any(lines) else text


def pieces(text: str) -> list[tuple[int, str]]:
    """Each statement with its line, from 1; `LabError` if there is none.

    >>> pieces("kv=128KiB; size=1GiB\\n\\nblocks=4")
    [(1, 'kv=128KiB'), (1, 'size=1GiB'), (3, 'blocks=4')]
    """
    found = [
        (number, piece.strip())
        for number, line in enumerate(text.split("\n"), start=1)
        for piece in re.split(r"[|;；]", line)
        if piece.strip()
    ]
    require(bool(found), WHERE, "predict_empty", "nothing")
    return found
