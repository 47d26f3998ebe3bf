"""The life of each request and of its blocks, read off a run: created, allocated, scheduled, ... finished.

    created     known tokens and the blocks they take; RUNNING if it decodes from the start
    allocated   blocks hit (cached) and blocks taken (new), for the next tokens; free blocks left
    scheduled   tokens computed in each of the rounds `round` to `last_round`, alike but for their place
    preempted   computed tokens that are lost          resumed   admitted again after that
    freed       blocks in the order given back         finished  why: length, stop, abort, error
    asked, loading, loaded, failed                     see `labs.engine.explain.life_external`

Within a round the order is the engine's: who joins; then request by request, as they are scheduled, a
preemption right before the allocation that needs the room; then who finishes, and at last who is aborted.
Everything follows from the rounds and their columns, so a run must have been played with them for blocks to
be seen; the events are the same whether or not rounds alike were played at once.
Source: what the course's tracing exercise prints from inside nano-vllm.
Does not model: what the priority policy hands out and takes back within one round. Such a victim is shown
ahead of the round's allocations, with the blocks it held before them; free blocks are right from there on.
"""

from __future__ import annotations

from labs.base import Record
from labs.engine.blocks import num_blocks
from labs.engine.explain.life_ledger import Ledger
from labs.engine.explain.life_start import first_tables, pool_size
from labs.engine.run.live_request import FINISHED_STOPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from labs.engine.requests import Request
    from labs.engine.simulator import Round, Run

FACTS = {
    "created": ("status", "tokens", "num_blocks"),
    "allocated": ("cached_blocks", "new_blocks", "num_free"),
    "scheduled": ("last_round", "phase", "tokens", "cached_tokens", "status"),
    "preempted": ("tokens",),
    "resumed": (),
    "freed": ("freed_blocks", "num_free"),
    "finished": ("reason", "keeps_blocks"),
    "asked": ("last_round", "cached_tokens", "tokens", "asynchronous"),
    "loading": ("tokens", "asynchronous"),
    "loaded": ("tokens",),
    "failed": ("tokens",),
}


class Event(Record):
    """Something that happened to a request; which fields belong to a kind says `FACTS`.

    `cached_tokens` are those computed or hit before; `num_free` is None for an unlimited pool, `num_blocks`
    where the rule has none.
    """

    round: int
    request: str
    kind: str
    last_round: int | None = None
    status: str | None = None
    phase: str | None = None
    tokens: int | None = None
    cached_tokens: int | None = None
    num_blocks: int | None = None
    cached_blocks: tuple[int, ...] = ()
    new_blocks: tuple[int, ...] = ()
    freed_blocks: tuple[int, ...] = ()
    num_free: int | None = None
    reason: str | None = None
    keeps_blocks: bool = False
    asynchronous: bool = False

    def facts(self) -> dict[str, Any]:
        """The fields of its kind.

        >>> Event(2, "A", "freed", freed_blocks=(3, 1), num_free=5).facts()
        {'freed_blocks': (3, 1), 'num_free': 5}
        """
        return {name: getattr(self, name) for name in FACTS[self.kind]}


def life(run: Run, requests: Sequence[Request], block_size: int) -> tuple[Event, ...]:
    """All events of a run in their order; `block_size` is in tokens.

    >>> from labs.engine.simulator import Round, Work
    >>> from labs.engine.simulator import Run as R
    >>> from labs.engine.requests import Request as Q
    >>> run = R((Round(1, (Work("A", "decode", 1),), 7, (), ("A",), repeat=2),), (), ())
    >>> [(e.round, e.last_round, e.kind) for e in life(run, [Q("A", 0, 2, context=1)], 16)]
    [(1, None, 'created'), (1, 2, 'scheduled'), (2, None, 'finished')]
    """
    walk = Walk(run, requests, block_size)
    for place in range(len(run.rounds)):
        walk.play(place)
    return tuple([Event(**entry) for entry in walk.ledger.entries])


