"""The fixed state of a linear layer, and the attention block that covers it, model by model.

The figures are answers of vLLM 0.32.0's own model classes (their state shapes and dtypes, and the platform's
alignment of hybrid blocks for a backend whose smallest kernel block is 16), read with the config classes of
transformers 5.19.0. The arithmetic stands beside the models that are not in tests/cases.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from labs.model.stack import ModelStack, stack_of
from labs.sizing.layers import Deployment, layer_specs, state_bytes
from tests.model.published import FULL, MLA, Config, plain

CONFIGS = Path(__file__).parents[1] / "cases" / "configs"


class Row(NamedTuple):
    """On one of `tp` ranks: bytes of a state, and tokens of an attention block at 16-bit and at 8-bit KV."""

    tp: int
    state: int
    block: int
    block_fp8: int


def real(name: str) -> ModelStack:
    text = (CONFIGS / f"{name}.json").read_text(encoding="utf-8")
    return stack_of(json.loads(text), f"{name}.json", text)


def check(stack: ModelStack, row: Row, state_dtype: str | None = None) -> None:
    for kv_dtype, block in (("bfloat16", row.block), ("fp8", row.block_fp8)):
        deployment = Deployment(tp=row.tp, kv_dtype=kv_dtype, state_dtype=state_dtype)
        assert state_bytes(stack, deployment) == row.state
        specs = [spec for layer in layer_specs(stack, deployment) for spec in layer]
        assert {spec.block_size for spec in specs} == {block}
        assert len({spec.page_bytes for spec in specs}) == 1
        assert all(spec.page_bytes >= row.state for spec in specs)


# -- real configs -----------------------------------------------------------------------------------

# where the file names no dtype: 16 bits, but float32 for Nemotron-H and Qwen3.5 (their classes' default, and
# what the published files carry)
REAL = {
    "jamba-v0.1": [Row(1, 311296, 80, 160), Row(2, 155648, 80, 160), Row(4, 77824, 80, 160)],
    "nemotron-h-56b": [
        Row(1, 16900096, 4128, 8256),
        Row(2, 8450048, 4128, 8256),
        Row(4, 4225024, 4128, 8256),
    ],
    # 2 KV heads: beyond 2 ranks attention stays, the state does not
    "nemotron-3-nano-30b-a3b": [
        Row(1, 2134016, 2096, 4176),
        Row(2, 1067008, 2096, 4176),
        Row(4, 533504, 1056, 2096),
    ],
    "qwen3-next-80b-a3b": [Row(1, 1097728, 544, 1072), Row(2, 548864, 544, 1072), Row(4, 274432, 272, 544)],
    "qwen3.5-27b": [Row(1, 3207168, 784, 1568), Row(2, 1603584, 784, 1568), Row(4, 801792, 784, 1568)],
    "qwen3.5-35b-a3b": [Row(1, 2146304, 1056, 2096), Row(2, 1073152, 1056, 2096), Row(4, 536576, 528, 1056)],
}
IN_FLOAT32 = {
    "jamba-v0.1": [Row(1, 573440, 144, 288), Row(4, 143360, 144, 288)],
    "qwen3-next-80b-a3b": [Row(1, 2146304, 1056, 2096), Row(4, 536576, 528, 1056)],
    "nemotron-h-56b": [Row(1, 16900096, 4128, 8256)],
}
IN_BFLOAT16 = {
    "nemotron-h-56b": [Row(1, 8511488, 2080, 4160), Row(4, 2127872, 2080, 4160)],
    "nemotron-3-nano-30b-a3b": [Row(1, 1085440, 1072, 2128), Row(4, 271360, 544, 1072)],
    "qwen3.5-27b": [Row(1, 1634304, 400, 800), Row(4, 408576, 400, 800)],
    "qwen3.5-35b-a3b": [Row(1, 1097728, 544, 1072), Row(4, 274432, 272, 544)],
}
DTYPES = {None: REAL, "float32": IN_FLOAT32, "bfloat16": IN_BFLOAT16}
ROWS = [
    pytest.param(name, row, dtype, id=f"{name}-tp{row.tp}-{dtype or 'as published'}")
    for dtype, table in DTYPES.items()
    for name, rows in table.items()
    for row in rows
]


@pytest.mark.parametrize(("name", "row", "dtype"), ROWS)
def test_a_real_model(name: str, row: Row, dtype: str | None) -> None:
    check(real(name), row, dtype)


# -- other kinds of states --------------------------------------------------------------------------


def hybrid(heads: int, kv_heads: int, head_dim: int, **more: Any) -> Config:
    """A layer of attention and one of a state."""
    words = ["linear_attention", FULL]
    return plain(2, heads * head_dim, heads, kv_heads, **{"head_dim": head_dim, "layer_types": words, **more})


# (config, rows): channels x (kernel - 1) x 2 B + elements x their bytes
OTHERS: dict[str, tuple[Config, list[Row]]] = {
    # a convolution alone: 2048 x 2 x 2 B, less than a page of 16 tokens
    "lfm2": (
        hybrid(32, 8, 64, layer_types=["conv", FULL], conv_dim=2048, conv_L_cache=3),
        [Row(1, 8192, 16, 16), Row(2, 4096, 16, 16), Row(4, 2048, 16, 16)],
    ),
    # (24 x 64 + 2 x 1 x 128) x 3 x 2 B + 24 x 64 x 128 x 2 B; at 2 ranks 2 groups, at 4 four
    "falcon-h1": (
        plain(
            2,
            1024,
            8,
            2,
            head_dim=64,
            model_type="falcon_h1",
            attn_layer_indices=None,
            attention_in_multiplier=1.0,
            ssm_in_multiplier=1.25,
            mamba_d_ssm=1536,
            mamba_expand=2,
            mamba_n_groups=1,
            mamba_n_heads=24,
            mamba_d_head=64,
            mamba_d_state=128,
            mamba_d_conv=4,
        ),
        [Row(1, 403968, 800, 1584), Row(2, 202752, 800, 1584), Row(4, 102144, 400, 800)],
    ),
    # (8192 + 256) x 3 x 2 B + 128 x 64 x 128 x 2 B
    "granite hybrid": (
        hybrid(
            32,
            8,
            128,
            layer_types=["mamba", "attention"],
            mamba_expand=2,
            mamba_n_groups=1,
            mamba_n_heads=128,
            mamba_d_head=64,
            mamba_d_state=128,
            mamba_d_conv=4,
        ),
        [Row(1, 2147840, 528, 1056), Row(2, 1074688, 528, 1056), Row(4, 538112, 528, 1056)],
    ),
    # (2 x 16 x 96 + 32 x 192) x 3 x 2 B + 32 x 192 x 96 x 2 B: K and V of the rule are unlike
    "olmo hybrid": (
        hybrid(
            16,
            8,
            128,
            linear_num_key_heads=16,
            linear_num_value_heads=32,
            linear_key_head_dim=96,
            linear_value_head_dim=192,
            linear_conv_kernel_dim=4,
        ),
        [Row(1, 1234944, 304, 608), Row(2, 617472, 304, 608), Row(4, 308736, 304, 608)],
    ),
    # 3 x 4096 x 3 x 2 B + 32 x 128 x 128 x 4 B beside a latent of 1152 B: multiples of 128
    "kimi-linear": (
        plain(
            2,
            2304,
            32,
            32,
            **MLA,
            linear_attn_config={
                "full_attn_layers": [2],
                "kda_layers": [1],
                "num_heads": 32,
                "head_dim": 128,
                "short_conv_kernel_size": 4,
            },
        ),
        [Row(1, 2170880, 1920, 3840), Row(2, 1085440, 1024, 1920), Row(4, 542720, 512, 1024)],
    ),
    # (80 x 64 + 2 x 64) x 3 x 2 B + 80 x 64 x 64 x 2 B beside 32 heads of 160
    "zamba2": (
        plain(
            2,
            2560,
            32,
            32,
            attention_head_dim=160,
            layers_block_type=["mamba", "hybrid"],
            mamba_expand=2,
            mamba_ngroups=1,
            n_mamba_heads=80,
            mamba_headdim=64,
            mamba_d_state=64,
            mamba_d_conv=4,
        ),
        [Row(1, 686848, 48, 80), Row(2, 343808, 48, 80), Row(4, 172288, 48, 80)],
    ),
}


@pytest.mark.parametrize(
    ("name", "row"),
    [pytest.param(n, r, id=f"{n}-tp{r.tp}") for n, (_, rows) in OTHERS.items() for r in rows],
)
def test_another_kind_of_state(name: str, row: Row) -> None:
    stack = stack_of(OTHERS[name][0], "config.json")
    assert stack.state is not None
    check(stack, row)


def test_a_state_smaller_than_a_page_is_padded() -> None:
    """LFM2: 8192 B in a page of 16 x 2 x 8 x 64 x 2 B = 32768 B."""
    (state,), (attention,) = layer_specs(stack_of(OTHERS["lfm2"][0], "config.json"), Deployment())
    assert (state.page_bytes, attention.page_bytes, state.widths) == (32768, 32768, (8192,))
