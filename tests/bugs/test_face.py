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

from labs.bugs import BUGS
from labs.view.bug_parts import NEXT
from labs.view.catalog.bugs import INVARIANTS

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
    assert (result["bug"], result["invariant"]) == (bug, BUGS[bug].invariant)
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
    ["schedule", "--bug", "oversized", "--request", "A:prefill=4,decode=inf", "--rounds", "30"],
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
    (["schedule", "--bug", "full-hit"], "--bug: must be one of in-flight-hit, "),
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
    config = {"token_budget": 32, "usable_blocks": 5, "prefix_caching": True}
    path.write_text(json.dumps({"config": config, "requests": entries}), "utf-8")
    words = ["schedule", "--bug", "pooled-rounding", "--requests", str(path)]
    params = run_json(words)["params"]
    assert [params[key] for key in ("budget", "kv_blocks", "block_size")] == [32, 5, 4]
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
    code = (
        "import sys, inference_lab; inference_lab.main(['schedule', '--budget', '2']);"
        "sys.exit(any(m.startswith('labs.bugs.') or 'schedule_bug' in m for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, check=False)
    assert done.returncode == 0
