"""Traps on KV size and units: a public tool's wrong answer beside the right one, each put as a command.

The ids are those of the handed list of traps. Traps that no command can be asked are named at the end.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import inference_lab
from tests.model.published import Config, plain

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

CASES_FOLDER = Path(inference_lab.__file__).parent / "tests" / "cases"
GIB, MIB = 1 << 30, 1 << 20


class Trap(NamedTuple):
    """A command, the figure that is asked of it, what is right and what was said."""

    words: str
    key: str
    right: int
    wrong: int


CONFIG = "--config {configs}/"
TRAPS = {
    # head_dim as published; hidden / heads would give these
    "trap-01 qwen3-0.6b": Trap("--model qwen3-0.6b", "kv_bytes_per_token", 114688, 57344),
    "trap-01 qwen3-30b-a3b": Trap(CONFIG + "qwen3-30b-a3b.json", "kv_bytes_per_token", 98304, 49152),
    "trap-01 mistral-nemo": Trap(CONFIG + "mistral-nemo-12b.json", "kv_bytes_per_token", 163840, 204800),
    "trap-01 qwen3-32b": Trap(CONFIG + "qwen3-32b.json", "kv_bytes_per_token", 262144, 163840),
    # 2 x layers x KV heads x head dim x bytes, and no further factor
    "trap-03 llama-2-7b": Trap(CONFIG + "llama-2-7b.json", "kv_bytes_per_token", 524288, 8 * 524288),
    "trap-03 llama-3.1-8b": Trap(CONFIG + "llama-3.1-8b.json", "kv_bytes_per_token", 131072, 524288),
    "trap-06 falcon-40b": Trap(CONFIG + "falcon-40b.json", "kv_bytes_per_token", 122880, 1966080),
    # 6 of 52 layers grow
    "trap-10 nemotron-3-nano": Trap(
        CONFIG + "nemotron-3-nano-30b-a3b.json", "kv_bytes_per_token_growing", 6144, 53248
    ),
    "trap-14 7B at 32K": Trap(CONFIG + "llama-2-7b.json --tokens 32768", "kv_bytes", 16 * GIB, 512 * MIB),
    "trap-14 70B at 32K": Trap("--model llama-3.1-70b --tokens 32768", "kv_bytes", 10 * GIB, 32 * GIB),
    "trap-14 70B, 64 KV heads": Trap(
        "--layers 80 --kv-heads 64 --head-dim 128 --tokens 32768", "kv_bytes", 80 * GIB, 32 * GIB
    ),
    # one of 8 heads on a rank, however many ranks there are
    "trap-30 tp 8": Trap("--model llama-3.1-70b --tp 8", "kv_bytes_per_token_per_rank", 40960, 327680),
    "trap-30 tp 16": Trap("--model llama-3.1-70b --tp 16", "kv_bytes_per_token_per_rank", 40960, 20480),
    "trap-30 tp 32": Trap("--model llama-3.1-70b --tp 32", "kv_bytes_per_token_per_rank", 40960, 10240),
    # K alone is 94 layers x 1 head x 128 x 2 B = 24064 B a token on a rank; with V twice that
    "trap-21 tp 4": Trap(CONFIG + "qwen3-235b-a22b.json --tp 4", "kv_bytes_per_token_per_rank", 48128, 24064),
    "trap-21 tp 8": Trap(CONFIG + "qwen3-235b-a22b.json --tp 8", "kv_bytes_per_token_per_rank", 48128, 24064),
    # the token count is stated: 1k is 1024 in one column, 16k is 16000 in the next
    "trap-23 1024": Trap("--tokens 1024", "kv_bytes", 134217728, 131072000),
    "trap-23 1000": Trap("--tokens 1000", "kv_bytes", 131072000, 134217728),
    "trap-23 16000": Trap("--tokens 16000", "kv_bytes", 2097152000, 2147483648),
}


def command(words: str) -> list[str]:
    return words.format(configs=CASES_FOLDER / "configs").split()


@pytest.mark.parametrize("name", TRAPS)
def test_traps_of_capacity(name: str, run_json: RunJson) -> None:
    trap = TRAPS[name]
    found = run_json(["capacity", *command(trap.words)])["result"][trap.key]
    assert found == trap.right
    assert found != trap.wrong


def saved(folder: Path, config: Config) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    return str(path)


def fit(run_json: RunJson, path: str, words: str) -> dict[str, Any]:
    result: dict[str, Any] = run_json(["capacity", "fit", "--config", path, *words.split()])["result"]
    return result


def real(name: str) -> str:
    return str(CASES_FOLDER / "configs" / f"{name}.json")


# -- the same traps asked of `fit`: bytes of a block of 16 ------------------------------------------

BLOCKS = {
    "trap-01 qwen3-30b-a3b": ("qwen3-30b-a3b", "", 16 * 98304),
    "trap-01 mistral-nemo": ("mistral-nemo-12b", "", 16 * 163840),
    "trap-03 llama-2-7b": ("llama-2-7b", "", 16 * 524288),
    "trap-03 llama-3.1-8b": ("llama-3.1-8b", "", 16 * 131072),
    "trap-06 falcon-40b": ("falcon-40b", "", 16 * 122880),
    "trap-30 tp 8": ("llama-3.1-70b", "--tp 8", 16 * 40960),
    "trap-30 tp 16": ("llama-3.1-70b", "--tp 16", 16 * 40960),
    "trap-30 tp 32": ("llama-3.1-70b", "--tp 32", 16 * 40960),
    "trap-21 tp 8": ("qwen3-235b-a22b", "--tp 8", 16 * 48128),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_traps_of_fit(name: str, run_json: RunJson) -> None:
    config, words, block = BLOCKS[name]
    result = fit(run_json, real(config), f"{words} --max-model-len 2048 --kv-memory 64GiB")
    assert result["bytes_per_block"] == block
    assert result["num_blocks"] == 64 * GIB // block


def test_trap_06_falcon_7b(run_json: RunJson, tmp_path: Path) -> None:
    """The file says 71 KV heads; the old decoder with multi_query has one: 32 x 2 x 64 x 2 B = 8192."""
    decoy = {"num_kv_heads": 71, "multi_query": True, "new_decoder_architecture": False}
    path = saved(tmp_path, plain(32, 4544, 71, **decoy))
    assert run_json(["capacity", "--config", path])["result"]["kv_bytes_per_token"] == 8192
    result = fit(run_json, path, "--max-model-len 2048 --kv-memory 1GiB")
    assert (result["bytes_per_block"], result["num_blocks"]) == (131072, 8192)


def test_trap_12_parameters_do_not_size_the_cache(run_json: RunJson) -> None:
    """13 times the parameters, 1.29 times the KV."""
    sizes = [
        run_json(["capacity", "--model", model])["result"]["kv_bytes_per_token"]
        for model in ("qwen3-0.6b", "qwen3-8b")
    ]
    assert sizes == [114688, 147456]
    assert round(sizes[1] / sizes[0], 2) == 1.29


def test_trap_21_is_gib(run_lab: RunLab) -> None:
    """367404 tokens x 24064 B = 8.841 GB = 8.234 GiB: 94 layers x 2 x 64 x 2 B, as wide as K alone."""
    words = ["--layers", "94", "--kv-heads", "1", "--head-dim", "64", "--tokens", "367404"]
    text = run_lab(["capacity", *words]).out
    assert "8.23 GiB" in text
    assert "8.84" in text


def test_trap_26_a_rate_needs_its_unit(run_lab: RunLab, run_json: RunJson) -> None:
    """6.9 is refused with both readings; 6.9 GB/s are 55.2 Gbit/s and not 6.9."""
    ran = run_lab(["capacity", "--bandwidth", "6.9"])
    assert (ran.code, ran.out) == (2, "")
    assert "6.9Gbit/s or 6.9GB/s" in ran.err
    assert run_lab(["capacity", "--bandwidth", "100Gb"]).code == 2
    times = [
        run_json(["capacity", "--size", "1GiB", "--bandwidth", rate])["result"]["transfer_ms"]
        for rate in ("6.9GB/s", "55.2Gbit/s", "6.9Gbit/s")
    ]
    assert times[0] == times[1]
    assert times[2] == pytest.approx(8 * times[0], rel=1e-6)


def test_trap_26_in_fetch(run_lab: RunLab, run_json: RunJson) -> None:
    """The same rate for both spellings, and none for a bare number."""
    for rate in ("6.9GB/s", "55.2Gbit/s"):
        words = ["--size", "1GiB", "--bandwidth", rate]
        result = run_json(["capacity", "fetch", *words])["result"]
        assert result["effective_bandwidth_bits_per_s"] == 55_200_000_000
    ran = run_lab(["capacity", "fetch", "--size", "1GiB", "--bandwidth", "100"])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("error: --bandwidth")


def test_trap_31_ranks_share_the_heads(run_json: RunJson) -> None:
    """Qwen3-32B: 256 KiB a token, 4 MiB a block; 64 KiB and 1 MiB on each of 4 ranks: 3258, not 814."""
    words = "--max-model-len 4096 --kv-memory 3258MiB"
    assert fit(run_json, real("qwen3-32b"), f"{words} --tp 4")["num_blocks"] == 3258
    assert fit(run_json, real("qwen3-32b"), words)["num_blocks"] == 814


def test_trap_32_the_pool_is_not_one_devices(run_json: RunJson) -> None:
    """Gemma 4: 4 and 16 KV heads, so that 4 ranks hold a quarter of each page and 4 times the blocks."""
    words = "--max-model-len 8192 --kv-memory 32GiB"
    one = fit(run_json, real("gemma-4-31b"), words)
    four = fit(run_json, real("gemma-4-31b"), f"{words} --tp 4")
    assert one["bytes_per_block"] == 4 * four["bytes_per_block"]
    assert four["num_blocks"] // 4 == one["num_blocks"]
    assert four["max_concurrency"] == pytest.approx(4 * one["max_concurrency"], rel=1e-3)


def test_trap_33_each_stage_against_its_own_memory(run_json: RunJson) -> None:
    """48 layers of 2048 B a token. 16 of them have room for 104208 tokens where all 48 have it for 34736."""
    memory = 34736 * 48 * 2048
    path, words = real("qwen3-30b-a3b"), f"--max-model-len 4096 --kv-memory {memory}B"
    assert fit(run_json, path, words)["kv_cache_size_tokens"] == 34736
    assert fit(run_json, path, f"{words} --pp 3")["kv_cache_size_tokens"] == 104208
    # the smallest stage decides, and its own layers alone
    sizes = " ".join(f"--kv-memory {memory * times}B" for times in (2, 1, 3))
    result = fit(run_json, path, f"--max-model-len 4096 --pp 3 {sizes}")
    assert result["kv_cache_size_tokens"] == 104208
    assert [rank["stage"] for rank in result["ranks"]] == [0, 1, 2]


def test_trap_22_v0_labels_gib_as_gb(run_json: RunJson) -> None:
    """14.9888 is the weights' size in GiB: 8030261248 parameters of 2 B are 14.96 GiB and buffers."""
    log = str(CASES_FOLDER / "logs" / "cap-13.log")
    result = run_json(["capacity", "log", log, "--config", real("llama-3.1-8b")])["result"]
    figures = result["figures"]
    found = [figures[name] for name in ("weights_gib", "weights_gb_label") if name in figures]
    assert 14.9888 in found
    assert round(8030261248 * 2 / GIB, 2) == 14.96


