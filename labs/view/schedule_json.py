"""The schedule lab's result as JSON: rounds, requests, and under the engine rules tables and queues."""

from __future__ import annotations

from labs.base import require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from labs.engine.external.script import ExternalScript
    from labs.engine.requests import Request
    from labs.engine.run.columns import ExternalColumns
    from labs.engine.simulator import Round
    from labs.schedule import Result

MAX_ENTRIES = 5_000_000


def schedule_document(result: Result, knobs: Sequence[str]) -> dict[str, Any]:
    """`knobs` are those that the rule has; pairs stand as [name, value] lists.

    `LabError` where every round by itself would be more than anybody can read.
    """
    params, run = result.params, result.run
    size = sum([round.repeat * _num_entries(round) for round in run.rounds])
    require(size <= MAX_ENTRIES, "--json", "document_too_large", size, most=MAX_ENTRIES)
    given = {knob: getattr(params, knob) for knob in (*knobs, "rule", "rounds")}
    given |= {name: getattr(params, name) for name in ("compare", "log", "timeline") if getattr(params, name)}
    if params.external is not None:
        given["external"] = script_document(params.external)
    requests = [request_document(request) for request in params.requests]
    figures: dict[str, Any] = {
        "rounds": [round_document(round) for round in run.singles()],
        "requests": [outcome.as_dict() for outcome in run.outcomes],
        "starved": list(run.starved),
        "stuck": run.stuck,
        "blocked": None if run.blocked is None else run.blocked.as_dict(),
    }
    if result.events is not None:
        from labs.view.schedule_log import log_document

        figures["log"] = log_document(result.events)
    if result.comparison is not None:
        from labs.view.schedule_compare import compare_document

        figures["compare"] = compare_document(result.comparison)
    return {"params": {**given, "requests": requests}, "result": figures}


def script_document(script: ExternalScript) -> dict[str, Any]:
    """As a file of requests has it."""
    return {
        "connector_answers": {
            name: [list(answer) for answer in plan] for name, plan in script.answers.items()
        },
        "worker_reports": {str(step): report.as_dict() for step, report in script.reports.items()},
        "kv_load_failure_policy": script.policy,
        "blocks_outlive_request": sorted(script.blocks_outlive_request),
    }


def _num_entries(round: Round) -> int:
    """Names and block ids in one round's document, about."""
    entries = 2 * len(round.work) + len(round.waiting)
    if round.columns is not None:
        entries += sum(map(len, round.columns.block_tables)) + len(round.columns.waiting_after_schedule)
        entries += len(round.columns.free_queue_after_step or ())
    return entries


def request_document(request: Request) -> dict[str, Any]:
    """One request; what it does not name is left out where that is the rule."""
    document = {**request.as_dict(), "decode": "inf" if request.decode is None else request.decode}
    for key in ("abort", "arrival_time", "stop_token_ids"):
        if document[key] in (None, ()):
            del document[key]
    return document


def round_document(round: Round) -> dict[str, Any]:
    """One round; the engine's columns have the names of its recorded runs."""
    document: dict[str, Any] = {
        "round": round.round,
        "work": [item.as_dict() for item in round.work],
        "unused_budget": round.unused_budget,
        "preempted": list(round.preempted),
        "waiting": list(round.waiting),
        "finished": list(round.finished),
        "aborted": list(round.aborted),
    }
    columns = round.columns
    if columns is None:
        return document
    names = [item.request for item in round.work]
    document |= {
        "scheduled": [[item.request, item.tokens] for item in round.work],
        "computed_before": [list(pair) for pair in zip(names, columns.computed_before)],
        "block_tables": [[name, list(table)] for name, table in zip(names, columns.block_tables)],
        "resumed": list(round.resumed),
        "waiting_after_schedule": list(columns.waiting_after_schedule),
        "free_queue_after_step": columns.free_queue_after_step,
        "admitted": [[item.request, item.cached_tokens] for item in round.admitted],
        "used_blocks": columns.used_blocks,
    }
    if columns.external is not None:
        document["external"] = _external(columns.external)
    return document


def _external(external: ExternalColumns) -> dict[str, Any]:
    def states(rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
        return {name: list(state) for name, *state in rows}

    return {
        "has_sync_kv_loads": external.has_sync_loads,
        "after_schedule": states(external.after_schedule),
        "after_update": states(external.after_update),
        "calls": [list(call) for call in external.calls],
        "cached_blocks": list(external.cached_blocks),
        "worker_report": None if external.report is None else external.report.as_dict(),
    }
