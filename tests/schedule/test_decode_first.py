"""The decode-first rule against the course, the golden runs and a slow simulator of our own.

The oracle hands out one token at a time: in each round first one to every request that is decoding when
the round starts, in order, then single prefill tokens, always to the first request in order that lacks
one. MUTANTS breaks one rule each (prefills first, a decode in the round that ends its prefill, the
last prefill counted as a decode step, decodes that cost no budget, prefills whole or not at all,
arrivals a round late, list order over arrival order, prefills in turn). Each is refuted by a row of
CASES, so a lab with that rule is red.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

GOLDEN_FILE = Path(__file__).parent.parent / "golden" / "scheduler_budgets.json"
GOLDEN: dict[str, Any] = json.loads(GOLDEN_FILE.read_text(encoding="utf-8"))
FOREVER = 10**9


class Request(NamedTuple):
    """A request in the oracle's words; `prefill` 0 is decoding already."""

    name: str
    prefill: int
    decode: int
    arrive: int = 1

    def text(self) -> str:
        """The request as `--request` takes it."""
        decode = "inf" if self.decode == FOREVER else str(self.decode)
        arrive = f",arrive={self.arrive}" if self.prefill else ""
        return f"{self.name}:prefill={self.prefill},decode={decode}{arrive}"


Work = tuple[str, str, int]


class Round(NamedTuple):
    """What one round hands out, in order, and what is left of the budget."""

    work: list[Work]
    unused: int
    finished: list[str]


class Table:
    """The tokens that a round hands out, one at a time; remembers in which order they were first given."""

    def __init__(self, lacks: dict[str, dict[str, int]], budget: int, wrong: str) -> None:
        self.lacks, self.left, self.wrong = lacks, budget, wrong
        self.given: dict[tuple[str, str], int] = {}

    def give(self, name: str, phase: str) -> None:
        """One token, if the budget has one left."""
        if self.left > 0:
            self.given[name, phase] = self.given.get((name, phase), 0) + 1
            self.lacks[phase][name] -= 1
            self.left -= not (self.wrong == "decodes-are-free" and phase == "decode")

    def decoding(self, here: list[str]) -> list[str]:
        """Those whose prefill is done and who have a decode step left."""
        lacks = self.lacks
        return [name for name in here if lacks["prefill"][name] == 0 and lacks["decode"][name] > 0]

    def give_prefills(self, here: list[str]) -> None:
        """Single tokens to the first in order that lacks one, while the budget lasts."""
        prefill, turn = self.lacks["prefill"], 0
        while self.left > 0 and (lacking := [name for name in here if prefill[name] > 0]):
            name = lacking[turn % len(lacking)] if self.wrong == "prefills-in-turn" else lacking[0]
            begun = (name, "prefill") in self.given
            if self.wrong == "whole-prefills" and prefill[name] > self.left and not begun:
                break
            self.give(name, "prefill")
            turn += 1


def simulate(requests: list[Request], budget: int, most: int = 60, wrong: str = "") -> list[Round]:
    """The rounds of the decode-first rule, until all are finished or `most` have passed."""
    late, extra = wrong == "arrives-a-round-late", wrong == "last-prefill-is-a-decode"
    lacks = {
        "prefill": {r.name: r.prefill for r in requests},
        "decode": {r.name: r.decode - (extra and r.prefill > 0 and r.decode > 0) for r in requests},
    }
    order = requests if wrong == "list-order" else sorted(requests, key=lambda r: r.arrive)
    pending, rounds = [r.name for r in order], list[Round]()
    while pending and len(rounds) < most:
        number = len(rounds) + 1
        here = [r.name for r in order if r.name in pending and r.arrive + (late and r.prefill > 0) <= number]
        table = Table(lacks, budget, wrong)
        decoding = table.decoding(here)
        if wrong == "prefill-first":
            table.give_prefills(here)
        for name in decoding:
            table.give(name, "decode")
        table.give_prefills(here)
        if wrong == "decodes-at-once":
            for name in table.decoding(here):
                if name not in decoding:
                    table.give(name, "decode")
        finished = [name for name in here if lacks["prefill"][name] == lacks["decode"][name] == 0]
        pending = [name for name in pending if name not in finished]
        work = [(name, phase, tokens) for (name, phase), tokens in table.given.items()]
        rounds.append(Round(work, table.left, finished))
    return rounds


MUTANTS = (
    "prefill-first",
    "decodes-at-once",
    "last-prefill-is-a-decode",
    "decodes-are-free",
    "whole-prefills",
    "arrives-a-round-late",
    "list-order",
    "prefills-in-turn",
)

LECTURE = [Request("A", 0, 3), Request("B", 0, 2), Request("C", 10, 2), Request("D", 2, 1, 2)]

