"""The numbers that an attention layer is run on: the lecture's four inputs, or made ones.

Both give the inputs, a row a token, and the weights of q, k and v, a row an output number. All are of order
one, so that rounding shows, and rounded to the format that is computed in.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.floats import Arithmetic

    Matrix = list[list[float]]

LECTURE_INPUTS = [[1.0, 0.25], [0.5, -1.0], [-0.75, 0.6], [0.3, 0.9]]
LECTURE_WEIGHTS = [
    [[0.9, -0.4], [0.2, 1.1]],  # W_q
    [[0.7, 0.3], [-0.5, 0.8]],  # W_k
    [[1.2, -0.1], [0.4, 0.6]],  # W_v
]


def lecture_numbers(arithmetic: Arithmetic) -> tuple[Matrix, list[Matrix]]:
    """Four inputs of dimension 2, and one head's weights."""
    return rounded(LECTURE_INPUTS, arithmetic), [rounded(matrix, arithmetic) for matrix in LECTURE_WEIGHTS]


def made_numbers(
    tokens: int, dim: int, row_length: int, seed: int, arithmetic: Arithmetic
) -> tuple[Matrix, list[Matrix]]:
    """As many inputs as tokens, and weights that make `row_length` numbers of K and of V from each."""
    from random import Random

    random = Random(seed)

    def matrix(rows: int) -> Matrix:
        # Only random() is the same in every version of Python.
        return rounded([[2 * random.random() - 1 for _ in range(dim)] for _ in range(rows)], arithmetic)

    inputs = matrix(tokens)
    return inputs, [matrix(dim), matrix(row_length), matrix(row_length)]


def rounded(matrix: Matrix, arithmetic: Arithmetic) -> Matrix:
    """Every number in the format of the arithmetic."""
    return [[arithmetic.round(number) for number in row] for row in matrix]
