"""Predicted schedules as learners write them: every form is read alike, and what cannot be read is placed."""

from __future__ import annotations

import pytest

from labs.base import LabError
from labs.predict.rounds import Predicted, Share, read_rounds
from tests.documented import DOCUMENTED

NAMES = ["A", "B", "C", "D"]
ONE = ((("A", 1), ("B", 1), ("C", 6)),)
TWO = (*ONE, (("A", 1),))

FORMS = [
    ("Round 1: A decode 1, B decode 1, C prefill 6", ONE),
    ("轮1：A decode 1，B decode 1，C prefill 6", ONE),
    ("R1 A1 B1 C6", ONE),
    ("R1A1B1C6", ONE),
    ("R1: A1, B1, C6", ONE),
    ("1: A 1, B 1, C 6", ONE),
    ("第1轮 A1、B1、C6", ONE),
    ("round1:Adecode1,Bdecode1,Cprefill6", ONE),
    ("A1 B1 C6", ONE),
    ("A:1 B:1 C:6", ONE),
    ("A=1; \n", ((("A", 1),),)),
    ("Ad1 Bd1 CP6", ONE),
    ("C6 tokens, B1, A1, D0", ((("C", 6), ("B", 1), ("A", 1)),)),
    ("C 预填充 6，A 解码 1", ((("C", 6), ("A", 1)),)),
    ("A1 B1 C6 | A1", TWO),
    ("A1 B1 C6\n\nA1\n", TWO),
    ("A1 B1 C6；A1", TWO),
    ("R1 A1; B1 | C6\nR2 A1", TWO),
    ("Round 1: A 1,\n  B 1, C 6\nRound 2: A 1", TWO),
    ("Round 1: nobody is served\nRound 2: A decode 1", ((), (("A", 1),))),
    ("轮1：没有调度任何请求\n轮2：A decode 1", ((), (("A", 1),))),
    ("- | A1", ((), (("A", 1),))),
    (
        "Round 1: A 1\n  preempted B: its blocks are freed\n  C starts with 4 tokens there already",
        ((("A", 1),),),
    ),
    ("轮1：A 1\n  抢占 B，释放它的块\n  C 开始时已有 4 个 token 的 KV", ((("A", 1),),)),
]


@pytest.mark.parametrize(("text", "rounds"), FORMS, ids=[repr(text) for text, _ in FORMS])
def test_forms(text: str, rounds: tuple[tuple[tuple[str, int], ...], ...]) -> None:
    read = read_rounds(text, NAMES)
    assert tuple(tuple((share.request, share.tokens) for share in one.shares) for one in read) == rounds
    assert [(one.first, one.last) for one in read] == [(n, n) for n in range(1, len(rounds) + 1)]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_documented_rounds(lang: str) -> None:
    """Phases are read where they are named."""
    lines = [line for line in DOCUMENTED[lang] if "C prefill" in line or "C decode" in line]
    read = read_rounds("\n".join(lines), NAMES)
    assert len(read) == 4
    assert read[1].shares[2:] == (Share("C", "prefill", 4), Share("D", "prefill", 2))
    assert read[3].shares == (Share("C", "decode", 1),)


@pytest.mark.parametrize(
    "text", ["Rounds 1-1000, each: A decode 1\nRound 1001: B1", "轮1-1000，每轮：A1\n轮1001：B1"]
)
def test_rows_of_rounds(text: str) -> None:
    read = read_rounds(text, NAMES)
    assert [(one.first, one.last) for one in read] == [(1, 1000), (1001, 1001)]
    assert read[1].shares == (Share("B", None, 1),)


@pytest.mark.parametrize(
    ("text", "names", "shares"),
    [
        ("r1 5, r10 3", ["r1", "r10"], [("r1", 5), ("r10", 3)]),
        ("r105", ["r1", "r10"], [("r10", 5)]),
        ("R1 4 R2 5", ["R1", "R2"], [("R1", 4), ("R2", 5)]),
        ("1 4, 2 5", ["1", "2"], [("1", 4), ("2", 5)]),
        ("E3 A1", ["A"], [("E", 3), ("A", 1)]),
        ("d1 p2", ["d", "p"], [("d", 1), ("p", 2)]),
    ],
)
def test_names_that_look_like_something_else(
    text: str, names: list[str], shares: list[tuple[str, int]]
) -> None:
    (only,) = read_rounds(text, names)
    assert [(share.request, share.tokens) for share in only.shares] == shares


def test_a_request_named_as_a_round_is_numbered_with_a_colon() -> None:
    assert read_rounds("R1: R1 4", ["R1"]) == (Predicted(1, 1, (Share("R1", None, 4),)),)


BAD = [
    ("", "--predict", "predict_empty", "nothing"),
    (" ,\n", "--predict", "predict_empty", "nothing"),
    ("Round 2: A1", "--predict, line 1, round 2", "predict_round_order", "Round 2:"),
    ("R1 A1\nR3 A1", "--predict, line 2, round 3", "predict_round_order", "R3"),
    ("Rounds 3-1: A1", "--predict, line 1, round 3", "predict_round_order", "Rounds 3-1:"),
    ("R1 A1\nR2 B one, C2", "--predict, line 2, round 2", "predict_no_share", "B one"),
    ("A1 | B", "--predict, line 1, round 2", "predict_no_share", "B"),
    ("A1\n\nA1 A2", "--predict, line 3, round 2", "predict_twice", "A"),
    ("A1 || B1", "--predict, line 1, round 2", "predict_empty_round", ""),
    ("A1\nRound 2: A1", "--predict, line 2, round 2", "predict_late_number", "Round 2: A1"),
    ("A1.5", "--predict, line 1, round 1", "predict_no_share", "A1.5"),
]


@pytest.mark.parametrize(("text", "where", "rule", "got"), BAD, ids=[repr(bad[0]) for bad in BAD])
def test_refused(text: str, where: str, rule: str, got: str) -> None:
    """With the line and the round in which it stands."""
    with pytest.raises(LabError) as refused:
        read_rounds(text, NAMES)
    error = refused.value
    assert (error.where, error.rule, error.got) == (where, rule, got)
