"""What is read from a start-up log: figures and failures, and the prefix of the line each stands on.

What is modelled: prefixes as vLLM and what runs it print them, `(Worker_TP1 pid=9)`,
`(VllmWorker rank=1 pid=3)`, `(RayWorkerWrapper pid=5, ip=10.0.0.2)`, `[rank0]`, and the engine's file and
line, `llm_engine.py:341]`.
Does not model: time stamps, log levels, container names.
"""

from __future__ import annotations

import re

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

PREFIX = 300
_PROCESS = re.compile(r"\(([A-Za-z][^()]{0,80}?\bpid=[0-9]+[^()]{0,60})\)")
_RANK = re.compile(r"\[(rank ?[0-9]{1,6})\]")
_SOURCE = re.compile(r"([\w./-]{1,100}\.(?:py|rs|cc|cpp):[0-9]{1,7})\]")


class Figure(Record):
    """One figure of a log: what it is, its exact value as printed, where it stands and who said it.

    `value` of a name ending in `_gib` counts GiB, whatever the log calls them. `places` is the number of
    decimals as printed, None for whole numbers and words; V1 rounds to two and leaves out zeros at the
    end. `process` is what the prefix in brackets says, `source` the file and line of the engine.
    """

    name: str
    value: int | Fraction | str
    line: int
    places: int | None = None
    process: str = ""
    source: str = ""


class Failure(Record):
    """A line that says how the start failed, shortened to 200 characters."""

    kind: str
    line: int
    text: str


def process_of(text: str, place: int) -> str:
    """What the prefix in brackets says, nearest before a place, else at the line's beginning; '' if none.

    >>> process_of("(EngineCore_0 pid=714) INFO 08-20 10:15:00 [gpu_worker.py:276] Available", 40)
    'EngineCore_0 pid=714'
    """
    return _last(_PROCESS, text, place) or _last(_RANK, text, place)


def source_of(text: str, place: int) -> str:
    """The engine's file and line, nearest before a place, else at the line's beginning; '' if none.

    >>> source_of("INFO 04-29 12:00:00 llm_engine.py:341] # GPU blocks: 1, # CPU blocks: 2", 39)
    'llm_engine.py:341'
    """
    return _last(_SOURCE, text, place)


def _last(pattern: re.Pattern[str], text: str, place: int) -> str:
    for part in (text[max(0, place - PREFIX) : place], text[:PREFIX]):
        found = pattern.findall(part)
        if found:
            return str(found[-1])
    return ""
