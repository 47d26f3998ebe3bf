"""The life of each request, by hand: what is noted, in which order, and with which figures.

Expected values are the engines' own (tests/golden) or worked out beside the test. Turned red by: a preemption
after the allocation it made room for, victims in the wrong order, hits counted as taken, a run of decode
steps that spans an allocation, a stop told as length.
"""

from __future__ import annotations

from typing import Any

import pytest

from labs.engine.explain.life import life
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.run.engines import nano_vllm, vllm
from labs.engine.run.stepper import EngineStepper
from labs.engine.simulator import simulate
from tests.engine.golden_cases import scheduler_cases, vllm_of
from tests.schedule.life_lines import life_of, lines

MANY = 1000  # rounds


def test_a_preempted_request_by_hand() -> None:
    """`preempt_fcfs`: C finds no block in round 3, loses the 8 tokens it had, and comes back in round 10."""
    case = scheduler_cases()["preempt_fcfs"]
    decode, running = ("decode", 1), ("RUNNING",)
    assert lines(life_of(case, vllm_of(case))) == [
        *[(1, name, "created", "WAITING", 7, 2) for name in "ABC"],
        (1, "A", "allocated", [], [1, 2], 6),
        (1, "A", "scheduled", 1, "prefill", 7, 0, *running),
        (1, "B", "allocated", [], [3, 4], 4),
        (1, "B", "scheduled", 1, "prefill", 7, 0, *running),
        (1, "C", "allocated", [], [5, 6], 2),
        (1, "C", "scheduled", 1, "prefill", 7, 0, *running),
        *[(2, name, "scheduled", 2, *decode, 7, *running) for name in "ABC"],
        (3, "A", "allocated", [], [7], 1),
        (3, "A", "scheduled", 6, *decode, 8, *running),
        (3, "B", "allocated", [], [8], 0),
        (3, "B", "scheduled", 6, *decode, 8, *running),
        (3, "C", "preempted", 8),
        (3, "C", "freed", [6, 5], 2),
        (7, "A", "allocated", [], [6], 1),
        (7, "A", "scheduled", 9, *decode, 12, *running),
        (7, "B", "allocated", [], [5], 0),
        (7, "B", "scheduled", 9, *decode, 12, *running),
        (9, "A", "finished", "length", False),
        (9, "A", "freed", [6, 7, 2, 1], 4),
        (9, "B", "finished", "length", False),
        (9, "B", "freed", [5, 8, 4, 3], 8),
        (10, "C", "resumed"),
        (10, "C", "allocated", [], [5, 6, 7], 5),
        (10, "C", "scheduled", 10, "prefill", 9, 0, *running),
        (11, "C", "scheduled", 13, *decode, 9, *running),
        (14, "C", "allocated", [], [2], 4),
        (14, "C", "scheduled", 16, *decode, 12, *running),
        (16, "C", "finished", "length", False),
        (16, "C", "freed", [2, 7, 6, 5], 8),
    ]


def test_hits_by_hand() -> None:
    """`prefix_hits`: equal beginnings of the same step share; blocks that are shared stay in use."""
    case = scheduler_cases()["prefix_hits"]
    events = life_of(case, vllm_of(case))
    assert [line for line in lines(events) if line[2] == "allocated" and line[0] in (1, 2)] == [
        (1, "A", "allocated", [], [1, 2, 3, 4], 59),
        (1, "A_same_step", "allocated", [1, 2, 3], [5], 58),
        (2, "B", "allocated", [1, 2, 3], [6], 57),
        (2, "C_full", "allocated", [1, 2], [7], 56),
        (2, "D_miss", "allocated", [], [8, 9], 54),
    ]
    freed = [line for line in lines(events) if line[2] == "freed" and line[0] == 2]
    assert freed == [(2, "A", "freed", [4, 3, 2, 1], 55), (2, "A_same_step", "freed", [5, 3, 2, 1], 56)]


