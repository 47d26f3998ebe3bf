"""Rules in the lecture's style: a function of who is there, played round by round.

    rule(states in order, budget) -> list of Work

A rule that looks at order, phases and prefills left alone does the same in every round of decodes, until
somebody joins or finishes; such rounds are taken at once. Does not model: KV blocks, preemption.
"""

from __future__ import annotations

from labs.engine.simulator import DECODE, PREFILL, Round, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from labs.engine.requests import Request

    LectureRule = Callable[["Sequence[State]", int], "list[Work]"]


class State:
    """How far a request has come. Changes as rounds go by; of a rule's own making is only `joined`."""

    def __init__(self, request: Request) -> None:
        self.name = request.name
        self.prefill_left = request.prefill
        self.decode_steps_left = request.decode  # None: decodes without end
        self.joined = request.prefill == 0  # for rules that admit requests in batches

    @property
    def phase(self) -> str:
        return PREFILL if self.prefill_left > 0 else DECODE

    @property
    def finished(self) -> bool:
        return self.prefill_left == 0 and self.decode_steps_left == 0

    def advance(self, work: Work, rounds: int = 1) -> None:
        """Take over the work of a round; the end of the prefill yields a token but is no decode pass."""
        if work.phase == PREFILL:
            self.prefill_left -= work.tokens
        elif self.decode_steps_left is not None:
            self.decode_steps_left -= rounds


class LectureStepper:
    """Plays a lecture rule under a token budget."""

    stuck = False
    expects_more = True  # a rule of the reader's own may have its reasons to idle

    def __init__(self, rule: LectureRule, budget: int, only_phases: bool = False) -> None:
        self.rule = rule
        self.budget = budget
        self.only_phases = only_phases
        self.states: dict[str, State] = {}  # the unfinished requests that are there, in their order

    @property
    def has_unfinished(self) -> bool:
        return bool(self.states)

    def add(self, request: Request) -> None:
        self.states[request.name] = State(request)

    def abort(self, name: str) -> None:
        self.states.pop(name, None)

    def blocked(self) -> None:
        """Such a rule is never stuck: it is not known to be waiting for anything."""

    def step(self, number: int, most: int) -> Round:
        active = list(self.states.values())
        work = self.rule(active, self.budget)
        self._check(work)
        repeat = self._alike(work, most)
        for item in work:
            self.states[item.request].advance(item, repeat)
        served = {item.request for item in work}
        finished = tuple(state.name for state in active if state.finished)
        for name in finished:
            del self.states[name]
        return Round(
            number,
            tuple(work),
            self.budget - sum([item.tokens for item in work]),
            tuple(state.name for state in active if state.name not in served),
            finished,
            repeat=repeat,
        )

    def _check(self, work: Sequence[Work]) -> None:
        """A rule that hands out what there is not would only show much later."""
        assert sum([item.tokens for item in work]) <= self.budget, "more than the budget"
        assert len({item.request for item in work}) == len(work), "a request twice in one round"
        for item in work:
            state = self.states[item.request]
            most = state.prefill_left if state.phase == PREFILL else 1
            assert item.phase == state.phase, f"{item.request} is in {state.phase}"
            assert 1 <= item.tokens <= most, f"{item.request} has {most} left"

    def _alike(self, work: Sequence[Work], most: int) -> int:
        """How many rounds give this work: until the first of those served has no decode left."""
        if not self.states:
            return most  # nobody is there
        if not (self.only_phases and work) or any(item.phase == PREFILL for item in work):
            return 1
        left = [self.states[item.request].decode_steps_left for item in work]
        return min([most, *[steps for steps in left if steps is not None]])
