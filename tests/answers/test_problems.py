"""Keys and states: what is right, wrong, malformed or blank."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from answers.l3_keys import Fetch, KvSize, Load, PrefixHit, Round, Slots
from answers.l3_problems import PROBLEMS
from answers.problem import BLANK, MALFORMED, RIGHT, WRONG, Problem, Verdict, judge
from labs.base import LabError, Record

BY_NAME = {problem.name: problem for problem in PROBLEMS}
VerdictOn = Callable[[Problem, str], Verdict]


def test_keys_are_the_published_answers(verdict_on: VerdictOn, published: dict[str, str]) -> None:
    for name, text in published.items():
        assert verdict_on(BY_NAME[name], text).state == RIGHT, name


SAME_VALUE = [
    ("p1", "(4, 1.0)"),
    ("p1", "['4096 MiB', '1 GiB']"),
    ("p1", "['4294967296 B', 2**30 / 2**30]"),
    ("p1", "['4.294967296 GB', 1]"),
    ("p1", "2*32*32*128*8192*2/2**30, 4*2**-2"),
    ("p2", "['10 slots', '36slots']"),
    ("p3", "(0, 3.0, 4, 0x6)"),
    ("p3", "0, 3, 3 + 1, 3 + 1 + 2"),
    ("p4", "'16 tokens'"),
    ("p4", "31 // 16 * 16"),
    ("p5", "['600 req/min', 15/2]"),
    ("p6", "['0.022 s', '38000 us']"),
]


@pytest.mark.parametrize(("name", "text"), SAME_VALUE, ids=[f"{n}-{t}" for n, t in SAME_VALUE])
def test_an_answer_is_compared_by_value(verdict_on: VerdictOn, name: str, text: str) -> None:
    assert verdict_on(BY_NAME[name], text).state == RIGHT


FORMS = [
    ("p1", "...", BLANK, None),
    ("p1", "[..., ...]", BLANK, None),
    ("p1", "[4, ...]", MALFORMED, "partly_blank"),
    ("p1", "4", MALFORMED, "not_two"),
    ("p1", "[4]", MALFORMED, "not_two"),
    ("p1", "[]", MALFORMED, "not_two"),
    ("p1", "[4, 1, 0]", MALFORMED, "not_two"),
    ("p1", "[[4], 1]", MALFORMED, "not_two"),
    ("p1", "'4 GiB, 1 GiB'", MALFORMED, "not_two"),
    ("p1", "None", MALFORMED, "not_two"),
    ("p1", "[4, True]", MALFORMED, "not_two"),
    ("p1", "['4', '1']", MALFORMED, "no_fitting_unit"),
    ("p1", "['4 ms', 1]", MALFORMED, "no_fitting_unit"),
    ("p1", "['4 gib', 1]", MALFORMED, "no_fitting_unit"),
    ("p1", "['four GiB', 1]", MALFORMED, "no_fitting_unit"),
    ("p1", "['GiB', 1]", MALFORMED, "no_fitting_unit"),
    ("p1", "['4..0 GiB', 1]", MALFORMED, "no_fitting_unit"),
    ("p1", "['4_0 GiB', 1]", MALFORMED, "no_fitting_unit"),
    ("p1", "['٤ GiB', 1]", MALFORMED, "no_fitting_unit"),
    ("p3", "16", MALFORMED, "not_list"),
    ("p3", "'[0, 3, 4, 6]'", MALFORMED, "not_list"),
    ("p3", "[0, 3, None, 6]", MALFORMED, "not_list"),
    ("p3", "[0, 3]", WRONG, None),  # a list's length is part of the key, so this is no matter of form
    ("p3", "[]", WRONG, None),
    ("p4", "[16]", MALFORMED, "not_one"),
    ("p4", "True", MALFORMED, "not_one"),
    ("p4", "[...]", BLANK, None),
    ("p4", "'16'", MALFORMED, "no_fitting_unit"),
    ("p4", "'sixteen'", MALFORMED, "no_fitting_unit"),
    ("p4", "''", MALFORMED, "no_fitting_unit"),
]


@pytest.mark.parametrize(
    ("name", "text", "state", "reason"), FORMS, ids=[f"{name}-{text}" for name, text, _, _ in FORMS]
)
def test_states(verdict_on: VerdictOn, name: str, text: str, state: str, reason: str | None) -> None:
    verdict = verdict_on(BY_NAME[name], text)
    assert (verdict.state, verdict.reason) == (state, reason)


def test_a_missing_answer_is_blank() -> None:
    assert judge(BY_NAME["p1"], None).state == BLANK


def test_one_is_not_true(verdict_on: VerdictOn) -> None:
    """Python holds True == 1; an answer of True is no number, even where the key is one."""
    problem = BY_NAME["p4"].replace(inputs=PrefixHit(block_size=1, num_tokens=2))
    assert verdict_on(problem, "1").state == RIGHT
    assert verdict_on(problem, "True").state == MALFORMED


BAD_INPUTS = [
    (KvSize, {"tokens": 0}),
    (KvSize, {"kv_heads": (8, 0)}),
    (Slots, {"positions": (0, 12)}),
    (Slots, {"positions": (-1, 0)}),
    (Round, {"lengths": (1, 0)}),
    (PrefixHit, {"block_size": 0}),
    (Load, {"within_limits": 101}),
    (Load, {"seconds": 0}),
    (Fetch, {"overlap_ms": 31}),
    (Fetch, {"overlap_ms": -1}),
    (Fetch, {"lookup_ms": -1}),
]


@pytest.mark.parametrize(("inputs", "changes"), BAD_INPUTS, ids=[f"{i.__name__}-{c}" for i, c in BAD_INPUTS])
def test_inputs_without_an_answer_are_refused(inputs: type[Record], changes: dict[str, object]) -> None:
    with pytest.raises(LabError):
        inputs(**changes)
