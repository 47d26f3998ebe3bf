"""Reading benchmark results: every form, with prose around, and files that are none.

What is refused names the file and the line; nothing but `LabError` is raised, whatever the bytes.
"""

from __future__ import annotations

import gzip
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.files import bench_result
from labs.files.bench_block import read_blocks
from labs.files.bench_result import BenchResult, read_results
from labs.replay.bench.reading import read
from tests.schedule.bench_check import TESTS, block_text, detailed, queued, result_of

SUMMARY: dict[str, Any] = {
    "completed": 50,
    "duration": 6.86,
    "total_input_tokens": 12180,
    "total_output_tokens": 11502,
    "request_throughput": 7.29,
    "input_throughput": 1775.38,
    "output_throughput": 1676.56,
    "mean_ttft_ms": 232.39,
    "mean_tpot_ms": 11.41,
    "mean_itl_ms": 9.54,
}


def written(folder: Path, content: str | bytes, name: str = "result.json") -> str:
    """The path of a new file."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def refused(path: str) -> LabError:
    with pytest.raises(LabError) as caught:
        read_results(path, "RESULT")
    return caught.value


@pytest.mark.parametrize("name", ["bench_detailed.json", "bench_summary_concurrency4.json"])
def test_the_files_of_the_engine(name: str) -> None:
    """Form, generation, settings; figures in full."""
    (result,) = read_results(str(TESTS / "golden" / name), "RESULT")
    is_detailed = name == "bench_detailed.json"
    assert result.form == ("json_detailed" if is_detailed else "json_summary")
    assert (result.tool, result.generation, result.places) == ("vllm", "2025/26", None)
    assert result.settings["request_rate"] == (12 if is_detailed else "inf")
    assert result.settings.get("max_concurrency") == (None if is_detailed else 4)
    assert ("request_goodput" in result.figures) == is_detailed  # null is not asked for, 0 is 0


def test_figures_and_places() -> None:
    """Two decimals stand for half a hundredth either way; counts for themselves."""
    result = result_of(SUMMARY)
    assert result.figures["duration"] == Fraction("6.86")
    assert (result.places, result.half("duration"), result.half("completed")) == (
        2,
        Fraction(1, 200),
        Fraction(0),
    )


@pytest.mark.parametrize(
    ("key", "name"),
    [
        pytest.param("request_inthroughput", "request_throughput", id="misspelt-2024-03"),
        pytest.param("request_goodput:", "request_goodput", id="colon-2024-10"),
        pytest.param("mean_e2e_latency_ms", "mean_e2el_ms", id="sglang-e2e"),
        pytest.param("total_throughput", "total_token_throughput", id="sglang-total"),
        pytest.param("p99.9_ttft_ms", "p99.9_ttft_ms", id="percentile-of-choice"),
    ],
)
def test_old_and_other_names(key: str, name: str) -> None:
    """One name each."""
    assert result_of({"completed": 1, "duration": 2.0, key: 1.5}).figures[name] == Fraction(3, 2)


@pytest.mark.parametrize(
    ("keys", "generation"),
    [
        pytest.param({"average_latency_s": 1.0}, "2023", id="2023"),
        pytest.param({"mean_ttft_ms": 1.0}, "2024-03", id="2024-03"),
        pytest.param({"mean_ttft_ms": 1.0, "mean_itl_ms": 1.0}, "2024-06", id="2024-06"),
        pytest.param({"input_throughput": 1.0, "request_goodput:": None}, "2024-10", id="2024-10"),
        pytest.param({"total_token_throughput": 1.0, "request_goodput": 1.0}, "late 2024", id="late-2024"),
        pytest.param({"max_output_tokens_per_s": 1.0}, "2025-08", id="2025-08"),
        pytest.param({"failed": 0, "max_concurrent_requests": 1}, "2025-10", id="2025-10"),
        pytest.param({"failed": 0, "rtfx": 0.0}, "2025/26", id="2025-26"),
        pytest.param({"mean_e2e_latency_ms": 1.0, "failed": 0}, "sglang", id="sglang"),
    ],
)
def test_generations(keys: dict[str, Any], generation: str) -> None:
    """The newest field dates a result; SGLang's are its own."""
    assert result_of({"completed": 1, "duration": 1.0, **keys}).generation == generation


