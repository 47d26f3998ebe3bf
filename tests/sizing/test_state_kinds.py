"""A state's dtype, its share of a rank, and what is refused: kinds without a formula, by name.

What each class takes where the file is silent is vLLM 0.32.0's answer (see test_states.py); the arithmetic
stands beside the rows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from labs.base import LabError
from labs.model.stack import stack_of
from labs.model.states import LinearState
from labs.sizing.layers import Deployment, state_bytes
from tests.model.published import FULL, Config, plain
from tests.sizing.test_states import hybrid

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunLab

# -- dtypes -----------------------------------------------------------------------------------------

DELTA = {
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_conv_kernel_dim": 4,
}
# what is added -> bytes of an element: 48 channels x 3 x 2 B = 288 B, 2 x 8 x 8 = 128 elements
STATE_DTYPES: dict[str, tuple[Config, int]] = {
    "16 bits unless somebody says otherwise": ({}, 288 + 128 * 2),
    "the file": ({"mamba_ssm_dtype": "float32"}, 288 + 128 * 4),
    "the file, in another key": ({"mamba_ssm_cache_dtype": "float32"}, 288 + 128 * 4),
    "qwen3.5 where the file is silent": ({"model_type": "qwen3_5_text"}, 288 + 128 * 4),
    "qwen3.5 moe": ({"model_type": "qwen3_5_moe_text"}, 288 + 128 * 4),
    "the file before the class": ({"model_type": "qwen3_5", "mamba_ssm_dtype": "bfloat16"}, 288 + 128 * 2),
    "qwen3-next has no default of its own": ({"model_type": "qwen3_next"}, 288 + 128 * 2),
}


@pytest.mark.parametrize("name", STATE_DTYPES)
def test_bytes_of_a_states_element(name: str) -> None:
    more, expected = STATE_DTYPES[name]
    stack = stack_of(hybrid(8, 8, 64, **DELTA, **more), "config.json")
    assert state_bytes(stack, Deployment()) == expected


@pytest.mark.parametrize("word", ["int3", 16, True])
def test_a_states_dtype_that_is_none(word: object) -> None:
    with pytest.raises(LabError) as refused:
        stack_of(hybrid(8, 8, 64, **DELTA, mamba_ssm_dtype=word), "config.json")
    assert refused.value.rule == "config_state_dtype"


# -- ranks that cannot share a state ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "tp", "expected"),
    [
        # 2 groups of 4 channels: a group a rank; at 4 ranks twice as many as there are
        (LinearState("Mamba-2", 64, 4, 128, 2, 2, 4), 1, 72 * 6 + 256),
        (LinearState("Mamba-2", 64, 4, 128, 2, 2, 4), 2, 36 * 6 + 128),
        (LinearState("Mamba-2", 64, 4, 128, 2, 2, 4), 4, 20 * 6 + 64),
        (LinearState("Mamba-1", 64, 4, 128, 2), 4, 16 * 6 + 64),
        # a kernel of 2 keeps one token
        (LinearState("Mamba-1", 64, 2, 128, 2), 1, 64 * 2 + 256),
    ],
)
def test_a_share_of_a_state(state: LinearState, tp: int, expected: int) -> None:
    assert state.bytes_on_one_rank(tp) == expected


@pytest.mark.parametrize(
    "state",
    [
        LinearState("KDA", 64, 4, 6, 4),  # elements
        LinearState("KDA", 6, 4, 64, 4),  # channels
    ],
)
def test_a_state_that_ranks_cannot_share(state: LinearState) -> None:
    with pytest.raises(LabError) as refused:
        state.bytes_on_one_rank(4)
    assert (refused.value.where, refused.value.rule, refused.value.got) == ("--tp", "tp_state", 4)


# -- what has no formula ----------------------------------------------------------------------------

UNKNOWN: dict[str, tuple[Config, str]] = {
    "minimax-01": (
        plain(8, 6144, 64, 8, head_dim=128, attn_type_list=[0, 0, 0, 0, 0, 0, 0, 1]),
        "lightning attention",
    ),
    "recurrentgemma": (
        plain(
            6,
            2560,
            10,
            1,
            head_dim=256,
            block_types=["recurrent", "recurrent", "attention"],
            attention_window_size=2048,
            lru_width=2560,
        ),
        "RG-LRU",
    ),
    "words alone": (plain(2, 512, 8, 2, layer_types=["linear_attention", FULL]), "linear attention"),
    "rwkv": ({"model_type": "rwkv", "num_hidden_layers": 4, "hidden_size": 512}, ""),
    "mamba": (
        {"model_type": "mamba", "num_hidden_layers": 4, "hidden_size": 512, "state_size": 16},
        "state_size",
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_state_without_a_formula_is_refused_by_name(
    name: str, lang: str, run_lab: RunLab, tmp_path: Path
) -> None:
    config, kind = UNKNOWN[name]
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    words = ["capacity", "fit", "--config", str(path), "--kv-memory", "40GiB", "--max-model-len", "4096"]
    ran = run_lab(["--lang", lang, *words])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"error: {path}:1: ")
    assert kind in ran.err


@pytest.mark.parametrize(
    ("missing", "more"),
    [
        ("linear_num_key_heads", {key: DELTA[key] for key in DELTA if key != "linear_num_key_heads"}),
        ("mamba_d_conv", {"mamba_expand": 2, "mamba_d_state": 16}),
    ],
)
def test_a_key_that_is_missing(missing: str, more: Config) -> None:
    with pytest.raises(LabError) as refused:
        stack_of(hybrid(8, 8, 64, **more), "config.json")
    assert (refused.value.rule, refused.value.values["key"]) == ("config_missing", missing)
