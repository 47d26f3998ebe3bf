"""A named reason is put to the test on the engine itself, in the state before the round.

Two questions, asked of random runs by changing the scheduler just before it decides. *Alone*: with all other
limits lifted, does the named one still keep the request from more? *But for*: with the named one lifted, and
nobody in front of the request, does it get more? Turned red by: a limit named where only the budget ended,
free blocks counted after the round, the gate named where the chunk does not fit either, the head of line
named for a request that does not fit itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.simulator import simulate
from tests.schedule.compare_check import compared

MANY = 10**6
Change = Callable[[Any], None]  # of a stepper


def knobs_become(**values: Any) -> Change:
    def change(stepper: Any) -> None:
        scheduler = getattr(stepper, "scheduler", stepper)
        if hasattr(scheduler, "knobs"):
            scheduler.knobs = scheduler.knobs.replace(**values)
            scheduler.head_is_blocked = False  # it was reckoned under the old knobs
        for name in ("budget", "max_num_seqs"):
            if name in values and hasattr(scheduler, name):
                setattr(scheduler, name, values[name])

    return change


def pool_grows(stepper: Any) -> None:
    pool = stepper.scheduler.pool
    free = pool.num_free
    for name in ("num_blocks", "end"):
        if hasattr(pool, name):
            setattr(pool, name, getattr(pool, name) + MANY)
    if pool.num_free == free:  # it is counted, not computed
        pool.num_free += MANY
    stepper.scheduler.head_is_blocked = False


def no_watermark(stepper: Any) -> None:
    if hasattr(stepper.scheduler, "kv"):
        stepper.scheduler.kv.watermark_blocks = 0
        stepper.scheduler.head_is_blocked = False


def nobody_in_front(name: str) -> Change:
    def change(stepper: Any) -> None:
        waiting = stepper.scheduler.waiting
        names = [request.name for request in waiting]
        for request in list(waiting)[: names.index(name) if name in names else 0]:
            waiting.remove(request)
        stepper.scheduler.head_is_blocked = False

    return change


def nobody_waits(stepper: Any) -> None:
    for request in list(stepper.scheduler.waiting):
        stepper.scheduler.waiting.remove(request)


BUDGET = knobs_become(budget=MANY)
SEQS = knobs_become(max_num_seqs=MANY)
GATE = knobs_become(full_prompt_must_fit=False)
CHUNKS = knobs_become(chunked_prefill=True)
THRESHOLD = knobs_become(long_prefill_threshold=0)

ALONE: dict[str, list[Change]] = {
    "threshold": [pool_grows, SEQS, CHUNKS, BUDGET, GATE, no_watermark],
    "gate": [SEQS, CHUNKS, BUDGET],
    "watermark": [SEQS, CHUNKS],
    "no_block": [SEQS, CHUNKS],
    "max_num_seqs": [pool_grows, CHUNKS, THRESHOLD, BUDGET, GATE, no_watermark],
    "chunking_off": [pool_grows, SEQS, GATE, no_watermark],
    "preempted": [SEQS, CHUNKS, BUDGET, GATE],
    "no_admission": [SEQS, CHUNKS, GATE, no_watermark],
    "loop_ended": [BUDGET],
    "head_of_line": [SEQS],
    "phases": [pool_grows, BUDGET],
    "first_only": [pool_grows, SEQS],
    "batch_closed": [BUDGET],
    "batch_prefills": [BUDGET],
    "hit": [pool_grows, SEQS, CHUNKS, THRESHOLD, BUDGET],
}
BUT_FOR: dict[tuple[str, str], list[Change]] = {
    ("vllm", "gate"): [GATE],
    ("vllm", "watermark"): [no_watermark],
    ("vllm", "no_block"): [pool_grows],
    ("vllm", "preempted"): [pool_grows],
    ("vllm", "loop_ended"): [pool_grows],
    ("vllm", "max_num_seqs"): [SEQS, CHUNKS, pool_grows],
    ("vllm", "chunking_off"): [CHUNKS, pool_grows],
    ("vllm", "head_of_line"): [],
    ("nano-vllm", "phases"): [nobody_waits, pool_grows, SEQS],
    ("nano-vllm", "preempted"): [nobody_waits, pool_grows, SEQS],
}

NAMES = "ABCDEF"
SHARED = tuple(range(100, 112))


@st.composite
def requests(draw: st.DrawFn) -> tuple[Request, ...]:
    made = []
    for name in NAMES[: draw(st.integers(2, 6))]:
        decode, priority = draw(st.integers(0, 8)), draw(st.sampled_from([0, 0, 1, 2]))
        arrive = draw(st.integers(1, 4))
        kind = draw(st.sampled_from(["decodes", "shares", "own", "own"]))
        if kind == "decodes":
            context = draw(st.integers(1, 6))
            made.append(Request(name, 0, decode + 1, context=context, priority=priority))
        elif kind == "shares":
            prompt = (
                *SHARED[: draw(st.integers(1, 12))],
                *draw(st.lists(st.sampled_from([1, 2]), max_size=4)),
            )
            made.append(Request(name, len(prompt), decode, arrive, prompt=prompt, priority=priority))
        else:
            made.append(Request(name, draw(st.integers(1, 14)), decode, arrive, priority=priority))
    return tuple(made)


KNOBS = st.builds(
    Knobs,
    budget=st.sampled_from([1, 2, 3, 4, 5, 6, 8, 16]),
    kv_blocks=st.sampled_from([None, 6, 7, 8, 10, 12]),
    block_size=st.sampled_from([2, 4]),
    max_num_seqs=st.sampled_from([2, 3, 16]),
    long_prefill_threshold=st.sampled_from([0, 0, 2, 3]),
    policy=st.sampled_from(["fcfs", "fcfs", "priority"]),
    prefix_caching=st.booleans(),
    full_prompt_must_fit=st.booleans(),
    chunked_prefill=st.sampled_from([True, True, False]),
    watermark=st.sampled_from([0, 0, 0.2]),
    max_model_len=st.sampled_from([None, None, 18]),
)


def tokens_in(
    asked: tuple[Request, ...], rule: str, knobs: Knobs, number: int, name: str, changes: list[Change]
) -> int:
    """What a request gets in a round before which these changes are made."""
    stepper: Any = RULES[rule].make(knobs, None, False)
    simulate(asked, stepper, number - 1)
    for request in asked:
        if request.arrive == number:
            stepper.add(request)
    for change in changes:
        change(stepper)
    return sum(work.tokens for work in stepper.step(number, 1).work if work.request == name)


@pytest.mark.parametrize("rules", ["vllm", "nano-vllm", "static", "prefill-first"])
@settings(max_examples=150, deadline=None)
@given(requests(), KNOBS, st.sampled_from(tuple(RULES)))
def test_the_reason_decides(rules: str, asked: tuple[Request, ...], knobs: Knobs, other: str) -> None:
    assume(rules != other)
    try:
        found = compared(asked, f"{rules} / {other}", knobs)
        turned = compared(asked, f"{other} / {rules}", knobs)
    except LabError:
        assume(False)  # those that decode already do not fit
    reason = found.reason
    assert (turned.round, turned.reason.kind, turned.reason.request) == (
        found.round,
        reason.kind,
        reason.request,
    )
    assert [cost.more_waiting for cost in turned.costs] == [-cost.more_waiting for cost in found.costs]
    if found.round is None or reason.kind not in ALONE or reason.request is None:
        return
    assert {reason.side, turned.reason.side} == {"ours", "theirs"}
    rule, round = (rules, found.ours) if reason.side == "ours" else (other, found.theirs)
    name, number = reason.request, found.round
    got = sum(work.tokens for work in round.work if work.request == name) if round else 0
    assert tokens_in(asked, rule, knobs, number, name, []) == got
    alone = tokens_in(asked, rule, knobs, number, name, ALONE[reason.kind])
    assert alone <= got, "it is not this limit that keeps the request from more"
    but_for = BUT_FOR.get((rule, reason.kind))
    if but_for is None or knobs.long_prefill_threshold:
        return  # with nobody in front it may be alone, and then a threshold is off
    changes = [nobody_in_front(name), *but_for]
    assert tokens_in(asked, rule, knobs, number, name, changes) > got, "without the limit it gets no more"
