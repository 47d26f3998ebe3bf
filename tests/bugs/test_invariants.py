"""Invariants hold of every right run, whatever keeps requests waiting; and see what a made-up run does wrong.

Turned red by: an invariant that forgets a reason to wait, a load, a resumption, or a request without end.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.bugs.account import Account, Case, Tpot, Variant, followed, play
from labs.bugs.in_flight_hit import VARIANT as IN_FLIGHT
from labs.bugs.invariants import OF_RUNS, round_of_report
from labs.bugs.preempted_as_hits import VARIANT as EVERY_ADMISSION
from labs.engine.external.script import ExternalScript, Report
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.simulator import Run

SAME = (1, 2, 3, 4, 5, 6, 7, 8)
TWO = (Request("A", 8, 4), Request("B", 8, 4))
POOL = Knobs(budget=64, block_size=4, kv_blocks=5)
LOADED = (
    Request("A", 9, 1, prompt=(*SAME, 9)),
    Request("B", 9, 1, arrive=2, prompt=(*SAME, 10)),
    Request("C", 9, 1, arrive=4, prompt=(*SAME, 11)),
)
LOAD = ExternalScript({"A": ((8, True),)}, {3: Report(finished_recving=("A",))})
RIGHT_RUNS = {
    "waits-for-budget": Case((Request("A", 20, 2), Request("B", 6, 2)), Knobs(budget=4)),
    "waits-for-blocks": Case(TWO, POOL.replace(kv_blocks=3)),
    "waits-for-a-place": Case(TWO, Knobs(budget=64, max_num_seqs=1)),
    "waits-for-the-watermark": Case(TWO, POOL.replace(watermark=0.4)),
    "waits-for-a-whole-budget": Case(
        (Request("A", 4, 3), Request("B", 8, 2)), Knobs(budget=8, chunked_prefill=False)
    ),
    "never-has-a-whole-budget": Case((Request("A", 9, 1),), POOL.replace(budget=8, chunked_prefill=False)),
    "is-preempted": Case(TWO, POOL),
    "is-preempted-by-priority": Case(
        (Request("A", 8, 4, priority=1), Request("B", 8, 4)), POOL.replace(policy="priority")
    ),
    "waits-while-another-is-preempted": Case(
        # round 2: A takes the last block, B goes; C would fit in B's, but nobody is admitted in such a round
        (
            Request("A", 8, 4),
            Request("B", 8, 4, priority=2),
            Request("C", 2, 1, arrive=2, priority=1),
        ),
        POOL.replace(policy="priority"),
    ),
    "needs-the-whole-pool": Case((Request("A", 1, 8), Request("B", 8, 3)), POOL.replace(kv_blocks=3)),
    "waits-for-an-answer": Case(
        LOADED, Knobs(budget=64, block_size=4), ExternalScript({"A": ((None, False), (0, False))}, {})
    ),
    "is-capped": Case(TWO, Knobs(budget=64, long_prefill_threshold=3)),
    "decodes-from-the-start": Case((Request("A", 0, 3, context=5), Request("B", 4, 1)), POOL),
    "ends-early": Case((Request("A", 6, 9), Request("B", 3, 0)), POOL.replace(max_model_len=9)),
    "is-withdrawn": Case((Request("A", 8, 9, abort=3), Request("B", 8, 4)), POOL),
    "has-no-end": Case((Request("A", 8, None),), POOL, rounds=40),
    "has-no-end-and-no-cache": Case(
        (Request("A", 8, None),),
        POOL.replace(prefix_caching=False, full_prompt_must_fit=False, budget=6),
        rounds=60,
    ),
    "finds-what-others-computed": Case(LOADED, Knobs(budget=64, block_size=4)),
    "is-loaded": Case(LOADED, Knobs(budget=64, block_size=4), LOAD),
    "is-loaded-behind-a-hit": Case(
        (Request("Z", 5, 9, prompt=(1, 2, 3, 4, 99)), *[r.replace(arrive=r.arrive + 1) for r in LOADED]),
        Knobs(budget=64, block_size=4),
        ExternalScript({"A": ((8, True),)}, {4: Report(finished_recving=("A",))}),
    ),
    "is-loaded-within-the-step": Case(
        LOADED, Knobs(budget=64, block_size=4), ExternalScript({"A": ((8, False),)}, {})
    ),
}


@pytest.mark.parametrize("name", RIGHT_RUNS)
def test_right_runs_keep_them(name: str) -> None:
    case = RIGHT_RUNS[name]
    account = play(case)
    assert {key: found for key, check in OF_RUNS.items() if (found := check(case, account))} == {}


def test_the_right_runs_do_what_their_names_say() -> None:
    """Or else they would hold nothing up."""
    runs = {name: play(case).run for name, case in RIGHT_RUNS.items()}
    for name, run in runs.items():
        if name.startswith("waits"):
            assert any(round.waiting for round in run.rounds), name
        if name.startswith(("waits-for-blocks", "waits-for-a-place", "waits-for-the")):
            assert any(round.waiting and round.unused_budget for round in run.rounds), name
        if name.startswith("is-preempted") or name == "has-no-end":
            assert any(round.preempted for round in run.rounds), name
    assert runs["never-has-a-whole-budget"].stuck == 1
    loads = [item.cached_tokens for round in runs["is-loaded-behind-a-hit"].rounds for item in round.admitted]
    assert 4 in loads  # B and Z share a block while A's load is under way
    assert 8 in loads


# What a broken engine does on the cases above: (case, variant, invariant, step, some values)
BROKEN = [
    pytest.param(RIGHT_RUNS["is-loaded"], IN_FLIGHT, "loaded", 2, {"name": "B", "blocks": [1, 2]}, id="load"),
    pytest.param(
        RIGHT_RUNS["is-loaded-behind-a-hit"],
        IN_FLIGHT,
        "loaded",
        3,
        {"name": "B", "blocks": [3], "hit": 8},  # block 1 is Z's, and computed; block 3 is being loaded
        id="load-behind-a-hit",
    ),
    pytest.param(
        RIGHT_RUNS["is-loaded"].replace(external=ExternalScript({"A": ((8, True),)}, {})),
        IN_FLIGHT,
        "loaded",
        2,
        {"how": "unreported", "reported": None},
        id="load-never-reported",
    ),
    pytest.param(
        RIGHT_RUNS["is-loaded"].replace(requests=(LOADED[0], LOADED[2])),
        IN_FLIGHT,
        "loaded",
        None,
        {},
        id="load-reported-before-the-hit",
    ),
    pytest.param(
        RIGHT_RUNS["is-preempted"], EVERY_ADMISSION, "first_admissions", 6, {"known": 9, "hit": 8}, id="again"
    ),
    pytest.param(
        Case((Request("A", 20, 1),), POOL.replace(full_prompt_must_fit=True, kv_blocks=4)),
        Variant(refuses_oversized=False),
        "fits",
        1,
        {"how": "waits", "needed": 5, "blocks": 4},
        id="never-admitted",
    ),
    pytest.param(
        # round 2: B needs a block, A goes, B's two are held; round 10: A's 17th token finds none
        Case((Request("B", 4, 2), Request("A", 10, 9)), POOL.replace(kv_blocks=4, prefix_caching=False)),
        Variant(refuses_oversized=False),
        "fits",
        10,
        {"how": "preempted", "name": "A", "tokens": 17},
        id="preempted-beside-others-first",
    ),
]


@pytest.mark.parametrize(("case", "variant", "invariant", "step", "values"), BROKEN)
def test_broken_runs(
    case: Case, variant: Variant, invariant: str, step: int | None, values: dict[str, object]
) -> None:
    first = OF_RUNS[invariant](case, play(case, variant))
    if step is None:
        assert first is None
        return
    assert first is not None
    assert first.step == step
    assert {key: first.values[key] for key in values} == values


def test_known_tokens_and_outputs_are_followed() -> None:
    """A has 5 tokens computed and one sampled; B computes 4 and has its first output in round 1."""
    case = RIGHT_RUNS["decodes-from-the-start"]
    account = play(case)
    followed_rounds = list(followed(case, account.run))
    assert [dict(seen.known) for seen in followed_rounds] == [
        {"A": 6, "B": 4},
        {"A": 7, "B": 5},
        {"A": 8, "B": 6},
    ]
    assert [seen.sampled for seen in followed_rounds] == [("A", "B"), ("A", "B"), ("A",)]
    assert [tpot.request for tpot in account.tpots] == ["B"]  # A's first output came before round 1


REPORTED = {2: Report(finished_recving=("A",)), 5: Report(finished_recving=("B", "A"))}


@pytest.mark.parametrize(
    ("name", "round", "reported"), [("A", 1, 2), ("A", 2, 2), ("A", 3, 5), ("B", 1, 5), ("B", 6, None)]
)
def test_reports(name: str, round: int, reported: int | None) -> None:
    case = Case(LOADED, POOL, ExternalScript({}, REPORTED))
    assert round_of_report(case, name, round) == reported


# (outputs, first, last, TPOT), and the place of the first that is wrong
REPORTS = [
    ([(1, 3, 3, None)], None),
    ([(2, 3, 4, Fraction(1))], None),
    ([(2, 3, 4, Fraction(1, 2))], 1),
    ([(1, 1, 1, None), (5, 1, 9, Fraction(2)), (5, 1, 9, Fraction(8, 5))], 3),
]


@pytest.mark.parametrize(("rows", "place"), REPORTS)
def test_tpot(rows: list[tuple[int, int, int, Fraction | None]], place: int | None) -> None:
    tpots = tuple(Tpot(name, *row) for name, row in zip("ABC", rows))
    found = OF_RUNS["gaps"](Case((), Knobs()), Account(Run((), (), ()), (), tpots))
    assert (found.step if found else None) == place


NAMES = "ABCD"
SIZES = st.integers(1, 12)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A few small requests, some with shared prompts, under small pools and budgets."""
    requests = []
    for name in NAMES[: draw(st.integers(1, 4))]:
        length = draw(SIZES)
        shared = draw(st.integers(0, length))
        own = range(100 * ord(name), 100 * ord(name) + length - shared)
        prompt = draw(st.sampled_from([None, (*range(1, shared + 1), *own)]))
        decode, arrive = draw(st.integers(0, 6)), draw(st.integers(1, 4))
        requests.append(
            Request(name, length, decode, arrive, prompt=prompt, priority=draw(st.integers(0, 2)))
        )
    knobs = Knobs(
        budget=draw(st.integers(1, 16)),
        block_size=draw(st.sampled_from([1, 2, 4])),
        kv_blocks=draw(st.sampled_from([None, 5, 8, 12])),
        max_num_seqs=draw(st.sampled_from([1, 2, 9])),
        policy=draw(st.sampled_from(["fcfs", "priority"])),
        prefix_caching=draw(st.booleans()),
        full_prompt_must_fit=draw(st.booleans()),
        chunked_prefill=draw(st.booleans()),
        long_prefill_threshold=draw(st.sampled_from([0, 2])),
    )
    return Case(tuple(requests), knobs, rounds=200)


