"""`prefix replay`: hits, tokens and evictions by hand; against a slow replay see `test_replay_oracle.py`."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.files.traces import Trace, TraceRequest
from labs.prefix_replay import Params, document, run
from labs.replay.block_keys import naive_hit_blocks
from labs.replay.hit_curve import LastTouched, NotChainedError, reuses
from labs.replay.ratios import exact_sum, median
from tests.prefix.made_traces import trace_of


class Case(NamedTuple):
    """Ids and lengths in blocks of 4 tokens, a capacity, and what is to come out; mean: of hits / blocks."""

    ids: list[list[int]]
    lengths: list[int]
    capacity: int | None
    hit_blocks: int
    hit_tokens: int
    whole_block_tokens: int
    mean: Fraction
    evicted: int


AB_AC_AB = [[1, 2], [1, 3], [1, 2]]
LONG = [[1, 2, 3, 4], [1, 2, 3, 4]]

# Worked by hand: the cache after each touch, oldest first.
CASES = {
    "nothing-shared": Case([[1], [2]], [4, 4], None, 0, 0, 0, Fraction(0), 0),
    "no-limit": Case(AB_AC_AB, [8, 8, 8], None, 3, 12, 8, Fraction(1, 2), 0),
    # 1 2 | look up 1: hit, touched: 2 1, then 3 drives out 2: 1 3 | 1 hit, 2 missed: 3 1, then 1 2
    "two-blocks": Case(AB_AC_AB, [8, 8, 8], 2, 2, 8, 8, Fraction(1, 3), 2),
    "exactly-enough": Case(AB_AC_AB, [8, 8, 8], 3, 3, 12, 8, Fraction(1, 2), 0),
    # a cache smaller than a request holds its tail, and the head is what a look-up begins with
    "smaller-than-a-request": Case(LONG, [16, 16], 3, 0, 0, 0, Fraction(0), 5),
    "as-large-as-a-request": Case(LONG, [16, 16], 4, 4, 16, 12, Fraction(1, 2), 0),
    "one-block": Case([[1], [1], [2], [1]], [4, 4, 4, 4], 1, 1, 4, 0, Fraction(1, 4), 2),
    # the partial last block has an id and is counted: 5 tokens are two blocks, 4 of them in whole ones
    "partial-last-block": Case([[1, 2], [1, 2]], [5, 5], None, 2, 5, 4, Fraction(1, 2), 0),
    "full-last-block": Case([[1, 2], [1, 2]], [8, 8], None, 2, 8, 4, Fraction(1, 2), 0),
    "one-over": Case([[1, 2, 3], [1, 2, 3]], [9, 9], None, 3, 9, 8, Fraction(1, 2), 0),
    "one-token": Case([[1], [1]], [1, 1], None, 1, 1, 0, Fraction(1, 2), 0),
    # 1 2 3 | 4: 2 3 4 | 1 was driven out, so nothing is hit though 2 and 3 are still there
    "head-gone": Case([[1, 2, 3], [4], [1, 2, 3]], [12, 4, 12], 3, 0, 0, 0, Fraction(0), 4),
    # what missed is touched like what was hit: 9 comes back at once
    "missed-is-touched": Case(
        [[1, 9], [1, 8], [1, 9], [1, 9]], [8, 8, 8, 8], 2, 4, 16, 12, Fraction(1, 2), 2
    ),
    # one short request that hits all weighs as much as a long one that hits nothing
    "mean-is-not-weighted": Case([[1], [1], [5, 6, 7]], [4, 4, 12], None, 1, 4, 0, Fraction(1, 3), 0),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_by_hand(case: Case) -> None:
    hits = run(Params(trace_of(case.ids, case.lengths), capacity=(case.capacity,), block_tokens=4)).asked[0]
    counts = (hits.hit_blocks, hits.hit_tokens, hits.whole_block_tokens, hits.evicted)
    assert counts == (case.hit_blocks, case.hit_tokens, case.whole_block_tokens, case.evicted)
    assert Fraction(*hits.request_mean) == case.mean
    assert (hits.blocks, hits.tokens) == (sum(map(len, case.ids)), sum(case.lengths))


def test_a_full_hit_computes_its_last_block() -> None:
    """Trap 43: of 32 tokens in blocks of 16 a second look-up counts 16 in whole blocks, else 32."""
    endless = run(Params(trace_of([[1, 2], [1, 2]], [32, 32]), block_tokens=16)).endless
    assert (endless.hit_tokens, endless.whole_block_tokens) == (32, 16)
    assert endless.rates["whole_blocks"] == (16, 64)


def test_the_same_id_behind_another_parent_misses() -> None:
    """Trap 48: ids of contents alone; 2 comes behind 1 and behind 3, and is hit behind 1 only."""
    trace = trace_of([[1, 2], [3, 2], [1, 2], [3, 9]], [8, 8, 8, 8])
    for ids in (None, "content"):
        result = run(Params(trace, ids=ids, block_tokens=4))
        assert (result.ids, result.endless.hit_blocks, result.facts.unique) == ("content", 3, 5)
        assert (result.naive_hits, result.not_servable) == (3, 0)
        assert (result.contradiction is None) == (ids == "content")


def test_naive_hits_that_cannot_be_served() -> None:
    """[3, 2] finds both ids, 3 from the third line and 2 from the first, but never 2 behind 3."""
    trace = trace_of([[1, 2], [2, 1], [3, 5], [3, 2]], [8, 8, 8, 8])
    result = run(Params(trace, block_tokens=4))
    assert (result.endless.hit_blocks, result.naive_hits, result.not_servable) == (1, 4, 3)


def test_naive_hits_stop_at_a_miss() -> None:
    """A new block first, then one that was seen: nothing is hit."""
    assert naive_hit_blocks([(1, 2), (9, 2)]) == 0


def test_ids_called_chained_are_taken_as_they_are() -> None:
    """At the user's word, block by block; the contradiction is told all the same."""
    trace = trace_of([[1, 2], [2, 1], [3], [1], [2]], [8, 8, 4, 4, 4])
    result = run(Params(trace, ids="chained", capacity=(2, None), block_tokens=4))
    # 1 2 | both hit: 2 1 | 3 drives out 2: 1 3 | 1 hit: 3 1 | 2 missed, drives out 3
    assert [(hits.hit_blocks, hits.evicted) for hits in result.asked] == [(3, 2), (4, 0)]
    assert (result.ids, result.enough, result.naive_hits, result.facts.unique) == ("chained", None, None, 3)
    assert result.contradiction is not None


