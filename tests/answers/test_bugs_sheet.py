"""The sheet `bugs`: its keys against the printed runs alone, and no second invariant that a run breaks.

What is read out of the print is worked by other means than `labs.bugs`: the question holds all that it takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from answers.problem import Problem
from answers.sheets import problems_of
from answers.sheets.bugs_cases import LookedUp, Reported, Scheduled, Shown, broken_run
from labs.bugs import BUGS
from labs.bugs.account import Account, play
from labs.bugs.invariants import INVARIANTS
from labs.bugs.look_up import INVARIANTS as OF_LOOK_UPS
from labs.bugs.look_up import LookUp, Prompts, look_up
from labs.view.catalog.answers_bugs import QUESTIONS
from labs.view.catalog.bugs import INVARIANTS as TEXTS

SEEDS = range(301)
NAMES = [f"p{n}" for n in range(1, 9)]


@cache
def sheet(seed: int) -> dict[str, Problem]:
    return {problem.name: problem for problem in problems_of("bugs", seed)}


def problem_of(name: str, seed: int) -> Problem:
    return sheet(seed)[name]


def lines(inputs: Shown) -> list[str]:
    return [line.strip() for line in inputs.run.strip("\n").split("\n")]


def numbered(inputs: Shown) -> list[tuple[int, str]]:
    """Lines of rounds or rows: their number, and what stands behind it."""
    return [(int(line.partition(": ")[0]), line.partition(": ")[2]) for line in lines(inputs)]


def note(line: str, word: str) -> str:
    found = re.search(rf"\[{word} ([^]]*)\]", line)
    return found[1] if found else ""


def last_token(p: Shown) -> int:
    """All blocks are hit, and B has no token behind them: the last block is one too many."""
    assert isinstance(p, LookedUp)
    assert all(line.endswith(": hit") for line in lines(p))
    assert len(p.b) == len(lines(p)) * p.block_size
    return len(lines(p)) - 1


def first_other_prefix(p: Shown) -> int:
    assert isinstance(p, LookedUp)
    hits = [line.endswith(": hit") for line in lines(p)]
    ends = [(i + 1) * p.block_size for i in range(len(hits))]
    return next(i for i, end in enumerate(ends) if hits[i] and p.a[:end] != p.b[:end])


def first_hit_of_a_load(p: Shown) -> int:
    return next(number for number, line in numbered(p) if note(line, "hit") and note(line, "loading"))


def first_idle_budget(p: Shown) -> int:
    """B comes first in the queue, and what it still has to compute would have fitted."""
    needed = p.as_dict()["b_prompt"] - p.as_dict()["shared"]
    return next(
        number
        for number, line in numbered(p)
        if note(line, "waiting").startswith("B") and int(note(line, "unused")) >= needed
    )


def first_recount(p: Shown) -> int:
    """The counters grow though A and B, who share nothing, were both counted in round 1."""
    counters = [(number, note(line, "queries")) for number, line in numbered(p)]
    return next(number for number, counts in counters if counts != counters[0][1])


def first_too_many_blocks(p: Shown) -> int:
    size, blocks = p.as_dict()["block_size"], p.as_dict()["blocks"]
    for number, line in numbered(p):
        tokens = [int(held.split()[1]) for held in note(line, "tokens").split(", ")]
        if sum([-(-held // size) for held in tokens]) > blocks:
            return number
    raise AssertionError


def first_short_tpot(p: Shown) -> int:
    for number, line in numbered(p):
        outputs, first, last, tpot = re.findall(r"[\d.]+|-$", line)
        if tpot != "-" and abs(float(tpot) * (int(outputs) - 1) - (int(last) - int(first))) > 0.05:
            return number
    raise AssertionError


def first_alone(p: Shown) -> int:
    return next(
        number
        for number, line in numbered(p)
        if note(line, "preempted") == "A" and note(line, "blocks") == "0"
    )


READERS: dict[str, Callable[[Shown], int]] = {
    "p1": last_token,
    "p2": first_other_prefix,
    "p3": first_hit_of_a_load,
    "p4": first_idle_budget,
    "p5": first_recount,
    "p6": first_too_many_blocks,
    "p7": first_short_tpot,
    "p8": first_alone,
}


@pytest.mark.parametrize("name", NAMES)
def test_keys_can_be_read_out_of_the_print(name: str) -> None:
    for seed in SEEDS:
        problem = problem_of(name, seed)
        inputs = problem.inputs
        assert isinstance(inputs, Shown)
        assert sorted(inputs.order) == [0, 1, 2, 3]
        key = (inputs.order.index(0) + 1, READERS[name](inputs))
        assert problem.key(inputs) == key, (seed, inputs.run)
        assert 2 <= len(lines(inputs)) <= 16


@pytest.mark.parametrize("name", NAMES)
def test_only_one_of_the_invariants_is_broken(name: str) -> None:
    """And none by the right rule on the same case, which refuses the oversized request."""
    for seed in SEEDS:
        inputs = problem_of(name, seed).inputs
        assert isinstance(inputs, Shown)
        run, own = broken_run(inputs)[0], BUGS[inputs.bug].invariant
        if isinstance(inputs, LookedUp):
            prompts = Prompts(inputs.a, inputs.b, inputs.block_size)
            assert isinstance(run, LookUp)
            assert [key for key, check in OF_LOOK_UPS.items() if check(prompts, run)] == [own]
            assert not any(check(prompts, look_up(prompts)) for check in OF_LOOK_UPS.values())
        elif isinstance(inputs, Scheduled):
            case = inputs.case()
            assert isinstance(run, Account)
            assert [key for key, check in INVARIANTS.items() if check(case, run)] == [own]
            if own != "fits":
                right = play(case)
                assert not any(check(case, right) for check in INVARIANTS.values())
        else:
            assert isinstance(inputs, Reported)


@pytest.mark.parametrize("name", NAMES)
def test_the_question_lists_the_broken_one_first_and_names_no_bug(name: str) -> None:
    inputs = problem_of(name, 0).inputs
    assert isinstance(inputs, Shown)
    for lang, text in enumerate(QUESTIONS[name]):
        asked, *options = text.split(" | ")
        assert options[0] == TEXTS[BUGS[inputs.bug].invariant][lang]
        assert len(set(options)) == 4
        assert set(options) <= {pair[lang] for pair in TEXTS.values()}
        assert inputs.bug not in asked
        assert "{run}" in asked


def test_every_bug_is_asked_for_once() -> None:
    asked = [problem.inputs for problem in problems_of("bugs", 0)]
    assert [inputs.bug for inputs in asked if isinstance(inputs, Shown)] == list(BUGS)
