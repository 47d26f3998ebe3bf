"""Reconciling a V1 refusal: what one longest request needs, what there is, and the length said to fit.

    needed      blocks of a request of max_model_len tokens x bytes per block
    estimate    the longest request that the available memory holds, in whole blocks; newer engines keep
                one block back

Without a config the two sizes give bytes per token: needed / max_model_len, and available / estimate. Equal
within rounding, they are the model's; if not, a request has a fixed part (windows, states) and a slope, and
both follow from the two points.

Source: vLLM 0.8 to 0.32, `check_enough_kv_cache_memory`, and logs of these engines.
Does not model: several kinds of block in one older engine.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record
from labs.model.kv import DTYPE_BYTES
from labs.sizing.log.deployments import NEWER, hypotheses
from labs.sizing.log.outcome import EXPLAINED, IDENTITY, WITHIN, Assumption, Check, Figure, Outcome
from labs.sizing.log.printed import GIB
from labs.sizing.log.token_lines import pool_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.stack import ModelStack
    from labs.sizing.log.deployments import Hypothesis
    from labs.sizing.log.known import Known
    from labs.sizing.log.printed import Printed, Rounded
    from labs.sizing.log.token_lines import Pool

GENERATION = "V1, refusing"
BLOCK_SIZES = (16, 32, 64, 128, 256, 512)
SHOWN_SIZES = (16, 128, 256, 512)


def reconcile_refusal(printed: Printed, stack: ModelStack | None, known: Known) -> Outcome:
    """The outcome for a refusal, with a config or from its own numbers."""
    needed, available, length = printed.needed_gib, printed.available_gib, known.max_model_len
    assert needed is not None
    assert available is not None
    if length is None:
        return Outcome(IDENTITY, GENERATION)
    if stack is None:
        return _from_two_points(needed, available, length, printed.estimated_max_model_len)
    return _from_config(printed, stack, known, length)


def _from_two_points(needed: Rounded, available: Rounded, length: int, estimate: int | None) -> Outcome:
    """No config: bytes per token by the request, and by the estimate."""
    per_token = needed.value * GIB / length
    if estimate is None:
        figures = (Figure("needed_gib", needed.value, 2), Figure("bytes_per_token", int(per_token)))
        return Outcome(IDENTITY, GENERATION, figures)
    for size in BLOCK_SIZES:
        low, high = (int(end * GIB / per_token) // size * size for end in (available.low, available.high))
        if low <= estimate <= high:
            figures = (Figure("bytes_per_token", round(per_token)), Figure("estimated_range", (low, high)))
            check = Check("estimated_max_model_len", estimate, low, high, holds=True)
            assumed = () if size == BLOCK_SIZES[0] else (Assumption("block_size", size),)
            return Outcome(WITHIN, GENERATION, figures, assumed, (check,))
    slope = (needed.value - available.value) * GIB / (length - estimate)
    fixed = available.value - slope * estimate / GIB
    found = (
        Figure("naive_bytes_per_token", (int(per_token), int(available.value * GIB / estimate))),
        Figure("slope", round(slope)),
        Figure("fixed_gib", fixed, 2),
    )
    return Outcome(EXPLAINED, GENERATION, found, (Assumption("fixed_gib", round(fixed, 2)),))


def _from_config(printed: Printed, stack: ModelStack, known: Known, length: int) -> Outcome:
    """With a config: the deployment whose longest request needs what is printed, and its block.

    Block sizes are tried first with nothing kept back, as in older engines, then with the null block.
    """
    needed, available, estimate = printed.needed_gib, printed.available_gib, printed.estimated_max_model_len
    assert needed is not None
    assert available is not None
    fallback: Reading | None = None
    for null_blocks in (0, 1):
        for size in (None, *BLOCK_SIZES) if known.block_size is None else (known.block_size,):
            for hypothesis in hypotheses(stack, known.replace(block_size=size), (NEWER,)):
                pool = pool_of(stack, hypothesis.deployment, hypothesis.windows_in_full)
                if pool is None:
                    continue
                for by_layer in (False, True)[: 1 + pool.is_padded]:
                    reading = Reading(hypothesis, pool, null_blocks, by_layer)
                    if not needed.covers(Fraction(reading.request_bytes(length), GIB)):
                        continue
                    fallback = fallback or reading
                    low, high = reading.estimates(available, length)
                    if estimate is None or low <= estimate <= high:
                        return _explained(printed, stack, known, length, reading)
    if fallback is None:
        return Outcome(IDENTITY, GENERATION, explained=False)
    outcome = _explained(printed, stack, known, length, fallback)
    return outcome.replace(verdict=IDENTITY, explained=False, assumptions=())


class Reading(Record):
    """A deployment, the blocks that its engine keeps back, and whether it adds up layers or groups.

    Older engines add up the layers of a request; newer ones its groups, padding and all.
    """

    hypothesis: Hypothesis
    pool: Pool
    null_blocks: int = 0
    by_layer: bool = False

    def request_bytes(self, length: int) -> int:
        """Bytes of a request of so many tokens."""
        if not self.by_layer:
            return self.pool.blocks_of_request(length) * self.pool.bytes_per_block
        deployment = self.pool.deployment
        return sum(
            group.blocks_of_request(length, deployment.in_flight, deployment.dcp)
            * sum(spec.page_bytes for spec in group.specs)
            for group in self.pool.groups
        )

    def estimates(self, available: Rounded, length: int) -> tuple[int, int]:
        """The range of the longest request, up to `length`, that fits into a printed memory."""
        from bisect import bisect_right

        kept = self.null_blocks * self.pool.bytes_per_block
        low, high = (
            bisect_right(range(1, length + 1), int(end * GIB) - kept, key=self.request_bytes)
            for end in (available.low, available.high)
        )
        return low, high


def _explained(printed: Printed, stack: ModelStack, known: Known, length: int, reading: Reading) -> Outcome:
    available, estimate, pool = printed.available_gib, printed.estimated_max_model_len, reading.pool
    needed = printed.needed_gib
    assert available is not None
    assert needed is not None
    low, high = reading.estimates(available, length)
    request = Fraction(reading.request_bytes(length), GIB)
    figures = [
        Figure("needed_gib", request, 2),
        Figure("bytes_per_token_per_gpu", Fraction(pool.bytes_per_block, pool.block_size)),
        Figure("estimated_range", (low, high)),
    ]
    if pool.is_plain:
        figures.append(Figure("estimates_by_block", table=_by_block(stack, reading, available, length)))
    checks = [Check("needed_gib", needed.value, request, request, True, of_config=True)]
    if estimate is not None:
        holds = low <= estimate <= high
        checks.append(Check("estimated_max_model_len", estimate, low, high, holds, of_config=True))
    return Outcome(WITHIN, GENERATION, tuple(figures), _assumptions(known, reading), tuple(checks))


def _by_block(
    stack: ModelStack, reading: Reading, available: Rounded, length: int
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The estimates that other block sizes would give."""
    found = []
    for size in SHOWN_SIZES:
        other = pool_of(stack, reading.pool.deployment.replace(block_size=size))
        if other is not None:
            found.append((size, Reading(reading.hypothesis, other).estimates(available, length)))
    return tuple(found)


def _assumptions(known: Known, reading: Reading) -> tuple[Assumption, ...]:
    deployment, pool = reading.hypothesis.deployment, reading.pool
    found = []
    if known.tp is None and deployment.tp > 1:
        found.append(Assumption("tp", deployment.tp))
    if known.kv_dtype is None and DTYPE_BYTES[deployment.kv_dtype] != 2:
        found.append(Assumption("kv_dtype", deployment.kv_dtype))
    if known.block_size is None and pool.block_size != BLOCK_SIZES[0]:
        found.append(Assumption("block_size", pool.block_size))
    if not pool.is_plain:
        found.append(Assumption("hybrid_groups", len(pool.groups)))
    if reading.null_blocks:
        found.append(Assumption("null_block_kept_back", True))
    return tuple(found)
