"""`capacity log` on logs drawn at random, whose deployment, verdict and blocks are known.

Origin of the figures: vLLM 0.32.0's own planner (`get_kv_cache_configs`, `get_kv_cache_capacity`) on the
layers of the handed configs and odd numbers of bytes: blocks, blocks of a request, groups, and the refusals
of MODEL. What older engines print of those blocks follows their rules:

    OLDER (0.8 to 0.23)    tokens = blocks // groups x tokens a block x dcp
    MODELS (refusals)      layers added up, no block kept back
    V0                     GPU blocks = KV bytes // block bytes, CPU blocks = 4 GiB // block bytes

Every row gives the whole deployment, so that nothing is guessed: `options` is ranks, KV dtype, tokens a
block, and what else matters.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import inference_lab

if TYPE_CHECKING:
    from tests.conftest import RunLab

CONFIGS = Path(inference_lab.__file__).parent / "tests" / "cases" / "configs"
EXACT, WITHIN_ROUNDING = "exact", "within_rounding"
MISMATCH_EXPLAINED, IDENTITY_ONLY = "mismatch_explained", "identity_only"
OLDER, NEWER, ONE_LINE = "older", "newer", "one line"
MODELS, MODEL = "models's", "model's"
GENERATIONS = {OLDER: "0.8 to 0.23 (V1)", NEWER: "0.24 on (V1)", ONE_LINE: "0.32 (V1)"}
LIMIT, ON, OFF = " --max-num-batched-tokens", "--async-scheduling", "--no-async-scheduling"
SYNC_2K, SYNC_16K = f"{LIMIT} 2048 {OFF}", f"{LIMIT} 16384 {OFF}"
SYNC_8K, ASYNC_8K = f"{LIMIT} 8192 {OFF}", f"{LIMIT} 8192 {ON}"
EITHER = "0.8 on (V1)"  # where the lines do not tell the two apart


class V1(NamedTuple):
    """`memory` in GiB, one number a rank that prints it; `concurrency` with its length."""

    engine: str
    model: str
    options: str
    memory: str
    tokens: int
    concurrency: tuple[int, str] | None
    verdict: str
    num_blocks: int

    @property
    def log(self) -> str:
        memory = [
            f"(Worker_TP{rank} pid={rank}) INFO [gpu_worker.py:276] Available KV cache memory: {gib} GiB"
            for rank, gib in enumerate(self.memory.split())
        ]
        lines = [f"GPU KV cache size: {self.tokens:,} tokens"]
        if self.concurrency:
            length, times = self.concurrency
            lines.append(f"Maximum concurrency for {length:,} tokens per request: {times}x")
        if self.engine == ONE_LINE:
            lines = [", ".join(lines)]
        return (
            "\n".join((*memory, *(f"INFO 08-20 10:15:00 [kv_cache_utils.py:849] {line}" for line in lines)))
            + "\n"
        )


class V0(NamedTuple):
    """`memory` in GiB as its generation prints it: five numbers in 0.6, seven in 0.7, none before."""

    model: str
    options: str
    memory: str
    gpu_blocks: int
    cpu_blocks: int
    concurrency: tuple[int, str] | None
    verdict: str
    block_bytes: int

    @property
    def log(self) -> str:
        numbers = self.memory.split()
        device = "cuda" if numbers else "GPU"
        lines = []
        if len(numbers) == 5:
            total, share, peak, other, kv = numbers
            lines.append(
                f"Memory profiling results: total_gpu_memory={total}GiB peak_torch_memory={peak}GiB"
                f" non_torch_memory={other}GiB kv_cache_size={kv}GiB gpu_memory_utilization={share}"
            )
        if len(numbers) == 7:
            total, share, product, weights, other, peak, kv = numbers
            lines += [
                f"the current vLLM instance can use total_gpu_memory ({total}GiB)"
                f" x gpu_memory_utilization ({share}) = {product}GiB",
                f"model weights take {weights}GiB; non_torch_memory takes {other}GiB; PyTorch activation peak"
                f" memory takes {peak}GiB; the rest of the memory reserved for KV Cache is {kv}GiB.",
            ]
        lines.append(f"# {device} blocks: {self.gpu_blocks}, # CPU blocks: {self.cpu_blocks}")
        if self.concurrency:
            length, times = self.concurrency
            lines.append(f"Maximum concurrency for {length} tokens per request: {times}x")
        return "".join(f"INFO 04-29 12:00:00 llm_engine.py:341] {line}\n" for line in lines)


class Refusal(NamedTuple):
    """Needed and available in GiB, and the length that is said to fit; `word` tells old from new."""

    word: str
    model: str
    options: str
    length: int
    needed: str
    available: str
    estimate: int

    @property
    def log(self) -> str:
        return (
            f"ValueError: To serve at least one request with the {self.word} max seq len ({self.length}),"
            f" ({self.needed} GiB KV cache is needed, which is larger than the available KV cache memory"
            f" ({self.available} GiB). Based on the available memory, the estimated maximum model length is"
            f" {self.estimate}. Try increasing `gpu_memory_utilization` or decreasing `max_model_len`.\n"
        )


# fmt: off
V1_LOGS = (
    V1(NEWER, "chatglm3-6b", "4 bf16 16 --dcp 2",
       "65.16 65.17 65.13 65.05", 9744832, (40960, "237.91"), WITHIN_ROUNDING, 304526),
    V1(NEWER, "deepseek-v2-lite", "2 bf16 64", "54.0", 1864128, (8192, "227.55"), WITHIN_ROUNDING, 29127),
    V1(NEWER, "falcon-40b", "1 bf16 16", "11.15", 97456, (40960, "2.38"), WITHIN_ROUNDING, 6091),
    V1(NEWER, "gemma-4-26b-a4b", f"1 bf16 16{SYNC_16K}", "", 186181, (1000, "186.18"), IDENTITY_ONLY, 65536),
    V1(NEWER, "mistral-7b-v0.1", f"4 bf16 32{SYNC_2K}",
       "112.5 112.59 112.55 112.34", 19073326, (32000, "596.04"), EXACT, 115036),
    V1(ONE_LINE, "gemma-4-31b", f"1 fp8 16{SYNC_8K}", "22.75", 183292, (40960, "4.47"), EXACT, 18638),
    V1(ONE_LINE, "kimi-k2", "1 bf16 16", "", 626464, (32000, "19.58"), IDENTITY_ONLY, 39154),
    V1(ONE_LINE, "llama-3.1-8b", "2 bf16 64 --pp 2",
       "44.07 44.02 44.75 47.14", 1442368, (40960, "35.21"), WITHIN_ROUNDING, 22537),
    V1(ONE_LINE, "mistral-7b-v0.1", f"1 bf16 64{SYNC_2K}", "27.04", 1141443, (32000, "35.67"), EXACT, 3460),
    V1(ONE_LINE, "nemotron-3-nano-30b-a3b", "4 bf16 16 --dcp 2 --no-prefix-caching",
       "5.73 5.73 5.73 5.73", 1293653, (4096, "315.83"), EXACT, 1895),
    V1(ONE_LINE, "phi-2", "1 fp8 32", "75.0", 490734, (10000, "49.07"), WITHIN_ROUNDING, 15360),
    V1(ONE_LINE, "qwen3-235b-a22b", "4 bf16 16",
       "13.12 13.24 13.0 13.17", 290032, (262144, "1.11"), WITHIN_ROUNDING, 18127),
    V1(ONE_LINE, "qwen3-32b", "2 bf16 64", "59.5", 487424, (4096, "119.00"), WITHIN_ROUNDING, 7616),
    V1(ONE_LINE, "qwen3-8b", "1 bf16 16", "17.14", 124782, (65535, "1.90"), WITHIN_ROUNDING, 7799),
    V1(ONE_LINE, "qwen3.5-35b-a3b", "4 fp8 16 --dcp 2 --no-prefix-caching",
       "17.51 17.66 17.63 17.63", 5998268, (32768, "183.05"), EXACT, 3478),
    V1(OLDER, "gemma-4-26b-a4b", f"1 fp8 16{ASYNC_8K}",
       "13.86", 121056, (2048, "64.03"), MISMATCH_EXPLAINED, 45400),
    V1(OLDER, "glm-4.5", "2 bf16 64", "21.55 21.51", 122560, (65535, "1.87"), WITHIN_ROUNDING, 1915),
    V1(OLDER, "kimi-k2.5", "2 bf16 16", "17.12 16.93", 258624, (32000, "8.08"), WITHIN_ROUNDING, 16164),
    V1(OLDER, "llama-3.1-405b", "2 bf16 16", "75.13 75.03", 312208, (8192, "38.11"), WITHIN_ROUNDING, 19513),
    V1(OLDER, "nemotron-h-56b", "4 bf16 16 --no-prefix-caching",
       "11.86", 177504, (131072, "7.92"), MISMATCH_EXPLAINED, 301),
    V1(OLDER, "qwen2.5-7b", "1 fp8 32", "", 444960, (32000, "13.90"), IDENTITY_ONLY, 13905),
    V1(OLDER, "qwen3-32b", "1 bf16 16", "14.0", 57344, (32768, "1.75"), WITHIN_ROUNDING, 3584),
)

V0_LOGS = (
    V0("llama-3.1-70b", "4 fp8 16", "79.11 0.70 54.73 0.48 0.16",
       260, 6553, (8192, "0.51"), WITHIN_ROUNDING, 655360),
    V0("mistral-nemo-12b", "2 bf16 32", "63.03 0.90 8.37 0.24 48.12",
       19709, 1638, (32768, "19.25"), WITHIN_ROUNDING, 2621440),
    V0("falcon-40b", "2 bf16 16", "23.58 0.50 11.79 15.33 0.32 1.70 -5.56",
       0, 4369, (29000, "0.00"), EXACT, 983040),
    V0("llama-3.1-405b", "4 bf16 16", "33.04 0.70 23.13 22.97 0.28 2.71 -2.83",
       0, 2080, (2048, "0.00"), EXACT, 2064384),
    V0("mimo-v2-flash", "8 bf16 32", "43.45 0.90 39.11 11.28 0.85 1.34 25.64",
       28002, 4369, (4096, "218.77"), WITHIN_ROUNDING, 983040),
    V0("mistral-nemo-12b", "1 bf16 16", "128.80 0.95 122.36 30.38 0.56 0.95 90.48",
       37059, 1638, (8192, "72.38"), WITHIN_ROUNDING, 2621440),
    V0("gpt2", "1 bf16 16", "", 15636, 7281, None, EXACT, 589824),
    V0("llama-2-7b", "2 bf16 32", "", 56704, 512, None, EXACT, 8388608),
    V0("llama-3.1-8b", "2 fp8 32", "", 62254, 4096, None, EXACT, 1048576),
    V0("mimo-v2-flash", "1 fp8 16", "", 9537, 2410, None, EXACT, 1781760),
)

REFUSALS = (
    Refusal(MODEL, "chatglm3-6b", "2 bf16 32", 131072, "1.75", "0.34", 25120),
    Refusal(MODEL, "llama-2-7b", "1 bf16 64", 40960, "20.0", "7.97", 16256),
    Refusal(MODEL, "phi-3-mini-4k", f"1 bf16 32{SYNC_16K}", 262144, "6.76", "6.51", 17728),
    Refusal(MODELS, "deepseek-v2", "2 bf16 64", 32768, "2.11", "0.88", 13632),
    Refusal(MODELS, "gpt-oss-120b", f"4 bf16 16{ASYNC_8K}", 40960, "0.49", "0.37", 26560),
    Refusal(MODELS, "phi-2", "8 bf16 16", 100000, "3.81", "3.32", 87056),
    Refusal(MODELS, "qwen3.5-27b", "1 bf16 16 --prefix-caching", 1048576, "64.31", "6.32", 98784),
)
# fmt: on

Row = V0 | V1 | Refusal


def result_of(run_lab: RunLab, folder: Path, row: Row, log: str) -> dict[str, Any]:
    path = folder / "start.log"
    path.write_text(log, "ascii")
    tp, dtype, block, *more = row.options.split()
    words = ["--tp", tp, "--kv-dtype", dtype, "--block-size", block, *more]
    config = str(CONFIGS / f"{row.model}.json")
    ran = run_lab(["capacity", "log", str(path), "--config", config, *words, "--json"])
    assert ran.err == ""
    result: dict[str, Any] = json.loads(ran.out)["result"]
    assert ran.code == (0 if result["explained"] else 1)
    return result


def named(row: Row) -> str:
    return f"{row[0]}-{row.model}" if isinstance(row, V1) else row.model


@pytest.mark.parametrize("row", V1_LOGS, ids=named)
def test_v1(row: V1, run_lab: RunLab, tmp_path: Path) -> None:
    result = result_of(run_lab, tmp_path, row, row.log)
    assert (result["verdict"], result["explained"]) == (row.verdict, True)
    assert result["figures"]["num_blocks"] == row.num_blocks
    may_be = {GENERATIONS[row.engine]} if row.engine == ONE_LINE else {GENERATIONS[row.engine], EITHER}
    assert result["generation"] in may_be


@pytest.mark.parametrize("row", V1_LOGS, ids=named)
def test_v1_one_token_more(row: V1, run_lab: RunLab, tmp_path: Path) -> None:
    """No number of blocks of the deployment prints one token more."""
    result = result_of(run_lab, tmp_path, row, row._replace(tokens=row.tokens + 1).log)
    assert result["verdict"] not in (EXACT, WITHIN_ROUNDING)


@pytest.mark.parametrize("row", V0_LOGS, ids=named)
def test_v0(row: V0, run_lab: RunLab, tmp_path: Path) -> None:
    result = result_of(run_lab, tmp_path, row, row.log)
    assert (result["verdict"], result["explained"]) == (row.verdict, True)
    assert result["figures"]["gpu_blocks"] == row.gpu_blocks
    assert result["figures"]["block_bytes"] == row.block_bytes
    assert result["generation"] == ("0.6, 0.7 (V0)" if row.memory else "0.2 to 0.5 (V0)")


@pytest.mark.parametrize("row", REFUSALS, ids=named)
def test_refusal(row: Refusal, run_lab: RunLab, tmp_path: Path) -> None:
    result = result_of(run_lab, tmp_path, row, row.log)
    assert (result["verdict"], result["explained"]) == (WITHIN_ROUNDING, True)
    low, high = result["figures"]["estimated_range"]
    assert low <= row.estimate <= high


@pytest.mark.parametrize("row", REFUSALS, ids=named)
def test_refusal_of_another_length(row: Refusal, run_lab: RunLab, tmp_path: Path) -> None:
    """Twice the estimate is outside of what a memory rounded to 0.01 GiB leaves."""
    result = result_of(run_lab, tmp_path, row, row._replace(estimate=2 * row.estimate).log)
    assert result["verdict"] not in (EXACT, WITHIN_ROUNDING)
