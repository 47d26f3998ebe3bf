"""What a run says of itself: why somebody waited or was cut, who starves and what fairness would need.

Every sentence is worked out by hand for the run. Turned red by: the last wait in place of the first, a cut
where a prefill got all that it needed, the shortest wait, rounds of the wrong half, a budget that would
leave nobody a token, decodes blamed for what a prefill takes, keys that are ignored in silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import RunLab

STARVING = "A:prefill=0,decode=inf B:prefill=0,decode=inf C:prefill=10,decode=2 D:prefill=2,decode=1,arrive=2"
HOGGING = "Z:prefill=0,decode=inf A:prefill=100,decode=0 B:prefill=1,decode=0"

# budget and rounds, requests (none: the lecture's), what is said, what is not
SAID: dict[str, tuple[str, str, list[str], list[str]]] = {
    "lecture": (
        "--budget 8",
        "",
        ["In round 1 first come A decode 1, B decode 1, taking 2 of 8, so C computes 6 of the 10 prefill"],
        ["must wait", "Longest waited", "No round needed", "Starved", "does not look at", "cut off"],
    ),
    "budget 2": (
        "--budget 2",
        "",
        [
            "In round 1 the budget of 2 is used up by A decode 1, B decode 1, so C must wait.",
            "In round 3 first come A decode 1, taking 1 of 2, so C computes 1 of the 10 prefill",
            "Longest waited D: rounds without a token 6.",
        ],
        ["No round needed", "Starved"],
    ),
    "enough for all": (
        "--budget 100",
        "",
        ["No round needed more than 12 of the budget of 100, so nobody waited and no prefill was cut."],
        ["must wait", "Longest waited", "In round"],
    ),
    "just enough": ("--budget 12", "", ["No round needed more than 12 of the budget of 12,"], ["In round"]),
    "a prefill alone": (
        "--budget 4",
        "P:prefill=2 Q:prefill=9",
        ["In round 1 first come P prefill 2, taking 2 of 4, so Q computes 2 of the 9 prefill tokens"],
        ["must wait", "Longest waited"],
    ),
    "a prefill alone, first": (
        "--budget 4",
        "Q:prefill=9",
        ["In round 1 the budget of 4 ends the prefill of Q at 4 of the 9 tokens it still needs."],
        ["first come", "must wait", "Longest waited"],
    ),
    "decodes starve": (
        "--budget 2 --rounds 20",
        STARVING,
        [
            "The run was cut off after round 20",
            "Starved: C, D got nothing from round 11 to round 20.",
            "In these rounds the whole budget of 2 goes to A, B, and",
            "a stream of decodes that fills the budget starves prefills",
            "or a budget larger than the number of decodes.",
            "Longest waited C: rounds without a token 20.",
        ],
        ["serves first", "first come"],
    ),
    "a prefill starves": (
        "--budget 2 --rounds 10",
        HOGGING,
        [
            "Starved: B got nothing from round 6 to round 10.",
            "goes to Z, A: those whom the rule serves first take all of it, and starve prefills.",
            "Longest waited B: rounds without a token 10.",
        ],
        ["a stream of decodes"],
    ),
    "a decode starves": (
        "--budget 1 --rounds 10",
        "A:prefill=0,decode=7 B:prefill=0,decode=inf C:prefill=0,decode=1",
        [
            "Starved: C got nothing from round 6 to round 10.",
            "In these rounds the whole budget of 1 goes to A, B,",
            "starves whoever stands behind it",
        ],
        ["starves prefills"],
    ),
    "ignored keys": (
        "--budget 8",
        "A:prefill=3,priority=2 B:prefill=3,salt=s",
        ["decode-first does not look at: priority, salt."],
        ["Starved"],
    ),
    "one ignored key": ("--budget 8", "A:prefill=3,salt=s", ["decode-first does not look at: salt."], []),
}


@pytest.mark.parametrize("name", SAID)
def test_why_is_about_this_run(name: str, run_lab: RunLab) -> None:
    knobs, requests, said, not_said = SAID[name]
    words = ["schedule", *knobs.split()]
    words += [word for request in requests.split() for word in ("--request", request)]
    ran = run_lab(words)
    assert (ran.code, ran.err) == (0, "")
    text = " ".join(ran.out.split())
    assert [part for part in said if part not in text] == []
    assert [part for part in not_said if part in text] == []
