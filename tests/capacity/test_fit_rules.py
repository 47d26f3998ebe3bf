"""The rules of `capacity fit` one by one, on numbers worked out beside each test.

Sources: the engine's sizing rules as measured on vLLM 0.32.0, the course's memory arithmetic, and the
tests of vLLM itself (pt-28, pt-29, pt-32, pt-33: vllm-project/vllm `tests/v1/core/test_kv_cache_utils.py`,
commit 002f10e). Each table has rows on both sides of a rule, so that a rule left out turns a row red.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import inference_lab
from tests.model.published import FULL, MLA, SLIDING, Config, plain

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

CONFIGS = Path(inference_lab.__file__).parent / "tests" / "cases" / "configs"
GIB, MIB = 1 << 30, 1 << 20
# 32 layers x 8 KV heads x 128: 4096 B a token and layer, 128 KiB a token, 2 MiB a block of 16
LLAMA = plain(32, 4096, 32, 8, max_position_embeddings=8192)


def saved(folder: Path, config: Config) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    return str(path)


def fit(run_json: RunJson, path: str, words: str) -> dict[str, Any]:
    result: dict[str, Any] = run_json(["capacity", "fit", "--config", path, *words.split()])["result"]
    return result


def mixed(full: int, sliding: int, window: int, length: int) -> Config:
    """Pages of 16384 B in blocks of 16: 2 KV heads x (128 + 128) x 2 B = 1024 B a token and layer."""
    kinds = [FULL] * full + [SLIDING] * sliding
    size = plain(full + sliding, 1024, 8, 2, head_dim=128)
    return {**size, "sliding_window": window, "layer_types": kinds, "max_position_embeddings": length}


# -- the pool and the request ---------------------------------------------------------------------


class Row(NamedTuple):
    """Options after LLAMA with 128 KiB a token, and the figures that follow."""

    words: str
    num_blocks: int
    blocks_per_request: int
    tokens: int


ROWS = {
    # 10 GiB / 2 MiB = 5120 blocks; 8192 / 16 = 512 a request: 10 requests of 8192
    "plain": Row("--kv-memory 10GiB", 5120, 512, 81920),
    # half the bytes an element, twice the blocks
    "fp8 doubles": Row("--kv-memory 10GiB --kv-dtype fp8", 10240, 512, 163840),
    "fp32 halves": Row("--kv-memory 10GiB --kv-dtype float32", 2560, 512, 40960),
    # doubling the block halves the blocks, the tokens stay
    "block 32": Row("--kv-memory 10GiB --block-size 32", 2560, 256, 81920),
    # ceil(1000 / 16) = 63 blocks: int(5120 x 1000 / 63) = 81269, not 5120 x 16 = 81920
    "length no multiple of the block": Row("--kv-memory 10GiB --max-model-len 1000", 5120, 63, 81269),
    # ceil(17 / 16) = 2 blocks: 5120 / 2 x 17
    "one token over a block": Row("--kv-memory 10GiB --max-model-len 17", 5120, 2, 43520),
    "exactly a block": Row("--kv-memory 10GiB --max-model-len 16", 5120, 1, 81920),
    # 4, 2 or 1 of the 8 heads on a rank, and one each beyond that
    "tp 2": Row("--kv-memory 10GiB --tp 2", 10240, 512, 163840),
    "tp 8": Row("--kv-memory 10GiB --tp 8", 40960, 512, 655360),
    "tp 16 replicates": Row("--kv-memory 10GiB --tp 16", 40960, 512, 655360),
    "tp 32 replicates": Row("--kv-memory 10GiB --tp 32", 40960, 512, 655360),
    # decimal memory: 10^10 // 2^21 = 4768 blocks
    "10 GB": Row("--kv-memory 10GB", 4768, 512, 76288),
    # full attention has nothing in flight
    "budget does not matter": Row("--kv-memory 10GiB --max-num-batched-tokens 512", 5120, 512, 81920),
    "async does not matter": Row("--kv-memory 10GiB --async-scheduling", 5120, 512, 81920),
    "override": Row("--kv-memory 10GiB --num-gpu-blocks-override 600", 600, 512, 9600),
    # 16 of 32 layers on a stage: 1 MiB a block; the stages hold the same tokens
    "pp 2": Row("--kv-memory 10GiB --pp 2", 10240, 512, 163840),
    "pp 2, unequal cards": Row("--kv-memory 10GiB --kv-memory 8GiB --pp 2", 8192, 512, 131072),
    # 4 stages x tp 2: 8 layers x 4 heads x 256 x 2 B x 16 = 256 KiB a block
    "pp 4, tp 2": Row("--kv-memory 10GiB --pp 4 --tp 2", 40960, 512, 655360),
    # 8 of 80 GiB: the same as 10 GiB when 2 GiB overhead go
    "budget of a card": Row("--gpu 20GiB --utilization 0.9 --weights 6GiB --overhead 2GiB", 5120, 512, 81920),
    # one token of a block in two ranks: each holds ceil(8192 / 2) tokens = 256 blocks of a request
    "dcp 2": Row("--kv-memory 10GiB --tp 16 --dcp 2", 40960, 256, 1310720),
}


@pytest.mark.parametrize("name", ROWS)
def test_blocks_requests_and_tokens(name: str, run_json: RunJson, tmp_path: Path) -> None:
    row = ROWS[name]
    result = fit(run_json, saved(tmp_path, LLAMA), row.words)
    found = (
        result["num_blocks"],
        result["blocks_per_max_len_request"],
        result["kv_cache_size_tokens"],
    )
    assert found == row[1:]
    assert result["max_concurrency"] == round(row.num_blocks / row.blocks_per_request, 6)
    assert result["fits"] is True


# -- the memory of a card -------------------------------------------------------------------------

CARDS = {
    # 80 x 0.9 - 16 - 2 = 54 GiB
    "80GiB at 0.9": ("--gpu 80GiB --utilization 0.9 --weights 16GiB --overhead 2GiB", 54 * GIB),
    "the default is 0.9": ("--gpu 80GiB --weights 16GiB --overhead 2GiB", 54 * GIB),
    # 5 % of 80 GiB are 4 GiB more
    "80GiB at 0.95": ("--gpu 80GiB --utilization 0.95 --weights 16GiB --overhead 2GiB", 58 * GIB),
    "80GB is less": ("--gpu 80GB --utilization 0.9 --weights 16GB --overhead 2GB", 54 * 10**9),
    # ceil(7 x 2^30 x 0.9) = ceil(6764573491.2)
    "budget rounded up": (
        "--gpu 7GiB --utilization 0.9 --weights 1GiB --overhead 1GiB",
        6764573492 - 2 * GIB,
    ),
}


@pytest.mark.parametrize("name", CARDS)
def test_memory_left_for_kv(name: str, run_json: RunJson, tmp_path: Path) -> None:
    words, available = CARDS[name]
    result = fit(run_json, saved(tmp_path, LLAMA), words)
    assert result["available_bytes"] == available
    assert result["num_blocks"] == available // (2 * MIB)


def test_five_percent_of_a_decimal_card(run_json: RunJson, tmp_path: Path) -> None:
    """The course: 4 GB more are 1,907 blocks of 2 MiB."""
    path = saved(tmp_path, LLAMA)
    card = "--gpu 80GB --weights 16GB --overhead 2GB --utilization"
    blocks = [fit(run_json, path, f"{card} {share}")["num_blocks"] for share in ("0.90", "0.95")]
    assert blocks[1] - blocks[0] == 1907


# the course's module 5, scenario C of Llama-3-8B: 6144 tokens are 768 MiB
QUESTION = {
    "binary": ("--kv-memory 64GiB", 85),
    "decimal": ("--kv-memory 64GB", 79),
    "80 GiB less 16 GB": (f"--kv-memory {80 * GIB - 16 * 10**9}B", 86),
    "binary at 0.9": ("--gpu 80GiB --utilization 0.9 --weights 16GiB", 74),
    "decimal at 0.9": ("--gpu 80GB --utilization 0.9 --weights 16GB", 69),
    "80 GiB and 16 GB at 0.9": ("--gpu 80GiB --utilization 0.9 --weights 16GB", 76),
}


@pytest.mark.parametrize("name", QUESTION)
def test_the_question_of_the_course(name: str, run_json: RunJson, tmp_path: Path) -> None:
    """How many requests fit on an 80 GB card, by what one takes for granted."""
    words, requests = QUESTION[name]
    result = fit(run_json, saved(tmp_path, LLAMA), f"--max-model-len 6144 {words}")
    assert int(result["max_concurrency"]) == requests


def test_no_memory_left(run_lab: RunLab, tmp_path: Path) -> None:
    """8 x 0.7 = 5.6 GiB, 7 GiB taken: never a negative count of blocks, and nothing fits."""
    words = "--gpu 8GiB --utilization 0.7 --weights 5GiB --overhead 2GiB --json"
    ran = run_lab(["capacity", "fit", "--config", saved(tmp_path, LLAMA), *words.split()])
    if ran.code == 2:  # refused as the engine does, before any plan
        assert (ran.out, ran.err.count("\n")) == ("", 1)
        return
    result = json.loads(ran.out)["result"]
    assert (ran.code, result["fits"]) == (0, False)
    assert result["available_bytes"] == 6012954215 - 7 * GIB  # ceil(8 x 2^30 x 0.7)
    assert not result.get("num_blocks")


# -- one request must fit beside the null block ---------------------------------------------------

EXACT = 512 * 2 * MIB  # one request of 8192 tokens
FITTING = {
    "one block over": (EXACT + 2 * MIB, True, None),
    "a byte less than that": (EXACT + 2 * MIB - 1, False, 8176),
    "exactly one request": (EXACT, False, 8176),
    "half": (EXACT // 2, False, 4080),
}


@pytest.mark.parametrize("name", FITTING)
def test_one_request_beside_the_null_block(name: str, run_json: RunJson, tmp_path: Path) -> None:
    """A pool of n blocks serves n - 1 of them: 511 x 16 = 8176, 255 x 16 = 4080."""
    memory, fits, estimate = FITTING[name]
    result = fit(run_json, saved(tmp_path, LLAMA), f"--kv-memory {memory}B")
    assert (result["fits"], result.get("estimated_max_model_len")) == (fits, estimate)
    assert ("error" in result and result["error"] is not None) is not fits


@pytest.mark.parametrize(
    ("memory", "length"),
    [(EXACT + 2 * MIB, 8192), (EXACT, 8176), (EXACT // 2, 4080), (4 * MIB, 16), (40 * GIB, 8192)],
)
def test_auto_fit(memory: int, length: int, run_json: RunJson, tmp_path: Path) -> None:
    """The longest length that fits, at most the config's."""
    words = f"--max-model-len auto --kv-memory {memory}B"
    result = fit(run_json, saved(tmp_path, LLAMA), words)
    assert (result["fits"], result["max_model_len"]) == (True, length)