def test_a_preemption_stands_before_what_it_makes_room_for() -> None:
    """One block is left and A, then B need one: C goes for B's, not for A's (two prompts of 4, one of 3)."""
    requests = [Request(name, prefill=4, decode=4) for name in "AB"] + [Request("C", prefill=3, decode=4)]
    knobs = Knobs(budget=16, kv_blocks=4, block_size=4)
    events = life(simulate(requests, vllm(knobs), MANY), requests, 4)
    acts = [event[1:3] for event in lines(events) if event[0] == 2]
    assert acts == [
        ("A", "allocated"),
        ("A", "scheduled"),
        ("C", "preempted"),
        ("C", "freed"),
        ("B", "allocated"),
        ("B", "scheduled"),
    ]


def test_two_preemptions_in_one_round() -> None:
    """A goes on with 8 of its 16 tokens and needs two blocks: the last to come goes first."""
    requests = [Request("A", 16, 0), Request("B", 3, 4), Request("C", 3, 4)]
    knobs = Knobs(budget=14, kv_blocks=4, block_size=4, full_prompt_must_fit=False, long_prefill_threshold=8)
    events = life(simulate(requests, vllm(knobs), MANY), requests, 4)
    assert [event for event in lines(events) if event[0] == 2][:5] == [
        (2, "C", "preempted", 3),
        (2, "C", "freed", [4], 1),
        (2, "B", "preempted", 3),
        (2, "B", "freed", [3], 2),
        (2, "A", "allocated", [], [3, 4], 0),
    ]


def test_a_victim_of_round_1_shows_no_table_there() -> None:
    """Contexts of 3 and 4 in two blocks of 4: B needs a third block, and A is less important."""
    requests = [Request("A", 0, 3, context=3, priority=5), Request("B", 0, 3, context=4)]
    knobs = Knobs(budget=8, kv_blocks=2, block_size=4, policy="priority", prefix_caching=False)
    events = life(simulate(requests, vllm(knobs), 1), requests, 4)
    assert [event[1:] for event in lines(events) if event[2] != "created"] == [
        ("A", "allocated", [], [1], 1),
        ("B", "allocated", [], [2], 0),
        ("A", "preempted", 3),
        ("A", "freed", [1], 1),
        ("B", "allocated", [], [1], 0),
        ("B", "scheduled", 1, "decode", 1, 4, "RUNNING"),
    ]


def test_a_victim_that_had_its_turn_by_hand() -> None:
    """`preempt_priority_already_scheduled`: what `low` took in round 3 before it had to go is not known to
    the run; it gives back what it held before, ahead of the allocation that it makes room for."""
    case = scheduler_cases()["preempt_priority_already_scheduled"]
    assert [line for line in lines(life_of(case, vllm_of(case))) if line[0] == 3] == [
        (3, "low", "preempted", 8),
        (3, "low", "freed", [2, 1], 3),
        (3, "high", "allocated", [], [5], 2),
        (3, "high", "scheduled", 6, "decode", 1, 8, "RUNNING"),
    ]


REASONS = [
    ("length", Request("A", 4, 3), {}, "length", 4),
    ("max_model_len", Request("A", 4, 9), {"max_model_len": 6}, "length", 2),
    ("a stop token", Request("A", 4, 9, stop_token_ids=(1065 + 17 * 3,)), {}, "stop", 3),
    ("a stop token that comes last", Request("A", 4, 2, stop_token_ids=(1065 + 17 * 3,)), {}, "stop", 3),
    ("a stop token that is never sampled", Request("A", 4, 2, stop_token_ids=(1,)), {}, "length", 3),
    ("aborted", Request("A", 4, 9, abort=2), {}, "abort", 2),
    ("aborted too late", Request("A", 4, 1, abort=2), {}, "length", 2),
]


