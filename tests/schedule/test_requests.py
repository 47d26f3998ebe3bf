"""Starvation, waiting rounds, and how requests are read from the line and from files.

Turned red by: an endless run where somebody starves, waiting counted from round 1 instead of the
arrival or beyond the last round of the request, a request read with an unknown key left out,
`max_tokens` taken for decode passes (they are one fewer), and any refusal that is missing.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from labs.base import LabError
from labs.schedule import Params

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

ENDLESS = ["A:prefill=0,decode=inf", "B:prefill=0,decode=inf", "C:prefill=10,decode=2"]
STARVING = [*ENDLESS, "D:prefill=2,decode=1,arrive=2"]
LECTURE = ["A:prefill=0,decode=3", "B:prefill=0,decode=2", "C:prefill=10,decode=2"]
LECTURE = [*LECTURE, "D:prefill=2,decode=1,arrive=2"]


def command(requests: list[str], *more: str) -> list[str]:
    """The schedule command with these requests."""
    return ["schedule", *(word for request in requests for word in ("--request", request)), *more]


def rows(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The request rows by name."""
    return {row["name"]: row for row in document["result"]["requests"]}


def test_endless_decodes_starve_the_prefills(run_lab: RunLab, run_json: RunJson) -> None:
    """Budget 2 and two decodes without end: C and D get nothing, a reported outcome."""
    words = command(STARVING, "--budget", "2")
    document = run_json(words)
    assert document["result"]["starved"] == ["C", "D"]
    assert len(document["result"]["rounds"]) == 1000
    assert rows(document)["C"]["first_round"] is None
    assert rows(document)["C"]["waited_rounds"] == 1000
    assert rows(document)["D"]["waited_rounds"] == 999
    for lang in ("en", "zh"):
        ran = run_lab([*words, "--lang", lang, "--rounds", "20"])
        assert ran.code == 0
        assert [line for line in ran.out.splitlines() if "C" in line and "D" in line]


@pytest.mark.parametrize(
    ("requests", "budget", "rounds", "starved"),
    [
        pytest.param(STARVING, 3, 30, [], id="one-token-more-and-nobody-starves"),
        pytest.param(STARVING, 2, 4, ["C", "D"], id="short-run"),
        pytest.param([*ENDLESS, "E:prefill=1,decode=0,arrive=11"], 2, 20, ["C"], id="too-late-to-starve"),
        pytest.param([*ENDLESS, "E:prefill=1,decode=0,arrive=10"], 2, 20, ["C", "E"], id="just-in-time"),
        pytest.param(["A:prefill=0,decode=inf", "B:prefill=0,decode=1"], 1, 9, ["B"], id="a-decode-starves"),
        pytest.param(["A:prefill=0,decode=9", "B:prefill=0,decode=1"], 1, 99, [], id="waits-but-ends"),
        pytest.param(["A:prefill=90,decode=0"], 1, 9, [], id="unfinished-but-served"),
    ],
)
def test_who_starves(
    run_json: RunJson, requests: list[str], budget: int, rounds: int, starved: list[str]
) -> None:
    """Unfinished at the end, there before the last half, nothing in the last half."""
    words = command(requests, "--budget", str(budget), "--rounds", str(rounds))
    assert run_json(words)["result"]["starved"] == starved


def test_waiting_under_budget_2(run_json: RunJson) -> None:
    """C waits in rounds 1 and 2, D in rounds 2 to 7; A and B never wait."""
    got = rows(run_json(["schedule", "--budget", "2"]))
    assert {name: row["waited_rounds"] for name, row in got.items()} == {"A": 0, "B": 0, "C": 2, "D": 6}
    assert {name: row["first_round"] for name, row in got.items()} == {"A": 1, "B": 1, "C": 3, "D": 8}
    assert {name: row["last_round"] for name, row in got.items()} == {"A": 3, "B": 2, "C": 10, "D": 10}


def test_unused_budget_of_the_lecture(run_json: RunJson) -> None:
    """8 a round: 0, 0, 5 and 7 are left."""
    assert [row["unused_budget"] for row in run_json(["schedule"])["result"]["rounds"]] == [0, 0, 5, 7]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_round_prints_its_line(run_lab: RunLab, lang: str) -> None:
    """Nobody can be scheduled, somebody will arrive: the round counts and is shown."""
    out = run_lab(command(["A:prefill=2,decode=0,arrive=3"], "--lang", lang)).out
    start = {"en": "Round {}:", "zh": "轮{}："}[lang]
    for number in (1, 2, 3):
        assert sum(line.startswith(start.format(number)) for line in out.splitlines()) == 1


def write_lines(path: Path, requests: list[dict[str, Any]]) -> list[str]:
    """Write requests as JSON lines; the option that reads them."""
    path.write_text("".join(json.dumps(request) + "\n" for request in requests), encoding="utf-8")
    return ["--requests", str(path)]


