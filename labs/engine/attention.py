"""One causal attention layer, computed in two separate ways that must agree to the bit.

    recompute   at each position, project K and V of the whole history again
    cached      project K and V of the new position only, keep them, read the rest back

    q, k, v = W_q x, W_k x, W_v x        score[j] = (q . k[j]) / sqrt(head_dim), j <= position
    weight  = softmax(score)             output   = sum over j of weight[j] v[j]

    x        one token's input, `dim` numbers           heads    query heads of head_dim = dim / heads
    history  inputs of positions 0 to position          kv_heads shared by heads / kv_heads query heads

Both ways add in the order of positions, so not even rounding differs. They share `project` and
`softmax` and nothing above them: a common helper could hide a common mistake.
Source: the course's lab A. Does not model: output projection, RoPE, many layers, GPU kernels.
"""

from __future__ import annotations

import math

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.floats import Arithmetic
    from labs.engine.kv_store import KVStore

    Row = list[float]
    Matrix = Sequence[Sequence[float]]


class Work(Record):
    """What a path has done so far: rows per K or V matrix, multiply-adds, bytes of K and V read."""

    rows_projected: int
    multiply_adds: int
    kv_bytes_read: int


class Projection:
    """A weight matrix that counts the rows (one token's vector each) it is applied to."""

    def __init__(self, weights: Matrix, arithmetic: Arithmetic) -> None:
        self.weights = weights
        self.arithmetic = arithmetic
        self.rows = 0

    def project(self, x: Sequence[float]) -> Row:
        """Weights times one input: a number for each row of weights."""
        self.rows += 1
        add, multiply = self.arithmetic.add, self.arithmetic.multiply
        projected = []
        for weight_row in self.weights:
            total = 0.0
            for weight, number in zip(weight_row, x):
                total = add(total, multiply(weight, number))
            projected.append(total)
        return projected


class Layer:
    """The three projections of a layer (weights of q, k, v), its heads, and what was counted so far."""

    def __init__(self, weights: Sequence[Matrix], heads: int, kv_heads: int, arithmetic: Arithmetic) -> None:
        self.queries, self.keys, self.values = (Projection(matrix, arithmetic) for matrix in weights)
        self.arithmetic = arithmetic
        self.heads, self.group = heads, heads // kv_heads
        self.head_dim = len(weights[0]) // heads
        self.scale = arithmetic.round(math.sqrt(self.head_dim))
        self.attention_multiply_adds = 0
        self.kv_numbers_read = 0

    def work(self) -> Work:
        projections = (self.queries, self.keys, self.values)
        multiply_adds = self.attention_multiply_adds + sum(
            p.rows * len(p.weights) * len(p.weights[0]) for p in projections
        )
        return Work(self.keys.rows, multiply_adds, self.kv_numbers_read * self.arithmetic.num_bytes)


def softmax(scores: Sequence[float], arithmetic: Arithmetic) -> Row:
    """Weights that sum to about 1; the largest score is subtracted first, so exp cannot overflow."""
    largest = max(scores)
    powers = [arithmetic.exp(arithmetic.subtract(score, largest)) for score in scores]
    total = 0.0
    for power in powers:
        total = arithmetic.add(total, power)
    return [arithmetic.divide(power, total) for power in powers]


def recompute(layer: Layer, inputs: Sequence[Row]) -> tuple[list[Row], list[Work]]:
    """Each position's output, and the work done up to it, with K and V of the history made anew."""
    a, size = layer.arithmetic, layer.head_dim
    outputs, works = [], []
    for position in range(len(inputs)):
        history = inputs[: position + 1]
        keys = [layer.keys.project(x) for x in history]
        values = [layer.values.project(x) for x in history]
        layer.kv_numbers_read += 2 * len(keys) * len(keys[0])
        query = layer.queries.project(inputs[position])
        output = []
        for head in range(layer.heads):
            first = head // layer.group * size  # where the KV head of this query head begins
            scores = []
            for key in keys:
                score = 0.0
                for i in range(size):
                    score = a.add(score, a.multiply(query[head * size + i], key[first + i]))
                scores.append(a.divide(score, layer.scale))
            weights = softmax(scores, a)
            for i in range(size):
                total = 0.0
                for weight, value in zip(weights, values):
                    total = a.add(total, a.multiply(weight, value[first + i]))
                output.append(total)
            layer.attention_multiply_adds += 2 * size * len(keys)
        outputs.append(output)
        works.append(layer.work())
    return outputs, works


def cached(
    layer: Layer, inputs: Sequence[Row], store: KVStore, chunk: int = 1
) -> tuple[list[Row], list[Work]]:
    """The same with a KV cache: `chunk` new positions are projected and stored, then each is attended."""
    a, size = layer.arithmetic, layer.head_dim
    outputs, works = [], []
    for position in range(len(inputs)):
        if position % chunk == 0:
            for new in range(position, min(position + chunk, len(inputs))):
                store.write(new, layer.keys.project(inputs[new]), layer.values.project(inputs[new]))
        query = layer.queries.project(inputs[position])
        past = [store.read(j) for j in range(position + 1)]
        layer.kv_numbers_read += sum(len(key) + len(value) for key, value in past)
        output = [0.0] * (layer.heads * size)
        for head in range(layer.heads):
            own = query[head * size : (head + 1) * size]
            shared = slice(head // layer.group * size, head // layer.group * size + size)
            scores = []
            for key, _ in past:
                products = [a.multiply(x, y) for x, y in zip(own, key[shared])]
                score = 0.0
                for product in products:
                    score = a.add(score, product)
                scores.append(a.divide(score, layer.scale))
            for weight, (_, value) in zip(softmax(scores, a), past):
                for i, number in enumerate(value[shared], head * size):
                    output[i] = a.add(output[i], a.multiply(weight, number))
                layer.attention_multiply_adds += 2 * size
        outputs.append(output)
        works.append(layer.work())
    return outputs, works
