"""A trace against a rule and a clock: each step takes time by a cost model, requests come when they come.

    step time (model)   base + a x prefill tokens + b x decodes + c x KV tokens read
    KV tokens read      of each request served, the tokens computed when the step ends

A request that arrives during a step joins the next one. A step's tokens are there when it ends: the first
output of a request with the step that completes its prompt, each further one with a step of its own. While
nobody is there, the clock goes on to the next arrival.

Times are whole ticks: the cost's terms and the arrivals over their common denominator, so that nothing is
rounded however long the run. Equal decode steps in a row are taken at once: their times form an arithmetic
series, and how many of them begin before the next arrival is solved, not tried.

Source: vLLM 0.32.0's engine loop (schedule, execute, update; arrivals are taken in between).
Does not model: the API server, tokenisation, asynchronous scheduling, steps whose time is not linear.
"""

from __future__ import annotations

from labs.base import require
from labs.engine.simulator import DECODE
from labs.replay.bounds import MOST_STEPS
from labs.replay.served import Gaps, Progress, Replay
from labs.replay.ticks import UNBOUNDED, Ticks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from labs.engine.requests import Request
    from labs.engine.simulator import Round, Stepper

LOOKS = 4  # at requests that are there, in the time that one takes to be served
MAX_STEPS = 25_000_000  # requests served, over all steps that are played by themselves: about a minute


def replay(
    arrivals: Sequence[tuple[int, Request]],
    stepper: Stepper,
    cost: Ticks,
    progress: Callable[[int, int], None] | None = None,
    many_at_once: bool = True,
) -> Replay:
    """Play requests, each with the tick of its arrival, in ascending order; `progress(done, of)` is told.

    With `many_at_once` equal decode steps are taken at once: right for rules whose repeated rounds serve all
    that run, one token each. `LabError` past `MAX_STEPS` or `MOST_STEPS`. A run also ends where
    nothing can change: `stuck`.
    """
    return _Clock(arrivals, stepper, cost, progress, many_at_once).run()


