"""`prefix replay` as it is asked and as it answers: options, JSON, CSV, and what its text says of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import labs.prefix_replay as lab
from labs.base import LabError
from labs.files.traces import read_trace
from labs.replay.capacities import ladder, read_capacities

LINES = [(0, 1500, [0, 1, 2]), (5, 1500, [0, 1, 2]), (9, 600, [0, 3])]
UNCHAINED = [*LINES, (9, 600, [3, 1])]
KEYS = [
    "capacity_blocks",
    "blocks",
    "hit_blocks",
    "hit_tokens",
    "hit_rate_blocks",
    "hit_rate_tokens",
    "hit_rate_whole_blocks",
    "hit_rate_requests",
    "evicted",
]


def trace_file(folder: Path, lines: list[tuple[int, int, list[int]]]) -> str:
    path = folder / "t.jsonl"
    names = ("timestamp", "input_length", "output_length", "hash_ids")
    rows = [json.dumps(dict(zip(names, (at, length, 7, ids)))) for at, length, ids in lines]
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return str(path)


def replayed(path: str, **given: Any) -> lab.Result:
    return lab.run(lab.params(trace=[read_trace(path, "TRACE")], **given))


def test_json(tmp_path: Path) -> None:
    """Of 3600 tokens in 8 blocks 4 are hit: 3 of 3 (1500 tokens, 1024 in whole blocks), and 1 of 2 (512)."""
    path = trace_file(tmp_path, LINES)
    whole = lab.document(replayed(path, capacity=(3, None)))
    assert whole["params"] == {
        "trace": path,
        "ids": None,
        "capacity": [3, None],
        "block_tokens": 512,
        "csv": None,
    }
    result = whole["result"]
    assert (result["kind"], result["ids"], result["not_chained"]) == ("mooncake", "chained", None)
    assert [list(row) for row in result["capacities"]] == [KEYS, KEYS]
    rates = [0.5, 0.558889, 0.426667, 0.5]
    assert list(result["capacities"][0].values()) == [3, 8, 4, 2012, *rates, 1]
    assert list(result["capacities"][1].values()) == [None, 8, 4, 2012, *rates, 0]
    assert json.loads(json.dumps(whole, allow_nan=False)) == whole


def test_csv(tmp_path: Path) -> None:
    target = str(tmp_path / "curve.csv")
    files = lab.files(replayed(trace_file(tmp_path, LINES), capacity=(3,), csv=target))
    assert list(files) == ["--csv"]
    path, content = files["--csv"]
    header, *rows = content.splitlines()
    assert (path, header) == (target, ",".join(KEYS))
    assert rows[0] == "1,8,0,0,0.000000,0.000000,0.000000,0.000000,7"
    assert [row.split(",")[0] for row in rows] == ["1", "2", "3", "inf"]
    assert rows[-1] == "inf,8,4,2012,0.500000,0.558889,0.426667,0.500000,0"
    assert lab.files(replayed(trace_file(tmp_path, LINES))) == {}


SAYS = {
    "chained": (LINES, {}, ["4 of 8 blocks (50.00 %)", "counts 476 tokens less", "--capacity 3,inf"]),
    "unchained": (UNCHAINED, {}, ["id 3 stands first in line 4 and after 0 in line 3", "Not servable"]),
    "believed": (UNCHAINED, {"ids": "chained"}, ["Warning", "as --ids says", "--ids content (predict"]),
    "nothing": ([(0, 9, [1]), (0, 9, [2])], {}, ["All 2 blocks", "0.00 % everywhere", "all arrive at once"]),
    "asked": (LINES, {"capacity": (2,)}, ["the whole curve"]),
    "other-blocks": ([(0, 3, [1, 2])], {"block_tokens": 2}, ["min(2 x h, n)", " --block-tokens 2"]),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "given", "says"), SAYS.values(), ids=SAYS)
def test_text(
    tmp_path: Path, lines: list[tuple[int, int, list[int]]], given: dict[str, Any], says: list[str]
) -> None:
    result = replayed(trace_file(tmp_path, lines), **given)
    english, chinese = lab.render(result, "en"), lab.render(result, "zh")
    assert [word for word in says if word not in " ".join(english.split())] == []
    for text in (english, chinese):
        order = [
            text.index(word)
            for word in ("prefix replay", "\nmeasured", "\ncounted", "python3 inference_lab.py")
        ]
        assert order == sorted(order)
        assert all(f"\n  {name} " in text for name in ("blocks", "tokens", "whole blocks", "requests"))
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
    assert english.isascii()


def test_the_chart_is_the_curve(tmp_path: Path) -> None:
    """Three capacities below the four blocks; full width is what no limit gives."""
    text = lab.render(replayed(trace_file(tmp_path, LINES)), "en")
    bars = [line.count("#") for line in text.splitlines() if line.endswith("|")]
    assert bars == [0, 0, 50]  # 1 and 2 blocks hold no head: three come between


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "token-ids-are-asked-of-block-ids": ({"ids": "tokens"}, "--ids", "ids_not_of_trace"),
    "no-tokens-a-block": ({"block_tokens": 0}, "--block-tokens", "at_least"),
}


@pytest.mark.parametrize(("given", "where", "rule"), REFUSED.values(), ids=REFUSED)
def test_refused(tmp_path: Path, given: dict[str, Any], where: str, rule: str) -> None:
    with pytest.raises(LabError) as caught:
        replayed(trace_file(tmp_path, LINES), **given)
    assert (caught.value.where, caught.value.rule) == (where, rule)


def test_a_trace_is_demanded(tmp_path: Path) -> None:
    trace = read_trace(trace_file(tmp_path, LINES), "TRACE")
    for traces in ([], [trace, trace], None):
        with pytest.raises(LabError, match="needs_trace"):
            lab.params(trace=traces)


def test_the_trace_is_not_written_over(tmp_path: Path) -> None:
    path = trace_file(tmp_path, LINES)
    with pytest.raises(LabError, match="is_an_input"):
        replayed(path, csv=path)


def test_lengths_alone_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "azure.csv"
    path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44", "utf-8")
    with pytest.raises(LabError) as caught:
        replayed(str(path))
    assert (caught.value.where, caught.value.rule) == (f"{path}:1", "trace_without_ids")


def test_tokens_only_as_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokens.jsonl"
    path.write_text('{"tokens": [1, 2, 3]}\n{"tokens": [1, 2, 3]}\n{"tokens": [1, 2]}\n', "utf-8")
    for ids in ("chained", "content"):
        with pytest.raises(LabError, match="ids_not_of_trace"):
            replayed(str(path), ids=ids)
    result = replayed(str(path), block_tokens=2)
    assert (result.ids, result.endless.hit_blocks, result.facts.first_block_zero) == ("tokens", 3, None)


def test_capacities() -> None:
    assert read_capacities("1000,50000,inf", "--capacity") == (1000, 50000, None)
    assert read_capacities(" 7 , 7", "--capacity") == (7, 7)
    for text in (
        "",
        "0",
        "-1",
        "1,,2",
        "1.5",
        "1e3",
        "INF",
        "inf,",
        "1" * 19,
        str(10**12 + 1),
        "1," * 100 + "1",
    ):
        with pytest.raises(LabError) as caught:
            read_capacities(text, "--capacity")
        assert caught.value.where == "--capacity"


@pytest.mark.parametrize(
    ("num_keys", "steps"),
    [
        (1, (None,)),
        (2, (1, None)),
        (10, (1, 2, 5, None)),
        (10**4, (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, None)),
    ],
)
def test_ladder(num_keys: int, steps: tuple[int | None, ...]) -> None:
    assert ladder(num_keys) == steps
