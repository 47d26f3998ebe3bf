"""Drawing a problem's numbers from a seed: the same numbers on every machine and in every Python.

    draw i of (sheet, seed, problem, attempt) = SHA-256 of those names and i, modulo the number of choices

Digests are used because a library's generator may draw other numbers in another version. Drawn numbers are
refused, and drawn again, while a tempting mistake leads to the key, or the course's own problem has that key.

Does not model: chance; the bias of the modulo is below 2**-200.
"""

from __future__ import annotations

from hashlib import sha256

from answers.problem import Problem, is_rounded
from labs.base import LabError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from answers.problem import Parts
    from labs.base import Record

    Value = TypeVar("Value")

MAX_ATTEMPTS = 1000


class Draw:
    """A row of numbers that follow from a key.

    >>> draw = Draw("l3", 7, "p1", 0)
    >>> draw.below(10), draw.between(20, 40, 5), draw.choice("abc"), draw.sample((1, 2, 3, 4), 2)
    (3, 35, 'b', (3, 1))
    """

    def __init__(self, *key: object) -> None:
        self._key = "/".join(map(str, key))
        self._drawn = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 to below the bound."""
        self._drawn += 1
        digest = sha256(f"{self._key}/{self._drawn}".encode()).digest()
        return int.from_bytes(digest, "big") % bound

    def between(self, least: int, most: int, step: int = 1) -> int:
        """One of least, least + step, ..., at most `most`."""
        return least + step * self.below((most - least) // step + 1)

    def choice(self, values: Sequence[Value]) -> Value:
        """One of the values."""
        return values[self.below(len(values))]

    def sample(self, values: Sequence[Value], number: int) -> tuple[Value, ...]:
        """So many of the values, each once, in drawn order."""
        left = list(values)
        return tuple(left.pop(self.below(len(left))) for _ in range(number))


def fresh(problem: Problem, inputs_of: Callable[[Draw], Record], seed: int) -> Problem:
    """A problem of the same kind with numbers from a seed; seed 0 keeps the problem as it is."""
    if seed == 0:
        return problem
    course = problem.key(problem.inputs)
    for attempt in range(MAX_ATTEMPTS):
        try:
            drawn = problem.replace(inputs=inputs_of(Draw(problem.sheet, seed, problem.name, attempt)))
        except LabError:  # the numbers do not go together
            continue
        key = drawn.key(drawn.inputs)
        if key != course and not tempting_key(drawn, key):
            return drawn
    raise AssertionError(f"{problem.sheet} {problem.name}: no numbers for seed {seed}")


def tempting_key(problem: Problem, key: Parts) -> bool:
    """Whether some mistake of the problem leads to its key, or to a number that rounds to it."""
    for mistake in problem.mistakes:
        for answer in mistake.answers(problem.inputs):
            if len(answer) == len(key) and all(is_rounded(a, b) for a, b in zip(key, answer)):
                return True
    return False
