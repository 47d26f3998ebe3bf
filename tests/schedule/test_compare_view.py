"""`--compare`: what each request paid, rounds that are alike walked at once, and how it is printed.

Expected rounds are the engines' recorded ones or worked by hand. Turned red by: waiting counted under one
rule only, the difference with the wrong sign, rounds unrolled, a first round that is not the first, an order
that hides tokens, a sentence with another rule's name.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.engine.explain.compare import first_difference
from labs.engine.knobs import Knobs
from labs.engine.simulator import Round, Work
from labs.view.schedule_compare import compare_document, render_compare
from tests.schedule.compare_check import LECTURE, asked, compared, tiny

if TYPE_CHECKING:
    from tests.conftest import Golden


@pytest.mark.parametrize("budget", [2, 3, 4, 8])
def test_decode_first_and_vllm_agree_on_the_lecture(budget: int, golden: Golden) -> None:
    """The engine's recorded rounds are the lecture's, in the same order."""
    found = compared(asked(LECTURE), "decode-first / vllm", Knobs(budget=budget, block_size=4))
    recorded = golden("scheduler_budgets.json")[f"seed_lab_c.budget_{budget}"]["scheduled"]
    assert (found.round, found.order_round, found.reason.kind) == (None, None, "none")
    assert found.num_rounds == (len(recorded), len(recorded))
    assert all(cost.more_waiting == 0 for cost in found.costs)


@pytest.mark.parametrize(
    ("rule", "more", "last"),
    [
        ("nano-vllm", [2, 2, 0, 0], [5, 4, 4, 3]),  # C8; C2 D2; ABCD; ABC; A
        ("prefill-first", [1, 1, 0, 0], [4, 3, 4, 3]),  # C8; C2 D2 A B; ABCD; A C
        ("static", [0, 0, 3, 3], [3, 2, 7, 6]),  # AB; AB; A; C8; C2 D2; C D; C
    ],
)
def test_who_paid_on_the_lecture(rule: str, more: list[int], last: list[int]) -> None:
    found = compared(asked(LECTURE), f"decode-first / {rule}", Knobs())
    assert [cost.name for cost in found.costs] == list("ABCD")
    assert [cost.more_waiting for cost in found.costs] == more
    assert [cost.last_round for cost in found.costs] == list(zip([3, 2, 4, 3], last))
    assert [cost.first_round[0] for cost in found.costs] == [1, 1, 1, 2]


def test_the_golden_round_of_nano_vllm(golden: Golden) -> None:
    recorded = golden("nano_vllm.json")["lab_c_budget_8"]["rounds"]
    found = compared(asked(LECTURE), "decode-first / nano-vllm", Knobs(block_size=4))
    assert found.theirs is not None
    assert {work.request: work.tokens for work in found.theirs.work} == recorded[0]


def test_long_runs_are_not_unrolled() -> None:
    """A decodes for 10**9 rounds; W joins it after 10**8."""
    a, w = Work("A", "decode", 1), Work("W", "prefill", 1)
    ours = [Round(1, (a,), 7, (), repeat=10**9)]
    theirs = [
        Round(1, (a,), 7, (), repeat=10**8),
        Round(10**8 + 1, (a, w), 6, ()),
        Round(10**8 + 2, (a,), 7, (), repeat=10**9 - 10**8 - 1),
    ]
    assert first_difference(ours, theirs) == (10**8 + 1, None)


SINGLES = st.lists(st.sampled_from(["", "a", "b", "ab", "ba"]), max_size=8)


def compressed(singles: list[str], cuts: list[bool]) -> list[Round]:
    """Rounds with `repeat`, cut at random places as well."""
    rounds: list[Round] = []
    for number, (names, cut) in enumerate(zip(singles, cuts), 1):
        work = tuple(Work(name, "decode", 1) for name in names)
        if rounds and rounds[-1].work == work and not cut:
            rounds[-1] = rounds[-1].replace(repeat=rounds[-1].repeat + 1)
        else:
            rounds.append(Round(number, work, 0, ()))
    return rounds


@given(SINGLES, SINGLES, st.lists(st.booleans(), min_size=8, max_size=8), st.data())
def test_walking_is_comparing_round_by_round(
    ours: list[str], theirs: list[str], cuts: list[bool], data: st.DataObject
) -> None:
    alike = ours[: data.draw(st.integers(0, 8))]  # but for the order in some of them
    theirs = [names[::-1] if data.draw(st.booleans()) else names for names in alike] + theirs
    number = next((i for i, (a, b) in enumerate(zip(ours, theirs), 1) if set(a) != set(b)), None)
    if number is None and len(ours) != len(theirs):
        number = min(len(ours), len(theirs)) + 1
    end = number if number is not None else len(ours) + 1
    order = next((i for i, (a, b) in enumerate(zip(ours, theirs), 1) if a != b and i < end), None)
    walked = first_difference(compressed(ours, cuts), compressed(theirs, [False] * len(theirs)))
    assert walked == (number, order)


def test_the_json_keys() -> None:
    document = compare_document(compared(asked(LECTURE), "decode-first / nano-vllm", Knobs()))
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert (document["rules"], document["round"]) == (["decode-first", "nano-vllm"], 1)
    assert document["work"][1] == [{"request": "C", "phase": "prefill", "tokens": 8}]
    assert document["reason"] == {
        "kind": "phases",
        "rule": "nano-vllm",
        "request": "A",
        "values": {"prefills": ["C"]},
    }
    assert document["requests"][0]["waited_rounds"] == [0, 2]
    assert document["requests"][0]["last_round"] == [3, 5]


def test_the_text_of_a_difference() -> None:
    """Both lines of the round stand alone, as result lines do; the reason names this round's values."""
    text = render_compare(compared(asked(LECTURE), "decode-first / nano-vllm", Knobs()), "en")
    assert (
        text
        == """\
compare: decode-first and nano-vllm on the same requests.
Round 1 differs already:
under decode-first:
Round 1: A decode 1, B decode 1, C prefill 6
under nano-vllm:
Round 1: C prefill 8

Rounds waited, and the last round served, under each rule:
  request  waited, decode-first  waited, nano-vllm  difference  last, decode-first  last, nano-vllm
  A        0                     2                  +2          3                   5
  B        0                     2                  +2          2                   4
  C        0                     0                  0           4                   4
  D        0                     0                  0           3                   3

Under nano-vllm these pay with more rounds of waiting than under decode-first: A +2, B +2. The last
round comes later or sooner under nano-vllm for: A +2, B +2.

Why they differ: in round 1 A gets nothing under nano-vllm and decode 1 under decode-first, since
nano-vllm never mixes phases in a step: any prefill that can run (here C) stops all decodes.
"""
    )


