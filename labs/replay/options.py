"""Reading the options of a replay that are lists: limits of good requests, numbers of blocks.

    --goodput ttft:200 tpot:50      milliseconds; parted by blanks or commas, or the option repeated
    --sweep-blocks 1000,2000        usable KV blocks

argparse cannot tell where the limits end, so the trace may stand after them.

Does not model: limits for single requests; `itl`, which no engine's goodput knows.
"""

from __future__ import annotations

from labs.base import require
from labs.engine.knobs import WHOLE_KNOBS
from labs.options import reader, whole
from labs.replay.latency import Limits
from labs.replay.limits import is_file, read_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from fractions import Fraction
    from typing import Any

    from labs.files.traces import Trace
    from labs.options import Reader

    NamedLimits = tuple[tuple[str, Fraction], ...]
    Word = Trace | NamedLimits


def add_trace_and_goodput(parser: argparse.ArgumentParser, help: dict[str, tuple[str, str]]) -> None:
    """Add TRACE and `--goodput`: lists of words for `traces_and_limits`, absent if not given."""
    from argparse import SUPPRESS

    shared: dict[str, Any] = {"default": SUPPRESS}
    parser.add_argument(
        "trace",
        nargs="*",
        type=reader(read_word, "TRACE"),
        metavar="TRACE",
        help=help["TRACE"],  # type: ignore[arg-type]  # the entry's parser picks the language
        **shared,
    )
    parser.add_argument(
        "--goodput",
        action="extend",
        nargs="+",
        type=reader(read_word, "--goodput"),
        metavar="NAME:MS",
        help=help["--goodput"],  # type: ignore[arg-type]
        **shared,
    )


def read_word(text: str, where: str) -> Word:
    """A trace, or limits as (measure, ms) parted by commas or blanks; `LabError` for what is neither.

    >>> read_word("ttft:200,tpot:50", "--goodput")
    (('ttft', Fraction(200, 1)), ('tpot', Fraction(50, 1)))
    """
    if is_file(text, where == "TRACE"):
        from labs.files.traces import read_trace

        return read_trace(text, "TRACE")
    words = text.replace(",", " ").split() or [text]
    return tuple([read_limit(word, "--goodput") for word in words])


def traces_and_limits(words: Iterable[Word]) -> tuple[list[Trace], Limits | None]:
    """What was named, limits together, None without any; `LabError` if a measure has two.

    >>> traces_and_limits([(("ttft", 200),), (("tpot", 50),)])
    ([], Limits(ttft=200, tpot=50, e2el=None))
    """
    traces: list[Trace] = []
    limits: dict[str, Fraction] = {}
    for word in words:
        if not isinstance(word, tuple):
            traces.append(word)
            continue
        for name, limit in word:
            require(name not in limits, "--goodput", "bench_limit_twice", name)
            limits[name] = limit
    return traces, Limits(**limits) if limits else None


def with_path(read: Reader) -> Reader:
    """A reader of (path, what is in the file): an output must not take the place of what is read."""
    return lambda path, where: (path, read(path, where))


def read_blocks(text: str, where: str) -> tuple[int, ...]:
    """Numbers of KV blocks parted by commas, none of them twice.

    >>> read_blocks("1000,2000", "--sweep-blocks")
    (1000, 2000)
    """
    _, least, most = WHOLE_KNOBS["kv_blocks"]
    read = whole(least, most)
    blocks = tuple([read(part, where) for part in text.split(",")])
    require(len(set(blocks)) == len(blocks), where, "repeated_blocks", text)
    return blocks
