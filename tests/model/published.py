"""What the tables of published configs share: writing a config shortly, and reading its groups."""

from __future__ import annotations

from typing import Any

from labs.model.config import read_config

# kind, layers, bytes per token and layer at 16 bits, window
Group = tuple[str, int, int, "int | None"]
Config = dict[str, Any]
FULL, SLIDING = "full_attention", "sliding_attention"
MLA = {"kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128}


def plain(layers: int, hidden: int, heads: int, kv_heads: int | None = None, **more: Any) -> Config:
    """A config in the keys that most files have."""
    config = {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads, **more}
    if kv_heads is not None:
        config["num_key_value_heads"] = kv_heads
    return config


def groups(config: Config) -> list[Group]:
    """The layer groups that the project reads out of a config."""
    shape = read_config(config, "config.json")
    return [(g.kind, g.layers, g.bytes_per_token_per_layer, g.window) for g in shape.groups]
