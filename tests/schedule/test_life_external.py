"""The part of a request's life that an external store has in it: the connector's paths, by hand.

Turned red by: a load told before its blocks, a failed load that keeps its blocks, blocks of a kept request
shown as freed, a question told once for each round of the same.
"""

from __future__ import annotations

import pytest

from labs.engine.explain.life import life
from labs.engine.external.script import ExternalScript, Report
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.run.engines import vllm
from labs.engine.simulator import simulate
from tests.engine.golden_cases import Case, by_name, connector_cases, vllm_of
from tests.schedule.life_check import difference
from tests.schedule.life_lines import Line, life_of, lines

ASKED, LOADING = ("asked", 1, 0, 8), (1, "loading", 8)
CONNECTOR: dict[str, list[Line]] = {
    "miss": [(1, "asked", 1, 0, 0, False), (1, "allocated", [], [1, 2, 3], 28)],
    "sync_hit": [
        (1, *ASKED, False),
        (1, "allocated", [], [1, 2, 3], 28),
        (*LOADING, False),
        (1, "scheduled", 1, "prefill", 2, 8, "RUNNING"),
        (1, "loaded", 8),
    ],
    "async_hit": [
        (1, *ASKED, True),
        (1, "allocated", [], [1, 2], 29),
        (*LOADING, True),
        (3, "loaded", 8),
        (4, "allocated", [], [5], 26),
        (4, "scheduled", 4, "prefill", 2, 8, "RUNNING"),
    ],
    "async_full_prompt_hit": [
        (1, *ASKED, True),
        (1, "allocated", [], [1, 2], 29),
        (*LOADING, True),
        (3, "loaded", 8),
        (4, "scheduled", 4, "prefill", 1, 7, "RUNNING"),
    ],
    "local_plus_external": [
        (2, "asked", 2, 4, 8, True),
        (2, "allocated", [1], [2, 3], 28),
        (2, "loading", 8, True),
        (2, "loaded", 12),
        (3, "allocated", [], [4], 27),
        (3, "scheduled", 3, "prefill", 3, 12, "RUNNING"),
    ],
    "unknown_then_hit": [
        (1, "asked", 2, 0, None, False),
        (3, "asked", 3, 0, 8, False),
        (3, "allocated", [], [3, 4, 5], 26),
        (3, "loading", 8, False),
    ],
    "sync_failure_recompute": [
        (1, *ASKED, False),
        (1, "allocated", [], [1, 2, 3], 28),
        (*LOADING, False),
        (1, "scheduled", 1, "prefill", 2, 8, "RUNNING"),
        (1, "failed", 4),
        (2, "scheduled", 2, "prefill", 6, 4, "RUNNING"),
    ],
    "sync_failure_fail": [
        (1, *ASKED, False),
        (1, "allocated", [], [1, 2, 3], 28),
        (*LOADING, False),
        (1, "scheduled", 1, "prefill", 2, 8, "RUNNING"),
        (1, "failed", 4),
        (1, "finished", "error", False),
        (1, "freed", [3, 2, 1], 31),
    ],
    "async_failure_recompute_second_block": [
        (1, *ASKED, True),
        (1, "allocated", [], [1, 2], 29),
        (*LOADING, True),
        (2, "failed", 4),
        (2, "loaded", 4),
        (3, "allocated", [], [5], 26),
        (3, "scheduled", 3, "prefill", 6, 4, "RUNNING"),
    ],
    "async_failure_recompute_first_block": [
        (1, *ASKED, True),
        (1, "allocated", [], [1, 2], 29),
        (*LOADING, True),
        (2, "failed", 0),
        (2, "loaded", 0),
        (3, "freed", [2, 1], 29),
        (3, "asked", 3, 0, 0, False),
        (3, "allocated", [], [2, 1, 5], 26),
        (3, "scheduled", 3, "prefill", 10, 0, "RUNNING"),
    ],
    "async_failure_recompute_reported_early": [
        (1, *ASKED, True),
        (1, "allocated", [], [1, 2], 29),
        (*LOADING, True),
        (2, "failed", 4),
        (3, "loaded", 4),
        (4, "allocated", [], [5], 26),
    ],
    "async_failure_fail": [
        (1, *ASKED, True),
        (1, "allocated", [], [1, 2], 29),
        (*LOADING, True),
        (2, "failed", 4),
        (2, "finished", "error", True),
        (2, "freed", [2, 1], 29),
    ],
    "failed_recving_fail": [
        (1, *ASKED, True),
        (1, "allocated", [], [1, 2], 29),
        (*LOADING, True),
        (2, "failed", 0),
        (2, "finished", "error", True),
        (2, "freed", [2, 1], 31),
    ],
    "delayed_free": [
        (1, "asked", 1, 0, 0, False),
        (1, "allocated", [], [1, 2, 3], 28),
        (1, "scheduled", 1, "prefill", 10, 0, "RUNNING"),
        (1, "finished", "length", True),
        (3, "freed", [3, 2, 1], 30),
    ],
    "abort_while_loading": [
        (1, *ASKED, True),
        (1, "allocated", [], [1, 2], 29),
        (*LOADING, True),
        (1, "finished", "abort", True),
        (3, "freed", [2, 1], 29),
    ],
    "load_capacity": [
        (2, "asked", 6, 0, 16, True),
        (6, "allocated", [], [5, 6, 7, 4], 3),
        (6, "loading", 16, True),
        (7, "loaded", 16),
    ],
}