# -- windows, chunks, groups ----------------------------------------------------------------------


class Peer(NamedTuple):
    """Layers of a page of 16384 B: full ones, then sliding ones."""

    full: int
    sliding: int
    pages: int
    num_blocks: int
    groups: list[int]


PEERS = {
    # pt-28: seven sliding layers spread as if nine, 3 + 2 + 2; 96 pages / 3
    "pt-28": Peer(3, 7, 96, 32, [3, 3, 2, 2]),
    # pt-29: 6 < 1.5 x 5, so five are padded to six; 192 pages / 6
    "pt-29": Peer(6, 5, 192, 32, [6, 5]),
    # 3 = 1.5 x 2: not less, so groups of two; 64 pages / 2
    "exactly 1.5 times": Peer(3, 2, 64, 32, [2, 1, 2]),
    # the fewer are the sliding ones: full layers are cut
    "more full than sliding": Peer(4, 2, 64, 32, [2, 2, 2]),
    "equal": Peer(4, 4, 128, 32, [4, 4]),
    "full alone": Peer(5, 0, 160, 32, [5]),
}


@pytest.mark.parametrize("name", PEERS)
def test_groups_of_equal_pages(name: str, run_json: RunJson, tmp_path: Path) -> None:
    peer = PEERS[name]
    config = mixed(peer.full, peer.sliding, window=16, length=16)
    result = fit(run_json, saved(tmp_path, config), f"--kv-memory {peer.pages * 16384}B")
    assert [group["layers"] for group in result["groups"]] == peer.groups
    assert {group["page_bytes_per_layer"] for group in result["groups"]} == {16384}
    assert result["num_blocks"] == peer.num_blocks
    assert result["bytes_per_block"] == max(peer.groups) * 16384


