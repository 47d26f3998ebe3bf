"""Each cause of a wrong schedule: its name, the round, the request and the values that explain it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.engine.explain.scene import Setting
from labs.engine.requests import Request
from labs.engine.simulator import expanded
from labs.parsed_line import parsed_line
from labs.predict.answer import Answer
from labs.predict.rounds import Share
from labs.predict.schedule import _Case
from labs.schedule import Params, knobs_of, predicted, render, run
from labs.schedule import params as params_of
from labs.view.predict import render_answer

LECTURE = "--budget 8"
SMALL_POOL = "--budget 20 --kv-blocks 4 --block-size 2 --request A:prefill=4,decode=1 --request B:prefill=6"
A_DECODES = "--request A:prefill=0,decode=2 --request C:prefill=4,arrive=1"


def asked(knobs: str, text: str) -> Answer:
    """The answer to a prediction under these knobs."""
    knobs_read = parsed_line(["schedule", *knobs.split()], "en").knobs
    return predicted(run(params_of(**knobs_read)), text)


CAUSES: list[Any] = [
    # knobs, prediction, (cause, round, request), predicted, actual, values among those told
    (LECTURE, "A1 B1 E1", ("unknown_request", 1, "E"), 1, 0, {"known": ["A", "B", "C", "D"]}),
    (LECTURE, "A1 B1 C4 D2", ("not_arrived", 1, "D"), 2, 0, {"arrive": 2}),
    (LECTURE, "A1 B1 C6 | A1 B1 C4 D2 | A1 B1", ("finished_already", 3, "B"), 1, 0, {"ended": 2}),
    (
        *(
            LECTURE,
            "A1 B1 C6 | A1 B1 C4 D2 | A1 C prefill 1 D1",
            ("wrong_phase", 3, "C"),
            "prefill",
            "decode",
        ),
        {"named": "prefill", "phase": "decode"},
    ),
    (
        *("--budget 4", "A1 B1 C decode 1", ("wrong_phase", 1, "C"), "decode", "prefill"),
        {"left": 10, "phase": "prefill"},
    ),
    (
        *(LECTURE, "A1 B1 C10", ("over_budget", 1, None), 12, None),
        {"budget": 8, "total": 12, "terms": [["A", 1], ["B", 1], ["C", 10]]},
    ),
    (LECTURE, "A1 B1 C6 | A1 B1 C5 D1", ("more_than_left", 2, "C"), 5, 4, {"left": 4, "phase": "prefill"}),
    (LECTURE, "A2 B1 C5", ("more_than_left", 1, "A"), 2, 1, {"left": 1, "phase": "decode"}),
    (LECTURE, "A1 C7", ("decode_left_out", 1, "B"), 0, 1, {"rule": "decode-first"}),
    ("--budget 2", "A1 C1", ("decode_left_out", 1, "B"), 0, 1, {"budget": 2}),
    (
        *("--budget 2", "A1 B1 | A1 B1 | A1 D1", ("admission_order", 3, "C"), 0, 1),
        {"later": "D", "later_predicted": 1, "later_actual": 0, "phase": "prefill"},
    ),
    (
        *(f"--rule prefill-first --budget 2 {A_DECODES}", "A1 C1", ("admission_order", 1, "C"), 1, 2),
        {"later": "A", "later_phase": "decode", "rule": "prefill-first"},
    ),
    (LECTURE, "A1 B1 C5", ("budget_unused", 1, "C"), 5, 6, {"left": 10, "total": 7, "unused": 1}),
    ("--budget 2", "A1 B1 | A1 B1 | A1", ("budget_unused", 3, "C"), 0, 1, {"unused": 1, "left": 10}),
    (
        LECTURE,
        "A1 B1 C6",
        ("rounds_missing", 2, None),
        None,
        None,
        {"predicted": 1, "left": ["A", "B", "C", "D"]},
    ),
    (LECTURE, "A1 B1 C6 | A1 B1 C4 D2 | A1 C1 D1", ("rounds_missing", 4, None), None, None, {"left": ["C"]}),
    ("--rounds 1", "A1 B1 C6 | A1", ("run_ended", 2, "A"), 1, 0, {"rounds": 1, "stuck": False}),
    # the pool
    (
        *(f"--rule vllm {SMALL_POOL}", "A4 B6", ("no_block_free", 1, "B"), 6, 0),
        {"needed": 3, "free": 2, "kv_blocks": 4, "limit": "no_block"},
    ),
    (
        *(f"--rule nano-vllm {SMALL_POOL}", "A4 B6", ("no_block_free", 1, "B"), 6, 0),
        {"needed": 3, "free": 2, "kv_blocks": 4},
    ),
    (
        f"--rule vllm {SMALL_POOL} --request D:prefill=2",
        "A4 D2",
        ("no_block_free", 1, "D"),
        *(2, 0),
        {"limit": "head_of_line", "head": "B", "needed": 3, "free": 2},
    ),
    (
        "--rule vllm --budget 7 --kv-blocks 6 --block-size 2 --max-num-seqs 4 --long-prefill-threshold 2"
        " --no-full-prompt-must-fit --request A:prefill=6,decode=3,arrive=2 --request B:prefill=6,arrive=3"
        " --request C:prefill=6,decode=2,arrive=3 --request D:prefill=1,decode=3,arrive=2",
        "- | A2 D1 | A2 D1 B2 C2 | A2 D1 C2",
        ("no_block_free", 4, "C"),
        *(2, 0),
        {"kv_blocks": 6},
    ),
    # further limits of the engines
    (
        "--rule vllm --max-num-seqs 1 --request A:prefill=2 --request B:prefill=2",
        "A2 B2",
        ("max_num_seqs", 1, "B"),
        *(2, 0),
        {"max_num_seqs": 1},
    ),
    (
        "--rule vllm --budget 20 --long-prefill-threshold 3 --request A:prefill=10 --request B:prefill=2",
        "A10 B2",
        ("threshold", 1, "A"),
        *(10, 3),
        {"threshold": 3, "need": 10},
    ),
    (
        "--rule vllm --block-size 2 --request A:prompt=1;2;3;4,decode=3"
        " --request B:prompt=1;2;3;4;5,arrive=2",
        "A4 | A1 B5",
        ("cached_already", 2, "B"),
        *(5, 1),
        {"cached": 4, "left": 1},
    ),
    (
        "--rule nano-vllm --request A:prefill=2,decode=3 --request B:prefill=2,arrive=2",
        "A2 | A1 B2",
        ("phases", 2, "A"),
        *(1, 0),
        {"prefills": ["B"]},
    ),
    (
        f"--rule nano-vllm --budget 2 {A_DECODES}",
        "C3",
        ("over_budget", 1, None),
        *(3, None),
        {"total": 3, "terms": [["C", 3]], "rule": "nano-vllm"},
    ),
    # static
    (
        "--rule static --max-num-seqs 1 --request A:prefill=2,decode=1 --request B:prefill=2",
        "A2 B2",
        ("batch_closed", 1, "B"),
        *(2, 0),
        {"batch": ["A"]},
    ),
    (
        "--rule static --budget 3 --request A:prefill=2,decode=1 --request B:prefill=2",
        "A2 B1 | A1 B1",
        ("batch_prefills", 2, "A"),
        *(1, 0),
        {"prefills": ["B"]},
    ),
]


@pytest.mark.parametrize(
    ("knobs", "text", "place", "guess", "actual", "values"),
    CAUSES,
    ids=[f"{case[2][0]}-{case[0].split()[1]}-{case[1]}" for case in CAUSES],
)
def test_causes(
    knobs: str,
    text: str,
    place: tuple[str, int, str | None],
    guess: object,
    actual: object,
    values: dict[str, Any],
) -> None:
    difference = asked(knobs, text).difference
    assert difference is not None
    assert (difference.cause, difference.round, difference.request) == place
    assert (difference.predicted, difference.actual) == (guess, actual)
    assert {key: difference.values.get(key) for key in values} == values


RIGHT = [
    ("--budget 2", "A1B1|A1B1|A1C1|C2|C2|C2|C2|C1D1|C decode 1, D prefill 1|C decode 1, D decode 1"),
    (LECTURE, "C6 B1 A1 | D2 C4 B1 A1 | D1 C1 A1 | C1"),
    (LECTURE, "A1 B1 C6 | A1 B1 C4 D2 | A1 C1 D1 | C1 | -"),
    ("--rounds 1000 --budget 1 --request A:prefill=0,decode=inf", "Rounds 1-1000, each: A decode 1"),
    ("--rounds 1000 --budget 1 --request A:prefill=0,decode=inf", "Rounds 1-400: A1\nRounds 401-1000: A1"),
    (f"--rule vllm {SMALL_POOL}", "A4 | A1 | B6"),
]


@pytest.mark.parametrize(("knobs", "text"), RIGHT)
def test_right(knobs: str, text: str) -> None:
    """In any order within a round, and with rows of rounds cut anywhere."""
    assert asked(knobs, text).right


def test_nano_decodes_take_no_budget() -> None:
    """Three decodes at a budget of one are no more than the rule gives."""
    knobs = "--rule nano-vllm --budget 1" + "".join(f" --request {n}:prefill=0,decode=1" for n in "ABC")
    assert asked(knobs, "A1 B1 C1").right
    difference = asked(knobs, "A1 B1 | A1").difference
    assert difference is not None
    assert (difference.cause, difference.round, difference.request) == ("decode_left_out", 1, "C")


@pytest.mark.parametrize("case", CAUSES, ids=[f"{case[2][0]}-{case[0].split()[1]}" for case in CAUSES])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_cause_is_told(case: Any, lang: str) -> None:
    """With its name, and in a sentence that has all its values."""
    text = render_answer("schedule", asked(case[0], case[1]), lang)
    assert case[2][0] in text
    assert "{" not in text
    assert text.isascii() is (lang == "en")


def test_where_no_cause_holds_the_rule_is_told() -> None:
    """With who is served before, and what is left."""
    params = Params(budget=8)
    setting = Setting(params.rule, knobs_of(params, params.rule))
    case = _Case(run(params).run, params.requests, setting, 1, [Share("A", None, 1), Share("B", None, 1)])
    told = case._other()
    assert (told.cause, told.round, told.request, told.predicted, told.actual) == (
        "other_tokens",
        1,
        "C",
        0,
        6,
    )
    assert (told.values["before"], told.values["taken"], told.values["left"]) == ([["A", 1], ["B", 1]], 2, 10)
    for lang in ("en", "zh"):
        text = render_answer("schedule", Answer("rounds", 0, told), lang)
        assert "A 1" in text
        assert "decode-first" in text


def test_a_difference_inside_a_row_of_rounds() -> None:
    """Of rounds that are alike the first is named that differs."""
    knobs = "--budget 2 --request A:prefill=0,decode=500 --request B:prefill=9,arrive=301,decode=0"
    difference = asked(knobs, "Rounds 1-500: A1").difference
    assert difference is not None
    assert (difference.cause, difference.round, difference.request) == ("budget_unused", 301, "B")
    difference = asked(knobs, "Rounds 1-300: A1\nRounds 301-309: A1 B1\nRounds 310-501: A1").difference
    assert difference is not None
    assert (difference.cause, difference.round, difference.values["ended"]) == ("finished_already", 501, 500)


@st.composite
def workloads(draw: st.DrawFn) -> Params:
    """A few small requests under any rule; engines with a small pool."""
    rule = draw(st.sampled_from(["decode-first", "prefill-first", "static", "nano-vllm", "vllm"]))
    requests = []
    for name in "ABCD"[: draw(st.integers(1, 4))]:
        prefill = draw(st.integers(0, 6))
        decode = draw(st.integers(0 if prefill else 1, 3))
        arrive = draw(st.integers(1, 4)) if prefill else 1
        requests.append(Request(name, prefill, decode, arrive, 0 if prefill else 1))
    pool: dict[str, Any] = {"kv_blocks": draw(st.integers(8, 12)), "block_size": 2} if "vllm" in rule else {}
    return Params(requests=tuple(requests), rule=rule, budget=draw(st.integers(1, 8)), rounds=60, **pool)


@given(workloads(), st.data())
@settings(max_examples=150, deadline=None)
def test_what_the_lab_prints_is_right_and_a_change_is_found(params: Params, data: st.DataObject) -> None:
    """In both languages; a changed share is told of in its own round, whatever the cause."""
    result = run(params)
    for lang in ("en", "zh"):
        printed = render(result, lang).split("\n\n")
        text = next(part for part in printed if part.startswith(("Round 1:", "轮1：")))
        assert predicted(result, text).right
    rounds = [{item.request: item.tokens for item in round.work} for round in expanded(result.run.rounds)]
    number = data.draw(st.integers(1, len(rounds)))
    name = data.draw(st.sampled_from([request.name for request in params.requests]))
    changed = dict(rounds[number - 1])
    changed[name] = changed.get(name, 0) + data.draw(st.sampled_from([-1, 1, 2, 5]))
    if changed[name] < 0:
        changed[name] = 3
    texts = [" ".join(f"{n}{t}" for n, t in one.items()) or "-" for one in [*rounds[: number - 1], changed]]
    answer = predicted(result, "\n".join(texts))
    assert answer.difference is not None
    assert answer.difference.round == number
    assert answer.difference.cause != "rounds_missing"
    for lang in ("en", "zh"):
        assert answer.difference.cause in render_answer("schedule", answer, lang)
