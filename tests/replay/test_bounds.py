"""Bounds of a replay: what is refused beforehand, and at which option; a real hour stays accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labs.base import LabError
from labs.replay import bounds, clock
from labs.replay.load import Arrival
from labs.schedule_replay import Params
from labs.view.catalog.errors_replay import REPLAY_RULES
from tests.replay.small_replays import PLAIN_TICKS, played
from tests.schedule.replay_line import mooncake, refusal

REFUSED = [
    pytest.param(["--random", "200001"], ("--random", "at_most"), id="requests"),
    pytest.param(
        ["--random", "100", "--input-len", "20001", "--budget", "1"],
        ("--budget", "too_many_prefill_steps"),
        id="a small budget",
    ),
    pytest.param(
        ["--random", "100", "--input-len", "20001", "--long-prefill-threshold", "1"],
        ("--long-prefill-threshold", "too_many_prefill_steps"),
        id="a small threshold",
    ),
    pytest.param(
        ["--random", "200000", "--input-len", "90112"],
        ("--input-len", "too_many_prefill_steps"),
        id="long prompts",
    ),
    pytest.param(
        ["--random", "1", "--output-len", "2000001"], ("--output-len", "too_long_an_output"), id="an output"
    ),
    pytest.param(
        ["--random", "200000", "--max-num-seqs", "1"],
        ("--output-len", "too_many_engine_steps"),
        id="outputs one after the other",
    ),
    pytest.param(
        ["--random", "10", "--input-len", "1000000", "--block-size", "1"],
        ("--block-size", "too_many_replay_blocks"),
        id="small blocks",
    ),
    pytest.param(
        ["--random", "200000", "--rule", "decode-first"],
        ("--output-len", "too_many_tokens_served"),
        id="a rule that serves each token by itself",
    ),
    pytest.param(
        ["--random", "200000", "--output-len", "1", "--sweep-rate", "1,2,3,4,5,6"],
        ("--sweep-rate", "too_long_a_sweep"),
        id="a sweep of rates",
    ),
    pytest.param(
        [
            "--random",
            "5",
            "--input-len",
            "1000000",
            "--block-size",
            "1",
            "--sweep-blocks",
            ",".join(str(9_000_000 + number) for number in range(12)),
        ],
        ("--sweep-blocks", "too_long_a_sweep"),
        id="a sweep of blocks",
    ),
]


@pytest.mark.parametrize(("words", "expected"), REFUSED)
def test_too_much_is_refused_beforehand(words: list[str], expected: tuple[str, str]) -> None:
    assert refusal(*words) == expected


def test_a_trace_is_refused_where_its_size_is_to_blame(tmp_path: Path) -> None:
    long = [
        {"timestamp": n, "input_length": 2 * 10**6, "output_length": 2, "hash_ids": [n]} for n in range(6)
    ]
    trace = mooncake(tmp_path, long)
    assert refusal(trace, "--block-tokens", "2000000", "--block-size", "1") == (
        "--block-size",
        "too_many_replay_blocks",
    )


def arrivals(number: int, prompt: int, outputs: int) -> tuple[Arrival, ...]:
    return (Arrival(0, prompt, outputs),) * number


def test_a_real_hour_stays_accepted() -> None:
    """12,031 requests, 145 million prompt tokens and 4.1 million outputs, in blocks of 512 and of 16."""
    hour = arrivals(12_031, 12_052, 343)
    rates: tuple[str, ...] = ("1", "2", "3", "4", "inf")
    for size in (512, 16):
        Params(arrivals=hour, block_size=size, sweep_rate=rates)
    Params(arrivals=hour, rule="decode-first", sweep_rate=rates)


def test_room_ends_an_output() -> None:
    Params(arrivals=arrivals(1, 10, 10**7), max_model_len=1000)
    with pytest.raises(LabError, match="too_long_an_output"):
        Params(arrivals=arrivals(1, 10, 10**7))


def test_the_largest_sweep_is_told_and_accepted() -> None:
    """6 x 200,000 requests over all runs: at 200,000 the replay and five points."""
    many = arrivals(bounds.MOST_REQUESTS, 1, 1)
    with pytest.raises(LabError) as refused:
        Params(arrivals=many, sweep_rate=("1",) * 6)
    assert (refused.value.got, refused.value.values["most"]) == (6, 5)
    Params(arrivals=many, sweep_rate=("1",) * 5)


def test_steps_are_counted_on_the_way() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "MOST_STEPS", 5)
        played([(0, 4, 5)], PLAIN_TICKS)
        with pytest.raises(LabError) as refused:
            played([(0, 4, 6)], PLAIN_TICKS)
    assert refused.value.rule == "too_many_engine_steps"


def test_who_waits_is_counted_where_each_round_looks_at_all() -> None:
    """40 requests of a token, one a step: 80 for these, and a fourth of the 40 + 39 + ... + 1 there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "MAX_STEPS", 100)
        load = [(0, 1, 1)] * 40
        played(load, PLAIN_TICKS, budget=1)
        with pytest.raises(LabError) as refused:
            played(load, PLAIN_TICKS, "decode-first", budget=1)
    assert refused.value.rule == "too_many_replay_steps"


def test_the_text_names_what_is_too_much() -> None:
    rules = [name for name in REPLAY_RULES if name.startswith("too_")]
    assert len(rules) == 8, json.dumps(rules)
    assert all("{most}" in text for name in rules for text in REPLAY_RULES[name])
