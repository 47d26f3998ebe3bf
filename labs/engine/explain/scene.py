"""One round of a run, with what was known when it was decided.

A round says who got what, but not what was free or who stood in front. So the rule is played once more up to
that round; then its scheduler is asked, and its state read, before and after the decision.
"""

from __future__ import annotations

from labs.base import Record
from labs.engine.explain.limits import (
    UNKNOWN,
    Limit,
    Step,
    lecture_limit,
    static_limit,
    vllm_limit,
)
from labs.engine.explain.nano_limits import nano_limit, nano_needs
from labs.engine.rules import RULES
from labs.engine.rules.lecture import LectureStepper
from labs.engine.rules.nano_vllm import NanoScheduler
from labs.engine.rules.vllm import VllmScheduler
from labs.engine.run.stepper import EngineStepper
from labs.engine.simulator import DECODE, PREFILL, simulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labs.engine.external.script import ExternalScript
    from labs.engine.knobs import Knobs
    from labs.engine.requests import Request
    from labs.engine.run.live_request import LiveRequest
    from labs.engine.simulator import Round


class Setting(Record):
    """The rule that made a run, by its name, and what it was set to."""

    rule: str
    knobs: Knobs
    external: ExternalScript | None = None


class Place(Record):
    """Where a request stands in a round.

    `known` and `computed` tokens are counted before the round; `found` are those that needed no computing,
    hit in the cache or loaded, in this round and before; `loaded` came from an external store. `runs` says
    that it did not wait before the round, `resumes` that it was preempted earlier, `ended` how it ended, if
    it did.
    """

    known: int
    computed: int
    found: int
    phase: str
    runs: bool
    limit: Limit
    loaded: int = 0
    resumes: bool = False
    priority: int = 0
    ended: str | None = None


class Scene(Record):
    """A round of a run (None past its end), the places of the requests asked about, and the last round before
    in which each was preempted. There are no places if the rule, played again, decides otherwise."""

    setting: Setting
    round: Round | None
    places: Mapping[str, Place]
    preempted_in: Mapping[str, int]

    @property
    def order(self) -> tuple[str, ...]:
        """Names in the order of service."""
        return tuple([item.request for item in self.round.work]) if self.round else ()

    def order_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """These names in the order of service, then those that got nothing."""
        order = self.order
        return tuple(sorted(names, key=lambda name: order.index(name) if name in order else len(order)))

    def all_met_the_budget(self, names: Sequence[str]) -> bool:
        """Whether the end of the budget, and nothing else, kept each of these from more."""
        limits = [self.places[name].limit.kind for name in names if name in self.places]
        return limits == ["budget"] * len(names)

    def got(self, name: str) -> int:
        """Tokens that a request got in this round."""
        return sum([item.tokens for item in self.round.work if item.request == name]) if self.round else 0


def scene(
    requests: Sequence[Request], setting: Setting, rounds: Sequence[Round], number: int, names: Sequence[str]
) -> Scene:
    """Round `number` of a run that this setting made, for the requests of these names."""
    stepper = RULES[setting.rule].make(setting.knobs, setting.external, False)
    simulate(requests, stepper, number - 1)
    for request in requests:
        if request.arrive == number:
            stepper.add(request)
    round = round_at(rounds, number)
    tokens, preempted_in = _past(requests, rounds, number)
    places: Mapping[str, Place] = {}
    if isinstance(stepper, EngineStepper):
        asked = [live for live in stepper.everybody if live.name in names]
        places = _engine_places(stepper, round, asked, tokens)
    elif isinstance(stepper, LectureStepper):
        places = _lecture_places(stepper, setting.rule, round, names, tokens)
    return Scene(setting, round, places, preempted_in)


def round_at(rounds: Sequence[Round], number: int) -> Round | None:
    """One round by itself, without its columns.

    >>> from labs.engine.simulator import Round
    >>> fourth = round_at([Round(1, (), 8, ("A",), ("B",), repeat=9)], 4)
    >>> (fourth.round, fourth.repeat, fourth.waiting, fourth.finished) if fourth else None
    (4, 1, ('A',), ())
    """
    for round in rounds:
        if round.round <= number <= round.last:
            single = round.replace(round=number, repeat=1, columns=None)
            return single if number == round.last else single.replace(finished=(), aborted=())
    return None


