"""The capacity lab's result as JSON has it."""

from __future__ import annotations

from labs.view.units import rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.capacity import Result


def capacity_document(result: Result) -> dict[str, Any]:
    """The result as JSON has it: sizes in bytes, times in ms to 6 places; a config by its path."""
    params, shape = result.params, result.shape
    given = params.as_dict()
    given["config"] = params.config.name if params.config else None
    given["lengths"] = list(params.lengths)
    if params.model is None and params.config is None:
        given.update(params.plain_size())
    figures: dict[str, Any] = {
        "kv_bytes_per_token": shape.bytes_per_token,
        "kv_bytes_per_token_growing": shape.bytes_per_token_growing,
        "kv_bytes_per_token_per_rank": result.rank_shape.bytes_per_token,
        "layers": shape.layers,
        "query_heads": shape.query_heads,
        "kv_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "groups": [group.as_dict() for group in shape.groups],
        "kv_bytes": result.kv_bytes,
        "kv_bytes_within_windows": result.kept_bytes,
        **{key: getattr(result, key) for key in ("blocks", "reserved_slots", "used_slots", "pooled_blocks")},
        "shared_tokens": result.shared_tokens,
        "logical_bytes": result.logical_bytes,
        "physical_bytes": result.physical_bytes,
        "transfer_bytes": result.transfer_bytes,
        "transfer_ms": rounded(1000 * result.transfer_bits, params.bandwidth, 6) / 10**6,
    }
    if result.table is not None:
        figures["table"] = result.table.document()
    return {"params": given, "result": figures}