@pytest.mark.parametrize(
    ("full", "blocks", "per_request", "tokens"),
    [(0, 387, 129, 49152), (1, 3459, 1153, 49152)],
    ids=["pt-32", "pt-33"],
)
def test_windows_of_the_engines_own_tests(
    full: int, blocks: int, per_request: int, tokens: int, run_json: RunJson, tmp_path: Path
) -> None:
    """min(1024 - 1 + 1024, 16384) = 2047 tokens: ceil(2047/16) + 1 = 129 blocks; 3 requests of 16384."""
    config = mixed(full, 1, window=1024, length=16384)
    words = f"--kv-memory {blocks * 16384}B --max-num-batched-tokens 1024"
    result = fit(run_json, saved(tmp_path, config), words)
    assert result["num_blocks"] == blocks
    assert result["blocks_per_max_len_request"] == per_request
    assert result["max_concurrency"] == 3.0
    assert result["kv_cache_size_tokens"] == tokens


WINDOWS = {
    # window 128, block 16
    # ceil((127 + 8192) / 16) + 1 = ceil(519.94) + 1
    "the default budget of 8192": ("--max-model-len 32768", 521),
    # ceil((127 + 2048) / 16) + 1 = ceil(135.94) + 1
    "2048 in flight": ("--max-model-len 32768 --max-num-batched-tokens 2048", 137),
    # ceil((127 + 4096) / 16) + 1 = ceil(263.94) + 1
    "async doubles what is in flight": (
        "--max-model-len 32768 --max-num-batched-tokens 2048 --async-scheduling",
        265,
    ),
    # the whole request is shorter: 1024 / 16 + 1
    "short requests": ("--max-model-len 1024 --max-num-batched-tokens 2048", 65),
    # ceil((127 + 2) / 16) + 1 = 10, ceil((127 + 1) / 16) + 1 = 9
    "a budget of 2": ("--max-model-len 32768 --max-num-batched-tokens 2", 10),
    "a budget of 1": ("--max-model-len 32768 --max-num-batched-tokens 1", 9),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_tokens_in_flight(name: str, run_json: RunJson, tmp_path: Path) -> None:
    """A window's blocks, and one for the block that the window has half left."""
    words, blocks = WINDOWS[name]
    path = saved(tmp_path, mixed(0, 2, window=128, length=32768))
    result = fit(run_json, path, f"{words} --kv-memory 1GiB")
    (group,) = result["groups"]
    assert (group["spec"], group["blocks_per_max_len_request"]) == ("SlidingWindowSpec", blocks)


CHUNKS = {
    # chunk 1000, block 16: ceil((1000 + 2048) / 16) = ceil(190.5), and no block more
    "in flight": ("--max-model-len 8192 --max-num-batched-tokens 2048", 191, 512),
    # ceil((1000 + 4096) / 16) = ceil(318.5)
    "async": ("--max-model-len 8192 --max-num-batched-tokens 2048 --async-scheduling", 319, 512),
    # the whole request: 1024 / 16
    "short requests": ("--max-model-len 1024 --max-num-batched-tokens 2048", 64, 64),
}


@pytest.mark.parametrize("name", CHUNKS)
def test_chunked_layers(name: str, run_json: RunJson, tmp_path: Path) -> None:
    """3 of 4 layers in chunks: groups of one layer, since 3 is at least 1.5 x 1."""
    words, chunked, full = CHUNKS[name]
    config = plain(4, 4096, 32, 8, attention_chunk_size=1000, max_position_embeddings=8192)
    result = fit(run_json, saved(tmp_path, config), f"{words} --kv-memory 10GiB")
    blocks = sorted(
        (group["spec"], group["layers"], group["blocks_per_max_len_request"]) for group in result["groups"]
    )
    assert blocks == [("ChunkedLocalAttentionSpec", 1, chunked)] * 3 + [("FullAttentionSpec", 1, full)]
    assert result["blocks_per_max_len_request"] == 3 * chunked + full
    assert result["bytes_per_block"] == 65536
    assert result["num_blocks"] == 10 * GIB // 65536


# -- latents, context parallelism, pipeline stages ------------------------------------------------


@pytest.mark.parametrize("tp", [1, 2, 8])
def test_a_latent_is_on_every_rank(tp: int, run_json: RunJson) -> None:
    """Kimi K2: 61 x 576 x 2 = 70272 B a token on each rank, 64 of them 4497408 B a block."""
    path = str(CONFIGS / "kimi-k2.json")
    words = f"--tp {tp} --block-size 64 --kv-memory {11173 * 4497408}B"
    result = fit(run_json, path, words)
    assert (result["bytes_per_block"], result["num_blocks"]) == (4497408, 11173)
    assert result["kv_cache_size_tokens"] == 715072  # 11173 x 64, what cap-24 prints


def test_context_parallelism_multiplies_the_tokens(run_json: RunJson) -> None:
    """cap-25: 11174 blocks of 64 on each of 8 ranks are 5721088 tokens."""
    path = str(CONFIGS / "kimi-k2.json")
    words = f"--tp 8 --dcp 8 --block-size 64 --kv-memory {11174 * 4497408}B"
    result = fit(run_json, path, words)
    assert (result["num_blocks"], result["kv_cache_size_tokens"]) == (11174, 5721088)
    # 131072 tokens are 16384 on a rank, 256 blocks
    assert result["blocks_per_max_len_request"] == 256


def test_stages_each_against_their_own_memory(run_json: RunJson, tmp_path: Path) -> None:
    """2 stages x 2 ranks, stage by stage: 16 layers x 4 heads x 256 x 2 B x 16 = 512 KiB a block."""
    sizes = ["10GiB", "9GiB", "8GiB", "12GiB"]
    words = " ".join(f"--kv-memory {size}" for size in sizes)
    result = fit(run_json, saved(tmp_path, LLAMA), f"--pp 2 --tp 2 {words}")
    ranks = result["ranks"]
    assert [(rank["rank"], rank["stage"]) for rank in ranks] == [(0, 0), (1, 0), (2, 1), (3, 1)]
    assert [rank["available_bytes"] for rank in ranks] == [size * GIB for size in (10, 9, 8, 12)]
    assert {rank["bytes_per_block"] for rank in ranks} == {512 * 1024}
    assert result["num_blocks"] == 8 * 2048
    assert [rank["unused_bytes"] for rank in ranks] == [2 * GIB, GIB, 0, 4 * GIB]
    assert (result["available_bytes"], result["unused_bytes"]) == (10 * GIB, 2 * GIB)


def test_layers_that_do_not_divide_among_stages(run_json: RunJson) -> None:
    """61 layers on 4 stages: every layer once, no stage more than one beyond another."""
    path = str(CONFIGS / "kimi-k2.json")
    result = fit(run_json, path, "--pp 4 --block-size 64 --kv-memory 40GiB")
    layers = [rank["bytes_per_block"] // (64 * 1152) for rank in result["ranks"]]
    assert (sum(layers), max(layers) - min(layers), len(layers)) == (61, 1, 4)
    assert result["num_blocks"] == 40 * GIB // (16 * 64 * 1152)


# -- hybrids with a linear state ------------------------------------------------------------------


class Hybrid(NamedTuple):
    """A config and options; then block size, bytes a block, state blocks of a request, tokens."""

    config: str
    words: str
    blocks: int
    block_size: int
    block_bytes: int
    per_request: int
    tokens: int


# state of a gated delta net layer:
# v_heads x k_dim x v_dim x 4 + (2 x k_heads x k_dim + v_heads x v_dim) x (4 - 1) x 2
# 27b: 48 x 128 x 128 x 4 + (4096 + 6144) x 6 = 3207168 B; 35b: 32 x 128 x 128 x 4 + 8192 x 6 = 2146304 B
HYBRIDS = {
    # 4 heads x 512 x 2 B = 4096 B a token: 783 -> 784; x 16 layers of a group; 42 + 3 x 1 blocks
    "cap-44 shape": Hybrid(
        "qwen3.5-27b",
        "--no-prefix-caching --max-model-len 32768",
        1487,
        784,
        784 * 4096 * 16,
        45,
        1082800,  # int(1487 / 45 x 32768)
    ),
    # fp8, tp 2: 1024 B a token and half the state; 84 + 3 x 2 blocks
    "cap-46 shape": Hybrid(
        "qwen3.5-27b",
        "--prefix-caching --max-model-len 131072 --kv-dtype fp8 --tp 2",
        208,
        1568,
        25690112,
        90,
        302921,
    ),
    # 1024 B a token: exactly 2096; 63 + 3 x 2 blocks
    "cap-47 shape": Hybrid(
        "qwen3.5-35b-a3b",
        "--prefix-caching --max-model-len 131072 --kv-dtype fp8",
        299,
        2096,
        21463040,
        69,
        567978,
    ),
    "cap-48 shape": Hybrid(
        "qwen3.5-35b-a3b",
        "--prefix-caching --max-model-len 131072 --kv-dtype fp8",
        300,
        2096,
        21463040,
        69,
        569878,
    ),
    # cap-63: 16 + 3 x 2 blocks; int(284 / 22 x 32768) by the newer definition
    "cap-63 shape": Hybrid(
        "qwen3.5-35b-a3b",
        "--prefix-caching --max-model-len 32768 --kv-dtype fp8",
        284,
        2096,
        21463040,
        22,
        423005,
    ),
}


@pytest.mark.parametrize("name", HYBRIDS)
def test_blocks_are_enlarged_to_cover_the_state(name: str, run_json: RunJson) -> None:
    case = HYBRIDS[name]
    words = f"{case.words} --kv-memory {case.blocks * case.block_bytes}B"
    result = fit(run_json, str(CONFIGS / f"{case.config}.json"), words)
    specs = sorted(group["spec"] for group in result["groups"])
    assert specs == ["FullAttentionSpec"] + ["MambaSpec"] * 3
    full = next(group for group in result["groups"] if group["spec"] == "FullAttentionSpec")
    assert full["block_size"] == case.block_size
    assert result["bytes_per_block"] == case.block_bytes
    assert result["num_blocks"] == case.blocks
    assert result["blocks_per_max_len_request"] == case.per_request
    assert result["kv_cache_size_tokens"] == case.tokens


@pytest.mark.parametrize("name", ["jamba-v0.1", "nemotron-h-56b", "nemotron-3-nano-30b-a3b"])
def test_a_state_is_sized_or_refused_by_name(name: str, run_lab: RunLab) -> None:
    """Never sized as if the state were nothing: refused with a line that says so, or with groups of it."""
    path = str(CONFIGS / f"{name}.json")
    words = "--kv-memory 20GiB --max-model-len 4096 --json"
    ran = run_lab(["capacity", "fit", "--config", path, *words.split()])
    if ran.code == 2:
        assert (ran.out, ran.err.count("\n")) == ("", 1)
        assert ran.err.startswith(f"error: {path}")
        assert any(word in ran.err.lower() for word in ("mamba", "state", "linear"))
    else:
        groups = json.loads(ran.out)["result"]["groups"]
        assert "MambaSpec" in {group["spec"] for group in groups}


# -- what is refused ------------------------------------------------------------------------------

REFUSED = {
    "--kv-memory 40": "--kv-memory",
    "--kv-memory 0GiB": "--kv-memory",
    "--kv-memory 40GiB --gpu 80GiB": "--",
    "--kv-memory 40GiB --kv-memory 30GiB": "--kv-memory",  # one rank, two memories
    "--kv-memory 40GiB --kv-memory 30GiB --tp 4": "--kv-memory",
    "--gpu 80": "--gpu",
    "--gpu 80GiB --weights 16": "--weights",
    "--gpu 80GiB --utilization 1.1": "--utilization",
    "--gpu 80GiB --utilization 0": "--utilization",
    "--kv-memory 40GiB --max-model-len 0": "--max-model-len",
    "--kv-memory 40GiB --max-model-len long": "--max-model-len",
    "--kv-memory 40GiB --block-size 0": "--block-size",
    "--kv-memory 40GiB --tp 3": "--tp",
    "--kv-memory 40GiB --pp 33": "--pp",
    "--kv-memory 40GiB --dcp 3": "--dcp",
    "--kv-memory 40GiB --kv-dtype int4": "--kv-dtype",
    "--kv-memory 40GiB --max-num-batched-tokens 0": "--max-num-batched-tokens",
    "--kv-memory 40GiB --num-gpu-blocks-override 0": "--num-gpu-blocks-override",
}


@pytest.mark.parametrize("words", REFUSED)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_refused_in_one_line(words: str, lang: str, run_lab: RunLab, tmp_path: Path) -> None:
    path = saved(tmp_path, LLAMA)
    ran = run_lab(["--lang", lang, "capacity", "fit", "--config", path, *words.split()])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"error: {REFUSED[words]}")


def test_without_a_length(run_lab: RunLab, tmp_path: Path) -> None:
    """A config that names no length needs `--max-model-len`; nothing is guessed."""
    path = saved(tmp_path, plain(32, 4096, 32, 8))
    ran = run_lab(["capacity", "fit", "--config", path, "--kv-memory", "40GiB"])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "max" in ran.err


# -- the text -------------------------------------------------------------------------------------


def text_of(run_lab: RunLab, path: str, words: str, lang: str) -> str:
    ran = run_lab(["--lang", lang, "capacity", "fit", "--config", path, *words.split()])
    assert (ran.code, ran.err) == (0, "")
    return ran.out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_text_has_the_engines_line_and_the_derivation(lang: str, run_lab: RunLab, tmp_path: Path) -> None:
    """Every figure of the derivation 40 GiB / 2 MiB = 20480, 8192 / 16 = 512, 20480 / 512 = 40.00."""
    text = text_of(run_lab, saved(tmp_path, LLAMA), "--kv-memory 40GiB", lang)
    line = "GPU KV cache size: 327,680 tokens, Maximum concurrency for 8,192 tokens per request: 40.00x"
    assert line in text
    plain_text = text.replace(",", "")
    for figure in ("128 KiB", "1 GiB", "40 GiB", "20480", "512", "40.00", "327680"):
        assert figure in plain_text, figure
    assert "2 MiB" in plain_text or "2097152" in plain_text
    assert lang == "zh" or text.isascii()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_text_says_what_would_fit(lang: str, run_lab: RunLab, tmp_path: Path) -> None:
    """One request needs 1 GiB, and 1 GiB is not enough: at most 8176 tokens."""
    text = text_of(run_lab, saved(tmp_path, LLAMA), "--kv-memory 1GiB", lang).replace(",", "")
    assert "8176" in text
    assert "8192" in text


def test_both_languages_have_the_same_figures(run_lab: RunLab, tmp_path: Path) -> None:
    import re

    path = saved(tmp_path, LLAMA)
    for words in ("--kv-memory 40GiB", "--kv-memory 1GiB", "--gpu 80GiB --weights 16GiB --tp 2 --pp 2"):
        numbers = [
            sorted(set(re.findall(r"\d+(?:\.\d+)?", text_of(run_lab, path, words, lang).replace(",", ""))))
            for lang in ("en", "zh")
        ]
        assert numbers[0] == numbers[1], words


@pytest.mark.parametrize("name", sorted(path.stem for path in CONFIGS.iterdir()))
def test_every_real_model_is_sized_or_refused(name: str, run_lab: RunLab) -> None:
    """64 GiB and 1024 tokens: exit 0 with consistent figures, or one line that names the file."""
    path = str(CONFIGS / f"{name}.json")
    words = "--kv-memory 64GiB --max-model-len 1024 --json"
    ran = run_lab(["capacity", "fit", "--config", path, *words.split()])
    if ran.code == 2:
        assert (ran.out, ran.err.count("\n")) == ("", 1)
        assert ran.err.startswith(f"error: {path}")
        return
    result = json.loads(ran.out)["result"]
    assert (ran.code, result["fits"]) == (0, True)
    assert result["num_blocks"] == 64 * GIB // result["bytes_per_block"]
    assert result["unused_bytes"] == 64 * GIB - result["num_blocks"] * result["bytes_per_block"]
    blocks = sum(group["blocks_per_max_len_request"] for group in result["groups"])
    assert result["blocks_per_max_len_request"] == blocks
    engine = int(result["num_blocks"] / blocks * 1024)  # in floats, as the engine has it
    assert result["kv_cache_size_tokens"] in (engine, result["num_blocks"] * 1024 // blocks)


def test_a_latent_alone_has_its_own_spec(run_json: RunJson, tmp_path: Path) -> None:
    """27 x 576 x 2 B x 16 = 497664 B a block; one group of MLA."""
    config = plain(27, 2048, 16, 16, **MLA, max_position_embeddings=32768)
    result = fit(run_json, saved(tmp_path, config), "--kv-memory 40GiB --tp 4")
    (group,) = result["groups"]
    assert (group["spec"], group["layers"], group["page_bytes_per_layer"]) == ("MLAAttentionSpec", 27, 18432)
    assert result["bytes_per_block"] == 497664
