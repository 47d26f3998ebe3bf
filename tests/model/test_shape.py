"""Bytes per token from shapes: linear in every factor; ranks, windows, dtypes, sharing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.model.course import readings
from labs.model.kv import kv_bytes_per_token
from labs.model.models import built_in
from labs.model.shape import LayerGroup, ModelShape, grouped, uniform_group
from labs.model.sharing import blocks_of, physical_tokens, shared_tokens

COUNT = st.integers(1, 200)


@given(COUNT, COUNT, COUNT, st.integers(1, 9))
def test_linear_in_every_factor(layers: int, kv_heads: int, head_dim: int, times: int) -> None:
    """k times the layers, heads or width is k times the bytes; and the lecture's case pins the constant."""
    one = uniform_group(layers, kv_heads, head_dim).bytes_per_token
    assert uniform_group(layers * times, kv_heads, head_dim).bytes_per_token == times * one
    assert uniform_group(layers, kv_heads * times, head_dim).bytes_per_token == times * one
    assert uniform_group(layers, kv_heads, head_dim * times).bytes_per_token == times * one
    assert uniform_group(32, 8, 128).bytes_per_token == 131072


@given(COUNT, COUNT, COUNT, st.sampled_from([1, 2, 4]))
def test_the_course_formula(layers: int, kv_heads: int, head_dim: int, size: int) -> None:
    """2 x layers x KV heads x head dim x bytes, factor by factor."""
    product = 2
    for factor in (layers, kv_heads, head_dim, size):
        product *= factor
    assert kv_bytes_per_token(layers, kv_heads, head_dim, size) == product


@given(COUNT, COUNT, COUNT)
def test_linear_in_bytes_per_element(layers: int, kv_heads: int, head_dim: int) -> None:
    group = uniform_group(layers, kv_heads, head_dim)
    sizes = [group.in_dtype(size).bytes_per_token for size in (1, 2, 4)]
    assert sizes == [sizes[0], 2 * sizes[0], 4 * sizes[0]]
    assert group.in_dtype(2) == group


RANKS = [
    ("llama-3.1-70b", 1, 327680),
    ("llama-3.1-70b", 8, 40960),
    ("llama-3.1-70b", 16, 40960),
    ("llama-3.1-70b", 32, 40960),
    ("qwen2.5-7b", 2, 28672),
    ("qwen2.5-7b", 28, 14336),
    ("deepseek-v3", 8, 70272),
]


@pytest.mark.parametrize(("name", "tp", "expected"), RANKS, ids=lambda value: str(value))
def test_one_rank(name: str, tp: int, expected: int) -> None:
    """8 KV heads on 16 ranks are max(1, 8 // 16) = 1 a rank, as on 8; MLA is whole on each."""
    assert built_in(name).on_one_rank(tp).bytes_per_token == expected


@pytest.mark.parametrize(("tp", "kv_heads"), [(1, 8), (4, 2), (8, 1), (64, 1)])
def test_kv_heads_of_one_rank(tp: int, kv_heads: int) -> None:
    """Eight of them, shared out as far as they go."""
    assert built_in("llama-3.1-70b").on_one_rank(tp).kv_heads == kv_heads


@pytest.mark.parametrize(("name", "tp"), [("qwen2.5-7b", 8), ("llama-3-8b", 3), ("llama-3-8b", 64)])
def test_ranks_that_do_not_divide(name: str, tp: int) -> None:
    with pytest.raises(LabError) as caught:
        built_in(name).on_one_rank(tp)
    assert caught.value.where == "--tp"


def test_kv_heads_and_ranks_must_divide() -> None:
    """8 KV heads among 12 ranks: neither splits nor replicates evenly, though 24 query heads would."""
    shape = ModelShape("", 1, (uniform_group(1, 8, 64),), query_heads=24)
    with pytest.raises(LabError) as caught:
        shape.on_one_rank(12)
    assert caught.value.rule == "tp_kv_heads"


