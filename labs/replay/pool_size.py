"""How many KV blocks a GPU holds for a replay, from a model's config: blocks of the replay's own size.

    usable blocks = floor(bytes for KV / (bytes per token of a rank x block size)) - 1, the null block

Only for models whose every layer keeps every token: the schedule lab's pool is of one group.

Source: `labs.sizing.plan`, with one group.
"""

from __future__ import annotations

from labs.base import LabError, require
from labs.sizing.grouping import cache_groups
from labs.sizing.layers import Deployment, layer_specs
from labs.sizing.plan import memory_for_kv
from labs.view.units import binary_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    from labs.model.stack import ModelStack


def usable_blocks(
    stack: ModelStack,
    where: str,
    block_size: int,
    gpu_bytes: int,
    utilization: Fraction,
    weights_bytes: int,
    tp: int,
    kv_dtype: str,
) -> int:
    """Blocks on each rank; `LabError` at `where` for a model with groups, and where no block is left."""
    deployment = Deployment(tp=tp, kv_dtype=kv_dtype, block_size=block_size)
    specs = [spec for layer in layer_specs(stack, deployment) for spec in layer]
    groups = cache_groups(specs)
    first = groups[0].specs[0]
    if len(groups) > 1 or first.window is not None or first.kind == "linear":
        raise LabError(where, "replay_one_group", stack.shape.name)
    per_block = sum(spec.page_bytes for spec in groups[0].specs)
    available = memory_for_kv(gpu_bytes, utilization, weights_bytes, 0)
    usable = memory_for_kv(gpu_bytes, utilization, 0, 0)
    sizes = {"gpu": binary_size(gpu_bytes), "usable": binary_size(usable)}
    require(available > 0, "--weights", "weights_fill_gpu", binary_size(weights_bytes), **sizes)
    blocks = available // per_block - 1
    require(blocks >= 1, "--gpu", "no_blocks_left", sizes["gpu"], left=binary_size(available))
    return blocks
