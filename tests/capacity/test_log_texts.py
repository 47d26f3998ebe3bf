"""`capacity log` as people paste logs: colours, prefixes, prose, ranks, failures, files that are no log.

What is around a figure must not change what is made of it, so most tests compare a dressed log with the plain
one of tests/cases. The rest are the engine's lines by generation, and the course's list of failures.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import inference_lab

if TYPE_CHECKING:
    from tests.conftest import Ran, RunLab

CASES_FOLDER = Path(inference_lab.__file__).parent / "tests" / "cases"
LOGS = CASES_FOLDER / "logs"
# of each generation one or two, and the config that goes with it
SAMPLE = {
    "cap-01": "opt-125m",
    "cap-10": "qwen2.5-7b",
    "cap-11": "llama-2-7b",
    "cap-13": "llama-3.1-8b",
    "cap-19": "qwen2.5-7b",
    "cap-30": "llama-3.1-8b",
    "cap-43": "gpt-oss-120b",
    "cap-47": "qwen3.5-35b-a3b",
}
SEEN = ("verdict", "generation", "figures", "assumptions")


def log_words(path: Path, config: str | None, *words: str) -> list[str]:
    model = [] if config is None else ["--config", str(CASES_FOLDER / "configs" / f"{config}.json")]
    return ["capacity", "log", str(path), *model, *words]


def outcome(run_lab: RunLab, path: Path, config: str | None, *words: str) -> dict[str, Any]:
    ran = run_lab([*log_words(path, config, *words), "--json"])
    result: dict[str, Any] = json.loads(ran.out)["result"]
    assert (ran.code, ran.err) == (0 if result["explained"] else 1, ""), ran
    return result


def seen(result: dict[str, Any]) -> dict[str, Any]:
    """What must be the same; an assumption may name the line it is from."""
    kept = {key: result[key] for key in SEEN}
    kept["assumptions"] = [(one["name"], one["value"]) for one in result["assumptions"]]
    return kept


def saved(folder: Path, text: str) -> Path:
    path = folder / "start.log"
    path.write_bytes(text.encode())
    return path


def each_line(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(change(line) + "\n" for line in text.splitlines())


DRESSES: dict[str, Callable[[str], str]] = {
    "colours": each_line(lambda line: f"\x1b[1;36m{line[:12]}\x1b[0;0m{line[12:]}\x1b[0m"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "no newline at the end": lambda text: text.rstrip("\n"),
    "container time": each_line(lambda line: f"2025-08-20T10:15:00.123456789Z stdout F {line}"),
    "compose prefix": each_line(lambda line: f"vllm-server-1  | {line}"),
    "quoted": each_line(lambda line: f"> {line}"),
    "indented": each_line(lambda line: f"    {line}"),
    "code fence": lambda text: f"```text\n{text.rstrip()}\n```\n",
    "Chinese prose around": lambda text: (
        f"在 8 卡机器上启动 vLLM，显存占用 90%，日志如下：\n\n{text.rstrip()}\n\n还能支持多少并发？\n"
    ),
    "Chinese prose on the line": each_line(lambda line: f"日志：{line}（就是这一行）"),
    "English prose around": lambda text: (
        f"It printed this, then I waited for 10 minutes:\n{text.rstrip()}\nThanks!\n"
    ),
    "other lines around": lambda text: (
        "INFO 08-20 10:14:58 [__init__.py:241] Automatically detected platform cuda.\n"
        "Loading safetensors checkpoint shards: 100% Completed | 4/4 [00:03<00:00,  1.21it/s]\n"
        f"{text.rstrip()}\n"
        "INFO:     Application startup complete.\n"
        'INFO:     127.0.0.1:51234 - "POST /v1/completions HTTP/1.1" 200 OK\n'
    ),
}


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("name", SAMPLE)
def test_what_is_around_a_figure_does_not_matter(
    name: str, dress: str, run_lab: RunLab, tmp_path: Path
) -> None:
    plain = LOGS / f"{name}.log"
    dressed = saved(tmp_path, DRESSES[dress](plain.read_text(encoding="utf-8")))
    config = SAMPLE[name]
    assert seen(outcome(run_lab, dressed, config)) == seen(outcome(run_lab, plain, config))


@pytest.mark.parametrize("name", ["cap-19", "cap-43", "cap-47"])
def test_thousands_separators_may_be_missing(name: str, run_lab: RunLab, tmp_path: Path) -> None:
    plain = LOGS / f"{name}.log"
    text = re.sub(r"(\d),(?=\d{3}\b)", r"\1", plain.read_text(encoding="utf-8"))
    config = SAMPLE[name]
    assert seen(outcome(run_lab, saved(tmp_path, text), config)) == seen(outcome(run_lab, plain, config))


def test_a_log_on_standard_input_or_from_a_file(run_lab: RunLab, run_process: Any) -> None:
    """A log is pasted: the same through the process, in Chinese, and nothing on stderr."""
    words = log_words(LOGS / "cap-19.log", SAMPLE["cap-19"], "--lang", "zh")
    ran = run_process(words, environment={"PYTHONUTF8": "1"})
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode() == run_lab(words).out


# -- generations ----------------------------------------------------------------------------------

BUDGET = "INFO 08-20 10:15:01 [gpu_worker.py:276] Available KV cache memory: {} GiB\n"
ONE_LINE = (
    "INFO 08-20 10:15:02 [kv_cache_utils.py:1700] GPU KV cache size: {} tokens, "
    "Maximum concurrency for {} tokens per request: {}x\n"
)
# logs of one generation, by the table of start-up lines
GENERATIONS = {
    "0.2 to 0.5": ["cap-01", "cap-02", "cap-05", "cap-06", "cap-09", "cap-11", "cap-17", "cap-18"],
    "0.6 and 0.7": ["cap-10", "cap-13"],
    "hybrid, up to about 0.23": ["cap-43", "cap-44", "cap-63"],
    "about 0.24 on": ["cap-46", "cap-47", "cap-48"],
    "refusing": ["cap-30", "cap-33", "cap-61"],
}


def config_of(name: str) -> str | None:
    cases = json.loads((CASES_FOLDER / "capacity.json").read_text(encoding="utf-8"))
    config = next(case["config"] for case in cases if case["id"] == name)
    return None if config is None else str(config).removesuffix(".json")


def test_each_generation_has_one_name(run_lab: RunLab) -> None:
    names = {
        generation: {outcome(run_lab, LOGS / f"{log}.log", config_of(log))["generation"] for log in logs}
        for generation, logs in GENERATIONS.items()
    }
    assert {generation: len(found) for generation, found in names.items()} == dict.fromkeys(GENERATIONS, 1)
    four = [names[generation].pop() for generation in list(GENERATIONS)[:4]]
    assert len(set(four)) == 4


def test_one_line_is_a_generation_of_its_own(run_lab: RunLab, tmp_path: Path) -> None:
    one = outcome(
        run_lab,
        saved(tmp_path, BUDGET.format("40.00") + ONE_LINE.format("327,680", "8,192", "40.00")),
        "llama-3.1-8b",
    )
    two = outcome(run_lab, LOGS / "cap-19.log", "qwen2.5-7b")
    assert one["generation"] != two["generation"]


VERSIONS = {
    "cap-01": ("V0", "0.5"),
    "cap-10": ("V0", "0.7"),
    "cap-43": ("V1", "0.23"),
    "cap-47": ("V1", "0.24"),
}


@pytest.mark.parametrize("name", VERSIONS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_text_names_the_generation(name: str, lang: str, run_lab: RunLab) -> None:
    ran = run_lab(log_words(LOGS / f"{name}.log", SAMPLE[name], "--lang", lang))
    assert (ran.code, ran.err) == (0, "")
    assert [word for word in VERSIONS[name] if word not in ran.out] == []


# -- the newest line, made of the planner's figures ------------------------------------------------


class Newest(NamedTuple):
    """A log of 0.32 with the planner's figures: GiB of each rank, tokens, length, concurrency."""

    config: str
    words: str
    memory: tuple[str, ...]
    tokens: str
    length: str
    concurrency: str


