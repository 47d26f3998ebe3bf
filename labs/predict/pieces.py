"""A prediction that is a list of statements: one a line, or parted by "|" or ";"."""

from __future__ import annotations

import re

from labs.base import require

WHERE = "--predict"


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
