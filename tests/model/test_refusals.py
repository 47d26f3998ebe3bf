"""A config that cannot be sized is refused by the name of the key, at the line where the key stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.model.config import read_config
from labs.model.keys import path_line
from labs.view.errors import error_line

BASE: dict[str, Any] = {
    "num_hidden_layers": 4,
    "hidden_size": 512,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
}
FULL, SLIDING = "full_attention", "sliding_attention"
BAD_COUNTS: list[Any] = [10_001, 32.0, "32", True, -1, 0, None, [4], {}, 10**30]
BAD_KV_HEADS: list[Any] = [2.0, "2", True, False, -2, 0, 3, 16, [2, 2], {}, 10**9]
BAD_WIDTHS: list[Any] = [1_000_001, 64.0, "64", True, 0, -64]
BAD_WINDOWS: list[Any] = [4096.0, "4096", True, 0, -1, [4096]]

# what is added to BASE (None: null), and the key that the refusal names
ADDED: dict[str, tuple[dict[str, Any], str]] = {
    **{f"layers {value!r}": ({"num_hidden_layers": value}, "num_hidden_layers") for value in BAD_COUNTS},
    **{
        f"kv heads {value!r}": ({"num_key_value_heads": value}, "num_key_value_heads")
        for value in BAD_KV_HEADS
    },
    **{f"head_dim {value!r}": ({"head_dim": value}, "head_dim") for value in BAD_WIDTHS},
    **{f"sliding_window {value!r}": ({"sliding_window": value}, "sliding_window") for value in BAD_WINDOWS},
    "hidden is no multiple of heads": ({"hidden_size": 500}, "hidden_size"),
    "use_sliding_window is text": (
        {"sliding_window": 64, "use_sliding_window": "false"},
        "use_sliding_window",
    ),
    "switch on, no layer": ({"sliding_window": 64, "use_sliding_window": True}, "max_window_layers"),
    "layer_types too short": ({"layer_types": [FULL] * 3}, "layer_types"),
    "layer_types too long": ({"layer_types": [FULL] * 5}, "layer_types"),
    "layer_types is a number": ({"layer_types": 4}, "layer_types"),
    "unknown layer type": ({"layer_types": [FULL] * 3 + ["compressed_sparse_attention"]}, "layer_types"),
    "layer type is no text": ({"layer_types": [FULL] * 3 + [1]}, "layer_types"),
    "sliding without a window": ({"layer_types": [SLIDING] * 4}, "sliding_window"),
    "chunked without a chunk": ({"layer_types": ["chunked_attention"] * 4}, "attention_chunk_size"),
    "sliding, but switched off": (
        {"layer_types": [SLIDING] * 4, "sliding_window": 64, "use_sliding_window": False},
        "use_sliding_window",
    ),
    "pattern without a window": ({"sliding_window_pattern": 2}, "sliding_window"),
    "unknown letter": ({"hybrid_override_pattern": "M*-X"}, "hybrid_override_pattern"),
    "letters too short": ({"hybrid_override_pattern": "M*-"}, "hybrid_override_pattern"),
    "unknown number": ({"attn_type_list": [0, 1, 2, 1]}, "attn_type_list"),
    "true is no number": ({"attn_type_list": [0, 1, True, 1]}, "attn_type_list"),
    "numbers too long": (
        {"hybrid_layer_pattern": [0, 1, 1, 1, 1], "sliding_window": 64},
        "hybrid_layer_pattern",
    ),
    "position outside": ({"attn_layer_indices": [1, 4]}, "attn_layer_indices"),
    "period without offset": ({"attn_layer_period": 2}, "attn_layer_offset"),
    "offset outside the period": ({"attn_layer_period": 2, "attn_layer_offset": 2}, "attn_layer_offset"),
    "kimi: a layer is missing": (
        {"linear_attn_config": {"full_attn_layers": [4], "kda_layers": [1, 2]}},
        "linear_attn_config.kda_layers",
    ),
    "two statements disagree": (
        {"layer_types": ["conv"] * 3 + [FULL], "full_attn_idxs": [0]},
        "full_attn_idxs",
    ),
    "mamba, and nothing more": ({"mamba_d_state": 16}, "mamba_d_state"),
    "ssm, and nothing more": ({"ssm_state_size": 16}, "ssm_state_size"),
    "linear attention, and nothing more": ({"linear_num_key_heads": 16}, "linear_num_key_heads"),
    "layer aliases disagree": ({"n_layer": 5}, "n_layer"),
    "head aliases disagree": ({"n_head": 16}, "n_head"),
    "kv aliases disagree": ({"num_kv_heads": 4}, "num_kv_heads"),
    "text_config is text": ({"text_config": "llama"}, "text_config"),
    "flat and nested disagree": ({"text_config": {**BASE, "num_hidden_layers": 5}}, "num_hidden_layers"),
    "nested kv heads": (
        {"text_config": {**BASE, "num_key_value_heads": "2"}},
        "num_key_value_heads",
    ),
    "encoder-decoder": ({"is_encoder_decoder": True}, "is_encoder_decoder"),
    "encoder-decoder by its layers": ({"decoder_layers": 6}, "decoder_layers"),
    "encoder by its layers": ({"encoder_layers": 6}, "encoder_layers"),
    "encoder-decoder by a count": ({"num_decoder_layers": 6}, "num_decoder_layers"),
    "t5 by its key": ({"d_kv": 64}, "d_kv"),
    "encoder by architecture": ({"architectures": ["BertForMaskedLM"]}, "architectures"),
    "encoder by type": ({"model_type": "xlm-roberta"}, "model_type"),
    "vision encoder": ({"model_type": "vit"}, "model_type"),
    "encoder by its key": ({"type_vocab_size": 2}, "type_vocab_size"),
    "both directions": ({"use_bidirectional_attention": True}, "use_bidirectional_attention"),
    "longcat by architecture": ({"architectures": ["LongcatFlashForCausalLM"]}, "architectures"),
    "indexer by its count": ({"index_topk": 2048}, "index_topk"),
    "reuse by group": ({"kv_reuse_group": [[0, 1]]}, "kv_reuse_group"),
    "reuse by layer": ({"kv_reuse_every_i_layer": 2}, "kv_reuse_every_i_layer"),
    "compressed": ({"compress_ratios": [1, 4, 4, 1]}, "compress_ratios"),
    "groups of layers": ({"layer_group_size": 2}, "layer_group_size"),
    "two parts disagree": (
        {"text_config": BASE, "llm_config": {**BASE, "num_hidden_layers": 5}},
        "llm_config",
    ),
    "gemma does not divide": ({"model_type": "gemma2"}, "head_dim"),
    "gpt-oss does not divide": ({"model_type": "gpt_oss"}, "head_dim"),
    "mpt without its count": (
        {"attn_config": {"attn_type": "grouped_query_attention"}},
        "attn_config.kv_n_heads",
    ),
    "kimi: a layer is of both kinds": (
        {"linear_attn_config": {"full_attn_layers": [4], "kda_layers": [1, 2, 3, 4]}},
        "linear_attn_config.kda_layers",
    ),
    "counted words too few": ({"attention_types": [[["global"], 3]]}, "attention_types"),
    "true is no position": ({"attn_layer_indices": [True, 2]}, "attn_layer_indices"),
    "blocks: a window": (
        {"block_configs": [{"attention": {"n_heads_in_group": 4, "window_length": 64}}] * 4},
        "block_configs[0].attention.window_length",
    ),
    "unknown kv heads": ({"num_kv_groups": 2}, "num_kv_groups"),
    "unknown kv heads of windows": ({"num_swa_key_value_heads": 2}, "num_swa_key_value_heads"),
    "unknown kv heads, nested": ({"attn_config": {"n_kv_heads": 2}}, "attn_config.n_kv_heads"),
    "unknown latent": ({"attention_kv_lora_dim": 512}, "attention_kv_lora_dim"),
    "unknown word for heads": ({"attention_head_type": "sparse"}, "attention_head_type"),
    "layers in words of their own": ({"mixer_types": ["lightning-attn"] * 4}, "mixer_types"),
    "windows by position": (
        {"sliding_window": 64, "sliding_window_layers": [1, 3]},
        "sliding_window_layers",
    ),
    "full layers by a period that classes count differently": (
        {"global_attn_every_n_layers": 3},
        "global_attn_every_n_layers",
    ),
    "hybrid layers by position": ({"hybrid_layer_ids": [1]}, "hybrid_layer_ids"),
    "zamba without its list": (
        {"attention_hidden_size": 1024, "attn_layer_period": 2, "attn_layer_offset": 0, "mamba_d_state": 16},
        "mamba_d_state",
    ),
    "rwkv": ({"rescale_every": 6, "attention_hidden_size": 512}, "rescale_every"),
    "indexer": ({"index_topk": 2048, "index_head_dim": 128}, "index_head_dim"),
    "shared between layers": ({"use_cla": True, "cla_share_factor": 2}, "use_cla"),
    "shared between layers, no switch": ({"cla_share_factor": 2}, "cla_share_factor"),
    "cross-attention": ({"cross_attention_layers": [3]}, "cross_attention_layers"),
    "two attentions a layer": ({"zero_expert_num": 256}, "zero_expert_num"),
    "longcat by type": ({"model_type": "longcat_flash"}, "model_type"),
    "heads of some layers, and nothing more": ({"swa_num_key_value_heads": 4}, "swa_num_key_value_heads"),
    "width of some layers, and nothing more": ({"global_head_dim": 4}, "global_head_dim"),
    "sharing by some layers, and nothing more": (
        {"num_kv_shared_layers": 2, "sliding_window": 64},
        "num_kv_shared_layers",
    ),
    "chunks and windows": (
        {"attention_chunk_size": 64, "sliding_window": 64},
        "attention_chunk_size",
    ),
    "falcon: grouped or not": ({"multi_query": True, "num_kv_heads": 2}, "new_decoder_architecture"),
    "V has a width, K has none": ({"v_head_dim": 32}, "head_dim"),
    "qwen3 does not divide": ({"model_type": "qwen3_moe"}, "head_dim"),
    "mla without rope": ({"kv_lora_rank": 512}, "qk_rope_head_dim"),
    "mla without rank": ({"qk_rope_head_dim": 64}, "kv_lora_rank"),
    "all layers share": ({"num_kv_shared_layers": 4, "layer_types": [FULL] * 4}, "num_kv_shared_layers"),
    "falcon without its flag": ({"new_decoder_architecture": False}, "multi_query"),
    "chatglm without its group": ({"multi_query_attention": True}, "multi_query_group_num"),
    "blocks: too few": ({"block_configs": []}, "block_configs"),
    "blocks: no attention": ({"block_configs": [{}] * 4}, "block_configs[0].attention"),
    "blocks: no group": (
        {"block_configs": [{"attention": {}}] * 4},
        "block_configs[0].attention.n_heads_in_group",
    ),
    "interleaved the other way": (
        {"layer_switch": 4, "sliding_window": 64, "order_of_interleaved_layers": "global_first"},
        "order_of_interleaved_layers",
    ),
}


KEYS = sorted({key for added, _ in ADDED.values() for key in added} | set(BASE))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 9) | st.sampled_from([0.5, "", FULL, "M*-E", "LG", 10**39]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["attention", "kv_n_heads", "n_layer"]), inner)
    ),
    max_leaves=6,
)


def refusal(config: Any, text: str = "") -> LabError:
    with pytest.raises(LabError) as caught:
        read_config(config, "config.json", text)
    return caught.value


@pytest.mark.parametrize("name", ["num_hidden_layers", "hidden_size", "num_attention_heads"])
def test_missing_key(name: str) -> None:
    error = refusal({key: value for key, value in BASE.items() if key != name})
    assert (error.values["key"], error.where, error.rule) == (name, "config.json:1", "config_missing")


@given(st.dictionaries(st.sampled_from(KEYS), VALUES, min_size=1, max_size=4))
def test_other_values_never_end_in_a_traceback(added: dict[str, Any]) -> None:
    """Any value under any key is sized or refused with one line."""
    line = ""
    try:
        read_config({**BASE, **added}, "config.json")
    except LabError as error:
        line = error_line(error, "en")
    assert "\n" not in line


@pytest.mark.parametrize("key", ["is_encoder_decoder", "use_cla", "index_topk"])
def test_the_file_around_a_part_is_looked_at(key: str) -> None:
    """What stands beside text_config says as much of the cache as what stands in it."""
    assert refusal({key: True, "text_config": BASE}).values["key"] == key


def test_gemma_3n_is_not_gemma_3() -> None:
    """Another class with other defaults: what its file leaves out is missing, not Gemma 3's."""
    config = {"model_type": "gemma3n_text", "num_hidden_layers": 4, "hidden_size": 512, "head_dim": 64}
    assert refusal(config).values["key"] == "num_attention_heads"


