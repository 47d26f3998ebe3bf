"""Why somebody got nothing: the first wait of a run, and that of whoever waited longest.

The rule is played once more up to the round, and its scheduler asked (see `scene`).
"""

from __future__ import annotations

from labs.base import Record
from labs.engine.explain.scene import Setting, scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.explain.limits import Limit
    from labs.engine.requests import Request
    from labs.engine.simulator import Run


class Wait(Record):
    """A request that got nothing in a round, and what kept it from more."""

    round: int
    request: str
    limit: Limit


def waits(run: Run, requests: Sequence[Request], setting: Setting) -> tuple[Wait, ...]:
    """The first one, and the first of the request that waited most rounds, if that is another one."""
    asked: dict[str, int] = {}
    first = next((round for round in run.rounds if round.waiting), None)
    if first is not None:
        asked[first.waiting[0]] = first.round
    longest = max(run.outcomes, key=lambda outcome: outcome.waited_rounds, default=None)
    if longest is not None and longest.waited_rounds:
        arrive = next(request.arrive for request in requests if request.name == longest.name)
        asked.setdefault(longest.name, _first_unserved(run, longest.name, arrive))
    found = []
    for name, number in asked.items():
        place = scene(requests, setting, run.rounds, number, [name]).places.get(name)
        if place is not None:
            found.append(Wait(number, name, place.limit))
    return tuple(found)


def _first_unserved(run: Run, name: str, arrive: int) -> int:
    """The first round from its arrival on in which a request that waited at all got nothing."""
    return next(
        round.round
        for round in run.rounds
        if round.round >= arrive and all(item.request != name for item in round.work)
    )
