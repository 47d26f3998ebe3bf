"""Kinds of problem that several sheets have: choosing among options, and judging oneself.

    choice   the catalogue's question ends in options parted by " | ", the right one first; `order` says in
             which order they are asked: its members are places in the catalogue
    yes      the learner says True: nobody else can know

Does not model: several right options.
"""

from __future__ import annotations

from answers.problem import Mistake, Problem
from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from answers.draw import Draw
    from answers.problem import Parts

OTHERS = ("second", "third", "fourth")  # the catalogue's options after the right one


class Options(Record):
    """In which order the options are asked."""

    order: tuple[int, ...]


def number_of(inputs: Options, option: int) -> Parts:
    """The number, from 1, under which one of the catalogue's options is asked.

    >>> number_of(Options((2, 0, 1)), 0)
    (2,)
    """
    return (inputs.order.index(option) + 1,)


def choice(sheet: str, name: str, *order: int) -> Problem:
    """A problem with options, asked in this order where the seed is 0."""
    mistakes = [Mistake(OTHERS[i - 1], _other(i)) for i in range(1, len(order))]
    return Problem(
        name, Options(order), lambda p: number_of(p, 0), "numbers", "choice", tuple(mistakes), sheet
    )


def _other(option: int) -> Callable[[Options], list[Parts]]:
    return lambda inputs: [number_of(inputs, option)]


def shuffled(num_options: int) -> Callable[[Draw], Options]:
    """Draws an order of so many options."""
    return lambda draw: Options(draw.sample(range(num_options), num_options))


class Nothing(Record):
    """A question without numbers."""


def yes(sheet: str, name: str) -> Problem:
    """A problem that the learner judges."""
    not_yet = Mistake("not_yet", lambda p: [(0,)])
    return Problem(name, Nothing(), lambda p: (1,), "numbers", "yes", (not_yet,), sheet)