def test_trap_36_lines_that_do_not_divide(run_json: RunJson) -> None:
    """290864 tokens and 33.04x at 32768: not 8.88 requests, but 33.04 of them."""
    log = str(CASES_FOLDER / "logs" / "cap-44.log")
    result = run_json(["capacity", "log", log, "--config", real("qwen3.5-27b")])["result"]
    assert result["verdict"] == "mismatch_explained"
    figures = result["figures"]
    assert (figures["concurrency"], figures["naive_concurrency"]) == (33.04, 8.88)
    assert figures["tokens_by_concurrency"] == 1082800


def test_trap_37_a_fixed_part_and_a_slope(run_json: RunJson) -> None:
    """cap-61: 4.76 GiB for 65536 tokens and 1.56 for 15984 are 69341 B a token beside 0.53 GiB."""
    result = run_json(["capacity", "log", str(CASES_FOLDER / "logs" / "cap-61.log")])["result"]
    assert result["verdict"] == "mismatch_explained"
    assert round(result["figures"]["slope"]) == 69341
    assert round(result["figures"]["fixed_gib"], 2) == 0.53


def test_trap_37_lengths_change_the_printed_pool(run_json: RunJson) -> None:
    """cap-49 and cap-50: one box, 260006 and 1077542 tokens; each is its own concurrency times its length."""
    for name, tokens, concurrency in (("cap-49", 260006, 31.74), ("cap-50", 1077542, 4.11)):
        result = run_json(["capacity", "log", str(CASES_FOLDER / "logs" / f"{name}.log")])["result"]
        assert result["verdict"] == "identity_only"
        assert (result["figures"]["kv_tokens"], result["figures"]["concurrency"]) == (tokens, concurrency)


def test_trap_34_the_log_is_of_one_group(run_lab: RunLab) -> None:
    """Under data parallelism a log tells of one group; the text says so beside what it does not show."""
    ran = run_lab(
        ["capacity", "log", str(CASES_FOLDER / "logs" / "cap-19.log"), "--config", real("qwen2.5-7b")]
    )
    assert ran.code == 0
    limits = " ".join(ran.out[ran.out.index("Does not show: ") :].split()).lower()
    assert "data parallel" in limits or "data-parallel" in limits


# No command can be asked: trap-18 (a draft model's KV beside the target's: `fit` takes one config), trap-28
# (a measured rate above the line's: no command takes one).
