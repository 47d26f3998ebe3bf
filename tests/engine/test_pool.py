"""Block pool, hash table and KV manager against recorded calls of vLLM's, block ids included.

Turned red by: see `test_sabotage.py`.
"""

from __future__ import annotations

import pytest

from labs.engine.blocks import num_blocks, slot
from labs.engine.knobs import Knobs
from labs.engine.kv.block_pool import NULL_BLOCK, BlockPool
from labs.engine.requests import Request
from labs.engine.run.engines import vllm
from labs.engine.simulator import simulate
from tests.engine.golden_cases import Case, by_name, golden, kv_fuzz_cases
from tests.engine.pool_check import POOLS, Replay, difference, fuzz_difference

KV_CACHE = golden("kv_cache.json")


@pytest.mark.parametrize("name", POOLS)
def test_hand_made_calls(name: str) -> None:
    assert difference(KV_CACHE[name], *POOLS[name]) is None


@pytest.mark.parametrize("case", by_name(kv_fuzz_cases()))
def test_random_calls(case: Case) -> None:
    assert fuzz_difference(case) is None


def hit_of(block_size: int, first: range, second: list[int], *, free: bool) -> int:
    """The second prompt's hit (tokens) once the first one is there, and freed if asked."""
    replay = Replay(60, block_size)
    replay.request("first", first)
    assert replay.admit("first") is not None
    if free:
        replay.free("first")
    replay.request("second", second)
    return len(replay.hit("second")) * block_size


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{row['prompt']}-of-{row['block']}")
        for row in KV_CACHE["full_hit"]["identical_prompt"]
    ],
)
def test_a_prompt_that_is_cached_whole(row: Case) -> None:
    """Its last token is computed, and with it its block; one token more, and all earlier blocks are hit."""
    prompt = range(row["prompt"])
    hit = hit_of(row["block"], prompt, list(prompt), free=True)
    assert (hit, row["prompt"] - hit) == (row["hit_tokens"], row["recomputed"])
    assert hit // row["block"] == row["hit_blocks"]


@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("longer_request_hit", list(range(40))),
        ("diverges_after_16_hit", [*range(16), *[999] * 24]),
        ("first_token_differs_hit", [999, *range(1, 40)]),
    ],
)
def test_a_prompt_that_begins_alike(name: str, second: list[int]) -> None:
    """Beside a prompt of 32 tokens in blocks of 16."""
    assert hit_of(16, range(32), second, free=False) == KV_CACHE["full_hit"][name]


def test_a_block_is_found_after_its_own_beginning_only() -> None:
    """Two prompts of two blocks are cached; one that begins as the first and ends as the second hits one."""
    replay = Replay(20)
    beginnings, ends = ([0, 1, 2, 3], [4, 5, 6, 7]), ([10, 11, 12, 13], [14, 15, 16, 17])
    for name, beginning, end in zip("AB", beginnings, ends, strict=True):
        replay.request(name, [*beginning, *end])
        replay.admit(name)
    replay.request("C", [*beginnings[0], *ends[1], 99])
    assert replay.hit("C") == replay.requests["A"].block_table[:1]


@pytest.mark.parametrize("row", KV_CACHE["watermark"], ids=lambda row: f"{row['watermark']}")
def test_watermark(row: Case) -> None:
    """Eight usable blocks: A takes five while nothing runs, B of two comes after it."""
    replay = Replay(8, watermark_blocks=row["watermark_blocks"])
    replay.request("A", range(20))
    assert (replay.admit("A", others_run=False) is not None) == row["A_admitted"]
    assert replay.pool.num_free == row["free_before_B"]
    replay.request("B", range(100, 108))
    assert num_blocks(8, 4) == row["B_needs"]
    assert (replay.admit("B") is not None) == row["B_admitted"]


@pytest.mark.parametrize(
    ("watermark", "first_rounds"),
    [
        pytest.param(0, {"A": 1, "B": 2}, id="none"),
        pytest.param(0.1, {"A": 1, "B": 2}, id="int-of-0.9-blocks-is-none"),
        pytest.param(0.12, {"A": 1, "B": 2}, id="one-block-is-left"),
        pytest.param(0.25, {"A": 1, "B": 6}, id="two-of-nine-until-A-has-finished"),
        pytest.param(0.99, {"A": 1, "B": 6}, id="none-of-it-holds-while-nothing-runs"),
    ],
)
def test_watermark_as_a_knob(watermark: float, first_rounds: dict[str, int]) -> None:
    """A takes five of eight usable blocks (nine with the null block), and a sixth in its last decode pass."""
    requests = [Request("A", 17, 4), Request("B", 8, 1, arrive=2)]
    knobs = Knobs(budget=64, kv_blocks=8, block_size=4, watermark=watermark)
    run = simulate(requests, vllm(knobs), 20)
    assert {outcome.name: outcome.first_round for outcome in run.outcomes} == first_rounds
    assert all(outcome.ended for outcome in run.outcomes)
    assert not any(round.preempted for round in run.rounds)


@pytest.mark.parametrize("row", KV_CACHE["slot_math"], ids=lambda row: f"position-{row['position']}")
def test_slots_of_a_block_table(row: Case) -> None:
    assert slot(row["position"], [7, 2, 9], 4) == row["slot"] == row["block"] * 4 + row["offset"]


@pytest.mark.parametrize("caching", [True, False], ids=["caching", "no-caching"])
def test_the_null_block_is_never_handed_out(caching: bool) -> None:
    replay = Replay(5, caching=caching)
    for turn in range(6):
        replay.request(f"r{turn}", range(20 * turn, 20 * turn + 20))
        assert replay.admit(f"r{turn}") is not None
        assert sorted(replay.requests[f"r{turn}"].block_table) == [1, 2, 3, 4, 5]
        assert replay.pool.free_queue() == []
        replay.free(f"r{turn}")
        assert NULL_BLOCK not in replay.pool.free_queue()


@pytest.mark.parametrize("count", [0, 1, 3])
def test_taking_blocks_up_to_the_last(count: int) -> None:
    pool = BlockPool(3)
    assert pool.take(count) == [1, 2, 3][:count]
    assert pool.free_queue() == [1, 2, 3][count:]
    assert (pool.num_free, pool.num_used) == (3 - count, count)


def test_a_failed_call_changes_nothing() -> None:
    replay = Replay(3)
    replay.request("A", range(8))
    assert replay.admit("A") == [1, 2]
    replay.request("B", [*range(4), *range(50, 58)])
    assert replay.admit("B") is None  # one block hit, two wanted, one free
    assert replay.ref_counts() == {"1": 1, "2": 1}
    assert replay.requests["B"].block_table == []
    assert not replay.grow("A", 17)
    assert replay.requests["A"].block_table == [1, 2]
    assert replay.pool.free_queue() == [3]
