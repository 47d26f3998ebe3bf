"""The engines' rules at the command line: a recorded run as a file of requests, its columns in the document.

Turned red by: a config key that is read as another knob, a knob that is dropped on the way, a column under
another name or in another order, an external entry that is not handed on, a knob taken by a rule without it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Golden, RunJson, RunLab

COLUMNS = (
    *("scheduled", "computed_before", "block_tables", "preempted", "resumed"),
    *("waiting_after_schedule", "finished", "free_queue_after_step"),
)
Write = Callable[[object], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a value as JSON; the path."""

    def write(value: object) -> str:
        path = tmp_path / "requests.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        return str(path)

    return write


def test_columns_are_those_of_the_recorded_runs(golden: Golden, write: Write, run_json: RunJson) -> None:
    file = golden("engine_fuzz.json")
    assert tuple(file["step_columns"]) == COLUMNS
    for case in file["scheduler"][::4]:
        path = write(case)  # as it is: results beside the requests are not read
        document = run_json(["schedule", "--rule", "vllm", "--requests", path])
        rounds = document["result"]["rounds"]
        assert [[round[column] for column in COLUMNS] for round in rounds] == case["steps"], case["seed"]


@pytest.mark.parametrize("mistake", [{"usable_blocks": 1}, {"policy": "fcfs"}, {"token_budget": 1}], ids=str)
def test_the_comparison_sees_a_knob_that_is_off(
    mistake: dict[str, Any], golden: Golden, write: Write, run_json: RunJson
) -> None:
    """The case is one in which pool, policy and budget all count."""
    cases = golden("engine_fuzz.json")["scheduler"]
    case = next(case for case in cases if case["mode"] == "tight" and case["preemptions"])
    config = {**case["config"]}
    for key, change in mistake.items():
        config[key] = config[key] + change if isinstance(change, int) else change
    path = write({"config": config, "requests": case["requests"]})
    rounds = run_json(["schedule", "--rule", "vllm", "--requests", path])["result"]["rounds"]
    assert [[round[column] for column in COLUMNS] for round in rounds] != case["steps"]


def external_file(case: dict[str, Any]) -> dict[str, Any]:
    """A recorded connector run as the lab's file of requests."""
    requests = [
        {key: value for key, value in request.items() if key != "after_step"}
        | {"arrive": request["after_step"] + 1}
        for request in case["requests"]
    ]
    known = ("usable_blocks", "block_size", "max_num_seqs", "prefix_caching", "long_prefill_token_threshold")
    return {
        "config": {key: case["config"][key] for key in ("budget", *known) if key in case["config"]},
        "requests": requests,
        "external": {
            "connector_answers": case["connector_answers"],
            "worker_reports": {
                str(row["step"]): row["worker_report"] for row in case["steps"] if "worker_report" in row
            },
            "kv_load_failure_policy": case["config"]["kv_load_failure_policy"],
            "blocks_outlive_request": case["blocks_outlive_request"],
        },
    }


@pytest.mark.parametrize(
    "name",
    [
        *(
            "miss",
            "sync_hit",
            "async_hit",
            "async_full_prompt_hit",
            "local_plus_external",
            "unknown_then_hit",
        ),
        *(
            "async_failure_recompute_second_block",
            "async_failure_recompute_first_block",
            "async_failure_fail",
        ),
        *("async_failure_recompute_reported_early", "failed_recving_recompute", "failed_recving_fail"),
        *("preempted_then_asked_again", "delayed_free", "load_capacity"),
    ],
)
def test_an_external_entry_gives_the_recorded_states(
    name: str, golden: Golden, write: Write, run_json: RunJson
) -> None:
    case = golden("kv_connector.json")[name]
    path = write(external_file(case))
    rounds = run_json(["schedule", "--rule", "vllm", "--requests", path])["result"]["rounds"]
    assert len(rounds) == len(case["steps"])
    for round, row in zip(rounds, case["steps"], strict=True):
        external = round["external"]
        assert dict(map(tuple, round["scheduled"])) == row["scheduled"]
        for states in ("after_schedule", "after_update"):
            assert {key: external[states][key] for key in row[states]} == row[states]
        for key in ("calls", "cached_blocks", "has_sync_kv_loads"):
            assert external[key] == row[key]


