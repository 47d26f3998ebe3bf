"""Each broken variant on its own case: the step and the values worked by hand, and only its own rule broken.

Turned red by: a variant that does not break, or breaks later or more; an invariant that looks elsewhere.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from labs.base import LabError
from labs.bugs import BUGS, bugs_of, module_of
from labs.bugs.account import Account, Case, play
from labs.bugs.invariants import OF_RUNS
from labs.bugs.look_up import OF_LOOK_UPS, look_up
from labs.engine.knobs import Knobs
from labs.engine.requests import Request

# bug: (step, values), by hand from the case that stands in its module
BY_HAND: dict[str, tuple[int, dict[str, Any]]] = {
    # blocks of 2, A = B = 4 tokens: both blocks are cached; the last token stands in block 1
    "full-hit": (1, {"total": 4, "hit": 4, "left": 0}),
    # 5,6 is A's block 2, behind 1,2,3,4; in B it stands behind 1,2. B's 3,4 is found too: 3 blocks, 6 tokens
    "unchained": (1, {"tokens": [5, 6], "found": 2, "hit": 6, "a_before": [1, 2, 3, 4], "b_before": [1, 2]}),
    # round 1: A takes blocks 1 and 2 for 8 loaded tokens; round 2: B finds both; the report comes after 3
    "in-flight-hit": (
        2,
        {"how": "reported", "name": "B", "blocks": [1, 2], "owner": "A", "hit": 8, "reported": 3},
    ),
    # round 2: A decodes, 11 of 12 tokens are left; B is 12 long, so it waits, though it needs 12 - 8 = 4
    "budget-before-hit": (2, {"name": "B", "unused": 11, "tokens": 12, "budget": 12}),
    # blocks of 2, 7 of them. Round 1: A 3, B 3. Round 2: A 4, B 3 (6 tokens). Round 3: B needs a 4th, there
    # is none, and it is the last: preempted with 7 known tokens. A takes two of its blocks until it ends
    # after round 6, B's tail first; so in round 7 B finds one block, 2 tokens. Queries 6 + 5, not 6 + 5 + 7
    "preempted-as-hits": (
        7,
        {
            "name": "B",
            "known": 7,
            "hit": 2,
            "queries": 11,
            "hits": 0,
            "counted_queries": 18,
            "counted_hits": 2,
        },
    ),
    # round 2: 6 + 6 + 5 = 17 tokens look like 5 blocks of 4, but are 2 + 2 + 2
    "pooled-rounding": (
        2,
        {
            "names": ["A", "B", "C"],
            "tokens": [6, 6, 5],
            "held": [2, 2, 2],
            "total": 17,
            "pooled": 5,
            "size": 4,
            "used": 6,
            "blocks": 5,
        },
    ),
    # A has one output; B has 6, one in each of rounds 1 to 6
    "tpot-by-n": (
        2,
        {
            "request": "B",
            "outputs": 6,
            "first": 1,
            "last": 6,
            "rounds": Fraction(5, 6),
            "gaps": 5,
            "span": 5,
        },
    ),
    # budget 8: A 8, then 2; rounds 3 to 8 decode up to 16 tokens, all that 4 blocks of 4 hold; then the 17th
    "oversized": (
        9,
        {"how": "preempted", "name": "A", "tokens": 17, "needed": 5, "blocks": 4, "size": 4},
    ),
}


def test_every_bug_is_worked_by_hand() -> None:
    assert list(BY_HAND) == list(BUGS)
    assert (*bugs_of("prefix"), *bugs_of("schedule")) == tuple(BUGS)


@pytest.mark.parametrize("bug", bugs_of("schedule"))
def test_a_scheduler_breaks_just_its_own(bug: str) -> None:
    case = module_of(bug).CASE
    account = play(case, module_of(bug).VARIANT)
    broken = {name: invariant(case, account) for name, invariant in OF_RUNS.items()}
    assert [name for name, first in broken.items() if first] == [BUGS[bug].invariant]
    first = broken[BUGS[bug].invariant]
    assert first is not None
    assert (first.step, dict(first.values)) == BY_HAND[bug]


@pytest.mark.parametrize("bug", bugs_of("prefix"))
def test_a_look_up_breaks_just_its_own(bug: str) -> None:
    case = module_of(bug).CASE
    looked = look_up(case, module_of(bug).VARIANT)
    broken = {name: invariant(case, looked) for name, invariant in OF_LOOK_UPS.items()}
    assert [name for name, first in broken.items() if first] == [BUGS[bug].invariant]
    first = broken[BUGS[bug].invariant]
    assert first is not None
    assert (first.step, dict(first.values)) == BY_HAND[bug]
    assert not any(invariant(case, look_up(case)) for invariant in OF_LOOK_UPS.values())


@pytest.mark.parametrize("bug", [bug for bug in bugs_of("schedule") if bug != "oversized"])
def test_the_right_rule_keeps_all_of_them(bug: str) -> None:
    case = module_of(bug).CASE
    assert [name for name, invariant in OF_RUNS.items() if invariant(case, play(case))] == []


def test_what_can_never_fit_is_refused() -> None:
    """A's 18 tokens are 5 blocks of 4."""
    with pytest.raises(LabError) as caught:
        play(module_of("oversized").CASE)
    assert (caught.value.rule, caught.value.values["needed"], caught.value.got) == ("larger_than_pool", 5, 4)


