"""One layer on one rank: bytes of a block, blocks of a request, blocks enlarged to cover a state.

Figures are worked out beside each row from the rules in `labs.sizing.layers`; what vLLM 0.32.0 itself says of
the same rules is in `test_plan_golden.py` and `test_states.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from labs.base import LabError
from labs.model.stack import ModelStack, stack_of
from labs.sizing.layers import Deployment, LayerSpec, block_alignment, check_context_parallel, layer_specs
from tests.model.published import FULL, MLA, SLIDING, plain


def stack(**more: Any) -> ModelStack:
    """Two layers of 32 query heads, 8 KV heads and a head dim of 128: 4096 B a token and layer."""
    return stack_of(plain(2, 4096, 32, 8, **more), "config.json")


# -- blocks of a request --------------------------------------------------------------------------

# kind, window, block size, max_len, in flight, dcp -> blocks
BLOCKS = {
    "full": (("full", None, 16), (8192, 8192, 1), 512),
    "full, one over": (("full", None, 16), (8193, 8192, 1), 513),
    "full has nothing in flight": (("full", None, 16), (8192, 1, 1), 512),
    "full, dcp 2": (("full", None, 16), (8192, 8192, 2), 256),
    # ceil(33 / 2) = 17 tokens on a rank: 2 blocks of 16
    "full, dcp 2, odd length": (("full", None, 16), (33, 8192, 2), 2),
    "latent": (("mla", None, 64), (131072, 8192, 1), 2048),
    "latent, dcp 8": (("mla", None, 64), (131072, 8192, 8), 256),
    # ceil((127 + 1) / 16) = 8, and one
    "sliding, ends at a block": (("sliding", 128, 16), (32768, 1, 1), 9),
    # ceil(129 / 16) = 9, and one
    "sliding, one over": (("sliding", 128, 16), (32768, 2, 1), 10),
    # ceil(8319 / 16) = 520, and one
    "sliding, 8192 in flight": (("sliding", 128, 16), (32768, 8192, 1), 521),
    # the whole request: 100 tokens are 7 blocks, and one
    "sliding, a short request": (("sliding", 128, 16), (100, 8192, 1), 8),
    "a window of one": (("sliding", 1, 16), (32768, 16, 1), 2),
    # ceil(129 / 16) = 9, no other
    "chunked": (("chunked", 128, 16), (32768, 1, 1), 9),
    # ceil(8320 / 16)
    "chunked, 8192 in flight": (("chunked", 128, 16), (32768, 8192, 1), 520),
    "chunked, a short request": (("chunked", 128, 16), (100, 8192, 1), 7),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_of_a_request(name: str) -> None:
    (kind, window, block), asked, blocks = BLOCKS[name]
    assert LayerSpec(kind, block, block * 4096, (8, 128, 128), window).blocks_of_request(*asked) == blocks


@pytest.mark.parametrize(("aligned", "blocks"), [(True, 2), (False, 1)])
@pytest.mark.parametrize("length", [1, 131072])
def test_a_state_takes_its_blocks_whatever_the_length(aligned: bool, blocks: int, length: int) -> None:
    """The state, and with prefix caching the one it was aligned to."""
    hybrid = stack(layer_types=["mamba", FULL], **MAMBA)
    specs = layer_specs(hybrid, Deployment(prefix_caching=aligned))
    assert specs[0][0].blocks_of_request(length, 8192, 1) == blocks


# -- tokens in flight -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pp", "async_scheduling", "in_flight"),
    [(1, False, 2048), (1, True, 4096), (2, False, 4096), (2, True, 6144), (4, False, 8192)],
)
def test_tokens_in_flight(pp: int, async_scheduling: bool, in_flight: int) -> None:
    """A step a pipeline stage, and one more with asynchronous scheduling."""
    deployment = Deployment(pp=pp, async_scheduling=async_scheduling, max_num_batched_tokens=2048)
    assert deployment.in_flight == in_flight


# -- bytes of a block -----------------------------------------------------------------------------

# what is added to the config, deployment -> kind, block size, page, widths, window of the first layer
SIZES: dict[str, tuple[dict[str, Any], Deployment, tuple[Any, ...]]] = {
    # 16 x 8 x 256 x 2 B
    "plain": ({}, Deployment(), ("full", 16, 65536, (8, 128, 128), None)),
    "block of 32": ({}, Deployment(block_size=32), ("full", 32, 131072, (8, 128, 128), None)),
    "fp8": ({}, Deployment(kv_dtype="fp8"), ("full", 16, 32768, (8, 128, 128), None)),
    "fp32": ({}, Deployment(kv_dtype="float32"), ("full", 16, 131072, (8, 128, 128), None)),
    "2 ranks": ({}, Deployment(tp=2), ("full", 16, 32768, (4, 128, 128), None)),
    "8 ranks": ({}, Deployment(tp=8), ("full", 16, 8192, (1, 128, 128), None)),
    # more ranks than heads: one on each
    "16 ranks": ({}, Deployment(tp=16), ("full", 16, 8192, (1, 128, 128), None)),
    "32 ranks": ({}, Deployment(tp=32), ("full", 16, 8192, (1, 128, 128), None)),
    # K of 192 and V of 128: 16 x 8 x 320 x 2 B
    "unlike widths": (
        {"head_dim": 192, "v_head_dim": 128},
        Deployment(),
        ("full", 16, 81920, (8, 192, 128), None),
    ),
    "a window": (
        {"sliding_window": 512, "layer_types": [SLIDING, FULL]},
        Deployment(),
        ("sliding", 16, 65536, (8, 128, 128), 512),
    ),
    "chunks": (
        {"attention_chunk_size": 512, "layer_types": ["chunked_attention", FULL]},
        Deployment(),
        ("chunked", 16, 65536, (8, 128, 128), 512),
    ),
    # 16 x 576 x 2 B, on every rank
    "a latent": (MLA, Deployment(), ("mla", 16, 18432, (1152,), None)),
    "a latent, 8 ranks": (MLA, Deployment(tp=8), ("mla", 16, 18432, (1152,), None)),
    "a latent, fp8": (MLA, Deployment(kv_dtype="fp8"), ("mla", 16, 9216, (576,), None)),
    "a latent, blocks of 64": (MLA, Deployment(block_size=64), ("mla", 64, 73728, (1152,), None)),
}


@pytest.mark.parametrize("name", SIZES)
def test_bytes_of_a_block(name: str) -> None:
    more, deployment, expected = SIZES[name]
    (spec, *_), *_ = layer_specs(stack(**more), deployment)
    assert (spec.kind, spec.block_size, spec.page_bytes, spec.widths, spec.window) == expected


def test_heads_of_each_kind_are_shared_out_by_themselves() -> None:
    """16 x 256 sliding, 4 x 512 full: at 8 ranks 2 x 256 and 1 x 512 are equal, at 16 the window is less."""
    keys = {
        "layer_types": [SLIDING, FULL],
        "sliding_window": 1024,
        "head_dim": 256,
        "global_head_dim": 512,
        "num_global_key_value_heads": 4,
        "attention_k_eq_v": True,
    }
    gemma = stack_of(plain(2, 5376, 32, 16, model_type="gemma4_text", **keys), "config.json")
    found = {}
    for tp in (1, 4, 8, 16):
        sliding, full = (of_layer[0].page_bytes // 16 for of_layer in layer_specs(gemma, Deployment(tp=tp)))
        found[tp] = (sliding, full)
    # heads x (K + V) x 2 B
    assert found == {1: (16384, 8192), 4: (4096, 2048), 8: (2048, 2048), 16: (1024, 2048)}


@pytest.mark.parametrize(("tp", "rule"), [(3, "tp_query_heads"), (5, "tp_query_heads")])
def test_heads_that_ranks_cannot_share(tp: int, rule: str) -> None:
    with pytest.raises(LabError) as refused:
        layer_specs(stack(), Deployment(tp=tp))
    assert (refused.value.where, refused.value.rule, refused.value.got) == ("--tp", rule, tp)


# -- blocks enlarged to cover a state -------------------------------------------------------------

# 8192 channels x 3 x 2 B + 8192 x 16 x 2 B = 311296 B
MAMBA: dict[str, Any] = {"mamba_expand": 2, "mamba_d_state": 16, "mamba_d_conv": 4}
STATE = 311296
HYBRID = {"layer_types": ["mamba", FULL], **MAMBA}
# deployment -> block size, page; an attention layer has 4096 B a token
ENLARGED = {
    # 16 x ceil(311296 / 65536) = 80
    "bf16": (Deployment(), 80, 327680),
    "fp8": (Deployment(kv_dtype="fp8"), 160, 327680),
    # 64 x ceil(311296 / 262144) = 128
    "a multiple of the block asked for": (Deployment(block_size=64), 128, 524288),
    # 96 x ceil(311296 / 393216)
    "large enough": (Deployment(block_size=96), 96, 393216),
    # 16 x ceil(573440 / 65536): 49152 + 2 x 262144 B
    "a state in float32": (Deployment(state_dtype="float32"), 144, 589824),
    # half of both
    "2 ranks": (Deployment(tp=2), 80, 163840),
    # a head each at 8 and at 16, an eighth and a sixteenth of the state
    "8 ranks": (Deployment(tp=8), 80, 40960),
    "16 ranks": (Deployment(tp=16), 48, 24576),
}


@pytest.mark.parametrize("name", ENLARGED)
def test_blocks_enlarged_to_cover_a_state(name: str) -> None:
    """Both pages are equal: the attention block is enlarged, and then the state padded to it."""
    deployment, block, page = ENLARGED[name]
    (state,), (attention,) = layer_specs(stack(**HYBRID), deployment)
    assert (attention.block_size, attention.page_bytes) == (block, page)
    assert (state.kind, state.block_size, state.page_bytes) == ("linear", block, page)


def test_a_state_is_known_before_it_is_padded() -> None:
    (state,), _ = layer_specs(stack(**HYBRID), Deployment())
    assert state.widths == (STATE,)


@pytest.mark.parametrize(
    ("latent", "block", "align"), [(True, 16, 128), (True, 256, 256), (False, 16, 16), (False, 64, 64)]
)
def test_what_an_enlarged_block_is_a_multiple_of(latent: bool, block: int, align: int) -> None:
    asked = stack(**(MLA if latent else {}))
    assert block_alignment(asked, Deployment(block_size=block)) == align


# -- context parallelism --------------------------------------------------------------------------

# what is added to the config, tp, dcp -> the rule that refuses
CONTEXT: dict[str, tuple[dict[str, Any], int, int, str | None]] = {
    "not asked for": ({}, 1, 1, None),
    "as many as the copies of a head": ({}, 16, 2, None),
    "fewer": ({}, 32, 2, None),
    "more": ({}, 16, 4, "dcp_heads"),
    "no head is copied": ({}, 8, 2, "dcp_heads"),
    "one rank": ({}, 1, 2, "dcp_divides_tp"),
    "does not divide": (MLA, 8, 3, "dcp_divides_tp"),
    "a latent is on every rank": (MLA, 8, 8, None),
    "windows": ({"sliding_window": 64, "layer_types": [SLIDING, FULL]}, 16, 2, "dcp_with_windows"),
    "windows, not asked for": ({"sliding_window": 64, "layer_types": [SLIDING, FULL]}, 16, 1, None),
    "chunks": ({"attention_chunk_size": 64}, 16, 2, "dcp_with_windows"),
    "states": (HYBRID, 16, 2, None),
}


@pytest.mark.parametrize("name", CONTEXT)
def test_context_parallelism(name: str) -> None:
    more, tp, dcp, rule = CONTEXT[name]
    if rule is None:
        check_context_parallel(stack(**more), tp, dcp)
        return
    with pytest.raises(LabError) as refused:
        check_context_parallel(stack(**more), tp, dcp)
    assert (refused.value.where, refused.value.rule, refused.value.got) == ("--dcp", rule, dcp)


def test_context_parallelism_with_unlike_heads() -> None:
    """Layers of 8 and of 4 KV heads on 8 ranks: the 8 are not copied, so nobody can share the tokens out."""
    config = {"num_hidden_layers": 2, "hidden_size": 4096, "num_attention_heads": 32}
    unlike = stack_of({**config, "num_key_value_heads": [8, 4]}, "config.json")
    assert {group.kv_heads for group in unlike.shape.groups} == {8, 4}
    with pytest.raises(LabError) as refused:
        check_context_parallel(unlike, 8, 2)
    assert (refused.value.where, refused.value.rule) == ("--dcp", "dcp_heads")
