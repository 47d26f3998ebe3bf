"""`capacity fit` against vLLM 0.32.0's own planner: every hand-made and every random sizing case.

The expected figures are the planner's (tests/golden); what stands here is only how each case is asked for.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import inference_lab
from tests.model.published import FULL, MLA, SLIDING, Config, plain

if TYPE_CHECKING:
    from tests.conftest import RunJson

GOLDEN = Path(inference_lab.__file__).parent / "tests" / "golden"
DTYPES = {"bfloat16": "bfloat16", "float32": "float32", "float8_e4m3fn": "fp8"}
# checks of the script that made the file, and the tokens that a naive reader expects
NOT_ASKED = {"model", "check_concurrency", "check_tokens", "num_blocks_times_block_size"}
NO_FIT = "ValueError: not enough KV memory for one request"


def read(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


def attention(layers: int, kv_heads: int, head_dim: int, **more: Any) -> Config:
    return plain(layers, kv_heads * head_dim, kv_heads, kv_heads, head_dim=head_dim, **more)


def every(period: int, layers: int) -> list[str]:
    """Sliding layers of which every n-th is full."""
    return [SLIDING if (index + 1) % period else FULL for index in range(layers)]


def latent(layers: int) -> Config:
    return plain(layers, 4096, 32, 32, **MLA)


LLAMA = attention(32, 8, 128)
GEMMA = attention(34, 4, 256, sliding_window=1024, layer_types=every(6, 34))
# what a name begins with -> config and further options; the longest beginning counts
SHAPES: dict[str, tuple[Config, str]] = {
    "llama3_8b": (LLAMA, ""),
    "llama3_8b_40GiB_8192_bs32": (LLAMA, "--block-size 32"),
    "llama3_8b_40GiB_8192_bs128": (LLAMA, "--block-size 128"),
    "llama3_8b_fp8": (LLAMA, "--kv-dtype fp8"),
    "llama3_8b_tp2": (LLAMA, "--tp 2"),
    "llama3_8b_override_100": (LLAMA, "--num-gpu-blocks-override 100"),
    "qwen25_7b": (attention(28, 4, 128), ""),
    "llama3_70b_tp8": (attention(80, 8, 128), "--tp 8"),
    "llama3_70b_tp1": (attention(80, 8, 128), ""),
    "mistral7b_v01_all_sliding": (attention(32, 8, 128, sliding_window=4096), ""),
    "gemma3_4b": (GEMMA, ""),
    "gemma3_4b_20GiB_32768_async": (GEMMA, "--async-scheduling"),
    "gemma3_4b_20GiB_32768_batched2048": (GEMMA, "--max-num-batched-tokens 2048"),
    "gpt_oss_20b": (attention(24, 8, 64, sliding_window=128, layer_types=every(2, 24)), ""),
    "deepseek_v2_lite_mla": (latent(27), ""),
    "deepseek_v3_mla_bs64": (latent(61), "--block-size 64"),
    "tiny_cpu_model": (attention(2, 2, 32), "--kv-dtype float32 --block-size 32"),
}
MEMORY = {"llama3_8b_tp2_uneven_memory": ["40GiB", "30GiB"]}  # of the ranks, where they differ
MODELS: dict[str, dict[str, Any]] = read("kv_sizing.json")["models"]
FUZZ_FILE = read("sizing_fuzz.json")
FUZZ: list[dict[str, Any]] = FUZZ_FILE["sizing"] if isinstance(FUZZ_FILE, dict) else FUZZ_FILE


def fit(
    run_json: RunJson, folder: Path, config: Config, max_model_len: int, memory: list[str], words: str
) -> dict[str, Any]:
    """The result for a config whose own length is the case's."""
    path = folder / "config.json"
    path.write_text(json.dumps({**config, "max_position_embeddings": max_model_len}))
    given = [word for size in memory for word in ("--kv-memory", size)]
    result: dict[str, Any] = run_json(["capacity", "fit", "--config", str(path), *given, *words.split()])[
        "result"
    ]
    return result


def wanted(case: dict[str, Any]) -> dict[str, Any]:
    """What the case says, exact numbers as JSON has them: rounded to 6 places."""
    kept = {key: value for key, value in case.items() if key not in NOT_ASKED}
    return {key: round(value, 6) if isinstance(value, float) else value for key, value in kept.items()}


def check(result: dict[str, Any], case: dict[str, Any]) -> None:
    expected = wanted(case)
    groups = expected.pop("groups", None)
    if groups is not None:
        assert [{key: group[key] for key in groups[0]} for group in result["groups"]] == groups
    assert {key: result[key] for key in expected} == expected
    assert result["fits"] is ("error" not in case)


def shape_of(name: str) -> tuple[Config, str]:
    return SHAPES[max((start for start in SHAPES if name.startswith(start)), key=len)]


