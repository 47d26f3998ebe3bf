"""The vllm rule against recorded runs of vLLM's scheduler, step by step, with and without skipping.

Turned red by: see `test_sabotage.py`.
"""

from __future__ import annotations

import pytest

from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.run.engines import vllm
from labs.engine.simulator import DECODE, PREFILL, expanded, simulate
from tests.engine.golden_cases import (
    Case,
    by_name,
    decoding_already,
    fuzz_cases,
    golden,
    rounds_of,
    scheduler_cases,
    vllm_of,
)
from tests.engine.vllm_check import difference, difference_inside, fuzz_difference, fuzz_difference_inside

HAND_MADE, RANDOM = scheduler_cases(), fuzz_cases()
WARMED_UP = {name: case for name, case in HAND_MADE.items() if case["warm_up_steps"]}
SKIP = pytest.mark.parametrize("skip", [True, False], ids=["skipping", "stepping"])


def test_the_cases_are_there() -> None:
    assert len(HAND_MADE) == 28
    assert "async_effect" not in golden("scheduler.json")
    assert len(RANDOM) == 80
    assert {name.split("-")[0] for name in RANDOM} == {"any", "tight", "twins"}
    assert len(WARMED_UP) == 4


@SKIP
@pytest.mark.parametrize("case", by_name(HAND_MADE))
def test_hand_made_runs(case: Case, skip: bool) -> None:
    assert difference(case, skip=skip) is None


@pytest.mark.parametrize("case", by_name(HAND_MADE))
def test_hand_made_runs_from_inside(case: Case) -> None:
    """Who runs, who is new, what was hit, who sampled, why a request ended."""
    assert difference_inside(case) is None


@SKIP
@pytest.mark.parametrize("case", by_name(WARMED_UP))
def test_a_warm_up_can_be_left_out(case: Case, skip: bool) -> None:
    """Requests that decode from the start are where the warm-up step would have brought them."""
    assert difference(decoding_already(case), skip=skip) is None


@SKIP
@pytest.mark.parametrize("case", by_name(RANDOM))
def test_random_runs(case: Case, skip: bool) -> None:
    assert fuzz_difference(case, skip=skip) is None


@pytest.mark.parametrize("case", by_name(RANDOM))
def test_random_runs_from_inside(case: Case) -> None:
    """What was sampled, how often who was preempted, and who got nothing although running."""
    assert fuzz_difference_inside(case) is None


@pytest.mark.parametrize("part", ["no_cache", "cache"])
def test_what_a_resumed_request_computes(part: str) -> None:
    case = scheduler_cases()[f"resume_after_preempt-{part}"]
    rounds = rounds_of(case, vllm_of, skip=True, most=len(case["steps"]))
    rows = [
        {"step": round.round, "req": item.request, "computed_at_resume": computed, "scheduled": item.tokens}
        for round in rounds
        if round.columns is not None
        for item, computed in zip(round.work, round.columns.computed_before, strict=True)
        if item.request in round.resumed
    ]
    assert rows == case["resume_rows"]


def test_the_lecture_case() -> None:
    lecture = golden("scheduler.json")["seed_lab_c"]
    case = scheduler_cases()["seed_lab_c-budget_8"]
    rounds = rounds_of(case, vllm_of, skip=True, most=4)
    assert [[item.request for item in round.work] for round in rounds] == lecture["order_within_round"]
    served = [{item.request: item.tokens for item in round.work} for round in rounds]
    assert served == lecture["vllm_rounds"] == lecture["seed_rounds"] == case["rounds"]


def lines(budget: int, requests: list[Request], **knobs: object) -> list[str]:
    """The rounds of a run under the vllm rule as text, one a line."""
    stepper = RULES["vllm"].make(Knobs(budget=budget, **knobs), None, False)  # type: ignore[arg-type]
    run = simulate(requests, stepper, 50)
    return [
        ", ".join(f"{item.request} {item.phase} {item.tokens}" for item in round.work)
        for round in expanded(run.rounds)
    ]


@pytest.mark.parametrize(
    ("budget", "requests", "knobs", "rounds"),
    [
        pytest.param(
            8192,
            [Request(f"r{i}", 10, 0) for i in range(10)],
            {"max_num_seqs": 16},
            [", ".join(f"r{i} prefill 10" for i in range(10))],
            id="pt-16",
        ),
        pytest.param(
            1024,
            [Request("A", 800, 0), Request("B", 800, 0), Request("C", 10, 0), Request("D", 10, 0)],
            {"max_num_seqs": 3},
            ["A prefill 800, B prefill 224", "B prefill 576, C prefill 10, D prefill 10"],
            id="pt-18-in-its-first-round",
        ),
        pytest.param(
            50, [Request("A", 80, 1)], {}, ["A prefill 50", "A prefill 30", "A decode 1"], id="pt-20"
        ),
        pytest.param(
            200,
            [Request("A", 200, 2), Request("B", 200, 1)],
            {},
            ["A prefill 200", "A decode 1, B prefill 199", "A decode 1, B prefill 1", "B decode 1"],
            id="pt-21",
        ),
        pytest.param(3, [Request("A", 7, 0)], {}, ["A prefill 3", "A prefill 3", "A prefill 1"], id="pt-60"),
        pytest.param(
            1,
            [Request("A", 2, 1), Request("B", 1, 0)],
            {},
            ["A prefill 1", "A prefill 1", "A decode 1", "B prefill 1"],
            id="budget-of-one",
        ),
        pytest.param(
            4,
            [Request("A", 1, 0, arrive=3), Request("B", 1, 1)],
            {},
            ["B prefill 1", "B decode 1", "A prefill 1"],
            id="order-of-arrival-not-of-the-list",
        ),
        pytest.param(
            8,
            [Request("A", 0, 2, context=5), Request("B", 3, 0)],
            {"max_num_seqs": 1},
            ["A decode 1", "A decode 1", "B prefill 3"],
            id="who-decodes-already-counts-as-running",
        ),
        pytest.param(
            8,
            [Request("A", 0, 1), Request("B", 0, 1)],
            {"max_num_seqs": 1},
            ["A decode 1, B decode 1"],
            id="who-decodes-already-is-not-admitted",
        ),
        pytest.param(
            8,
            [Request("A", 6, 8), Request("B", 2, 2)],
            {"chunked_prefill": False, "max_model_len": 8},
            ["A prefill 6, B prefill 2", "A decode 1, B decode 1", "B decode 1"],
            id="max-model-len-ends-A-after-two-outputs",
        ),
    ],
)
def test_rounds_by_hand(
    budget: int, requests: list[Request], knobs: dict[str, object], rounds: list[str]
) -> None:
    assert lines(budget, requests, **knobs) == rounds