def test_the_lecture_shows_the_four_paths(run_json: RunJson, golden: Golden) -> None:
    """Each path's states are those of its recorded run, one after another."""
    rounds = run_json(["schedule", "--external"])["result"]["rounds"]
    recorded = {
        "miss": "miss",
        "sync": "sync_hit",
        "async": "async_hit",
        "failed": "async_failure_recompute_second_block",
    }
    for name, case in recorded.items():
        trace = ["WAITING"]
        for round in rounds:
            for states in ("after_schedule", "after_update"):
                status = round["external"][states][name][0]
                trace += [status] if trace[-1] != status else []
        assert trace == golden("kv_connector.json")[case]["status_trace"]["r"]
    scheduled = [dict(map(tuple, round["scheduled"])) for round in rounds]
    assert [row.get("async") for row in scheduled] == [None, None, None, 2, 1]
    assert [row.get("failed") for row in scheduled] == [None, None, 6, 1, None]
    assert [row.get("sync") for row in scheduled[:2]] == [2, 1]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            "--kv-blocks 4",
            "--kv-blocks: is no knob under --rule decode-first, which has --budget (--rule vllm has",
        ),
        ("--rule static --block-size 4", "--block-size: is no knob under --rule static"),
        ("--rule nano-vllm --watermark 0.1", "--watermark: is no knob under --rule nano-vllm"),
        ("--rule static --compare prefill-first --no-prefix-caching", "--prefix-caching: is no knob"),
        ("--rule vllm --watermark 1", "--watermark: must be a decimal fraction from 0 to below 1 (got 1)"),
        ("--rule vllm --watermark 1e-3", "--watermark: must be a decimal fraction"),
        ("--rule vllm --policy lifo", "--policy: must be one of fcfs, priority (got lifo)"),
        ("--rule vllm --compare vllm", "--compare: is the rule that runs already"),
        ("--rule nano-vllm --external", "--external: external KV needs --rule vllm"),
        (
            "--rule vllm --kv-blocks 4 --block-size 4 --max-model-len 20 --request A:prefill=3,decode=inf",
            "--kv-blocks: request A needs slots for 19 tokens at once: 5 blocks of 4",
        ),
        ("--external --request A:prefill=3", "--request: cannot stand beside --external"),
        (
            "--rule vllm --kv-blocks 1 --block-size 4",
            "--kv-blocks: request C needs slots for 12 tokens at once: 3 blo",
        ),
        (
            "--rule vllm --max-model-len 10",
            "--max-model-len: request C begins with 10 tokens, which leaves no",
        ),
        (
            "--rule vllm --kv-blocks 1 --request A:prefill=0,decode=1 --request B:prefill=0,decode=1",
            "--kv-blocks: re",
        ),
        ("--rule vllm --request A:prefill=3,abort=0", "--request: abort: must be at least 1 (got 0)"),
        (
            "--rule vllm --request A:prefill=3,arrival_time=soon",
            "--request: arrival_time: is not a number (got so",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(words: str, error: str, run_lab: RunLab) -> None:
    ran = run_lab(["schedule", *words.split()])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {error}")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ([], "external"),
        ({"answers": {}}, "external"),
        ({"connector_answers": {"nobody": [[1, True]]}}, "connector_answers"),
        ({"connector_answers": {"r": []}}, "r"),
        ({"connector_answers": {"r": [[-1, True]]}}, "r"),
        ({"connector_answers": {"r": [[1]]}}, "r"),
        ({"worker_reports": {"0": {}}}, "worker_reports"),
        ({"worker_reports": {"1": {"lost": []}}}, "1"),
        ({"worker_reports": {"1": {"finished_recving": ["r"]}}}, "step 1"),
        ({"kv_load_failure_policy": "retry"}, "kv_load_failure_policy"),
        ({"connector_answers": {"r": [[10, False]]}}, "answers"),
    ],
    ids=str,
)
def test_external_entries_that_cannot_be(entry: object, place: str, write: Write, run_lab: RunLab) -> None:
    path = write({"requests": [{"id": "r", "prefill": 10}], "external": entry})
    ran = run_lab(["schedule", "--rule", "vllm", "--requests", path])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {path}:1")
    assert place in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            "--kv-blocks 4 --block-size 4 --request A:prefill=3,decode=inf",
            "17 tokens by now, which need 5 blocks",
        ),
        ("--request A:prefill=30 --no-chunked-prefill", "30 tokens are more than the budget of 8"),
    ],
)
def test_a_run_that_would_wait_for_ever_ends_and_says_why(words: str, reason: str, run_lab: RunLab) -> None:
    ran = run_lab(["schedule", "--rule", "vllm", "--rounds", "100000", *words.split()])
    assert ran.code == 0
    assert "Stuck: from round" in ran.out
    assert reason in " ".join(ran.out.split())


