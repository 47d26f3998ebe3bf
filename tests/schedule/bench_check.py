"""Benchmark results for tests: from a dict as JSON, and as the block that tools print."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from labs.files.bench_block import read_blocks
from labs.files.bench_json import Place, result_of_object
from labs.files.bench_result import BenchResult
from labs.replay.bench.reading import Reading, read
from labs.replay.latency import Limits

TESTS = Path(__file__).parents[1]

# label, figure, decimals (None: a count), as the tools print them one below the other
BLOCK = (
    ("Successful requests:", "completed", None),
    ("Failed requests:", "failed", None),
    ("Maximum request concurrency:", "max_concurrency", None),
    ("Request rate configured (RPS):", "request_rate", 2),
    ("Benchmark duration (s):", "duration", 2),
    ("Total input tokens:", "total_input_tokens", None),
    ("Total generated tokens:", "total_output_tokens", None),
    ("Total generated tokens (retokenized):", "retokenized", None),
    ("Request throughput (req/s):", "request_throughput", 2),
    ("Request goodput (req/s):", "request_goodput", 2),
    ("Input token throughput (tok/s):", "input_throughput", 2),
    ("Output token throughput (tok/s):", "output_throughput", 2),
    ("Peak output token throughput (tok/s):", "max_output_tokens_per_s", 2),
    ("Peak concurrent requests:", "max_concurrent_requests", 2),
    ("Total Token throughput (tok/s):", "total_token_throughput", 2),
    ("Concurrency:", "concurrency", 2),
    ("Mean E2E Latency (ms):", "mean_e2e_ms", 2),
    *(
        (f"{statistic} {metric.upper()} (ms):", f"{statistic.lower()}_{metric}_ms", 2)
        for metric in ("ttft", "tpot", "itl", "e2el")
        for statistic in ("Mean", "Median", "P99")
    ),
)
BLOCK_OF_2023 = (
    ("Total time: {} s", "total_time_s"),
    ("Throughput: {} requests/s", "throughput_req_s"),
    ("Average latency: {} s", "average_latency_s"),
    ("Average latency per token: {} s", "average_latency_per_token_s"),
    ("Average latency per output token: {} s", "average_latency_per_output_token_s"),
)


def golden_file(name: str) -> dict[str, Any]:
    """A result of the engine's, free to be changed."""
    value: dict[str, Any] = json.loads((TESTS / "golden" / name).read_text(encoding="utf-8"))
    return value


def detailed() -> dict[str, Any]:
    """The detailed result of the engine's."""
    return golden_file("bench_detailed.json")


def queued() -> dict[str, Any]:
    """The summary of the engine's, with a queue at the client."""
    return golden_file("bench_summary_concurrency4.json")


def result_of(value: dict[str, Any]) -> BenchResult:
    """The result of an object."""
    return result_of_object(value, Place("made.json", json.dumps(value), 1))


def reading_of(value: dict[str, Any], **limits: int) -> Reading:
    """The reading of an object, with limits in milliseconds."""
    given = Limits(**{name: Fraction(ms) for name, ms in limits.items()}) if limits else None
    return read(result_of(value), given)


def block_text(value: dict[str, Any]) -> str:
    """The block that a tool would print of these figures."""
    lines = ["============ Serving Benchmark Result ============"]
    for label, name, places in BLOCK:
        if name in value:
            number = f"{value[name]:.{places}f}" if places else f"{value[name]:.0f}"
            lines.append(f"{label:<40} {number:<10}")
    lines += [text.format(f"{value[name]:.2f}") for text, name in BLOCK_OF_2023 if name in value]
    if "num_prompts" in value:
        lines.insert(
            0, f"Namespace(num_prompts={value['num_prompts']}, request_rate={value['request_rate']})"
        )
    return "\n".join(lines) + "\n" + "=" * 50 + "\n"


def reading_of_block(value: dict[str, Any]) -> Reading:
    """The reading of the printed block of these figures."""
    (result,) = read_blocks(block_text(value), "made.txt")
    return read(result)


def failing(reading: Reading) -> set[str]:
    """Names of the checks that do not hold."""
    return {check.name for check in reading.checks if not check.holds}


def words(reading: Reading) -> set[str]:
    """The traps of a result."""
    return {warned.word for warned in reading.warnings}
