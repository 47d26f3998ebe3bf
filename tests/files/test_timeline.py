"""Timelines keep the rules of Chrome's trace event format, and say what the run says.

Turned red by: slices of a track that overlap or leave out a round, a slice for each round of a long run, a
counter that runs back in time or misses a block taken within rounds played at once, an abort shown for who
has finished, times that are no whole numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.simulator import Run, simulate
from labs.files.timeline import timeline
from labs.schedule import LECTURE
from tests.engine import workloads
from tests.engine.golden_cases import (
    Case,
    by_name,
    connector_cases,
    nano_cases,
    nano_vllm_of,
    requests_of,
    scheduler_cases,
    vllm_of,
)

TraceEvent = dict[str, Any]
MS = 1000  # microseconds, drawn for a round
REQUIRED = {  # by phase, as the format's description has it
    "X": {"name", "ph", "ts", "dur", "pid", "tid"},
    "i": {"name", "ph", "ts", "pid", "tid", "s"},
    "C": {"name", "ph", "ts", "pid", "args"},
    "M": {"name", "ph", "pid", "tid", "args"},
}


def events_of(document: dict[str, Any], phase: str) -> list[TraceEvent]:
    return [event for event in document["traceEvents"] if event["ph"] == phase]


def drawn(run: Run, requests: Sequence[Request], name: str) -> list[tuple[str, float, float, int | None]]:
    """A track's slices: what, first round (from 0), rounds, tokens in each."""
    document = timeline(run, requests)
    tids = {event["args"]["name"]: event["tid"] for event in names_of(document)}
    return [
        (event["name"], event["ts"] / MS, event["dur"] / MS, event["args"].get("tokens_each"))
        for event in events_of(document, "X")
        if event["tid"] == tids[name]
    ]


def names_of(document: dict[str, Any]) -> list[TraceEvent]:
    return [event for event in document["traceEvents"] if event["name"] == "thread_name"]