@pytest.mark.parametrize("case", by_name(connector_cases()))
def test_recorded_runs_with_a_connector(case: Case) -> None:
    events = life_of(case, vllm_of(case))
    assert difference(case, events, case["config"]["usable_blocks"]) is None


@pytest.mark.parametrize("name", CONNECTOR)
def test_the_paths_of_external_kv_by_hand(name: str) -> None:
    """From the first question on, as far as it is particular to the path."""
    case = connector_cases()[name]
    found = lines(life_of(case, vllm_of(case)), "r")
    assert found[1 : len(CONNECTOR[name]) + 1] == CONNECTOR[name]


def test_a_preempted_request_asks_its_connector_again() -> None:
    case = connector_cases()["preempted_then_asked_again"]
    events = lines(life_of(case, vllm_of(case)), "B")
    assert [(*event[:2], *event[3:5]) for event in events if event[1] == "asked"] == [
        (1, "asked", 0, 4),
        (4, "asked", 0, 4),
    ]
    assert (4, "asked", 9, 0, 4, False) in events  # once more in every round until it is admitted


def external_life(
    request: Request, answers: tuple[tuple[int | None, bool], ...], reports: dict[int, Report], *kept: str
) -> list[Line]:
    """The life of one request R with a connector, in 9 blocks of 4 tokens, from the first question on."""
    script = ExternalScript({"R": answers}, reports, "recompute", frozenset(kept))
    run = simulate([request], vllm(Knobs(kv_blocks=9, block_size=4), script), 9)
    return lines(life(run, [request], 4))[1:]


DONE = Report(finished_recving=("R",))


def test_a_prompt_of_one_token_that_was_loaded_keeps_its_block() -> None:
    """Its token is computed once more, for its logits; until the connector knows more it waits."""
    events = external_life(Request("R", 1, 0), ((1, True), (None, True), (0, False)), {1: DONE})
    assert [event[0] for event in events] == [1, 1, 1, 1, 2, 3, 3, 3, 3]
    assert [event[2] for event in events] == [
        *["asked", "allocated", "loading", "loaded", "asked", "asked", "scheduled", "finished", "freed"]
    ]


def test_an_abort_after_the_load_was_reported_frees_at_once() -> None:
    """Nothing may write to its blocks any more."""
    events = external_life(Request("R", 6, 3, abort=2), ((4, True),), {2: DONE, 4: Report()})
    assert events[-3:] == [
        (2, "R", "loaded", 4),
        (2, "R", "finished", "abort", False),
        (2, "R", "freed", [1], 9),
    ]


def test_an_abort_keeps_blocks_that_are_still_saved() -> None:
    """They are free when the save is reported."""
    saved = Report(finished_sending=("R",))
    events = external_life(Request("R", 6, 9, abort=2), ((0, False),), {4: saved}, "R")
    assert events[-2:] == [(2, "R", "finished", "abort", True), (4, "R", "freed", [2, 1], 9)]