def test_the_text_in_chinese() -> None:
    text = render_compare(compared(asked(LECTURE), "decode-first / nano-vllm", Knobs()), "zh")
    assert "\n轮1：A decode 1，B decode 1，C prefill 6\n" in text
    assert "\n轮1：C prefill 8\n" in text
    assert "nano-vllm 的一步里从不混合两个阶段" in text.replace("\n", "")


def test_the_text_of_equal_runs() -> None:
    text = render_compare(compared(asked(LECTURE), "decode-first / vllm", Knobs()), "en")
    assert "All 4 rounds are the same under both rules: nothing differs.\n" in text
    assert "Why" not in text


@pytest.mark.parametrize(
    ("text", "rules", "knobs", "said"),
    [
        pytest.param(
            LECTURE,
            "decode-first / static",
            Knobs(budget=2),
            "Rounds 1 to 2 are the same; round 3 is the first that differs:",
            id="how-far-the-same",
        ),
        pytest.param(
            LECTURE,
            "prefill-first / decode-first",
            Knobs(),
            "decode-first serves A, B first (decodes before prefills), prefill-first serves C first (prefills"
            " before decodes)",
            id="both-orders",
        ),
        pytest.param(
            "A:14+5 B:20+2",
            "vllm / decode-first",
            tiny(kv_blocks=8),
            "only if all of its 20 tokens fit: that takes 5 more blocks, and 4 of the 8 are free",
            id="figures-of-the-gate",
        ),
        pytest.param(
            "A:14+5 B:20+2",
            "vllm / decode-first",
            tiny(kv_blocks=8),
            "Under decode-first these wait less: B -",
            id="who-gained",
        ),
        pytest.param(
            "A:6+3",
            "vllm / decode-first",
            Knobs(max_model_len=8),
            "(no round 3: the run has ended)",
            id="past-the-end",
        ),
        pytest.param(
            "A:0+2 P:2+1",
            "decode-first / prefill-first",
            Knobs(),
            "Every round hands out the same tokens; round 1 is the first that does so in another order:",
            id="order-alone",
        ),
        pytest.param(
            " ".join(f"r{i}:4+0" for i in range(60)),
            "static / decode-first",
            Knobs(max_num_seqs=1),
            "... and 10 more requests (all of them with --json)",
            id="many-requests",
        ),
    ],
)
def test_what_is_said(text: str, rules: str, knobs: Knobs, said: str) -> None:
    printed = render_compare(compared(asked(text), rules, knobs), "en")
    assert said in printed.replace("\n", " ")
