"""Layers to groups: which layers share a block table, what is padded, and which pages grow.

Peer cases pt-28, pt-29, pt-32, pt-33 are inputs and results of vLLM's own tests (vllm-project/vllm
`tests/v1/core/test_kv_cache_utils.py`, commit 002f10e), pt-50 and pt-52 those of
supriyo100/kv-cache-attention-variants (`tests/test_inference_lab.py`, commit 5c6afb1); trap-18 is a public
tool's mistake. Other figures are worked out beside them from the rules of vLLM 0.32.0 that
`labs.sizing.grouping` states.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.model.shape import uniform_group
from labs.sizing.grouping import CacheGroup, blocks_of_request, cache_groups, group_size
from labs.sizing.layers import LayerSpec
from labs.sizing.plan import Plan, Worker, bytes_per_block, plan_of

PAGE = 16384


def layer(kind: str, page: int = PAGE, block: int = 16, window: int | None = None) -> LayerSpec:
    """A layer of any page; equal pages have equal widths."""
    state_blocks = 1 if kind == "linear" else 0
    return LayerSpec(kind, block, page, (page // block,), window, state_blocks)


# the layers of the tables
LETTERS = {
    "f": layer("full"),
    "s": layer("sliding", window=128),
    "w": layer("sliding", window=4096),
    "c": layer("chunked", window=128),
    "h": layer("sliding", PAGE // 2, window=128),  # half the page
    "o": layer("sliding", PAGE * 3 // 8, window=128),  # does not divide it
    "g": layer("full", PAGE // 4),
    "b": layer("full", block=32),
    "l": layer("mla", 18432),
    "e": layer("mla", PAGE),
    "q": layer("mla", PAGE // 4),
    "m": layer("linear"),
    "n": layer("linear", PAGE // 2),
}


def groups_of(layers: str) -> tuple[CacheGroup, ...]:
    return cache_groups([LETTERS[letter] for letter in layers])


# -- which layers share a table -------------------------------------------------------------------

PLACES = {
    "one kind": ("ffff", [[0, 1, 2, 3]]),
    "a layer alone": ("s", [[0]]),
    # 3 sliding in one group of 1 x 1 each; layer i goes to group i mod 3
    "1 to 3": ("sssf", [[0], [1], [2], [3]]),
    "1 to 3, twice: dealt round": ("sssfsssf", [[0, 4], [1, 5], [2, 6], [3, 7]]),
    # 7 sliding layers, groups of at most 2: ceil(7 / 2) = 4 groups, of which the last is short
    "dealt round, one short": ("sssfsssfs", [[0, 5], [1, 6], [2, 8], [4], [3, 7]]),
    "two windows": ("swfswf", [[0, 3], [1, 4], [2, 5]]),
    "a window and a chunk are not alike": ("sc", [[0], [1]]),
    "full and latent are alike": ("fle", [[0, 1, 2]]),
    "full layers of unlike heads are alike": ("fgfg", [[0, 1, 2, 3]]),
    "windows of unlike heads are alike": ("shsh", [[0, 1, 2, 3]]),
    "two windows are not": ("swsw", [[0, 2], [1, 3]]),
    "states alone": ("mmm", [[0, 1, 2]]),
    "states and attention": ("mmfmmf", [[0, 3], [1, 4], [2, 5]]),
    "states first, then attention": ("mf", [[0], [1]]),
    # h's blocks become twice as long as those of s
    "blocks of unlike size": ("fb", [[0], [1]]),
    "unlike pages do not share": ("fsh", [[0], [1], [2]]),
}


@pytest.mark.parametrize("name", PLACES)
def test_which_layers_share_a_table(name: str) -> None:
    layers, expected = PLACES[name]
    assert [list(group.places) for group in groups_of(layers)] == expected


@pytest.mark.parametrize(
    ("counts", "size"),
    [
        ([4], 4),
        ([4, 4], 4),
        ([2, 3], 2),  # exactly 1.5 times: the fewer decide
        ([8, 12], 8),
        ([9, 13], 13),  # 26 < 27: the more
        ([8, 11], 11),
        ([12, 8], 8),
        ([13, 9], 13),
        ([10, 50], 10),
        ([4, 5, 20], 4),
        ([10, 11, 12], 12),
        ([1, 1], 1),
        ([1, 2], 1),
    ],
)
def test_layers_of_a_group(counts: list[int], size: int) -> None:
    """The rarest kind's, or the most frequent's if it has less than 1.5 times as many."""
    assert group_size(counts) == size


@pytest.mark.parametrize(
    ("layers", "padding"), [("sssfsssfs", [0, 0, 0, 1, 0]), ("fffffsss", [0, 1, 0]), ("ffffffsssss", [0, 1])]
)
def test_padding(layers: str, padding: list[int]) -> None:
    """What a group has fewer than the others is padding: it is paid for in every block."""
    assert [group.padding for group in groups_of(layers)] == padding


@pytest.mark.parametrize(
    ("name", "layers", "groups"), [("pt-28", "fffsssssss", [3, 3, 2, 2]), ("pt-29", "ffffffsssss", [6, 5])]
)
def test_groups_of_the_engines_own_tests(name: str, layers: str, groups: list[int]) -> None:
    """96 pages and 192 pages are 32 blocks in both."""
    found = groups_of(layers)
    assert sorted((len(group.places) for group in found), reverse=True) == groups
    pages = {"pt-28": 96, "pt-29": 192}[name]
    assert plan_for(found, pages * PAGE).num_blocks == 32


def plan_for(groups: tuple[CacheGroup, ...], memory: int, length: int = 16) -> Plan:
    layers = 1 + max(place for group in groups for place in group.places)
    worker = Worker(0, 0, memory, bytes_per_block(groups, range(layers)))
    return plan_of(groups, (worker,), length, 1024)


@pytest.mark.parametrize(
    ("layers", "blocks", "per_request", "tokens"),
    [("s", 387, 129, 49152), ("fs", 3459, 1153, 49152), ("ffss", 3459, 1153, 49152)],
    ids=["pt-32", "pt-33", "pt-33-with-more-layers"],
)
def test_windows_of_the_engines_own_tests(layers: str, blocks: int, per_request: int, tokens: int) -> None:
    """A window of 1024 and 1024 tokens a step: ceil(2047 / 16) + 1 = 129 blocks; three requests of 16384."""
    letters = {"f": layer("full"), "s": layer("sliding", window=1024)}
    groups = cache_groups([letters[letter] for letter in layers])
    size = len(groups[0].places)
    plan = plan_for(groups, blocks * size * PAGE, 16384)
    assert (plan.num_blocks, plan.blocks_of_request) == (blocks, per_request)
    assert plan.max_concurrency == 3
    assert plan.kv_cache_size_tokens == tokens


# -- pages of one size ----------------------------------------------------------------------------

# letters -> (tokens of a block, bytes of a page) of each group
PAGES = {
    "equal pages stay": ("fs", [(16, PAGE), (16, PAGE)]),
    "half the bytes, twice the tokens": ("fh", [(16, PAGE), (32, PAGE)]),
    "what does not divide is padded": ("fo", [(16, PAGE), (16, PAGE)]),
    "a state is padded": ("fn", [(16, PAGE), (16, PAGE)]),
    "the largest may be the state": ("gm", [(64, PAGE), (16, PAGE)]),
    "a latent that divides grows": ("sq", [(16, PAGE), (64, PAGE)]),
    "a latent of the same page stays": ("se", [(16, PAGE), (16, PAGE)]),
    "one group keeps its pages": ("fg", [(16, PAGE)]),
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_of_one_size(name: str) -> None:
    layers, expected = PAGES[name]
    assert [(group.specs[0].block_size, group.specs[0].page_bytes) for group in groups_of(layers)] == expected


def test_a_latent_page_that_does_not_divide_charges_windows_in_full() -> None:
    """18432 is no part of 32768: all layers in one group, each with its own page, none with a window."""
    wide = layer("sliding", 32768, window=128)
    (group,) = cache_groups([LETTERS["l"], wide, LETTERS["l"], wide])
    assert [spec.page_bytes for spec in group.specs] == [18432, 32768, 18432, 32768]
    assert blocks_of_request((group,), 8192, 8192, 1) == 512
    assert not group.is_uniform


@pytest.mark.parametrize("other", ["chunked", "linear"])
def test_a_latent_page_that_does_not_divide_is_refused_beside_others(other: str) -> None:
    specs = [LETTERS["l"], layer(other, 32768, window=128 if other == "chunked" else None)]
    with pytest.raises(LabError) as refused:
        cache_groups(specs)
    assert (refused.value.rule, refused.value.got) == ("pages_not_unified", 32768)


@given(st.text(alphabet="fswchogm", min_size=1, max_size=40))
def test_every_layer_has_one_place(layers: str) -> None:
    """Each in one group, none above the size, and one page for all where there are several groups."""
    groups = groups_of(layers)
    assert sorted(place for group in groups for place in group.places) == list(range(len(layers)))
    assert all(0 <= group.padding < group.size for group in groups)
    if len(groups) == 1:
        return
    assert {spec.page_bytes for group in groups for spec in group.specs} == {groups[0].specs[0].page_bytes}
    assert all(group.is_uniform for group in groups)
    widest = max(len(group.places) for group in groups)
    assert bytes_per_block(groups, range(len(layers))) == widest * groups[0].specs[0].page_bytes


# -- what a block costs a worker ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("places", "pages"),
    [(range(6), 2), (range(3), 1), (range(3, 6), 1), (range(4), 2), (range(1, 5), 2), (range(1), 1)],
)
def test_a_block_of_a_worker(places: range, pages: int) -> None:
    """ssfssf is three groups, at 0 and 3, 1 and 4, 2 and 5: what a worker has of the widest one."""
    assert bytes_per_block(groups_of("ssfssf"), places) == pages * PAGE


def test_trap_18_a_draft_model_takes_its_share() -> None:
    """128 KiB a token and, for a draft of 16 layers x 8 heads x 64, 32 KiB: budget / (target + draft)."""
    target = [LayerSpec("full", 16, 65536, (8, 128, 128))] * 32
    draft = [LayerSpec("full", 16, 32768, (8, 64, 64))] * 16
    budget = 40 << 30
    both = plan_for(cache_groups([*target, *draft]), budget)
    assert both.num_blocks * 16 == budget // ((131072 + 32768) * 16) * 16
    alone = plan_for(cache_groups(target), budget)
    assert (alone.num_blocks, both.num_blocks) == (20480, 16384)


# -- peer cases of bytes a token --------------------------------------------------------------------


def test_pt_50_llama_3_8b() -> None:
    """2 x 32 x 8 x 128 x 2 = 131072 B a token, so 16 of them are 2 MiB a block."""
    assert uniform_group(32, 8, 128).bytes_per_token == 131072
    per_layer = uniform_group(1, 8, 128).bytes_per_token
    groups = cache_groups([LayerSpec("full", 16, 16 * per_layer, (8, 128, 128))] * 32)
    assert bytes_per_block(groups, range(32)) == 2 << 20


def test_pt_52_only_the_kv_heads_count() -> None:
    """32, 8 or 1 KV heads of 32 query heads: 4 times and 32 times as much."""
    mha, gqa, mqa = (uniform_group(32, heads, 128).bytes_per_token for heads in (32, 8, 1))
    assert (mha, mha) == (4 * gqa, 32 * mqa)
