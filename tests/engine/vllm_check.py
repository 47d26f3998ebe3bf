"""Recorded runs of vLLM's scheduler, beside this lab's: the first difference, or None."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labs.engine.run.live_requests import sampled_token
from labs.engine.simulator import Round
from tests.engine.golden_cases import (
    Case,
    Difference,
    first_difference,
    golden,
    rounds_of,
    same_length,
    vllm_of,
)
from tests.engine.inside import Seen, watch


def facts_of(round: Round, usable_blocks: int, before: Round | None) -> dict[str, object]:
    """What a round shows from outside, by the names of scheduler.json."""
    columns = round.columns
    assert columns is not None
    computed = dict(zip([item.request for item in round.work], columns.computed_before, strict=True))
    tables = zip([item.request for item in round.work], columns.block_tables, strict=True)
    gone = sorted((*before.finished, *before.aborted)) if before else []
    return {
        "scheduled": [[item.request, item.tokens] for item in round.work],
        "total": sum(item.tokens for item in round.work),
        "start_at": computed,
        "tables": {name: list(table) for name, table in tables},
        "waiting": list(columns.waiting_after_schedule),
        "preempted": list(round.preempted),
        "resumed": list(round.resumed),
        "finished": list(round.finished),
        "finished_last_step": gone,
        "free_blocks": usable_blocks - columns.used_blocks,
        "used_blocks": round.used_blocks,
        "admitted": [[admitted.request, admitted.cached_tokens] for admitted in round.admitted],
    }


def expected_of(step: Case, usable_blocks: int) -> dict[str, object]:
    """The same of a recorded step."""
    return {
        **step,
        "scheduled": [list(pair) for pair in step["scheduled"].items()],
        "finished": sorted(step["finished"]),
        "used_blocks": usable_blocks - step["free_blocks"],
        "admitted": [[name, step["start_at"][name]] for name in (*step["new"], *step["resumed"])],
    }


def facts_inside(seen: Seen, computed: Mapping[str, int]) -> dict[str, object]:
    """What a step shows from inside, by the names of scheduler.json."""
    return {
        "running": seen.running,
        "new": seen.admitted,
        "cached_hits": {name: computed[name] for name in seen.admitted if computed[name]},
        "sampled": seen.sampled,
        "finished": seen.reasons,
    }


def difference(case: Case, *, skip: bool) -> Difference:
    """A hand-made run, compared in all that is seen from outside."""
    steps = case["steps"]
    rounds = rounds_of(case, vllm_of, skip=skip, most=len(steps))
    warm_up = case.get("warm_up_steps", 0) > 0
    for place, (round, step) in enumerate(zip(rounds, steps, strict=False)):
        got = facts_of(round, case["config"]["usable_blocks"], rounds[place - 1] if place else None)
        recorded = expected_of(step, case["config"]["usable_blocks"])
        expected = {key: recorded[key] for key in got if key != "finished_last_step" or place or not warm_up}
        found = first_difference(step["step"], got, expected)
        if found is None and round.unused_budget != case["config"]["budget"] - step["total"]:
            return f"step {step['step']}: unused budget {round.unused_budget}"
        if found:
            return found
    return same_length(len(rounds), len(steps))


def difference_inside(case: Case) -> Difference:
    """A hand-made run, compared in what is seen from inside."""
    stepper = vllm_of(case)
    seen = watch(stepper)
    rounds = rounds_of(case, stepper, skip=False, most=len(case["steps"]))
    for round, inside, step in zip(rounds, seen[case.get("warm_up_steps", 0) :], case["steps"], strict=False):
        columns = round.columns
        assert columns is not None
        computed = dict(zip([item.request for item in round.work], columns.computed_before, strict=True))
        facts = facts_inside(inside, computed)
        found = first_difference(step["step"], facts, {key: step[key] for key in facts})
        if found:
            return found
    preemptions = {live.name: live.num_preemptions for live in stepper.everybody if live.num_preemptions}
    return first_difference(0, {"preemptions": preemptions}, {"preemptions": case["preemptions"]})


def fuzz_row(round: Round) -> list[Any]:
    """The eight columns of engine_fuzz.json."""
    columns = round.columns
    assert columns is not None
    assert columns.free_queue_after_step is not None
    names = [item.request for item in round.work]
    return [
        [[item.request, item.tokens] for item in round.work],
        [[name, tokens] for name, tokens in zip(names, columns.computed_before, strict=True)],
        [[name, list(table)] for name, table in zip(names, columns.block_tables, strict=True)],
        list(round.preempted),
        list(round.resumed),
        list(columns.waiting_after_schedule),
        list(round.finished),
        list(columns.free_queue_after_step),
    ]


def fuzz_difference(case: Case, *, skip: bool) -> Difference:
    """A random run, compared in every column of every step."""
    steps = case["steps"]
    column_names = golden("engine_fuzz.json")["step_columns"]
    rounds = rounds_of(case, vllm_of, skip=skip, most=len(steps))
    for round, step in zip(rounds, steps, strict=False):
        got, expected = (dict(zip(column_names, row, strict=True)) for row in (fuzz_row(round), step))
        found = first_difference(round.round, got, expected)
        if found:
            return found
    return same_length(len(rounds), len(steps))


def fuzz_difference_inside(case: Case) -> Difference:
    """A random run, compared in its outputs, preemptions and running requests that got nothing."""
    stepper = vllm_of(case)
    seen = watch(stepper)
    rounds = rounds_of(case, stepper, skip=False, most=len(case["steps"]))
    passed_over = []
    for round, inside in zip(rounds, seen, strict=True):
        served = {item.request for item in round.work} | set(round.preempted)
        left = [name for name in inside.was_running if name not in served]
        if left:
            passed_over.append([round.round, left, "after a self-preemption" if round.preempted else "other"])
    outputs = {
        live.name: [
            sampled_token(live.name, live.num_prompt_tokens, n + 1)
            for n in range(live.num_tokens - live.num_prompt_tokens)
        ]
        for live in stepper.everybody
    }
    preemptions = {live.name: live.num_preemptions for live in stepper.everybody if live.num_preemptions}
    got = {"outputs": outputs, "preemptions": preemptions, "passed_over": passed_over}
    return first_difference(0, got, {key: case[key] for key in got})
