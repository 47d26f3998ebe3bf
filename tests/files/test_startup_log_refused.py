"""Files that are no start-up log of vLLM are refused with their line, in bounded memory and time."""

from __future__ import annotations

import io
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.files import startup_log, startup_scan
from labs.files.startup_log import read_startup_log
from labs.view.errors import error_line

TOKENS = b"GPU KV cache size: 93,872 tokens\n"
MIB = 1 << 20

HOSTILE = [
    ("zero byte", TOKENS + b"a\0b\n", "binary_file", 2),
    ("invalid utf-8", TOKENS + b"ok\n\xff\xfe\n", "not_utf8", 3),
    ("half a character at the end", TOKENS + "块".encode()[:2], "not_utf8", 2),
    ("utf-16", "GPU KV cache size: 93,872 tokens\n".encode("utf-16"), "log_utf16", 1),
    ("utf-16, big end first", b"\xfe\xff\0G", "log_utf16", 1),
    ("utf-16 without mark", "GPU\n".encode("utf-16-le"), "binary_file", 1),
    ("line too long", TOKENS + b"x" * (MIB + 1) + b"\n", "line_too_long", 2),
    ("line too long, no end", TOKENS * 3 + b"x" * (MIB + 1), "line_too_long", 4),
    ("empty", b"", "log_empty_of_figures", None),
    ("nothing in it", "为什么 GPU KV cache size 这么小？\n".encode() * 9, "log_empty_of_figures", None),
    ("settings of anybody", b"block_size=16\n", "log_empty_of_figures", None),
    ("SGLang", b"hello\n[TP0] KV Cache is allocated. #tokens: 469, K size: 1.4 GB\n", "log_other_engine", 2),
    ("SGLang's limit", b"max_total_num_tokens=469, chunked_prefill_size=8192\n", "log_other_engine", 1),
    ("TensorRT-LLM", b"[TensorRT-LLM][INFO] Max KV cache pages per sequence: 2048\n", "log_other_engine", 1),
    ("llama.cpp", b"llama_kv_cache_unified: size = 512.00 MiB\n", "log_other_engine", 1),
    ("ollama", b"time=2025 level=INFO source=sched.go:731 msg=x\n", "log_other_engine", 1),
    ("TGI", b"INFO text_generation_launcher: Using prefix caching = True\n", "log_other_engine", 1),
    ("LMDeploy", b"[TM][INFO] [BlockManager] block_size = 8 MB\n", "log_other_engine", 1),
    ("another's out of memory", b"[TensorRT-LLM][ERROR]\nOutOfMemoryError: x\n", "log_other_engine", 1),
]

CUT = [
    ("inside the tokens", "GPU KV cache size: 93,8", 2),
    ("before the word", "GPU KV cache size: 93,872", 2),
    ("nothing after", "GPU KV cache size:", 2),
    ("inside the memory", "Available KV cache memory: 5.", 2),
    ("inside the concurrency", "CPU KV cache size: 8 tokens, Maximum concurrency for 8,192 tokens per", 2),
    ("inside a refusal", "the model's max seq len (131072), (16.00 GiB KV ca", 2),
    ("inside the blocks", "# GPU blocks: 132", 2),
    ("inside the last number", "# GPU blocks: 1,000, # CPU blocks: 7,2", 2),
    ("with a line end", "GPU KV cache size: 93,8\n", 2),
    ("before a fence", "GPU KV cache size: 93,8\n```\n", 2),
]  # fmt: skip

WHOLE = [
    ("prose", "GPU KV cache size: 为什么"),
    ("no figure", "GPU KV cache si"),
    (
        "a sentence of another kind",
        "Initial free memory 78.58 GiB, current free memory 79.1 GiB. Use a container.",
    ),
    ("text after it", "GPU KV cache size: 93,8\nINFO [a.py:1] next\n"),
]


def refusal(path: Path, data: bytes) -> LabError:
    path.write_bytes(data)
    with pytest.raises(LabError) as caught:
        read_startup_log(str(path), "LOG")
    error = caught.value
    for lang in ("en", "zh"):
        assert "\n" not in error_line(error, lang)
    return error


@pytest.mark.parametrize(("data", "rule", "line"), [t[1:] for t in HOSTILE], ids=[t[0] for t in HOSTILE])
def test_no_start_up_log(tmp_path: Path, data: bytes, rule: str, line: int | None) -> None:
    error = refusal(tmp_path / "a.log", data)
    where = f"{tmp_path / 'a.log'}"
    assert (error.rule, error.where) == (rule, where if line is None else f"{where}:{line}")


@pytest.mark.parametrize(("text", "line"), [t[1:] for t in CUT], ids=[t[0] for t in CUT])
def test_a_file_that_ends_inside_a_figure(tmp_path: Path, text: str, line: int) -> None:
    error = refusal(tmp_path / "a.log", TOKENS + text.encode())
    assert (error.rule, error.where) == ("log_cut", f"{tmp_path / 'a.log'}:{line}")


