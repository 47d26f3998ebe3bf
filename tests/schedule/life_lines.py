"""The lives of recorded cases and of small runs, and events as short rows to compare by hand."""

from __future__ import annotations

from collections.abc import Sequence

from labs.engine.explain.life import Event, life
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.run.stepper import EngineStepper
from labs.engine.simulator import simulate
from tests.engine.golden_cases import Case, requests_of

Line = tuple[object, ...]
TWO = (
    Request("A", 5, 3, prompt=(1, 2, 3, 4, 5)),
    Request("B", 6, 1, arrive=2, prompt=(1, 2, 3, 4, 9, 9)),
)


def life_of(case: Case, stepper: EngineStepper, *, skip: bool = True) -> tuple[Event, ...]:
    """The life of a recorded case, played as far as it was recorded."""
    steps = case.get("steps") or case["rows"]
    requests = requests_of(case)
    run = simulate(requests, stepper, case.get("warm_up_steps", 0) + len(steps), skip)
    return life(run, requests, case["config"]["block_size"])


def lines(events: tuple[Event, ...], name: str | None = None) -> list[Line]:
    """Events of a request, or of all with its name, as (round, kind, facts in order)."""
    return [_line(event, name is None) for event in events if name in (None, event.request)]


def _line(event: Event, named: bool) -> Line:
    facts = [list(fact) if isinstance(fact, tuple) else fact for fact in event.facts().values()]
    return (event.round, *([event.request] if named else []), event.kind, *facts)


def blocks_of_4(
    asked: Sequence[Request], rule: str = "vllm", rounds: int = 1000, **knobs: int
) -> list[Event]:
    """The life of a run, in blocks of 4 tokens unless told otherwise."""
    given = Knobs().replace(**{"block_size": 4, **knobs})
    run = simulate(asked, RULES[rule].make(given, None, True), rounds)
    return list(life(run, asked, given.block_size))
