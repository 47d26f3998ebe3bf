"""`--bug` on the command line: what it prints, what it refuses, on its own case and on the learner's.

Turned red by: a bug that shows where it cannot, options taken without meaning, exit codes other than 0.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from labs.base import LabError
from labs.bugs import BUGS, bug_reader
from labs.view.bug_parts import NEXT
from labs.view.catalog.bugs import INVARIANTS
from labs.view.errors import error_line

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

STEPS = {
    "full-hit": "block 1",
    "unchained": "block 1",
    "in-flight-hit": "round 2",
    "budget-before-hit": "round 2",
    "preempted-as-hits": "round 7",
    "pooled-rounding": "round 2",
    "tpot-by-n": "request B",
    "oversized": "round 9",
}


@pytest.mark.parametrize("bug", BUGS)
def test_its_own_case(run_lab: RunLab, bug: str) -> None:
    """Title, first step, invariant, and a next command: in both languages, with the same figures."""
    lab, pages = BUGS[bug].lab, {}
    for lang in ("en", "zh"):
        ran = run_lab([lab, "--bug", bug, "--lang", lang])
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(f"{lab} --bug {bug}")
        assert f"python3 inference_lab.py {NEXT[bug]}\n" in ran.out
        assert max(map(len, ran.out.split("\n"))) <= 130
        pages[lang] = ran.out
    said = " ".join(pages["en"].split())
    place = "in" if STEPS[bug].startswith("round") else "at"
    assert f"invariant broken {place} {STEPS[bug]}: {INVARIANTS[BUGS[bug].invariant][0]}" in said
    assert pages["en"].isascii()
    assert "<- broken" in pages["en"]
    assert "<- 破坏" in pages["zh"]
    assert INVARIANTS[BUGS[bug].invariant][1] in pages["zh"].replace("\n", "")
    figures = [[line for line in page.split("\n") if re.match(r"  \d", line)] for page in pages.values()]
    numbers = [[re.findall(r"\d+", line) for line in lines] for lines in figures]
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize("bug", BUGS)
def test_as_json(run_json: RunJson, bug: str) -> None:
    lab = BUGS[bug].lab
    document = run_json([lab, "--bug", bug])
    assert document["lab"] == lab
    assert document["params"]["bug"] == bug
    result = document["result"]
    assert (result["invariant"], "bug" in result) == (BUGS[bug].invariant, False)
    word, step = STEPS[bug].split()
    assert str(result["first"][word]) == step
    assert {"right", "broken", "first_difference"} <= set(result)
    if bug == "oversized":
        assert result["right"]["refused"]["rule"] == "larger_than_pool"
    elif lab == "schedule":
        assert result["right"]["rounds"][0]["round"] == 1
        alike = bug in ("preempted-as-hits", "tpot-by-n")
        assert (result["right"]["rounds"] == result["broken"]["rounds"]) == alike
        assert (result["first_difference"] is None) == alike


@pytest.mark.parametrize("bug", BUGS)
def test_the_next_command_works(run_lab: RunLab, bug: str) -> None:
    ran = run_lab([*NEXT[bug].split()])
    assert (ran.code, ran.err) == (0, "")


A = ["--request", "A:prefill=4,decode=3"]
KEPT = [
    ["prefix", "--bug", "full-hit", "--b", "1,2,3,4,5"],
    ["prefix", "--bug", "full-hit", "--a", ""],
    ["prefix", "--bug", "unchained", "--b", "1,2,9,4,5,6"],
    ["prefix", "--bug", "unchained", "--a", "", "--b", ""],
    ["schedule", "--bug", "in-flight-hit", *A],
    ["schedule", "--bug", "in-flight-hit", "--external"],
    ["schedule", "--bug", "budget-before-hit", "--budget", "24"],
    ["schedule", "--bug", "preempted-as-hits", "--kv-blocks", "12"],
    ["schedule", "--bug", "pooled-rounding", "--block-size", "1", "--kv-blocks", "17"],
    ["schedule", "--bug", "pooled-rounding", *A],
    ["schedule", "--bug", "tpot-by-n", "--request", "A:prefill=4"],
    ["schedule", "--bug", "oversized", *A],
]


@pytest.mark.parametrize("words", KEPT, ids=" ".join)
def test_where_it_does_not_show(run_lab: RunLab, run_json: RunJson, words: list[str]) -> None:
    ran = run_lab(words)
    assert (ran.code, ran.err) == (0, "")
    assert "The bug does not show on this input" in ran.out
    assert ran.out.endswith(f"Next: python3 inference_lab.py {' '.join(words[:3])}\n")
    assert run_json(words)["result"]["first"] is None
    assert "看不出缺陷" in run_lab([*words, "--lang", "zh"]).out


REFUSED = [
    (
        ["schedule", "--bug", "oversized", "--request", "X:prefill=3,decode=inf"],
        "--request: decodes without end, and so outgrows any pool under the right rule too:"
        " bug oversized needs an end (got X)",
    ),
    (
        ["schedule", "--bug", "in-flight-hit", "--no-prefix-caching"],
        "--no-prefix-caching: cannot stand beside --bug in-flight-hit (got --no-prefix-caching)",
    ),
    (["schedule", "--bug", "full-hit"], "--bug: must be one of in-flight-hit, "),
    (["schedule", "--bug", "nothing"], "--bug: must be one of in-flight-hit, "),
    (["prefix", "--bug", "tpot-by-n"], "--bug: must be one of full-hit, unchained"),
    (["capacity", "--bug", "full-hit"], "--bug: no such option"),
    (
        ["schedule", "--bug", "tpot-by-n", "--compare", "vllm"],
        "--compare: cannot stand beside --bug tpot-by-n",
    ),
    (["schedule", "--bug", "tpot-by-n", "--log"], "--log: cannot stand beside --bug tpot-by-n"),
    (["schedule", "--bug", "tpot-by-n", "--timeline", "t.json"], "--timeline: cannot stand beside --bug"),
    (["schedule", "--bug", "tpot-by-n", "--predict", "A1"], "--predict: cannot stand beside --bug"),
    (["schedule", "--bug", "tpot-by-n", "--predict", ""], "--predict: cannot stand beside --bug"),
    (["schedule", "--bug", "tpot-by-n", "--html", "p.html"], "--html: cannot stand beside --bug"),
    (
        ["schedule", "--bug", "tpot-by-n", "--rule", "static"],
        "--rule: bug tpot-by-n is shown under --rule vllm",
    ),
    (["schedule", "--bug", "tpot-by-n", "--external"], "--external: cannot stand beside --bug tpot-by-n"),
    (["schedule", "--bug", "pooled-rounding", "--prefix-caching"], "--prefix-caching: cannot stand beside"),
    (["schedule", "--bug", "pooled-rounding", "--watermark", "0.1"], "--watermark: cannot stand beside"),
    (["schedule", "--bug", "pooled-rounding", "--kv-blocks", "1"], "--kv-blocks: request A needs slots"),
    (["schedule", "--bug", "oversized", *A, *A], "--request: two requests have the same name"),
    (["schedule", "--bug", "oversized", "--max-model-len", "4"], "--max-model-len: request A begins with 10"),
    (["prefix", "--bug", "full-hit", "--other-namespace", "m"], "--other-namespace: cannot stand beside"),
    (["prefix", "--bug", "full-hit", "--block-size", "0"], "--block-size: must be at least 1"),
]


@pytest.mark.parametrize(("words", "error"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_refused(run_lab: RunLab, words: list[str], error: str) -> None:
    ran = run_lab(words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {error}")
    assert ran.err.count("\n") == 1


def test_requests_from_a_file(run_lab: RunLab, run_json: RunJson, tmp_path: Path) -> None:
    """Its config goes before the bug's own knobs, an option before both."""
    path = tmp_path / "requests.json"
    entries = [{"id": name, "prefill": 5, "max_tokens": 2} for name in ("X", "Y", "Z")]
    config = {"token_budget": 32, "usable_blocks": 5, "max_num_seqs": 9}
    path.write_text(json.dumps({"config": config, "requests": entries}), "utf-8")
    words = ["schedule", "--bug", "pooled-rounding", "--requests", str(path)]
    params = run_json(words)["params"]
    assert [params[key] for key in ("budget", "kv_blocks", "block_size", "max_num_seqs")] == [32, 5, 4, 9]
    assert params["prefix_caching"] is False  # the variant has no prefix cache
    first = run_json(words)["result"]["first"]
    assert (first["round"], first["used"], first["pooled"]) == (1, 6, 4)  # 3 x 2 blocks; 15 tokens are 4
    assert run_json([*words, "--kv-blocks", "6"])["result"]["first"] is None
    config["usable_blocks"] = 1
    path.write_text(json.dumps({"config": config, "requests": entries[:1]}), "utf-8")
    words[2] = "oversized"
    assert run_json(words)["result"]["first"]["needed"] == 2
    external = {"connector_answers": {"X": [[4, True]]}, "worker_reports": {}}
    path.write_text(json.dumps({"requests": entries, "external": external}), "utf-8")
    ran = run_lab(words)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "cannot stand beside --bug oversized" in ran.err


