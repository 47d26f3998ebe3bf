"""Looking into a run: at every round, and at what a run does not show from outside."""

from __future__ import annotations

from collections.abc import Callable

from labs.engine.requests import Request
from labs.engine.run.decision import Decision
from labs.engine.run.live_request import LiveRequest
from labs.engine.run.stepper import EngineStepper
from labs.engine.simulator import Blocked, Round

REASONS = {
    "FINISHED_STOPPED": "stop",
    "FINISHED_LENGTH_CAPPED": "length",
    "FINISHED_ERROR": "error",
    "FINISHED_ABORTED": "abort",
}
State = list[object]  # status, queue, tokens computed, block table


class Seen:
    """One step from inside; empty where it was not played by itself."""

    def __init__(self) -> None:
        self.was_running: list[str] = []
        self.running: list[str] = []
        self.free_queue: list[int] = []  # after scheduling
        self.admitted: list[str] = []
        self.sampled: dict[str, int] = {}
        self.reasons: dict[str, str] = {}
        self.before: dict[str, State] = {}


def names(requests: list[LiveRequest]) -> list[str]:
    """Their names, in order."""
    return [request.name for request in requests]


def states(stepper: EngineStepper) -> dict[str, State]:
    """Where each request stands, if there is a connector."""
    scheduler = stepper.scheduler
    if scheduler.external is None:
        return {}
    rows = scheduler.external.states(stepper.everybody, scheduler.running, scheduler.waiting)
    return {name: [*facts, list(table)] for name, *facts, table in rows}


def watch(stepper: EngineStepper) -> list[Seen]:
    """A list that gets an entry a step; steps have to be played one by one."""
    scheduler = stepper.scheduler
    schedule, update = scheduler.schedule, scheduler.update_from_output
    steps: list[Seen] = []

    def watched_schedule() -> Decision:
        seen = Seen()
        seen.was_running, seen.before = names(scheduler.running), states(stepper)
        decision = schedule()
        seen.running, seen.admitted = names(scheduler.running), names(decision.admitted)
        seen.free_queue = scheduler.pool.free_queue()
        steps.append(seen)
        return decision

    def watched_update(decision: Decision, number: int) -> list[LiveRequest]:
        known = {request: request.num_tokens for request in decision.num_scheduled_tokens}
        finished = update(decision, number)
        seen = steps[-1]
        seen.sampled = {r.name: r.num_tokens - before for r, before in known.items() if r.num_tokens > before}
        seen.reasons = {request.name: REASONS[request.status] for request in finished}
        return finished

    scheduler.schedule = watched_schedule  # type: ignore[method-assign]
    scheduler.update_from_output = watched_update  # type: ignore[method-assign]
    return steps


class Watched:
    """A stepper that somebody looks at whenever a request joined or left, and after every round."""

    def __init__(self, stepper: EngineStepper, look: Callable[[Round | None], None]) -> None:
        self.stepper = stepper
        self.look = look

    def add(self, request: Request) -> None:
        self.stepper.add(request)
        self.look(None)

    def abort(self, name: str) -> None:
        self.stepper.abort(name)
        self.look(None)

    def step(self, number: int, most: int) -> Round:
        round = self.stepper.step(number, most)
        self.look(round)
        return round

    def blocked(self) -> Blocked | None:
        return self.stepper.blocked()

    @property
    def has_unfinished(self) -> bool:
        return self.stepper.has_unfinished

    @property
    def stuck(self) -> bool:
        return self.stepper.stuck

    @property
    def expects_more(self) -> bool:
        return self.stepper.expects_more
