"""Recorded runs of nano-vllm's scheduler, beside this lab's: the first difference, or None."""

from __future__ import annotations

from labs.engine.simulator import DECODE, PREFILL, Round
from tests.engine.golden_cases import (
    Case,
    Difference,
    first_difference,
    nano_vllm_of,
    rounds_of,
    same_length,
)
from tests.engine.inside import watch


def facts_of(round: Round, num_blocks: int) -> dict[str, object]:
    """What a round shows, by the names of nano_vllm.json; `cached` are tokens that a prefill need not do."""
    columns = round.columns
    assert columns is not None
    assert columns.free_queue_after_step is not None
    names = [item.request for item in round.work]
    phases = {item.phase for item in round.work}
    started = zip(names, columns.computed_before, strict=True)
    return {
        "scheduled": [[item.request, item.tokens] for item in round.work],
        "phase": PREFILL if PREFILL in phases else DECODE,
        "phases mixed": len(phases) > 1,
        "cached": {name: tokens for name, tokens in started if tokens and PREFILL in phases},
        "tables": {name: list(table) for name, table in zip(names, columns.block_tables, strict=True)},
        "preempted": list(round.preempted),
        "finished": list(round.finished),
        "num_free": num_blocks - columns.used_blocks,
        "free_after": list(columns.free_queue_after_step),
    }


def difference(case: Case, *, skip: bool) -> Difference:
    """A run, compared in all that is seen from outside, as far as it was recorded."""
    rows = case["rows"]
    rounds = rounds_of(case, nano_vllm_of, skip=skip, most=len(rows))
    for round, row in zip(rounds, rows, strict=False):
        expected = {
            **{key: row[key] for key in ("phase", "cached", "tables", "free_after")},
            "scheduled": [list(pair) for pair in row["scheduled"].items()],
            "phases mixed": False,
            "preempted": sorted(row["preempted"]),
            "finished": sorted(row["finished"]),
            "num_free": len(row["free_queue"]),
        }
        found = first_difference(row["step"], facts_of(round, case["config"]["num_blocks"]), expected)
        if found:
            return found
    ended = {name for row in rows for name in row["finished"]}
    complete = all(entry["id"] in ended for entry in case["requests"])
    return same_length(len(rounds), len(rows)) if complete else None


def difference_inside(case: Case) -> Difference:
    """The free queue between scheduling and the end of each step."""
    stepper = nano_vllm_of(case)
    seen = watch(stepper)
    rounds_of(case, stepper, skip=False, most=len(case["rows"]))
    for inside, row in zip(seen[case["warm_up_steps"] :], case["rows"], strict=False):
        found = first_difference(row["step"], {"queue": inside.free_queue}, {"queue": row["free_queue"]})
        if found:
            return found
    return None
