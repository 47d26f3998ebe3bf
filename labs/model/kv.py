"""The size of the KV cache of plain attention layers.

    KV bytes per token = 2 (K and V) x layers x KV heads x head dim x bytes per element

Source: the course's capacity formula; vLLM 0.32.0's page size divided by its block size.

Does not model: layers that differ, latents, windows, states (`labs.model.shape`); scales of quantised KV.
"""

from __future__ import annotations

from labs.base import require

DTYPE_BYTES = {
    **dict.fromkeys(("float32", "fp32"), 4),
    **dict.fromkeys(("float16", "fp16", "bfloat16", "bf16"), 2),
    **dict.fromkeys(("fp8", "fp8_e4m3", "fp8_e5m2", "int8"), 1),
}


def read_dtype(text: str, where: str) -> str:
    """The name of a KV dtype; `LabError` with all names for another one.

    >>> DTYPE_BYTES[read_dtype("bf16", "--kv-dtype")]
    2
    """
    require(text in DTYPE_BYTES, where, "not_one_of", text, choices=", ".join(DTYPE_BYTES))
    return text


def kv_bytes_per_token(layers: int, kv_heads: int, head_dim: int, bytes_per_element: int) -> int:
    """Bytes of K and V that one token leaves in all layers.

    >>> kv_bytes_per_token(layers=32, kv_heads=8, head_dim=128, bytes_per_element=2)
    131072
    """
    return 2 * layers * kv_heads * head_dim * bytes_per_element
