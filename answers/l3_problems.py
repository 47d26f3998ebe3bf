"""The six problems of L3, and for each the mistakes worth a diagnosis.

A mistake is written as what it computes from the inputs, never as a typed number: other inputs make
another problem, with the wrong answers that its mistakes lead to.

Source: the course's list of what learners get wrong.

Does not model: mistakes in two steps at once; those get the problem's general hint.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

from answers.l3_keys import (
    Fetch,
    KvSize,
    Load,
    PrefixHit,
    Round,
    Slots,
    boundaries,
    fetch_figures,
    kv_size_gib,
    rates,
    reused_tokens,
    slots,
)
from answers.problem import Mistake, Problem
from labs.engine.blocks import num_blocks
from labs.model.service import fetch_saving_ms, throughput
from labs.view.units import SIZES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from answers.problem import Number, Parts


def _scaled(inputs: KvSize, *factors: Number) -> list[Parts]:
    first, second = kv_size_gib(inputs)
    return [(first * factor, second * factor) for factor in factors]


def _ratio_only(inputs: KvSize, parts: Parts) -> bool:
    first, second = kv_size_gib(inputs)
    return second > 0 and parts[0] * second == parts[1] * first and parts[0] > first


GIB = SIZES["GiB"]
KV_SIZE_MISTAKES = (
    Mistake("query_heads", lambda p: [(kv_size_gib(p)[i],) * 2 for i in (0, 1)]),
    Mistake("swapped", lambda p: [kv_size_gib(p)[::-1]], whole=True),
    Mistake("k_or_v_forgotten", lambda p: _scaled(p, Fraction(1, 2))),
    Mistake("bits_for_bytes", lambda p: _scaled(p, 8, Fraction(1, 8)), whole=True),
    # a count of GB read as GiB, and a count of GiB that is labelled GB
    Mistake("gb_for_gib", lambda p: _scaled(p, Fraction(GIB, 10**9), Fraction(10**9, GIB))),
    Mistake("four_byte_elements", lambda p: _scaled(p, Fraction(4, p.bytes_per_element)), whole=True),
    Mistake("other_unit", lambda p: _scaled(p, *(Fraction(GIB, SIZES[u]) for u in ("MiB", "KiB", "B")))),
    Mistake(
        "one_token", lambda p: _scaled(p, *(Fraction(GIB, SIZES[u] * p.tokens) for u in ("GiB", "KiB", "B")))
    ),
    Mistake("one_layer", lambda p: _scaled(p, Fraction(1, p.layers))),
    Mistake("total_memory", lambda p: (), fits=_ratio_only),
)


def _block_starts(inputs: Slots) -> Parts:
    return tuple(inputs.block_table[p // inputs.block_size] * inputs.block_size for p in inputs.positions)


def _block_ids(inputs: Slots) -> Parts:
    return tuple(inputs.block_table[p // inputs.block_size] for p in inputs.positions)


def _plus_offset(inputs: Slots, starts: Parts) -> Parts:
    return tuple(start + p % inputs.block_size for start, p in zip(starts, inputs.positions))


def _quotient_for_offset(inputs: Slots) -> Iterator[Parts]:
    size = inputs.block_size
    yield tuple(start + p // size for start, p in zip(_block_starts(inputs), inputs.positions))


def _table_from_one(inputs: Slots) -> Iterator[Parts]:
    size, table = inputs.block_size, inputs.block_table
    if all(p >= size for p in inputs.positions):
        yield tuple(table[p // size - 1] * size + p % size for p in inputs.positions)


SLOT_MISTAKES = (
    # the index of the table used as the block leads back to the position itself
    Mistake("position", lambda p: [p.positions]),
    Mistake("offset_forgotten", lambda p: [_block_ids(p), _block_starts(p)]),
    Mistake("block_not_multiplied", lambda p: [_plus_offset(p, _block_ids(p))]),
    Mistake("logical_block_as_offset", _quotient_for_offset),
    Mistake("table_from_one", _table_from_one),
    Mistake("slots_from_one", lambda p: [tuple(slot + 1 for slot in slots(p))]),
    Mistake("swapped", lambda p: [slots(p)[::-1]], whole=True),
)


def _whole_history(inputs: Round, parts: Parts) -> bool:
    """Whether these are boundaries of sequences that hold at least this round's tokens."""
    if len(parts) != len(inputs.lengths) + 1 or parts[0] != 0:
        return False
    steps = [after - before for before, after in pairwise(parts)]
    return all(step.denominator == 1 and step >= n for step, n in zip(steps, inputs.lengths))


