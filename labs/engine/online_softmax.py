"""Attention one block of K and V at a time, and how far its result may lie from the plain one.

Softmax needs the largest score and the sum of powers of all scores. Reading blocks one after the other,
keep both so far, and the sum of power x value; when a block brings a larger score, rescale all three
by exp(old largest - new largest). The last step divides.

The bound on the distance from the plain result, with n tokens, B blocks and u one rounding (half an ulp
of 1), for outputs that are means of values of at most V:

    each way      n - 1 roundings in the weighted sum, n - 1 in the sum of powers, 2 in product and
                  quotient; powers err by 1 + |score - largest| roundings, weighted log n at the most
    block by block  4 more for each of B - 1 rescalings (two factors, two products)
    together      4 (n + B + log2 n + 2) u V to first order, and u V is less than one ulp at V

Does not model: errors that cancel. They mostly do, so the distance is far below the bound; once the
bound reaches 2**significand_bits ulps, the size of V itself, it says nothing.
Source: Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018).
"""

from __future__ import annotations

import math

from labs.base import Record
from labs.engine.blocks import num_blocks
from labs.engine.floats import FORMATS, largest_difference, ulp_exponent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.attention import Layer
    from labs.engine.kv_store import KVStore

    Row = list[float]


class Ulps(Record):
    """How far two ways lie apart, in ulps at the largest |value| read, and the bound on it.

    `bound_is_vacuous`: the bound is as large as the values, so keeping it says nothing.
    """

    max_ulps: float
    bound_ulps: int
    within_bound: bool
    bound_is_vacuous: bool


def blockwise(layer: Layer, inputs: Sequence[Row], store: KVStore, block_size: int) -> list[Row]:
    """Each position's output from a filled store, by online softmax over its blocks."""
    a, size = layer.arithmetic, layer.head_dim
    outputs = []
    for position, x in enumerate(inputs):
        query = layer.queries.project(x)
        output = []
        for head in range(layer.heads):
            own = query[head * size : (head + 1) * size]
            first = head // layer.group * size
            largest, total, weighted = -math.inf, 0.0, [0.0] * size
            for start in range(0, position + 1, block_size):
                block = [store.read(j) for j in range(start, min(start + block_size, position + 1))]
                scores = []
                for key, _ in block:
                    score = 0.0
                    for i in range(size):
                        score = a.add(score, a.multiply(own[i], key[first + i]))
                    scores.append(a.divide(score, layer.scale))
                new_largest = max(largest, *scores)
                rescale = a.exp(a.subtract(largest, new_largest))
                total = a.multiply(total, rescale)
                weighted = [a.multiply(number, rescale) for number in weighted]
                for score, (_, value) in zip(scores, block):
                    power = a.exp(a.subtract(score, new_largest))
                    total = a.add(total, power)
                    for i in range(size):
                        weighted[i] = a.add(weighted[i], a.multiply(power, value[first + i]))
                largest = new_largest
            output += [a.divide(number, total) for number in weighted]
        outputs.append(output)
    return outputs


def distance(
    plain: Sequence[Row], blocks: Sequence[Row], values: Sequence[Row], block_size: int, dtype: str
) -> Ulps:
    """The largest difference of two lists of outputs that read these values, and the bound on it."""
    worst, largest = 0.0, 0.0
    for a, b, row in zip(plain, blocks, values, strict=True):
        largest = max(largest, *(abs(number) for number in row))
        worst = max(worst, largest_difference(a, b) / 2.0 ** ulp_exponent(largest, dtype))
    bound = bound_ulps(len(plain), block_size)
    return Ulps(worst, bound, worst <= bound, bound >= 1 << FORMATS[dtype].significand_bits)


def bound_ulps(num_tokens: int, block_size: int) -> int:
    """4 (tokens + blocks + log2 of tokens + 2), the logarithm rounded down.

    >>> bound_ulps(8, 2)
    68
    """
    return 4 * (num_tokens + num_blocks(num_tokens, block_size) + num_tokens.bit_length() - 1 + 2)