NEWEST = {
    # 40 GiB / 2 MiB = 20480 blocks, 512 a request
    "llama-3-8b": Newest("llama-3.1-8b", "", ("40.00",), "327,680", "8,192", "40.00"),
    # 63 blocks for 1000 tokens: the tokens are below 20480 x 16
    "length no multiple of the block": Newest("llama-3.1-8b", "", ("40.00",), "325,079", "1,000", "325.08"),
    "fp8": Newest("llama-3.1-8b", "--kv-dtype fp8", ("40.00",), "655,360", "8,192", "80.00"),
    "qwen2.5-7b": Newest("qwen2.5-7b", "", ("40.00",), "748,976", "32,768", "22.86"),
    # each block counts for 872,677 / 20480 tokens, since a window forgets
    "all sliding": Newest("mistral-7b-v0.1", "", ("40.00",), "872,677", "32,768", "26.63"),
    # the smallest rank decides: 30 GiB / 1 MiB = 30720 blocks
    "two unlike ranks": Newest("llama-3.1-8b", "--tp 2", ("40.00", "30.00"), "491,520", "8,192", "60.00"),
    "deepseek-v2-lite": Newest("deepseek-v2-lite", "", ("40.00",), "1,380,832", "32,768", "42.14"),
}


def newest_log(case: Newest, folder: Path) -> Path:
    lines = [
        f"(Worker_TP{rank} pid={900 + rank}) {BUDGET.format(memory)}"
        for rank, memory in enumerate(case.memory)
    ]
    return saved(
        folder,
        "".join(lines)
        + "(EngineCore_DP0 pid=714) "
        + ONE_LINE.format(case.tokens, case.length, case.concurrency),
    )


