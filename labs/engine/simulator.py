"""Round by round: who has arrived, what the rule hands out, who has finished.

A rule is a function (states in order, token budget) -> list of Work; see `labs.engine.rules`. Rounds are
counted from 1. A round in which nobody can be scheduled counts if somebody will still arrive.
Does not model: KV blocks, preemption, time; a round is no unit of time.
"""

from __future__ import annotations

from labs.base import Record, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from labs.engine.requests import Request

    Rule = Callable[["Sequence[State]", int], "list[Work]"]

MAX_STEPS = 1_000_000  # requests looked at, over all rounds
PREFILL = "prefill"
DECODE = "decode"


class Work(Record):
    """Tokens that one request computes in one round."""

    request: str
    phase: str
    tokens: int


class State:
    """How far a request has come. Changes as rounds go by; rules only look at it."""

    def __init__(self, request: Request) -> None:
        self.name = request.name
        self.prefill_left = request.prefill
        self.decode_steps_left = request.decode  # None: decodes without end

    @property
    def phase(self) -> str:
        return PREFILL if self.prefill_left > 0 else DECODE

    @property
    def finished(self) -> bool:
        return self.prefill_left == 0 and self.decode_steps_left == 0

    def advance(self, work: Work) -> None:
        """Take over the work of a round; the end of the prefill yields a token but is no decode pass."""
        if work.phase == PREFILL:
            self.prefill_left -= work.tokens
        elif self.decode_steps_left is not None:
            self.decode_steps_left -= 1


class Round(Record):
    """One round: what was handed out, what was left, who got nothing although there, who finished."""

    round: int
    work: tuple[Work, ...]
    unused_budget: int
    waiting: tuple[str, ...]
    finished: tuple[str, ...]


class Outcome(Record):
    """What became of a request; a round is None if it never got a token."""

    name: str
    first_round: int | None
    last_round: int | None
    waited_rounds: int
    finished: bool


class Run(Record):
    """All rounds, the requests by arrival, and the names of those who starved."""

    rounds: tuple[Round, ...]
    outcomes: tuple[Outcome, ...]
    starved: tuple[str, ...]


def simulate(requests: Sequence[Request], rule: Rule, budget: int, max_rounds: int) -> Run:
    """Run the rule until all have finished, or for so many rounds; `LabError` past `MAX_STEPS`."""
    requests = sorted(requests, key=lambda request: request.arrive)  # stable: then by place in the list
    states = {request.name: State(request) for request in requests}
    rounds: list[Round] = []
    steps = 0
    while len(rounds) < max_rounds and not all(state.finished for state in states.values()):
        number = len(rounds) + 1
        here = [states[request.name] for request in requests if request.arrive <= number]
        active = [state for state in here if not state.finished]
        steps += len(here)
        require(steps <= MAX_STEPS, "--rounds", "too_many_steps", max_rounds, most=MAX_STEPS)
        work = rule(active, budget)
        for item in work:
            states[item.request].advance(item)
        served = {item.request for item in work}
        rounds.append(
            Round(
                number,
                tuple(work),
                budget - sum(item.tokens for item in work),
                tuple(state.name for state in active if state.name not in served),
                tuple(state.name for state in active if state.finished),
            )
        )
    outcomes = _outcomes(requests, rounds, states)
    return Run(tuple(rounds), outcomes, _starved(requests, outcomes, len(rounds)))


def _outcomes(
    requests: Sequence[Request], rounds: Sequence[Round], states: dict[str, State]
) -> tuple[Outcome, ...]:
    served: dict[str, list[int]] = {request.name: [] for request in requests}
    waited = {request.name: 0 for request in requests}
    for round in rounds:
        for item in round.work:
            served[item.request].append(round.round)
        for name in round.waiting:
            waited[name] += 1
    return tuple(
        Outcome(
            name,
            first_round=numbers[0] if numbers else None,
            last_round=numbers[-1] if numbers else None,
            waited_rounds=waited[name],
            finished=states[name].finished,
        )
        for name, numbers in served.items()
    )


def _starved(requests: Sequence[Request], outcomes: Sequence[Outcome], num_rounds: int) -> tuple[str, ...]:
    """Who came before the last half of a run that was cut off, and got nothing in it."""
    half = num_rounds // 2
    return tuple(
        outcome.name
        for request, outcome in zip(requests, outcomes)
        if not outcome.finished and request.arrive <= half and (outcome.last_round or 0) <= half
    )
