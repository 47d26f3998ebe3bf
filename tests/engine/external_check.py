"""Recorded runs of vLLM's scheduler with a scripted connector, beside this lab's: the first difference."""

from __future__ import annotations

import json
from itertools import groupby

from tests.engine.golden_cases import (
    Case,
    Difference,
    first_difference,
    rounds_of,
    same_length,
    vllm_of,
)
from tests.engine.inside import State, watch
from tests.engine.vllm_check import expected_of, facts_inside, facts_of

Traces = dict[str, list[object]]


def difference(case: Case) -> Difference:
    """States before, between and after, calls, loads and pool of each step; the statuses at the end."""
    steps = case["steps"]
    stepper = vllm_of(case)
    seen = watch(stepper)
    rounds = rounds_of(case, stepper, skip=True, most=len(steps))
    traces: Traces = {}
    for place, (round, inside, step) in enumerate(zip(rounds, seen, steps, strict=False)):
        columns = round.columns
        assert columns is not None
        assert columns.external is not None
        assert columns.free_queue_after_step is not None
        external = columns.external
        after_schedule, after_update = by_name(external.after_schedule), by_name(external.after_update)
        got = facts_of(round, case["config"]["usable_blocks"], rounds[place - 1] if place else None)
        computed = dict(zip([item.request for item in round.work], columns.computed_before, strict=True))
        got |= facts_inside(inside, computed) | {
            "before": inside.before,
            "after_schedule": after_schedule,
            "after_update": after_update,
            "calls": json.loads(json.dumps(external.calls)),
            "has_sync_kv_loads": external.has_sync_loads,
            "cached_blocks": list(external.cached_blocks),
            "free_after": len(columns.free_queue_after_step),
        }
        expected = expected_of(step, case["config"]["usable_blocks"]) | {"finished": step["finished"]}
        expected = {key: expected[key] for key in got}
        if "reported_bad_blocks" in step:
            expected["sampled"] = {}  # a token was made, and is dropped with the tokens it was made from
        found = first_difference(step["step"], got, expected)
        if found:
            return found
        note_statuses(traces, inside.before, after_schedule, after_update)
    got = {"trace": traces, "preempted": {r.name: r.num_preemptions for r in stepper.everybody}}
    expected = {"trace": without_repetitions(case["status_trace"]), "preempted": preemptions(case)}
    return same_length(len(rounds), len(steps)) or first_difference(len(steps), got, expected)


def by_name(rows: object) -> dict[str, State]:
    """States as the file has them: lists by request."""
    listed: list[list[object]] = json.loads(json.dumps(rows))
    return {str(name): state for name, *state in listed}


def note_statuses(traces: Traces, before: dict[str, State], *later: dict[str, State]) -> None:
    """Note each request's status where it changed."""
    for name, state in before.items():
        trace = traces.setdefault(name, [state[0]])
        for status in [states[name][0] for states in (before, *later)]:
            if status != trace[-1]:
                trace.append(status)


def without_repetitions(traces: Traces) -> Traces:
    """Each status once; in one case the file notes one that did not change."""
    return {name: [status for status, _ in groupby(trace)] for name, trace in traces.items()}


def preemptions(case: Case) -> dict[str, int]:
    """How often each request was preempted."""
    return {entry["id"]: case["preemptions"].get(entry["id"], 0) for entry in case["requests"]}