IN_A_CONFIG = [
    ("pooled-rounding", "prefix_caching", True),
    ("pooled-rounding", "watermark", 0.1),
    ("oversized", "watermark", 0.1),
    ("budget-before-hit", "prefix_caching", False),
]


@pytest.mark.parametrize(("bug", "knob", "value"), IN_A_CONFIG)
def test_a_config_is_refused_as_an_option_is(
    run_lab: RunLab, tmp_path: Path, bug: str, knob: str, value: object
) -> None:
    path = tmp_path / "requests.json"
    config = {"token_budget": 32, "usable_blocks": 50, knob: value}
    written = {"config": config, "requests": [{"id": "X", "prefill": 5, "max_tokens": 2}]}
    path.write_text(json.dumps(written, indent=1), "utf-8")
    ran = run_lab(["schedule", "--bug", bug, "--requests", str(path)])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {path}:5: {knob}: cannot stand beside --bug {bug} (got ")


def test_another_labs_bug() -> None:
    """The line says where it belongs; what is no bug at all is said as ever."""
    for lab, bug, other in (("schedule", "full-hit", "prefix"), ("prefix", "tpot-by-n", "schedule")):
        with pytest.raises(LabError) as caught:
            bug_reader(lab)(bug, "--bug")
        line = error_line(caught.value, "en")
        assert line.startswith("error: --bug: must be one of ")
        assert line.endswith(f"; {bug} is a bug of {other} (got {bug})")
        assert f"{bug} 是 {other} 的缺陷" in error_line(caught.value, "zh")
        assert bug_reader(other)(bug, "--bug") == bug
        with pytest.raises(LabError) as caught:
            bug_reader(lab)("nothing", "--bug")
        assert caught.value.rule == "not_one_of"


TWO = ["--request", "A:prefill=8,decode=4", "--request", "B:prefill=8,decode=4"]
KNOBS = ["--budget", "64", "--block-size", "4", "--kv-blocks", "5"]


def test_the_watermark_holds(run_json: RunJson) -> None:
    """A takes 2 of 5 blocks and B needs 2; with int(0.4 * 6) = 2 of the other 3 kept free, it has to wait."""
    for options, served in (([], ["A", "B"]), (["--watermark", "0.4"], ["A"])):
        words = ["schedule", *TWO, *KNOBS, *options]
        bug = run_json([*words, "--bug", "budget-before-hit"])["result"]
        assert [item["request"] for item in bug["right"]["rounds"][0]["work"]] == served
        assert bug["first"] is None
        lab = run_json([*words, "--rule", "vllm"])["result"]["rounds"]
        assert [round["work"] for round in bug["right"]["rounds"]] == [round["work"] for round in lab]


def test_params_are_those_of_the_lab(run_json: RunJson, tmp_path: Path) -> None:
    """A document can be played again: nothing that went in is left out, or written in another way."""
    path = tmp_path / "requests.json"
    entries = [
        {"id": "X", "prompt": [1, 2, 3, 4, 5, 6], "max_tokens": 2},
        {"id": "Y", "prefill": 6, "decode": "inf", "arrive": 2, "priority": 3},
    ]
    external = {"connector_answers": {"X": [[4, True]]}, "worker_reports": {"3": {"finished_recving": ["X"]}}}
    config = {"token_budget": 32, "usable_blocks": 50, "block_size": 4}
    path.write_text(json.dumps({"config": config, "requests": entries, "external": external}), "utf-8")
    words = ["schedule", "--requests", str(path), "--rounds", "30", "--rule", "vllm"]
    params = run_json([*words, "--bug", "in-flight-hit"])["params"]
    assert params.pop("bug") == "in-flight-hit"
    assert params == run_json(words)["params"]
    words = ["prefix", "--a", "1,2,3,4", "--hash-seed", "7", "--salt", "s", "--lora", "ad:/p"]
    params = run_json([*words, "--b", "1,2,3,4", "--bug", "full-hit"])["params"]
    assert params.pop("bug") == "full-hit"
    lab = run_json([*words, "--b", "1,2,3,4"])["params"]
    assert {key: lab[key] for key in params} == params
    assert set(lab) - set(params) == {"other_namespace"}


def test_long_runs_record_no_tables_for_nothing(run_lab: RunLab) -> None:
    """5000 rounds with a block a round: tables would hold 12.5 million ids, more than are allowed."""
    request = ["--request", "A:prefill=4,decode=inf", "--block-size", "1", "--rounds", "5000"]
    ran = run_lab(["schedule", "--bug", "tpot-by-n", *request])
    assert (ran.code, ran.err) == (0, "")
    ran = run_lab(["schedule", "--bug", "tpot-by-n", *request, "--json"])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: --rounds: ")


def test_the_pool_of_a_case_that_has_nothing_to_do_with_the_bug(run_json: RunJson) -> None:
    words = ["schedule", "--bug", "tpot-by-n"]
    assert run_json(words)["params"]["kv_blocks"] == 7
    assert run_json([*words, *A])["params"]["kv_blocks"] is None
    assert run_json([*words, *A, "--kv-blocks", "9"])["params"]["kv_blocks"] == 9


def test_a_load_that_is_never_reported(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "requests.json"
    entries = [
        {"id": "X", "prompt": [1, 2, 3, 4, 5, 6], "max_tokens": 2},
        {"id": "Y", "prompt": [1, 2, 3, 4, 7, 8], "max_tokens": 2},
    ]
    external = {"connector_answers": {"X": [[4, True]]}, "worker_reports": {}}
    path.write_text(json.dumps({"requests": entries, "external": external}), "utf-8")
    out = run_lab(["schedule", "--bug", "in-flight-hit", "--requests", str(path)]).out
    assert "invariant broken in round 1" in out
    assert "and no report ever comes" in " ".join(out.split())


def test_long_runs_are_cut_around_what_matters(run_lab: RunLab) -> None:
    words = ["schedule", "--bug", "oversized", "--request", "A:prefill=4,decode=200", "--kv-blocks", "40"]
    lines = run_lab(words).out.split("\n")
    rounds = [int(found[1]) for line in lines if (found := re.match(r"  (\d+) +(A|-)", line))]
    assert rounds[:5] == [1, 2, 3, 4, 5]
    assert 158 in rounds  # 160 tokens fit; the 161st is the 157th decode, after one round of prefill
    assert len(rounds) < 30
    assert any(line.startswith("  ...") for line in lines)


def test_the_default_run_of_a_lab_knows_nothing_of_bugs(root: Path) -> None:
    """Start-up: no module of a bug is loaded without `--bug`."""
    assert modules(root, "schedule", "--budget", "2", ours="labs.bugs.") == []
    assert modules(root, "schedule", "--budget", "2", ours="labs.schedule_bug") == []


def test_a_broken_look_up_needs_no_scheduler(root: Path) -> None:
    loaded = modules(root, "prefix", "--bug", "full-hit", ours="labs.")
    assert "labs.bugs.look_up" in loaded
    assert [name for name in loaded if name.startswith(("labs.engine.r", "labs.engine.kv."))] == []
    assert "labs.bugs.invariants" not in loaded


def modules(root: Path, *words: str, ours: str) -> list[str]:
    """The modules whose names begin so that a line loads."""
    code = (
        f"import sys, inference_lab; inference_lab.main({list(words)!r});"
        f"print(*[m for m in sys.modules if m.startswith({ours!r})], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, check=True, encoding="utf-8"
    )
    return done.stderr.split()


def test_equal_blocks_part_where_another_one_is_hit(run_lab: RunLab) -> None:
    """Blocks of A that hold the same tokens have one key without a chain: B's second hits A's first."""
    ran = run_lab(["prefix", "--bug", "unchained", "--a", "5,5,5,5", "--b", "5,5,5,5,5"])
    assert "first difference: block 1\n" in ran.out
    said = " ".join(ran.out.split())
    assert "B hits as many tokens here, 4, but in the blocks that were computed after the same tokens" in said


def test_who_resumes_and_finds_nothing(run_lab: RunLab) -> None:
    """B's blocks are taken by others before it resumes: only the queries are too many."""
    requests = ["A:prefill=6,decode=8", "B:prompt=1;2;3;4;5,decode=4", "C:prompt=1;2;3;4;7,decode=4"]
    words = [word for request in requests for word in ("--request", request)]
    said = " ".join(run_lab(["schedule", "--bug", "preempted-as-hits", *words]).out.split())
    assert "B resumes with 7 known tokens and finds 0 of them" in said
    assert "it finds nothing, but its 7 tokens are counted as queries once more" in said


def test_cells_hold_four_requests(run_lab: RunLab) -> None:
    out = run_lab(["schedule", "--bug", "in-flight-hit", "--external"]).out
    assert out.count("failed prefill 6 (4 there already), async loads") == 2