def _past(
    requests: Sequence[Request], rounds: Sequence[Round], number: int
) -> tuple[dict[str, int], dict[str, int]]:
    """Before a round: tokens that each request had or got since it was last preempted, and in which round."""
    tokens = {request.name: request.context for request in requests}
    preempted_in: dict[str, int] = {}
    for round in rounds:
        if round.round >= number:
            break
        for item in round.work:
            tokens[item.request] += item.tokens * min(round.repeat, number - round.round)
        for name in round.preempted:
            tokens[name], preempted_in[name] = 0, round.round
    return tokens, preempted_in


def _lecture_places(
    stepper: LectureStepper, rule: str, round: Round | None, names: Sequence[str], tokens: Mapping[str, int]
) -> dict[str, Place]:
    states = list(stepper.states.values())
    work = stepper.rule(states, stepper.budget)
    if round is not None and tuple(work) != round.work:
        return {}
    left = stepper.budget - sum([item.tokens for item in work])
    limit = static_limit if rule == "static" else lecture_limit
    places = {
        name: Place(tokens[name] + 1, tokens[name], 0, DECODE, True, UNKNOWN, ended="finished")
        for name in names
        if tokens[name]
    }
    for state in states:
        if state.name in names:
            computed = tokens[state.name]
            known = computed + (state.prefill_left or 1)
            found = limit(state, states, work, left)
            places[state.name] = Place(known, computed, 0, state.phase, computed > 0, found)
    return places


def _engine_places(
    stepper: EngineStepper, round: Round | None, asked: Sequence[LiveRequest], tokens: Mapping[str, int]
) -> dict[str, Place]:
    before = {live: (live.num_tokens, live.num_computed_tokens, live.is_decoding) for live in asked}
    step = _decide(stepper, asked)
    scheduled = step.decision.num_scheduled_tokens
    work = {item.request: item for item in round.work} if round else {}
    if [(live.name, scheduled[live]) for live in scheduled] != [(w.request, w.tokens) for w in work.values()]:
        return {}
    calls = (*step.earlier_calls, *step.calls)
    loads = [call for call in calls if call[0] == "update_state_after_alloc" and call[3]]
    loaded = {str(call[1]): int(str(call[3])) for call in loads}
    places = {}
    for live, (known, computed, decodes) in before.items():
        name, goes_on = live.name, live.name in stepper.live
        start = live.num_computed_tokens - scheduled[live] if live in scheduled else computed
        places[name] = Place(
            known,
            computed,
            max(start - tokens[name], 0),
            work[name].phase if name in work else DECODE if decodes else PREFILL,
            live in step.running,
            _limit(stepper, step, live) if goes_on else UNKNOWN,
            0 if live.num_preemptions else loaded.get(name, 0),
            live.num_preemptions > 0,
            live.priority,
            None if goes_on else live.status,
        )
    return places


def _decide(stepper: EngineStepper, asked: Sequence[LiveRequest]) -> Step:
    """Let the scheduler decide, no more: `update_from_output` would free blocks."""
    scheduler = stepper.scheduler
    running, waiting = list(scheduler.running), list(scheduler.waiting)
    if isinstance(scheduler, VllmScheduler):
        waiting = [*scheduler.holding_kv, *waiting]
    needs = None
    if isinstance(scheduler, NanoScheduler):
        needs = {live: nano_needs(scheduler, live) for live in waiting if live in asked or live is waiting[0]}
    lacked = {live: live.num_tokens - live.num_computed_tokens for live in running}
    earlier_calls = scheduler.external.take_calls() if scheduler.external else ()
    decision = scheduler.schedule()
    left = stepper.budget - sum(decision.num_scheduled_tokens.values())
    calls = scheduler.external.take_calls() if scheduler.external else ()
    return Step(decision, running, waiting, lacked, stepper.budget, left, needs, calls, earlier_calls)


def _limit(stepper: EngineStepper, step: Step, live: LiveRequest) -> Limit:
    scheduler = stepper.scheduler
    if isinstance(scheduler, VllmScheduler):
        return vllm_limit(scheduler, step, live)
    return nano_limit(scheduler, step, live) if isinstance(scheduler, NanoScheduler) else UNKNOWN
