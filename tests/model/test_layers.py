"""Layers of published configs beyond those in tests/cases, with the arithmetic written out.

Each row: what the file has, and (kind, layers, bytes per token and layer, window) of each group at
16 bits, where 2 x heads x width x 2 B is K and V of plain attention.
"""

from __future__ import annotations

import pytest

from tests.model.published import FULL, MLA, SLIDING, Config, Group, groups, plain

LFM2 = plain(16, 2048, 32, 8, conv_L_cache=3)
LFM2_AT = [2, 5, 8, 10, 12, 14]
LFM2_GROUPS: list[Group] = [("full", 6, 2 * 8 * 64 * 2, None), ("linear", 10, 0, None)]
NAS_BLOCKS = [
    {"attention": {"n_heads_in_group": 8, "no_op": False, "replace_with_linear": False}},
    {"attention": {"n_heads_in_group": None, "no_op": True, "replace_with_linear": False}},
    {"attention": {"n_heads_in_group": None, "no_op": False, "replace_with_linear": True}},
    {"attention": {"n_heads_in_group": 16, "no_op": False, "replace_with_linear": False}},
]
KIMI_AT = [4, 8, 12, 16, 20, 24, 27]
LAYER_CASES: dict[str, tuple[Config, list[Group]]] = {
    "bamba: positions": (
        plain(32, 4096, 32, 8, attn_layer_indices=[9, 18, 27], mamba_d_state=128),
        [("full", 3, 2 * 8 * 128 * 2, None), ("linear", 29, 0, None)],
    ),
    "granite-4: words": (
        plain(4, 1536, 12, 4, layer_types=["mamba", "mamba", "attention", "mamba"], mamba_d_state=128),
        [("full", 1, 2 * 4 * 128 * 2, None), ("linear", 3, 0, None)],
    ),
    "nemotron-h: words": (
        plain(
            4,
            2688,
            32,
            2,
            head_dim=128,
            layers_block_type=["mamba", "moe", "attention", "mlp"],
            ssm_state_size=128,
        ),
        [("full", 1, 2 * 2 * 128 * 2, None), ("linear", 1, 0, None)],
    ),
    "nemotron-nas: blocks": (
        plain(4, 8192, 64, None, num_key_value_heads=None, block_configs=NAS_BLOCKS),
        [("full", 1, 2 * 8 * 128 * 2, None), ("full", 1, 2 * 4 * 128 * 2, None)],
    ),
    "minimax-text-01": (
        plain(8, 6144, 64, 8, head_dim=128, attn_type_list=[0, 0, 0, 0, 0, 0, 0, 1]),
        [("full", 1, 2 * 8 * 128 * 2, None), ("linear", 7, 0, None)],
    ),
    "kimi-linear-48b": (
        plain(
            27,
            2304,
            32,
            32,
            head_dim=72,
            **MLA,
            linear_attn_config={
                "full_attn_layers": KIMI_AT,
                "kda_layers": [layer for layer in range(1, 28) if layer not in KIMI_AT],
                "num_heads": 32,
                "head_dim": 128,
            },
        ),
        [("full", 7, 576 * 2, None), ("linear", 20, 0, None)],
    ),
    "lfm2-1.2b: positions": ({**LFM2, "full_attn_idxs": LFM2_AT}, LFM2_GROUPS),
    "lfm2-1.2b: both, in agreement": (
        {
            **LFM2,
            "full_attn_idxs": LFM2_AT,
            "layer_types": [FULL if layer in LFM2_AT else "conv" for layer in range(16)],
        },
        LFM2_GROUPS,
    ),
    "recurrentgemma-2b": (
        plain(
            26,
            2560,
            10,
            1,
            head_dim=256,
            block_types=["recurrent", "recurrent", "attention"],
            attention_window_size=2048,
            lru_width=2560,
        ),
        [("sliding", 8, 2 * 1 * 256 * 2, 2048), ("linear", 18, 0, None)],
    ),
    "falcon-h1: both in each layer": (
        plain(
            36,
            2048,
            8,
            2,
            head_dim=128,
            mamba_d_ssm=3072,
            ssm_in_multiplier=1.25,
            attention_in_multiplier=1.0,
            attn_layer_indices=None,
        ),
        [("full", 36, 2 * 2 * 128 * 2, None), ("linear", 36, 0, None)],
    ),
    "zamba2: hybrid layers hold both": (
        plain(
            3,
            2048,
            32,
            32,
            attention_head_dim=128,
            layers_block_type=["mamba", "hybrid", "mamba"],
            mamba_d_state=64,
        ),
        [("full", 1, 2 * 32 * 128 * 2, None), ("linear", 3, 0, None)],
    ),
    "zamba2-1.2b: kv_channels is hidden / heads, and not the width of attention": (
        plain(
            3,
            2048,
            32,
            32,
            attention_head_dim=128,
            attention_hidden_size=4096,
            kv_channels=64,
            num_query_groups=32,
            hybrid_layer_ids=[1],
            layers_block_type=["mamba", "hybrid", "mamba"],
            mamba_d_state=128,
        ),
        [("full", 1, 2 * 32 * 128 * 2, None), ("linear", 3, 0, None)],
    ),
    "zamba-7b: the period beside the list counts from the fourth layer": (
        plain(
            8,
            3712,
            16,
            16,
            attention_hidden_size=7424,
            attn_layer_period=6,
            attn_layer_offset=4,
            layers_block_type=["mamba", "mamba", "hybrid", "mamba", "mamba", "mamba", "mamba", "hybrid"],
            mamba_d_state=16,
        ),
        [("full", 2, 2 * 16 * 464 * 2, None), ("linear", 8, 0, None)],
    ),
    "trinity: words beside a period that only its own code counts": (
        plain(
            4,
            2048,
            32,
            4,
            head_dim=128,
            layer_types=[SLIDING, SLIDING, SLIDING, FULL],
            global_attn_every_n_layers=4,
            sliding_window=2048,
        ),
        [("full", 1, 2 * 4 * 128 * 2, None), ("sliding", 3, 2 * 4 * 128 * 2, 2048)],
    ),
    "gpt-neo-1.3b: counted words": (
        {
            "num_layers": 24,
            "num_heads": 16,
            "hidden_size": 2048,
            "attention_types": [[["global", "local"], 12]],
            "window_size": 256,
        },
        [("full", 12, 2 * 16 * 128 * 2, None), ("sliding", 12, 2 * 16 * 128 * 2, 256)],
    ),
    "every word there is": (
        plain(
            12,
            512,
            8,
            2,
            sliding_window=64,
            attention_chunk_size=32,
            layer_types=[
                *("full_attention", "attention", "global_attention", "global"),
                *("sliding_attention", "local_attention", "local", "chunked_attention"),
                *("linear_attention", "mamba2", "conv", "recurrent"),
            ],
        ),
        [
            ("full", 4, 2 * 2 * 64 * 2, None),
            ("sliding", 3, 2 * 2 * 64 * 2, 64),
            ("chunked", 1, 2 * 2 * 64 * 2, 32),
            ("linear", 4, 0, None),
        ],
    ),
    "jamba: the offset is that of a layer": (
        plain(9, 512, 8, 2, attn_layer_period=8, attn_layer_offset=0, mamba_d_state=16),
        [("full", 2, 2 * 2 * 64 * 2, None), ("linear", 7, 0, None)],
    ),
    "step-3.5: draft layers stand behind the words": (
        plain(
            3,
            512,
            8,
            2,
            sliding_window=64,
            num_nextn_predict_layers=1,
            layer_types=[FULL, SLIDING, FULL, SLIDING],
        ),
        [("full", 2, 2 * 2 * 64 * 2, None), ("sliding", 1, 2 * 2 * 64 * 2, 64)],
    ),
}


@pytest.mark.parametrize("name", LAYER_CASES)
def test_layers(name: str) -> None:
    config, expected = LAYER_CASES[name]
    assert groups(config) == expected
