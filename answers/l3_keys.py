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

from labs.base import Record, require
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
            require(number >= 1, name, "at_least", number, least=1)


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
    """The KV cache in GiB with each number of KV heads."""
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
        for position in self.positions:
            require(position >= 0, "positions", "at_least", position, least=0)
            last = len(self.block_table) * self.block_size - 1
            require(position <= last, "positions", "at_most", position, most=last)


def slots(inputs: Slots) -> Parts:
    """The slot of each position."""
    return tuple(slot(position, inputs.block_table, inputs.block_size) for position in inputs.positions)


class Round(Record):
    """p3: how many tokens of each request a round computes."""

    lengths: tuple[int, ...] = (3, 1, 2)

    def check(self) -> None:
        _check_positive(self, "lengths")


def boundaries(inputs: Round) -> Parts:
    """The round's query_start_loc."""
    return tuple(query_start_loc(inputs.lengths))


class PrefixHit(Record):
    """p4: a prompt whose blocks are all cached."""

    block_size: int = 16
    num_tokens: int = 32

    def check(self) -> None:
        _check_positive(self, "block_size", "num_tokens")


def reused_tokens(inputs: PrefixHit) -> Parts:
    """The tokens that the look-up may reuse."""
    return (max_hit_tokens(inputs.num_tokens, inputs.block_size),)


class Load(Record):
    """p5: what a load test counted."""

    seconds: int = 10
    successes: int = 100
    within_limits: int = 75

    def check(self) -> None:
        _check_positive(self, "seconds", "successes", "within_limits")
        require(
            self.within_limits <= self.successes,
            "within_limits",
            "at_most",
            self.within_limits,
            most=self.successes,
        )


def rates(inputs: Load) -> Parts:
    """Throughput and goodput in requests a second."""
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
        require(self.overlap_ms >= 0, "overlap_ms", "at_least", self.overlap_ms, least=0)
        fetch_figures(self)


def fetch_figures(inputs: Fetch) -> Parts:
    """Cost of the fetch and what it saves, in milliseconds."""
    cost = fetch_cost_ms(inputs.lookup_ms, inputs.data_path_ms, inputs.conversion_ms, inputs.overlap_ms)
    return cost, fetch_saving_ms(inputs.recompute_ms, cost)
