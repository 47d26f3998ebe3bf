"""The size of the KV cache of plain attention layers.

    KV bytes per token = 2 (K and V) x layers x KV heads x head dim x bytes per element

Source: the course's capacity formula; vLLM 0.32.0's page size divided by its block size.
"""

from __future__ import annotations


def kv_bytes_per_token(layers: int, kv_heads: int, head_dim: int, bytes_per_element: int) -> int:
    """Bytes of K and V that one token leaves in all layers.

    >>> kv_bytes_per_token(layers=32, kv_heads=8, head_dim=128, bytes_per_element=2)
    131072
    """
    return 2 * layers * kv_heads * head_dim * bytes_per_element
