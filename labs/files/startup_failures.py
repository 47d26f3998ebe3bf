"""How a start fails, and whose log it is: the lines that say so.

What is modelled: the failures that the set-up chapter names, told by the words of the error itself:

    extension_missing   the compiled extension (vllm._C) cannot be imported
    oom_profile         out of memory while loading or profiling, before the KV cache has a size
    oom_graph           out of memory while capturing graphs, or after the KV cache has its size
    nccl                an error of the communication among ranks
    no_kv_memory        nothing is left for blocks
    kv_refusal, memory_not_free     see `startup_lines`: these hold figures
    compiling           the last line says that compilation runs, and nothing follows
    engine_core_failed  the engine's core failed, for a reason the log does not tell

Lines that only warn ("if you run out of memory, ...") are none of these.
Does not model: failures while serving.
"""

from __future__ import annotations

import re

_EXTENSION = re.compile(
    r"(?:ImportError|ModuleNotFoundError|Failed to import)\b.{0,500}?"
    r"(?:vllm[._/](?:_\w{0,12}_?)?C\b|\b_C\.abi3|vllm_C\b)"
    r"|'_OpNamespace' '_C'"
)
_OUT_OF_MEMORY = re.compile(
    r"OutOfMemoryError(?::|$)|(?:CUDA|HIP|XPU) out of memory(?:\. Tried| occurred|\.?$)"
    r"|CUDA error: out of memory|Error: (?:CUDA|HIP|XPU) out of memory"
)
_NCCL = re.compile(
    r"RuntimeError: NCCL\b|NCCL error(?: in)?:"
    r"|\bnccl(?:UnhandledCuda|System|Internal|Remote|InvalidUsage)\w{0,12}rror"
)
_CORE = re.compile(r"EngineCore failed to start|Engine core initialization failed")
# Cheap words first: only a line that holds one of them meets an expression.
SIGNS: tuple[tuple[tuple[str, ...], re.Pattern[str], str], ...] = (
    (
        ("ImportError", "ModuleNotFoundError", "Failed to import", "_OpNamespace"),
        _EXTENSION,
        "extension_missing",
    ),
    (("ut of memory", "OutOfMemoryError"), _OUT_OF_MEMORY, "out_of_memory"),
    (("NCCL", "nccl"), _NCCL, "nccl"),
    (
        ("No available memory for the cache blocks",),
        re.compile("No available memory for the cache blocks"),
        "no_kv_memory",
    ),
    (("divisible by tensor parallel size",), re.compile("divisible by tensor parallel size"), "tp_heads"),
    (
        ("is greater than the derived max_model_len",),
        re.compile("is greater than the derived max_model_len"),
        "length_too_long",
    ),
    (("ngineCore failed", "ngine core init"), _CORE, "engine_core_failed"),
)
# A graph is being captured, a profile run is on: words of progress lines and of frames in a traceback, not
# of settings (cudagraph_capture_sizes, max_seq_len_to_capture).
CAPTURING = re.compile(r"(?<!to_)[Cc]aptur(?!e_size)")
PROFILING_WORDS = ("profile_run", "determine_num_available", "determine_available", "in load_model")
READY_WORDS = ("Application startup complete", "Uvicorn running on", "init engine (profile")

_LAST_LINE_WORDS = (".py:", "INFO", "Error", "Traceback", "ompil")
_LAST_LINE = re.compile(
    r"\.py:[0-9]+\]|^\W{0,40}(?:INFO|WARNING|ERROR)\b|Traceback \(most|\b\w{0,60}Error(?::|$)"
    r"|^\W{0,40}(?:Compiling|Start(?:ing)? (?:compiling|torch\.compile))\b"
)
_COMPILING = re.compile(r"\bCompiling\b|[Ss]tart(?:ing)? compiling|torch\.compile|Dynamo bytecode transform")
_COMPILED = re.compile(r"torch\.compile (?:takes|took)|in total")

# Signs of other engines' logs, as their loggers print them; a sentence that names one has none of these.
OTHER_ENGINES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("SGLang", ("KV Cache is allocated.", "max_total_num_tokens=", "server_args=ServerArgs(")),
    ("TensorRT-LLM", ("[TensorRT-LLM]", "[TRT-LLM]", "Max KV cache pages", "Number of tokens per block:")),
    ("ollama", ("source=sched.go", "source=routes.go", "source=server.go", "OLLAMA_", "source=runner.go")),
    ("llama.cpp", ("llama_kv_cache", "llama_context:", "llama_model_loader:", "llm_load_print_meta:")),
    ("TGI", ("text_generation_launcher", "text_generation_router", "max batch total tokens")),
    ("LMDeploy", ("lmdeploy - ", "[TM][", "TurbomindEngineConfig(", "cache_block_seq_len")),
)  # fmt: skip

# A line without any of these adds no failure.
FAILURE_WORDS = (
    *(word for words, _, _ in SIGNS for word in words),
    *(sign for _, signs in OTHER_ENGINES for sign in signs),
    *PROFILING_WORDS,
    *READY_WORDS,
    "aptur",
)


def failure_in(text: str) -> str | None:
    """The kind of failure that a line tells (`out_of_memory` is settled by what came before), or None.

    >>> failure_in("Error: CUDA out of memory. Tried to allocate 2 GiB"), failure_in("using nccl==2.18")
    ('out_of_memory', None)
    """
    for words, pattern, kind in SIGNS:
        if any(word in text for word in words) and pattern.search(text[:4000]):
            return kind
    return None


def other_engine(text: str) -> str | None:
    """The other engine whose log a line belongs to, or None.

    >>> other_engine("KV Cache is allocated. #tokens: 46"), other_engine("I came from SGLang")
    ('SGLang', None)
    """
    return next((tool for tool, signs in OTHER_ENGINES if any(sign in text for sign in signs)), None)


def is_start_up_line(text: str) -> bool:
    """Whether a line is a logger's, an error's or says that something is compiled, not prose around them."""
    return any(word in text for word in _LAST_LINE_WORDS) and bool(_LAST_LINE.search(text[:400]))


def is_compiling(text: str) -> bool:
    """Whether a line says that compilation runs.

    >>> is_compiling("Start compiling function <code>"), is_compiling("torch.compile takes 9 s in total")
    (True, False)
    """
    return bool(_COMPILING.search(text[:4000])) and not _COMPILED.search(text[:4000])
