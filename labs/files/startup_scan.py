"""One pass over the lines of a start-up log: what each of them adds, and which start it belongs to.

What is modelled: a log is a row of starts; a line that opens one (the server's version, its arguments, the
engine's settings) begins a new start if such a line of the same process stands in this start already, or if
this start has come further. Engines side by side (data parallel) open under names of their own and are
one start. Settings printed before the engine's line belong to it. Only the last start is kept.

A sentence may go on in the next lines, as pasted text is wrapped: up to WRAPPED_LINES of them. The last line
with words on it may not break off inside a number: what is left would be read as another number.
Does not model: starts interleaved in one file; a sentence cut in the middle of a word.
"""

from __future__ import annotations

import re

from labs.base import LabError, require
from labs.files.startup_failures import (
    CAPTURING,
    PROFILING_WORDS,
    READY_WORDS,
    failure_in,
    is_compiling,
    is_start_up_line,
    other_engine,
)
from labs.files.startup_lines import heads_in, looks_cut, message_at, unusable
from labs.files.startup_records import Failure, Figure, process_of, source_of
from labs.files.startup_settings import command_line, listed, opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.files.startup_lines import Reading

MAX_FIGURES = 100_000
MAX_FAILURES = 1000
SHOWN_TEXT = 200
WRAPPED_LINES = 3
MAX_WRAPPED = 16
NEAR_LINES = 80
LONGEST_WRAPPED = 600
BEFORE_HEAD = 100

STAGES = ("server", "arguments", "engine")
SIZED = frozenset(("gpu_blocks", "kv_gib", "kv_tokens", "concurrency"))
_MARKS = re.compile(r"^(?:[\s>|]|[-*] )+")
_HAS_WORDS = re.compile(r"[^\W_]")


class Start:
    """What one start has told so far."""

    def __init__(self) -> None:
        self.opened: dict[str, set[str]] = {}
        self.figures: list[Figure] = []
        self.failures: list[Failure] = []
        self.is_engine = False  # the engine's own words, not only settings that could be anybody's
        self.came_further = False  # a figure that only a running start knows, or a failure
        self.sized_at: int | None = None
        self.ready = False
        self.capturing_at = self.profiling_at = -NEAR_LINES - 1


class Wrapped:
    """A sentence whose words have begun, to be completed by the next lines."""

    def __init__(self, head: str, place: int, text: str, line: int, process: str, source: str) -> None:
        self.head, self.place, self.text = head, place, text
        self.line, self.process, self.source = line, process, source
        self.lines_left = WRAPPED_LINES