# budget, requests, rounds: from the course, from peer tests, or worked by hand
CASES = [
    pytest.param(
        8,
        LECTURE,
        [
            "A decode 1, B decode 1, C prefill 6",
            "A decode 1, B decode 1, C prefill 4, D prefill 2",
            "A decode 1, C decode 1, D decode 1",
            "C decode 1",
        ],
        id="lecture-budget-8",
    ),
    pytest.param(
        2,
        LECTURE,
        ["A decode 1, B decode 1"] * 2
        + ["A decode 1, C prefill 1"]
        + ["C prefill 2"] * 4
        + ["C prefill 1, D prefill 1", "C decode 1, D prefill 1", "C decode 1, D decode 1"],
        id="lecture-budget-2",
    ),
    pytest.param(1, [Request("A", 0, 1), Request("B", 0, 1)], ["A decode 1", "B decode 1"], id="budget-1"),
    pytest.param(
        3,
        [Request("P", 5, 2), Request("Z", 0, 2)],
        ["Z decode 1, P prefill 2", "Z decode 1, P prefill 2", "P prefill 1", "P decode 1", "P decode 1"],
        id="decode-listed-last-goes-first",
    ),
    pytest.param(
        4,
        [Request("L", 3, 1, 3), Request("E", 6, 0, 1)],
        ["E prefill 4", "E prefill 2", "L prefill 3", "L decode 1"],
        id="earlier-arrival-goes-first",
    ),
    pytest.param(
        4,
        [Request("L", 4, 0, 2), Request("E", 6, 0, 1)],
        ["E prefill 4", "E prefill 2, L prefill 2", "L prefill 2"],
        id="arrival-order-not-list-order",
    ),
    pytest.param(
        4,
        [Request("Z", 5, 0), Request("A", 1, 0), Request("M", 3, 0)],
        ["Z prefill 4", "Z prefill 1, A prefill 1, M prefill 2", "M prefill 1"],
        id="place-in-the-list-not-names-nor-lengths",
    ),
    pytest.param(5, [Request("A", 2, 0, 3)], ["", "", "A prefill 2"], id="empty-rounds-count"),
    pytest.param(50, [Request("A", 80, 1)], ["A prefill 50", "A prefill 30", "A decode 1"], id="pt-20"),
    pytest.param(
        200,
        [Request("A", 200, 2), Request("B", 200, 1)],
        ["A prefill 200", "A decode 1, B prefill 199", "A decode 1, B prefill 1", "B decode 1"],
        id="pt-21",
    ),
    pytest.param(
        1024,
        [Request("A", 800, 0), Request("B", 800, 0), Request("C", 10, 0), Request("D", 10, 0)],
        ["A prefill 800, B prefill 224", "B prefill 576, C prefill 10, D prefill 10"],
        id="pt-18",
    ),
    pytest.param(
        8192,
        [Request(f"r{i}", 10, 0) for i in range(10)],
        [", ".join(f"r{i} prefill 10" for i in range(10))],
        id="pt-16",
    ),
]


def line_of(work: list[Work]) -> str:
    """The work of a round as the result line says it."""
    return ", ".join(f"{name} {phase} {tokens}" for name, phase, tokens in work)


def command(requests: list[Request], budget: int, *more: str) -> list[str]:
    """The schedule command for a workload."""
    words = ["schedule", "--budget", str(budget)]
    for request in requests:
        words += ["--request", request.text()]
    return [*words, *more]


def rounds_of(document: dict[str, Any]) -> list[Round]:
    """The document's rounds as the oracle has them; the numbers count from 1."""
    rounds = document["result"]["rounds"]
    assert [row["round"] for row in rounds] == list(range(1, len(rounds) + 1))
    assert all(not row["preempted"] for row in rounds)
    return [
        Round(
            [(work["request"], work["phase"], work["tokens"]) for work in row["work"]],
            row["unused_budget"],
            sorted(row["finished"]),
        )
        for row in rounds
    ]


def sorted_finish(rounds: list[Round]) -> list[Round]:
    """The same with the finished in order of their names: their order in a round means nothing."""
    return [row._replace(finished=sorted(row.finished)) for row in rounds]


@pytest.mark.parametrize("mutant", MUTANTS)
def test_cases_tell_every_mutant_apart(mutant: str) -> None:
    """The oracle agrees with every row of the table; each broken rule does not."""
    rows: list[Any] = [row.values for row in CASES]
    for budget, requests, expected in rows:
        assert [line_of(row.work) for row in simulate(requests, budget)] == expected
    assert any(
        [line_of(row.work) for row in simulate(requests, budget, wrong=mutant)] != expected
        for budget, requests, expected in rows
    )


@pytest.mark.parametrize(("budget", "requests", "expected"), CASES)
def test_case(
    run_lab: RunLab, run_json: RunJson, budget: int, requests: list[Request], expected: list[str]
) -> None:
    """The table, in the document and in both languages' lines."""
    words = command(requests, budget)
    rounds = rounds_of(run_json(words))
    assert [line_of(row.work) for row in rounds] == expected
    english = run_lab(words).out.splitlines()
    chinese = run_lab([*words, "--lang", "zh"]).out.splitlines()
    for number, work in enumerate(expected, 1):
        if work:
            assert english.count(f"Round {number}: {work}") == 1
            assert chinese.count(f"轮{number}：{work.replace(', ', '，')}") == 1
        assert sum(line.startswith(f"Round {number}: ") for line in english) == 1
        assert sum(line.startswith(f"轮{number}：") for line in chinese) == 1


