"""Small promises of the entry point that a reader only meets by accident."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from labs.base import LabError
from labs.command_line import language_asked_for
from labs.view.errors import error_line

if TYPE_CHECKING:
    import subprocess

    RunLab = Callable[[Sequence[str]], Any]
    RunProcess = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--json"], "error: --json: needs a command, such as all (got nothing)\n"),
        (["capacity", "--lengths", "-5,3"], "error: --lengths: must be at least 1 (got -5)\n"),
        (["prefix", "--namespace", ""], "error: --namespace: must not be empty (got nothing)\n"),
        (["attention", "--block-size", "999999"], "error: --block-size: must be at most 512 (got 999999)\n"),
        (["--budget", "2", "schedule"], None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_errors_that_name_what_was_typed(words: list[str], line: str | None, run_lab: RunLab) -> None:
    ran = run_lab(words)
    assert (ran.code, ran.out) == (2, "")
    if line is None:
        assert ran.err.startswith("error: --budget: stands before a command's name")
    else:
        assert ran.err == line


@pytest.mark.parametrize(
    ("got", "shown"),
    [
        (None, "nothing"),
        ([1, "a"], '[1, "a"]'),
        (True, "true"),
        ("a\tb", "a\\tb"),
        ({"k": None}, '{"k": null}'),
    ],
)
def test_what_was_got_is_shown_as_json_on_one_line(got: object, shown: str) -> None:
    assert (
        error_line(LabError("--x", "is_empty", got), "en") == f"error: --x: must not be empty (got {shown})"
    )


@pytest.mark.parametrize(
    ("encoding", "lang"), [("utf-8", "zh"), ("gbk", "zh"), (None, "zh"), ("ascii", "en"), ("latin-1", "en")]
)
def test_the_environment_yields_where_the_output_has_no_chinese(encoding: str | None, lang: str) -> None:
    assert language_asked_for(["all"], {"LANG": "zh_CN.UTF-8"}, encoding) == lang
    assert language_asked_for(["all", "--lang", "zh"], {}, encoding) == "zh"


@pytest.mark.parametrize("flag", ["-I", "-O", "-OO"])
def test_any_way_to_start_python_gives_the_same(flag: str, run_process: RunProcess) -> None:
    plain, other = run_process(["all"]), run_process(["all"], flags=[flag])
    assert (other.returncode, other.stderr) == (0, b"")
    assert other.stdout == plain.stdout


def test_a_run_that_would_take_minutes_is_refused(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    lines = [json.dumps({"id": f"r{number}", "prefill": 1000}) for number in range(2000)]
    path.write_text("\n".join(lines), encoding="utf-8")
    ran = run_lab(["schedule", "--requests", str(path), "--rounds", "1000"])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: --rounds: the run takes more than 1000000 steps")


@pytest.mark.parametrize("rule", ["decode-first", "vllm"])
def test_a_document_of_gigabytes_is_refused(rule: str, run_lab: RunLab, tmp_path: Path) -> None:
    """The text of such a run is short, since its rounds are alike; JSON has each of them."""
    path = tmp_path / "endless.jsonl"
    lines = [json.dumps({"id": f"r{number}", "prefill": 0, "decode": "inf"}) for number in range(500)]
    path.write_text("\n".join(lines), encoding="utf-8")
    words = ["schedule", "--rule", rule, "--requests", str(path), "--rounds", "100000"]
    assert "Rounds 1-100000, each: r0 decode 1" in run_lab(words).out
    ran = run_lab([*words, "--json"])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: --json: would hold more than 5000000 entries")


def test_very_many_matches_are_cut_in_the_text_only(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(" ".join(map(str, range(3000))), encoding="utf-8")
    words = ["prefix", "--a", f"@{path}", "--b", f"@{path}", "--block-size", "1"]
    line = next(line for line in run_lab(words).out.splitlines() if line.startswith("block matches: "))
    assert line.count("True") == 1024
    assert line.endswith(" ... (1976 more, see --json)]")
    assert len(json.loads(run_lab([*words, "--json"]).out)["result"]["matches"]) == 3000
