"""Limits of a good request as they are written: `ttft:200`, in milliseconds.

Source: `vllm bench serve --goodput`, which knows these three.
Does not model: limits of ITL, which is no request's own.
"""

from __future__ import annotations

from labs.base import LabError, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

LIMITS = ("ttft", "tpot", "e2el")


def is_file(text: str, is_positional: bool) -> bool:
    """Whether a word names a file: argparse cannot tell where the limits of `--goodput` end.

    >>> is_file("ttft:200", is_positional=True), is_file("result.json", is_positional=True)
    (False, True)
    """
    from labs.files.text import exists

    return exists(text) or (is_positional and text.lstrip().partition(":")[0] not in LIMITS)


def read_limit(text: str, where: str) -> tuple[str, Fraction]:
    """A limit in milliseconds.

    >>> read_limit("ttft:200", "--goodput")
    ('ttft', Fraction(200, 1))
    """
    from labs.view.units import plain_number

    name, _, number = text.partition(":")
    require(name in LIMITS, where, "bench_limit", text, choices=", ".join(f"{one}:MS" for one in LIMITS))
    try:
        return name, plain_number(number)
    except LabError:
        raise LabError(where, "bench_limit", text, choices=f"{name}:MS") from None