class Scan:
    """The state of the pass; `add` takes the lines in order, `finish` the end of the file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.start = Start()
        self.starts = 1
        self.wrapped: list[Wrapped] = []
        self.cut: tuple[int, str] | None = None
        self.shown = 0
        self.other: tuple[int, str, str] | None = None

    def add(self, number: int, text: str, ended: bool = True) -> None:
        """One line, without colours and runs of blanks; `ended` is whether a line end follows."""
        opened = opening(text)
        if opened:
            self._open(number, text, *opened)
        if self.wrapped:
            self._continue(text)
        if self.cut and _HAS_WORDS.search(text):
            self.cut = None
        self._messages(number, text, ended)
        self._settings(number, text)
        self._signs(number, text)

    @property
    def is_waiting(self) -> bool:
        """Whether the next line matters, whatever it holds."""
        return bool(self.wrapped or self.cut)

    def finish(self, lines: int, tail: str) -> None:
        """Refuse a file that is cut inside a number, and settle what only the end can tell."""
        if self.cut:
            raise LabError(f"{self.path}:{self.cut[0]}", "log_cut", self.cut[1])
        start = self.start
        for back, text in enumerate(reversed(tail.removesuffix("\n").split("\n"))):
            if is_start_up_line(text):
                if is_compiling(text):
                    self._fail("compiling", lines - back, text)
                break
        if start.sized_at is not None:  # the engine got on without the extension
            sized = start.sized_at
            start.failures = [f for f in start.failures if f.kind != "extension_missing" or f.line > sized]
        if any(failure.kind != "engine_core_failed" for failure in start.failures):
            start.failures = [f for f in start.failures if f.kind != "engine_core_failed"]

    def _open(self, number: int, text: str, kind: str, version: str) -> None:
        process = process_of(text, 0)
        name = process.partition("pid=")[0].strip()
        opened = self.start.opened
        later = any(stage in opened for stage in STAGES[STAGES.index(kind) + 1 :]) or self.start.came_further
        if name in opened.get(kind, ()) or (kind not in opened and later):
            self.start, self.wrapped = Start(), []
            self.starts += 1
        self.start.opened.setdefault(kind, set()).add(name)
        self.start.is_engine = True
        if version:
            self._keep([("version", version, None)], number, process, source_of(text, 0))

    def _messages(self, number: int, text: str, ended: bool) -> None:
        text = text.replace("`", "")
        for head, place in heads_in(text):
            message = message_at(text, place, head)
            process, source = process_of(text, place), source_of(text, place)
            if message:
                self._take(message, number, process, source, text)
            elif unusable(text, place, head):
                shown = text[place : place + SHOWN_TEXT]
                raise LabError(f"{self.path}:{number}", "log_unusable", shown)
            elif looks_cut(text, place, head):
                if not ended or text[place + len(head) :].strip(" (=") != "":
                    self.cut = number, text[place : place + SHOWN_TEXT]
                if len(self.wrapped) < MAX_WRAPPED and len(text) - place <= LONGEST_WRAPPED:
                    before = min(place, BEFORE_HEAD)  # words before the head, which its sentence may ask for
                    self.wrapped.append(
                        Wrapped(head, before, text[place - before :], number, process, source)
                    )

    def _continue(self, text: str) -> None:
        """Join a line to the sentences that it may belong to."""
        for sentence in self.wrapped:
            sentence.text = f"{sentence.text.rstrip()} {_MARKS.sub('', text)[:LONGEST_WRAPPED]}"
            sentence.lines_left -= 1
            message = message_at(sentence.text, sentence.place, sentence.head)
            if message:
                self._take(message, sentence.line, sentence.process, sentence.source, sentence.text)
                sentence.lines_left = 0
        self.wrapped = [sentence for sentence in self.wrapped if sentence.lines_left > 0]

    def _take(
        self, message: tuple[list[Reading], str], line: int, process: str, source: str, text: str
    ) -> None:
        readings, failure = message
        self._keep(readings, line, process, source)
        self.start.is_engine = True
        names = {name for name, *_ in readings}
        if names & SIZED and self.start.sized_at is None:
            self.start.sized_at = line
        self.start.came_further |= any(name.endswith("_gib") for name in names) or bool(names & SIZED)
        if failure:
            self._fail(failure, line, text)

    def _settings(self, number: int, text: str) -> None:
        if "=" in text or ":" in text:
            readings, of_engine = listed(text)
            self.start.is_engine |= of_engine
            if any(name in SIZED for name, *_ in readings):
                self.start.came_further = True
                self.start.sized_at = self.start.sized_at or number
        else:
            readings = []
        if ("--" in text or "vllm serve" in text) and not source_of(text, 0):
            readings = [*readings, *command_line(text)]
        if readings:
            self._keep(readings, number, process_of(text, 0), source_of(text, 0))

    def _signs(self, number: int, text: str) -> None:
        """Failures, what tells one out-of-memory error from another, and other engines' words."""
        start = self.start
        if "aptur" in text and CAPTURING.search(text):
            start.capturing_at = number
        elif any(word in text for word in PROFILING_WORDS):
            start.profiling_at = number
        start.ready |= any(word in text for word in READY_WORDS)
        kind = failure_in(text)
        if kind == "out_of_memory":
            kind = None if start.ready else self._out_of_memory(number)
        if kind:
            self._fail(kind, number, text)
        if self.other is None:
            tool = other_engine(text)
            self.other = (number, tool, text) if tool else None

    def _out_of_memory(self, number: int) -> str:
        start = self.start
        if number - start.capturing_at <= NEAR_LINES:
            return "oom_graph"
        in_profile = number - start.profiling_at <= NEAR_LINES or start.sized_at is None
        return "oom_profile" if in_profile else "oom_graph"

    def _fail(self, kind: str, number: int, text: str) -> None:
        self.start.came_further = True
        if len(self.start.failures) < MAX_FAILURES:
            self.start.failures.append(Failure(kind, number, text.strip()[:SHOWN_TEXT]))

    def _keep(self, readings: list[Reading], line: int, process: str, source: str) -> None:
        figures = self.start.figures
        too_many = len(figures) + len(readings) > MAX_FIGURES
        require(not too_many, f"{self.path}:{line}", "log_too_many_figures", most=MAX_FIGURES)
        figures += [Figure(name, value, line, places, process, source) for name, value, places in readings]
