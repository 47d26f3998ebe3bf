"""Facts of a trace: what its requests ask for, and what a cache without end makes of it.

    all_blocks_hit_requests   requests of which every block is hit
    request_mean_block        mean over requests of hits / blocks
    request_mean_token        mean over requests of min(block_tokens x hits, input_length) / input_length
    full_block_ratio          sum of min(hits, full) / sum of full, full = input_length // block_tokens

Ratios are (numerator, denominator), exact; times are ms.
"""

from __future__ import annotations

from labs.base import Record
from labs.replay.ratios import mean, median

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from labs.replay.hit_curve import Load
    from labs.replay.ratios import Ratio


class Facts(Record):
    """The facts by the names that hit-rate reports use; `full_block_ratio` is None if no block is full."""

    requests: int
    input_tokens: int
    output_tokens: int
    blocks: int
    unique: int
    span_ms: int | Fraction
    distinct_timestamps: int
    first_block_zero: int | None
    input_median: Ratio
    input_max: int
    all_blocks_hit_requests: int
    request_mean_block: Ratio
    request_mean_token: Ratio
    full_block_ratio: Ratio | None


def facts(
    arrivals: Sequence[int | Fraction],
    outputs: Sequence[int],
    first_ids: Sequence[int] | None,
    load: Load,
    num_keys: int,
    hits: Sequence[int],
) -> Facts:
    """The facts, given each request's arrival in ms, output tokens, first block id and hit blocks.

    >>> from labs.replay.hit_curve import Load
    >>> found = facts([0, 5], [1, 1], [0, 0], Load([4, 6], 4), 2, [0, 1])
    >>> found.span_ms, found.input_median, found.request_mean_token, found.full_block_ratio
    (5, (10, 2), (4, 12), (1, 2))
    """
    lengths, block_tokens = load.lengths, load.block_tokens
    by_size: dict[int, int] = {}
    by_length: dict[int, int] = {}
    for count, size, length in zip(hits, load.sizes, lengths):
        if count:
            by_size[size] = by_size.get(size, 0) + count
            by_length[length] = by_length.get(length, 0) + min(count * block_tokens, length)
    full = [length // block_tokens for length in lengths]
    full_hits = sum(map(min, hits, full))
    return Facts(
        requests=len(lengths),
        input_tokens=load.num_tokens,
        output_tokens=sum(outputs),
        blocks=load.num_blocks,
        unique=num_keys,
        span_ms=arrivals[-1] - arrivals[0],
        distinct_timestamps=len(set(arrivals)),
        first_block_zero=None if first_ids is None else first_ids.count(0),
        input_median=median(lengths),
        input_max=max(lengths),
        all_blocks_hit_requests=sum(map(int.__eq__, hits, load.sizes)),
        request_mean_block=mean(by_size, len(lengths)),
        request_mean_token=mean(by_length, len(lengths)),
        full_block_ratio=(full_hits, sum(full)) if any(full) else None,
    )
