"""A case played by the right scheduler or by a broken one, and what is counted of the run.

    queries, hits   prompt tokens looked up in the prefix cache, and found there; once a request, at its first
                    admission
    TPOT            (round of the last output - round of the first) / (outputs - 1), in rounds

Source: vLLM 0.32.0 (`prefix_cache_queries`, `prefix_cache_hits`; `vllm bench serve` for TPOT).
Does not model: counts of runs with external KV, whose loads may fail; time.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules.vllm import VllmScheduler
from labs.engine.run.engines import SAMPLED_TOKENS, vllm_kv
from labs.engine.run.live_requests import LiveRequests
from labs.engine.run.stepper import EngineStepper
from labs.engine.simulator import Round, Run, simulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from labs.engine.external.connector import ExternalKV
    from labs.engine.external.script import ExternalScript

    MakeScheduler = Callable[[Knobs, "ExternalKV | None"], VllmScheduler]


class Case(Record):
    """Requests, the scheduler's knobs, what another store does, and how many rounds at most."""

    requests: tuple[Request, ...]
    knobs: Knobs
    external: ExternalScript | None = None
    rounds: int = 1000


class Admission(Record):
    """A request begins, or begins again: its known tokens, and how many of them were hit."""

    round: int
    request: str
    known: int
    hit: int
    again: bool


class Followed(Record):
    """A round, the tokens known of each request when it is scheduled, and what it leads to."""

    played: Round
    known: Mapping[str, int]
    admissions: tuple[Admission, ...]
    sampled: tuple[str, ...]


class Count(Record):
    """The prefix cache's counters after a round, in tokens."""

    round: int
    queries: int
    hits: int


class Tpot(Record):
    """A finished request: its outputs, the rounds of the first and the last, and its TPOT in rounds.

    `rounds` is None for a single output, which has no gap.
    """

    request: str
    outputs: int
    first: int
    last: int
    rounds: Fraction | None


class Account(Record):
    """A run, and what is counted of it."""

    run: Run
    counts: tuple[Count, ...]
    tpots: tuple[Tpot, ...]


def right_scheduler(knobs: Knobs, external: ExternalKV | None) -> VllmScheduler:
    """vLLM's scheduler over its own pool."""
    return VllmScheduler(knobs, vllm_kv(knobs), external)


def is_first(admission: Admission) -> bool:
    """Which admissions are counted as queries and hits: each request's first."""
    return not admission.again


def num_gaps(outputs: int) -> int:
    """What the time between the first and the last output is divided by: the gaps between them."""
    return outputs - 1


class Variant(Record):
    """How one engine schedules and counts; the right one by default.

    `refuses_oversized`: what can never fit in the pool is refused before round 1.
    """

    scheduler: MakeScheduler = right_scheduler
    is_counted: Callable[[Admission], bool] = is_first
    divisor: Callable[[int], int] = num_gaps
    refuses_oversized: bool = True


RIGHT = Variant()


def play(case: Case, variant: Variant = RIGHT, detail: bool = True) -> Account:
    """A case played and counted; `LabError` for a request that can never fit, if those are refused.

    `detail` records tables, which of long runs cost more than the run.
    """
    run = played(case, variant, detail)
    if case.external is not None:
        return Account(run, (), ())
    counts = _counts(case, run, variant.is_counted) if case.knobs.prefix_caching else ()
    return Account(run, tuple(counts), tuple(_tpots(case, run, variant.divisor)))


def played(case: Case, variant: Variant, detail: bool) -> Run:
    """The run alone, every round by itself."""
    from labs.engine.run.live_requests import refuse_impossible

    bounds = case.knobs if variant.refuses_oversized else case.knobs.replace(kv_blocks=None)
    refuse_impossible(case.requests, bounds, SAMPLED_TOKENS["vllm"])
    return simulate(case.requests, _engine(case, variant, detail)[1], case.rounds, skip=False)


def hit_of_waiting(case: Case, variant: Variant, name: str, round: int) -> int:
    """Tokens that a request would hit if it were admitted in a round in which it waits."""
    requests = [request.replace(abort=None) if request.name == name else request for request in case.requests]
    scheduler, stepper = _engine(case, variant, detail=False)
    simulate(requests, stepper, round, skip=False)
    return len(scheduler.kv.cached_blocks(stepper.live[name])) * case.knobs.block_size


def _engine(case: Case, variant: Variant, detail: bool) -> tuple[VllmScheduler, EngineStepper]:
    """A scheduler, and what plays it."""
    from labs.engine.external.connector import ExternalKV

    knobs = case.knobs
    scheduler = variant.scheduler(knobs, ExternalKV(case.external) if case.external else None)
    live = LiveRequests(knobs, SAMPLED_TOKENS["vllm"])
    return scheduler, EngineStepper(scheduler, live, knobs.budget, detail, queues=False)


def followed(case: Case, run: Run) -> Iterator[Followed]:
    """Every round with what follows from those before it: known tokens, admissions, who samples an output.

    A request samples in each round after which all its known tokens are computed. On admission, be it after a
    preemption, those that were hit are.
    """
    known = {request.name: request.prefill or request.context + 1 for request in case.requests}
    computed = {request.name: request.context for request in case.requests}
    for round in run.rounds:
        computed.update({item.request: item.cached_tokens for item in round.admitted})
        admissions = [
            Admission(
                round.round,
                item.request,
                known[item.request],
                item.cached_tokens,
                item.request in round.resumed,
            )
            for item in round.admitted
        ]
        for work in round.work:
            computed[work.request] += work.tokens
        sampled = [work.request for work in round.work if computed[work.request] == known[work.request]]
        yield Followed(round, dict(known), tuple(admissions), tuple(sampled))
        for name in sampled:
            known[name] += 1


def _counts(case: Case, run: Run, is_counted: Callable[[Admission], bool]) -> Iterator[Count]:
    """The counters after each admission."""
    queries = hits = 0
    for seen in followed(case, run):
        for admission in seen.admissions:
            if is_counted(admission):
                queries += admission.known
                hits += admission.hit
            yield Count(admission.round, queries, hits)


def _tpots(case: Case, run: Run, divisor: Callable[[int], int]) -> Iterator[Tpot]:
    """Of all that finished, in that order; who decodes from the start has its first output before round 1."""
    outputs: dict[str, list[int]] = {request.name: [] for request in case.requests}
    for seen in followed(case, run):
        for name in seen.sampled:
            outputs[name].append(seen.played.round)
    began = {request.name for request in case.requests if request.prefill}
    for name in [name for round in run.rounds for name in round.finished if name in began]:
        rounds = outputs[name]
        first, last, number = rounds[0], rounds[-1], len(rounds)
        value = Fraction(last - first, divisor(number)) if number > 1 else None
        yield Tpot(name, number, first, last, value)
