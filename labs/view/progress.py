"""How far a long run has come: one line on a terminal's standard error, rewritten, and gone at the end.

Where standard error is no terminal nothing is ever written, so nothing of it can end up in a file or a test.

Does not model: how long it will still take.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    Tell = Callable[[int, int], None]

UPDATES = 200  # of one run, at most


class ProgressLine:
    """Used with `with`: gives a callback `(done, of)`, or None where nobody would see it.

    `runs` runs are told one after the other; a run is over when all of it is done, and the next one begins.

    >>> with ProgressLine("replay", 1, stream=None) as tell:
    ...     tell is None
    True
    """

    def __init__(self, name: str, runs: int, stream: TextIO | None) -> None:
        self.name = name
        self.runs = runs
        self.stream = stream
        self.run = 1
        self.shown = -1
        self.width = 0

    def __enter__(self) -> Tell | None:
        return self.tell if self.stream is not None and self.stream.isatty() else None

    def tell(self, done: int, of: int) -> None:
        """Rewrite the line, if it has come on a step."""
        share = done * UPDATES // of
        if share != self.shown:
            self.shown = share
            which = f" (run {self.run} of {self.runs})" if self.runs > 1 else ""
            self._write(f"{self.name}: {done:,} of {of:,} requests{which}")
        if done == of:
            self.run, self.shown = self.run + 1, -1

    def __exit__(self, *error: object) -> None:
        if self.width and self.stream is not None:
            self._write("")
            self.stream.write("\r")
            self.stream.flush()

    def _write(self, text: str) -> None:
        """The text in place of the one before; a terminal that has gone away is no error."""
        assert self.stream is not None
        try:
            self.stream.write("\r" + text.ljust(self.width))
            self.stream.flush()
        except OSError:
            self.stream = None
        self.width = len(text)


def progress_line(name: str, runs: int) -> ProgressLine:
    """Progress of so many runs on standard error."""
    return ProgressLine(name, runs, sys.stderr)
