"""How a start failed, told by the error's own words; and of several starts in one file the last counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.files.startup_log import StartupLog, read_startup_log

KV = "(EngineCore_0 pid=7) INFO 08-20 [gpu_worker.py:276] Available KV cache memory: 5.01 GiB\n"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total\n"
PROFILE = (
    '  File "gpu_worker.py", line 2, in determine_available_memory\n    self.model_runner.profile_run()\n'
)
CAPTURE = "Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  43%|####\n"
CONFIG = (
    "INFO [core.py:74] Initializing a V1 LLM engine (v0.10.1.1) with config: model='m', "
    "cudagraph_capture_sizes=[1]\n"
)
REFUSED = (
    "(EngineCore pid=7) ERROR 08-20 [core.py:632] ValueError: To serve at least one request with the "
    "models's max seq len (8192), (1.0 GiB KV cache is needed, which is larger than the "
    "available KV cache memory (0.5 GiB). Try\n"
)
V0_REFUSED = (
    "ValueError: The model's max seq len (4096) is larger than the maximum number of tokens that can be "
    "stored in KV cache (3664). Try increasing\n"
)
NOT_FREE = (
    "ValueError: Free memory on device cuda:0 (5.1/79.25 GiB) on startup is less than desired GPU memory "
    "utilization (0.9, 71.33 GiB). Decrease GPU memory utilization\n"
)
CORE = "(EngineCore_0 pid=7) ERROR 08-20 [core.py:700] EngineCore failed to start.\n"
MAIN = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"
START = "INFO 08-20 [backends.py:5] "

FAILED = [
    ("extension", "ImportError: libcudart.so.12: cannot open, vllm/vllm_C.so\n", ["extension_missing"]),
    ("extension, no module", "ModuleNotFoundError: No module named 'vllm._C'\n", ["extension_missing"]),
    ("extension, symbol", "ImportError: /x/vllm/_C.abi3.so: undefined symbol: _Z\n", ["extension_missing"]),
    ("extension, warned", "WARNING [a.py:2] Failed to import from vllm._C with X\n", ["extension_missing"]),
    ("extension, warned, but it ran", "WARNING [a.py:2] Failed to import from vllm._C with X\n" + KV, []),
    ("out of memory in the profile run", CONFIG + PROFILE + OOM, ["oom_profile"]),
    ("out of memory alone", OOM, ["oom_profile"]),
    ("out of memory, another rank has its figure", KV + PROFILE + OOM, ["oom_profile"]),
    ("out of memory after KV figures", KV + OOM, ["oom_graph"]),
    ("out of memory in capture", CAPTURE + OOM, ["oom_graph"]),
    ("out of memory long after a capture", CAPTURE + "x\n" * 100 + OOM, ["oom_profile"]),
    ("HIP", "RuntimeError: HIP out of memory. Tried to\n", ["oom_profile"]),
    ("out of memory while serving", KV + "INFO: Application startup complete.\n" + OOM, []),
    ("a warning of it", KV + "INFO [a.py:1] If out-of-memory error occurs during cudagraph capture\n", []),
    ("a sentence of it", KV + "怎么避免 CUDA out of memory 呢？\n", []),
    ("NCCL", "RuntimeError: NCCL error: unhandled cuda error\n", ["nccl"]),
    ("NCCL by torch", "DistBackendError: NCCL error in: /x/x.cpp:1, ncclUnhandledCudaError\n", ["nccl"]),
    ("NCCL in use", KV + "INFO [utils.py:5] vLLM is using nccl==2.18.1\n", []),
    ("refused, V1", REFUSED, ["kv_refusal"]),
    ("refused, V0", V0_REFUSED, ["kv_refusal"]),
    ("no memory for blocks", "ValueError: No available memory for the cache blocks. Try\n", ["no_kv_memory"]),
    ("memory not free", NOT_FREE, ["memory_not_free"]),
    ("core failed, cause known", REFUSED + CORE + MAIN, ["kv_refusal"]),
    ("core failed, cause unknown", CORE + MAIN, ["engine_core_failed", "engine_core_failed"]),
    ("compiling", KV + START + "Start compiling function <code object forward>\n", ["compiling"]),
    ("compiling, then prose", START + "Compiling a graph\n```\n卡在这里半小时了\n", ["compiling"]),
    ("compiling without prefix", KV + "Compiling\n", ["compiling"]),
    ("its cache", START + "Using cache directory: /x for vLLM's torch.compile\n", ["compiling"]),
    ("compiled", KV + START + "torch.compile takes 20.1 s in total\n", []),
    ("compiling, then more", START + "Compiling a graph\n" + KV, []),
    ("prose about it", KV + "它停在 Compiling 不动\n", []),
]  # fmt: skip


def read(tmp_path: Path, text: str) -> StartupLog:
    path = tmp_path / "a.log"
    path.write_text(text, encoding="utf-8")
    return read_startup_log(str(path), "LOG")


@pytest.mark.parametrize(("text", "kinds"), [t[1:] for t in FAILED], ids=[t[0] for t in FAILED])
def test_failures(tmp_path: Path, text: str, kinds: list[str]) -> None:
    log = read(tmp_path, text)
    assert [failure.kind for failure in log.failures] == kinds


def test_the_text_of_a_failure_is_short_and_has_its_line(tmp_path: Path) -> None:
    (failure,) = read(tmp_path, f"\n\x1b[31m{REFUSED.strip()}{'x' * 300}\x1b[0m\n").failures
    assert (failure.line, len(failure.text), failure.text[:20]) == (2, 200, "(EngineCore pid=7) E")


def test_memory_that_is_not_free_is_figures_too(tmp_path: Path) -> None:
    log = read(tmp_path, NOT_FREE)
    printed = {figure.name: float(figure.value) for figure in log.figures}
    assert printed == {"free_gib": 5.1, "total_gib": 79.25, "utilization": 0.9, "budget_gib": 71.33}


SERVER = "(APIServer pid=1) INFO [api_server.py:1] vLLM API server version {}\n"
ARGS = "(APIServer pid=1) INFO [utils.py:326] non-default args: {{'model': '{}'}}\n"
CORE_START = (
    "(EngineCore_{} pid={}) INFO [core.py:74] Initializing a V1 LLM engine (v0.11.0) with config: model='m'\n"
)


def tokens(number: int) -> str:
    return f"INFO [kv.py:1] GPU KV cache size: {number} tokens\n"


def whole(version: str, pid: int, number: int) -> str:
    return SERVER.format(version) + ARGS.format(version) + CORE_START.format("0", pid) + tokens(number)


STARTS = [
    ("none marked", tokens(1), 1, [1]),
    ("one, all three lines", whole("a1", 5, 1).replace("a1", "0.1"), 1, [1]),
    ("two whole", whole("0.1", 5, 1) + whole("0.2", 6, 2), 2, [2]),
    ("three whole", whole("0.1", 5, 1) + whole("0.2", 6, 2) + whole("0.3", 7, 3), 3, [3]),
    ("failed, then again", SERVER.format("0.1") + OOM + SERVER.format("0.2") + tokens(2), 2, [2]),
    ("the head of the first is missing", tokens(1) + whole("0.2", 6, 2), 2, [2]),
    ("engine lines", CORE_START.format("0", 1) + tokens(1) + CORE_START.format("0", 2) + tokens(2), 2, [2]),
    (
        "V0",
        "Initializing an LLM engine (v0.5.0) with config: model='a'\n# GPU blocks: 5, # CPU blocks: 1\n"
        "Initializing an LLM engine with config: model='a'\n" + tokens(9),
        2,
        [9],
    ),
    ("data parallel", SERVER.format("0.1") + CORE_START.format("DP0", 2) + tokens(1)
     + CORE_START.format("DP1", 3) + tokens(2), 1, [1, 2]),
    ("one that told nothing", SERVER.format("0.1") + SERVER.format("0.1") + tokens(2), 2, [2]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "starts", "kept"), [t[1:] for t in STARTS], ids=[t[0] for t in STARTS])
def test_the_last_start_wins(tmp_path: Path, text: str, starts: int, kept: list[int]) -> None:
    log = read(tmp_path, text)
    assert log.starts == starts
    assert [figure.value for figure in log.all("kv_tokens")] == kept
    assert log.failures == ()


def test_arguments_before_the_engines_line_belong_to_its_start(tmp_path: Path) -> None:
    log = read(tmp_path, whole("0.1", 5, 1) + ARGS.format("b") + CORE_START.format("0", 6) + tokens(2))
    assert [figure.value for figure in log.all("model")] == ["b", "m"]
    assert log.starts == 2