def work(account: Account) -> list[str]:
    return [" ".join([f"{item.request}{item.tokens}" for item in round.work]) for round in account.run.rounds]


# bug: rounds of the right rule, rounds of the broken one
ROUNDS = {
    "in-flight-hit": (["", "B10", "B1", "B1 A2", "A1", "A1"], ["", "B2", "B1", "B1 A2", "A1", "A1"]),
    "budget-before-hit": (
        ["A12", "A1 B4 C6", "A1 B1 C1", "A1"],
        ["A12", "A1", "A1", "A1", "B4 C6", "B1 C1"],
    ),
    "preempted-as-hits": (["A6 B5", "A1 B1", "A1", "A1", "A1", "A1", "B5", "B1", "B1"],) * 2,
    "pooled-rounding": (
        ["A5 B5", "A1 B1", "A1 B1", "A1 B1", "C5", "C1", "C1"],
        ["A5 B5", "A1 B1 C5", "A1 B1 C1", "A1 B1", "C7"],
    ),
}


@pytest.mark.parametrize("bug", ROUNDS)
def test_rounds(bug: str) -> None:
    case = module_of(bug).CASE
    assert (work(play(case)), work(play(case, module_of(bug).VARIANT))) == ROUNDS[bug]


def test_a_whole_prompt_must_fit_in_the_broken_sum_too() -> None:
    """3 blocks of 4; in round 2 A has 5 tokens, and B's 8 would make 13: 4 blocks. A part of B would fit."""
    requests = (Request("A", 4, 4), Request("B", 8, 1, arrive=2))
    knobs = Knobs(budget=4, block_size=4, kv_blocks=3, prefix_caching=False)
    variant = module_of("pooled-rounding").VARIANT
    for must_fit, served in ((True, "A1"), (False, "A1 B3")):
        case = Case(requests, knobs.replace(full_prompt_must_fit=must_fit))
        assert work(play(case, variant))[:2] == ["A4", served]


def test_who_is_admitted_leaves_less_of_the_budget() -> None:
    """Round 2, 20 tokens: A decodes, B takes 4 of 19; C's 16, of which 8 are hit, do not go into 15."""
    shared = (1, 2, 3, 4, 5, 6, 7, 8)
    requests = [
        Request(name, n, 2, arrive, prompt=(*shared, *range(100 * ord(name), 100 * ord(name) + n - 8)))
        for name, n, arrive in (("A", 12, 1), ("B", 12, 2), ("C", 16, 2))
    ]
    variant = module_of("budget-before-hit").VARIANT
    for budget, served in ((20, "A1 B4"), (21, "A1 B4 C8")):
        case = Case(tuple(requests), Knobs(budget=budget, block_size=4))
        assert work(play(case, variant))[1] == served


def test_figures() -> None:
    """TPOT of the right rule and by n; the counters of the right rule."""
    case = module_of("tpot-by-n").CASE
    right, broken = play(case).tpots, play(case, module_of("tpot-by-n").VARIANT).tpots
    assert [tpot.rounds for tpot in right] == [None, 1, 2]
    assert [tpot.rounds for tpot in broken] == [None, Fraction(5, 6), Fraction(8, 5)]
    counts = play(module_of("preempted-as-hits").CASE).counts
    assert [(count.round, count.queries, count.hits) for count in counts] == [
        (1, 6, 0),
        (1, 11, 0),
        (7, 11, 0),
    ]
    shared = play(module_of("budget-before-hit").CASE).counts  # B finds 8 of A's tokens
    assert [(count.queries, count.hits) for count in shared] == [(12, 0), (24, 8), (30, 8)]
