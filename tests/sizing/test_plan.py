"""From memory to blocks by hand: stages, a card's memory, the smallest worker, one request that fits.

Figures are worked out beside each row. The stages are those of vLLM 0.32.0's `get_pp_indices`: what does not
divide goes to the last stages but the very last, one layer each.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.sizing.grouping import blocks_of_request, cache_groups
from labs.sizing.layers import LayerSpec
from labs.sizing.plan import (
    Plan,
    Worker,
    bytes_per_block,
    longest_that_fits,
    memory_for_kv,
    plan_of,
    stages_of,
)

GIB = 1 << 30
PAGE = 16384
FULL = LayerSpec("full", 16, PAGE, (2, 128, 128))
SLIDING = LayerSpec("sliding", 16, PAGE, (2, 128, 128), 64)

# -- stages ---------------------------------------------------------------------------------------

STAGES = {
    "one": ((32, 1), [32]),
    "even": ((32, 4), [8, 8, 8, 8]),
    "one over": ((33, 4), [8, 8, 9, 8]),
    "two over": ((62, 4), [15, 16, 16, 15]),
    "three over": ((35, 4), [9, 9, 9, 8]),
    "two stages, odd": ((61, 2), [31, 30]),
    "a layer each": ((4, 4), [1, 1, 1, 1]),
    "all but one over": ((7, 4), [2, 2, 2, 1]),
}


@pytest.mark.parametrize("name", STAGES)
def test_layers_of_each_stage(name: str) -> None:
    (layers, pp), sizes = STAGES[name]
    stages = stages_of(layers, pp)
    assert [len(stage) for stage in stages] == sizes
    assert [layer for stage in stages for layer in stage] == list(range(layers))


def test_a_partition_is_taken_as_it_is() -> None:
    assert stages_of(20, 3, (8, 11, 1)) == (range(8), range(8, 19), range(19, 20))


@pytest.mark.parametrize(
    ("layers", "pp", "partition", "where", "rule"),
    [
        (4, 5, None, "--pp", "at_most"),
        (4, 2, (4,), "--pp-partition", "partition_stages"),
        (4, 2, (2, 1, 1), "--pp-partition", "partition_stages"),
        (4, 2, (2, 1), "--pp-partition", "partition_layers"),
        (4, 2, (2, 3), "--pp-partition", "partition_layers"),
    ],
)
def test_stages_that_cannot_be(
    layers: int, pp: int, partition: tuple[int, ...] | None, where: str, rule: str
) -> None:
    with pytest.raises(LabError) as refused:
        stages_of(layers, pp, partition)
    assert (refused.value.where, refused.value.rule) == (where, rule)


# -- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("total", "share", "weights", "overhead", "left"),
    [
        (80 * GIB, Fraction(9, 10), 16 * GIB, 2 * GIB, 54 * GIB),
        (1000, Fraction(1), 0, 0, 1000),
        # 901.8 bytes are 902: the engine rounds the budget up
        (1002, Fraction(9, 10), 0, 0, 902),
        (1002, Fraction(9, 10), 900, 1, 1),
        # more taken than there is: negative, never nothing
        (1000, Fraction(1, 2), 400, 200, -100),
    ],
)
def test_memory_that_a_card_leaves(
    total: int, share: Fraction, weights: int, overhead: int, left: int
) -> None:
    assert memory_for_kv(total, share, weights, overhead) == left


@pytest.mark.parametrize(
    ("available", "blocks", "usable"), [(100, 3, 70), (90, 3, 60), (89, 2, 59), (29, 0, -1), (-100, 0, -130)]
)
def test_blocks_of_a_worker(available: int, blocks: int, usable: int) -> None:
    """Blocks of 30 B; one is the null block. Never a negative count."""
    worker = Worker(0, 0, available, 30)
    assert (worker.own_blocks, worker.usable_bytes) == (blocks, usable)


# -- plans ----------------------------------------------------------------------------------------


def plan(
    specs: list[LayerSpec], memory: list[int], stages: list[range], length: int = 1000, **asked: object
) -> Plan:
    """Memory in blocks of one page, one number for each rank, stage by stage."""
    groups = cache_groups(specs)
    ranks = len(memory) // len(stages)
    workers = tuple(
        Worker(at, at // ranks, pages * PAGE, bytes_per_block(groups, stages[at // ranks]))
        for at, pages in enumerate(memory)
    )
    return plan_of(groups, workers, length, 100, **asked)  # type: ignore[arg-type]


def test_the_smallest_rank_decides() -> None:
    """4 layers, 4 pages a block: 100, 70 and 90 blocks; the concurrency counts the null block."""
    found = plan([FULL] * 4, [400, 280, 363], [range(4)])
    assert [worker.own_blocks for worker in found.workers] == [100, 70, 90]
    assert (found.num_blocks, found.blocks_of_request) == (70, 63)
    assert (found.max_concurrency, found.kv_cache_size_tokens) == (Fraction(70, 63), 1111)


def test_each_stage_against_its_own_memory() -> None:
    """1 layer and 3 layers on cards alike: 300 and 100 blocks, and not 75 as if each had all four."""
    found = plan([FULL] * 4, [300, 300], [range(1), range(1, 4)])
    assert [worker.own_blocks for worker in found.workers] == [300, 100]
    assert found.num_blocks == 100


def test_the_smallest_card_may_hold_the_fewest_layers() -> None:
    found = plan([FULL] * 4, [100, 300], [range(1), range(1, 4)])
    assert [worker.own_blocks for worker in found.workers] == [100, 100]


def test_groups_add_up() -> None:
    """1000 full tokens are 63 blocks; a window of 64 with 100 in flight ceil(163 / 16) + 1 = 12."""
    found = plan([FULL, SLIDING], [1000], [range(2)])
    assert found.blocks_of_groups == (63, 12)
    assert (found.blocks_of_request, found.num_blocks) == (75, 1000)
    # int(1000 / 75 x 1000)
    assert found.kv_cache_size_tokens == 13333


# pages of one rank with 4 layers of one page -> (fits, estimate): 63 blocks and the null block
ONE_REQUEST = {
    "one over": ([256], True, None),
    "without the null block": ([255], False, 992),
    "half": ([128], False, 496),
    "one block beside the null block": ([8], False, 16),
    "the null block": ([4], False, None),
    "nothing": ([0], False, None),
    "less than nothing": ([-4], False, None),
    # the first that refuses is asked, not the smallest
    "three ranks": ([256, 200, 100], False, 784),
    "three ranks, the other way round": ([256, 100, 200], False, 384),
}


@pytest.mark.parametrize("name", ONE_REQUEST)
def test_one_request_beside_the_null_block(name: str) -> None:
    memory, fits, estimate = ONE_REQUEST[name]
    found = plan([FULL] * 4, memory, [range(4)])
    assert (found.fits, found.estimated_max_model_len) == (fits, estimate)
    assert found.max_model_len == 1000


@pytest.mark.parametrize(
    ("memory", "length"),
    [([256], 1000), ([252], 992), ([255], 992), ([1000], 1000), ([256, 200, 100], 384), ([8], 16)],
)
def test_auto_fit(memory: list[int], length: int) -> None:
    """The longest that fits on every rank, and never longer than asked."""
    found = plan([FULL] * 4, memory, [range(4)], auto_fit=True)
    assert (found.fits, found.max_model_len, found.estimated_max_model_len) == (True, length, None)


@pytest.mark.parametrize("memory", [[4], [128, 4], [4, 128]])
def test_auto_fit_that_fits_nothing(memory: list[int]) -> None:
    """On one rank is enough: then there is no estimate, whatever the others would take."""
    found = plan([FULL] * 4, memory, [range(4)], auto_fit=True)
    assert (found.fits, found.max_model_len, found.estimated_max_model_len) == (False, 1000, None)


@pytest.mark.parametrize(
    ("override", "fits", "estimate"), [(64, True, None), (63, False, 992), (2, False, 16), (1, False, None)]
)
def test_an_override_stands_for_the_memory(override: int, fits: bool, estimate: int | None) -> None:
    """Also in the fit check, and whether there is as much or not."""
    for memory in (4, 10**6):
        found = plan([FULL] * 4, [memory], [range(4)], num_blocks_override=override)
        assert (found.num_blocks, found.fits) == (override, fits)
        assert found.estimated_max_model_len == estimate


@pytest.mark.parametrize(
    ("blocks", "length"), [(1000, 1000), (64, 1000), (63, 992), (3, 32), (2, 16), (1, 0), (0, 0)]
)
def test_the_longest_that_fits(blocks: int, length: int) -> None:
    """Of up to 1000 tokens, which are 63 blocks, in a pool of so many, one of them the null block."""
    worker = Worker(0, 0, blocks * 4 * PAGE, 4 * PAGE)
    assert longest_that_fits(cache_groups([FULL] * 4), worker, 1000, 100, 1) == length


def test_the_longest_is_no_longer_than_asked() -> None:
    assert longest_that_fits(cache_groups([FULL]), Worker(0, 0, 10**9, PAGE), 17, 100, 1) == 17


@given(st.integers(0, 60), st.integers(1, 200), st.integers(1, 40))
def test_the_longest_is_the_last_that_fits(blocks: int, most: int, in_flight: int) -> None:
    """Tried one by one: a longer request never takes fewer blocks."""
    groups = cache_groups([FULL, SLIDING])
    worker = Worker(0, 0, blocks * PAGE, PAGE)
    fitting = [
        length
        for length in range(1, most + 1)
        if blocks_of_request(groups, length, in_flight, 1) <= blocks - 1
    ]
    assert longest_that_fits(groups, worker, most, in_flight, 1) == max(fitting, default=0)