NEW_BLOCK = """\
tip: install termplotlib and gnuplot to plot the metrics
============ Serving Benchmark Result ============
Successful requests:                     1,000
Failed requests:                         2
Maximum request concurrency:             64
Request rate configured (RPS):           16.00
Benchmark duration (s):                  100.00
Total input tokens:                      128000
Total generated tokens:                  64000
Request throughput (req/s):              10.00
Output token throughput (tok/s):         640.00
Peak output token throughput (tok/s):    900.00
Peak concurrent requests:                70.00
Total token throughput (tok/s):          1920.00
---------------Time to First Token----------------
Mean TTFT (ms):                          120.50
Median TTFT (ms):                        110.25
P99 TTFT (ms):                           300.75
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          20.00
---------------Inter-token Latency----------------
Mean ITL (ms):                           20.10
----------------End-to-end Latency----------------
P99.9 E2EL (ms):                         2000.00
==================================================
"""


def test_the_newest_block() -> None:
    """Its settings stand in it."""
    (result,) = read_blocks(NEW_BLOCK, "x")
    assert (result.form, result.generation, result.line, result.places) == ("printed", "2025/26", 3, 2)
    assert result.settings == {"max_concurrency": 64, "request_rate": 16}
    assert result.figures["completed"] == 1000
    assert result.figures["p99.9_e2el_ms"] == 2000
    assert result.figures["max_concurrent_requests"] == 70
    assert read(result).holds


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: "> " + text.replace("\n", "\n> "), id="quoted"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="crlf"),
        pytest.param(lambda text: "\ufeff" + text, id="byte-order-mark"),
        pytest.param(
            lambda text: "我的压测结果如下：\n```\n" + text + "```\nTTFT 偏高。\n", id="chinese-prose"
        ),
        pytest.param(lambda text: re.sub(r": +", ":\t", text), id="tabs"),
        pytest.param(
            lambda text: re.sub(r"^", "[rank0] INFO 08-20 10:15:00 ", text, flags=re.M), id="prefix"
        ),
        pytest.param(
            lambda text: re.sub(r"^(\w.*?): +(\S+)$", r"| **\1** | \2 |", text, flags=re.M), id="table"
        ),
        pytest.param(lambda text: f"\x1b[32m{text}\x1b[0m", id="colours"),
        pytest.param(lambda text: text.replace(" " * 3, "\xa0" * 3), id="hard-blanks"),
        pytest.param(
            lambda text: "Mean TTFT (ms): lower is better.\nConcurrency: 8 clients in all\n" + text,
            id="prose",
        ),
    ],
)
def test_a_block_as_it_is_pasted(change: Any, tmp_path: Path) -> None:
    """The same figures."""
    (plain,) = read_blocks(NEW_BLOCK, "x")
    (result,) = read_results(written(tmp_path, change(NEW_BLOCK), "paste.txt"), "RESULT")
    assert (result.figures, result.settings) == (plain.figures, plain.settings)


def test_several_blocks() -> None:
    """A new one at its heading, or where a label comes again; the arguments stand before each."""
    text = "".join(
        f"vllm bench serve --request-rate {rate} --num-prompts 50 --seed 0\n{block_text(SUMMARY)}"
        for rate in (1, 4, "inf")
    )
    results = read_blocks(text, "x")
    assert [result.settings["request_rate"] for result in results] == [1, 4, "inf"]
    assert [result.settings["num_prompts"] for result in results] == [50] * 3
    bare = "".join(line + "\n" for line in text.splitlines() if ":" in line)
    assert len(read_blocks(bare, "x")) == 3


def test_arguments_before_a_block() -> None:
    """As Python prints them, and the lines that vLLM prints before it starts."""
    head = "Namespace(backend='vllm', num_prompts=50, request_rate=inf, max_concurrency=8, seed=7)\n"
    (result,) = read_blocks(head + block_text(SUMMARY), "x")
    assert result.settings == {"num_prompts": 50, "request_rate": "inf", "max_concurrency": 8, "seed": 7}
    head = "Traffic request rate: 4.0\nBurstiness factor: 0.5 (Gamma distribution)\n"
    head += "Maximum request concurrency: None\n"
    (result,) = read_blocks(head + block_text(SUMMARY), "x")
    assert result.settings == {"request_rate": 4, "burstiness": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("content", "number"),
    [
        pytest.param(json.dumps([SUMMARY, SUMMARY]), 2, id="list"),
        pytest.param(json.dumps({"results": [SUMMARY, SUMMARY, SUMMARY]}), 3, id="object-of-one-list"),
        pytest.param(f"{json.dumps(SUMMARY)}\n{json.dumps(SUMMARY)}\n", 2, id="one-a-line"),
        pytest.param(json.dumps(SUMMARY, indent=1), 1, id="indented"),
        pytest.param(
            json.dumps({**SUMMARY, "request_rate": 0}).replace(": 0}", ": Infinity}"), 1, id="bare-infinity"
        ),
    ],
)
def test_several_results_of_one_file(content: str, number: int, tmp_path: Path) -> None:
    """All of them, each with its line."""
    results = read_results(written(tmp_path, content), "RESULT")
    assert len(results) == number
    assert all(result.figures["completed"] == 50 for result in results)


