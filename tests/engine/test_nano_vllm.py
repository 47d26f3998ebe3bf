"""The nano-vllm rule against recorded runs of nano-vllm's scheduler, with and without skipping.

Turned red by: see `test_sabotage.py`.
"""

from __future__ import annotations

import pytest

from labs.engine.knobs import Knobs
from labs.engine.kv.nano_pool import NanoPool
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.run.engines import nano_vllm
from labs.engine.simulator import expanded, simulate
from tests.engine.golden_cases import Case, by_name, decoding_already, golden, nano_cases
from tests.engine.nano_check import difference, difference_inside

CASES = nano_cases()
WARMED_UP = {name: case for name, case in CASES.items() if case["warm_up_steps"]}
SKIP = pytest.mark.parametrize("skip", [True, False], ids=["skipping", "stepping"])


@SKIP
@pytest.mark.parametrize("case", by_name(CASES))
def test_recorded_runs(case: Case, skip: bool) -> None:
    assert difference(case, skip=skip) is None


@pytest.mark.parametrize("case", by_name(CASES))
def test_recorded_runs_from_inside(case: Case) -> None:
    assert difference_inside(case) is None


@SKIP
@pytest.mark.parametrize("case", by_name(WARMED_UP))
def test_a_warm_up_can_be_left_out(case: Case, skip: bool) -> None:
    """Requests that decode from the start are where the warm-up step would have brought them."""
    assert difference(decoding_already(case), skip=skip) is None


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{row['prompt']}-of-{row['block']}")
        for row in golden("nano_vllm.json")["full_hit"]
    ],
)
def test_a_prompt_that_is_cached_whole(row: Case) -> None:
    """Two requests with one prompt, one after the other: the last block is always computed again."""
    prompt = tuple(range(row["prompt"]))
    requests = [
        Request("first", len(prompt), 0, prompt=prompt),
        Request("second", len(prompt), 0, 2, prompt=prompt),
    ]
    stepper = nano_vllm(Knobs(budget=999, kv_blocks=16, block_size=row["block"]))
    _, second = simulate(requests, stepper, 9).rounds
    assert second.columns is not None
    assert second.columns.computed_before == (row["hit_tokens"],)
    assert second.work[0].tokens == row["prompt"] - row["hit_tokens"]


def lines(requests: list[Request], **knobs: int) -> list[str]:
    """The rounds of a run under the nano-vllm rule as text, one a line."""
    stepper = RULES["nano-vllm"].make(Knobs(**knobs), None, False)  # type: ignore[arg-type]
    return [
        ", ".join(f"{item.request} {item.phase} {item.tokens}" for item in round.work)
        for round in expanded(simulate(requests, stepper, 30).rounds)
    ]


A, B, C = Request("A", 10, 1), Request("B", 4, 1), Request("C", 2, 0)


@pytest.mark.parametrize(
    ("requests", "knobs", "rounds"),
    [
        pytest.param(
            [A, B],
            {"budget": 6, "block_size": 4},
            ["A prefill 6", "A prefill 4", "B prefill 4", "A decode 1, B decode 1"],
            id="pt-40-only-the-first-is-cut-and-ends-the-batch",
        ),
        pytest.param(
            [B, A, C],
            {"budget": 6, "block_size": 4},
            ["B prefill 4", "A prefill 6", "A prefill 4, C prefill 2", "B decode 1, A decode 1"],
            id="the-second-is-not-cut-and-holds-up-the-third",
        ),
        pytest.param(
            [A, B, C],
            {"budget": 99, "max_num_seqs": 2},
            ["A prefill 10, B prefill 4", "C prefill 2", "A decode 1, B decode 1"],
            id="max-num-seqs-counts-those-of-a-step",
        ),
        pytest.param(
            [Request("A", 2, 3), Request("B", 2, 1, arrive=3)],
            {"budget": 8},
            ["A prefill 2", "A decode 1", "B prefill 2", "A decode 1, B decode 1", "A decode 1"],
            id="a-prefill-stops-the-decoding",
        ),
        pytest.param(
            [Request("A", 0, 2), Request("B", 0, 2), Request("C", 0, 1)],
            {"budget": 1, "max_num_seqs": 2},
            ["A decode 1, B decode 1", "A decode 1, B decode 1", "C decode 1"],
            id="a-decode-step-ends-at-max-num-seqs-not-at-the-budget",
        ),
        pytest.param(
            [Request("A", 8, 0), Request("B", 8, 0), Request("C", 2, 0)],
            {"budget": 99, "kv_blocks": 3, "block_size": 4},
            ["A prefill 8", "B prefill 8, C prefill 2"],
            id="all-blocks-of-a-prompt-at-once-and-head-of-line",
        ),
    ],
)
def test_rounds_by_hand(requests: list[Request], knobs: dict[str, int], rounds: list[str]) -> None:
    assert lines(requests, **knobs) == rounds


