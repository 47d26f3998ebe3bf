"""What `capacity fit` refuses: one line that names the option, exit 2, nothing on standard output.

And what may be said about ranks: a size once or once a rank, repeated or parted by commas; layers by stage.
Refusals of single values are in tests/capacity; here are those that follow from several options or the model.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.model.published import FULL, MLA, SLIDING, Config, plain

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunJson, RunLab

GIB = 1 << 30
# 4 layers x 8 KV heads x 256 x 2 B: 4096 B a token and layer
LLAMA = plain(4, 4096, 32, 8, max_position_embeddings=8192)
MEMORY = "--kv-memory 40GiB "


class Refusal(NamedTuple):
    """Options after `--config`, the option that the line begins with, and a word of the line in English."""

    words: str
    option: str
    told: str
    config: Config = LLAMA


WINDOWS = {**LLAMA, "sliding_window": 512, "layer_types": [SLIDING, FULL] * 2}
REFUSED = {
    # memory
    "no memory": Refusal("", "--gpu", "--kv-memory"),
    "weights are no memory": Refusal("--weights 16GiB", "--gpu", "--kv-memory"),
    "both": Refusal(MEMORY + "--gpu 80GiB", "--gpu", "--kv-memory"),
    "weights beside it": Refusal(MEMORY + "--weights 16GiB", "--weights", "--kv-memory"),
    "overhead beside it": Refusal(MEMORY + "--overhead 1GiB", "--overhead", "--kv-memory"),
    "a share beside it": Refusal(MEMORY + "--utilization 0.9", "--utilization", "--kv-memory"),
    # once, or once a rank
    "two for one rank": Refusal("--kv-memory 1GiB,2GiB", "--kv-memory", "1 ranks"),
    "two for four ranks": Refusal("--kv-memory 1GiB,2GiB --tp 4", "--kv-memory", "4 ranks"),
    "two for two stages of two": Refusal("--kv-memory 1GiB,2GiB --tp 2 --pp 2", "--kv-memory", "4 ranks"),
    "five for four ranks": Refusal("--kv-memory 1GiB,2GiB,3GiB,4GiB,5GiB --tp 4", "--kv-memory", "4 ranks"),
    "cards": Refusal("--gpu 80GiB,40GiB,80GiB --tp 2", "--gpu", "2 ranks"),
    "weights": Refusal("--gpu 80GiB --weights 1GiB,2GiB --tp 4", "--weights", "4 ranks"),
    "overhead": Refusal("--gpu 80GiB --overhead 1GiB,2GiB --tp 4", "--overhead", "4 ranks"),
    "one without a unit": Refusal("--kv-memory 40GiB,40 --tp 2", "--kv-memory", "40GiB or 40GB"),
    "a comma too many": Refusal("--kv-memory 40GiB, --tp 2", "--kv-memory", ""),
    # stages
    "more stages than layers": Refusal(MEMORY + "--pp 5", "--pp", "at most 4"),
    "a partition of other stages": Refusal(MEMORY + "--pp 2 --pp-partition 4", "--pp-partition", "2 stages"),
    "of other layers": Refusal(MEMORY + "--pp 2 --pp-partition 2,3", "--pp-partition", "4 layers"),
    "an empty stage": Refusal(MEMORY + "--pp 2 --pp-partition 4,0", "--pp-partition", "at least 1"),
    "no number": Refusal(MEMORY + "--pp 2 --pp-partition 2,x", "--pp-partition", "whole number"),
    "a partition of one stage": Refusal(MEMORY + "--pp-partition 2,2", "--pp-partition", "1 stages"),
    # ranks
    "heads": Refusal(MEMORY + "--tp 3", "--tp", "32 query heads"),
    "too many": Refusal(MEMORY + "--tp 4096 --pp 2", "--tp", "at most 4096"),
    # context parallelism
    "no copies to share": Refusal(MEMORY + "--tp 8 --dcp 2", "--dcp", "8 KV heads"),
    "more than copies": Refusal(MEMORY + "--tp 16 --dcp 4", "--dcp", "8 KV heads"),
    "does not divide": Refusal(MEMORY + "--tp 16 --dcp 3", "--dcp", "16 tensor-parallel"),
    "more than ranks": Refusal(MEMORY + "--dcp 2", "--dcp", "1 tensor-parallel"),
    "windows": Refusal(MEMORY + "--tp 16 --dcp 2", "--dcp", "sliding", WINDOWS),
    "chunks": Refusal(MEMORY + "--tp 16 --dcp 2", "--dcp", "chunked", {**LLAMA, "attention_chunk_size": 64}),
    # words and lengths
    "state dtype": Refusal(MEMORY + "--state-dtype int4", "--state-dtype", "bfloat16"),
    "block size": Refusal(MEMORY + "--block-size x", "--block-size", "whole number"),
    "no length": Refusal(MEMORY, "--max-model-len", "names no length", plain(4, 4096, 32, 8)),
    "no length to fit to": Refusal(
        MEMORY + "--max-model-len auto", "--max-model-len", "names no length", plain(4, 4096, 32, 8)
    ),
    "a length below -1": Refusal(MEMORY + "--max-model-len -2", "--max-model-len", "at least 1"),
    "override": Refusal(MEMORY + "--num-gpu-blocks-override x", "--num-gpu-blocks-override", "whole number"),
    "share of one": Refusal("--gpu 80GiB --utilization 1.01", "--utilization", ""),
    "a model beside the file": Refusal(MEMORY + "--model llama-3-8b", "--model", "--config"),
    # a stage of layers that keep nothing
    "a stage without a cache": Refusal(
        MEMORY + "--pp 2",
        "--pp",
        "without cached layers",
        plain(4, 512, 8, 2, head_dim=64, layers_block_type=["attention", "attention", "mlp", "mlp"])
        | {"max_position_embeddings": 4096},
    ),
}


def saved(folder: Path, config: Config) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    return str(path)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_refused_in_one_line(name: str, lang: str, run_lab: RunLab, tmp_path: Path) -> None:
    case = REFUSED[name]
    words = ["capacity", "fit", "--config", saved(tmp_path, case.config), *case.words.split()]
    ran = run_lab(["--lang", lang, *words])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"error: {case.option}: ")
    assert lang == "zh" or case.told in ran.err


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("option", ["--kv-memory", "--gpu", "--max-model-len", "--tp", "--config"])
def test_an_option_without_a_value(option: str, lang: str, run_lab: RunLab) -> None:
    ran = run_lab(["--lang", lang, "capacity", "fit", option])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert option in ran.err


# -- ranks ----------------------------------------------------------------------------------------


def fit(run_json: RunJson, path: str, words: str) -> dict[str, Any]:
    result: dict[str, Any] = run_json(["capacity", "fit", "--config", path, *words.split()])["result"]
    return result


SAID = {
    "repeated": "--kv-memory 4GiB --kv-memory 3GiB --kv-memory 2GiB --kv-memory 5GiB",
    "by commas": "--kv-memory 4GiB,3GiB,2GiB,5GiB",
    "both ways": "--kv-memory 4GiB,3GiB --kv-memory 2GiB --kv-memory 5GiB",
}


@pytest.mark.parametrize("name", SAID)
def test_a_size_for_each_rank(name: str, run_json: RunJson, tmp_path: Path) -> None:
    """2 stages of 2 ranks: 2 layers x 4 heads x 256 x 2 B x 16 = 64 KiB a block."""
    result = fit(run_json, saved(tmp_path, LLAMA), f"--tp 2 --pp 2 {SAID[name]}")
    assert [rank["available_bytes"] // GIB for rank in result["ranks"]] == [4, 3, 2, 5]
    assert [rank["stage"] for rank in result["ranks"]] == [0, 0, 1, 1]
    assert result["num_blocks"] == 2 * GIB // 65536


def test_cards_weights_and_overhead_by_rank(run_json: RunJson, tmp_path: Path) -> None:
    """20 x 0.5 - 4 - 1, 30 x 0.5 - 4 - 2 GiB: weights once, the rest once a rank."""
    words = "--tp 2 --gpu 20GiB,30GiB --utilization 0.5 --weights 4GiB --overhead 1GiB,2GiB"
    result = fit(run_json, saved(tmp_path, LLAMA), words)
    assert [rank["available_bytes"] // GIB for rank in result["ranks"]] == [5, 9]


def test_layers_by_stage(run_json: RunJson, tmp_path: Path) -> None:
    """1 layer and 3 layers of 64 KiB x 16 B: 64 and 192 KiB a block."""
    path = saved(tmp_path, LLAMA)
    result = fit(run_json, path, "--pp 2 --pp-partition 1,3 --kv-memory 3GiB")
    assert [rank["bytes_per_block"] for rank in result["ranks"]] == [65536, 3 * 65536]
    assert result["num_blocks"] == GIB // 65536
    even = fit(run_json, path, "--pp 2 --kv-memory 3GiB")
    assert [rank["bytes_per_block"] for rank in even["ranks"]] == [131072, 131072]


def test_a_stage_with_a_short_share_of_a_group(run_json: RunJson, tmp_path: Path) -> None:
    """Stages of 3 and 1 of sfsf: two groups of 2, of which the stages have 2 + 1 and 0 + 1 layers."""
    result = fit(run_json, saved(tmp_path, WINDOWS), "--pp 2 --pp-partition 3,1 --kv-memory 1GiB")
    assert [rank["bytes_per_block"] for rank in result["ranks"]] == [2 * 65536, 65536]


def test_latents_share_the_tokens_out(run_json: RunJson, tmp_path: Path) -> None:
    """8192 tokens on 4 ranks: 2048 each, 128 blocks of 16."""
    config = plain(4, 2048, 16, 16, **MLA, max_position_embeddings=8192)
    result = fit(run_json, saved(tmp_path, config), "--tp 4 --dcp 4 --kv-memory 1GiB")
    assert result["blocks_per_max_len_request"] == 128
    alone = fit(run_json, saved(tmp_path, config), "--tp 4 --kv-memory 1GiB")
    assert alone["blocks_per_max_len_request"] == 512
