"""Whole numbers as they are written: plain digits, with or without a minus."""

from __future__ import annotations

from labs.base import require

MAX_DIGITS = 18


def read_whole(text: str, where: str) -> int:
    """The value of plain ASCII digits; `LabError` for anything else, or for too many of them.

    >>> read_whole(" 12", "--budget"), read_whole("-3", "--budget")
    (12, -3)
    """
    digits = text.strip().removeprefix("-")
    require(digits.isascii() and digits.isdigit(), where, "not_whole", text)
    require(len(digits) <= MAX_DIGITS, where, "too_many_digits", text, most=MAX_DIGITS)
    return int(text)