def text_of(value: Any) -> str:
    return json.dumps(value, indent=1)


def changed(**changes: Any) -> str:
    return text_of({**SUMMARY, **changes})


def detailed_with(**changes: Any) -> str:
    return text_of({**detailed(), **changes})


# what it is, the file, the rule, and the line or the key on it
HOSTILE: list[tuple[str, str | bytes, str, int | str]] = [
    ("empty", "", "bench_no_figures", 1),
    ("blank", " \n\n", "bench_no_figures", 1),
    ("cut", text_of(SUMMARY)[:100], "not_json", 6),
    ("binary", b"\x7fELF\0\0", "binary_file", 1),
    ("latin", b"Mean TTFT (ms): 5.00 \xe9t\xe9\n", "not_utf8", 1),
    ("gzip", gzip.compress(text_of(SUMMARY).encode()), "is_gzip", 1),
    ("prose", "the run was fine\n", "bench_no_figures", 1),
    ("number", "17", "bench_no_figures", 1),
    ("list-of-numbers", "[1, 2]", "bench_no_figures", 1),
    ("list-of-lists", "[[1, 2]]", "not_an_object", 1),
    ("empty-list", "[]", "not_an_object", 1),
    ("empty-object", "{}", "bench_no_figures", 1),
    ("no-figure", '{\n"note": 1}', "bench_no_figures", 1),
    ("nested", "[" * 100_000, "nested_too_deeply", 1),
    ("repeated", '{"completed": 1,\n"completed": 2}', "repeated_key", 2),
    ("nan", changed(mean_ttft_ms=float("nan")), "not_finite", 9),
    ("infinity", changed(duration=float("inf")), "not_finite", 3),
    ("text", changed(duration="6.86"), "bench_number", 3),
    ("true", changed(duration=True), "bench_number", 3),
    ("list-for-number", changed(completed=[50]), "bench_number", 2),
    ("negative", changed(mean_ttft_ms=-1.0), "bench_negative", 9),
    ("negative-count", changed(completed=-50), "bench_negative", 2),
    ("no-time", changed(duration=0), "bench_duration", 3),
    ("half-request", changed(completed=50.5), "bench_whole", 2),
    ("huge", changed(total_output_tokens=10**16), "bench_at_most", 5),
    ("huge-digits", changed(total_output_tokens=10**50), "too_many_digits", 5),
    ("huge-float", changed(duration=1e300), "bench_at_most", 3),
    ("rate-zero", changed(request_rate=0), "bench_positive", 12),
    ("rate-word", changed(request_rate="4 per s"), "bench_rate", 12),
    ("rate-abc", changed(request_rate="abc"), "bench_rate", 12),
    ("rate-list", changed(request_rate=[4]), "bench_number", 12),
    ("half-concurrency", changed(max_concurrency=2.5), "bench_whole", 12),
    ("ttfts-text", detailed_with(ttfts="0.1"), "bench_list", "ttfts"),
    ("ttfts-none", detailed_with(ttfts=[]), "bench_unlike_lengths", "ttfts"),
    ("ttfts-short", detailed_with(ttfts=[0.1] * 23), "bench_unlike_lengths", "ttfts"),
    ("ttfts-negative", detailed_with(ttfts=[-0.1] * 24), "bench_seconds", "ttfts"),
    ("ttfts-texts", detailed_with(ttfts=["0.1"] * 24), "bench_number", "ttfts"),
    ("ttfts-null", detailed_with(ttfts=[None] * 24), "bench_number", "ttfts"),
    ("lens-float", detailed_with(output_lens=[1.5] * 24), "bench_whole", "output_lens"),
    ("lens-huge", detailed_with(output_lens=[10**18] * 24), "bench_whole", "output_lens"),
    ("itls-flat", detailed_with(itls=[0.1] * 24), "bench_list_of_lists", "itls"),
    ("itls-true", detailed_with(itls=[[True]] * 24), "bench_number", "itls"),
    ("years", detailed_with(latencies=[1e10] * 24), "bench_seconds", "latencies"),
    ("all-short", text_of({**SUMMARY, "ttfts": [0.1], "itls": [[]]}), "bench_short_list", 12),
    ("all-empty", text_of({**SUMMARY, "ttfts": [], "itls": []}), "bench_short_list", 12),
    (
        "second-line",
        f"{json.dumps(SUMMARY)}\n\n{json.dumps({**SUMMARY, 'failed': -1})}\n",
        "bench_negative",
        3,
    ),
    ("guidellm", '{"benchmarks": [{"duration": 1}, 2]}', "bench_other_tool", 1),
    ("throughput", '{"elapsed_time": 1.0, "requests_per_second": 2, "completed": 1}', "bench_other_tool", 1),
    ("latency", '{"avg_latency": 1.0, "latencies": [1.0], "percentiles": {}}', "bench_other_tool", 1),
    ("genai-perf", '{"time_to_first_token": {"avg": 1}, "request_throughput": 2}', "bench_other_tool", 1),
    ("llmperf", '{"results_ttft_s_mean": 1, "num_concurrent": 2}', "bench_other_tool", 1),
    ("block-nan", NEW_BLOCK.replace("120.50", "nan"), "not_finite", 16),
    ("block-negative", NEW_BLOCK.replace("120.50", "-120.50"), "bench_negative", 16),
    ("block-half", NEW_BLOCK.replace("1,000", "1000.50"), "bench_whole", 3),
    ("block-label-cut", NEW_BLOCK[: NEW_BLOCK.index("120.50")], "bench_cut", 16),
    ("block-number-cut", NEW_BLOCK[: NEW_BLOCK.index("120.50") + 5], "bench_cut", 16),
    ("block-point-cut", NEW_BLOCK[: NEW_BLOCK.index("120.50") + 4], "bench_cut", 16),
]


