"""`prefix replay` against an LRU list that knows only prompts, for every way in which ids tell them.

The oracle (`slow_replay`) keys a block by the whole prompt up to the block's end and keeps its cache as a
list in the order of touches; the replay under test keeps no cache at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.prefix_replay import Params, Result, run
from tests.prefix.made_traces import token_trace, trace_of

Prompt = tuple[int, ...]


def keys_of(prompt: Prompt) -> list[Prompt]:
    """A block's key: all of the prompt up to the block's end."""
    return [prompt[: at + BLOCK] for at in range(0, len(prompt), BLOCK)]


def slow_replay(requests: Sequence[Sequence[object]], capacity: int | None) -> tuple[list[int], int]:
    """Hit blocks of each request, and how many blocks were driven out, by a list in the order of touches."""
    cache: list[object] = []
    by_request, evicted = [], 0
    for keys in requests:
        hits = 0
        while hits < len(keys) and keys[hits] in cache:
            hits += 1
        by_request.append(hits)
        for key in keys:
            if key in cache:
                cache.remove(key)
            cache.append(key)
            if capacity is not None and len(cache) > capacity:
                del cache[0]
                evicted += 1
    return by_request, evicted


def agrees(result: Result, prompts: Sequence[Prompt], requests: Sequence[Sequence[object]]) -> None:
    """Every capacity against the slow replay, every definition against a sum written out."""
    for hits in (*result.asked, *result.curve):
        by_request, evicted = slow_replay(requests, hits.capacity)
        rows = [
            (h, len(keys), len(prompt)) for h, keys, prompt in zip(by_request, requests, prompts, strict=True)
        ]
        assert (hits.hit_blocks, hits.evicted) == (sum(by_request), evicted)
        assert hits.hit_tokens == sum(min(BLOCK * h, n) for h, _, n in rows)
        assert hits.whole_block_tokens == sum(min(h, (n - 1) // BLOCK) * BLOCK for h, _, n in rows)
        assert Fraction(*hits.request_mean) * len(rows) == sum(Fraction(h, b) for h, b, _ in rows)


def numbered(members: Sequence[Sequence[object]]) -> list[list[int]]:
    """Equal members by equal numbers."""
    numbers: dict[object, int] = {}
    return [[numbers.setdefault(member, len(numbers)) for member in request] for request in members]


BLOCK = 2
CAPACITIES = (1, 2, 3, 4, 5, 7, 10, 15, None)
PROMPTS = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=11).map(tuple), min_size=1, max_size=14)
EXAMPLE = [(0, 0, 1, 1), (0, 0, 1), (0, 0, 1, 1, 1), (1, 1), (0, 0, 1, 1)]


@pytest.mark.parametrize("ids", ["chained", "content", "tokens"])
def test_an_example_against_the_slow_replay(ids: str) -> None:
    check_all_ways(EXAMPLE, ids)


@settings(max_examples=200, deadline=None)
@given(PROMPTS, st.sampled_from(["chained", "content", "tokens"]))
def test_against_the_slow_replay(prompts: list[Prompt], ids: str) -> None:
    check_all_ways(prompts, ids)


def check_all_ways(prompts: Sequence[Prompt], ids: str) -> None:
    """The same prompts as chained ids, as ids of contents and as tokens: one prefix, one key."""
    requests = [keys_of(prompt) for prompt in prompts]
    lengths = list(map(len, prompts))
    if ids == "tokens":
        trace = token_trace(prompts)
    elif ids == "chained":
        trace = trace_of(numbered(requests), lengths)
    else:
        blocks = [[prompt[at : at + BLOCK] for at in range(0, len(prompt), BLOCK)] for prompt in prompts]
        trace = trace_of(numbered(blocks), lengths)
    result = run(Params(trace, ids=ids, capacity=CAPACITIES, block_tokens=BLOCK))
    assert (result.ids, result.contradiction) == (ids, None)
    agrees(result, prompts, requests)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=12))
def test_any_ids_taken_as_they_are_against_the_slow_replay(ids: list[list[int]]) -> None:
    """Chained or not: where they are chained the fast way, else the plain one."""
    prompts: list[Prompt] = [tuple(range(BLOCK * len(path))) for path in ids]
    trace = trace_of(ids, list(map(len, prompts)))
    result = run(Params(trace, ids="chained", capacity=CAPACITIES, block_tokens=BLOCK))
    agrees(result, prompts, ids)
    parents: dict[int, set[int | None]] = {}
    for path in ids:
        for before, block in zip([None, *path], path):
            parents.setdefault(block, set()).add(before)
    alone = all(len(befores) == 1 for befores in parents.values())
    chained = alone and all(len(set(path)) == len(path) for path in ids)
    assert (result.contradiction is None) == chained
    recognised = run(Params(trace, block_tokens=BLOCK))
    assert recognised.ids == ("chained" if chained else "content")
    assert (
        recognised.endless.hit_blocks
        == run(Params(trace, ids="content", block_tokens=BLOCK)).endless.hit_blocks
    )