class _Clock:
    """The state of a replay under way."""

    def __init__(
        self,
        arrivals: Sequence[tuple[int, Request]],
        stepper: Stepper,
        cost: Ticks,
        progress: Callable[[int, int], None] | None,
        many_at_once: bool,
    ) -> None:
        self.many_at_once = many_at_once
        self.coming = list(reversed(arrivals))
        self.number_of_requests = len(arrivals)
        self.stepper = stepper
        self.cost = cost
        self.progress = progress
        self.there: dict[str, Progress] = {}
        self.running: dict[str, Progress] = {}
        self.done: list[Progress] = []
        self.order: list[Progress] = []
        self.gaps: list[Gaps] = []
        self.now = self.steps = self.played = self.looked_at = 0
        self.preemptions = self.peak_blocks = self.peak_running = self.peak_waiting = 0
        self.busy = self.prefill_ticks = self.prefill_steps = 0
        self.has_pool = False

    def run(self) -> Replay:
        stuck = False
        while self.coming or self.stepper.has_unfinished:
            self._admit_arrivals()
            number = self.steps + 1
            played = self.stepper.step(number, self._most())
            idle = not played.work and not played.preempted
            if idle and not self.coming:
                stuck = True
                break
            if idle:  # whoever is there cannot be served: only an arrival may change that
                self.now = self.coming[-1][0]
                continue
            self._take(played)
            if self.stepper.stuck and not self.coming:
                stuck = True
                break
        return Replay(
            tuple(progress.served() for progress in self.order),
            tuple(self.gaps),
            self.cost.per_ms,
            self.now,
            self.steps,
            self.played,
            self.preemptions,
            self.peak_blocks if self.has_pool else None,
            self.peak_running,
            self.peak_waiting,
            stuck,
            self.busy,
            self.prefill_ticks,
            self.prefill_steps,
        )

    def _admit_arrivals(self) -> None:
        """Everybody who has arrived joins; if nobody is there, the clock goes on to the next arrival."""
        if not self.there and self.coming:
            self.now = max(self.now, self.coming[-1][0])
        while self.coming and self.coming[-1][0] <= self.now:
            arrival, request = self.coming.pop()
            progress = Progress(request, arrival)
            self.there[request.name] = progress
            self.order.append(progress)
            self.stepper.add(request)

    def _most(self) -> int:
        """How many steps may be taken at once: those that begin before the next arrival."""
        if not self.many_at_once:
            return 1
        if not self.coming:
            return UNBOUNDED
        running = self.running.values()
        kv_tokens = sum([request.computed + 1 for request in running])
        return self.cost.decodes_before(self.coming[-1][0] - self.now, len(running), kv_tokens)

    def _take(self, played: Round) -> None:
        """The clock, the tokens and the counts after a step, or after several alike."""
        self._begin(played)
        decodes = [self.there[item.request] for item in played.work if item.phase == DECODE]
        prefill_tokens, kv_tokens = 0, 0
        for item in played.work:
            request = self.there[item.request]
            if item.phase != DECODE:
                prefill_tokens += item.tokens
            request.computed += item.tokens
            kv_tokens += request.computed
        began = self.now
        if played.repeat == 1:
            self.now += self.cost.of_step(prefill_tokens, len(decodes), kv_tokens)
            self._sample(played)
        else:
            self._sample_many(decodes, played.repeat, kv_tokens)
        self.busy += self.now - began
        if prefill_tokens:
            self.prefill_steps += 1
            self.prefill_ticks += self.now - began
        self.steps += played.repeat
        self.played += 1
        self.looked_at += 1 + len(played.work)
        if (
            not self.many_at_once
        ):  # such a rule looks at everybody who is there, which takes less than to serve
            self.looked_at += len(self.there) // LOOKS
        require(self.looked_at <= MAX_STEPS, "TRACE", "too_many_replay_steps", self.looked_at, most=MAX_STEPS)
        require(self.steps <= MOST_STEPS, "TRACE", "too_many_engine_steps", self.steps, most=MOST_STEPS)
        for name in played.finished:
            request = self.there.pop(name)
            self.running.pop(name, None)
            request.finished = True
            self.done.append(request)
        if played.finished and self.progress is not None:
            self.progress(len(self.done), self.number_of_requests)

    def _begin(self, played: Round) -> None:
        """Who was preempted or admitted on the way, and what was found in the cache."""
        for name in played.preempted:
            request = self.running.pop(name)
            request.computed = 0
            request.preemptions += 1
            request.preempted = self.now
            self.preemptions += 1
        for entry in played.admitted:
            request = self.there[entry.request]
            request.computed = entry.cached_tokens
            if request.admitted is None:
                request.admitted, request.cached = self.now, entry.cached_tokens
            if request.preempted is not None:
                request.pauses.append((request.preempted, self.now))
                request.preempted = None
        for item in played.work:
            if item.request not in self.running:
                request = self.running[item.request] = self.there[item.request]
                if request.admitted is None:  # rules without a pool tell of no admission
                    request.admitted = self.now
        if played.used_blocks is not None:
            self.has_pool = True
            self.peak_blocks = max(self.peak_blocks, played.used_blocks)
        self.peak_running = max(self.peak_running, len(self.running))
        self.peak_waiting = max(self.peak_waiting, len(self.there) - len(self.running))

    def _sample(self, played: Round) -> None:
        """Whoever has all known tokens computed has another one now."""
        gaps: dict[int, int] = {}
        for item in played.work:
            request = self.there[item.request]
            if request.computed < request.known:
                continue
            request.known += 1
            if request.last is None:
                request.first = self.now
            else:
                gap = self.now - request.last
                gaps[gap] = gaps.get(gap, 0) + 1
            request.last = self.now
        self.gaps += [Gaps(gap, 0, 1, count) for gap, count in gaps.items()]

    def _sample_many(self, decodes: Sequence[Progress], steps: int, kv_tokens: int) -> None:
        """Decode steps alike: the first gap of each request may be longer, all others are the steps."""
        first = self.cost.of_step(0, len(decodes), kv_tokens)
        growth = self.cost.kv_token * len(decodes)
        firsts: dict[int, int] = {}
        start = self.now
        self.now += self.cost.of_decodes(steps, len(decodes), kv_tokens)
        for request in decodes:
            assert request.last is not None
            gap = start + first - request.last
            firsts[gap] = firsts.get(gap, 0) + 1
            request.computed += steps - 1
            request.known += steps
            request.last = self.now
        self.gaps += [Gaps(gap, 0, 1, count) for gap, count in firsts.items()]
        self.gaps.append(Gaps(first + growth, growth, steps - 1, len(decodes)))