@given(COUNT, st.sampled_from([1, 2, 4, 8, 16, 32]))
def test_ranks_hold_the_whole_model(layers: int, tp: int) -> None:
    """Together the ranks hold the model's KV once, or once for each rank beyond the KV heads."""
    group = uniform_group(layers, 8, 64)
    assert tp * group.on_one_rank(tp).bytes_per_token == max(1, tp // 8) * group.bytes_per_token


def test_windows_forget() -> None:
    """12 full and 12 sliding layers of 2048 B: at 8192 tokens the sliding ones keep 128."""
    shape = built_in("gpt-oss-20b")
    assert shape.bytes_per_token == 24 * 2048
    assert shape.bytes_per_token_growing == 12 * 2048
    assert shape.kept_bytes(8192) == 12 * 2048 * (8192 + 128)
    assert shape.kept_bytes(100) == 24 * 2048 * 100


@pytest.mark.parametrize(
    ("kind", "window", "kept"),
    [
        ("full", None, 1000),
        ("sliding", 64, 64),
        ("sliding", 5000, 1000),
        ("chunked", 64, 64),
        ("linear", None, 0),
    ],
)
def test_tokens_that_a_layer_still_needs(kind: str, window: int | None, kept: int) -> None:
    """Of 1000: all, those of the window, or none, since a state holds no tokens."""
    assert LayerGroup(kind, 1, 8, window).kept_tokens(1000) == kept


def test_has_windows() -> None:
    assert built_in("gpt-oss-20b").has_windows
    assert not built_in("llama-3-8b").has_windows
    assert not ModelShape("", 1, (LayerGroup("linear", 1, 0),)).has_windows


def test_groups_are_ordered_by_kind() -> None:
    kinds = ["linear", "chunked", "sliding", "full", "sliding"]
    layers = [LayerGroup(kind, 1, 8, 4 if kind in ("chunked", "sliding") else None) for kind in kinds]
    assert [(group.kind, group.layers) for group in grouped(layers)] == [
        ("full", 1),
        ("sliding", 2),
        ("chunked", 1),
        ("linear", 1),
    ]


SHARED = [
    (8192, 0, 16, 0),
    (8192, 15, 16, 0),
    (8192, 16, 16, 16),
    (32, 32, 16, 16),
    (33, 33, 16, 32),
    (1, 1, 1, 0),
]


@pytest.mark.parametrize(("tokens", "prefix", "block", "expected"), SHARED)
def test_shared_tokens(tokens: int, prefix: int, block: int, expected: int) -> None:
    """Whole blocks only, never the last token's (L3 problem 4: 32 of 32 cached tokens reuse 16)."""
    assert shared_tokens(tokens, prefix, block) == expected


@given(st.integers(1, 300), st.integers(0, 300), st.integers(1, 40), st.integers(1, 20))
def test_physical_use_counts_distinct_blocks(tokens: int, prefix: int, block: int, requests: int) -> None:
    """Against a set of (owner, position): full blocks inside the prefix have a common owner."""
    prefix = min(prefix, tokens)
    stored = set()
    for request in range(requests):
        for position in range(tokens):
            end = (position // block + 1) * block
            common = end <= prefix and end < tokens
            stored.add((-1 if common else request, position))
    assert physical_tokens(tokens, prefix, block, requests) == len(stored)


@given(st.lists(st.integers(1, 100), min_size=1, max_size=8), st.integers(1, 40))
def test_each_request_rounds_up_by_itself(lengths: list[int], block: int) -> None:
    """Blocks by filling them one token at a time; a pool can only need fewer."""
    filled = 0
    for length in lengths:
        filled += len({position // block for position in range(length)})
    assert blocks_of(lengths, block) == filled >= blocks_of([sum(lengths)], block)


def test_pooled_rounding_is_refuted() -> None:
    """The lecture's case tells the two rules apart: 4 blocks, not 3."""
    assert (blocks_of([17, 31], 16), blocks_of([17 + 31], 16)) == (4, 3)


def test_readings_of_the_third_question() -> None:
    """The course's numbers, in its order, then the two mixed readings."""
    assert [reading.requests for reading in readings(768 << 20)] == [85, 79, 74, 69, 86, 76]


def test_worked_example_of_the_lesson() -> None:
    """llama-2-7b at 32768 tokens is 16 GiB, not 512 MB."""
    assert 32768 * built_in("llama-2-7b").bytes_per_token == 16 << 30


def test_a_draft_model_adds_its_own() -> None:
    """1 GiB for a 131072 B target and a 114688 B draft holds 4369 tokens, not 8192."""
    both = built_in("llama-3.1-8b").bytes_per_token + built_in("qwen3-0.6b").bytes_per_token
    assert (1 << 30) // both == 4369