LECTURE_ROWS: list[dict[str, Any]] = [
    {"id": "A", "prefill": 0, "decode": 3},
    {"id": "B", "prefill": 0, "decode": 2},
    {"id": "C", "prefill": 10, "decode": 2},
    {"id": "D", "prefill": 2, "decode": 1, "arrive": 2},
]


def test_json_lines(run_json: RunJson, tmp_path: Path) -> None:
    """The lecture's four as JSON lines."""
    words = write_lines(tmp_path / "requests.jsonl", LECTURE_ROWS)
    result = run_json(["schedule", *words, "--budget", "2"])["result"]
    assert result["rounds"] == run_json(["schedule", "--budget", "2"])["result"]["rounds"]


def test_endless_decode_in_json_lines(run_json: RunJson, tmp_path: Path) -> None:
    """`"decode": "inf"`."""
    requests: list[dict[str, Any]] = [{"id": "A", "prefill": 0, "decode": "inf"}]
    requests += [{"id": "C", "prefill": 4, "decode": 0}]
    words = write_lines(tmp_path / "requests.jsonl", requests)
    assert run_json(["schedule", *words, "--budget", "1"])["result"]["starved"] == ["C"]


def test_one_object_as_the_golden_file_writes_it(run_json: RunJson, tmp_path: Path) -> None:
    """Prompt ids and max_tokens: C has 10 prompt tokens and 3 outputs, so 2 decode passes."""
    case = {
        "config": {"token_budget": 4},
        "requests": [
            {"id": "C", "arrive": 1, "prompt": list(range(10)), "max_tokens": 3},
            {"id": "D", "arrive": 2, "prompt": [7, 8], "max_tokens": 2},
        ],
    }
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case, indent=1), encoding="utf-8")
    from_file = run_json(["schedule", "--requests", str(path)])["result"]
    requests = ["C:prefill=10,decode=2", "D:prefill=2,decode=1,arrive=2"]
    assert from_file["rounds"] == run_json(command(requests, "--budget", "4"))["result"]["rounds"]
    assert [sum(work["tokens"] for work in row["work"]) for row in from_file["rounds"]] == [4, 4, 4, 2, 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("X:prompt=5;6;7,decode=2", "X:prefill=3,decode=2"),
        ("X:prompt=5,max_tokens=1", "X:prefill=1,decode=0"),
        ("X:prefill=3,max_tokens=3", "X:prefill=3,decode=2"),
        ("X:prompt=5;5;5,decode=2", "X:prefill=3,decode=2"),
        ("X:prefill=3", "X:prefill=3,decode=0"),
        ("X:decode=2,arrive=1,prefill=3", "X:prefill=3,decode=2"),
        ("X:prefill=0,decode=2,context=9", "X:prefill=0,decode=2"),
        ("X:prefill=0,decode=2,context=1", "X:prefill=0,decode=2"),
    ],
)
def test_two_ways_to_say_it(run_json: RunJson, one: str, other: str) -> None:
    """Under decode-first these requests do the same."""
    first, second = (run_json(command([text], "--budget", "2"))["result"] for text in (one, other))
    assert first["rounds"] == second["rounds"]
    assert first["requests"] == second["requests"]


def test_large_figures_are_no_work(run_json: RunJson) -> None:
    """A long prompt costs one step a round, not one a token."""
    words = command(["A:prefill=1000000000,decode=1"], "--budget", "999999999")
    rounds = run_json(words)["result"]["rounds"]
    assert [row["work"][0]["tokens"] for row in rounds] == [999999999, 1, 1]


