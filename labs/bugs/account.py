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
from labs.engine.kv.block_pool import UNLIMITED, BlockPool
from labs.engine.kv.kv_manager import KVManager
from labs.engine.requests import Request
from labs.engine.rules.vllm import VllmScheduler
from labs.engine.run.engines import SAMPLED_TOKENS
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

    round: Round
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
    return VllmScheduler(knobs, make_kv(knobs), external)


def make_kv(knobs: Knobs) -> KVManager:
    """Block tables over a pool of the knobs' size."""
    blocks = knobs.kv_blocks
    watermark_blocks = 0 if blocks is None else int(knobs.watermark * (blocks + 1))
    pool = BlockPool(UNLIMITED if blocks is None else blocks)
    return KVManager(pool, knobs.block_size, knobs.prefix_caching, watermark_blocks)


def first_admissions(admission: Admission) -> bool:
    """Which admissions are counted as queries and hits: each request's first."""
    return not admission.again


def gaps(outputs: int) -> int:
    """What the time between the first and the last output is divided by: the gaps between them."""
    return outputs - 1


class Variant(Record):
    """How one engine schedules and counts; the right one by default. `refuses` what can never fit."""

    scheduler: MakeScheduler = right_scheduler
    is_counted: Callable[[Admission], bool] = first_admissions
    divisor: Callable[[int], int] = gaps
    refuses: bool = True


RIGHT = Variant()


def play(case: Case, variant: Variant = RIGHT) -> Account:
    """Play every round by itself; `LabError` for a request that can never fit, if those are refused."""
    from labs.engine.external.connector import ExternalKV
    from labs.engine.run.live_requests import refuse_impossible

    knobs, sampled = case.knobs, SAMPLED_TOKENS["vllm"]
    refuse_impossible(case.requests, knobs if variant.refuses else knobs.replace(kv_blocks=None), sampled)
    scheduler = variant.scheduler(knobs, ExternalKV(case.external) if case.external else None)
    stepper = EngineStepper(scheduler, LiveRequests(knobs, sampled), knobs.budget, queues=False)
    run = simulate(case.requests, stepper, case.rounds, skip=False)
    if case.external is not None:
        return Account(run, (), ())
    counts, queries, hits = [], 0, 0
    outputs: dict[str, list[int]] = {request.name: [] for request in case.requests}
    for round in followed(case, run):
        for name in round.sampled:
            outputs[name].append(round.round.round)
        for admission in round.admissions if knobs.prefix_caching else ():
            if variant.is_counted(admission):
                queries += admission.known
                hits += admission.hit
            counts.append(Count(admission.round, queries, hits))
    return Account(run, tuple(counts), tuple(_tpots(case, run, outputs, variant.divisor)))


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


def _tpots(
    case: Case, run: Run, outputs: dict[str, list[int]], divisor: Callable[[int], int]
) -> Iterator[Tpot]:
    """Of all that finished, in that order; who decodes from the start has its first output before round 1."""
    began = {request.name for request in case.requests if request.prefill}
    for name in [name for round in run.rounds for name in round.finished if name in began]:
        rounds = outputs[name]
        first, last, number = rounds[0], rounds[-1], len(rounds)
        value = Fraction(last - first, divisor(number)) if number > 1 else None
        yield Tpot(name, number, first, last, value)