@pytest.mark.parametrize("budget", ["8", "2"])
def test_the_lecture_is_the_default(run_json: RunJson, budget: str) -> None:
    """Without --request the lecture's four run; --budget alone changes the budget."""
    words = ["schedule"] if budget == "8" else ["schedule", "--budget", budget]
    result = run_json(words)["result"]
    written_out = run_json(command(LECTURE, int(budget)))["result"]
    assert result["rounds"] == written_out["rounds"]
    assert result["starved"] == []


def golden_case(case: dict[str, Any]) -> tuple[int, list[Request], list[dict[str, int]]]:
    """Budget, requests and rounds of a golden run; warmed-up requests are decoding already."""
    warm = case["warm_up_steps"]
    requests = []
    for row in case["requests"]:
        decoding = row["after_step"] < warm
        arrive = 1 if decoding else row["after_step"] - warm + 1
        prefill = 0 if decoding else len(row["prompt"])
        requests.append(Request(row["id"], prefill, row["max_tokens"] - 1, arrive))
    return case["config"]["budget"], requests, case["scheduled"]


@pytest.mark.parametrize("name", GOLDEN)
def test_engine_runs_that_agree_with_the_rule(run_json: RunJson, name: str) -> None:
    """vLLM 0.32.0's own rounds where neither KV nor another limit binds."""
    budget, requests, scheduled = golden_case(GOLDEN[name])
    rounds = rounds_of(run_json(command(requests, budget)))
    assert [{name: tokens for name, _, tokens in row.work} for row in rounds] == scheduled


@st.composite
def workloads(draw: st.DrawFn) -> tuple[list[Request], int]:
    """Any few requests, some decoding already, some later, some without end; any small budget."""
    requests = []
    for index in range(draw(st.integers(1, 5))):
        prefill = draw(st.integers(0, 9))
        decode = draw(st.integers(1 if prefill == 0 else 0, 4) | st.just(FOREVER))
        arrive = draw(st.integers(1, 9)) if prefill else 1
        requests.append(Request(f"r{index}", prefill, decode, arrive))
    return requests, draw(st.integers(1, 8))


@given(workload=workloads(), most=st.integers(1, 40))
@settings(deadline=None, max_examples=150)
def test_equals_the_slow_simulator(run_json: RunJson, workload: tuple[list[Request], int], most: int) -> None:
    """Every round of any workload, and the figures that follow from the rounds."""
    requests, budget = workload
    document = run_json(command(requests, budget, "--rounds", str(most)))
    expected = simulate(requests, budget, most)
    assert rounds_of(document) == sorted_finish(expected)
    got = {row["name"]: row for row in document["result"]["requests"]}
    assert list(got) == [request.name for request in sorted(requests, key=lambda request: request.arrive)]
    starved = []
    for request in requests:
        served = [n for n, row in enumerate(expected, 1) if any(w[0] == request.name for w in row.work)]
        done = any(request.name in row.finished for row in expected)
        end = served[-1] if done else len(expected)
        row = got[request.name]
        assert row["first_round"] == (served[0] if served else None)
        if done:
            assert row["last_round"] == end
        assert row["waited_rounds"] == max(end - request.arrive + 1, 0) - len(served)
        if not done and request.arrive <= most // 2 and not [n for n in served if n > most // 2]:
            starved.append(request.name)
    assert sorted(document["result"]["starved"]) == starved


@given(workload=workloads())
@settings(deadline=None, max_examples=80)
def test_invariants(run_json: RunJson, workload: tuple[list[Request], int]) -> None:
    """Budget kept, tokens conserved, nothing idle while somebody could use it; no simulator needed."""
    requests, budget = workload
    rounds = rounds_of(run_json(command(requests, budget, "--rounds", "40")))
    done_prefill = dict.fromkeys((r.name for r in requests), 0)
    done_decode = dict(done_prefill)
    for number, row in enumerate(rounds, 1):
        assert sum(tokens for _, _, tokens in row.work) + row.unused == budget
        assert row.unused >= 0
        decoding = {r.name for r in requests if done_prefill[r.name] == r.prefill and r.arrive <= number}
        decoding -= {r.name for r in requests if done_decode[r.name] == r.decode}
        phases = [phase for _, phase, _ in row.work]
        assert phases == sorted(phases)  # decode before prefill
        assert len({name for name, _, _ in row.work}) == len(row.work)
        for name, phase, tokens in row.work:
            assert tokens >= 1
            assert (name in decoding) == (phase == "decode")
            assert phase == "prefill" or tokens == 1
            (done_prefill if phase == "prefill" else done_decode)[name] += tokens
        if row.unused:
            assert {name for name, phase, _ in row.work if phase == "decode"} == decoding
            assert all(done_prefill[r.name] == r.prefill for r in requests if r.arrive <= number)
    for request in requests:
        assert done_prefill[request.name] <= request.prefill
        assert done_decode[request.name] <= request.decode
        finished = any(request.name in row.finished for row in rounds)
        complete = (done_prefill[request.name], done_decode[request.name]) == (
            request.prefill,
            request.decode,
        )
        assert finished == complete
        assert finished or len(rounds) == 40
