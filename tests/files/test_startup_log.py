"""Start-up logs: each generation's lines, whatever stands around them, become the figures as printed."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from labs.base import LabError
from labs.files.startup_log import StartupLog, read_startup_log

CASES = Path(__file__).parents[1] / "cases"
PRINTED_NAMES = {
    "model_loading_gib": "weights_gib",
    "weights_gb_label": "weights_gib",
    "kv_gib_per_gpu": "kv_gib",
    "estimated_max_len": "estimated_max_model_len",
}
NOT_IN_THE_LOG = {"gpu_blocks_before_fix"}

V0_BUDGET = (
    "INFO 02-26 worker.py:267] Memory profiling takes 5.05 seconds\n"
    "INFO 02-26 worker.py:267] the current vLLM instance can use total_gpu_memory (23.58GiB)"
    " x gpu_memory_utilization (0.90) = 21.22GiB\n"
    "INFO 02-26 worker.py:267] model weights take 14.99GiB; non_torch_memory takes 0.11GiB; "
    "PyTorch activation peak memory takes 1.26GiB; the rest of the memory reserved for KV Cache is 4.86GiB.\n"
)
USAGE = (
    "INFO [gpu_worker.py:392] Free memory on device (78.73/79.25 GiB) on startup. Desired GPU memory "
    "utilization is (0.25, 19.81 GiB). Actual usage is 14.25 GiB for weight, 0.53 GiB for peak activation, "
    "0.02 GiB for non-torch memory, and 0.5 GiB for CUDAGraph memory. Replace "
    "gpu_memory_utilization config with "
    "`--kv-cache-memory=5379` to fit. Current kv cache memory in use is 5379457024 bytes.\n"
)
ENGINE = (
    "INFO [core.py:74] Initializing a V1 LLM engine (v0.10.1.1) with config: model='Qwen/Qwen2-7B', "
    "speculative_config=None, tokenizer='x/y', dtype=torch.bfloat16, max_seq_len=16384, "
    "tensor_parallel_size=2, pipeline_parallel_size=1, data_parallel_size=4, "
    "decode_context_parallel_size=2, kv_cache_dtype=fp8, "
    "served_model_name=Qwen, enable_prefix_caching=True, compilation_config={'max_seq_len': 3}\n"
)
NAMESPACE = (
    "INFO 06-01 api_server.py:178] args: Namespace(model='a/b', max_model_len=None, block_size=32, "
    "swap_space=8, gpu_memory_utilization=0.95, max_num_batched_tokens=4096, max_num_seqs=64, "
    "enable_prefix_caching=False, "
    "num_gpu_blocks_override=512, kv_cache_dtype='auto', max_seq_len_to_capture=8192)\n"
)
ARGS = (
    "(APIServer pid=1) INFO 08-20 10:15:00 [utils.py:326] non-default args: {'model_tag': 'a/b', "
    "'speculative_config': {'model': 'draft/x', 'max_model_len': 5}, 'max_model_len': 16384, "
    "'gpu_memory_utilization': 0.25, 'async_scheduling': True, 'decode_context_parallel_size': 8}\n"
)
METRIC = 'vllm:cache_config_info{block_size="16",cache_dtype="fp8",num_gpu_blocks="20480"} 1.0\n'

Facts = dict[str, "int | str"]
LINES: list[tuple[str, str, Facts]] = [
    (
        "V0 blocks",
        "# GPU blocks: 7281, # CPU blocks: 512\n",
        {"blocks_device": "GPU", "gpu_blocks": 7281, "cpu_blocks": 512},
    ),
    (
        "V0 cuda",
        "x.py:1] # cuda blocks: 1952, # CPU blocks: 2048",
        {"blocks_device": "cuda", "gpu_blocks": 1952, "cpu_blocks": 2048},
    ),
    (
        "V0 weights in GB",
        "Loading model weights took 14.9888 GB\n",
        {"weights_gib": "14.9888", "weights_label": "GB"},
    ),
    ("V1 weights", "Model loading took 7.1217 GiB and 3.40 seconds\n", {"weights_gib": "7.1217"}),
    ("0.32 weights", "Model loading took 7.12 GiB memory and 3.4 seconds\n", {"weights_gib": "7.12"}),
    (
        "V0 budget",
        V0_BUDGET,
        {
            "total_gib": "23.58",
            "utilization": "0.90",
            "budget_gib": "21.22",
            "weights_gib": "14.99",
            "non_torch_gib": "0.11",
            "activation_peak_gib": "1.26",
            "kv_gib": "4.86",
        },
    ),
    ("negative KV", "Available KV cache memory: -1.05 GiB\n", {"kv_gib": "-1.05"}),
    (
        "0.32, one line",
        "GPU KV cache size: 327,680 tokens, Maximum concurrency for 8,192 tokens per request: 40.00x\n",
        {"kv_tokens": 327680, "max_model_len": 8192, "concurrency": "40.00"},
    ),
    ("a million tokens", "GPU KV cache size: 1,048,576 tokens\n", {"kv_tokens": 1048576}),
    ("CPU", "CPU KV cache size: 1,024 tokens\n", {"kv_tokens": 1024}),
    ("XPU", "XPU KV cache size: 1,024 tokens\n", {"kv_tokens": 1024}),
    ("with host pool", "GPU + host KV cache size: 1,024 tokens\n", {"kv_tokens": 1024}),
    (
        "usage after capture",
        USAGE,
        {
            "free_gib": "78.73",
            "total_gib": "79.25",
            "utilization": "0.25",
            "budget_gib": "19.81",
            "weights_gib": "14.25",
            "activation_peak_gib": "0.53",
            "non_torch_gib": "0.02",
            "graph_gib": "0.5",
            "kv_bytes": 5379457024,
        },
    ),
    (
        "graphs",
        "Graph capturing finished in 20 secs, took 0.57 GiB\nGraph capturing finished in 20 secs.",
        {"graph_gib": "0.57"},
    ),
    (
        "hybrid block",
        "Setting attention block size to 784 tokens to ensure x\nPadding mamba page size by 1.49% so\n",
        {"block_size": 784, "mamba_padding_percent": "1.49"},
    ),
    (
        "auto-fit",
        "Auto-fit max_model_len: reduced from 131072 to 8176 to fit in available KV cache memory (1.0 GiB)\n",
        {"auto_fit_max_model_len": 8176, "available_gib": "1.0"},
    ),
    (
        "override",
        "Overriding num_gpu_blocks=20480 with num_gpu_blocks_override=512\n",
        {"gpu_blocks_profiled": 20480, "num_gpu_blocks_override": 512},
    ),
    (
        "chunked prefill",
        "Chunked prefill is enabled with max_num_batched_tokens=2048.\nAsynchronous scheduling is enabled.\n",
        {"max_num_batched_tokens": 2048, "async_scheduling": "True"},
    ),
    ("fp8 KV", "Using fp8_e4m3 data type to store kv cache. It\n", {"kv_cache_dtype": "fp8_e4m3"}),
    ("server", "INFO [api_server.py:1] vLLM API server version 0.10.1.1\n", {"version": "0.10.1.1"}),
    (
        "engine",
        ENGINE,
        {
            "version": "0.10.1.1",
            "model": "Qwen/Qwen2-7B",
            "model_dtype": "bfloat16",
            "max_model_len": 16384,
            "tp": 2,
            "pp": 1,
            "dp": 4,
            "dcp": 2,
            "kv_cache_dtype": "fp8",
            "prefix_caching": "True",
        },
    ),
    (
        "V0 arguments",
        NAMESPACE,
        {
            "model": "a/b",
            "block_size": 32,
            "swap_space_gib": "8",
            "utilization": "0.95",
            "max_num_batched_tokens": 4096,
            "max_num_seqs": 64,
            "prefix_caching": "False",
            "num_gpu_blocks_override": 512,
            "kv_cache_dtype": "auto",
        },
    ),
    (
        "V1 arguments, not the draft model's",
        ARGS,
        {"model": "a/b", "max_model_len": 16384, "utilization": "0.25", "async_scheduling": "True", "dcp": 8},
    ),
    ("metric", METRIC, {"block_size": 16, "kv_cache_dtype": "fp8", "gpu_blocks": 20480}),
    (
        "command line",
        "$ vllm serve a/b -tp 8 --block-size 64 --max-model-len=32K --no-enable-prefix-caching \\\n"
        "  --kv-cache-dtype fp8\nvLLM API server version 0.11.0\n",
        {
            "model": "a/b",
            "tp": 8,
            "block_size": 64,
            "max_model_len": 32768,
            "prefix_caching": "False",
            "kv_cache_dtype": "fp8",
            "version": "0.11.0",
        },
    ),
]

TOKENS = "(EngineCore_0 pid=714) INFO 08-20 10:15:02 [kv_cache_utils.py:849] GPU KV cache size: 93,872 tokens"
AROUND = [
    ("colours", "\x1b[1;36m(EngineCore_0 pid=714)\x1b[0;0m INFO \x1b[90m[kv_cache_utils.py:849]\x1b[0m"
     " GPU KV cache size: \x1b[1m93,872\x1b[0m tokens\n"),
    ("colours without escape", "[36m(EngineCore_0 pid=714)[0m [kv_cache_utils.py:849] "
     "GPU KV cache size: 93,872 tokens\n"),
    ("kubernetes", f"2025-08-20T10:15:00.123Z stdout F {TOKENS}\n"),
    ("docker", '{"log":"' + TOKENS + '\\n","stream":"stdout"}\n'),
    ("compose", f"vllm-1  | {TOKENS}\n"),
    ("quote", f"> {TOKENS}\n"),
    ("list", f"- `{TOKENS}`\n"),
    ("fence", f"```\n{TOKENS}\n```\n"),
    ("emphasis", TOKENS.replace("93,872", "**93,872**") + "\n"),
    ("backticks inside", TOKENS.replace("93,872", "`93,872`") + "\n"),
    ("no-break blank", TOKENS.replace(" 93", "\xa093") + "\n"),
    ("CR LF", f"{TOKENS}\r\n"),
    ("byte order mark", f"\ufeff{TOKENS}\n"),
    ("no line end", TOKENS),
    ("Chinese around", f"启动日志如下：{TOKENS}，为什么这么少？\n"),
    ("Chinese lines", f"我的显卡是 24GB。\n{TOKENS}\n为什么 GPU KV cache size 只有这么点？"),
    ("progress bar", f"Loading: 50%\rLoading: 100%\r{TOKENS}\n"),
    ("wrapped", TOKENS.replace(" 93,872", "\n> 93,872") + "\n"),
]  # fmt: skip

SILENT = [
    ("a sentence", "GPU KV cache size of 93,872 tokens is too small"),
    ("no device", "The KV cache size: 93,872 tokens"),
    ("5,000 digits", f"GPU KV cache size: {'9' * 5000} tokens"),
    ("serving", "GPU KV cache usage: 12.3%, Prefix cache hit rate: 45.6%"),
    ("advice", "then try --max-model-len 8192 and --block-size 32"),
    ("advice in a logger's line", "WARNING [a.py:1] start it with `--block-size 32`"),
    ("weights in seconds", "Loading weights took 3.21 seconds"),
    ("no unit", "Available KV cache memory: 5.01 of 24"),
    ("blocks alone", "# GPU blocks: 7281 of 8000"),
    ("another block size", "hash_block_size=32, mamba_block_size=64"),
    ("a rate", "Available KV cache memory: 5.01 GiB/s"),
]


UNUSABLE = [
    ("grouped wrongly", "GPU KV cache size: 93,87 tokens"),
    ("grouped by blanks", "GPU KV cache size: 327 680 tokens"),
    ("underscores", "GPU KV cache size: 1_048_576 tokens"),
    ("narrow no-break blanks", "GPU KV cache size: 1\u202f048\u202f576 tokens"),
    ("full-width digits", "GPU KV cache size: \uff19\uff13 tokens"),
]


def read(tmp_path: Path, text: str) -> StartupLog:
    path = tmp_path / "a.log"
    path.write_bytes(text.encode())
    return read_startup_log(str(path), "LOG")


def printed_cases() -> list[Any]:
    cases = json.loads((CASES / "capacity.json").read_text(encoding="utf-8"))
    return [
        pytest.param(case, id=case["id"]) for case in cases if (CASES / f"logs/{case['id']}.log").exists()
    ]


@pytest.mark.parametrize("case", printed_cases())
def test_every_printed_figure_of_the_cases(case: dict[str, Any]) -> None:
    log = read_startup_log(str(CASES / f"logs/{case['id']}.log"), "LOG")
    printed = {key: value for key, value in case["printed"].items() if value is not None}
    for key in printed.keys() - NOT_IN_THE_LOG:
        figure = log.first(PRINTED_NAMES.get(key, key))
        assert figure is not None, key
        assert figure.value == Fraction(str(printed[key])), key
    assert log.starts == 1


@pytest.mark.parametrize(("text", "facts"), [t[1:] for t in LINES], ids=[t[0] for t in LINES])
def test_each_generation(tmp_path: Path, text: str, facts: Facts) -> None:
    log = read(tmp_path, text)
    assert {figure.name for figure in log.figures} == set(facts)
    for name, fact in facts.items():
        figures = log.all(name)
        decimal = (
            isinstance(fact, str) and fact.replace(".", "").replace("-", "").isdigit() and name != "version"
        )
        expected = Fraction(fact) if decimal else fact
        places = len(str(fact).partition(".")[2]) if decimal else None
        assert {(figure.value, figure.places) for figure in figures} == {(expected, places)}


@pytest.mark.parametrize("text", [t[1] for t in AROUND], ids=[t[0] for t in AROUND])
def test_what_stands_around_a_line_does_not_matter(tmp_path: Path, text: str) -> None:
    (figure,) = read(tmp_path, text).figures
    assert (figure.name, figure.value) == ("kv_tokens", 93872)
    assert (figure.process, figure.source) == ("EngineCore_0 pid=714", "kv_cache_utils.py:849")


@pytest.mark.parametrize("text", [t[1] for t in SILENT], ids=[t[0] for t in SILENT])
def test_words_decide_not_numbers(tmp_path: Path, text: str) -> None:
    log = read(tmp_path, f"vLLM API server version 0.11.0\n{text}\nend\n")
    assert [figure.name for figure in log.figures] == ["version"]


@pytest.mark.parametrize("text", [t[1] for t in UNUSABLE], ids=[t[0] for t in UNUSABLE])
def test_a_token_line_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    """Left out in silence, the line that matters most would be missing from the verdict."""
    with pytest.raises(LabError) as refused:
        read(tmp_path, f"vLLM API server version 0.11.0\n{text}\nend\n")
    assert (refused.value.where, refused.value.rule) == (f"{tmp_path / 'a.log'}:2", "log_unusable")


def test_a_refusal_wrapped_over_four_lines(tmp_path: Path) -> None:
    text = (
        "> ValueError: To serve at least one request with the model's max seq len (131072), (16.00\n"
        "> GiB KV cache is needed, which is larger than the available\n"
        "> KV cache memory (0.71 GiB). Based on the available memory, the estimated maximum model length is\n"
        "> 5632. Try increasing `gpu_memory_utilization`\n"
    )
    log = read(tmp_path, text)
    facts = [(figure.name, figure.value, figure.line) for figure in log.figures]
    assert facts == [
        ("max_model_len", 131072, 1),
        ("needed_gib", Fraction(16), 1),
        ("available_gib", Fraction(71, 100), 1),
        ("estimated_max_model_len", 5632, 3),
    ]
    assert [(failure.kind, failure.line) for failure in log.failures] == [("kv_refusal", 1)]


def test_each_state_of_a_progress_bar_has_its_own_prefix(tmp_path: Path) -> None:
    (figure,) = read(tmp_path, "(Worker pid=3) [load.py:1] 50%\rGPU KV cache size: 93,872 tokens\n").figures
    assert (figure.process, figure.source, figure.line) == ("", "", 1)


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    log = read(tmp_path, "\ufeff--block-size 64\nvLLM API server version 0.11.0\n")
    assert [figure.name for figure in log.figures] == ["block_size", "version"]


def test_lines_of_libraries_do_not_make_it_another_engines_log(tmp_path: Path) -> None:
    log = read(tmp_path, "[TensorRT-LLM][INFO] autotuner\nGPU KV cache size: 93,872 tokens\n")
    assert [figure.name for figure in log.figures] == ["kv_tokens"]


RANKS = [
    ("VllmWorker rank=1 pid=3", "(VllmWorker rank=1 pid=3) INFO"),
    ("Worker_TP1 pid=9", "(EngineCore_DP0 pid=1) (Worker_TP1 pid=9) INFO"),
    ("RayWorkerWrapper pid=5, ip=10.0.0.2", "(RayWorkerWrapper pid=5, ip=10.0.0.2) INFO"),
    ("rank0", "[rank0]: INFO"),
    ("", "INFO"),
]


def test_several_ranks_keep_their_names_in_order(tmp_path: Path) -> None:
    lines = [
        f"{prefix} 08-20 [gpu_worker.py:276] Available KV cache memory: {n}.5 GiB"
        for n, (_, prefix) in enumerate(RANKS)
    ]
    log = read(tmp_path, "\n".join(lines))
    assert [(figure.process, figure.value, figure.line) for figure in log.all("kv_gib")] == [
        (name, Fraction(2 * n + 1, 2), n + 1) for n, (name, _) in enumerate(RANKS)
    ]
    assert log.lines == len(RANKS)