BAD = [
    (["--budget", "0"], "--budget"),
    (["--budget", "-1"], "--budget"),
    (["--budget", "2.5"], "--budget"),
    (["--budget", "inf"], "--budget"),
    (["--budget", "9" * 5000], "--budget"),
    (["--budget"], "--budget"),
    (["--rounds", "0"], "--rounds"),
    (["--rounds", "100000000000"], "--rounds"),
    (["--rule", "round-robin"], "--rule"),
    (["--kv-blocks", "10"], "--kv-blocks"),
    (["--budg", "2"], "--budg"),
    (["--tokens", "2"], "--tokens"),
    (command(["A:prefill=1,decode=1", "A:prefill=2,decode=1"])[1:], "--request"),
    *(
        (["--request", text], "--request")
        for text in (
            "",
            "A",
            "A:",
            ":prefill=1,decode=1",
            "A:prefill",
            "A:prefill=",
            "A:prefill=x,decode=1",
            "A:prefill=-1,decode=1",
            "A:prefill=1,decode=-1",
            "A:prefill=1,decode=1.5",
            "A:prefill=1,decode=nan",
            "A:prefill=inf,decode=1",
            "A:prefill=1,decode=1,color=red",
            "A:prefill=1,prefill=2,decode=1",
            "A:prefill=1,decode=1,arrive=-2",
            "A:prefill=1,decode=1,arrive=inf",
            "A:prefill=0,decode=1,arrive=2",
            "A:prefill=2,decode=1,context=3",
            "A:prefill=0,decode=1,context=0",
            "A:prefill=2,prompt=1;2,decode=1",
            "A:prefill=2,decode=1,max_tokens=5",
            "A:prompt=1;x,decode=1",
            "A:prompt=,decode=1",
            "A:prefill=2,max_tokens=0",
            "A:prefill=0,decode=0",
            "A:prefill=0,max_tokens=1",
            "A:prefill=1,decode=1,arrive=0",
            "A:prefill=1000000001,decode=1",
            "A B:prefill=1,decode=1",
            "A=:prefill=1,decode=1",
            "A,:prefill=1,decode=1",
            "A\n:prefill=1,decode=1",
            f"{'A' * 65}:prefill=1,decode=1",
            f"A:prefill={'9' * 5000},decode=1",
        )
    ),
]


@pytest.mark.parametrize(("more", "where"), BAD, ids=[" ".join(more)[:50] or "-" for more, _ in BAD])
def test_bad_input_is_one_line(run_lab: RunLab, more: list[str], where: str) -> None:
    """One line that names the option; nothing on stdout; exit 2."""
    ran = run_lab(["schedule", *more])
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(rf"error: {where}: [^\n]+\n", ran.err), ran.err


def row(**keys: Any) -> bytes:
    """One JSON line: a good request with these keys."""
    return json.dumps({"id": "A", "prefill": 1, "decode": 1, **keys}).encode() + b"\n"


GOOD = row()
# content and the line that is named (None: whichever)
BAD_FILES: dict[str, tuple[bytes, int | None]] = {
    "not-json": (GOOD + b"{oops}\n", 2),
    "unknown-key": (GOOD + row(id="B", color="red"), 2),
    "repeated-name": (GOOD + GOOD, 2),
    "repeated-key": (GOOD + b'{"id": "B", "prefill": 1, "prefill": 2, "decode": 1}\n', 2),
    "nan": (b'{"id": "A", "prefill": NaN, "decode": 1}\n', 1),
    "infinity": (b'{"id": "A", "prefill": 1, "decode": Infinity}\n', 1),
    "huge-float": (b'{"id": "A", "prefill": 1e999, "decode": 1}\n', 1),
    "digits": (b'{"id": "A", "prefill": ' + b"9" * 5000 + b', "decode": 1}\n', 1),
    "brackets": (b"[" * 100_000 + b"\n", 1),
    "brackets-and-more": (b"[" * 100_000 + b"\n" + GOOD, 1),
    "nested-value": (GOOD + b'{"id": "B", "prefill": ' + b"[" * 100_000 + b"\n", 2),
    "list": (b"[1, 2]\n", 1),
    "number": (b"3\n", 1),
    "bool-count": (row(prefill=True), 1),
    "float-count": (row(prefill=1.5), 1),
    "text-count": (row(prefill="many"), 1),
    "negative": (row(prefill=-1), 1),
    "null": (row(decode=None), 1),
    "name-is-number": (row(id=3), 1),
    "late-decode": (row(prefill=0, arrive=2), 1),
    "context": (row(context=4), 1),
    "prompt-is-text": (b'{"id": "A", "prompt": "one", "decode": 1}\n', 1),
    "prompt-holds-bool": (b'{"id": "A", "prompt": [1, true], "decode": 1}\n', 1),
    "prompt-and-prefill": (row(prompt=[1]), 1),
    "prompt-is-empty": (b'{"id": "A", "prompt": [], "decode": 1}\n', 1),
    "name-with-a-colon": (GOOD + row(id="B:C"), 2),
    "name-is-empty": (GOOD + row(id=""), 2),
    "salt-is-number": (row(salt=3), 1),
    "salt-is-zero": (row(salt=0), 1),
    "binary": (GOOD + b"\x00\x01\n", 2),
    "invalid-utf8": (GOOD + b'{"id": "\xff"}\n', 2),
    "bom": (b"\xef\xbb\xbf" + GOOD, 1),
    "crlf": (GOOD[:-1] + b"\r\n", 1),
    "empty": (b"", None),
    "object-without-requests": (b'{"config": {"token_budget": 2}}\n', None),
    "object-with-unknown-config": (b'{"config": {"colour": 2}, "requests": [' + GOOD + b"]}\n", None),
    "object-with-unknown-part": (b'{"config": {}, "requests": [' + GOOD + b'], "more": 1}\n', None),
    "object-with-budget-0": (b'{"config": {"token_budget": 0}, "requests": [' + GOOD + b"]}\n", None),
    "object-with-bool-budget": (b'{"config": {"token_budget": true}, "requests": [' + GOOD + b"]}\n", None),
    "object-with-kv-blocks": (b'{"config": {"usable_blocks": 9}, "requests": [' + GOOD + b"]}\n", None),
    "requests-is-object": (b'{"config": {}, "requests": {}}\n', None),
    "config-is-list": (b'{"config": [], "requests": [' + GOOD + b"]}\n", None),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_file_is_one_line(run_lab: RunLab, tmp_path: Path, kind: str) -> None:
    """The line names file:line or the option; nothing on stdout; exit 2."""
    content, line = BAD_FILES[kind]
    path = tmp_path / "requests.jsonl"
    path.write_bytes(content)
    ran = run_lab(["schedule", "--requests", str(path)])
    assert (ran.code, ran.out) == (2, "")
    where = rf"(--requests|{re.escape(str(path))}(:\d+)?)"
    if line is not None:
        where = rf"{re.escape(str(path))}:{line}"
    assert re.fullmatch(rf"error: {where}: [^\n]+\n", ran.err), ran.err[:300]


@pytest.mark.parametrize("kind", ["missing", "directory"])
def test_no_file_is_one_line(run_lab: RunLab, tmp_path: Path, kind: str) -> None:
    """The line names the option or the path."""
    path = tmp_path if kind == "directory" else tmp_path / "none.jsonl"
    ran = run_lab(["schedule", "--requests", str(path)])
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(rf"error: (--requests|{re.escape(str(path))}): [^\n]+\n", ran.err), ran.err


def test_budget_of_the_line_goes_before_that_of_the_file(run_json: RunJson, tmp_path: Path) -> None:
    """A knob on the line is what the learner changes; the file's config yields to it."""
    case = {"config": {"token_budget": 4}, "requests": [{"id": "C", "prefill": 8, "decode": 0}]}
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case), encoding="utf-8")
    for more, tokens in (([], [4, 4]), (["--budget", "3"], [3, 3, 2])):
        for words in (
            ["schedule", "--requests", str(path), *more],
            ["schedule", *more, "--requests", str(path)],
        ):
            rounds = run_json(words)["result"]["rounds"]
            assert [row["work"][0]["tokens"] for row in rounds] == tokens


