"""Windows of published configs beyond those in tests/cases, with the arithmetic written out.

Each row: what the file has, and (kind, layers, bytes per token and layer, window) of each group at
16 bits, where 2 x heads x width x 2 B is K and V of plain attention.
"""

from __future__ import annotations

import pytest

from labs.model.config import read_config
from tests.model.published import FULL, SLIDING, Config, Group, groups, plain

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
    "gemma-3n by name, whose name begins with that of gemma-3": (
        plain(10, 2048, 8, 2, head_dim=256, sliding_window=512, model_type="gemma3n_text"),
        [("full", 2, 2 * 2 * 256 * 2, None), ("sliding", 8, 2 * 2 * 256 * 2, 512)],
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
    "letters begin with the first layer": (
        plain(3, 512, 8, 2, sliding_window=64, sliding_window_pattern="LLLG"),
        [("sliding", 3, 2 * 2 * 64 * 2, 64)],
    ),
    "sliding_window_size": (
        plain(2, 512, 8, 2, sliding_window_size=64),
        [("sliding", 2, 2 * 2 * 64 * 2, 64)],
    ),
    "a window that is switched off": (
        plain(2, 512, 8, 2, sliding_window=64, use_sliding_window=False),
        [("full", 2, 2 * 2 * 64 * 2, None)],
    ),
    "gemma-3-4b by its pictures": (
        {
            "mm_tokens_per_image": 256,
            "text_config": {"hidden_size": 2560, "num_hidden_layers": 34, "sliding_window": 1024},
        },
        [("full", 5, 2 * 4 * 256 * 2, None), ("sliding", 29, 2 * 4 * 256 * 2, 1024)],
    ),
    "gemma-3n by name: every fifth": (
        plain(30, 2048, 8, 2, head_dim=256, sliding_window=512, model_type="gemma3n_text"),
        [("full", 6, 2 * 2 * 256 * 2, None), ("sliding", 24, 2 * 2 * 256 * 2, 512)],
    ),
    "cohere2 by name: every fourth": (
        plain(32, 4096, 32, 8, head_dim=128, sliding_window=4096, model_type="cohere2"),
        [("full", 8, 2 * 8 * 128 * 2, None), ("sliding", 24, 2 * 8 * 128 * 2, 4096)],
    ),
    "olmo-3-7b by name: every fourth": (
        plain(32, 4096, 32, 32, sliding_window=4096, model_type="olmo3"),
        [("full", 8, 2 * 32 * 128 * 2, None), ("sliding", 24, 2 * 32 * 128 * 2, 4096)],
    ),
    "keys go before a name": (
        plain(
            5,
            512,
            8,
            2,
            head_dim=64,
            sliding_window=64,
            use_sliding_window=True,
            max_window_layers=1,
            model_type="gemma2",
        ),
        [("full", 1, 2 * 2 * 64 * 2, None), ("sliding", 4, 2 * 2 * 64 * 2, 64)],
    ),
    "llama-4: the fourth of six layers is full": (
        plain(6, 512, 8, 2, attention_chunk_size=32),
        [("full", 1, 2 * 2 * 64 * 2, None), ("chunked", 5, 2 * 2 * 64 * 2, 32)],
    ),
    "llama-4: another interval": (
        plain(6, 512, 8, 2, attention_chunk_size=32, no_rope_layer_interval=2),
        [("full", 3, 2 * 2 * 64 * 2, None), ("chunked", 3, 2 * 2 * 64 * 2, 32)],
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
}


@pytest.mark.parametrize("name", LAYER_CASES)
def test_layers(name: str) -> None:
    config, expected = LAYER_CASES[name]
    assert groups(config) == expected


def test_chunks_do_not_grow_without_end() -> None:
    """Like windows: of Scout's 48 layers the 12 full ones grow, and the others keep up to 8192 tokens."""
    shape = read_config(SCOUT, "config.json")
    layer = 2 * 8 * 128 * 2
    assert (shape.bytes_per_token, shape.bytes_per_token_growing) == (48 * layer, 12 * layer)
    assert shape.kept_bytes(10_000) == 12 * layer * 10_000 + 36 * layer * 8192
