"""The names of a benchmark result: figures, settings, lists a request, and who else writes such files.

    figure     a number of the whole run: counts, seconds (`duration`, `average_latency_s`), requests or
               tokens a second, milliseconds (`mean_ttft_ms`)
    setting    what the run was asked for: `request_rate`, `max_concurrency`, `num_prompts`, ...
    list       one entry a request, in seconds: `ttfts`, `latencies`; `itls` is a list of lists

`ALIASES` are other names of the same thing: two misspelt keys of vLLM's, SGLang's own, and the words of 2023.
`GENERATIONS` tell since when a field is there; the newest that a result has dates it.

Source: vLLM's printed results and result files of 2023 to 0.32.0, SGLang's bench_serving.
Does not model: results of embedding, multimodal or diffusion runs beyond the fields they share.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

COUNTS = (
    "completed",
    "failed",
    "total_input_tokens",
    "total_output_tokens",
    "retokenized_tokens",
    "max_concurrent_requests",
)
FIGURES = (
    *COUNTS,
    "duration",
    "request_throughput",
    "request_goodput",
    "input_throughput",
    "output_throughput",
    "total_token_throughput",
    "max_output_tokens_per_s",
    "concurrency",
    "average_latency_s",
    "average_latency_per_token_s",
    "average_latency_per_output_token_s",
)
METRICS = ("ttft", "tpot", "itl", "e2el", "client_queue_time", "e2el_including_client_queue")
_METRIC = re.compile(
    r"(mean|median|std|min|max|p[0-9]{1,3}(?:\.[0-9]{1,6})?)_"
    r"(ttft|tpot|itl|e2el|e2e|e2e_latency|client_queue_time|e2el_including_client_queue)_ms"
)
ALIASES = {
    "request_inthroughput": "request_throughput",
    "request_goodput:": "request_goodput",
    "goodput": "request_goodput",
    "total_throughput": "total_token_throughput",
    "total_output_tokens_retokenized": "retokenized_tokens",
    "retokenized": "retokenized_tokens",
    "total_time_s": "duration",
    "throughput_req_s": "request_throughput",
}
SETTINGS = ("num_prompts", "max_concurrency", "request_rate", "burstiness", "seed")
WORDS = ("model_id", "date", "backend")
TIMES = ("ttfts", "latencies", "start_times", "queue_times")
LENGTHS = ("input_lens", "output_lens")
LISTS = (*LENGTHS, *TIMES, "itls", "errors")

GENERATIONS = (
    ("2025/26", ("latencies", "queue_times", "rtfx", "token_lower_case", "rate_configured")),
    ("2025-10", ("failed",)),
    ("2025-08", ("max_output_tokens_per_s", "max_concurrent_requests")),
    ("late 2024", ("total_token_throughput",)),
    ("2024-10", ("request_goodput",)),
    ("2024-06", ("mean_itl_ms", "median_itl_ms")),
    ("2024-03", ("mean_ttft_ms", "mean_tpot_ms")),
    ("2023", ("average_latency_s",)),
)
SGLANG_SIGNS = ("retokenized_tokens", "concurrency", "e2e_latency")

# Keys that only another tool's result has.
OTHER_TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("guidellm", ("benchmarks",)),
    ("genai-perf", ("time_to_first_token", "inter_token_latency")),
    ("llmperf", ("results_ttft_s_mean", "results_number_errors", "results_num_completed_requests")),
    ("trtllm-bench", ("world_info", "performance")),
    ("llama-bench", ("avg_ts", "n_prompt", "n_gen")),
    ("vllm bench latency", ("avg_latency", "percentiles")),
    ("vllm bench throughput", ("elapsed_time", "requests_per_second", "tokens_per_second")),
)


def figure_name(key: str) -> str | None:
    """The one name of a figure, None if a key is none.

    >>> figure_name("mean_e2e_latency_ms"), figure_name("request_inthroughput"), figure_name("note")
    ('mean_e2el_ms', 'request_throughput', None)
    """
    key = ALIASES.get(key, key)
    if key in FIGURES:
        return key
    found = _METRIC.fullmatch(key)
    if not found:
        return None
    statistic, metric = found.groups()
    if statistic[0] == "p" and float(statistic[1:]) > 100:
        return None
    return f"{statistic}_{'e2el' if metric in ('e2e', 'e2e_latency') else metric}_ms"


def split_name(name: str) -> tuple[str, str] | None:
    """Statistic and measure of a figure in milliseconds, None for any other.

    >>> split_name("p99.9_ttft_ms"), split_name("duration")
    (('p99.9', 'ttft'), None)
    """
    found = _METRIC.fullmatch(name)
    return (found.group(1), found.group(2)) if found else None


def generation_of(signs: Container[str]) -> str:
    """Since when results have been written with these figures, lists and signs."""
    return next((since for since, names in GENERATIONS if any(name in signs for name in names)), "unknown")


def other_tool(keys: Container[str]) -> str | None:
    """Whose result has such keys, if it is neither vLLM's nor SGLang's."""
    return next((tool for tool, signs in OTHER_TOOLS if any(sign in keys for sign in signs)), None)
