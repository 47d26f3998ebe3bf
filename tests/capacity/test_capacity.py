"""The capacity lab: the lecture's lines, figures against the course, windows, why, help.

Expected numbers are the course's, or arithmetic written here: KV = 2 x layers x KV heads x head dim x bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.capacity import Params
from tests.documented import DOCUMENTED

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab, RunProcess

LECTURE = {lang: lines[-4:] for lang, lines in DOCUMENTED.items()}  # the capacity lab's four
# other runs: words, and the lines that change
OTHER_LINES = {
    "--kv-heads 32": [
        "KV per token: 512 KiB",
        "KV of 8192 tokens: 4 GiB",
        "4 GiB / 400 Gbit/s: about 85.90 ms",
    ],
    "--kv-dtype fp8": ["KV per token: 64 KiB", "KV of 8192 tokens: 512 MiB"],
    "--kv-dtype fp32": ["KV per token: 256 KiB", "KV of 8192 tokens: 2 GiB"],
    "--layers 64": ["KV per token: 256 KiB"],
    "--head-dim 64": ["KV per token: 64 KiB"],
    "--tokens 100": ["KV of 100 tokens: 12.5 MiB"],
    "--lengths 1,16,17 --block-size 16": ["1/16/17 tokens, block=16: 4 blocks, 64 reserved slots"],
    "--lengths 17,31 --block-size 1": ["17/31 tokens, block=1: 48 blocks, 48 reserved slots"],
    "--size 1GB --bandwidth 50GB/s": ["1 GB / 400 Gbit/s: about 20.00 ms"],
    "--size 1GiB --bandwidth 100Gbit/s": ["1 GiB / 100 Gbit/s: about 85.90 ms"],
    "--model qwen2.5-7b": ["KV per token: 56 KiB"],
    "--model llama-2-7b --tokens 32768": ["KV of 32768 tokens: 16 GiB"],
    "--model llama-3.1-70b --tp 16": [
        "KV per token on each of 16 ranks: 40 KiB (KV of 8192 tokens: 320 MiB)"
    ],
    "--model mistral-7b-v0.1": [
        "KV per token that keeps growing (full attention only): 0 B",
        "KV of 8192 tokens once windows forget: 512 MiB (512 MiB less)",
    ],
    "--concurrency 4 --shared-prefix 4096": [
        "Logical use, 4 x 8192 tokens: 4 GiB = 4.295 GB",
        "Physical use, 4096 tokens of prefix shared: 2.5 GiB = 2.684 GB",
    ],
}


PROSE = ("Why: ", "Does not show: ", "原因：", "未展示：")
STEP = ("Next: ", "下一步：")


def lines(run_lab: RunLab, words: str, lang: str = "en") -> list[str]:
    """The lines printed, the wrapped lines of each piece of prose put together again."""
    ran = run_lab(["--lang", lang, "capacity", *words.split()])
    assert (ran.code, ran.err) == (0, "")
    whole: list[str] = []
    for line in ran.out.splitlines():
        continues = bool(whole) and whole[-1].startswith(PROSE) and line and not line.startswith(PROSE + STEP)
        if continues:
            whole[-1] += " " + line
        else:
            whole.append(line)
    return whole


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_lecture_lines_word_for_word(lang: str, run_lab: RunLab) -> None:
    shown = lines(run_lab, "", lang)
    assert [line for line in shown if line in LECTURE[lang]] == LECTURE[lang]


@pytest.mark.parametrize("words", OTHER_LINES)
def test_lines_follow_the_knobs(words: str, run_lab: RunLab) -> None:
    shown = lines(run_lab, words)
    assert [line for line in OTHER_LINES[words] if line not in shown] == []


def test_lecture_figures(run_json: RunJson) -> None:
    document = run_json(["capacity"])
    assert (document["lab"], document["schema"]) == ("capacity", 1)
    result = document["result"]
    assert (
        result["groups"][0].items()
        >= {
            "kind": "full",
            "layers": 32,
            "bytes_per_token_per_layer": 4096,
            "window": None,
        }.items()
    )
    expected = {
        "kv_bytes_per_token": 131072,
        "kv_bytes_per_token_growing": 131072,
        "kv_bytes": 2**30,
        "blocks": 4,
        "reserved_slots": 64,
        "used_slots": 48,
        "logical_bytes": 2**30,
        "physical_bytes": 2**30,
        "transfer_ms": 21.474836,
    }
    assert {key: result[key] for key in expected} == expected
    params = document["params"]
    assert (params["layers"], params["kv_heads"], params["head_dim"]) == (32, 8, 128)


FACTORS = ("--layers", "--kv-heads", "--head-dim", "--tokens", "--concurrency")


def figures(run_json: RunJson, values: dict[str, int], more: tuple[str, ...] = ()) -> dict[str, Any]:
    words = [word for name, value in values.items() for word in (name, str(value))]
    result: dict[str, Any] = run_json(["capacity", *words, *more])["result"]
    return result


@settings(max_examples=30, deadline=None)
@given(st.fixed_dictionaries({name: st.integers(1, 50) for name in FACTORS}), st.integers(2, 9))
def test_linear_in_every_factor(run_json: RunJson, values: dict[str, int], times: int) -> None:
    """k times any one factor is k times the logical bytes, and the product is the formula's."""
    one = figures(run_json, values)["logical_bytes"]
    product = 2 * 2
    for value in values.values():
        product *= value
    assert one == product
    for name, value in values.items():
        assert figures(run_json, {**values, name: value * times})["logical_bytes"] == times * one