@pytest.mark.parametrize("text", [t[1] for t in WHOLE], ids=[t[0] for t in WHOLE])
def test_a_file_that_ends_after_whole_figures(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(TOKENS + text.encode())
    (figure,) = read_startup_log(str(path), "LOG").figures
    assert figure.value == 93872


def test_no_file_and_a_directory_are_refused_at_the_option(tmp_path: Path) -> None:
    for path, rule in ((tmp_path / "none", "no_such_file"), (tmp_path, "is_a_directory")):
        with pytest.raises(LabError) as caught:
            read_startup_log(str(path), "LOG")
        assert (caught.value.rule, caught.value.where) == (rule, "LOG")
    with pytest.raises(LabError, match="cannot_read"):
        read_startup_log("a\0b", "LOG")


@pytest.mark.parametrize(("beginning", "rule"), [(b"", "binary_file"), (TOKENS, "log_too_large")])
def test_a_gigabyte_is_refused_at_once(tmp_path: Path, beginning: bytes, rule: str) -> None:
    path = tmp_path / "a.log"
    with path.open("wb") as file:
        file.write(beginning + (b"x\n" * MIB if beginning else b""))
        file.truncate(1 << 30)
    assert_refused_soon(str(path), rule)


def test_a_gigabyte_of_one_line_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            assert size is not None
            assert 0 < size < MIB
            return b"x" * size

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Endless()))
    assert_refused_soon("-", "line_too_long", "stdin:1")


def assert_refused_soon(path: str, rule: str, where: str | None = None) -> None:
    tracemalloc.start()
    begin = time.perf_counter()
    with pytest.raises(LabError) as caught:
        read_startup_log(path, "LOG")
    taken, (_, peak) = time.perf_counter() - begin, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert caught.value.rule == rule
    assert where in (None, caught.value.where)
    assert (taken < 1, peak < 16 * MIB) == (True, True), (taken, peak)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TOKENS)))
    log = read_startup_log("-", "LOG")
    assert (log.path, log.lines, len(log.figures)) == ("stdin", 1, 1)


def test_bounds_on_figures_and_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup_scan, "MAX_FIGURES", 3)
    assert refusal(tmp_path / "a.log", TOKENS * 4).where.endswith(":4")
    monkeypatch.setattr(startup_log, "MAX_LINES_READ", 2)
    error = refusal(tmp_path / "a.log", TOKENS * 3)
    assert (error.rule, error.where[-2:]) == ("log_too_many_lines", ":3")


def test_sixty_megabytes_in_time_with_the_right_line(tmp_path: Path) -> None:
    line = b'INFO:     10.0.0.1:5000 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'
    count = 60 * 10**6 // len(line)
    path = tmp_path / "a.log"
    path.write_bytes(line * count + TOKENS + line * 3)
    begin = time.perf_counter()
    log = read_startup_log(str(path), "LOG")
    assert time.perf_counter() - begin < 16
    assert (log.lines, log.figures[0].line) == (count + 4, count + 1)


SPOILT = [b"\0", b"\xff", "块".encode()[:1]]
PIECES = [
    *(
        "GPU KV cache size: |93,872| tokens|Maximum concurrency for |8,192 tokens per request: "
        "|4.5x|\n|\r\n|\r"
        "|\x1b[0m|# GPU blocks: |, # CPU blocks: 7|the model's max seq len (|), (| "
        "GiB|--block-size |vllm serve "
        "|args: Namespace(|block_size=|'|\"|(EngineCore pid=1) |OutOfMemoryError:|Compiling|**|`|> |- |块"
        "|Initializing a V1 LLM engine (v0.1) with config: |KV Cache is allocated.|INFO [a.py:1] "
    )
    .encode()
    .split(b"|"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)
BYTES = st.lists(st.sampled_from([*PIECES, *SPOILT]), max_size=30).map(b"".join)


@given(st.one_of(st.binary(max_size=300), BYTES))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.log"
    path.write_bytes(data)
    try:
        log = read_startup_log(str(path), "LOG")
    except LabError as refused:
        error = refused
    else:
        lines = [figure.line for figure in log.figures] + [failure.line for failure in log.failures]
        assert 1 <= min(lines) <= max(lines) <= log.lines
        return
    assert not any("\n" in error_line(error, lang) for lang in ("en", "zh"))


@given(TEXTS, st.integers(1, 40))
def test_the_size_of_a_block_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, block_bytes: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.log"
    path.write_bytes(data)
    outcomes = []
    for size in (block_bytes, 1 << 18):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("labs.files.startup_blocks.BLOCK_BYTES", size)
            try:
                outcomes.append(repr(read_startup_log(str(path), "LOG")))
            except LabError as error:
                outcomes.append(f"{error.where} {error.rule}")
    assert outcomes[0] == outcomes[1]