def test_params_say_what_was_asked(run_json: RunJson) -> None:
    """Each request with all its keys, in words that --request takes again; two of them are the lecture's."""
    text = ["Z:prefill=2,decode=inf,arrive=3,priority=-4,salt=s", "Y:prompt=7;7,max_tokens=3"]
    requests = run_json(command([*text, "X:prefill=0,decode=1,context=5"], "--rounds", "9"))["params"][
        "requests"
    ]
    plain = {"arrive": 1, "context": 0, "prompt": None, "priority": 0, "salt": ""}
    assert requests == [
        {**plain, "name": "Z", "prefill": 2, "decode": "inf", "arrive": 3, "priority": -4, "salt": "s"},
        {**plain, "name": "Y", "prefill": 2, "decode": 2, "prompt": [7, 7]},
        {**plain, "name": "X", "prefill": 0, "decode": 1, "context": 5},
    ]
    lecture = run_json(["schedule"])["params"]["requests"]
    assert lecture == run_json(command(LECTURE))["params"]["requests"]


def test_a_run_is_cut_off_after_a_thousand_rounds(run_json: RunJson) -> None:
    document = run_json(command(["A:prefill=0,decode=inf"]))
    assert (len(document["result"]["rounds"]), document["params"]["rounds"]) == (1000, 1000)


@pytest.mark.parametrize(
    ("knobs", "where"),
    [({"budget": 0}, "--budget"), ({"budget": 10**9 + 1}, "--budget"), ({"rounds": 0}, "--rounds"),
     ({"rounds": 100_001}, "--rounds"), ({"rule": "none"}, "--rule")],
    ids=str,
)  # fmt: skip
def test_library_refuses_what_the_line_refuses(knobs: dict[str, Any], where: str) -> None:
    with pytest.raises(LabError) as caught:
        Params(**knobs)
    assert caught.value.where == where


def test_both_sources_of_requests_are_refused_or_joined(run_lab: RunLab, tmp_path: Path) -> None:
    """--request beside --requests never silently drops one of them."""
    words = write_lines(tmp_path / "requests.jsonl", LECTURE_ROWS)
    ran = run_lab(["schedule", *words, "--request", "Z:prefill=1,decode=1"])
    assert ran.code == 2 or ("Z prefill 1" in ran.out and "A decode 1" in ran.out)
