"""Heads and widths of published configs beyond those in tests/cases, with the arithmetic written out.

Each row: what the file has, and (kind, layers, bytes per token and layer, window) of each group at
16 bits, where 2 x heads x width x 2 B is K and V of plain attention.
"""

from __future__ import annotations

import pytest

from labs.model.config import read_config
from labs.model.models import MODELS, built_in
from tests.model.published import FULL, MLA, SLIDING, Config, Group, groups, plain

FALCON_7B = {"n_layer": 32, "n_head": 71, "hidden_size": 4544, "multi_query": True}
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
    "santacoder: multi-query in a word": (
        {"n_layer": 24, "n_head": 16, "n_embd": 2048, "attention_head_type": "multiquery"},
        [("full", 24, 2 * 1 * 128 * 2, None)],
    ),
    "attention_head_type: grouped": (
        {"n_layer": 2, "n_head": 16, "n_embd": 2048, "attention_head_type": "gqa", "num_key_value_heads": 4},
        [("full", 2, 2 * 4 * 128 * 2, None)],
    ),
    "attention_head_type: one each": (
        {"n_layer": 2, "n_head": 16, "n_embd": 2048, "attention_head_type": "mha"},
        [("full", 2, 2 * 16 * 128 * 2, None)],
    ),
    "xglm: attention_heads": (
        {"num_layers": 24, "attention_heads": 16, "d_model": 1024},
        [("full", 24, 2 * 16 * 64 * 2, None)],
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
    "other widths in sliding layers": (
        plain(
            2,
            4096,
            64,
            8,
            head_dim=128,
            sliding_window=512,
            layer_types=[FULL, SLIDING],
            attention_other_setting={"num_attention_groups": 8, "head_dim": 64},
        ),
        [("full", 1, 2 * 8 * 128 * 2, None), ("sliding", 1, 2 * 8 * 64 * 2, 512)],
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
    "falcon: multi-query whatever the count says": (
        {**FALCON_7B, "num_kv_heads": 8, "new_decoder_architecture": False},
        [("full", 32, 2 * 1 * 64 * 2, None)],
    ),
    "kv_channels wins over 4096 / 32": (
        plain(2, 4096, 32, 8, kv_channels=96),
        [("full", 2, 2 * 8 * 96 * 2, None)],
    ),
    "sliding layers with widths of their own": (
        plain(
            3,
            4096,
            32,
            8,
            head_dim=128,
            v_head_dim=96,
            swa_head_dim=64,
            swa_v_head_dim=32,
            sliding_window=512,
            layer_types=[FULL, SLIDING, SLIDING],
        ),
        [("full", 1, 8 * (128 + 96) * 2, None), ("sliding", 2, 8 * (64 + 32) * 2, 512)],
    ),
    "a share of one layer shares nothing": (
        plain(2, 512, 8, 2, cla_share_factor=1, layer_group_size=1),
        [("full", 2, 2 * 2 * 64 * 2, None)],
    ),
    "a decoder that has token types": (
        plain(2, 512, 8, 2, type_vocab_size=2, is_decoder=True),
        [("full", 2, 2 * 2 * 64 * 2, None)],
    ),
    "draft layers are not counted": (
        plain(46, 4096, 96, 8, head_dim=128, num_nextn_predict_layers=1),
        [("full", 46, 2 * 8 * 128 * 2, None)],
    ),
}


@pytest.mark.parametrize("name", HEAD_CASES)
def test_heads_and_widths(name: str) -> None:
    config, expected = HEAD_CASES[name]
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
    """head_dim wins over hidden / heads; KV heads count, the number of parameters does not."""
    assert built_in(name).bytes_per_token == PUBLISHED[name]


GROWING = {
    **PUBLISHED,
    "mistral-7b-v0.1": 0,
    "gemma-3-27b": 10 * 2 * 16 * 128 * 2,
    "gpt-oss-20b": 12 * 2 * 8 * 64 * 2,
}


@pytest.mark.parametrize("name", MODELS)
def test_built_in_models_in_full_layers(name: str) -> None:
    """Windows stop growing; Qwen2.5 publishes one, but has it switched off."""
    assert built_in(name).bytes_per_token_growing == GROWING[name]


COMMON: dict[str, tuple[Config, int | None, int | None, int | None]] = {
    # query heads, KV heads, width of K
    "alike": (plain(2, 512, 8, 2), 8, 2, 64),
    "K wider than V": (plain(2, 4096, 32, 8, head_dim=192, v_head_dim=128), 32, 8, 192),
    "states have no heads": (
        plain(4, 512, 8, 2, layer_types=[FULL, "mamba", "mamba", FULL], mamba_d_state=16),
        8,
        2,
        64,
    ),
    "other KV heads in one layer": (
        plain(3, 4096, 32, num_key_value_heads_per_layer=[4, 4, 1]),
        32,
        None,
        128,
    ),
    "other query heads in one layer": (
        {"num_layers": 2, "num_query_heads": [12, 16], "num_kv_heads": [4, 4], "head_dim": 64},
        None,
        4,
        64,
    ),
    "one latent, no heads": (plain(2, 7168, 128, 128, **MLA), 128, None, None),
}


@pytest.mark.parametrize("name", COMMON)
def test_what_the_layers_have_in_common(name: str) -> None:
    """Heads and width of all attention layers, None where they differ."""
    config, query_heads, kv_heads, head_dim = COMMON[name]
    shape = read_config(config, "config.json")
    assert (shape.query_heads, shape.kv_heads, shape.head_dim) == (query_heads, kv_heads, head_dim)


def test_a_large_file_is_read_in_time() -> None:
    assert groups(plain(10_000, 512, 8, [2] * 10_000)) == [("full", 10_000, 2 * 2 * 64 * 2, None)]  # type: ignore[arg-type]