@pytest.mark.parametrize("name", NEWEST)
def test_the_planners_own_lines_are_reconciled(name: str, run_lab: RunLab, tmp_path: Path) -> None:
    """Measured on vLLM 0.32.0; the budget of 8192 tokens in flight is the case's."""
    case = NEWEST[name]
    words = (*case.words.split(), "--max-num-batched-tokens", "8192")
    result = outcome(run_lab, newest_log(case, tmp_path), case.config, *words)
    assert result["verdict"] in ("exact", "within_rounding")
    figures = result["figures"]
    assert figures["kv_tokens"] == int(case.tokens.replace(",", ""))
    assert figures["concurrency"] == float(case.concurrency)


def test_the_smallest_rank_decides(run_lab: RunLab, tmp_path: Path) -> None:
    """491,520 tokens follow from 30 GiB on two ranks, given or not; the text names both memories."""
    case = NEWEST["two unlike ranks"]
    path = newest_log(case, tmp_path)
    text = run_lab(log_words(path, case.config, "--tp", "2")).out
    assert "30.00" in text or "30 GiB" in text
    assert "40.00" in text or "40 GiB" in text
    result = outcome(run_lab, path, case.config)
    assert result["verdict"] in ("exact", "within_rounding")
    # 40 GiB would be 655,360 tokens: a reader who takes the first rank sees a gap
    larger = newest_log(case._replace(memory=("40.00", "40.00")), tmp_path)
    unlike = outcome(run_lab, larger, case.config, "--tp", "2", "--kv-dtype", "bf16", "--block-size", "16")
    assert unlike["verdict"] not in ("exact", "within_rounding")


def test_a_file_with_two_starts_tells_of_the_last(run_lab: RunLab, tmp_path: Path) -> None:
    """A restart in the same file: what was printed before it is history."""
    start = (
        "INFO 08-20 10:00:00 [core.py:74] Initializing a V1 LLM engine (v0.10.1.1) with config: model='m'\n"
    )
    first = start + (LOGS / "cap-22.log").read_text(encoding="utf-8")
    second = start + (LOGS / "cap-19.log").read_text(encoding="utf-8")
    result = outcome(run_lab, saved(tmp_path, first + second), "qwen2.5-7b", "--tp", "1")
    assert result["verdict"] == "within_rounding"
    assert result["figures"]["kv_tokens"] == 93872


# -- the text -------------------------------------------------------------------------------------


def shown(run_lab: RunLab, name: str, lang: str, *words: str) -> str:
    ran = run_lab(log_words(LOGS / f"{name}.log", SAMPLE[name], "--lang", lang, *words))
    assert (ran.code, ran.err) == (0, "")
    return ran.out


@pytest.mark.parametrize("name", SAMPLE)
def test_the_text_ends_with_limits_and_a_next_command(name: str, run_lab: RunLab) -> None:
    english, chinese = shown(run_lab, name, "en"), shown(run_lab, name, "zh")
    assert english.isascii()
    assert english.index("Why: ") < english.index("Does not show: ") < english.index("Next: ")
    assert chinese.index("原因：") < chinese.index("未展示：") < chinese.index("下一步：")
    for text in (english, chinese):
        assert "inference_lab.py" in text.rstrip().splitlines()[-1]


