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
from answers.sheets.bugs import begun
from answers.sheets.bugs_cases import (
    FullHit,
    InFlight,
    LookedUp,
    Recounted,
    Reported,
    Scheduled,
    Shown,
    Unchained,
    broken_run,
)
from answers.sheets.bugs_draws import shown
from answers.show import solution
from labs.base import LabError
from labs.bugs import BUGS, module_of
from labs.bugs.account import Account, play
from labs.bugs.invariants import OF_RUNS
from labs.bugs.look_up import OF_LOOK_UPS, LookUp, Prompts, look_up
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
            assert [key for key, check in OF_RUNS.items() if check(case, run)] == [own]
            if own != "fits":
                right = play(case)
                assert not any(check(case, right) for check in OF_RUNS.values())
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


def deeds(run: LookUp | Account) -> object:
    """What a learner sees happen: A's block for each of B's; who is served, waits and goes in each round."""
    if isinstance(run, LookUp):
        return [(block.found, block.hit) for block in run.blocks]
    return [(round.work, round.admitted, round.preempted, list(round.waiting)) for round in run.run.rounds]


@pytest.mark.parametrize("name", NAMES)
def test_no_question_is_answered_by_the_lab(name: str) -> None:
    """`--bug NAME` shows the bug's own case, its first step included: no question has that run."""
    bug = list(BUGS)[NAMES.index(name)]
    own, variant = module_of(bug).CASE, module_of(bug).VARIANT
    of_lab = look_up(own, variant) if isinstance(own, Prompts) else play(own, variant)
    for seed in SEEDS:
        inputs = problem_of(name, seed).inputs
        assert isinstance(inputs, Shown)
        if isinstance(inputs, Reported):
            assert isinstance(of_lab, Account)
            assert list(inputs.rows) != [(tpot.outputs, tpot.first, tpot.last) for tpot in of_lab.tpots]
        else:
            assert deeds(broken_run(inputs)[0]) != deeds(of_lab), seed


@pytest.mark.parametrize("bug", BUGS)
def test_the_labs_own_run_is_not_drawn(bug: str) -> None:
    """With other tokens, or more budget than is wanted, it is the same run."""
    own = {
        "full-hit": FullHit((0, 1, 2, 3), "", (7, 8, 9, 6), (7, 8, 9, 6)),
        "unchained": Unchained((0, 1, 2, 3), "", (7, 8, 5, 4, 1, 2), (7, 8, 1, 2, 5, 4, 3)),
        "preempted-as-hits": Recounted((0, 1, 2, 3), "", 7, 6, 5, 5, 4),
        "tpot-by-n": Reported((0, 1, 2, 3), "", ((1, 1, 1), (6, 1, 6), (5, 1, 9))),
    }
    if bug in own:
        with pytest.raises(LabError) as caught:
            shown(own[bug])
        assert (caught.value.rule, caught.value.got) == ("not_asked", "the lab's own")


@pytest.mark.parametrize("name", NAMES)
def test_wrong_steps_are_all_the_others(name: str) -> None:
    """Those before the first and those after it, each a step that is printed."""
    for seed in range(40):
        problem = problem_of(name, seed)
        inputs = problem.inputs
        assert isinstance(inputs, Shown)
        first = 0 if isinstance(inputs, LookedUp) else 1
        printed = range(first, first + len(lines(inputs)))
        wrong = [
            int(answer[1])
            for mistake in problem.mistakes
            if mistake.name in ("too_early", "too_late")
            for answer in mistake.answers(inputs)
        ]
        step = int(problem.key(inputs)[1])
        late = name != "p1"  # there the last block is the one
        assert sorted(wrong) == [other for other in printed if other < step or (late and other > step)]


def test_where_b_is_admitted_is_read_of_b() -> None:
    """In p4 C, who stands behind it, always comes along; so it is asked of a run without a C."""
    assert list(begun(InFlight())) == [2]
    for seed in range(40):
        problem = problem_of("p4", seed)
        inputs = problem.inputs
        assert isinstance(inputs, Shown)
        step = next(number for number, line in numbered(inputs) if "B prefill" in line)
        mistake = next(mistake for mistake in problem.mistakes if mistake.name == "admitted")
        assert [answer[1] for answer in mistake.answers(inputs)] == [step]


@pytest.mark.parametrize("seed", range(20))
def test_the_solution_of_p4_has_the_figures_of_the_print(seed: int) -> None:
    problem = problem_of("p4", seed)
    inputs = problem.inputs
    assert isinstance(inputs, Shown)
    hit = next(int(note(line, "hit B")) for _, line in numbered(inputs) if note(line, "hit B"))
    step = first_idle_budget(inputs)
    unused = next(note(line, "unused") for number, line in numbered(inputs) if number == step)
    told = f"{inputs.as_dict()['b_prompt']} - {hit} tokens for B, and {unused} are left over in round {step}"
    assert told in solution(problem, "en")


@pytest.mark.parametrize("seed", range(20))
def test_the_solution_of_p7_has_the_right_tpot_first(seed: int) -> None:
    """(last - first) / gaps is what it should be; what the row says is wrong."""
    problem = problem_of("p7", seed)
    inputs = problem.inputs
    assert isinstance(inputs, Shown)
    step = first_short_tpot(inputs)
    row = next(line for number, line in numbered(inputs) if number == step)
    outputs, first, last, tpot = re.findall(r"[\d.]+", row)
    text = "\n".join(solution(problem, "en"))
    found = re.search(r"= ([\d.]+), and not ([\d.]+)", text)
    assert found
    right = (int(last) - int(first)) / (int(outputs) - 1)
    assert f"row {step}: ({last} - {first}) / {int(outputs) - 1} = " in text
    assert abs(float(found[1]) - right) <= 0.005
    assert found[2] == tpot


def test_every_bug_is_asked_for_once() -> None:
    asked = [problem.inputs for problem in problems_of("bugs", 0)]
    assert [inputs.bug for inputs in asked if isinstance(inputs, Shown)] == list(BUGS)
