"""Reading an engine's start-up log: a file, in bounded memory and time, into frozen records.

What is modelled: which figures vLLM printed while it started (`startup_lines`, `startup_settings`), how the
start failed (`startup_failures`), and, of several starts in one file, the last one (`startup_scan`). A log is
pasted more often than saved, so what other files are refused for is accepted here (`startup_blocks`): CR LF,
a UTF-8 byte order mark; so are time stamps, container prefixes, list and quote marks, prose around a line.

Only a line that holds one of WORDS is looked at; these are searched for in a whole block of lines at once.
Refused with file and line: a line too long, zero bytes, bytes that are no UTF-8 (a Windows shell writes
UTF-16), a file that ends inside a number, another engine's log.
Does not model: whether the figures agree; that is for the labs.
"""

from __future__ import annotations

from labs.base import LabError, Record, require
from labs.files.startup_blocks import blocks, display_name
from labs.files.startup_failures import FAILURE_WORDS
from labs.files.startup_lines import MESSAGES
from labs.files.startup_records import Failure, Figure
from labs.files.startup_scan import Scan
from labs.files.startup_settings import SETTING_WORDS

__all__ = ["Failure", "Figure", "StartupLog", "read_startup_log"]

WORDS = (*MESSAGES, *SETTING_WORDS, *FAILURE_WORDS)
MAX_LINES_READ = 200_000
TAIL_CHARACTERS = 20_000


class StartupLog(Record):
    """What a log tells about its last start.

    >>> log = StartupLog("a.log", 2, (Figure("kv_tokens", 93872, 2),), ())
    >>> log.first("kv_tokens").value, log.first("kv_gib"), log.all("kv_gib")
    (93872, None, ())
    """

    path: str
    lines: int
    figures: tuple[Figure, ...]
    failures: tuple[Failure, ...]
    starts: int = 1

    def first(self, name: str) -> Figure | None:
        """The first figure of a name, None if there is none."""
        return next((figure for figure in self.figures if figure.name == name), None)

    def all(self, name: str) -> tuple[Figure, ...]:
        """Every figure of a name in the order of lines: several ranks, or a setting that changed."""
        return tuple(figure for figure in self.figures if figure.name == name)


def read_startup_log(path: str, where: str) -> StartupLog:
    """The log in a file, or on standard input if the path is `-`; `LabError` at the option or `path:line`."""
    scan = Scan(display_name(path))
    lines, tail = 0, ""
    for first, text in blocks(path, where):
        _scan_block(scan, first, text)
        lines = first - 1 + text.count("\n") + (not text.endswith("\n"))
        tail = (tail + text)[-TAIL_CHARACTERS:]
    scan.finish(lines, tail)
    return _checked(scan, lines)


def _scan_block(scan: Scan, number: int, text: str) -> None:
    """Show the scan every line that holds one of WORDS, and those after it that it waits for."""
    place = 0
    for start in (*sorted(_starts(text)), len(text)):
        while place < start and scan.is_waiting:
            place = _show(scan, number, text, place)
            number += 1
        if place <= start < len(text):
            number += text.count("\n", place, start)
            place = _show(scan, number, text, start)
            number += 1


def _show(scan: Scan, number: int, text: str, start: int) -> int:
    """Show one line; where the next begins. A progress bar writes over its own line: each state is one."""
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)]
    states = [state for state in line.split("\r") if state] or [""]
    scan.shown += len(states)
    require(scan.shown <= MAX_LINES_READ, f"{scan.path}:{number}", "log_too_many_lines", most=MAX_LINES_READ)
    for state in states:
        scan.add(number, state, ended=end >= 0 or state is not states[-1])
    return end + 1 if end >= 0 else len(text)


def _starts(text: str) -> set[int]:
    """Where the lines begin that hold one of WORDS."""
    starts = set()
    for word in WORDS:
        place = text.find(word)
        while place >= 0:
            starts.add(text.rfind("\n", 0, place) + 1)
            end = text.find("\n", place)
            place = text.find(word, end) if end >= 0 else -1
    return starts


def _checked(scan: Scan, lines: int) -> StartupLog:
    """The records of a scan; `LabError` if the log is another engine's, or tells nothing."""
    start = scan.start
    if not start.is_engine and scan.other:
        number, tool, text = scan.other
        raise LabError(f"{scan.path}:{number}", "log_other_engine", text.strip(), tool=tool)
    told = bool(start.failures or (start.is_engine and start.figures))
    require(told, scan.path, "log_empty_of_figures", f"{lines} lines")
    return StartupLog(scan.path, lines, tuple(start.figures), tuple(start.failures), scan.starts)