@pytest.mark.parametrize(
    ("request_", "knobs", "reason", "rounds"), [row[1:] for row in REASONS], ids=[row[0] for row in REASONS]
)
def test_why_a_request_ends(request_: Request, knobs: dict[str, Any], reason: str, rounds: int) -> None:
    """A prompt of 4 in round 1, then an output a round; A's n-th output is 1065 + 17 n."""
    run = simulate([request_], vllm(Knobs(kv_blocks=9, **knobs)), MANY)
    ends = [event for event in life(run, [request_], 16) if event.kind == "finished"]
    assert [(event.round, event.reason) for event in ends] == [(rounds, reason)]


def test_nano_vllm_stops_by_its_own_tokens() -> None:
    """Its n-th output is 7000 + the tokens known before: 7005 is the second of a prompt of 4."""
    request = Request("A", 4, 9, stop_token_ids=(7005,))
    run = simulate([request], nano_vllm(Knobs(kv_blocks=9)), MANY)
    ends = [event for event in life(run, [request], 16) if event.kind == "finished"]
    assert [(event.round, event.reason) for event in ends] == [(2, "stop")]


def test_who_decodes_from_the_start_holds_blocks_before_round_1() -> None:
    """Contexts of 4 and 5 in blocks of 4; in round 1 nobody serves B, and nano-vllm serves neither."""
    requests = [Request("A", 0, 2, context=4), Request("B", 0, 2, context=5), Request("C", 3, 1)]
    for stepper, first in ((vllm(Knobs(budget=1, block_size=4, kv_blocks=7)), 1), (nano(1, 7), 0)):
        events = lines(life(simulate(requests, stepper, 1), requests, 4))
        assert events[:5] == [
            (1, "A", "created", "RUNNING", 5, 2),
            (1, "A", "allocated", [], [first], 6),
            (1, "B", "created", "RUNNING", 6, 2),
            (1, "B", "allocated", [], [first + 1, first + 2], 4),
            (1, "C", "created", "WAITING", 3, 1),
        ]


def nano(budget: int, blocks: int | None) -> EngineStepper:
    return nano_vllm(Knobs(budget=budget, block_size=4, kv_blocks=blocks))


def test_a_prefill_that_nano_vllm_cuts_goes_on_waiting() -> None:
    """All blocks of the prompt at once; budget 3 of 5 tokens, then the last 2."""
    request = Request("A", 5, 1)
    events = lines(life(simulate([request], nano(3, None), MANY), [request], 4))
    assert events[1:4] == [
        (1, "A", "allocated", [], [0, 1], None),
        (1, "A", "scheduled", 1, "prefill", 3, 0, "WAITING"),
        (2, "A", "scheduled", 2, "prefill", 2, 3, "RUNNING"),
    ]


def test_a_lecture_rule_has_no_blocks() -> None:
    """The course's case at budget 8."""
    requests = [
        Request("A", 0, 3, context=1),
        Request("B", 0, 2, context=1),
        Request("C", 10, 2),
        Request("D", 2, 1, arrive=2),
    ]
    run = simulate(requests, RULES["decode-first"].make(Knobs(budget=8), None, True), MANY)
    assert lines(life(run, requests, 16)) == [
        (1, "A", "created", "RUNNING", 2, None),
        (1, "B", "created", "RUNNING", 2, None),
        (1, "C", "created", "WAITING", 10, None),
        (1, "A", "scheduled", 3, "decode", 1, 1, "RUNNING"),
        (1, "B", "scheduled", 2, "decode", 1, 1, "RUNNING"),
        (1, "C", "scheduled", 1, "prefill", 6, 0, "RUNNING"),
        (2, "D", "created", "WAITING", 2, None),
        (2, "C", "scheduled", 2, "prefill", 4, 6, "RUNNING"),
        (2, "D", "scheduled", 2, "prefill", 2, 0, "RUNNING"),
        (2, "B", "finished", "length", False),
        (3, "C", "scheduled", 4, "decode", 1, 10, "RUNNING"),
        (3, "D", "scheduled", 3, "decode", 1, 2, "RUNNING"),
        (3, "A", "finished", "length", False),
        (3, "D", "finished", "length", False),
        (4, "C", "finished", "length", False),
    ]
