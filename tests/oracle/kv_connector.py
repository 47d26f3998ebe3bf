"""Makes kv_connector.json: what becomes of a request whose KV is, or may be, outside the engine.

Run `python -m tests.oracle.kv_connector FILE` where vLLM is installed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.oracle.connector_run import Answer, ConnectorRun, Report
from tests.oracle.golden_file import main
from tests.oracle.scheduler_run import Ask

STEP_LIMIT = 40
PROMPT = range(100, 110)  # ten tokens: two full blocks of 4 and a partial one


class Case(NamedTuple):
    """Requests, the connector's answers, reports by step (from 1) and aborts by steps taken."""

    asks: tuple[Ask, ...]
    answers: dict[str, list[Answer]] = {}  # noqa: RUF012 (never changed)
    reports: dict[int, Report] = {}  # noqa: RUF012
    aborts: dict[int, str] = {}  # noqa: RUF012
    kept: tuple[str, ...] = ()
    failure: str = "fail"
    knobs: dict[str, Any] = {}  # noqa: RUF012


ALONE = (Ask("r", PROMPT, 2),)
RECEIVED = Report(received=("r",))
SYNC_HIT: dict[str, list[Answer]] = {"r": [(8, False)]}
ASYNC_HIT: dict[str, list[Answer]] = {"r": [(8, True)]}
# A load that leaves nothing valid is asked for again: a connector that said "hit" again would loop for ever.
HIT_THEN_MISS: dict[str, list[Answer]] = {"r": [(8, True), (0, False)]}


def beside(tokens: int, max_tokens: int, after: int = 0) -> Ask:
    """Another request, whose KV is nowhere."""
    return Ask("other", range(200, 200 + tokens), max_tokens, after)


def failing(failure: str, *reports: Report) -> Case:
    """Part of a load is reported bad; the reports come from step 2 on."""
    asks = (*ALONE, beside(5, 5))
    return Case(asks, HIT_THEN_MISS, dict(enumerate(reports, 2)), failure=failure)


def lost(failure: str) -> Case:
    """The whole load is reported failed, as workers with several KV groups do."""
    return Case(ALONE, HIT_THEN_MISS, {2: Report(received=("r",), failed=("r",))}, failure=failure)


def bad(index: int, *received: str) -> Report:
    """The block at an index of r's table is bad."""
    return Report(received=received, bad=(("r", index),))


CASES = {
    "miss": Case(ALONE),
    "sync_hit": Case(ALONE, SYNC_HIT),
    "async_hit": Case((*ALONE, beside(5, 4)), ASYNC_HIT, {3: RECEIVED}),
    "async_full_prompt_hit": Case((Ask("r", PROMPT[:8], 2), beside(5, 4)), ASYNC_HIT, {3: RECEIVED}),
    "local_plus_external": Case(
        (Ask("warm", range(100, 105), 1), Ask("r", range(100, 115), 2, 1)), {"r": [(12, True)]}, {2: RECEIVED}
    ),
    "unknown_then_hit": Case(
        (*ALONE, Ask("later", range(200, 203), 3)), {"r": [(None, False), (None, False), (8, False)]}
    ),
    "sync_failure_recompute": Case(ALONE, SYNC_HIT, {1: bad(1)}, failure="recompute"),
    "sync_failure_fail": Case(ALONE, SYNC_HIT, {1: bad(1)}),
    "async_failure_recompute_second_block": failing("recompute", bad(1, "r")),
    "async_failure_recompute_first_block": failing("recompute", bad(0, "r")),
    "async_failure_recompute_reported_early": failing("recompute", bad(1), RECEIVED),
    "async_failure_fail": failing("fail", bad(1, "r")),
    "preempted_then_asked_again": Case(
        (Ask("A", [1] * 7, 8), Ask("B", [2] * 7, 6)),
        {"B": [(4, False), (4, False)]},
        knobs={"num_blocks": 6, "caching": False},
    ),
    "failed_recving_recompute": lost("recompute"),
    "failed_recving_fail": lost("fail"),
    "delayed_free": Case(
        (Ask("r", PROMPT, 1), beside(3, 3, 1)), reports={3: Report(sent=("r",))}, kept=("r",)
    ),
    "abort_while_loading": Case((*ALONE, beside(3, 4)), ASYNC_HIT, {3: RECEIVED}, {1: "r"}),
    # Of five free blocks two are spoken for by the prefill under way, so that a load of four has to wait;
    # the one-token request keeps the threshold on.
    "load_capacity": Case(
        (Ask("long", range(300, 316), 2), Ask("pad", [9], 1), Ask("r", range(100, 117), 2, 1)),
        {"r": [(16, True)]},
        {7: RECEIVED},
        knobs={"num_blocks": 8, "budget": 6, "long_prefill_token_threshold": 4},
    ),
}


def played(case: Case) -> dict[str, Any]:
    """The case, until its requests, reports and aborts are used up."""
    run = ConnectorRun(case.failure, **case.knobs)
    run.connector.answers |= {name: list(answers) for name, answers in case.answers.items()}
    run.connector.kept |= set(case.kept)
    run.reports |= case.reports
    coming = list(case.asks)
    while coming or run.reports or run.scheduler.has_unfinished_requests():
        if run.taken == STEP_LIMIT:
            raise RuntimeError(f"no end after {STEP_LIMIT} steps")
        while coming and coming[0].after <= run.taken:
            run.add(coming.pop(0))
        run.step()
        if run.taken in case.aborts:
            run.abort(case.aborts[run.taken])
    return run.document()


def in_the_files_shape(name: str, case: dict[str, Any]) -> dict[str, Any]:
    """The fields that the file names otherwise for failed loads; nothing is lost or added by it.

    Asynchronous ones also name the bad block at their end. Synchronous ones report theirs under a name of
    its own in step 1, whose status is noted even if it is the one before and whose answers are not.
    """
    if name.startswith("async_failure"):
        reported = [
            row["worker_report"]["invalid_block_ids"] for row in case["steps"] if "worker_report" in row
        ]
        return case | {"bad_block": reported[0][0]}
    if not name.startswith("sync_failure"):
        return case
    first, *others = case["steps"]
    moved = {
        "after_schedule": {"reported_bad_blocks": first.pop("worker_report")["invalid_block_ids"]},
        "calls": {"has_sync_kv_loads": first.pop("has_sync_kv_loads")},
    }
    row: dict[str, Any] = {}
    for key, value in first.items():
        row |= {key: value, **moved.get(key, {})}
    status = first["after_update"]["r"][0]
    trace = (
        ["WAITING", "RUNNING", status, *case["status_trace"]["r"][2:]]
        if others
        else case["status_trace"]["r"]
    )
    answers = case["connector_answers"] if others else {}
    return case | {"status_trace": {"r": trace}, "connector_answers": answers, "steps": [row, *others]}


def build(_base: int) -> dict[str, Any]:
    """Every case; no seeds are drawn."""
    return {
        "answers": "a scripted connector; answers are total prefix tokens",
        "row_states": "status, queue, num_computed_tokens, block table",
        **{name: in_the_files_shape(name, played(case)) for name, case in CASES.items()},
    }


if __name__ == "__main__":
    main(__doc__, build)