@given(case=cases())
@settings(deadline=None, max_examples=300)
def test_any_right_run_keeps_them(case: Case) -> None:
    try:
        account = play(case)
    except LabError as error:
        if error.rule != "larger_than_pool":
            raise
        return
    assert {key: found for key, check in OF_RUNS.items() if (found := check(case, account))} == {}


@given(
    lengths=st.lists(st.integers(9, 14), min_size=2, max_size=4),
    loads=st.lists(st.sampled_from([0, 4, 8]), min_size=4, max_size=4),
    reports=st.lists(st.integers(3, 8), min_size=4, max_size=4),
    arrivals=st.lists(st.integers(1, 3), min_size=4, max_size=4),
)
@settings(deadline=None, max_examples=150)
def test_any_right_run_with_loads_keeps_them(
    lengths: list[int], loads: list[int], reports: list[int], arrivals: list[int]
) -> None:
    """A is loaded in the background, the others are loaded within the step, or not at all."""
    requests = [
        Request(
            name, length, 2, arrive, prompt=(*SAME, *range(100 * ord(name), 100 * ord(name) + length - 8))
        )
        for name, length, arrive in zip(NAMES, lengths, (1, *arrivals))
    ]
    answers = {name: ((tokens, name == "A"),) for name, tokens in zip(NAMES[: len(lengths)], (8, *loads))}
    script = ExternalScript(answers, {reports[0]: Report(finished_recving=("A",))})
    case = Case(tuple(requests), Knobs(budget=64, block_size=4), script)
    account = play(case)
    assert {key: found for key, check in OF_RUNS.items() if (found := check(case, account))} == {}