@pytest.mark.parametrize("name", SAMPLE)
def test_the_text_names_the_verdict(name: str, run_lab: RunLab) -> None:
    verdict = outcome(run_lab, LOGS / f"{name}.log", SAMPLE[name])["verdict"]
    for lang in ("en", "zh"):
        assert verdict in shown(run_lab, name, lang)


@pytest.mark.parametrize("name", SAMPLE)
def test_both_languages_have_the_same_figures(name: str, run_lab: RunLab) -> None:
    numbers = [
        sorted(set(re.findall(r"\d+(?:\.\d+)?", shown(run_lab, name, lang).replace(",", ""))))
        for lang in ("en", "zh")
    ]
    assert numbers[0] == numbers[1]


def test_the_budget_is_reconciled_line_by_line(run_lab: RunLab) -> None:
    """cap-13: 23.58 x 0.90 = 21.22; less 17.98 and 0.35 are 2.89 GiB; cap-10 ends below zero."""
    text = shown(run_lab, "cap-13", "en")
    assert [part for part in ("23.58", "0.9", "21.22", "17.98", "0.35", "2.89") if part not in text] == []
    text = shown(run_lab, "cap-10", "en")
    assert [
        part for part in ("8.00", "0.7", "5.60", "5.20", "0.03", "1.42", "-1.05") if part not in text
    ] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_range_of_a_two_decimal_figure_is_shown(lang: str, run_lab: RunLab) -> None:
    """cap-19: 5.005 to 5.015 GiB are 93712 to 93888 tokens."""
    text = shown(run_lab, "cap-19", lang, "--tp", "1", "--block-size", "16").replace(",", "")
    assert [part for part in ("93712", "93888", "93872", "5.01", "GiB") if part not in text] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_gib_that_is_labelled_gb_is_said(lang: str, run_lab: RunLab) -> None:
    """cap-13 prints weights of 14.9888 GB, which are 16.09 GB and 14.99 GiB."""
    text = shown(run_lab, "cap-13", lang)
    assert "14.9888" in text or "14.99" in text
    assert "GiB" in text
    assert re.search(r"16\.09", text)


# -- failures -------------------------------------------------------------------------------------

TRACEBACK = 'Traceback (most recent call last):\n  File "/usr/lib/engine.py", line 12, in start\n    go()\n'
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of "
    "23.58 GiB of which 812.00 MiB is free.\n"
)
REFUSAL = (LOGS / "cap-30.log").read_text(encoding="utf-8")
# log -> words of the remedy, which are the engine's and so the same in both languages
FAILURES = {
    "extension not built": (
        TRACEBACK + "ImportError: cannot import name 'vllm_C' from 'vllm' (unknown location)\n",
        ("precompiled",),
    ),
    "out of memory in the profile run": (
        "INFO 08-20 10:15:00 [gpu_model_runner.py:2007] Model loading took 14.2488 GiB and 3.4 seconds\n"
        + TRACEBACK.replace("start", "profile_run")
        + OOM,
        ("gpu_memory_utilization", "gpu-memory-utilization"),
    ),
    "out of memory in graph capture": (
        (LOGS / "cap-19.log").read_text(encoding="utf-8")
        + "Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  31%|###      | 21/67\n"
        + TRACEBACK.replace("start", "capture_model")
        + OOM,
        ("enforce_eager", "enforce-eager"),
    ),
    "hanging at compilation": (
        "INFO 08-20 10:15:00 [gpu_model_runner.py:2007] Model loading took 14.2488 GiB and 3.4 seconds\n"
        "INFO 08-20 10:15:05 [backends.py:559] Compiling a graph for dynamic shape takes a while\n",
        ("compilation",),
    ),
    "NCCL": (
        TRACEBACK
        + "RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=WARN for details)\n",
        ("NCCL_DEBUG=INFO",),
    ),
    "refused for KV": (TRACEBACK + REFUSAL, ("max_model_len", "max-model-len")),
    "refused for KV, the other spelling": (
        TRACEBACK + REFUSAL.replace("models's", "model's"),
        ("max_model_len", "max-model-len"),
    ),
    "V0 refused for KV": (
        (LOGS / "cap-11.log").read_text(encoding="utf-8"),
        ("max_model_len", "max-model-len"),
    ),
}
# Chinese for engine words that are no option
IN_CHINESE = {"precompiled": "预编译", "compilation": "编译"}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_usual_failures_are_answered(name: str, lang: str, run_lab: RunLab, tmp_path: Path) -> None:
    """Cause and remedy of the set-up chapter's list."""
    text, remedies = FAILURES[name]
    path = saved(tmp_path, text)
    ran = run_lab(log_words(path, None, "--lang", lang))
    assert ran.code in (0, 1)
    assert ran.err == ""
    words = remedies if lang == "en" else (*remedies, *(IN_CHINESE.get(word, word) for word in remedies))
    assert any(word in ran.out for word in words), ran.out
    result = json.loads(run_lab([*log_words(path, None), "--json"]).out)["result"]
    assert result["failures"]