class Walk:
    """Goes through the rounds of a run, and notes what happened."""

    def __init__(self, run: Run, requests: Sequence[Request], block_size: int) -> None:
        self.rounds = run.rounds
        self.block_size = block_size
        self.requests = {request.name: request for request in requests}
        self.coming = sorted(requests, key=lambda request: request.arrive)
        self.there: set[str] = set()  # who has joined and not finished
        self.num_admissions = 0
        self.admission: dict[str, int] = {}  # the place of each in the order of (last) admission
        self.reported: set[str] = set()  # loads that have ended, and are not yet in the scheduler's hands
        self.lost: set[str] = set()  # those of which nothing came, until they are looked up again
        self.has_pool = any(round.used_blocks is not None for round in run.rounds)
        self.first_tables = first_tables(run.rounds[0], requests, block_size) if run.rounds else {}
        self.ledger = Ledger(pool_size(run.rounds[0], self.first_tables) if run.rounds else None)

    def play(self, place: int) -> None:
        """Note one of the rounds, or rounds alike."""
        round = self.rounds[place]
        self._join(round)
        admitted = {item.request for item in round.admitted}
        for item in round.work:
            if item.request in admitted:
                self._admit(item.request)
        if round.columns is not None and round.columns.external is not None:
            from labs.engine.explain import life_external

            life_external.play(self, round, self.rounds[place + 1 : place + 2])
            return
        if round.columns is not None and round.repeat > 1:
            self._serve_alike(round)
        else:
            self.serve(round, range(len(round.work)))
        statuses = zip(round.finished, round.finished_statuses)
        stopped = {name for name, status in statuses if status == FINISHED_STOPPED}
        for item in round.work:
            if item.request in round.finished:
                self.finish(round.last, item.request, "stop" if item.request in stopped else "length")
        for name in round.aborted:
            self.finish(round.last, name, "abort")

    def _admit(self, name: str) -> None:
        self.num_admissions += 1
        self.admission[name] = self.num_admissions

    def _join(self, round: Round) -> None:
        while self.coming and self.coming[0].arrive <= round.round:
            request = self.coming.pop(0)
            name, decodes = request.name, request.prefill == 0
            tokens = request.context + 1 if decodes else request.prefill
            self.there.add(name)
            if decodes:
                self._admit(name)
            blocks = num_blocks(tokens, self.block_size) if self.has_pool else None
            status = "RUNNING" if decodes else "WAITING"
            self.ledger.note(round.round, name, "created", status=status, tokens=tokens, num_blocks=blocks)
            self.ledger.computed[name] = request.context
            if name in self.first_tables:
                self.ledger.allocate(round.round, name, self.first_tables[name])

    def serve(self, round: Round, places: Sequence[int]) -> None:
        """The work at some places, and whom it preempts: those who make room stand before it."""
        columns, ledger = round.columns, self.ledger
        victims = list(round.preempted)
        if columns is not None:
            # Each goes to the front of those who wait, so the first of them is the last preempted; sorted by
            # priority the least important, who is preempted first, stands last too.
            victims = [name for name in reversed(columns.waiting_after_schedule) if name in victims]
        hits = {item.request: item.cached_tokens for item in round.admitted}
        served = [self.admission.get(round.work[place].request, 0) for place in places]
        out_of_order = any(self.admission.get(name, 0) < max(served, default=0) for name in victims)
        for place in places:
            name = round.work[place].request
            new = () if columns is None else columns.block_tables[place][ledger.num_held(name) :]
            while victims and (out_of_order or columns is None or len(new) > (ledger.num_free or 0)):
                ledger.preempt(round.round, victims.pop(0))
            if name in round.resumed:
                ledger.note(round.round, name, "resumed")
            if new:
                ledger.allocate(round.round, name, new, hits.get(name, 0) // self.block_size)
            self.compute(round, place, hits.get(name, ledger.computed[name]))
        for name in victims:
            ledger.preempt(round.round, name)

    def compute(self, round: Round, place: int, computed: int) -> None:
        """The tokens of one request, so many `computed` before unless the columns say it."""
        item, columns, status = round.work[place], round.columns, "RUNNING"
        if columns is not None:
            computed = columns.computed_before[place]
            status = "WAITING" if item.request in columns.waiting_after_schedule else status
        rounds = round.round, round.last
        self.ledger.schedule(*rounds, item.request, item.phase, item.tokens, computed, status)

    def _serve_alike(self, round: Round) -> None:
        """Rounds alike, all decodes: a request takes a block whenever its next token starts one."""
        columns, block_size = round.columns, self.block_size
        assert columns is not None
        turns = [(0, place) for place in range(len(round.work))]
        for place, computed in enumerate(columns.computed_before):
            first = -computed % block_size or block_size
            turns += [(offset, place) for offset in range(first, round.repeat, block_size)]
        for offset, place in sorted(turns):
            item, computed = round.work[place], columns.computed_before[place] + offset
            if computed % block_size == 0:
                block = columns.block_tables[place][computed // block_size]
                self.ledger.allocate(round.round + offset, item.request, [block])
            until = min(offset + block_size - computed % block_size, round.repeat)
            rounds = round.round + offset, round.round + until - 1
            self.ledger.schedule(*rounds, item.request, item.phase, item.tokens, computed, "RUNNING")

    def finish(self, number: int, name: str, reason: str, keeps_blocks: bool = False) -> None:
        self.there.discard(name)
        self.ledger.finish(number, name, reason, keeps_blocks)
