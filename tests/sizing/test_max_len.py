"""The length that a config claims: which key decides, and what a scaled rotary embedding makes of it.

Each row follows `_get_and_verify_max_len` of vLLM 0.32.0: the smallest of the known keys, `model_max_length`
before them all, times the factor of those kinds of embedding whose published length is not scaled yet.
"""

from __future__ import annotations

from typing import Any

import pytest

from labs.base import LabError
from labs.model.stack import stack_of
from tests.model.published import Config, plain

KEYS = (
    *("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "model_max_length"),
    *("max_target_positions", "max_sequence_length", "max_seq_length", "seq_len"),
)


def length(config: Config) -> int | None:
    """What a config with plain layers and these keys beside them claims."""
    return stack_of({**plain(2, 512, 8, 2), **config}, "config.json").max_model_len


@pytest.mark.parametrize("key", KEYS)
def test_each_key_alone(key: str) -> None:
    assert length({key: 4096}) == 4096


LENGTHS: dict[str, tuple[Config, int | None]] = {
    "none": ({}, None),
    "null is not there": ({"max_position_embeddings": None, "n_positions": 1024}, 1024),
    "an unknown key": ({"max_context": 4096}, None),
    "the smallest": ({"max_position_embeddings": 8192, "seq_length": 2048}, 2048),
    "the smallest, the other way round": ({"max_position_embeddings": 2048, "seq_length": 8192}, 2048),
    "of three": ({"n_positions": 4096, "max_seq_len": 1024, "seq_len": 2048}, 1024),
    "model_max_length before all: larger": (
        {"max_position_embeddings": 4096, "model_max_length": 16384},
        16384,
    ),
    "model_max_length before all: smaller": (
        {"max_position_embeddings": 4096, "model_max_length": 1024},
        1024,
    ),
    "model_max_length of zero is none": ({"max_position_embeddings": 4096, "model_max_length": 0}, 4096),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_which_key_decides(name: str) -> None:
    config, expected = LENGTHS[name]
    assert length(config) == expected


def rope(kind: str | None, key: str = "rope_scaling", **more: Any) -> Config:
    """A length of 4096 and a description of the embedding."""
    named = {} if kind is None else {"rope_type": kind}
    return {"max_position_embeddings": 4096, key: {**named, **more}}


ROPES: dict[str, tuple[Config, int]] = {
    "linear": (rope("linear", factor=4.0), 16384),
    "linear, a whole number": (rope("linear", factor=2), 8192),
    "linear, not whole": (rope("linear", factor=2.5), 10240),
    # 4096 x 1.0001 = 4096.4096
    "linear, cut off": (rope("linear", factor=1.0001), 4096),
    "linear, by the older key": (rope(None, type="linear", factor=4.0), 16384),
    "linear, by the newer place": (rope("linear", "rope_parameters", factor=4.0), 16384),
    "dynamic": (rope("dynamic", factor=2.0), 8192),
    "default": (rope("default"), 4096),
    "no factor": (rope("linear"), 4096),
    "a factor of null": (rope("linear", factor=None), 4096),
    "null": ({"max_position_embeddings": 4096, "rope_scaling": None}, 4096),
    # their published length is scaled already
    "yarn": (rope("yarn", factor=4.0, original_max_position_embeddings=1024), 4096),
    "yarn, by the older key": (rope(None, type="yarn", factor=4.0), 4096),
    "deepseek_yarn": (rope("deepseek_yarn", factor=40), 4096),
    "deepseek_llama_scaling": (rope("deepseek_llama_scaling", factor=8), 4096),
    "llama3": (rope("llama3", factor=8.0, original_max_position_embeddings=1024), 4096),
    "su": (rope(None, type="su", factor=4.0), 4096),
    "su is longrope's older name": (
        {**rope(None, type="su"), "original_max_position_embeddings": 1024},
        1024,
    ),
    # an engine starts from the length that the short factors are for, if the config itself has it
    "longrope": ({**rope("longrope"), "original_max_position_embeddings": 1024}, 1024),
    "longrope, the length elsewhere": (rope("longrope", original_max_position_embeddings=1024), 4096),
    "longrope, no length": (rope("longrope"), 4096),
    "longrope, a factor": (rope("longrope", factor=32.0), 4096),
    "an original length alone": (
        {**rope("linear", factor=2), "original_max_position_embeddings": 1024},
        8192,
    ),
    "the factor scales what decides": (
        {**rope("linear", factor=2.0), "model_max_length": 1024, "seq_length": 512},
        2048,
    ),
    # one description for each kind of layer
    "two kinds of layers": (
        {
            "max_position_embeddings": 4096,
            "rope_parameters": {
                "sliding_attention": {"rope_type": "default"},
                "full_attention": {"rope_type": "linear", "factor": 8.0},
            },
        },
        32768,
    ),
    "two kinds of layers, the other way round": (
        {
            "max_position_embeddings": 4096,
            "rope_parameters": {
                "full_attention": {"rope_type": "linear", "factor": 8.0},
                "sliding_attention": {"rope_type": "default"},
            },
        },
        32768,
    ),
    "two kinds of layers, both default": (
        {
            "max_position_embeddings": 4096,
            "rope_parameters": {"sliding": {"rope_type": "default"}, "full": {"rope_type": "default"}},
        },
        4096,
    ),
}


@pytest.mark.parametrize("name", ROPES)
def test_scaled_embeddings(name: str) -> None:
    config, expected = ROPES[name]
    assert length(config) == expected


@pytest.mark.parametrize("model_type", ["gemma3", "gemma3_text"])
def test_gemma_3_is_not_scaled_again(model_type: str) -> None:
    """128 K stand in the file beside a linear factor of 8."""
    sizes = {"head_dim": 64, "sliding_window": 1024, "sliding_window_pattern": 2}
    config = {**rope("linear", factor=8.0), "model_type": model_type, **sizes}
    assert length(config) == 4096
    assert length({**config, "model_type": "gemma2"}) == 32768


def test_the_text_part_of_a_file_for_several_media() -> None:
    inner = {**plain(2, 512, 8, 2), "max_position_embeddings": 4096}
    assert stack_of({"text_config": inner, "seq_length": 17}, "config.json").max_model_len == 4096


WRONG: dict[str, tuple[Config, str]] = {
    "text": ({"max_position_embeddings": "4096"}, "max_position_embeddings"),
    "a fraction": ({"n_positions": 4096.5}, "n_positions"),
    "negative": ({"seq_len": -1}, "seq_len"),
    "true": ({"model_max_length": True}, "model_max_length"),
    "beyond all": ({"model_max_length": 10**30}, "model_max_length"),
    "factor of text": (rope("linear", factor="4"), "rope_scaling"),
    "factor of zero": (rope("linear", factor=0), "rope_scaling"),
    "factor below zero": (rope("linear", factor=-2.0), "rope_scaling"),
    "no object": ({"max_position_embeddings": 4096, "rope_scaling": "linear"}, "rope_scaling"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_length(name: str) -> None:
    config, key = WRONG[name]
    with pytest.raises(LabError) as refused:
        length(config)
    assert refused.value.where == "config.json:1"
    assert refused.value.values["key"] == key