@pytest.mark.parametrize(("content", "rule", "line"), [pytest.param(*row[1:], id=row[0]) for row in HOSTILE])
def test_what_is_refused(content: str | bytes, rule: str, line: int | str, tmp_path: Path) -> None:
    """With its file and line."""
    path = written(tmp_path, content)
    if isinstance(line, str):
        lines = str(content).splitlines()
        line = next(number for number, text in enumerate(lines, 1) if text.startswith(f' "{line}"'))
    error = refused(path)
    assert (error.rule, error.where) == (rule, f"{path}:{line}")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """At the option."""
    assert (refused(str(tmp_path)).rule, refused(str(tmp_path)).where) == ("is_a_directory", "RESULT")
    assert refused(str(tmp_path / "none")).rule == "no_such_file"
    assert refused("a\0b").rule == "cannot_read"


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """64 MiB a file, 2,000 results: shown with smaller bounds."""
    assert (bench_result.MAX_BYTES, bench_result.MAX_RESULTS) == (64 << 20, 2000)
    monkeypatch.setattr(bench_result, "MAX_BYTES", 100)
    assert refused(written(tmp_path, " " * 101)).rule == "too_large"
    monkeypatch.setattr(bench_result, "MAX_BYTES", 10**6)
    monkeypatch.setattr(bench_result, "MAX_RESULTS", 2)
    assert refused(written(tmp_path, json.dumps([SUMMARY] * 3))).rule == "bench_too_many"


def test_a_long_time_takes_no_long_time() -> None:
    """Buckets are counted, not laid out: a request of thirty years is one span."""
    value = detailed()
    value["latencies"][0] = 9e8
    value["start_times"][1] = 1e17
    reading = read(result_of(value))
    assert reading.recomputed["max_concurrent_requests"] <= 24


NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20), st.floats(), st.none(), st.booleans(), st.text(max_size=3), st.just([1.0])
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.dictionaries(st.sampled_from([*detailed(), *queued()]), NUMBERS, max_size=4))
def test_any_value_is_read_or_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    """Whatever stands under the engine's keys."""
    path = written(tmp_path, json.dumps({**detailed(), **changes}))
    try:
        results = read_results(path, "RESULT")
    except LabError as error:
        wheres = [error.where]
    else:
        wheres = [f"{read(result).result.path}:{result.line}" for result in results]
    assert all(where.startswith(path) for where in wheres)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)), at=st.integers(0, 900)
)
def test_any_bytes_are_read_or_refused(content: bytes, at: int, tmp_path: Path) -> None:
    """Alone, and in the middle of a block."""
    whole = NEW_BLOCK.encode()
    for data in (content, whole[:at] + content + whole[at:]):
        path = written(tmp_path, data)
        try:
            results = read_results(path, "RESULT")
        except LabError:
            continue
        for result in results:
            assert isinstance(result, BenchResult)
            read(result)
