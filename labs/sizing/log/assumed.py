"""What a reconciliation had to assume: what neither the log nor the user says, and no default gives."""

from __future__ import annotations

from labs.model.kv import DTYPE_BYTES
from labs.sizing.log.deployments import DEFAULT_BLOCK, has_windows
from labs.sizing.log.outcome import Assumption

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.stack import ModelStack
    from labs.sizing.log.deployments import Hypothesis
    from labs.sizing.log.known import Known
    from labs.sizing.log.pools import Pool


def assumed_basics(known: Known, tp: int, kv_dtype: str, block_size: int) -> list[Assumption]:
    """Ranks, dtype and block, where they are not known and not the usual ones."""
    found = []
    if known.tp is None and tp > 1:
        found.append(Assumption("tp", tp))
    if known.kv_dtype is None and DTYPE_BYTES[kv_dtype] != 2:
        found.append(Assumption("kv_dtype", kv_dtype))
    if known.block_size is None and block_size != DEFAULT_BLOCK:
        found.append(Assumption("block_size", block_size))
    return found


def assumed_deployment(
    hypothesis: Hypothesis, pool: Pool, stack: ModelStack, known: Known
) -> list[Assumption]:
    """The same of a V1 deployment, and what else its figures depend on: groups, windows, states."""
    deployment, windows = hypothesis.deployment, has_windows(stack) and not hypothesis.windows_in_full
    found = assumed_basics(known, deployment.tp, deployment.kv_dtype, pool.block_size)
    if known.dcp is None and deployment.dcp > 1:
        found.append(Assumption("dcp", deployment.dcp))
    if not pool.is_plain:
        found.append(Assumption("hybrid_groups", len(pool.groups)))
    if hypothesis.windows_in_full:
        found.append(Assumption("windows_in_full", True))
    if windows and known.max_num_batched_tokens is None:
        found.append(Assumption("max_num_batched_tokens", deployment.max_num_batched_tokens))
    if windows and known.async_scheduling is None and deployment.async_scheduling:
        found.append(Assumption("async_scheduling", True))
    if stack.state is not None:
        found.append(Assumption("state_blocks_per_group", 2 if deployment.prefix_caching else 1))
    return found