def instants(document: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [(event["name"], event["tid"], event["ts"]) for event in events_of(document, "i")]


def blocks_in_use(document: dict[str, Any]) -> dict[int, int]:
    """Round (from 1) -> blocks, where they change."""
    return {event["ts"] // MS + 1: event["args"]["blocks"] for event in events_of(document, "C")}


def lecture(rule: str = "decode-first") -> Run:
    return simulate(LECTURE, RULES[rule].make(Knobs(budget=8), None, True), 1000)


def test_the_lecture_case_by_hand() -> None:
    """A decodes for three rounds, B for two; C prefills 6, then 4; D comes in round 2."""
    document = timeline(lecture(), LECTURE)
    assert drawn(lecture(), LECTURE, "A") == [("decode", 0, 3, 1)]
    assert drawn(lecture(), LECTURE, "B") == [("decode", 0, 2, 1)]
    assert drawn(lecture(), LECTURE, "C") == [("prefill", 0, 1, 6), ("prefill", 1, 1, 4), ("decode", 2, 2, 1)]
    assert drawn(lecture(), LECTURE, "D") == [("prefill", 1, 1, 2), ("decode", 2, 1, 1)]
    assert instants(document) == [
        ("finished", 2, 2 * MS),
        ("finished", 1, 3 * MS),
        ("finished", 4, 3 * MS),
        ("finished", 3, 4 * MS),
    ]
    assert events_of(document, "C") == []  # no pool, no blocks
    assert [event["args"]["name"] for event in names_of(document)] == ["A", "B", "C", "D"]
    assert document["displayTimeUnit"] == "ms"
    assert "no unit of time" in document["otherData"]["note"]
    assert (document["otherData"]["round_us"], document["otherData"]["rounds"]) == (MS, 4)


def test_waiting_is_drawn_too() -> None:
    """Budget 2, C of the lecture: waits two rounds, then gets 1 token and four times 2, then 1."""
    run = simulate(LECTURE, RULES["decode-first"].make(Knobs(budget=2), None, True), 1000)
    assert drawn(run, LECTURE, "C") == [
        ("waiting", 0, 2, None),
        ("prefill", 2, 1, 1),
        ("prefill", 3, 4, 2),
        ("prefill", 7, 1, 1),
        ("decode", 8, 2, 1),
    ]
    assert drawn(run, LECTURE, "D") == [
        ("waiting", 1, 6, None),
        ("prefill", 7, 2, 1),
        ("decode", 9, 1, 1),
    ]


@pytest.mark.parametrize("case", by_name(scheduler_cases()))
def test_blocks_in_use_as_recorded(case: Case) -> None:
    """The counter after each step's scheduling is the engine's."""
    warm_up, steps = case.get("warm_up_steps", 0), case["steps"]
    run = simulate(requests_of(case), vllm_of(case), warm_up + len(steps))
    changes = blocks_in_use(timeline(run, requests_of(case)))
    for number, step in enumerate(steps, warm_up + 1):
        used = changes[max(change for change in changes if change <= number)]
        assert used == case["config"]["usable_blocks"] - step["free_blocks"], number


@pytest.mark.parametrize("case", by_name(nano_cases()))
def test_blocks_in_use_as_recorded_of_nano_vllm(case: Case) -> None:
    run = simulate(requests_of(case), nano_vllm_of(case), case["warm_up_steps"] + len(case["rows"]))
    changes = blocks_in_use(timeline(run, requests_of(case)))
    for row in case["rows"]:
        used = changes[max(n for n in changes if n <= row["step"] + case["warm_up_steps"])]
        assert used == case["config"]["num_blocks"] - len(row["free_queue"]), row["step"]


def test_blocks_come_down_when_all_is_over() -> None:
    case = scheduler_cases()["preempt_fcfs"]
    document = timeline(simulate(requests_of(case), vllm_of(case), 1000), requests_of(case))
    assert blocks_in_use(document) == {1: 6, 7: 8, 10: 3, 14: 4, 17: 0}
    assert instants(document) == [
        ("preempted", 3, 2 * MS),
        ("finished", 1, 9 * MS),
        ("finished", 2, 9 * MS),
        ("finished", 3, 16 * MS),
    ]


def test_a_load_is_drawn_as_loading_and_kept_blocks_as_in_use() -> None:
    case = connector_cases()["abort_while_loading"]  # aborted after step 1; its load ends in step 3
    run = simulate(requests_of(case), vllm_of(case), 1000)
    assert drawn(run, requests_of(case), "r") == [("loading", 0, 1, None)]
    document = timeline(run, requests_of(case))
    assert blocks_in_use(document) == {1: 3, 3: 4, 4: 2, 5: 0}
    assert ("aborted", 1, MS) in instants(document)


def test_an_abort_after_the_end_is_not_drawn() -> None:
    request = Request("A", 4, 1, abort=2)
    run = simulate([request], RULES["vllm"].make(Knobs(), None, True), 1000)
    assert instants(timeline(run, [request])) == [("finished", 1, 2 * MS)]


def check_format(document: dict[str, Any]) -> None:
    """The format's rules, and that each track is a whole: no overlap, no gap while a request is there."""
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    ends: dict[int, int] = {}
    counted = -1
    named = {event["tid"] for event in names_of(document)}
    for event in document["traceEvents"]:
        assert REQUIRED[event["ph"]] <= set(event)
        for key in ("ts", "dur", "pid", "tid"):
            value = event.get(key, 0)
            assert isinstance(value, int)
            assert value >= 0
        if event["ph"] == "X":
            assert event["dur"] > 0
            assert event["tid"] in named
            assert ends.setdefault(event["tid"], event["ts"]) == event["ts"]
            ends[event["tid"]] += event["dur"]
        elif event["ph"] == "i":
            assert event["s"] in ("g", "p", "t")
            assert event["tid"] in named
        elif event["ph"] == "C":
            assert event["ts"] > counted
            counted = event["ts"]
            assert all(isinstance(value, int) and value >= 0 for value in event["args"].values())
    assert len(named) == len(names_of(document))


def drawing(rule: str, requests: list[Request], knobs: Knobs, rounds: int, skip: bool) -> dict[str, Any]:
    """The timeline of a run; an empty one if its requests are refused."""
    try:
        run = simulate(requests, RULES[rule].make(knobs, None, True), rounds, skip)
    except LabError:
        return {"traceEvents": []}
    return timeline(run, requests)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_run_keeps_the_format_and_skipping_changes_nothing(rule: str, data: st.DataObject) -> None:
    requests, knobs = data.draw(workloads.requests(rule)), data.draw(workloads.knobs())
    rounds = data.draw(st.integers(1, 120))
    document = drawing(rule, requests, knobs, rounds, True)
    check_format(document)
    assert drawing(rule, requests, knobs, rounds, False) == document


@pytest.mark.parametrize("case", by_name({**connector_cases(), **scheduler_cases()}))
def test_recorded_cases_keep_the_format(case: Case) -> None:
    run = simulate(requests_of(case), vllm_of(case), 1000)
    check_format(timeline(run, requests_of(case)))


@pytest.mark.parametrize(
    "event",
    [
        {"name": "decode", "ph": "X", "ts": 500, "dur": 1000, "pid": 1, "tid": 1},
        {"name": "decode", "ph": "X", "ts": 4000, "dur": 0, "pid": 1, "tid": 1},
        {"name": "decode", "ph": "X", "ts": 3000.5, "dur": 1000, "pid": 1, "tid": 1},
        {"name": "decode", "ph": "X", "ts": 0, "dur": 1000, "pid": 1, "tid": 9},
        {"name": "decode", "ph": "X", "ts": 3000, "pid": 1, "tid": 1},
        {"name": "finished", "ph": "i", "ts": 3000, "pid": 1, "tid": 1},
    ],
    ids=["overlap", "no length", "half microsecond", "no such track", "no duration", "no scope"],
)
def test_the_check_sees(event: TraceEvent) -> None:
    """An event that breaks the format is found out."""
    document = timeline(lecture(), LECTURE)
    document["traceEvents"].append(event)
    with pytest.raises(AssertionError):
        check_format(document)


def test_the_check_sees_a_counter_that_runs_back() -> None:
    document = timeline(lecture("vllm"), LECTURE)
    document["traceEvents"].append({**events_of(document, "C")[0], "tid": 0})
    with pytest.raises(AssertionError):
        check_format(document)


def test_a_long_run_is_a_few_slices() -> None:
    """100,000 rounds of decoding are one slice; the counter has a step a block of 16."""
    request = Request("A", 0, None, context=1)
    run = simulate([request], RULES["vllm"].make(Knobs(), None, True), 100_000)
    document = timeline(run, [request])
    assert drawn(run, [request], "A") == [("decode", 0, 100_000, 1)]
    assert len(events_of(document, "C")) == -(-100_001 // 16)
