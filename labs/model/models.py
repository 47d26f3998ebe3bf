"""Built-in models: the few keys of their published configs that size the KV cache.

They go through the same reader as a user's file.

Source: the config.json of each model's repository.

Does not model: what the reader does not (`labs.model.config`); other sizes or versions of these models.
"""

from __future__ import annotations

from labs.base import require
from labs.model.config import read_config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.model.shape import ModelShape

# the name that --model takes, and the course's own spelling
COURSE_MODELS = {"llama-3-8b": "Llama-3-8B", "qwen2.5-7b": "Qwen2.5-7B", "llama-3-70b": "Llama-3-70B"}


def _plain(layers: int, hidden: int, heads: int, kv_heads: int, **more: object) -> dict[str, object]:
    return {
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        **more,
    }


LENGTHS = {
    "llama-3-8b": 8192,
    "qwen2.5-7b": 32768,
    "llama-3-70b": 8192,
    "llama-2-7b": 4096,
    "llama-3.1-8b": 131072,
    "llama-3.1-70b": 131072,
    "llama-3.1-405b": 131072,
    "mistral-7b-v0.1": 32768,
    "qwen3-0.6b": 40960,
    "qwen3-8b": 40960,
    "qwen3-32b": 40960,
    "qwen3-30b-a3b": 40960,
    "gemma-3-27b": 131072,
    "gpt-oss-20b": 131072,
    "deepseek-v3": 163840,
}
MODELS: dict[str, dict[str, Any]] = {
    "llama-3-8b": _plain(32, 4096, 32, 8),
    "qwen2.5-7b": _plain(28, 3584, 28, 4, sliding_window=131072, use_sliding_window=False),
    "llama-3-70b": _plain(80, 8192, 64, 8),
    "llama-2-7b": _plain(32, 4096, 32, 32),
    "llama-3.1-8b": _plain(32, 4096, 32, 8),
    "llama-3.1-70b": _plain(80, 8192, 64, 8),
    "llama-3.1-405b": _plain(126, 16384, 128, 8),
    "mistral-7b-v0.1": _plain(32, 4096, 32, 8, sliding_window=4096),
    "qwen3-0.6b": _plain(28, 1024, 16, 8, head_dim=128),
    "qwen3-8b": _plain(36, 4096, 32, 8, head_dim=128),
    "qwen3-32b": _plain(64, 5120, 64, 8, head_dim=128),
    "qwen3-30b-a3b": _plain(48, 2048, 32, 4, head_dim=128),
    "gemma-3-27b": _plain(62, 5376, 32, 16, head_dim=128, sliding_window=1024, sliding_window_pattern=6),
    "gpt-oss-20b": _plain(
        24,
        2880,
        64,
        8,
        head_dim=64,
        sliding_window=128,
        layer_types=["sliding_attention", "full_attention"] * 12,
    ),
    "deepseek-v3": _plain(61, 7168, 128, 128, kv_lora_rank=512, qk_rope_head_dim=64, v_head_dim=128),
}


def read_model(text: str, where: str) -> str:
    """The name of a built-in model in lower case; `LabError` with all names for another one.

    >>> read_model("Llama-3-8B", "--model")
    'llama-3-8b'
    """
    name = text.lower()
    require(name in MODELS, where, "not_one_of", text, choices=", ".join(MODELS))
    return name


def course_spelling(name: str) -> str:
    """A model's name as the course writes it; names that the course does not have stay as they are.

    >>> course_spelling("llama-3-8b"), course_spelling("qwen3-8b")
    ('Llama-3-8B', 'qwen3-8b')
    """
    return COURSE_MODELS.get(name, name)


def built_in(name: str) -> ModelShape:
    """The shape of a built-in model at 16 bits.

    >>> built_in("Llama-3-8B").bytes_per_token, built_in("deepseek-v3").bytes_per_token
    (131072, 70272)
    """
    name = read_model(name, "--model")
    return read_config(MODELS[name], name)
