"""Predicted schedules as learners write them: every form is read alike, and what cannot be read is placed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from labs.base import LabError
from labs.predict.rounds import Predicted, Share, read_rounds
from tests.documented import DOCUMENTED

if TYPE_CHECKING:
    from tests.conftest import RunLab

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
    ("R1 A1, B1, C6\nR2 A1", TWO),
    ("R1 A1 B1 C6 | A1", TWO),
    ("Round 1: A decode 1, B decode 1, C prefill 6 | A decode 1", TWO),
    ("轮1：A decode 1，B decode 1，C prefill 6；A decode 1", TWO),
    ("R1 A1 B1 C6\nA1", TWO),
    ("R1 A1 B1 C6\n\n  A1 |\n", TWO),
    ("R1 A1 B1 C6 | R2 A1", TWO),
    ("A1 B1 C6 | R2: A1", TWO),
    ("A1 B1 C6\nRound 2: A1", TWO),
    ("R1 A1 B1 C6 R2 A1", TWO),
    ("Round 1:\n  A1\n  B1\n  C6\nRound 2:\n  A1\n", TWO),
    ("轮1：A1，\nB1，C6\nA1", TWO),
    ("A1, B1, C6,\nA1,", TWO),
    ("A1 B1 C6 | A1 | ...", TWO),
    ("A1 B1 C6 | A1……", TWO),
    ("a1 b1 c6 | A 1", TWO),
    ("r1 a1 b1 c6 r2 a1", TWO),
    ("ROUND 1: A DECODE 1, B DECODE 1, C PREFILL 6", ONE),
    ("A decode, B decode, C prefill 6 | A: decode", TWO),
    ("[A1, B1, C6], | [A1]", TWO),
    ("[[A1, B1, C6];\n[A1]]", TWO),
    ('{"A": 1, "B": 1, "C": 6}', ONE),
    ("A(1) B（1） C×6", ONE),
    ("A1, B1 and C6 | A1", TWO),
    ("A1+B1+C6", ONE),
    ("A1 和 B1 与 C6", ONE),
    ("1. A1 B1 C6\n2. A1", TWO),
    ("1) A1 B1 C6\n2) A1", TWO),
    ("A1 B1 C6\n| A1 |", TWO),
    ("A decodes 1, B decodes, C prefills 6", ONE),
    ("第一轮：A1、B1、C6\n第二轮：A1。", TWO),
    ("C6 tokens, A 1 token, B1", ((("C", 6), ("A", 1), ("B", 1)),)),
    ("R1 - | A1", ((), (("A", 1),))),
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
        ("a1 A2", ["A", "a"], [("a", 1), ("A", 2)]),
        ("[x] 3 and 4", ["[x]", "and"], [("[x]", 3), ("and", 4)]),
        ("CHAT 3, chat_2 4", ["Chat", "Chat_2"], [("Chat", 3), ("Chat_2", 4)]),
        ("P prefill 5", ["P"], [("P", 5)]),
        ("d1 p2", ["d", "p"], [("d", 1), ("p", 2)]),
    ],
)
def test_names_that_look_like_something_else(
    text: str, names: list[str], shares: list[tuple[str, int]]
) -> None:
    (only,) = read_rounds(text, names)
    assert [(share.request, share.tokens) for share in only.shares] == shares


@pytest.mark.parametrize("start", ["", "Round 1: A decode 1, "], ids=["all", "from the rounds on"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_whole_output_of_the_lab(run_lab: RunLab, lang: str, start: str) -> None:
    """As somebody copies it: the chart and the reasons are passed over."""
    text = run_lab(["schedule", "--lang", lang]).out
    text = text[text.index(DOCUMENTED[lang][7]) :] if start else text
    assert text.count("\n") > 20
    ran = run_lab(["schedule", "--predict", text])
    assert ran.out.startswith("prediction right: 4 of 4 rounds")


def test_a_round_without_a_number_follows_a_row_of_rounds() -> None:
    read = read_rounds("Rounds 1-3, each: A1 | B1 | R5 A1", NAMES)
    assert [(one.first, one.last) for one in read] == [(1, 3), (4, 4), (5, 5)]


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
    ("R1 A1 B1 C6 | A1 | R2 A1", "--predict, line 1, round 2", "predict_round_order", "R2"),
    ("R1 A1 | R1 A1", "--predict, line 1, round 1", "predict_round_order", "R1"),
    ("A1 | A1\nR4 C2", "--predict, line 2, round 4", "predict_round_order", "R4"),
    ("R1 A1 | | B1", "--predict, line 1, round 2", "predict_empty_round", " "),
    ("R1 | A1", "--predict, line 1, round 1", "predict_empty_round", "R1"),
    ("Round 1: A1\nRound 2:\nRound 3: A1", "--predict, line 2, round 2", "predict_empty_round", "Round 2:"),
    ("A1\nR2", "--predict, line 2, round 2", "predict_empty_round", "R2"),
    ("A1.5", "--predict, line 1, round 1", "predict_no_share", "A1.5"),
]


@pytest.mark.parametrize(("text", "where", "rule", "got"), BAD, ids=[repr(bad[0]) for bad in BAD])
def test_refused(text: str, where: str, rule: str, got: str) -> None:
    """With the line and the round in which it stands."""
    with pytest.raises(LabError) as refused:
        read_rounds(text, NAMES)
    error = refused.value
    assert (error.where, error.rule, error.got) == (where, rule, got)
