"""What a replay leaves behind, in whole ticks: what became of each request, and what was seen on the way.

Does not model: anything; `labs.replay.clock` fills it in.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.requests import Request


class Served(Record):
    """What became of one request: ticks of its arrival, first and last token, and tokens by count.

    A time is None if it was not reached. `cached_tokens` were found when it was first admitted. `pauses` are
    (preempted, admitted again), the latter None if it never was.
    """

    name: str
    arrival: int
    first_token: int | None
    last_token: int | None
    prompt_tokens: int
    output_tokens: int
    cached_tokens: int
    preemptions: int
    finished: bool
    admitted: int | None = None
    pauses: tuple[tuple[int, int | None], ...] = ()

    @property
    def ttft(self) -> int | None:
        """Ticks from arrival to the first token; None unless it was finished."""
        return self.first_token - self.arrival if self.finished and self.first_token is not None else None

    @property
    def e2el(self) -> int | None:
        """Ticks from arrival to the last token; None unless it was finished."""
        return self.last_token - self.arrival if self.finished and self.last_token is not None else None

    @property
    def tpot(self) -> Fraction | None:
        """Ticks a token after the first; None unless it was finished with two tokens or more."""
        if self.ttft is None or self.e2el is None or self.output_tokens < 2:
            return None
        return Fraction(self.e2el - self.ttft, self.output_tokens - 1)


class Gaps(Record):
    """Gaps between tokens: `steps` in a row, each `growth` ticks longer, had by `requests` at once."""

    first: int
    growth: int
    steps: int
    requests: int


class Replay(Record):
    """A whole replay: every request, the gaps between tokens, and what the pool and the queue saw.

    `end` is the tick of the last step's end; `steps` counts steps, `played` those that were played by
    themselves; peaks are of blocks in use after scheduling, of running and of waiting requests. `busy` ticks
    were spent in steps, `prefill_ticks` of them in the `prefill_steps` that held prefill tokens.
    """

    served: tuple[Served, ...]
    gaps: tuple[Gaps, ...]
    per_ms: int
    end: int
    steps: int
    played: int
    preemptions: int
    peak_blocks: int | None
    peak_running: int
    peak_waiting: int
    stuck: bool
    busy: int = 0
    prefill_ticks: int = 0
    prefill_steps: int = 0


class Progress:
    """How far one request has come: known and computed tokens, and when its last token came (in ticks)."""

    __slots__ = (
        *("admitted", "arrival", "cached", "computed", "finished", "first", "known", "last"),
        *("name", "pauses", "preempted", "preemptions", "prompt"),
    )

    def __init__(self, request: Request, arrival: int) -> None:
        self.name = request.name
        self.arrival = arrival
        self.prompt = self.known = request.prefill
        self.computed = 0
        self.first: int | None = None
        self.last: int | None = None
        self.cached = 0
        self.preemptions = 0
        self.finished = False
        self.admitted: int | None = None
        self.pauses: list[tuple[int, int | None]] = []
        self.preempted: int | None = None

    def served(self) -> Served:
        return Served(
            self.name,
            self.arrival,
            self.first,
            self.last,
            self.prompt,
            self.known - self.prompt,
            self.cached,
            self.preemptions,
            self.finished,
            self.admitted,
            tuple(self.pauses) if self.preempted is None else (*self.pauses, (self.preempted, None)),
        )