CONTRADICTIONS = {
    "another-parent": ([[1, 2], [3, 2]], (2, 2, 3, 1, 1)),
    "first-elsewhere": ([[1, 2], [2]], (2, 2, None, 1, 1)),
    "deeper-elsewhere": ([[1], [2, 1]], (1, 2, 2, 1, None)),
    "behind-a-new-block": ([[1, 2], [1, 7, 2]], (2, 2, 7, 1, 1)),
    "behind-an-end": ([[1], [1, 2], [1, 3, 2]], (2, 3, 3, 2, 1)),
    "twice-in-a-request": ([[1, 2, 1]], (1, 1, 2, 1, None)),
    "at-once-twice": ([[1, 1]], (1, 1, 1, 1, None)),
    "a-jump-between-paths": ([[1, 2, 3], [4, 5, 6], [1, 2, 6]], (6, 3, 2, 2, 5)),
    "same-depth-same-parent-id": ([[1, 2, 3], [5, 1, 2, 3]], (1, 2, 5, 1, None)),
}


@pytest.mark.parametrize(("ids", "told"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_ids_that_are_no_chains_are_found(
    ids: list[list[int]], told: tuple[int, int, int | None, int, int | None]
) -> None:
    """Block, its line and what stands before it there, the other line and what stands before it there."""
    result = run(Params(trace_of(ids, [4 * len(path) for path in ids]), block_tokens=4))
    found = result.contradiction
    assert found is not None
    assert (found.block, found.line, found.before, found.other_line, found.other_before) == told
    assert result.ids == "content"


def test_what_a_share_of_the_hits_needs() -> None:
    """1 comes again after 2 (needs 2), and 5, 6, 7 after 1 and 8 (need 5): 1, then 4 hits."""
    trace = trace_of([[1], [2], [1], [5, 6, 7], [1], [8], [5, 6, 7]], [1, 1, 1, 3, 1, 1, 3])
    result = run(Params(trace, capacity=(1, 2, 3, 4, 5), block_tokens=1))
    assert [hits.hit_blocks for hits in result.asked] == [0, 1, 1, 2, 5]
    assert result.enough == {50: 5, 90: 5, 100: 5}
    assert run(Params(trace_of([[1], [2]], [1, 1]), block_tokens=1)).enough == {}


def test_facts_by_hand() -> None:
    """Blocks of 4: hits 0, 2 of 2, 1 of 3, 0; the second request is hit whole, and 2 of 4 full blocks are."""
    requests = [
        TraceRequest(10, 7, 5, (0, 1)),
        TraceRequest(10, 7, 0, (0, 1)),
        TraceRequest(Fraction(21, 2), 9, 3, (0, 2, 3)),
        TraceRequest(40, 3, 1, (9,)),
    ]
    facts = run(Params(Trace("t", "mooncake", tuple(requests), "chained"), block_tokens=4)).facts
    assert (facts.requests, facts.input_tokens, facts.output_tokens) == (4, 26, 9)
    assert (facts.blocks, facts.unique, facts.first_block_zero) == (8, 5, 3)
    assert (facts.span_ms, facts.distinct_timestamps) == (30, 3)
    assert (facts.input_median, facts.input_max, facts.all_blocks_hit_requests) == ((14, 2), 9, 1)
    assert Fraction(*facts.request_mean_block) == (1 + Fraction(1, 3)) / 4
    assert Fraction(*facts.request_mean_token) == (1 + Fraction(4, 9)) / 4
    assert facts.full_block_ratio == (2, 4)


def test_no_full_block_has_no_ratio() -> None:
    assert run(Params(trace_of([[1], [1]], [3, 3]), block_tokens=4)).facts.full_block_ratio is None


def test_capacities_stand_as_they_were_asked_for() -> None:
    capacities = (7, None, 2, 7)
    trace = trace_of(AB_AC_AB, [8, 8, 8])
    result = document(run(Params(trace, capacity=capacities, block_tokens=4)))["result"]
    assert [row["capacity_blocks"] for row in result["capacities"]] == list(capacities)
    assert [row["capacity_blocks"] for row in result["curve"]] == [1, 2, 7, None]


def test_a_path_that_is_no_chain_raises() -> None:
    with pytest.raises(NotChainedError) as caught:
        reuses([[1, 2], [3], [4, 2]])
    assert (caught.value.request, caught.value.index, caught.value.other) == (2, 1, 0)


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(-5, 5)), max_size=60))
def test_sums_over_earlier_requests(changes: list[tuple[int, int]]) -> None:
    counts, plain = LastTouched(20), [0] * 20
    for request, count in changes:
        counts.add(request, count)
        plain[request] += count
    assert [counts.before(i) for i in range(21)] == [sum(plain[:i]) for i in range(21)]


@given(st.dictionaries(st.integers(1, 50), st.integers(0, 99), max_size=12))
def test_exact_sum(numerators: dict[int, int]) -> None:
    assert Fraction(*exact_sum(numerators)) == sum(Fraction(n, d) for d, n in numerators.items())


@pytest.mark.parametrize(("numbers", "middle"), [([3], 3), ([9, 1], 5), ([9, 1, 2], 2), ([4, 1, 2, 9], 3)])
def test_median(numbers: list[int], middle: int) -> None:
    assert Fraction(*median(numbers)) == middle
