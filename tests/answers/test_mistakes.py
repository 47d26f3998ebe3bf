"""Diagnoses: each tempting mistake by its own name, on the published inputs and on others."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from answers.l3_keys import Fetch, KvSize, Load, PrefixHit, Round, Slots
from answers.l3_problems import PROBLEMS
from answers.problem import RIGHT, WRONG, Problem, Verdict, is_rounded
from labs.base import Record

BY_NAME = {problem.name: problem for problem in PROBLEMS}
VerdictOn = Callable[[Problem, str], Verdict]


# Worked by hand from the course's inputs and its list of what learners get wrong.
MISTAKES: list[tuple[str, str, str | None]] = [
    ("p1", "[512, 128]", "one_token"),
    ("p1", "[4, 4]", "query_heads"),
    ("p1", "[1, 1]", "query_heads"),
    ("p1", "[1, 4]", "swapped"),
    ("p1", "[2, 0.5]", "k_or_v_forgotten"),
    ("p1", "[4, 0.5]", "k_or_v_forgotten"),
    ("p1", "[32, 8]", "bits_for_bytes"),
    ("p1", "['512 MiB', '128 MiB']", "bits_for_bytes"),
    ("p1", "[4.294967296, 1.073741824]", "gb_for_gib"),
    ("p1", "[4.29, 1.07]", "gb_for_gib"),
    ("p1", "[4.3, 1.1]", "gb_for_gib"),
    ("p1", "[4, 1.0737]", "gb_for_gib"),
    ("p1", "['4 GB', '1 GB']", "gb_for_gib"),
    ("p1", "[8, 2]", "four_byte_elements"),
    ("p1", "[4096, 1024]", "other_unit"),
    ("p1", "[4294967296, 1073741824]", "other_unit"),
    ("p1", "['512 KiB', '128 KiB']", "one_token"),
    ("p1", "['128 MiB', '32 MiB']", "one_layer"),
    ("p1", "[20, 5]", "total_memory"),
    ("p1", "[5, 3]", None),
    ("p1", "[4, 2]", None),
    ("p1", "[4, 8]", None),
    ("p1", "[4.2, 1]", None),  # 4.29... rounds to 4.3; cut off it is no rounding
    ("p1", "[3, 0.75]", None),  # the ratio is right, but less than the KV alone is no total
    ("p2", "[6, 8]", "position"),
    ("p2", "[6, 36]", "position"),
    ("p2", "[2, 9]", "offset_forgotten"),
    ("p2", "[8, 36]", "offset_forgotten"),
    ("p2", "[4, 9]", "block_not_multiplied"),
    ("p2", "[9, 38]", "logical_block_as_offset"),
    ("p2", "[30, 8]", "table_from_one"),
    ("p2", "[11, 37]", "slots_from_one"),
    ("p2", "[36, 10]", "swapped"),
    ("p2", "[36, 36]", None),
    ("p3", "[3, 1, 2]", "lengths"),
    ("p3", "[0, 3, 1, 2]", "lengths"),
    ("p3", "[3, 4, 6]", "no_leading_zero"),
    ("p3", "[0, 3, 4]", "no_last_boundary"),
    ("p3", "[1, 4, 5, 7]", "counted_from_one"),
    ("p3", "[0, 10, 15, 40]", "whole_history"),
    ("p3", "[0, 3, 4, 7]", "whole_history"),
    ("p3", "[0, 3, 3, 6]", None),
    ("p3", "[0, 10, 15.5, 40]", None),
    ("p3", "[2, 10, 15, 40]", None),  # no boundaries of a history begin at 2
    ("p4", "32", "full_hit"),
    ("p4", "31", "not_aligned"),
    ("p4", "0", "no_hit"),
    ("p4", "1", "blocks_for_tokens"),
    ("p4", "17", None),
    ("p5", "[10, 10]", "goodput_as_throughput"),
    ("p5", "[7.5, 7.5]", "goodput_as_throughput"),
    ("p5", "[100, 75]", "not_divided"),
    ("p5", "[10, 75]", "not_divided"),
    ("p5", "[10, 0.75]", "share"),
    ("p5", "[7.5, 10]", "swapped"),
    ("p5", "[10, 2.5]", "late_ones"),
    ("p5", "[0.1, 0.13]", "upside_down"),
    ("p5", "[600, 450]", "other_unit"),
    ("p5", "[10, 8]", None),
    ("p6", "[30, 30]", "overlap_not_subtracted"),
    ("p6", "[14, 46]", "overlap_twice"),
    ("p6", "[22, 46]", "overlap_twice"),
    ("p6", "[38, 22]", "overlap_added"),
    ("p6", "[38, 38]", "overlap_added"),
    ("p6", "[22, -38]", "sign"),
    ("p6", "[3, 57]", "step_left_out"),
    ("p6", "[20, 40]", "step_left_out"),
    ("p6", "['15 ms', '0.045 s']", "step_left_out"),
    ("p6", "[0.022, 0.038]", "other_unit"),
    ("p6", "[22000, 38000]", "other_unit"),
    ("p6", "[25, 35]", None),
]


@pytest.mark.parametrize(
    ("name", "text", "mistake"),
    MISTAKES,
    ids=[f"{name}-{text}-{mistake}" for name, text, mistake in MISTAKES],
)
def test_diagnoses(verdict_on: VerdictOn, name: str, text: str, mistake: str | None) -> None:
    verdict = verdict_on(BY_NAME[name], text)
    assert (verdict.state, verdict.mistake) == (WRONG, mistake)


OTHER_INPUTS: dict[str, Record] = {
    "p1": KvSize(layers=28, head_dim=64, dtype="FP8", bytes_per_element=1, tokens=6000, kv_heads=(24, 4)),
    "p2": Slots(block_size=16, block_table=(5, 11, 3, 8), positions=(37, 59)),
    "p3": Round(lengths=(5, 7, 1, 4)),
    "p4": PrefixHit(block_size=16, num_tokens=53),
    "p5": Load(seconds=8, successes=120, within_limits=84),
    "p6": Fetch(recompute_ms=90, lookup_ms=4, data_path_ms=31, conversion_ms=9, overlap_ms=6),
}

ON_OTHER_INPUTS: list[tuple[str, str, str, str | None]] = [
    ("p1", "[28*24*64*6000*2 / 2**30, 28*4*64*6000*2 / 2**30]", RIGHT, None),
    ("p1", "[28*24*64*6000 / 2**30, 28*4*64*6000 / 2**30]", WRONG, "k_or_v_forgotten"),
    ("p1", "['516.10 MB', '86.02 MB']", WRONG, None),  # rounded, and no mistake of the table
    ("p1", "[0.52, 0.086]", WRONG, "gb_for_gib"),
    ("p1", "[28*24*64*6000*8 / 2**30, 28*4*64*6000*8 / 2**30]", WRONG, "four_byte_elements"),
    ("p1", "[0.481, 0.0801]", WRONG, None),  # the key rounded: answers are compared by value
    ("p2", "[53, 139]", RIGHT, None),
    ("p2", "[37, 59]", WRONG, "position"),
    ("p2", "[3, 8]", WRONG, "offset_forgotten"),
    ("p2", "[48, 128]", WRONG, "offset_forgotten"),
    ("p2", "[8, 19]", WRONG, "block_not_multiplied"),
    ("p2", "[50, 131]", WRONG, "logical_block_as_offset"),
    ("p2", "[181, 59]", WRONG, "table_from_one"),
    ("p2", "[139, 53]", WRONG, "swapped"),
    ("p3", "[0, 5, 12, 13, 17]", RIGHT, None),
    ("p3", "[5, 7, 1, 4]", WRONG, "lengths"),
    ("p3", "[0, 5, 20, 21, 99]", WRONG, "whole_history"),
    ("p4", "48", RIGHT, None),
    ("p4", "53", WRONG, "full_hit"),
    ("p4", "52", WRONG, "not_aligned"),
    ("p4", "64", WRONG, "partial_block"),
    ("p4", "3", WRONG, "blocks_for_tokens"),
    ("p5", "[15, 10.5]", RIGHT, None),
    ("p5", "[15, 0.7]", WRONG, "share"),
    ("p5", "[120, 84]", WRONG, "not_divided"),
    ("p5", "[0.07, 0.1]", WRONG, None),  # one digit left is too few to tell
    ("p5", "[0.0667, 0.0952]", WRONG, "upside_down"),
    ("p6", "[38, 52]", RIGHT, None),
    ("p6", "[52, 38]", WRONG, "swapped"),
    ("p6", "[50, 40]", WRONG, "overlap_added"),
    ("p6", "[44, 46]", WRONG, "overlap_not_subtracted"),
    ("p6", "[32, 58]", WRONG, "overlap_twice"),
    ("p6", "[4, 86]", WRONG, "step_left_out"),
]


@pytest.mark.parametrize(
    ("name", "text", "state", "mistake"),
    ON_OTHER_INPUTS,
    ids=[f"{name}-{text}" for name, text, _, _ in ON_OTHER_INPUTS],
)
def test_other_inputs(verdict_on: VerdictOn, name: str, text: str, state: str, mistake: str | None) -> None:
    verdict = verdict_on(BY_NAME[name].replace(inputs=OTHER_INPUTS[name]), text)
    assert (verdict.state, verdict.mistake) == (state, mistake)


def test_the_first_block_has_no_block_before_it(verdict_on: VerdictOn) -> None:
    """Position 3 lies in the first block: a table read from 1 has no entry for it, nor the last one."""
    problem = BY_NAME["p2"].replace(inputs=Slots(block_size=16, block_table=(5, 11, 3, 8), positions=(3, 37)))
    for text, state in (("[83, 53]", RIGHT), ("[131, 181]", WRONG)):
        verdict = verdict_on(problem, text)
        assert (verdict.state, verdict.mistake) == (state, None)


@pytest.mark.parametrize("other", [False, True], ids=["published", "other-inputs"])
@pytest.mark.parametrize("name", BY_NAME)
def test_mistakes_are_told_apart_and_none_is_the_key(name: str, other: bool) -> None:
    problem = BY_NAME[name].replace(inputs=OTHER_INPUTS[name]) if other else BY_NAME[name]
    owners: dict[tuple[Fraction, ...], str] = {}
    for mistake in problem.mistakes:
        for answer in mistake.answers(problem.inputs):
            exact = tuple(Fraction(part) for part in answer)
            assert exact != problem.key(problem.inputs), mistake.name
            assert owners.setdefault(exact, mistake.name) == mistake.name, exact


def test_every_mistake_is_seen_in_a_table() -> None:
    seen = {(name, mistake) for name, _, mistake in MISTAKES}
    seen |= {(name, mistake) for name, _, _, mistake in ON_OTHER_INPUTS}
    named = {(problem.name, mistake.name) for problem in PROBLEMS for mistake in problem.mistakes}
    assert seen - {(name, None) for name in BY_NAME} == named


@pytest.mark.parametrize(
    ("given", "exact", "rounded"),
    [
        ("4.3", "4.294967296", True),
        ("4.29", "4.294967296", True),
        ("4.2", "4.294967296", False),
        ("4.295", "4.294967296", True),
        ("4.294", "4.294967296", False),
        ("0.13", "2/15", True),
        ("0.1", "2/15", False),
        ("1.1", "1.05", True),
        ("1.0", "1.05", True),
        ("1.1", "1.04", False),
        ("-4.3", "-4.294967296", True),
        ("4.3", "-4.294967296", False),
        ("4", "4.294967296", False),
        ("17", "17", True),
        ("0", "0", True),
        ("0", "0.001", False),
        ("1/3", "0.33", False),
    ],
)
def test_is_rounded(given: str, exact: str, rounded: bool) -> None:
    """To the decimals that are given, at least one of them and two digits; half a unit either way."""
    assert is_rounded(Fraction(given), Fraction(exact)) is rounded
