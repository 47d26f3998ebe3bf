"""The course's table, its three questions and every reading of the third, and rows of one's own.

All expected numbers are typed from the course.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunJson, RunLab

TABLE = {
    "Llama-3-8B": ["32 MiB", "128 MiB", "768 MiB"],
    "Qwen2.5-7B": ["14 MiB", "56 MiB", "336 MiB"],
    "Llama-3-70B": ["80 MiB", "320 MiB", "1920 MiB"],
}
READINGS = {  # card, weights, utilisation -> requests; all as the course has them
    ("80 GiB", "16 GiB", "1.00"): "85",
    ("80 GB", "16 GB", "1.00"): "79",
    ("80 GiB", "16 GiB", "0.90"): "74",
    ("80 GB", "16 GB", "0.90"): "69",
    ("80 GiB", "16 GB", "1.00"): "86",
    ("80 GiB", "16 GB", "0.90"): "76",
}


def lines(run_lab: RunLab, words: str, lang: str = "en") -> list[str]:
    ran = run_lab(["--lang", lang, "capacity", *words.split()])
    assert (ran.code, ran.err) == (0, ""), ran
    return ran.out.splitlines()


def cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_table_and_readings(lang: str, run_lab: RunLab) -> None:
    shown = lines(run_lab, "--table", lang)
    rows = {cells(line)[0]: cells(line)[-3:] for line in shown if cells(line)[0] in TABLE}
    assert rows == TABLE
    found = {}
    for line in shown:
        parts = cells(line)
        if len(parts) == 6 and parts[0].isdigit():
            found[parts[1], parts[2], parts[3]] = parts[0]
            assert parts[5]
    assert found == READINGS
    assert {"  768 MiB", "  12.5 GiB"} <= set(shown)
    questions = [line for line in shown if line.startswith(("Question ", "问题 "))]
    assert ["Llama-3-8B" in line for line in questions] == [True, True, True]


def test_table_as_json(run_json: RunJson) -> None:
    result = run_json(["capacity", "--table", "--model", "qwen3-8b"])["result"]
    rows = {row["model"]: row["kv_bytes"] for row in result["table"]["rows"]}
    assert rows["llama-3-70b"] == {"A": 80 << 20, "B": 320 << 20, "C": 1920 << 20}
    assert rows["qwen3-8b"]["C"] == 6144 * 147456
    assert result["table"]["request_bytes"] == 768 << 20
    assert result["table"]["concurrent_bytes"] == 100 * (128 << 20)
    assert [reading["requests"] for reading in result["table"]["readings"]] == [85, 79, 74, 69, 86, 76]


def test_table_follows_the_dtype(run_lab: RunLab) -> None:
    """At 8 bits all halve, and the binary reading is (80 - 16) GiB / 384 MiB = 170.67."""
    shown = lines(run_lab, "--table --kv-dtype fp8")
    assert any(cells(line)[-3:] == ["16 MiB", "64 MiB", "384 MiB"] for line in shown)
    assert any(cells(line)[0] == "170" for line in shown)


def test_a_model_of_the_table_is_not_shown_twice(run_lab: RunLab) -> None:
    for name in TABLE:
        assert sum(cells(line)[0] == name for line in lines(run_lab, f"--table --model {name}")) == 1


def test_own_model_is_a_fourth_row(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"n_layer": 12, "n_head": 12, "n_embd": 768}))
    for words, first in (
        (f"--config {path}", "mine.json"),
        ("--layers 12", "yours"),
        ("--model qwen3-8b", "qwen3-8b"),
    ):
        shown = lines(run_lab, f"--table {words}")
        assert sum(cells(line)[0].endswith(first) for line in shown) == 1