def test_options_are_told_from_a_file_and_yield_to_the_line(write: Write, run_json: RunJson) -> None:
    config = {"usable_blocks": 9, "block_size": 2, "reserve_full_isl": False, "enable_chunked_prefill": False}
    path = write({"config": config, "requests": [{"id": "A", "prefill": 3}]})
    words = ["schedule", "--rule", "vllm", "--requests", path, "--kv-blocks", "7", "--chunked-prefill"]
    params = run_json(words)["params"]
    knobs = ("kv_blocks", "block_size", "full_prompt_must_fit", "chunked_prefill", "prefix_caching")
    assert [params[knob] for knob in knobs] == [7, 2, False, True, True]


def test_timeline_log_and_comparison_stand_beside_the_rounds(tmp_path: Path, run_json: RunJson) -> None:
    path = tmp_path / "run.json"
    words = ["schedule", "--rule", "vllm", "--log", "--compare", "nano-vllm", "--timeline", str(path)]
    result = run_json(words)["result"]
    assert result["log"][0]["event"] == "created"
    assert result["compare"]["round"] == 1
    assert json.loads(path.read_text(encoding="utf-8"))["otherData"]["rounds"] == 4


def test_a_timeline_that_cannot_be_written_is_one_line(tmp_path: Path, run_lab: RunLab) -> None:
    ran = run_lab(["schedule", "--timeline", str(tmp_path / "missing" / "run.json")])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: --timeline: ")
    assert list(tmp_path.iterdir()) == []


def test_a_run_in_which_others_finish_is_not_stuck(run_json: RunJson) -> None:
    """A preempts itself alone twice with as many known tokens in all, but B has finished in between."""
    words = (
        "--rule vllm --budget 7 --kv-blocks 13 --block-size 1 --no-prefix-caching --no-full-prompt-must-fit"
    )
    words += (
        " --long-prefill-threshold 4 --request A:prefill=2,decode=inf --request B:prefill=1,decode=2,arrive=8"
    )
    words += " --request C:prefill=2,decode=2,arrive=7 --request D:prefill=1,decode=2,arrive=12"
    words += " --request E:prefill=3,decode=1,arrive=14 --request F:prefill=1,decode=2"
    result = run_json(["schedule", *words.split()])["result"]
    assert [row["name"] for row in result["requests"] if not row["finished"]] == ["A"]
    assert result["stuck"] > 21


@pytest.mark.parametrize(
    ("rule", "token", "outputs"), [("vllm", 1082, 1), ("vllm", 7005, 101), ("nano-vllm", 7005, 2)]
)
def test_each_engine_stops_at_its_own_sampled_tokens(
    rule: str, token: int, outputs: int, run_json: RunJson
) -> None:
    """A's first outputs after four tokens: 1082, 1099 in vLLM's recorded runs, 7004, 7005 in nano-vllm's."""
    request = f"A:prefill=4,decode=100,stop_token_ids={token}"
    result = run_json(["schedule", "--rule", rule, "--request", request, "--log"])["result"]
    assert len(result["rounds"]) == outputs
    reason = next(event["reason"] for event in result["log"] if event["event"] == "finished")
    assert reason == ("length" if outputs == 101 else "stop")


def test_the_second_rule_gets_the_knobs_that_it_has(run_json: RunJson) -> None:
    """nano-vllm knows no max_model_len: A goes on there, and stops at eight tokens under vllm."""
    words = [
        "--rule",
        "vllm",
        "--compare",
        "nano-vllm",
        "--max-model-len",
        "8",
        "--request",
        "A:prefill=4,decode=9",
    ]
    compared = run_json(["schedule", *words])["result"]["compare"]
    assert (compared["round"], compared["reason"]["kind"]) == (5, "ended")


def test_a_hit_is_noted_in_long_runs_too(run_lab: RunLab) -> None:
    words = "--rule vllm --block-size 2 --request A:prefill=0,decode=200 --request B:prompt=1;2;3;4,decode=1"
    words += " --request C:prompt=1;2;3;4;5,arrive=9,decode=90"
    assert "C starts with 4 tokens there already" in run_lab(["schedule", *words.split()]).out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            "--rule static --budget 4 --request A:prefill=4 --request B:prefill=4",
            "the budget of 4 is used up by A",
        ),
        (
            "--rule nano-vllm --budget 2 --max-num-seqs 2" + 3 * " --request {}:prefill=0,decode=2",
            "max_num_seqs 2 is reached",
        ),
    ],
)
def test_the_limit_that_holds_is_named(words: str, reason: str, run_lab: RunLab) -> None:
    assert reason in " ".join(run_lab(["schedule", *words.format(*"ABC").split()]).out.split())


