"""Round by round: who joins, what the rule hands out, who has finished.

A rule is played by a stepper, its one interface (see `labs.engine.rules`): `add` and `abort` a request, play
a `step`. Rounds are counted from 1. A round in which nobody can be scheduled counts if somebody will still
arrive. Rounds that are alike stand as one record with `repeat`: between arrivals, finishes and whatever else
makes a rule decide anew, the same work is done again. With `skip=False` every round is played by itself;
`expanded` gives the same rounds either way.
Does not model: time; a round is no unit of time.
"""

from __future__ import annotations

from labs.base import Record, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from labs.engine.requests import Request
    from labs.engine.run.columns import Columns, Growth

    class Stepper(Protocol):
        """What a rule offers to the simulator."""

        def add(self, request: Request) -> None:
            """A request joins; they come in order of arrival, then of their place in the list."""

        def abort(self, name: str) -> None:
            """The client of a request withdraws; nothing happens if it has finished."""

        def step(self, number: int, most: int) -> Round:
            """Play round `number`, and as many as are alike after it, `most` in all."""

        @property
        def has_unfinished(self) -> bool:
            """Whether a round without arrivals could matter."""

        @property
        def stuck(self) -> bool:
            """Whether the same rounds would follow for ever, unless somebody joins."""

        def blocked(self) -> Blocked | None:
            """Who waits in front, and for what, where a run is stuck."""

        @property
        def expects_more(self) -> bool:
            """Whether something outside, but for arrivals, may still change what is decided."""


MAX_STEPS = 1_000_000  # requests looked at, over all rounds that are played
PREFILL = "prefill"
DECODE = "decode"


class Work(Record):
    """Tokens that one request computes in one round."""

    request: str
    phase: str
    tokens: int


class Admitted(Record):
    """Who began, or began again, and how many of its tokens were there already: hit, or loaded."""

    request: str
    cached_tokens: int


class Round(Record):
    """One round, or the first of `repeat` rounds alike; requests finish, or are aborted, after the last.

    `finished_statuses` are an engine's, one for each of `finished`. `waiting` got nothing although there;
    `used_blocks` are those in use when the last had been scheduled, None without a pool.
    """

    round: int
    work: tuple[Work, ...]
    unused_budget: int
    waiting: Sequence[str]
    finished: tuple[str, ...] = ()
    finished_statuses: tuple[str, ...] = ()
    preempted: tuple[str, ...] = ()
    resumed: tuple[str, ...] = ()
    aborted: tuple[str, ...] = ()
    repeat: int = 1
    admitted: tuple[Admitted, ...] = ()
    used_blocks: int | None = None
    growth: Growth | None = None
    columns: Columns | None = None

    @property
    def last(self) -> int:
        return self.round + self.repeat - 1


class Outcome(Record):
    """What became of a request; a round is None if it never got a token."""

    name: str
    first_round: int | None
    last_round: int | None
    waited_rounds: int
    finished: bool
    aborted: bool = False
    failed: bool = False

    @property
    def ended(self) -> bool:
        return self.finished or self.aborted or self.failed


class Blocked(Record):
    """The first request that waits for ever: the blocks that its known tokens need, and those that are free.

    `is_loading` says that it waits for a report of its load instead.
    """

    request: str
    num_tokens: int
    needed_blocks: int
    free_blocks: int | None
    is_loading: bool


class Run(Record):
    """All rounds, the requests by arrival, and the names of those who starved.

    `stuck` is the first of the rounds in which nothing could change any more, if there were such; `blocked`
    says who stands in front then.
    """

    rounds: tuple[Round, ...]
    outcomes: tuple[Outcome, ...]
    starved: tuple[str, ...]
    stuck: int | None = None
    blocked: Blocked | None = None

    @property
    def num_rounds(self) -> int:
        return self.rounds[-1].last if self.rounds else 0

    def singles(self) -> list[Round]:
        """Every round by itself."""
        return expanded(self.rounds)


