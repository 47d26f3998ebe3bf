"""From memory to blocks, tokens and concurrency: an engine's plan for its KV cache.

    bytes per block (a worker)   sum of pages over the worker's layers of a group, of the widest group
    num_blocks (a worker)        floor(available bytes / bytes per block); of all workers the smallest
    blocks of a request          sum over groups: all draw on one pool
    max concurrency              num_blocks / blocks of a request of max_model_len tokens
    tokens                       floor(max concurrency x max_model_len)
    fit                          bytes per block x blocks of a request <= available - one null block

A worker is one rank: with pipeline parallelism each stage's layers stand against its own memory. The null
block is kept back in the fit, and not in the concurrency.

Source: vLLM 0.32.0, `get_kv_cache_configs` and `get_kv_cache_capacity`; compared with its runs in
`tests/golden/`.
Does not model: memory that profiling finds, blocks on the host, several data-parallel engines (each has a
plan of its own).
"""

from __future__ import annotations

from labs.base import Record, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from labs.sizing.grouping import CacheGroup


class Worker(Record):
    """One rank's share: bytes of a block of its layers, and the blocks that its memory alone would hold."""

    rank: int
    stage: int
    available_bytes: int
    bytes_per_block: int

    @property
    def own_blocks(self) -> int:
        """Blocks that this worker's memory holds."""
        return max(0, self.available_bytes) // self.bytes_per_block

    @property
    def usable_bytes(self) -> int:
        """Memory for requests: all but the null block."""
        return self.available_bytes - self.bytes_per_block


class Plan(Record):
    """What fits. `fits` is whether one request of `max_model_len` does, on every worker.

    Where it does not, `estimated_max_model_len` is what the first worker that refuses would take, None if
    nothing; `num_blocks` is what would be allocated all the same.
    """

    groups: tuple[CacheGroup, ...]
    workers: tuple[Worker, ...]
    max_model_len: int
    in_flight: int
    dcp: int
    num_blocks: int
    fits: bool
    estimated_max_model_len: int | None = None

    @property
    def blocks_of_groups(self) -> tuple[int, ...]:
        """Blocks of a longest request, group by group."""
        return tuple(
            group.blocks_of_request(self.max_model_len, self.in_flight, self.dcp) for group in self.groups
        )

    @property
    def blocks_of_request(self) -> int:
        """Blocks of a longest request in all groups."""
        return sum(self.blocks_of_groups)

    @property
    def max_concurrency(self) -> Fraction:
        """Requests of the longest length at once."""
        from fractions import Fraction

        return Fraction(self.num_blocks, self.blocks_of_request)

    @property
    def kv_cache_size_tokens(self) -> int:
        """The token figure of the log. The engine multiplies in floating point, and so does this."""
        return int(self.num_blocks / self.blocks_of_request * self.max_model_len)


def bytes_per_block(groups: Sequence[CacheGroup], places: range) -> int:
    """Bytes of a block on a worker that has these of the cached layers."""
    return max(
        sum(spec.page_bytes for place, spec in zip(group.places, group.specs) if place in places)
        for group in groups
    )


def plan_of(
    groups: tuple[CacheGroup, ...],
    workers: tuple[Worker, ...],
    max_model_len: int,
    in_flight: int,
    dcp: int = 1,
    num_blocks_override: int | None = None,
    auto_fit: bool = False,
) -> Plan:
    """The plan of an engine; with `auto_fit` the longest request is shortened until it fits."""
    if num_blocks_override is not None:
        workers = tuple(
            worker.replace(available_bytes=num_blocks_override * worker.bytes_per_block) for worker in workers
        )

    def longest(worker: Worker) -> int:
        return longest_that_fits(groups, worker, max_model_len, in_flight, dcp)

    if auto_fit:
        shortened = min(longest(worker) for worker in workers)
        auto_fit_failed = shortened == 0
        max_model_len = shortened or max_model_len
    else:
        auto_fit_failed = False
    needed = sum(group.blocks_of_request(max_model_len, in_flight, dcp) for group in groups)
    refusing = [worker for worker in workers if needed * worker.bytes_per_block > worker.usable_bytes]
    estimate = longest(refusing[0]) if refusing and not auto_fit_failed else 0
    return Plan(
        groups=groups,
        workers=workers,
        max_model_len=max_model_len,
        in_flight=in_flight,
        dcp=dcp,
        num_blocks=min(worker.own_blocks for worker in workers),
        fits=not refusing,
        estimated_max_model_len=estimate or None,
    )


def longest_that_fits(
    groups: Sequence[CacheGroup], worker: Worker, most: int, in_flight: int, dcp: int
) -> int:
    """Tokens of the longest request, up to `most`, that fits beside the null block; 0 if none does."""
    from bisect import bisect_right

    def needed(length: int) -> int:
        blocks = sum(group.blocks_of_request(length, in_flight, dcp) for group in groups)
        return blocks * worker.bytes_per_block

    return bisect_right(range(1, most + 1), worker.usable_bytes, key=needed)


def stages_of(layers: int, pp: int, partition: tuple[int, ...] | None = None) -> tuple[range, ...]:
    """Which layers each pipeline stage has: even shares, the rest one each from the last but one backwards.

    >>> [len(stage) for stage in stages_of(62, 4)]
    [15, 16, 16, 15]
    """
    require(pp <= layers, "--pp", "at_most", pp, most=layers)
    if partition is not None:
        require(len(partition) == pp, "--pp-partition", "partition_stages", len(partition), pp=pp)
        require(sum(partition) == layers, "--pp-partition", "partition_layers", sum(partition), layers=layers)
        sizes = list(partition)
    else:
        sizes = [layers // pp] * pp
        for behind in range(2, layers % pp + 2):
            sizes[-behind] += 1
    starts = [sum(sizes[:stage]) for stage in range(pp)]
    return tuple(range(start, start + size) for start, size in zip(starts, sizes))


def memory_for_kv(total_bytes: int, utilization: Fraction, weights_bytes: int, overhead_bytes: int) -> int:
    """Bytes that a GPU leaves for KV, rounded as the engine does; negative if there are none.

    >>> from fractions import Fraction
    >>> memory_for_kv(80 << 30, Fraction(9, 10), 16 << 30, 0) / 2**30
    56.0
    """
    budget = -(-total_bytes * utilization.numerator // utilization.denominator)
    return budget - weights_bytes - overhead_bytes