def test_pt_40_who_was_cut_stays_in_the_waiting_list() -> None:
    stepper = nano_vllm(Knobs(budget=6, block_size=4))
    first = simulate([A, B], stepper, 1).rounds[0]
    assert first.columns is not None
    assert len(first.columns.waiting_after_schedule) == 2


@pytest.mark.parametrize("rounds", [1, 5])
def test_pt_43_what_does_not_fit_leaves_nothing_behind(rounds: int) -> None:
    stepper = nano_vllm(Knobs(budget=99, kv_blocks=3, block_size=4))
    run = simulate([Request("A", 16, 0)], stepper, rounds)
    assert run.rounds[-1].work == ()
    assert stepper.everybody[0].block_table == []
    assert stepper.scheduler.pool.free_queue() == [0, 1, 2]


def test_pt_46_an_equal_hash_is_not_enough() -> None:
    """Three blocks of A; the stored tokens of the first are not those of B."""
    pool = NanoPool(8)
    keys, contents = ["k0", "k1", "k2"], [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)]
    pool.cache(pool.take(3), keys, contents)
    assert pool.hit(keys, contents) == [0, 1, 2]
    pool.content_of[0] = (9, 9, 9, 9)
    assert pool.hit(keys, contents) == []


def test_pt_47_the_tail_loses_its_kv_and_keeps_its_tokens() -> None:
    stepper = nano_vllm(Knobs(budget=99, kv_blocks=2, block_size=4))
    run = simulate([Request("r0", 4, 9), Request("r1", 4, 9)], stepper, 2)
    first, second = run.rounds
    assert [(item.request, item.phase, item.tokens) for item in first.work] == [
        ("r0", "prefill", 4),
        ("r1", "prefill", 4),
    ]
    assert [(item.request, item.phase, item.tokens) for item in second.work] == [("r0", "decode", 1)]
    assert second.preempted == ("r1",)
    victim = stepper.everybody[1]
    assert (victim.num_computed_tokens, victim.num_tokens) == (0, 5)


def test_blocks_of_one_step_are_not_shared_and_later_ones_are() -> None:
    """Hashes are entered after the step; of two copies the last one entered is found."""
    case = CASES["same_step"]
    tables = [row["tables"] for row in case["rows"]]
    assert not set(tables[0]["one"]) & set(tables[0]["two"])
    assert tables[1]["three"][:3] == tables[0]["two"][:3]  # as recorded; that ours agree is tested above


@SKIP
def test_an_abort_gives_all_blocks_back(skip: bool) -> None:
    """One that runs and one that waits with its blocks, its prefill cut."""
    requests = [Request("A", 4, 9, abort=3), Request("B", 9, 0, 2, abort=2)]
    stepper = nano_vllm(Knobs(budget=6, kv_blocks=8, block_size=4))
    run = simulate(requests, stepper, 30, skip)
    assert [round.aborted for round in expanded(run.rounds)] == [(), ("B",), ("A",)]
    assert stepper.scheduler.pool.num_used == 0
