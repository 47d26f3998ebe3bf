"""Block keys from a trace's ids, and hits of made traces against hits counted by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.replay.trace_keys import TraceKeys, check_block_size
from tests.replay.small_replays import PLAIN_TICKS, played


def keys(ids: tuple[int, ...], length: int, size: int, number: int = 1, id_tokens: int = 4) -> list[int]:
    """Keys of all full blocks of the prompt, and of one more."""
    return list(TraceKeys(ids, length, id_tokens, size, number).between(0, length // size + 1))


def test_equal_ids_are_equal_keys() -> None:
    assert keys((7, 9), 8, 4)[:2] == keys((7, 9), 8, 4, number=2)[:2]


def test_an_id_stands_for_several_blocks() -> None:
    """Ids of 4 tokens, blocks of 2: a prompt of 8 has 4 blocks, all unlike."""
    assert len(set(keys((7, 9), 8, 2)[:4])) == 4
    assert keys((7, 9), 8, 2)[:2] == keys((7, 3), 8, 2, number=2)[:2]
    assert keys((7, 9), 8, 2)[2] not in keys((7, 3), 8, 2, number=2)


def test_what_lies_beyond_the_prompt_is_its_own() -> None:
    """A prompt of 6 in blocks of 4 fills one; the second holds outputs as well."""
    one, other = keys((7, 9), 6, 4), keys((7, 9), 6, 4, number=2)
    assert one[0] == other[0]
    assert one[1] != other[1]
    assert one[1] < 0 <= one[0]


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=6),
    st.integers(0, 3),
    st.sampled_from([1, 2, 4]),
    st.integers(0, 12),
    st.integers(0, 12),
)
def test_a_part_of_the_keys_is_that_part(
    ids: list[int], short: int, size: int, start: int, more: int
) -> None:
    length = 4 * len(ids) - short
    made = TraceKeys(tuple(ids), length, 4, size, 3)
    assert list(made.between(start, start + more)) == list(made.between(0, start + more))[start:]
    whole = list(made.between(0, length // size + 5))
    assert len(set(whole[length // size :])) == 5
    assert [key >= 0 for key in whole] == [True] * (length // size) + [False] * 5


@pytest.mark.parametrize("size", [1, 16, 256, 512])
def test_blocks_that_part_an_id(size: int) -> None:
    check_block_size(size, 512)


@pytest.mark.parametrize("size", [3, 500, 1024])
def test_blocks_that_no_id_tells_of_are_refused(size: int) -> None:
    with pytest.raises(LabError) as refused:
        check_block_size(size, 512)
    assert (refused.value.where, refused.value.rule, refused.value.got) == (
        *("--block-size", "block_of_ids"),
        size,
    )


IDS = {"r1": (1, 2, 3), "r2": (1, 2, 4), "r3": (1, 2, 3), "r4": (9, 2, 3), "r5": (1,)}
HITS = [
    # ids of 4 tokens, prompts of 12, 10, 12, 12 and 4, one after the other.
    # r2: 1 and 2 are there. r3: all three are, but the last token must be computed, so the last block again.
    # r4: its first id is new, so nothing. r5: one block, all of it there, so computed again
    pytest.param(4, [0, 8, 8, 0, 0], id="blocks as long as an id"),
    # r3: of 6 blocks of 2 all but the last; r5: of 2 blocks the first
    pytest.param(2, [0, 8, 10, 0, 2], id="two blocks an id"),
]


@pytest.mark.parametrize(("size", "hits"), HITS)
def test_hits_by_hand(size: int, hits: list[int]) -> None:
    load = [(1000 * place, prompt, 2) for place, prompt in enumerate((12, 10, 12, 12, 4))]
    found = played(load, PLAIN_TICKS, ids=IDS, id_tokens=4, block_size=size, budget=64)
    assert [served.cached_tokens for served in found.served] == hits


def test_without_caching_nothing_is_hit() -> None:
    load = [(0, 12, 2), (1000, 12, 2)]
    shared = {"r1": (1, 2, 3), "r2": (1, 2, 3)}
    knobs: dict[str, Any] = {"id_tokens": 4, "block_size": 4, "budget": 64}
    found = played(load, PLAIN_TICKS, ids=shared, prefix_caching=False, **knobs)
    assert [served.cached_tokens for served in found.served] == [0, 0]


def test_nano_vllm_shares_them_too() -> None:
    load = [(0, 12, 9), (100, 12, 2)]
    shared = {"r1": (1, 2, 3), "r2": (1, 2, 5)}
    found = played(load, PLAIN_TICKS, "nano-vllm", ids=shared, id_tokens=4, block_size=4, budget=64)
    assert [served.cached_tokens for served in found.served] == [0, 8]