@pytest.mark.parametrize(
    ("dtype", "size"), [("float32", 4), ("bf16", 2), ("float16", 2), ("fp8_e4m3", 1), ("int8", 1)]
)
def test_linear_in_element_size(dtype: str, size: int, run_json: RunJson) -> None:
    assert figures(run_json, {}, ("--kv-dtype", dtype))["kv_bytes"] == size * 2**29


def test_transfer_scales_with_size_and_rate(run_json: RunJson) -> None:
    """1 GiB at 400 Gbit/s takes 8 x 2^30 / 4e11 s; half the rate, twice the time."""
    half = figures(run_json, {}, ("--bandwidth", "200Gbit/s"))["transfer_ms"]
    double = figures(run_json, {}, ("--size", "2GiB"))["transfer_ms"]
    assert half == double == 42.949673


@pytest.mark.parametrize(
    ("words", "key", "number"),
    [
        ("--model llama-3.1-70b --tp 16", "kv_bytes_per_token_per_rank", 40960),
        ("--model llama-3.1-70b --tp 16", "kv_bytes_per_token", 327680),
        ("--model mistral-7b-v0.1", "kv_bytes_within_windows", 4096 * 131072),
        ("--model mistral-7b-v0.1", "kv_bytes", 8192 * 131072),
        ("--model mistral-7b-v0.1 --tokens 100", "kv_bytes_within_windows", 100 * 131072),
        ("--lengths 17,31", "pooled_blocks", 3),
        ("--shared-prefix 1000", "shared_tokens", 992),
        ("--size 1GB", "transfer_bytes", 10**9),
    ],
)
def test_other_figures(words: str, key: str, number: int, run_json: RunJson) -> None:
    assert run_json(["capacity", *words.split()])["result"][key] == number


def test_library_refuses_ranks_that_do_not_divide() -> None:
    """Params are valid once they are made, before anything runs."""
    with pytest.raises(LabError) as caught:
        Params(tp=3)
    assert caught.value.where == "--tp"


def test_units_cancel_on_paper(run_lab: RunLab) -> None:
    """Every printed product is right: the numbers on the left multiply to the one on the right."""
    text = "\n".join(lines(run_lab, "--layers 3 --kv-heads 5 --head-dim 7 --tokens 11"))
    assert "2 (K and V) x 3 layers x 5 KV heads x 7 elements x 2 B/element = 420 B per token" in text
    assert "11 tokens x 420 B/token = 4620 B" in text
    assert "ceil(17/16) + ceil(31/16) = 2 + 2 = 4 blocks" in text
    assert "4620 B x 8 bit/B / 400000000000 bit/s = 0.0000001 s = 0.0001 ms" in text


def test_both_units_stand_on_lines_of_their_own(run_lab: RunLab) -> None:
    shown = [line.strip() for line in lines(run_lab, "")]
    assert "= 1 GiB (powers of 1024)" in shown
    assert "= 1.074 GB (powers of 1000)" in shown


WHY = {
    "": ["pool of 48 tokens would fill 3", "8 in each layer", "2.684 ms"],
    "--lengths 16,32": ["1 + 2 = 3 blocks", "48 tokens would need 3 as well"],
    "--model llama-3-8b": ["32 query heads share 8 KV heads", "512 KiB a token, 4 times"],
    "--model llama-2-7b": ["Each of the 32 query heads"],
    "--model deepseek-v3 --tp 8": ["one latent of 576 elements", "8 x the model's KV"],
    "--model gpt-oss-20b": ["Of the 24 layers 12 keep all tokens, 12 keep only a window of them"],
    "--concurrency 4 --shared-prefix 1000": ["992 of the 1000 prefix tokens", "saves 372 MiB"],
}


@pytest.mark.parametrize("words", WHY)
def test_why_has_the_values_of_this_run(words: str, run_lab: RunLab) -> None:
    why = next(line for line in lines(run_lab, words) if line.startswith("Why: "))
    assert [part for part in WHY[words] if part not in why] == []


@pytest.mark.parametrize("words", ["", "--table", *OTHER_LINES])
def test_languages_have_the_same_figures(words: str, run_lab: RunLab) -> None:
    """Each line of results has its partner with the same numbers in the other language."""
    numbers = [
        [sorted(re.findall(r"\d+(?:\.\d+)?", line)) for line in lines(run_lab, words, lang)]
        for lang in ("en", "zh")
    ]
    assert numbers[0] == numbers[1]


def test_help_names_every_dtype(run_lab: RunLab) -> None:
    text = run_lab(["capacity", "--help"]).out
    names = ["float32", "fp32", "float16", "fp16", "bfloat16", "bf16", "fp8", "fp8_e4m3", "fp8_e5m2", "int8"]
    assert [name for name in names if name not in text.replace(",", " ").split()] == []


def test_every_run_ends_with_limits_and_a_next_command(run_lab: RunLab) -> None:
    for words in ("", "--table", "--model gpt-oss-20b", "--concurrency 2"):
        *_, limits, step = lines(run_lab, words)
        assert limits.startswith("Does not show: ")
        assert step.startswith("Next: python3 inference_lab.py capacity ")


def test_default_run_imports_no_slow_module(run_process: RunProcess) -> None:
    """`all` has to start in twice the time of Python itself: config reading waits until it is needed."""
    ran = run_process(["capacity"], flags=["-S", "-X", "importtime"])
    assert ran.returncode == 0
    loaded = {line.rsplit("|", 1)[-1].strip() for line in ran.stderr.decode().splitlines()}
    slow = {
        "dataclasses",
        "typing",
        "enum",
        "re",
        "collections",
        "fractions",
        "json",
        "argparse",
        "functools",
    }
    assert loaded & slow == set()
    assert {"labs.capacity", "labs.model.shape"} <= loaded