# The n-th output of a request named R is 1000 + 17 n + the sum of the code points of R.
SECOND_OF_A = 1000 + 17 * 2 + ord("A")


@pytest.mark.parametrize(
    ("stop_token_ids", "outputs", "status"),
    [
        pytest.param((SECOND_OF_A, 5), 2, "FINISHED_STOPPED", id="pt-24"),
        pytest.param((SECOND_OF_A + 17, SECOND_OF_A), 2, "FINISHED_STOPPED", id="the-first-of-two-counts"),
        pytest.param((1000 + 17 + ord("A"),), 1, "FINISHED_STOPPED", id="at-the-first-output"),
        pytest.param((1000 + 17 * 10 + ord("A"),), 10, "FINISHED_STOPPED", id="at-the-last-output"),
        pytest.param((1000 + 17 * 11 + ord("A"),), 10, "FINISHED_LENGTH_CAPPED", id="one-too-late"),
        pytest.param((42, 43), 10, "FINISHED_LENGTH_CAPPED", id="never-sampled"),
    ],
)
def test_stop_tokens(stop_token_ids: tuple[int, ...], outputs: int, status: str) -> None:
    """The stop token stays, what would follow is not made."""
    stepper = vllm(Knobs())
    run = simulate([Request("A", 3, 9, stop_token_ids=stop_token_ids)], stepper, 50)
    (live,) = stepper.everybody
    assert (live.num_tokens - live.num_prompt_tokens, live.status) == (outputs, status)
    assert run.num_rounds == outputs  # the prefill makes the first


@pytest.mark.parametrize(
    ("abort", "rounds", "served"),
    [
        pytest.param({"A": 1}, 4, {"A": (1, 1), "B": (2, 4)}, id="while-it-runs"),
        pytest.param({"A": 3}, 6, {"A": (1, 3), "B": (4, 6)}, id="amid-its-decodes"),
        pytest.param({"B": 1}, 6, {"A": (1, 6), "B": (None, None)}, id="while-it-waits"),
        pytest.param({"A": 1, "B": 1}, 1, {"A": (1, 1), "B": (None, None)}, id="everybody"),
        pytest.param({"A": 6}, 9, {"A": (1, 6), "B": (7, 9)}, id="after-its-last-round"),
        pytest.param({"A": 8}, 9, {"A": (1, 6), "B": (7, 9)}, id="long-after-its-last-round"),
        pytest.param({"A": 40}, 9, {"A": (1, 6), "B": (7, 9)}, id="after-all-rounds"),
    ],
)
@SKIP
def test_aborts(
    abort: dict[str, int], rounds: int, served: dict[str, tuple[int | None, int | None]], skip: bool
) -> None:
    """A takes six rounds and B three; only one may run. Who has finished can no longer withdraw."""
    requests = [
        Request("A", 8, 5, abort=abort.get("A")),
        Request("B", 8, 2, abort=abort.get("B")),
    ]
    stepper = vllm(Knobs(budget=16, kv_blocks=4, block_size=4, max_num_seqs=1, prefix_caching=False))
    run = simulate(requests, stepper, 30, skip)
    assert run.num_rounds == rounds
    assert {o.name: (o.first_round, o.last_round) for o in run.outcomes} == served
    assert all(outcome.ended for outcome in run.outcomes)
    assert stepper.scheduler.pool.num_used == 0
    aborted = {name: round.round for round in expanded(run.rounds) for name in round.aborted}
    assert aborted == {name: number for name, number in abort.items() if name != "A" or number < 6}


def test_a_resumed_request_prefills_what_it_had() -> None:
    """Its outputs are known and their KV is lost: a pass over more than the last token is no decode."""
    case = scheduler_cases()["resume_after_preempt-cache"]
    rounds = rounds_of(case, vllm_of, skip=False, most=len(case["steps"]))
    phases = [[item.phase for item in round.work if item.request == "B"] for round in rounds]
    resumed = next(place for place, round in enumerate(rounds) if "B" in round.resumed)
    assert phases[0] == phases[resumed] == [PREFILL]
    assert {phase for phase, *_ in filter(None, phases[1:resumed] + phases[resumed + 1 :])} == {DECODE}