@pytest.mark.parametrize("name", MODELS)
def test_each_model_of_the_planner(name: str, run_json: RunJson, tmp_path: Path) -> None:
    """The engine's figures for named shapes, the file's length taken from the config."""
    case = MODELS[name]
    config, words = shape_of(name)
    if name.endswith("autofit"):  # the config's length; the one in the case is the answer
        length, words = 8192, f"{words} --max-model-len auto"
    else:
        length = case["max_model_len"]
    memory = MEMORY.get(name, [f"{case['available_bytes']}B"])
    check(fit(run_json, tmp_path, config, length, memory, words), case)


@pytest.mark.parametrize("name", [name for name in MODELS if not name.endswith("autofit")])
def test_the_length_may_be_given(name: str, run_json: RunJson, tmp_path: Path) -> None:
    """`--max-model-len` says the same below a longer config's length."""
    case = MODELS[name]
    config, words = shape_of(name)
    memory = MEMORY.get(name, [f"{case['available_bytes']}B"])
    words = f"{words} --max-model-len {case['max_model_len']}"
    check(fit(run_json, tmp_path, config, 1 << 20, memory, words), case)


def config_of(model: dict[str, Any]) -> Config:
    """The config of a random shape."""
    layers = model["layers"]
    if model["kind"] == "mla":
        assert model["head_dim"] == MLA["kv_lora_rank"] + MLA["qk_rope_head_dim"]
        return latent(layers)
    more: Config = {}
    if model["kind"] == "sliding":
        more = {"sliding_window": model["window"], "layer_types": [SLIDING] * layers}
    elif model["kind"] == "hybrid":
        more = {"sliding_window": model["window"], "layer_types": every(model["full_every"], layers)}
    return attention(layers, model["kv_heads"], model["head_dim"], **more)


FUZZ_IDS = [
    f"{at}-{case['model']['kind']}-{case['model']['layers']}x{case['model']['kv_heads']}"
    f"x{case['model']['head_dim']}-{case['model']['dtype']}"
    for at, case in enumerate(FUZZ)
]


@pytest.mark.parametrize("case", FUZZ, ids=FUZZ_IDS)
def test_each_random_sizing(case: dict[str, Any], run_json: RunJson, tmp_path: Path) -> None:
    model = case["model"]
    words = (
        f"--kv-dtype {DTYPES[model['dtype']]} --block-size {model['block_size']}"
        f" --max-num-batched-tokens {model['max_num_batched_tokens']}"
    )
    assert model["async_scheduling"] is False
    memory = [f"{case['available_bytes']}B"]
    check(fit(run_json, tmp_path, config_of(model), case["max_model_len"], memory, words), case)


@pytest.mark.parametrize("name", ["llama3_8b_tp2_40GiB_each_8192", "llama3_70b_tp8_40GiB_each_8192"])
def test_memory_once_is_memory_for_each_rank(name: str, run_json: RunJson, tmp_path: Path) -> None:
    """One `--kv-memory` is every rank's; saying it for each of them changes nothing."""
    case = MODELS[name]
    config, words = shape_of(name)
    ranks = int(words.split()[-1])
    size = f"{case['available_bytes']}B"
    once = fit(run_json, tmp_path, config, case["max_model_len"], [size], words)
    each = fit(run_json, tmp_path, config, case["max_model_len"], [size] * ranks, words)
    assert once == each
    assert [rank["rank"] for rank in once["ranks"]] == list(range(ranks))


def test_uneven_ranks_one_by_one(run_json: RunJson, tmp_path: Path) -> None:
    """40 and 30 GiB, 1 MiB a block: 40960 and 30720 blocks alone; the smaller decides, 10 GiB stay unused."""
    config, words = shape_of("llama3_8b_tp2_uneven_memory")
    result = fit(run_json, tmp_path, config, 8192, ["40GiB", "30GiB"], words)
    gib = 1 << 30
    assert [rank["available_bytes"] for rank in result["ranks"]] == [40 * gib, 30 * gib]
    assert [rank["bytes_per_block"] for rank in result["ranks"]] == [1 << 20, 1 << 20]
    assert [rank["stage"] for rank in result["ranks"]] == [0, 0]
    assert [rank["unused_bytes"] for rank in result["ranks"]] == [10 * gib, 0]
    assert result["num_blocks"] == 30720


def test_both_files_are_there() -> None:
    """29 named shapes and 40 random ones, of each kind some."""
    assert (len(MODELS), len(FUZZ)) == (29, 40)
    assert {case["model"]["kind"] for case in FUZZ} == {"full", "sliding", "hybrid", "mla"}
    assert {case["error"] for case in MODELS.values() if "error" in case} == {NO_FIT}
