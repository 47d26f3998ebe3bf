"""Every config in tests/cases comes out as published, also when keys that do not matter change.

The expected values are those of tests/cases/configs.json. SABOTAGE breaks the sizing as learners do
(query heads for KV heads, hidden / heads for head_dim, K alone); the table refutes each.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import inference_lab
from labs.model.config import read_config
from labs.model.shape import ModelShape

CASES = Path(inference_lab.__file__).parent / "tests" / "cases"
EXPECTED: list[dict[str, Any]] = json.loads((CASES / "configs.json").read_text(encoding="utf-8"))
NO_MATTER = (
    "model_type",
    "architectures",
    "torch_dtype",
    "dtype",
    "max_position_embeddings",
    "seq_length",
    "n_ctx",
    "n_positions",
    "num_nextn_predict_layers",
    "attention_k_eq_v",
)
each_config = pytest.mark.parametrize("case", EXPECTED, ids=lambda case: case["name"])


def config_of(case: dict[str, Any]) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((CASES / case["file"]).read_text(encoding="utf-8"))
    return config


def each_key(config: dict[str, Any], change: Callable[[str], str | None]) -> dict[str, Any]:
    """The config with keys renamed, or removed where the change gives None."""
    out = {}
    for key, value in config.items():
        name = change(key) if key in NO_MATTER else key
        if name is not None:
            out[name] = each_key(value, change) if isinstance(value, dict) else value
    return out


def groups_of(shape: ModelShape) -> list[dict[str, Any]]:
    return [
        {
            "kind": group.kind,
            "layers": group.layers,
            "bytes_per_token_per_layer_bf16": group.bytes_per_token_per_layer,
            "window": group.window,
        }
        for group in shape.groups
    ]


def check(shape: ModelShape, case: dict[str, Any]) -> None:
    assert groups_of(shape) == case["groups"]
    assert shape.bytes_per_token == case["bytes_per_token_all_layers_bf16"]
    assert shape.bytes_per_token_growing == case["bytes_per_token_growing_bf16"]
    assert shape.layers == case["layers"]
    assert shape.query_heads == case["query_heads"]


@each_config
def test_as_published(case: dict[str, Any]) -> None:
    """Groups and bytes per token of the file as it is."""
    check(read_config(config_of(case), case["file"]), case)


@each_config
def test_keys_that_do_not_matter_removed(case: dict[str, Any]) -> None:
    """Without the model's name, dtype, length: the structure alone decides."""
    check(read_config(each_key(config_of(case), lambda key: None), case["file"]), case)


@each_config
def test_keys_that_do_not_matter_renamed(case: dict[str, Any]) -> None:
    """Under other names they do not matter either."""
    check(read_config(each_key(config_of(case), lambda key: f"x_{key}"), case["file"]), case)


def says_enough(case: dict[str, Any], name: object) -> bool:
    """Whether a file needs no name: one is consulted for a bare `sliding_window`, or without `head_dim`."""
    config = config_of(case)
    part = config.get("text_config", config)
    if name not in ("gemma2", "qwen2"):
        return True  # no class default hangs on it
    bare_window = part.get("sliding_window") and case["groups"][0]["kind"] == "sliding"
    return not bare_window and ("head_dim" in part or "kv_lora_rank" in part or name != "gemma2")


WRONG_NAMES = [
    pytest.param(case, name, id=f"{case['name']}-{name}")
    for case in EXPECTED
    for name in ("gemma2", "qwen2", "unheard_of", 7, None)
    if says_enough(case, name)
]


@pytest.mark.parametrize(("case", "name"), WRONG_NAMES)
def test_a_wrong_name_changes_nothing_but_defaults(case: dict[str, Any], name: object) -> None:
    config = config_of(case)
    for part in (config, config.get("text_config", {})):
        part["model_type"] = name
        part.pop("architectures", None)
    check(read_config(config, case["file"]), case)


@each_config
def test_order_of_keys_does_not_matter(case: dict[str, Any]) -> None:
    check(read_config(dict(reversed(config_of(case).items())), case["file"]), case)


@each_config
def test_through_the_command_line(case: dict[str, Any], run_json: Any) -> None:
    """`capacity --config` prints the same figures under the names that other programs rely on."""
    result = run_json(["capacity", "--config", str(CASES / case["file"])])["result"]
    kept = ("kind", "layers", "window")
    assert [{key: group[key] for key in kept} for group in result["groups"]] == [
        {key: group[key] for key in kept} for group in case["groups"]
    ]
    assert [group["bytes_per_token_per_layer"] for group in result["groups"]] == [
        group["bytes_per_token_per_layer_bf16"] for group in case["groups"]
    ]
    assert result["kv_bytes_per_token"] == case["bytes_per_token_all_layers_bf16"]
    assert result["kv_bytes_per_token_growing"] == case["bytes_per_token_growing_bf16"]
    assert result["kv_bytes"] == 8192 * case["bytes_per_token_all_layers_bf16"]


@each_config
def test_heads_and_width_where_all_layers_agree(case: dict[str, Any]) -> None:
    """As reported; None is said where layers differ, and there the report names those of one kind."""
    shape = read_config(config_of(case), case["file"])
    assert shape.kv_heads in (None, case["kv_heads"])
    assert shape.head_dim in (None, case["head_dim"])
    sizes = {group["bytes_per_token_per_layer_bf16"] for group in case["groups"] if group["kind"] != "linear"}
    if len(sizes) == 1:
        assert (shape.kv_heads, shape.head_dim) == (case["kv_heads"], case["head_dim"])


def test_every_config_has_its_values() -> None:
    assert len(EXPECTED) == 32
    files = {f"configs/{path.name}" for path in (CASES / "configs").iterdir()}
    assert {case["file"] for case in EXPECTED} == files


def _query_heads(config: dict[str, Any]) -> None:
    config.pop("num_key_value_heads", None)


def _hidden_over_heads(config: dict[str, Any]) -> None:
    for key in ("head_dim", "kv_channels"):
        config.pop(key, None)


def _windows_ignored(config: dict[str, Any]) -> None:
    config.pop("sliding_window", None)


def _every_layer_attends(config: dict[str, Any]) -> None:
    for key in list(config):
        if key.startswith(("hybrid_", "mamba_", "ssm_", "attn_layer_", "full_attention", "linear_")):
            del config[key]


SABOTAGE = (_query_heads, _hidden_over_heads, _windows_ignored, _every_layer_attends)


@pytest.mark.parametrize("sabotage", SABOTAGE, ids=lambda function: function.__name__)
def test_the_table_refutes_each_mistake(sabotage: Callable[[dict[str, Any]], None]) -> None:
    """A reader blind to these keys would get other bytes or groups for at least one file."""
    caught = []
    for case in EXPECTED:
        config = config_of(case)
        sabotage(config)
        try:
            check(read_config(config, case["file"]), case)
        except (AssertionError, ValueError):
            caught.append(case["name"])
    assert caught
