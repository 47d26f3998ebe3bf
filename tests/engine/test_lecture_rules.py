"""prefill-first and static against rounds worked out by hand; decode-first has a folder of its own.

Turned red by: halves in the other order, decodes counted after the budget has ended, a batch that is joined
while one of it runs, left by whoever decodes from the start, or that decodes before all of it has prefilled.
"""

from __future__ import annotations

import pytest

from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.simulator import expanded, simulate
from tests.engine.golden_cases import golden

LECTURE = [
    Request("A", 0, 3, context=1),
    Request("B", 0, 2, context=1),
    Request("C", 10, 2),
    Request("D", 2, 1, arrive=2),
]
SKIP = pytest.mark.parametrize("skip", [True, False], ids=["skipping", "stepping"])


def lines(rule: str, requests: list[Request], skip: bool, rounds: int = 30, **knobs: int) -> list[str]:
    """The rounds of a run as text, one a line."""
    stepper = RULES[rule].make(Knobs(**knobs), None, False)  # type: ignore[arg-type]
    run = simulate(requests, stepper, rounds, skip)
    return [
        ", ".join(f"{item.request} {item.phase} {item.tokens}" for item in round.work)
        for round in expanded(run.rounds)
    ]


@SKIP
@pytest.mark.parametrize("rule", ["decode-first", "vllm"])
def test_the_lecture_case(rule: str, skip: bool) -> None:
    recorded = golden("scheduler.json")["seed_lab_c"]["vllm_rounds"]
    served = [dict(part.split(" ")[::2] for part in line.split(", ")) for line in lines(rule, LECTURE, skip)]
    assert served == [{name: str(tokens) for name, tokens in round.items()} for round in recorded]


PREFILL_FIRST = [
    pytest.param(
        8,
        LECTURE,
        [
            "C prefill 8",
            "C prefill 2, D prefill 2, A decode 1, B decode 1",
            "A decode 1, B decode 1, C decode 1, D decode 1",
            "A decode 1, C decode 1",
        ],
        id="the-lecture-case",
    ),
    pytest.param(
        2,
        LECTURE,
        [
            *["C prefill 2"] * 5,
            "D prefill 2",
            *["A decode 1, B decode 1"] * 2,
            "A decode 1, C decode 1",
            "C decode 1, D decode 1",
        ],
        id="the-exercise",
    ),
    pytest.param(
        4,
        [Request("A", 3, 1), Request("B", 6, 0)],
        ["A prefill 3, B prefill 1", "B prefill 4", "B prefill 1, A decode 1"],
        id="who-ends-its-prefill-decodes-from-the-next-round",
    ),
    pytest.param(
        2,
        [Request("A", 0, 2), Request("B", 0, 1), Request("C", 0, 1), Request("D", 1, 0)],
        ["D prefill 1, A decode 1", "A decode 1, B decode 1", "C decode 1"],
        id="decodes-in-order-as-far-as-the-budget-goes",
    ),
    pytest.param(1, [Request("A", 2, 1)], ["A prefill 1", "A prefill 1", "A decode 1"], id="budget-of-one"),
    pytest.param(
        5,
        [Request("A", 1, 3), Request("B", 4, 0, arrive=3)],
        ["A prefill 1", "A decode 1", "B prefill 4, A decode 1", "A decode 1"],
        id="a-late-prefill-goes-before-decodes",
    ),
    pytest.param(
        3,
        [Request("A", 0, None), Request("B", 7, 1)],
        [
            "B prefill 3",
            "B prefill 3",
            "B prefill 1, A decode 1",
            "A decode 1, B decode 1",
            *["A decode 1"] * 2,
        ],
        id="a-decode-without-end",
    ),
]


@SKIP
@pytest.mark.parametrize(("budget", "requests", "rounds"), PREFILL_FIRST)
def test_prefill_first(budget: int, requests: list[Request], rounds: list[str], skip: bool) -> None:
    assert lines("prefill-first", requests, skip, len(rounds), budget=budget) == rounds
    if all(request.decode is not None for request in requests):
        assert lines("prefill-first", requests, skip, budget=budget) == rounds


STATIC = [
    pytest.param(
        8,
        256,
        LECTURE,
        [
            *["A decode 1, B decode 1"] * 2,
            "A decode 1",
            "C prefill 8",
            "C prefill 2, D prefill 2",
            "C decode 1, D decode 1",
            "C decode 1",
        ],
        id="the-lecture-case-those-that-decode-are-the-first-batch",
    ),
    pytest.param(
        8,
        1,
        LECTURE,
        [
            *["A decode 1, B decode 1"] * 2,
            "A decode 1",
            "C prefill 8",
            "C prefill 2",
            *["C decode 1"] * 2,
            "D prefill 2",
            "D decode 1",
        ],
        id="batches-of-one",
    ),
    pytest.param(
        10,
        2,
        [Request("A", 2, 0), Request("B", 2, 3), Request("C", 2, 0)],
        ["A prefill 2, B prefill 2", *["B decode 1"] * 3, "C prefill 2"],
        id="nobody-takes-the-place-of-who-has-finished",
    ),
    pytest.param(
        10,
        5,
        [Request("A", 2, 2), Request("B", 2, 0, arrive=2)],
        ["A prefill 2", *["A decode 1"] * 2, "B prefill 2"],
        id="who-comes-later-waits-although-there-is-room",
    ),
    pytest.param(
        4,
        2,
        [Request("A", 2, 1), Request("B", 5, 1), Request("C", 1, 0)],
        ["A prefill 2, B prefill 2", "B prefill 3", "A decode 1, B decode 1", "C prefill 1"],
        id="none-decodes-before-all-of-the-batch-have-prefilled",
    ),
    pytest.param(
        1,
        2,
        [Request("A", 1, 2), Request("B", 1, 1)],
        ["A prefill 1", "B prefill 1", *["A decode 1"] * 2, "B decode 1"],
        id="budget-of-one",
    ),
    pytest.param(
        8,
        2,
        [Request(name, 1, 0) for name in "ABCDE"],
        ["A prefill 1, B prefill 1", "C prefill 1, D prefill 1", "E prefill 1"],
        id="three-batches",
    ),
    pytest.param(
        8,
        2,
        [Request("A", 1, 0, arrive=4), Request("B", 1, 1)],
        ["B prefill 1", "B decode 1", "", "A prefill 1"],
        id="an-empty-round-between-batches",
    ),
]


@SKIP
@pytest.mark.parametrize(("budget", "max_num_seqs", "requests", "rounds"), STATIC)
def test_static(
    budget: int, max_num_seqs: int, requests: list[Request], rounds: list[str], skip: bool
) -> None:
    assert lines("static", requests, skip, budget=budget, max_num_seqs=max_num_seqs) == rounds


@SKIP
@pytest.mark.parametrize("rule", ["decode-first", "prefill-first", "static"])
def test_an_abort_frees_the_place(rule: str, skip: bool) -> None:
    """A withdraws after round 2; what it would have got goes to B, which under `static` waits for it."""
    requests = [Request("A", 2, 9, abort=2), Request("B", 3, 1)]
    rounds = lines(rule, requests, skip, budget=2, max_num_seqs=1)
    assert rounds[0] == "A prefill 2"
    second = {
        "decode-first": "A decode 1, B prefill 1",
        "prefill-first": "B prefill 2",
        "static": "A decode 1",
    }
    assert rounds[1] == second[rule]
    assert not any("A" in line for line in rounds[2:])
    assert rounds[-1] == "B decode 1"
