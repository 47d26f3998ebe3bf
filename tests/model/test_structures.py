"""Structures of published configs beyond the handed ones, with the arithmetic written out.

Each row: what the file has, and (kind, layers, bytes per token and layer, window) of each group at
16 bits, where 2 x heads x width x 2 B is K and V of plain attention.
"""

from __future__ import annotations

from typing import Any

import pytest

from labs.model.config import read_config
from labs.model.models import MODELS, built_in

Group = tuple[str, int, int, "int | None"]
Config = dict[str, Any]


def plain(layers: int, hidden: int, heads: int, kv_heads: int | None = None, **more: Any) -> Config:
    config = {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads, **more}
    if kv_heads is not None:
        config["num_key_value_heads"] = kv_heads
    return config


FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"
GEMMA3_27B = plain(62, 5376, 32, 16, head_dim=128, sliding_window=1024)
GEMMA3_27B_GROUPS: list[Group] = [
    ("full", 10, 2 * 16 * 128 * 2, None),
    ("sliding", 52, 2 * 16 * 128 * 2, 1024),
]
GEMMA2_9B = plain(42, 3584, 16, 8, head_dim=256, sliding_window=4096)
GEMMA2_9B_GROUPS: list[Group] = [("full", 21, 2 * 8 * 256 * 2, None), ("sliding", 21, 2 * 8 * 256 * 2, 4096)]
SCOUT = plain(48, 5120, 40, 8, head_dim=128, attention_chunk_size=8192)
SCOUT_GROUPS: list[Group] = [("full", 12, 2 * 8 * 128 * 2, None), ("chunked", 36, 2 * 8 * 128 * 2, 8192)]
EXAONE4 = plain(64, 5120, 40, 8, head_dim=128, sliding_window=4096)
EXAONE4_GROUPS: list[Group] = [("full", 16, 2 * 8 * 128 * 2, None), ("sliding", 48, 2 * 8 * 128 * 2, 4096)]
LFM2 = plain(16, 2048, 32, 8, conv_L_cache=3)
LFM2_AT = [2, 5, 8, 10, 12, 14]
LFM2_GROUPS: list[Group] = [("full", 6, 2 * 8 * 64 * 2, None), ("linear", 10, 0, None)]
MLA = {"kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128}
FALCON_7B = {"n_layer": 32, "n_head": 71, "hidden_size": 4544, "multi_query": True}
NAS_BLOCKS = [
    {"attention": {"n_heads_in_group": 8, "no_op": False, "replace_with_linear": False}},
    {"attention": {"n_heads_in_group": None, "no_op": True, "replace_with_linear": False}},
    {"attention": {"n_heads_in_group": None, "no_op": False, "replace_with_linear": True}},
    {"attention": {"n_heads_in_group": 16, "no_op": False, "replace_with_linear": False}},
]
KIMI_AT = [4, 8, 12, 16, 20, 24, 27]
STEP_WORDS = [FULL, SLIDING, SLIDING, SLIDING]

HEAD_CASES: dict[str, tuple[Config, list[Group]]] = {
    "falcon-7b": (
        {**FALCON_7B, "num_kv_heads": 71, "new_decoder_architecture": False},
        [("full", 32, 2 * 1 * 64 * 2, None)],
    ),
    "falcon-7b, older file": (FALCON_7B, [("full", 32, 2 * 1 * 64 * 2, None)]),
    "falcon-40b, older file": (
        {"n_layer": 60, "n_head": 128, "n_head_kv": 8, "hidden_size": 8192},
        [("full", 60, 2 * 8 * 64 * 2, None)],
    ),
    "falcon-rw: multi_query false": (
        {"n_layer": 24, "n_head": 32, "hidden_size": 2048, "multi_query": False},
        [("full", 24, 2 * 32 * 64 * 2, None)],
    ),
    "starcoder": (
        {"n_layer": 40, "n_head": 48, "n_embd": 6144, "multi_query": True},
        [("full", 40, 2 * 1 * 128 * 2, None)],
    ),
    "bloom-7b1": ({"n_layer": 30, "n_head": 32, "n_embed": 4096}, [("full", 30, 2 * 32 * 128 * 2, None)]),
    "mpt-7b": (
        {
            "n_layers": 32,
            "n_heads": 32,
            "d_model": 4096,
            "attn_config": {"attn_type": "multihead_attention", "kv_n_heads": None},
        },
        [("full", 32, 2 * 32 * 128 * 2, None)],
    ),
    "mpt, multi-query": (
        {
            "n_layers": 2,
            "n_heads": 32,
            "d_model": 4096,
            "attn_config": {"attn_type": "multiquery_attention"},
        },
        [("full", 2, 2 * 1 * 128 * 2, None)],
    ),
    "dbrx": (
        {"n_layers": 40, "n_heads": 48, "d_model": 6144, "attn_config": {"kv_n_heads": 8, "clip_qkv": 8}},
        [("full", 40, 2 * 8 * 128 * 2, None)],
    ),
    "mistral params.json": (
        {"n_layers": 40, "n_heads": 32, "n_kv_heads": 8, "dim": 5120, "head_dim": 128},
        [("full", 40, 2 * 8 * 128 * 2, None)],
    ),
    "chatglm-6b: the flag is off": (
        {
            "num_layers": 28,
            "num_attention_heads": 32,
            "hidden_size": 4096,
            "multi_query_attention": False,
            "multi_query_group_num": 2,
        },
        [("full", 28, 2 * 32 * 128 * 2, None)],
    ),
    "num_query_groups": (plain(2, 512, 8, num_query_groups=2), [("full", 2, 2 * 2 * 64 * 2, None)]),
    "step-3: num_attention_groups": (
        plain(61, 7168, 64, num_attention_groups=1, head_dim=256),
        [("full", 61, 2 * 1 * 256 * 2, None)],
    ),
    "step-3.5: other heads in sliding layers": (
        plain(
            4,
            4096,
            64,
            num_attention_groups=8,
            head_dim=128,
            sliding_window=512,
            layer_types=STEP_WORDS,
            attention_other_setting={"num_attention_heads": 96, "num_attention_groups": 4},
        ),
        [("full", 1, 2 * 8 * 128 * 2, None), ("sliding", 3, 2 * 4 * 128 * 2, 512)],
    ),
    "pixtral text: query heads left out": (
        {
            "text_config": {
                "num_hidden_layers": 40,
                "num_key_value_heads": 8,
                "head_dim": 128,
                "sliding_window": None,
            }
        },
        [("full", 40, 2 * 8 * 128 * 2, None)],
    ),
    "openelm: heads by layer": (
        {
            "num_transformer_layers": 3,
            "num_query_heads": [12, 16, 16],
            "num_kv_heads": [3, 4, 4],
            "head_dim": 64,
        },
        [("full", 1, 2 * 3 * 64 * 2, None), ("full", 2, 2 * 4 * 64 * 2, None)],
    ),
    "decilm-7b: heads by layer": (
        plain(3, 4096, 32, num_key_value_heads_per_layer=[4, 4, 1]),
        [("full", 2, 2 * 4 * 128 * 2, None), ("full", 1, 2 * 1 * 128 * 2, None)],
    ),
    "qwen3-0.6b: head_dim wins over 1024 / 16": (
        plain(28, 1024, 16, 8, head_dim=128),
        [("full", 28, 2 * 8 * 128 * 2, None)],
    ),
    "attention_head_dim": (
        plain(2, 4096, 32, 8, attention_head_dim=160, head_dim=None),
        [("full", 2, 2 * 8 * 160 * 2, None)],
    ),
    "V narrower than K": (
        plain(2, 4096, 32, 8, head_dim=192, v_head_dim=128),
        [("full", 2, 8 * (192 + 128) * 2, None)],
    ),
    "deepseek-v3": (plain(61, 7168, 128, 128, **MLA), [("full", 61, 576 * 2, None)]),
    "minicpm3-4b": (
        plain(62, 2560, 40, 40, kv_lora_rank=256, qk_rope_head_dim=32, qk_nope_head_dim=64),
        [("full", 62, 288 * 2, None)],
    ),
    "hunyuan: use_mla false": (
        plain(32, 4096, 32, 8, **MLA, use_mla=False, use_cla=False, cla_share_factor=2, head_dim=128),
        [("full", 32, 2 * 8 * 128 * 2, None)],
    ),
    "deepseek-vl2-tiny: use_mla false, zeros": (
        {
            "language_config": plain(
                12,
                1280,
                10,
                10,
                use_mla=False,
                kv_lora_rank=None,
                qk_rope_head_dim=0,
                qk_nope_head_dim=0,
                v_head_dim=0,
            )
        },
        [("full", 12, 2 * 10 * 128 * 2, None)],
    ),
    "llm_config": ({"llm_config": plain(2, 512, 8, 2)}, [("full", 2, 2 * 2 * 64 * 2, None)]),
    "thinker_config.text_config": (
        {"thinker_config": {"text_config": plain(2, 512, 8, 2), "audio_config": {"encoder_layers": 32}}},
        [("full", 2, 2 * 2 * 64 * 2, None)],
    ),
    "flat and nested agree": (
        {**plain(2, 512, 8, 2), "text_config": plain(2, 512, 8, 2)},
        [("full", 2, 2 * 2 * 64 * 2, None)],
    ),
    "nested without sizes": (
        {**plain(2, 512, 8, 2), "text_config": {"vocab_size": 9}},
        [("full", 2, 2 * 2 * 64 * 2, None)],
    ),
    "draft layers are not counted": (
        plain(46, 4096, 96, 8, head_dim=128, num_nextn_predict_layers=1),
        [("full", 46, 2 * 8 * 128 * 2, None)],
    ),
}

LAYER_CASES: dict[str, tuple[Config, list[Group]]] = {
    "window on every layer": (
        plain(2, 512, 8, 2, sliding_window=64),
        [("sliding", 2, 2 * 2 * 64 * 2, 64)],
    ),
    "qwen: use_sliding_window, from a layer on": (
        plain(28, 3584, 28, 4, sliding_window=32768, use_sliding_window=True, max_window_layers=21),
        [("full", 21, 2 * 4 * 128 * 2, None), ("sliding", 7, 2 * 4 * 128 * 2, 32768)],
    ),
    "qwen: the switch left out is off": (
        plain(28, 3584, 28, 4, sliding_window=32768, max_window_layers=21),
        [("full", 28, 2 * 4 * 128 * 2, None)],
    ),
    "qwen2 by name: the switch left out is off": (
        plain(28, 3584, 28, 4, sliding_window=32768, model_type="qwen2"),
        [("full", 28, 2 * 4 * 128 * 2, None)],
    ),
    "gemma-2-9b by name": ({**GEMMA2_9B, "model_type": "gemma2"}, GEMMA2_9B_GROUPS),
    "gemma-2-9b by its soft cap": (
        {**GEMMA2_9B, "query_pre_attn_scalar": 256, "attn_logit_softcapping": 50.0},
        GEMMA2_9B_GROUPS,
    ),
    "gemma-3-27b by name": (
        {"text_config": {**GEMMA3_27B, "model_type": "gemma3_text"}},
        GEMMA3_27B_GROUPS,
    ),
    "gemma-3-27b by the file's architecture": (
        {"architectures": ["Gemma3ForConditionalGeneration"], "text_config": GEMMA3_27B},
        GEMMA3_27B_GROUPS,
    ),
    "gemma-3-27b by the scalar": ({**GEMMA3_27B, "query_pre_attn_scalar": 168}, GEMMA3_27B_GROUPS),
    "gemma-3-27b by pattern": ({**GEMMA3_27B, "sliding_window_pattern": 6}, GEMMA3_27B_GROUPS),
    "gemma-3-27b by _pattern": ({**GEMMA3_27B, "_sliding_window_pattern": 6}, GEMMA3_27B_GROUPS),
    "gemma-3-4b: heads left to the class": (
        {
            "model_type": "gemma3",
            "text_config": {
                "model_type": "gemma3_text",
                "hidden_size": 2560,
                "num_hidden_layers": 34,
                "sliding_window": 1024,
            },
        },
        [("full", 5, 2 * 4 * 256 * 2, None), ("sliding", 29, 2 * 4 * 256 * 2, 1024)],
    ),
    "gemma-3-12b: head_dim left to the class, not 3840 / 16": (
        {"text_config": plain(48, 3840, 16, 8, model_type="gemma3_text", sliding_window=1024)},
        [("full", 8, 2 * 8 * 256 * 2, None), ("sliding", 40, 2 * 8 * 256 * 2, 1024)],
    ),
    "gemma-3n-e4b: the last 15 of 35 layers share": (
        {
            "text_config": plain(
                35,
                2048,
                8,
                2,
                head_dim=256,
                sliding_window=512,
                num_kv_shared_layers=15,
                layer_types=([SLIDING] * 4 + [FULL]) * 7,
            )
        },
        [("full", 4, 2 * 2 * 256 * 2, None), ("sliding", 16, 2 * 2 * 256 * 2, 512)],
    ),
    "gemma-4: wider full layers, the same heads": (
        plain(
            6,
            1536,
            8,
            1,
            head_dim=256,
            global_head_dim=512,
            num_global_key_value_heads=None,
            sliding_window=512,
            num_kv_shared_layers=2,
            layer_types=[SLIDING, SLIDING, SLIDING, FULL, SLIDING, FULL],
        ),
        [("full", 1, 2 * 1 * 512 * 2, None), ("sliding", 3, 2 * 1 * 256 * 2, 512)],
    ),
    "command-r7b: layer_switch": (
        plain(
            32,
            4096,
            32,
            8,
            head_dim=128,
            sliding_window=4096,
            layer_switch=4,
            order_of_interleaved_layers="local_attn_first",
        ),
        [("full", 8, 2 * 8 * 128 * 2, None), ("sliding", 24, 2 * 8 * 128 * 2, 4096)],
    ),
    "exaone-4-32b: letters": ({**EXAONE4, "sliding_window_pattern": "LLLG"}, EXAONE4_GROUPS),
    "exaone-4-32b: words": ({**EXAONE4, "layer_types": ([SLIDING] * 3 + [FULL]) * 16}, EXAONE4_GROUPS),
    "exaone-4-1.2b: no window": (
        plain(30, 2048, 32, 8, head_dim=64, sliding_window=None, sliding_window_pattern=None),
        [("full", 30, 2 * 8 * 64 * 2, None)],
    ),
    "gpt-oss by name": (
        plain(24, 2880, 64, 8, head_dim=64, sliding_window=128, model_type="gpt_oss"),
        [("full", 12, 2 * 8 * 64 * 2, None), ("sliding", 12, 2 * 8 * 64 * 2, 128)],
    ),
    "llama-4-scout": (SCOUT, SCOUT_GROUPS),
    "llama-4-scout: empty list": ({"text_config": {**SCOUT, "no_rope_layers": []}}, SCOUT_GROUPS),
    "llama-4-scout: list": ({**SCOUT, "no_rope_layers": [1, 1, 1, 0] * 12}, SCOUT_GROUPS),
    "llama-4-scout: words": (
        {**SCOUT, "layer_types": (["chunked_attention"] * 3 + [FULL]) * 12},
        SCOUT_GROUPS,
    ),
    "smollm3: a list of rotary layers is no window": (
        plain(36, 2048, 16, 4, no_rope_layers=[1, 1, 1, 0] * 9, use_sliding_window=False),
        [("full", 36, 2 * 4 * 128 * 2, None)],
    ),
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


def groups(config: Config) -> list[Group]:
    shape = read_config(config, "config.json")
    return [(g.kind, g.layers, g.bytes_per_token_per_layer, g.window) for g in shape.groups]


@pytest.mark.parametrize("name", HEAD_CASES)
def test_heads_and_widths(name: str) -> None:
    config, expected = HEAD_CASES[name]
    assert groups(config) == expected


@pytest.mark.parametrize("name", LAYER_CASES)
def test_layers(name: str) -> None:
    config, expected = LAYER_CASES[name]
    assert groups(config) == expected


PUBLISHED = {
    "llama-3-8b": 131072,
    "qwen2.5-7b": 57344,
    "llama-3-70b": 327680,
    "llama-2-7b": 524288,
    "llama-3.1-8b": 131072,
    "llama-3.1-70b": 327680,
    "llama-3.1-405b": 516096,
    "mistral-7b-v0.1": 131072,
    "qwen3-0.6b": 114688,
    "qwen3-8b": 147456,
    "qwen3-32b": 262144,
    "qwen3-30b-a3b": 98304,
    "gemma-3-27b": 62 * 2 * 16 * 128 * 2,
    "gpt-oss-20b": 24 * 2 * 8 * 64 * 2,
    "deepseek-v3": 61 * 576 * 2,
}


@pytest.mark.parametrize("name", MODELS)
def test_built_in_models(name: str) -> None:
    """Traps 01, 03 and 12: head_dim wins, KV heads count, parameters do not."""
    assert built_in(name).bytes_per_token == PUBLISHED[name]


def test_a_large_file_is_read_in_time() -> None:
    assert groups(plain(10_000, 512, 8, [2] * 10_000)) == [("full", 10_000, 2 * 2 * 64 * 2, None)]  # type: ignore[arg-type]