def test_missing_key_of_a_part_has_its_path() -> None:
    error = refusal({"text_config": {"hidden_size": 512}})
    assert error.values["key"] == "text_config.num_hidden_layers"


@pytest.mark.parametrize("name", ADDED)
def test_refused_by_key(name: str) -> None:
    """Each in the file itself, and the same inside text_config, where the key has its path."""
    added, key = ADDED[name]
    config = {**BASE, **added}
    in_the_file = refusal(config).values["key"]
    assert in_the_file in (key, f"text_config.{key}")
    assert refusal({"text_config": config}).values["key"] == f"text_config.{in_the_file}"


REASONS: dict[str, tuple[Any, str]] = {
    "d_kv": (64, "config_encoder_decoder"),
    "index_topk": (2048, "config_indexer"),
    "use_cla": (True, "config_shared_layers"),
    "kv_reuse_group": ([[0, 1]], "config_shared_layers"),
    "cross_attention_layers": ([3], "config_cross_attention"),
    "zero_expert_num": (256, "config_two_attentions"),
    "compress_ratios": ([1, 4, 4, 1], "config_structure"),
    "num_kv_groups": (2, "config_like_kv_heads"),
    "ssm_state_size": (16, "config_state_layers"),
}


@pytest.mark.parametrize("key", REASONS)
def test_the_reason_is_the_cache_that_the_key_means(key: str) -> None:
    value, rule = REASONS[key]
    assert refusal({**BASE, key: value}).rule == rule


@pytest.mark.parametrize("config", [[], [BASE], "text", 7, None, True], ids=repr)
def test_not_an_object(config: Any) -> None:
    assert refusal(config).rule == "not_an_object"


def test_line_is_that_of_the_key_itself() -> None:
    """Not that of the same key in another part, nor of a text that looks like the key."""
    config = {
        "note": '"num_hidden_layers": 1',
        "vision_config": {"num_hidden_layers": 2},
        "text_config": {**BASE, "num_hidden_layers": "4"},
    }
    text = json.dumps(config, indent=1)
    line = 1 + next(i for i, row in enumerate(text.split("\n")) if row.endswith('"num_hidden_layers": "4",'))
    error = refusal(config, text)
    assert (error.where, error.got) == (f"config.json:{line}", '"4"')


@pytest.mark.parametrize(
    ("path", "line"),
    [("a", 2), ("b.c", 4), ("b.d[1].e", 7), ("f", 9), ("missing", 1), ("c", 1)],
)
def test_path_line(path: str, line: int) -> None:
    text = '{\n"a": "x, {y",\n"b": {\n"c": [1, [2, 3]],\n"d": [\n{"e": 1},\n{"e": 2}\n]},\n"f": 1}'
    assert path_line(text, path) == line
