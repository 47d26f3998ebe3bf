"""`schedule`: who computes how much in which round, under each rule.

    decode-first   one token to each that decodes, in order; then prefills, in order, with what is left
    prefill-first  prefills first, then decodes
    static         a batch runs to its end before the next one forms
    nano-vllm      a step is all prefill or all decode; decodes are not counted in the budget
    vllm           running requests catch up in order of admission, then waiting ones are admitted

Keys are the simulator's own rounds. Source: the course's lab C, and `labs.engine.rules`.
Does not model: KV pools that run full, priorities.
"""

from __future__ import annotations

from functools import lru_cache

from answers.draw import Draw, fresh
from answers.problem import Mistake, Problem
from labs.base import Record
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.simulator import Outcome, Run, simulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from answers.problem import Parts

SHEET = "schedule"
MAX_ROUNDS = 1000
NO_LIMIT = 10**6


class Turn(Record):
    """Four requests under one rule: A and B decode from the start, C and D have a prompt; D comes later."""

    rule: str
    budget: int = 2
    a_decode: int = 3
    b_decode: int = 2
    c_prefill: int = 10
    c_decode: int = 2
    d_prefill: int = 2
    d_decode: int = 1
    d_arrive: int = 2

    @property
    def requests(self) -> tuple[Request, ...]:
        return (
            Request("A", 0, self.a_decode, context=1),
            Request("B", 0, self.b_decode, context=1),
            Request("C", self.c_prefill, self.c_decode),
            Request("D", self.d_prefill, self.d_decode, arrive=self.d_arrive),
        )


@lru_cache(maxsize=64)  # a problem's mistakes look at the same runs as its key
def played(turn: Turn) -> Run:
    """The run of the rule."""
    stepper = RULES[turn.rule].make(Knobs(budget=turn.budget), None, False, False)
    return simulate(turn.requests, stepper, MAX_ROUNDS)


def last_rounds(turn: Turn) -> Parts:
    """The round of each request's last token.

    >>> last_rounds(Turn("decode-first", budget=8))
    (3, 2, 4, 3)
    """
    return tuple(outcome.last_round or 0 for outcome in by_name(turn))


def by_name(turn: Turn) -> list[Outcome]:
    """What became of A, B, C and D."""
    return sorted(played(turn).outcomes, key=lambda outcome: outcome.name)


def tokens_of_c(turn: Turn) -> Parts:
    """C's tokens in every round up to its last.

    >>> tokens_of_c(Turn("decode-first"))
    (0, 0, 1, 2, 2, 2, 2, 1, 1, 1)
    """
    rounds = played(turn).singles()
    given = [sum(work.tokens for work in each.work if work.request == "C") for each in rounds]
    return tuple(given[: int(last_rounds(turn)[2])])


def waits(turn: Turn) -> Parts:
    """Rounds in which C, and in which D, was there and got nothing.

    >>> waits(Turn("decode-first"))
    (2, 6)
    """
    return tuple(outcome.waited_rounds for outcome in by_name(turn)[2:])


def otherwise(answer: Callable[[Turn], Parts], **changes: object) -> Callable[[Turn], Iterator[Parts]]:
    """What comes out for another turn, where that can be told from the key."""

    def answers(turn: Turn) -> Iterator[Parts]:
        other = answer(turn.replace(**changes))
        if other != answer(turn):
            yield other

    return answers


def longer(answer: Callable[[Turn], Parts]) -> Callable[[Turn], Iterator[Parts]]:
    """As if the end of a prefill yielded no token, so that one more decode pass is needed."""

    def answers(turn: Turn) -> Iterator[Parts]:
        other = answer(turn.replace(c_decode=turn.c_decode + 1, d_decode=turn.d_decode + 1))
        if other != answer(turn):
            yield other

    return answers


def mistakes(answer: Callable[[Turn], Parts], rule: str) -> tuple[Mistake, ...]:
    others = [name for name in ("decode-first", "prefill-first", "nano-vllm") if name != rule]
    names = {"decode-first": "decodes_first", "prefill-first": "prefills_first", "nano-vllm": "phases_apart"}
    return (
        Mistake("no_budget", otherwise(answer, budget=NO_LIMIT)),
        *(
            Mistake(names[name], otherwise(answer, rule=name))
            for name in others
            if (rule, name) != VLLM_ALIKE
        ),
        Mistake("one_decode_more", longer(answer)),
        Mistake("there_from_the_start", otherwise(answer, d_arrive=1)),
    )


VLLM_ALIKE = ("vllm", "decode-first")  # the same rounds here, though for another reason


def draw_turn(rule: str) -> Callable[[Draw], Turn]:
    def turn(draw: Draw) -> Turn:
        return Turn(
            rule,
            budget=draw.between(2, 5),
            a_decode=draw.between(2, 5),
            b_decode=draw.between(1, 4),
            c_prefill=draw.between(6, 14),
            c_decode=draw.between(1, 3),
            d_prefill=draw.between(1, 4),
            d_decode=draw.between(1, 3),
            d_arrive=draw.between(2, 4),
        )

    return turn


def problem(name: str, rule: str, answer: Callable[[Turn], Parts], shape: str = "list") -> Problem:
    return Problem(name, Turn(rule), answer, "rounds", shape, mistakes(answer, rule), SHEET, turn_worked)


def turn_worked(turn: Turn) -> dict[str, object]:
    """The rounds as text."""
    rounds = [
        ", ".join(f"{work.request} {work.tokens}" for work in each.work) or "-"
        for each in played(turn).singles()
    ]
    total = turn.c_prefill + turn.d_prefill + turn.a_decode + turn.b_decode + turn.c_decode + turn.d_decode
    return {"rounds": " | ".join(rounds), "total": total}


PROBLEMS = (
    problem("p1", "decode-first", tokens_of_c).replace(unit="tokens"),
    problem("p2", "decode-first", last_rounds),
    problem("p3", "prefill-first", last_rounds),
    problem("p4", "static", last_rounds),
    problem("p5", "nano-vllm", last_rounds),
    problem("p6", "vllm", last_rounds),
    problem("p7", "decode-first", waits, "two"),
)


def problems(seed: int) -> tuple[Problem, ...]:
    """The seven problems.

    >>> [problem.key(problem.inputs) for problem in problems(0)][1]
    (3, 2, 10, 10)
    """
    return tuple(fresh(each, draw_turn(each.inputs.rule), seed) for each in PROBLEMS)  # type: ignore[attr-defined]
