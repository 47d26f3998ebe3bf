"""The inputs of the six L3 problems, and their keys computed from them by the labs' own functions.

Every record has the course's numbers as defaults; other numbers make another problem of the same kind.
This is the worked half of L3: solve the sheet first.

    p1 size of a KV cache        p3 query_start_loc           p5 throughput and goodput
    p2 slots of positions        p4 tokens of a prefix hit    p6 cost and saving of a fetch

Source: the course's L3 sheet.

Does not model: total inference memory (weights, activations), time to first token.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record, check_bounds
from labs.engine.blocks import max_hit_tokens, query_start_loc, slot
from labs.model.kv import kv_bytes_per_token
from labs.model.service import fetch_cost_ms, fetch_saving_ms, goodput, throughput
from labs.view.units import SIZES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from answers.problem import Parts


def _check_positive(record: Record, *names: str) -> None:
    for name in names:
        value = getattr(record, name)
        for number in value if isinstance(value, tuple) else (value,):
            check_bounds(number, name, 1)


class KvSize(Record):
    """p1: the same model with two numbers of KV heads."""

    layers: int = 32
    head_dim: int = 128
    dtype: str = "BF16"
    bytes_per_element: int = 2
    tokens: int = 8192
    kv_heads: tuple[int, int] = (32, 8)

    def check(self) -> None:
        _check_positive(self, "layers", "head_dim", "bytes_per_element", "tokens", "kv_heads")


def kv_size_gib(inputs: KvSize) -> Parts:
    """The KV cache in GiB with each number of KV heads.

    >>> kv_size_gib(KvSize(layers=16, tokens=1024, kv_heads=(4, 2)))
    (Fraction(1, 32), Fraction(1, 64))
    """
    first, second = inputs.kv_heads
    return _kv_gib(inputs, first), _kv_gib(inputs, second)


def _kv_gib(inputs: KvSize, heads: int) -> Fraction:
    per_token = kv_bytes_per_token(inputs.layers, heads, inputs.head_dim, inputs.bytes_per_element)
    return Fraction(per_token * inputs.tokens, SIZES["GiB"])


class Slots(Record):
    """p2: a request's block table, and two of its logical positions."""

    block_size: int = 4
    block_table: tuple[int, ...] = (7, 2, 9)
    positions: tuple[int, int] = (6, 8)

    def check(self) -> None:
        _check_positive(self, "block_size")
        last = len(self.block_table) * self.block_size - 1
        for position in self.positions:
            check_bounds(position, "positions", 0, last)


def slots(inputs: Slots) -> Parts:
    """The slot of each position.

    >>> slots(Slots(block_size=8, block_table=(5, 3), positions=(1, 12)))
    (41, 28)
    """
    return tuple(slot(position, inputs.block_table, inputs.block_size) for position in inputs.positions)


class Round(Record):
    """p3: how many tokens of each request a round computes."""

    lengths: tuple[int, ...] = (3, 1, 2)

    def check(self) -> None:
        _check_positive(self, "lengths")


def boundaries(inputs: Round) -> Parts:
    """The round's query_start_loc, in tokens.

    >>> boundaries(Round(lengths=(5, 1)))
    (0, 5, 6)
    """
    return tuple(query_start_loc(inputs.lengths))


class PrefixHit(Record):
    """p4: a prompt whose blocks are all cached."""

    block_size: int = 16
    num_tokens: int = 32

    def check(self) -> None:
        _check_positive(self, "block_size", "num_tokens")


def reused_tokens(inputs: PrefixHit) -> Parts:
    """The tokens that the look-up may reuse.

    >>> reused_tokens(PrefixHit(block_size=8, num_tokens=27))
    (24,)
    """
    return (max_hit_tokens(inputs.num_tokens, inputs.block_size),)


class Load(Record):
    """p5: what a load test counted."""

    seconds: int = 10
    successes: int = 100
    within_limits: int = 75

    def check(self) -> None:
        _check_positive(self, "seconds", "successes")
        check_bounds(self.within_limits, "within_limits", 1, self.successes)


def rates(inputs: Load) -> Parts:
    """Throughput and goodput in requests a second.

    >>> rates(Load(seconds=4, successes=20, within_limits=6))
    (Fraction(5, 1), Fraction(3, 2))
    """
    return throughput(inputs.successes, inputs.seconds), goodput(inputs.within_limits, inputs.seconds)


class Fetch(Record):
    """p6: recomputing a prefix against fetching its KV."""

    recompute_ms: int = 60
    lookup_ms: int = 3
    data_path_ms: int = 20
    conversion_ms: int = 7
    overlap_ms: int = 8

    def check(self) -> None:
        _check_positive(self, "recompute_ms", "lookup_ms", "data_path_ms", "conversion_ms")
        check_bounds(self.overlap_ms, "overlap_ms", 0)
        fetch_figures(self)  # refuses an overlap that is longer than the steps


def fetch_figures(inputs: Fetch) -> Parts:
    """Cost of the fetch and what it saves, in milliseconds.

    >>> fetch_figures(Fetch(recompute_ms=40, lookup_ms=1, data_path_ms=9, conversion_ms=4, overlap_ms=2))
    (12, 28)
    """
    cost = fetch_cost_ms(inputs.lookup_ms, inputs.data_path_ms, inputs.conversion_ms, inputs.overlap_ms)
    return cost, fetch_saving_ms(inputs.recompute_ms, cost)