def simulate(requests: Sequence[Request], stepper: Stepper, max_rounds: int, skip: bool = True) -> Run:
    """Play until all have finished, or for so many rounds; `LabError` past `MAX_STEPS`.

    A run also ends where nothing was scheduled and nothing is to come: it would wait for ever.
    """
    in_order = sorted(requests, key=lambda request: request.arrive)  # stable: then by place in the list
    aborts = [(request.abort, request.name) for request in in_order if request.abort is not None]
    aborts.sort(key=lambda abort: abort[0])
    coming = in_order[::-1]  # the next one comes off the end
    aborts.reverse()
    there: set[str] = set()
    rounds: list[Round] = []
    number, looked_at, stuck = 1, 0, None
    while number <= max_rounds and (coming or stepper.has_unfinished):
        while coming and coming[-1].arrive <= number:
            there.add(coming[-1].name)
            stepper.add(coming.pop())
        events = [max_rounds + 1, *[r.arrive for r in coming[-1:]], *[round + 1 for round, _ in aborts[-1:]]]
        played = stepper.step(number, min(events) - number if skip else 1)
        number += played.repeat
        there.difference_update(played.finished)
        aborted = tuple([name for name in _due(aborts, number) if name in there])
        for name in aborted:
            there.remove(name)
            stepper.abort(name)
        rounds.append(played.replace(aborted=aborted) if aborted else played)
        looked_at += len(played.work) + 1
        if isinstance(played.waiting, tuple):  # a rule that has written them down has looked at them
            looked_at += len(played.waiting)
        require(looked_at <= MAX_STEPS, "--rounds", "too_many_steps", max_rounds, most=MAX_STEPS)
        idle = not played.work and not played.preempted
        endless = stepper.stuck or (idle and stepper.has_unfinished and not stepper.expects_more)
        aborts_to_come = any(name in there for _, name in aborts)
        if endless and not (coming or aborts_to_come or aborted):
            stuck = played.round
            break
    run = _summary(in_order, rounds, stuck)
    return run if stuck is None else run.replace(blocked=stepper.blocked())


def _due(aborts: list[tuple[int, str]], number: int) -> list[str]:
    """Take off those before round `number`, from the end of the list: their names."""
    names = []
    while aborts and aborts[-1][0] < number:
        names.append(aborts.pop()[1])
    return names


def expanded(rounds: Sequence[Round]) -> list[Round]:
    """Every round by itself.

    >>> [r.round for r in expanded([Round(1, (), 8, ()), Round(2, (), 8, (), repeat=2)])]
    [1, 2, 3]
    """
    singles: list[Round] = []
    for round in rounds:
        if round.repeat == 1:
            singles.append(round)
            continue
        for offset in range(round.repeat):
            changed: dict[str, Any] = {"round": round.round + offset, "repeat": 1, "growth": None}
            if round.growth is not None and round.used_blocks is not None:
                later = round.growth.blocks_after(offset, round.repeat)
                changed["used_blocks"] = round.used_blocks - later
            if offset < round.repeat - 1:
                changed["finished"] = changed["finished_statuses"] = changed["aborted"] = ()
            if round.columns is not None:
                changed["columns"] = round.columns.after(offset)
            singles.append(round.replace(**changed))
    return singles


def _summary(requests: Sequence[Request], rounds: Sequence[Round], stuck: int | None) -> Run:
    """What the rounds say of each request, and who starved: came before the last half of a run that was
    cut off, and got nothing in it."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    ended: dict[str, int] = {}
    served = dict.fromkeys([request.name for request in requests], 0)
    for round in rounds:
        last_round = round.last
        for item in round.work:
            first.setdefault(item.request, round.round)
            last[item.request] = last_round
            served[item.request] += round.repeat
        for name in (*round.finished, *round.aborted):
            ended[name] = last_round
    withdrawn = {name for round in rounds for name in round.aborted}
    failed = {
        name
        for round in rounds
        for name, status in zip(round.finished, round.finished_statuses)
        if status == "FINISHED_ERROR"
    }
    num_rounds = rounds[-1].last if rounds else 0
    outcomes, starved = [], []
    for request in requests:
        name = request.name
        rounds_there = max(ended.get(name, num_rounds) - request.arrive + 1, 0)
        waited = rounds_there - served[name]
        aborted = name in withdrawn
        finished = name in ended and not aborted and name not in failed
        rounds_served = first.get(name), last.get(name)
        outcomes.append(Outcome(name, *rounds_served, waited, finished, aborted, name in failed))
        if name not in ended and max(request.arrive, last.get(name, 0)) <= num_rounds // 2:
            starved.append(name)
    return Run(tuple(rounds), tuple(outcomes), tuple(starved), stuck)
