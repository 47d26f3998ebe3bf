"""The text of each lab, byte for byte, in both languages, against the files in this folder.

`INFERENCE_LAB_REWRITE=1 pytest tests/expected` writes the files anew; read the difference before you
commit it. What is promised is not taken from these files, but typed in `tests/documented.py`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import inference_lab
from tests.documented import DOCUMENTED

HERE = Path(__file__).parent
LOGS, CONFIGS, TRACES = "tests/cases/logs", "tests/cases/configs", "tests/cases/traces"
COMMANDS = {
    **{lab: lab for lab in ("attention", "prefix", "schedule", "capacity", "all")},
    "attention-sabotage": "attention --tokens 8 --sabotage stale",
    "attention-blockwise": "attention --dtype bfloat16 --heads 2 --dim 4 --blockwise --chunk 3"
    " --block-size 3",
    "prefix-equal": "prefix --a 1,2,3,4 --b 1,2,3,4 --scheme sha256_cbor",
    "prefix-salt": "prefix --salt tenant-a --lora ad:/p --b 1,2,3",
    "prefix-groups": "prefix groups",
    "prefix-groups-evicting": "prefix groups --kv-blocks 5",
    "prefix-groups-whole": "prefix groups --prompt 1,2,3,4,5,6,7,8 --before 1,2,3,4,9",
    "prefix-replay": f"prefix replay {TRACES}/chats.jsonl",
    "prefix-replay-content": f"prefix replay {TRACES}/chats.jsonl --ids content --capacity 5,20,inf",
    "schedule-replay": f"schedule replay {TRACES}/lengths.csv",
    "schedule-replay-blocks": f"schedule replay {TRACES}/chats.jsonl --sweep-blocks 9,12,16,20,30,60",
    "schedule-replay-rates": "schedule replay --random 200 --sweep-rate 1,4,8,16,32,inf"
    " --goodput ttft:200 tpot:50",
    "schedule-bench": "schedule bench tests/golden/bench_detailed.json --goodput ttft:200 tpot:50",
    "schedule-bench-summary": "schedule bench tests/golden/bench_summary_concurrency4.json",
    "schedule-log": "schedule --rule vllm --kv-blocks 7 --block-size 2 --log",
    "schedule-compare": "schedule --rule vllm --compare nano-vllm",
    "schedule-external": "schedule --external",
    "schedule-static": "schedule --rule static --max-num-seqs 1",
    "schedule-budget-2": "schedule --budget 2",
    "schedule-starved": "schedule --budget 2 --request A:prefill=0,decode=inf --request"
    " B:prefill=0,decode=inf --request C:prefill=10,decode=2 --request D:prefill=2,decode=1,arrive=2",
    **{
        f"{lab}-bug-{bug}": f"{lab} --bug {bug}"
        for lab, bug in (
            *(("prefix", bug) for bug in ("full-hit", "unchained")),
            *(("schedule", bug) for bug in ("in-flight-hit", "budget-before-hit", "preempted-as-hits")),
            *(("schedule", bug) for bug in ("pooled-rounding", "tpot-by-n", "oversized")),
        )
    },
    "capacity-table": "capacity --table",
    "capacity-shared": "capacity --concurrency 10 --shared-prefix 1000 --tp 2 --kv-dtype fp8",
    "capacity-windows": "capacity --model gpt-oss-20b",
    "capacity-fit": "capacity fit",
    "capacity-fit-windows": f"capacity fit --config {CONFIGS}/gemma-4-31b.json --tp 4"
    " --gpu 80GiB --weights 16GiB",
    "capacity-fit-states": f"capacity fit --config {CONFIGS}/qwen3.5-27b.json --tp 2 --kv-dtype fp8"
    " --kv-memory 4.99GB --max-model-len 131072",
    "capacity-fit-stages": f"capacity fit --config {CONFIGS}/qwen3-30b-a3b.json --pp 2 --pp-partition 16,32"
    " --kv-memory 4GiB,8GiB --max-model-len 32768",
    "capacity-fit-too-long": "capacity fit --model llama-3-8b --kv-memory 1GiB --max-model-len 8192",
    "capacity-log-budget": f"capacity log {LOGS}/cap-13.log --config {CONFIGS}/llama-3.1-8b.json",
    "capacity-log-older": f"capacity log {LOGS}/cap-43.log --config {CONFIGS}/gpt-oss-120b.json",
    "capacity-log-newer": f"capacity log {LOGS}/cap-46.log --config {CONFIGS}/qwen3.5-27b.json",
    "capacity-log-refusal": f"capacity log {LOGS}/cap-30.log --config {CONFIGS}/llama-3.1-8b.json",
    "capacity-log-no-config": f"capacity log {LOGS}/cap-61.log",
    "capacity-fetch": "capacity fetch",
    "capacity-fetch-links": "capacity fetch --model llama-3-8b --tokens 8192 --bandwidth 100Gbit/s --links 4"
    " --host-limit 256Gbit/s --recompute-rate 8ktok/s",
}


def printed(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert inference_lab.main(words) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def compare(name: str, text: str) -> None:
    path = HERE / name
    if os.environ.get("INFERENCE_LAB_REWRITE"):
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", COMMANDS)
def test_text(
    name: str, lang: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE.parents[1])
    compare(f"{name}.{lang}.txt", printed(["--lang", lang, *COMMANDS[name].split()], capsys))


def test_json_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    compare("all.json", printed(["--json", "all"], capsys))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_documented_lines_stand_alone_and_in_order(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(["all", "--lang", lang], capsys).splitlines()
    found = [line for line in lines if line in DOCUMENTED[lang]]
    assert found == DOCUMENTED[lang]


def test_every_file_here_belongs_to_a_command() -> None:
    names = {f"{name}.{lang}.txt" for name in COMMANDS for lang in ("en", "zh")} | {"all.json"}
    assert {path.name for path in HERE.iterdir() if path.suffix in (".txt", ".json")} == names
