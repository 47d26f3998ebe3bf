"""Which capacities a cache is given: those asked for, and a ladder along the curve; None is without limit."""

from __future__ import annotations

from labs.base import check_bounds, require
from labs.files.numbers import read_whole

MAX_CAPACITY = 10**12
MAX_CAPACITIES = 100
LADDER = 9  # finite capacities of the curve


def read_capacities(text: str, where: str) -> tuple[int | None, ...]:
    """Numbers of blocks from 1, or `inf`, parted by commas; `LabError` for anything else.

    >>> read_capacities("1000, inf", "--capacity")
    (1000, None)
    """
    words = [word.strip() for word in text.split(",")]
    require(len(words) <= MAX_CAPACITIES, where, "too_many_capacities", len(words), most=MAX_CAPACITIES)
    return tuple([None if word == "inf" else _blocks(word, text, where) for word in words])


def _blocks(word: str, text: str, where: str) -> int:
    require(word.isascii() and word.isdigit(), where, "not_a_capacity", word or text)
    number = read_whole(word, where)
    check_bounds(number, where, 1, MAX_CAPACITY)
    return number


def ladder(num_keys: int) -> tuple[int | None, ...]:
    """Capacities of the curve: the last of 1, 2, 5, 10, ... below all keys, and no limit.

    >>> ladder(23), ladder(1)
    ((1, 2, 5, 10, 20, None), (None,))
    """
    steps = [digit * 10**power for power in range(len(str(num_keys))) for digit in (1, 2, 5)]
    return (*[step for step in steps if step < num_keys][-LADDER:], None)


def by_size(capacity: int | None) -> tuple[bool, int]:
    """Sorts capacities by size, no limit last.

    >>> sorted([None, 5, 2], key=by_size)
    [2, 5, None]
    """
    return capacity is None, capacity or 0
