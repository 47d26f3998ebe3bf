"""One attention layer against exact arithmetic, and the counts of both paths against plain products.

Oracle: the formula of `labs.engine.attention` on Fractions; each sum, product and quotient is rounded to
the dtype, half to even, in the order of positions. The two paths share `project` and `softmax`, and all
ways share the scale, so comparing them with each other cannot see a mistake there; this can.

Turned red by: softmax without its maximum, with a reciprocal or another order of summing, a scale that
is missing, unrounded or of the wrong width, a query head that reads the wrong KV head, an operation that
is not rounded, keys counted without values or by query head, and chunks of another length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import labs.attention
from labs.engine.attention import Layer, cached, recompute
from labs.engine.floats import Arithmetic
from labs.engine.kv_store import KVStore
from labs.engine.online_softmax import blockwise

if TYPE_CHECKING:
    from tests.conftest import RunJson

Row = list[float]
Exact = list[Fraction]

# precision in bits with the hidden one, exponent of the smallest normal number, bytes
FORMATS = {
    "float64": (53, -1022, 8),
    "float32": (24, -126, 4),
    "float16": (11, -14, 2),
    "bfloat16": (8, -126, 2),
}
SHAPES = [(6, 3, 1, 1), (5, 8, 4, 2), (4, 6, 3, 1), (4, 4, 2, 2)]
each_shape = pytest.mark.parametrize(("tokens", "dim", "heads", "kv_heads"), SHAPES)
each_dtype = pytest.mark.parametrize("dtype", FORMATS)


class Oracle:
    """The layer's formula, exactly, in one dtype; `magnitude` makes the scores small or large."""

    def __init__(self, shape: tuple[int, int, int, int], dtype: str, magnitude: int = 1) -> None:
        self.tokens, self.dim, self.heads, self.kv_heads = shape
        self.dtype = dtype
        self.size = self.dim // self.heads
        random = Random(str((shape, dtype)))
        rows = (self.tokens, self.dim, self.size * self.kv_heads, self.size * self.kv_heads)
        self.inputs, *self.weights = (
            [[self.round(Fraction(random.uniform(-1, 1))) for _ in range(self.dim)] for _ in range(count)]
            for count in rows
        )
        self.inputs = [[self.round(x * magnitude) for x in row] for row in self.inputs]
        queries, keys, values = ([self.project(m, x) for x in self.inputs] for m in self.weights)
        self.queries, self.keys, self.values = queries, keys, values
        self.scale = self.round(Fraction(math.sqrt(self.size)))

    def round(self, exact: Fraction) -> Fraction:
        """The nearest number of the dtype, a tie to the even one; none here is too large."""
        if exact == 0:
            return exact
        precision, lowest, _ = FORMATS[self.dtype]
        exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
        exponent -= Fraction(2) ** exponent > abs(exact)
        shift = precision - 1 - max(exponent, lowest)  # the spacing is 2**-shift
        if shift < 0:
            return Fraction(round(exact / (1 << -shift)) << -shift)
        return Fraction(round(exact * (1 << shift)), 1 << shift)

    def sum(self, terms: Iterable[Fraction], start: Fraction = Fraction(0)) -> Fraction:
        for term in terms:
            start = self.round(start + term)
        return start

    def dot(self, left: Exact, right: Exact) -> Fraction:
        return self.sum(self.round(x * y) for x, y in zip(left, right))

    def project(self, matrix: list[Exact], x: Exact) -> Exact:
        return [self.dot(row, x) for row in matrix]

    def exp(self, exact: Fraction) -> Fraction:
        return self.round(Fraction(math.exp(float(exact))))

    def head(self, row: Exact, head: int) -> Exact:
        return row[head * self.size : (head + 1) * self.size]

    def scores(self, position: int, head: int) -> Exact:
        """The scores of positions 0 to `position` for one query head."""
        query, shared = self.head(self.queries[position], head), head * self.kv_heads // self.heads
        dots = [self.dot(query, self.head(key, shared)) for key in self.keys[: position + 1]]
        return [self.round(dot / self.scale) for dot in dots]

    def value(self, head: int, i: int) -> Exact:
        """Number i of the V that a query head reads, position by position."""
        return [self.head(value, head * self.kv_heads // self.heads)[i] for value in self.values]

    def attend(self, position: int, head: int) -> Exact:
        scores = self.scores(position, head)
        powers = [self.exp(self.round(score - max(scores))) for score in scores]
        total = self.sum(powers)
        weights = [self.round(power / total) for power in powers]
        return [self.dot(weights, self.value(head, i)) for i in range(self.size)]

    def attend_blockwise(self, position: int, head: int, block: int) -> Exact:
        """Online softmax, block after block; the first block needs no rescaling, since all is 0."""
        scores, total, weighted = self.scores(position, head), Fraction(0), [Fraction(0)] * self.size
        for start in range(0, position + 1, block):
            end = min(start + block, position + 1)
            largest = max(scores[:end])
            if start:
                shrink = self.exp(self.round(max(scores[:start]) - largest))
                total, weighted = self.round(total * shrink), [self.round(w * shrink) for w in weighted]
            powers = [self.exp(self.round(score - largest)) for score in scores[start:end]]
            total = self.sum(powers, total)
            for i, before in enumerate(weighted):
                products = (self.round(p * v) for p, v in zip(powers, self.value(head, i)[start:end]))
                weighted[i] = self.sum(products, before)
        return [self.round(number / total) for number in weighted]

    def outputs(self, block: int | None = None) -> list[Row]:
        found = []
        for position in range(self.tokens):
            row: Exact = []
            for head in range(self.heads):
                row += self.attend_blockwise(position, head, block) if block else self.attend(position, head)
            found.append([float(number) for number in row])
        return found

    def floats(self, rows: list[Exact]) -> list[Row]:
        return [[float(number) for number in row] for row in rows]

    def layer(self) -> Layer:
        weights = [self.floats(matrix) for matrix in self.weights]
        return Layer(weights, self.heads, self.kv_heads, Arithmetic(self.dtype))

    def store(self, filled: bool = False) -> KVStore:
        """One block for all; empty, or with the exact keys and values."""
        store = KVStore(self.size * self.kv_heads, [0], self.tokens)
        for position in range(self.tokens) if filled else ():
            store.write(position, *self.floats([self.keys[position], self.values[position]]))
        return store


@pytest.mark.parametrize("magnitude", [1, 30], ids=["small-scores", "large-scores"])
@each_dtype
@each_shape
def test_outputs_are_exact(
    tokens: int, dim: int, heads: int, kv_heads: int, dtype: str, magnitude: int
) -> None:
    """Every bit of both paths, where exp would overflow without the maximum too."""
    oracle = Oracle((tokens, dim, heads, kv_heads), dtype, magnitude)
    expected, inputs = oracle.outputs(), oracle.floats(oracle.inputs)
    assert recompute(oracle.layer(), inputs)[0] == expected
    for chunk in (1, 3):
        assert cached(oracle.layer(), inputs, oracle.store(), chunk)[0] == expected


@pytest.mark.parametrize(("block", "magnitude"), [(1, 1), (2, 1), (2, 30), (9, 1)])
@each_dtype
@each_shape
def test_blockwise_is_exact(
    tokens: int, dim: int, heads: int, kv_heads: int, dtype: str, block: int, magnitude: int
) -> None:
    """Every bit of the online softmax, in blocks of that size and no other."""
    oracle = Oracle((tokens, dim, heads, kv_heads), dtype, magnitude)
    inputs = oracle.floats(oracle.inputs)
    assert blockwise(oracle.layer(), inputs, oracle.store(filled=True), block) == oracle.outputs(block)


def test_lecture_by_hand() -> None:
    """Position 0 attends to itself alone, so its output is W_v x = (1.2 - 0.1 / 4, 0.4 + 0.6 / 4)."""
    first = labs.attention.run(labs.attention.Params()).positions[0]
    assert first.recompute_output == first.cached_output == pytest.approx((1.175, 0.55), rel=1e-15)


@each_dtype
@each_shape
def test_work_by_hand(tokens: int, dim: int, heads: int, kv_heads: int, dtype: str) -> None:
    """After n positions n (n + 1) / 2 keys were looked at, each with all query heads.

    A row of Q takes dim x dim multiply-adds, one of K or V dim x (KV heads x head dim); a key and its value
    2 dim. Bytes are those of the KV heads, twice: K and V.
    """
    oracle = Oracle((tokens, dim, heads, kv_heads), dtype)
    inputs, kv_dim = oracle.floats(oracle.inputs), dim // heads * kv_heads
    full, kept = recompute(oracle.layer(), inputs)[1], cached(oracle.layer(), inputs, oracle.store())[1]
    assert len(full) == len(kept) == tokens
    for n, (one, other) in enumerate(zip(full, kept), 1):
        looked_at = n * (n + 1) // 2
        for work, rows in ((one, looked_at), (other, n)):
            assert work.rows_projected == rows
            assert work.multiply_adds == n * dim * dim + 2 * rows * kv_dim * dim + looked_at * 2 * dim
            assert work.kv_bytes_read == looked_at * 2 * kv_dim * FORMATS[dtype][2]


class SpyStore(KVStore):
    """A store that notes which positions are written, and which are read."""

    def __init__(self, row_length: int, block_table: Sequence[int], block_size: int) -> None:
        super().__init__(row_length, block_table, block_size)
        self.seen: list[tuple[str, int]] = []

    def write(self, position: int, key: Row, value: Row) -> None:
        self.seen.append(("write", position))
        super().write(position, key, value)

    def read(self, position: int) -> tuple[Row, Row]:
        self.seen.append(("read", position))
        return super().read(position)


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 8])
def test_chunks_are_written_before_they_are_read(chunk: int) -> None:
    """`chunk` positions, the last time what is left of them; each is projected and written once."""
    oracle = Oracle((7, 2, 1, 1), "float64")
    store, inputs = SpyStore(2, [0], 7), oracle.floats(oracle.inputs)
    works = cached(oracle.layer(), inputs, store, chunk)[1]
    bounds = [*range(0, 7, chunk), 7]
    expected: list[tuple[str, int]] = []
    for start, end in pairwise(bounds):
        expected += [("write", new) for new in range(start, end)]
        for position in range(start, end):
            expected += [("read", past) for past in range(position + 1)]
    assert store.seen == expected
    assert works[-1].rows_projected == 7


@pytest.mark.parametrize(
    ("words", "chunks"), [([], [1]), (["--chunk", "1"], [1, 1]), (["--chunk", "3"], [1, 3])]
)
def test_the_lab_runs_the_chunks_that_were_asked_for(
    run_json: RunJson, monkeypatch: pytest.MonkeyPatch, words: list[str], chunks: list[int]
) -> None:
    """The cached path runs token by token, and once more in chunks of --chunk."""
    ran: list[int] = []

    def spy(layer: Layer, inputs: Sequence[Row], store: KVStore, chunk: int = 1) -> Any:
        ran.append(chunk)
        return cached(layer, inputs, store, chunk)

    monkeypatch.setattr("labs.attention.cached", spy)
    run_json(["attention", "--tokens", "5", *words])
    assert ran == chunks
