"""What other projects' tests assert of blocks and prefix caching, as table rows (`pt-..`).

Origin: see `tests/golden/README.md`.
"""

from __future__ import annotations

import pytest

from labs.engine.blocks import num_blocks, slot
from labs.engine.kv.block_pool import BlockPool
from tests.engine.pool_check import Replay

Spans = list[tuple[int, int]]  # token, how many times
BEGINNING: Spans = [(0, 16), (1, 16), (2, 16)]


def prompt(*spans: tuple[int, int]) -> list[int]:
    """The tokens of a prompt written as [token, times]."""
    return [token for token, times in spans for _ in range(times)]


def shared() -> Replay:
    """Ten usable blocks of 16; A of 55 tokens, then B of 53 with the same first 48."""
    replay = Replay(10, 16)
    replay.request("A", prompt(*BEGINNING, (3, 7)))
    replay.request("B", prompt(*BEGINNING, (3, 5)))
    assert replay.admit("A") == [1, 2, 3, 4]
    return replay


def test_pt_02_a_live_owners_blocks_are_shared() -> None:
    replay = shared()
    assert len(replay.hit("B")) * 16 == 48
    assert replay.admit("B") == [5]
    assert replay.requests["B"].block_table == [1, 2, 3, 5]
    assert replay.ref_counts() == {"1": 2, "2": 2, "3": 2, "4": 1, "5": 1}
    assert replay.pool.num_free == 5


def freed_and_hit() -> Replay:
    """A and B come and go, then C has the same first 48 tokens."""
    replay = shared()
    replay.admit("B")
    replay.free("A")
    replay.free("B")
    replay.request("C", prompt(*BEGINNING, (3, 6)))
    return replay


def test_pt_04_blocks_without_an_owner_still_hit() -> None:
    replay = freed_and_hit()
    assert len(replay.hit("C")) * 16 == 48
    assert replay.admit("C") == [5]
    assert replay.pool.num_free == 6


def test_pt_05_the_shared_prefix_is_evicted_last_and_deepest_block_first() -> None:
    replay = freed_and_hit()
    replay.admit("C")
    replay.free("C")
    replay.request("D", prompt((99, 160)))
    assert replay.hit("D") == []
    assert replay.admit("D") == [5, 4, 6, 7, 8, 9, 10, 3, 2, 1]
    assert replay.pool.num_free == 0


def test_pt_06_a_decode_fills_a_block_that_then_has_a_hash() -> None:
    replay = Replay(10, 16)
    replay.request("A", prompt(*BEGINNING, (3, 7)))
    assert len(replay.admit("A") or []) == 4
    for token in range(59 - 55):
        assert replay.decode("A", token)
    assert len(replay.requests["A"].block_table) == 4
    for token in range(78 - 59):
        assert replay.decode("A", token)
    table = replay.requests["A"].block_table
    assert len(table) == 5
    assert [block in replay.pool.key_of for block in table] == [True, True, True, True, False]


def test_pt_08_a_hit_takes_blocks_out_of_the_free_queue() -> None:
    replay = Replay(10, 16)
    for name, tokens in (("P", range(87)), ("Q", range(87, 135))):
        replay.request(name, tokens)
        replay.admit(name)
    replay.free("P")
    replay.free("Q")
    replay.request("R", range(35))
    assert replay.hit("R") == [1, 2]
    assert replay.admit("R") == [6]
    assert replay.pool.num_free == 7


def test_pt_11_without_caching_nothing_is_hit() -> None:
    replay = Replay(4, 4, caching=False)
    replay.request("P", range(10))
    assert (replay.hit("P"), len(replay.admit("P") or [])) == ([], 3)
    replay.free("P")
    replay.request("Q", range(16))
    assert (replay.hit("Q"), len(replay.admit("Q") or [])) == ([], 4)
    replay.request("R", range(4))
    assert (replay.hit("R"), replay.admit("R")) == ([], None)


@pytest.mark.parametrize(
    ("name", "salt", "hit_tokens"), [("B", "salt1", 48), ("C", "salt2", 0), ("D", "", 0)]
)
def test_pt_12_another_salt_is_another_prefix(name: str, salt: str, hit_tokens: int) -> None:
    replay = Replay(10, 16)
    replay.request("A", prompt(*BEGINNING, (3, 11)), "salt1")
    replay.admit("A")
    replay.request(name, prompt(*BEGINNING, (4, 11)), salt)
    assert len(replay.hit(name)) * 16 == hit_tokens


def test_pt_36_out_of_the_middle_of_the_queue_and_back_to_its_end() -> None:
    pool = BlockPool(5, first_block_id=0)
    blocks = pool.take(5)
    pool.cache(blocks, "abcde")
    pool.free(blocks)
    assert pool.free_queue() == [0, 1, 2, 3, 4]
    assert pool.take(1) == [0]
    pool.touch([2])
    pool.free([2])
    assert pool.free_queue() == [1, 3, 4, 2]


@pytest.mark.parametrize(
    ("tokens", "blocks", "in_last"), [(1, 1, 1), (4, 1, 4), (5, 2, 1), (8, 2, 4), (9, 3, 1)]
)
def test_pt_38_a_full_last_block_does_not_start_another(tokens: int, blocks: int, in_last: int) -> None:
    assert num_blocks(tokens, 4) == blocks
    assert slot(tokens - 1, range(blocks), 4) == (blocks - 1) * 4 + in_last - 1


def test_pt_53_another_requests_block_lies_in_between() -> None:
    replay = Replay(8)
    replay.pool = replay.kv.pool = BlockPool(8, first_block_id=0)
    replay.request("a", [1, 2, 3])
    replay.request("b", [4, 5, 6, 7])
    assert (replay.admit("a"), replay.admit("b")) == ([0], [1])
    assert replay.grow("a", 5)
    assert replay.requests["a"].block_table == [0, 2]
    assert slot(4, [0, 2], 4) == 8


def test_pt_56_a_full_hit_still_recomputes_the_last_block() -> None:
    replay = Replay(4, 2)
    replay.request("P", [1, 2, 3, 4, 5, 6])
    replay.admit("P")
    replay.free("P")
    replay.request("Q", [1, 2, 3, 4, 5, 6])
    assert len(replay.hit("Q")) * 2 == 4


def test_pt_61_pages_follow_the_length() -> None:
    replay = Replay(8)
    request = replay.request("A", range(20))
    pages = []
    for length in (3, 5, 10):
        assert replay.grow("A", length)
        pages.append(len(request.block_table))
    assert pages == [1, 2, 3]


def test_dropping_tokens_gives_the_last_block_back() -> None:
    """pt-62: 9 tokens in pages of 4, then 3 are dropped."""

    def tokens_in_blocks(num_tokens: int) -> list[int]:
        return [min(4, num_tokens - start) for start in range(0, num_tokens, 4)]

    pool = BlockPool(3)
    table = pool.take(num_blocks(4 + 3 + 2, 4))
    assert (tokens_in_blocks(9), len(table), pool.num_free) == ([4, 4, 1], 3, 0)
    kept = num_blocks(9 - 3, 4)
    pool.free(reversed(table[kept:]))
    assert (tokens_in_blocks(6), pool.num_free, pool.free_queue()) == ([4, 2], 1, table[kept:])
