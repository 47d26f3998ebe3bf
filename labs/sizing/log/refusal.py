"""Reconciling a V1 refusal: what one longest request needs, what there is, and the length said to fit.

    needed      blocks of a request of max_model_len tokens x bytes per block
    available   what there is for requests; newer engines print it with the null block taken off
    estimate    the longest request that the available memory holds, in whole blocks

Verdicts
    no config, sizes proportional         within_rounding: needed / length gives bytes per token
    no config, not proportional           mismatch_explained: a fixed part (windows, states) and a slope
    a deployment needs and estimates so   within_rounding
    no length, or nothing comes out       identity_only

Source: vLLM 0.8 to 0.32, `check_enough_kv_cache_memory`, and logs of these engines.
Does not model: several kinds of block in one older engine.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction

from labs.base import Record
from labs.sizing.log.assumed import assumed_deployment
from labs.sizing.log.deployments import DEFAULT_BLOCK, LARGE_BLOCKS, NEWER, as_likely, hypotheses
from labs.sizing.log.outcome import EXPLAINED, IDENTITY, WITHIN, Assumption, Check, Figure, Outcome
from labs.sizing.log.pools import Pools
from labs.sizing.log.printed import GIB

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from labs.model.stack import ModelStack
    from labs.sizing.log.deployments import Hypothesis
    from labs.sizing.log.known import Known
    from labs.sizing.log.pools import Pool
    from labs.sizing.log.printed import Printed, Rounded

GENERATION = "V1, refusing"
BLOCK_SIZES = (16, 32, 64, 128, 256, 512)
SHOWN_SIZES = (16, 128, 256, 512)


class Refusal(Record):
    """What a refusal prints: GiB needed and available, the length asked for, and the one said to fit."""

    needed: Rounded
    available: Rounded
    length: int
    estimate: int | None

    def within(self, ends: tuple[int, int]) -> bool:
        """Whether the printed estimate lies in a range; one that was not printed does."""
        return self.estimate is None or ends[0] <= self.estimate <= ends[1]


class Reading(Record):
    """A deployment, and whether its engine adds up layers, as older ones do, or groups with their padding."""

    hypothesis: Hypothesis
    pool: Pool
    by_layer: bool = False

    def request_bytes(self, length: int) -> int:
        """Bytes of a request of so many tokens."""
        pool = self.pool
        return pool.request_bytes_of_layers(length) if self.by_layer else pool.request_bytes(length)

    def estimates(self, refusal: Refusal) -> tuple[int, int]:
        """The longest request that fits, for the least and for the most that the available memory may be."""
        lengths = range(1, refusal.length + 1)
        low, high = (
            bisect_right(lengths, int(end * GIB), key=self.request_bytes)
            for end in (refusal.available.low, refusal.available.high)
        )
        return low, high


def reconcile_refusal(printed: Printed, stack: ModelStack | None, known: Known) -> Outcome:
    """The outcome for a refusal, with a config or from its own numbers."""
    needed, available, length = printed.needed_gib, printed.available_gib, known.max_model_len
    if needed is None or available is None or length is None:
        return Outcome(IDENTITY, GENERATION)
    refusal = Refusal(needed, available, length, printed.estimated_max_model_len)
    return _from_two_points(refusal) if stack is None else _from_config(refusal, Pools(stack), known)


def _from_two_points(refusal: Refusal) -> Outcome:
    """No config: bytes per token by the request, and by the estimate."""
    needed, available, estimate = refusal.needed, refusal.available, refusal.estimate
    per_token = needed.value * GIB / refusal.length
    if estimate is None or per_token == 0:
        figures = (Figure("needed_gib", needed.value, 2), Figure("bytes_per_token", int(per_token)))
        return Outcome(IDENTITY, GENERATION, figures)
    for size in BLOCK_SIZES:
        low, high = (int(end * GIB / per_token) // size * size for end in (available.low, available.high))
        if refusal.within((low, high)):
            figures = (Figure("bytes_per_token", round(per_token)), Figure("estimated_range", (low, high)))
            check = Check("estimated_max_model_len", estimate, low, high, holds=True)
            assumed = () if size == DEFAULT_BLOCK else (Assumption("block_size", size),)
            return Outcome(WITHIN, GENERATION, figures, assumed, (check,))
    slope = (needed.value - available.value) * GIB / max(1, refusal.length - estimate)
    fixed = available.value - slope * estimate / GIB
    if fixed < 0 or slope <= 0:
        return Outcome(IDENTITY, GENERATION, explained=False)
    found = (
        Figure("naive_bytes_per_token", (int(per_token), int(available.value * GIB / estimate))),
        Figure("slope", round(slope)),
        Figure("fixed_gib", fixed, 2),
    )
    return Outcome(EXPLAINED, GENERATION, found, (Assumption("fixed_gib", round(fixed, 2)),))


def _from_config(refusal: Refusal, pools: Pools, known: Known) -> Outcome:
    """With a config: the likeliest deployment that needs, and estimates, what is printed."""
    found = as_likely(
        (reading.hypothesis.price, reading)
        for reading in _readings(refusal, pools, known)
        if refusal.within(reading.estimates(refusal))
    )
    if found:
        return _explained(refusal, pools, known, found[0]).replace(alternatives=_others(found, pools, known))
    fallback = next(_readings(refusal, pools, known), None)
    if fallback is None:
        return Outcome(IDENTITY, GENERATION, explained=False)
    outcome = _explained(refusal, pools, known, fallback)
    return outcome.replace(verdict=IDENTITY, explained=False, assumptions=())


def _others(found: list[Reading], pools: Pools, known: Known) -> tuple[tuple[Assumption, ...], ...]:
    """What other readings assume that come out at about the same price, with other ranks, dtype or block."""
    first, *others = [tuple(_assumed(reading, pools, known)) for reading in found]
    return tuple(dict.fromkeys(assumed for assumed in others if assumed != first))


def _assumed(reading: Reading, pools: Pools, known: Known) -> list[Assumption]:
    assumed = assumed_deployment(reading.hypothesis, reading.pool, pools.stack, known)
    return [*assumed, Assumption("added_up_by_layer", True)] if reading.by_layer else assumed


def _readings(refusal: Refusal, pools: Pools, known: Known) -> Iterator[Reading]:
    """Every deployment that needs what is printed, likely ones first, in either way of adding up."""
    for hypothesis in hypotheses(pools.stack, known, (NEWER,), LARGE_BLOCKS):
        pool = pools.of(hypothesis.deployment, hypothesis.windows_in_full)
        if pool is None:
            continue
        for by_layer in (False, True)[: 1 + pool.is_padded]:
            reading = Reading(hypothesis, pool, by_layer)
            if refusal.needed.covers(Fraction(reading.request_bytes(refusal.length), GIB)):
                yield reading


def _explained(refusal: Refusal, pools: Pools, known: Known, reading: Reading) -> Outcome:
    pool, ends = reading.pool, reading.estimates(refusal)
    request = Fraction(reading.request_bytes(refusal.length), GIB)
    figures = [
        Figure("needed_gib", request, 2),
        Figure("bytes_per_token_per_gpu", Fraction(pool.bytes_per_block, pool.block_size)),
        Figure("block_size", pool.block_size),
        Figure("estimated_range", ends),
    ]
    if pool.is_plain:
        figures.append(Figure("estimates_by_block", table=_by_block(refusal, pools, reading)))
    checks = [Check("needed_gib", refusal.needed.value, request, request, holds=True, of_config=True)]
    if refusal.estimate is not None:
        holds = refusal.within(ends)
        checks.append(Check("estimated_max_model_len", refusal.estimate, *ends, holds=holds, of_config=True))
    assumed = tuple(_assumed(reading, pools, known))
    return Outcome(WITHIN, GENERATION, tuple(figures), assumed, tuple(checks))


def _by_block(refusal: Refusal, pools: Pools, reading: Reading) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The estimates that other block sizes would give."""
    found = []
    for size in SHOWN_SIZES:
        other = pools.changed(reading.pool, block_size=size)
        if other is not None:
            found.append((size, reading.replace(pool=other).estimates(refusal)))
    return tuple(found)