ROUND_MISTAKES = (
    Mistake("lengths", lambda p: [p.lengths, (0, *p.lengths)]),
    Mistake("no_leading_zero", lambda p: [boundaries(p)[1:]]),
    Mistake("no_last_boundary", lambda p: [boundaries(p)[:-1]]),
    Mistake("counted_from_one", lambda p: [tuple(b + 1 for b in boundaries(p))]),
    Mistake("whole_history", lambda p: (), fits=_whole_history),
)


def _partial_block(inputs: PrefixHit) -> Iterator[Parts]:
    if inputs.num_tokens % inputs.block_size:  # else this is the full hit
        yield (num_blocks(inputs.num_tokens, inputs.block_size) * inputs.block_size,)


HIT_MISTAKES = (
    Mistake("full_hit", lambda p: [(p.num_tokens,)]),
    Mistake("not_aligned", lambda p: [(p.num_tokens - 1,)]),
    Mistake("no_hit", lambda p: [(0,)]),
    Mistake("partial_block", _partial_block),
    Mistake("blocks_for_tokens", lambda p: [(reused_tokens(p)[0] // p.block_size,)]),
)


LOAD_MISTAKES = (
    Mistake("goodput_as_throughput", lambda p: [(rates(p)[i],) * 2 for i in (0, 1)]),
    Mistake("not_divided", lambda p: [(p.successes, p.within_limits)]),
    Mistake("share", lambda p: [(rates(p)[0], Fraction(p.within_limits, p.successes))]),
    Mistake("swapped", lambda p: [rates(p)[::-1]], whole=True),
    Mistake("late_ones", lambda p: [(rates(p)[0], throughput(p.successes - p.within_limits, p.seconds))]),
    Mistake("upside_down", lambda p: [tuple(Fraction(1) / rate for rate in rates(p))]),
    Mistake("other_unit", lambda p: [tuple(rate * n for rate in rates(p)) for n in (60, Fraction(1, 1000))]),
)


def _with_cost(inputs: Fetch, cost: int) -> Parts:
    return cost, fetch_saving_ms(inputs.recompute_ms, cost)


def _all_steps(inputs: Fetch) -> int:
    return inputs.lookup_ms + inputs.data_path_ms + inputs.conversion_ms


def _steps_left_out(inputs: Fetch) -> Iterator[Parts]:
    steps = (inputs.lookup_ms, inputs.data_path_ms, inputs.conversion_ms)
    for size in (1, 2):
        for some in combinations(steps, size):
            for cost in (sum(some), sum(some) - inputs.overlap_ms):
                if cost > 0:
                    yield _with_cost(inputs, cost)


def _swapped_figures(inputs: Fetch) -> Iterator[Parts]:
    swapped = fetch_figures(inputs)[::-1]
    if swapped != _with_cost(inputs, _all_steps(inputs) + inputs.overlap_ms):
        yield swapped


FETCH_MISTAKES = (
    Mistake("overlap_not_subtracted", lambda p: [_with_cost(p, _all_steps(p))]),
    Mistake("overlap_twice", lambda p: [_with_cost(p, _all_steps(p) - 2 * p.overlap_ms)]),
    Mistake("overlap_added", lambda p: [_with_cost(p, _all_steps(p) + p.overlap_ms)]),
    Mistake("swapped", _swapped_figures, whole=True),
    Mistake("sign", lambda p: [(fetch_figures(p)[0], -fetch_figures(p)[1])]),
    Mistake("step_left_out", _steps_left_out),
    Mistake(
        "other_unit", lambda p: [tuple(n * f for n in fetch_figures(p)) for f in (1000, Fraction(1, 1000))]
    ),
)

PROBLEMS = (
    Problem("p1", KvSize(), kv_size_gib, "GiB", "two", KV_SIZE_MISTAKES),
    Problem("p2", Slots(), slots, "slots", "two", SLOT_MISTAKES),
    Problem("p3", Round(), boundaries, "tokens", "list", ROUND_MISTAKES),
    Problem("p4", PrefixHit(), reused_tokens, "tokens", "one", HIT_MISTAKES),
    Problem("p5", Load(), rates, "req/s", "two", LOAD_MISTAKES),
    Problem("p6", Fetch(), fetch_figures, "ms", "two", FETCH_MISTAKES),
)