def test_a_time_of_too_many_digits_is_refused(run_lab: RunLab) -> None:
    ran = run_lab(
        ["schedule", "--rule", "vllm", "--request", f"A:prefill=3,arrival_time={'9' * 400}", "--json"]
    )
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: --request: arrival_time: has more than 18 digits")


def test_a_large_pool_has_a_log_and_a_timeline(tmp_path: Path, run_lab: RunLab) -> None:
    """Neither shows the free queue, which is as long as the pool."""
    words = ["--kv-blocks", "1000000", "--request", "A:prefill=400,decode=2", "--log"]
    ran = run_lab(["schedule", "--rule", "vllm", *words, "--timeline", str(tmp_path / "run.json")])
    assert (ran.code, ran.err) == (0, "")


def test_the_starved_are_told_what_starves_them(run_lab: RunLab) -> None:
    """A batch that never ends, not a budget that is used up; decodes, not prefills, behind prefill-first."""
    endless = "--request A:prefill=0,decode=inf --request C:prefill=10,decode=2 --rounds 6"
    static = " ".join(
        run_lab(["schedule", "--rule", "static", "--budget", "9", *endless.split()]).out.split()
    )
    assert "At the end the batch of A runs" in static
    assert "whole budget" not in static
    two = "--budget 2 --request A:prefill=0,decode=inf --request B:prefill=0,decode=inf"
    words = ["schedule", "--rule", "prefill-first", *two.split(), "--request", "C:prefill=10,decode=2"]
    text = " ".join(run_lab([*words, "--rounds", "30"]).out.split())
    assert "starve whoever stands behind it" in text


def test_a_failed_load_under_the_policy_fail_is_no_finish(write: Write, run_json: RunJson) -> None:
    entry = {
        "connector_answers": {"r": [[8, True]]},
        "worker_reports": {"2": {"finished_recving": ["r"], "failed_recving": ["r"]}},
    }
    config = {"budget": 16, "usable_blocks": 31, "block_size": 4}
    path = write({"config": config, "requests": [{"id": "r", "prefill": 10}], "external": entry})
    (row,) = run_json(["schedule", "--rule", "vllm", "--requests", path])["result"]["requests"]
    assert (row["finished"], row["failed"]) == (False, True)


def test_the_file_that_is_read_is_not_written_over(write: Write, run_lab: RunLab) -> None:
    path = write({"requests": [{"id": "r", "prefill": 10}]})
    ran = run_lab(["schedule", "--requests", path, "--timeline", path])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: --timeline: is the file that is read")


def test_what_would_fill_the_memory_is_refused_soon(tmp_path: Path, run_lab: RunLab) -> None:
    """Thousands wait in every round, and the log would name them all."""
    path = tmp_path / "many.jsonl"
    lines = [json.dumps({"id": f"r{number}", "prefill": 128, "decode": 512}) for number in range(5000)]
    path.write_text("\n".join(lines), encoding="utf-8")
    ran = run_lab(["schedule", "--rule", "vllm", "--requests", str(path), "--rounds", "100000", "--log"])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: --rounds: up to this round the tables and queues")


@pytest.mark.parametrize(
    "words",
    [
        "--rule vllm --kv-blocks 12 --block-size 2 --request A:prefill=4,decode=12",
        "--rule nano-vllm --block-size 3 --budget 4 --request A:prefill=3,decode=9 --request B:prefill=2",
    ],
)
def test_the_chart_shows_the_blocks_of_every_round(words: str, run_lab: RunLab, run_json: RunJson) -> None:
    """Also in rounds that were taken at once."""
    rounds = run_json(["schedule", *words.split()])["result"]["rounds"]
    chart = next(
        line for line in run_lab(["schedule", *words.split()]).out.splitlines() if "  blocks  " in line
    )
    assert chart.split()[1:] == [str(round["used_blocks"]) for round in rounds]


def test_a_load_that_fails_within_its_step_is_no_hit(write: Write, run_lab: RunLab) -> None:
    entry = {
        "connector_answers": {"r": [[8, False]]},
        "worker_reports": {"1": {"invalid_block_ids": [2]}},
        "kv_load_failure_policy": "recompute",
    }
    config = {"budget": 16, "usable_blocks": 31, "block_size": 4}
    path = write({"config": config, "requests": [{"id": "r", "prefill": 10}], "external": entry})
    text = run_lab(["schedule", "--rule", "vllm", "--requests", path]).out
    assert "the load of r fails: 6 tokens withdrawn" in text
    assert "there already" not in text
