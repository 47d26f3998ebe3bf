"""What is known of a deployment before anything is guessed: from the user's options, else from the log.

Does not model: contradictions between the two (the option wins, as the user may know better).
"""

from __future__ import annotations

from labs.base import Record
from labs.model.kv import DTYPE_BYTES
from labs.sizing.log.printed import GIB

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.sizing.log.printed import Printed


class Known(Record):
    """Settings by the names of `labs.sizing.layers.Deployment`; None is not known. `swap_space` in bytes."""

    tp: int | None = None
    pp: int | None = None
    dcp: int | None = None
    kv_dtype: str | None = None
    block_size: int | None = None
    max_num_batched_tokens: int | None = None
    async_scheduling: bool | None = None
    prefix_caching: bool | None = None
    max_model_len: int | None = None
    swap_space: int | None = None


def known_of(options: Known, printed: Printed) -> Known:
    """The options, filled up with what the log says."""
    from_log: dict[str, object] = {
        name: getattr(printed, name)
        for name in ("tp", "pp", "dcp", "max_num_batched_tokens", "async_scheduling", "prefix_caching")
    }
    from_log["max_model_len"] = printed.max_model_len
    from_log["block_size"] = printed.block_size
    if printed.kv_cache_dtype == "auto":
        from_log["kv_dtype"] = "bfloat16"
    elif printed.kv_cache_dtype in DTYPE_BYTES:
        from_log["kv_dtype"] = printed.kv_cache_dtype
    if printed.swap_space_gib is not None:
        from_log["swap_space"] = int(printed.swap_space_gib.value * GIB)
    given = {name: value for name, value in options.as_dict().items() if value is not None}
    return Known(**{**from_log, **given})