def test_failures_are_told_apart(run_lab: RunLab, tmp_path: Path) -> None:
    """Each of the list has an answer of its own; the three refusals share theirs."""
    answers: dict[str, str] = {}
    for name, (text, _) in FAILURES.items():
        ran = run_lab([*log_words(saved(tmp_path, text), None), "--json"])
        answers[name] = str([one["kind"] for one in json.loads(ran.out)["result"]["failures"]])
    assert len(set(answers.values())) == 6, answers


@pytest.mark.parametrize("name", ["cap-01", "cap-10", "cap-19", "cap-43", "cap-47"])
def test_no_failure_where_there_is_none(name: str, run_lab: RunLab) -> None:
    """A start that went well has none; a pool of zero blocks is answered otherwise."""
    failures = outcome(run_lab, LOGS / f"{name}.log", SAMPLE[name])["failures"]
    assert failures == [] or name == "cap-10"


# -- files that are no log ------------------------------------------------------------------------

NO_LOG: dict[str, bytes] = {
    "empty": b"",
    "nothing in it": b"INFO: Application startup complete.\nhello\n",
    "prose with numbers": b"We saw 40.00x and 327,680 tokens in 16 GiB of KV cache once.\n",
    "binary": b"\x7fELF\x02\x01\x01\x00\x00\x00GPU KV cache size: 93,872 tokens\n\x00\xff",
    "not UTF-8": b"INFO \xff\xfe GPU KV cache size: 93,872 tokens\n",
    "cut in the middle": (LOGS / "cap-19.log").read_bytes().partition(b"872 tokens")[0],
    "SGLang": b"KV Cache is allocated. #tokens: 367404, K size: 8.23 GB, V size: 8.23 GB\n",
    "llama.cpp": b"llama_kv_cache: size = 1024.00 MiB (  8192 cells,  32 layers,  1/1 seqs)\n",
    "a config for a log": b'{"num_hidden_layers": 32, "hidden_size": 4096}\n',
}


def refused(ran: Ran, where: str) -> None:
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran
    assert ran.err.startswith(f"error: {where}"), ran.err


@pytest.mark.parametrize("name", NO_LOG)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_no_log_is_refused_with_its_place(
    name: str, lang: str, run_lab: RunLab, tmp_path: Path
) -> None:
    path = tmp_path / "start.log"
    path.write_bytes(NO_LOG[name])
    refused(run_lab(log_words(path, None, "--lang", lang)), str(path))


def test_one_endless_line(run_lab: RunLab, tmp_path: Path) -> None:
    """128 MB without a newline: refused at line 1, soon."""
    path = tmp_path / "start.log"
    with path.open("wb") as file:
        for _ in range(128):
            file.write(b"a" * 1_000_000)
    began = time.monotonic()
    refused(run_lab(log_words(path, None)), f"{path}:1")
    assert time.monotonic() - began < 5


def test_files_that_cannot_be_read(run_lab: RunLab, tmp_path: Path) -> None:
    for path in (tmp_path / "absent.log", tmp_path):
        ran = run_lab(log_words(path, None))
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("words", ["capacity log", "capacity log --json"])
def test_a_log_must_be_given(words: str, run_lab: RunLab) -> None:
    ran = run_lab(words.split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    "words",
    ["--tp 0", "--dcp 0", "--kv-dtype int4", "--block-size 0", "--swap-space 4", "--utilization 2", "--tp 3"],
)
def test_settings_are_read_strictly(words: str, run_lab: RunLab) -> None:
    """As elsewhere: one line that names the option."""
    ran = run_lab(log_words(LOGS / "cap-19.log", SAMPLE["cap-19"], *words.split()))
    refused(ran, words.split()[0])
