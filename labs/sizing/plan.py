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
from labs.sizing.grouping import blocks_of_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from labs.sizing.grouping import CacheGroup


class Worker(Record):
    """One rank's share: its memory for KV, and bytes of a block of its layers.

    With `blocks_override` the engine plans for so many blocks, whatever the memory.
    """

    rank: int
    stage: int
    available_bytes: int
    bytes_per_block: int
    blocks_override: int | None = None

    @property
    def planned_bytes(self) -> int:
        """Memory that is planned for."""
        if self.blocks_override is not None:
            return self.blocks_override * self.bytes_per_block
        return self.available_bytes

    @property
    def own_blocks(self) -> int:
        """Blocks that this worker alone would have."""
        return max(0, self.planned_bytes) // self.bytes_per_block

    @property
    def usable_bytes(self) -> int:
        """Memory for requests: all but the null block."""
        return self.planned_bytes - self.bytes_per_block


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
            blocks_of_request((group,), self.max_model_len, self.in_flight, self.dcp) for group in self.groups
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
        """The token figure of the log."""
        return tokens_logged(self.num_blocks, self.blocks_of_request, self.max_model_len)

    @property
    def tightest(self) -> Worker:
        """The worker with the least room for requests, counted in its own blocks."""
        return min(self.workers, key=lambda worker: worker.own_blocks)


def tokens_logged(num_blocks: int, blocks_of_request: int, max_model_len: int) -> int:
    """Tokens by concurrency. The engine multiplies in floating point, and so does this.

    >>> tokens_logged(20480, 63, 1000)
    325079
    """
    return int(num_blocks / blocks_of_request * max_model_len)


def bytes_per_block(groups: Sequence[CacheGroup], places: range) -> int:
    """Bytes of a block on a worker that has these of the cached layers."""
    return max(
        sum(spec.page_bytes for place, spec in zip(group.places, group.specs) if place in places)
        for group in groups
    )


def bytes_of_stages(
    groups: Sequence[CacheGroup], layer_of: Sequence[int], stages: Sequence[range]
) -> tuple[int, ...]:
    """Bytes of a block on a rank of each stage, 0 for one without cached layers.

    `layer_of` is the model layer of each cached one, in ascending order.
    """
    found = []
    for stage in stages:
        places = [place for place, layer in enumerate(layer_of) if layer in stage]
        found.append(bytes_per_block(groups, range(places[0], places[-1] + 1)) if places else 0)
    return tuple(found)


def plan_of(
    groups: tuple[CacheGroup, ...],
    workers: tuple[Worker, ...],
    max_model_len: int,
    in_flight: int,
    dcp: int = 1,
    num_blocks_override: int | None = None,
    auto_fit: bool = False,
) -> Plan:
    """The plan of an engine; with `auto_fit` the longest request is shortened until it fits.

    Where it does not fit, the estimate is the first refusing worker's, as in the engine, not the smallest.
    """
    workers = tuple(worker.replace(blocks_override=num_blocks_override) for worker in workers)

    def longest(worker: Worker) -> int:
        return longest_that_fits(groups, worker, max_model_len, in_flight, dcp)

    shortest = min(longest(worker) for worker in workers) if auto_fit else 0
    length = shortest or max_model_len
    needed = blocks_of_request(groups, length, in_flight, dcp)
    refusing = [worker for worker in workers if needed * worker.bytes_per_block > worker.usable_bytes]
    estimate = longest(refusing[0]) if refusing and not auto_fit else 0
    return Plan(
        groups=groups,
        workers=workers,
        max_model_len=length,
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
        return blocks_of_request(groups, length, in_flight, dcp) * worker.bytes_per_block

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
