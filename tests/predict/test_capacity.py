"""Predicted quantities of capacity, fit and fetch: forms, units, and the mistake that gives a wrong one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from labs import capacity, capacity_fetch, capacity_fit
from labs.base import LabError
from labs.parsed_line import parsed_line
from labs.predict.capacity import capacity_quantities
from labs.predict.capacity_fetch import fetch_quantities
from labs.predict.capacity_fit import fit_quantities
from labs.predict.quantities import Statement, check_quantities
from labs.view.predict import render_answer
from tests.documented import DOCUMENTED

if TYPE_CHECKING:
    from labs.predict.answer import Answer

FACES: dict[str, Any] = {"capacity": capacity, "capacity fit": capacity_fit, "capacity fetch": capacity_fetch}
LINK = "--size 1GiB --bandwidth 400Gbit/s"
LONG = "--tokens 4096 --kv-per-token 128KiB --bandwidth 100Gbit/s --recompute-rate 8000tok/s"
NEVER = LONG.replace("100Gbit/s", "1Mbit/s")
ALWAYS = f"{LONG} --lookup 0ms --conversion 0ms --overlap 0ms"


def result_of(lab: str, knobs: str) -> Any:
    face = FACES[lab]
    words = parsed_line([*lab.split(), *knobs.split()], "en").knobs
    return face.run(getattr(face, "params", face.Params)(**words))


def asked(lab: str, knobs: str, text: str) -> Answer:
    answer: Answer = FACES[lab].predicted(result_of(lab, knobs), text)
    return answer


RIGHT = [
    ("capacity", "", "kv=128KiB"),
    ("capacity", "", "KV per token: 131072 B, KV of 8192 tokens: 1 GiB"),
    ("capacity", "", "kv 128KiB, KV/token = 128 kib; 8192 tokens: 1GiB"),
    ("capacity", "", "kv=131,072 bytes; kv ≈ 131kB; kv = 131072 字节"),
    ("capacity", "", "4 blocks 64 slots"),
    ("capacity", "", "17/31: 4 块 64 个 slot"),
    ("capacity", "", "transfer 21.47 msec; 传输=21.47毫秒; 传输：0.02147 秒"),
    ("capacity fit", "", "2 MiB per block; 每块 2MiB; 放得下：能"),
    ("capacity fit", "--gpu 18GiB --weights 16GiB", "放不下"),
    ("capacity fetch", "", "取回更便宜; fetch = 0.022 seconds"),
    ("capacity", "", "kv_bytes_per_token=0.125MiB\nrequest = 1.074 GB"),
    ("capacity", "", "kv=131.072 kB; blocks=4; slots=64; used slots=48"),
    ("capacity", "", "transfer=21.5ms, transfer=0.0215s, transfer=21474.83648us"),
    ("capacity", "--concurrency 3 --shared-prefix 100", "logical=3GiB|physical=2.977GiB"),
    ("capacity", "--tp 8", "rank=16KiB"),
    ("capacity fit", "", "blocks=28,672; tokens=458752; fits=yes; concurrency=74.67x; kv=128KiB"),
    ("capacity fit", "", "request=768MiB, available=56GiB, bytes per block=2MiB"),
    ("capacity fit", "--gpu 18GiB --weights 16GiB", "fits: no"),
    (
        "capacity fetch",
        "",
        "fetch=22ms, saving=38ms, recompute=60ms, data path=20ms, break-even overlap=-30ms",
    ),
    ("capacity fetch", "", "cheaper: fetch"),
    ("capacity fetch", LONG, "break-even length=18, fetch=44.9ms, size=512MiB, effective rate=100Gbit/s"),
    ("capacity fetch", LONG, "break-even bandwidth = 8.42Gbit/s"),
    *[
        ("capacity fetch", NEVER, f"break-even length: {word}")
        for word in ("never", "Never.", "永不", "none", "无")
    ],
    *[
        ("capacity fetch", ALWAYS, f"break-even length: {word}")
        for word in ("always", "总是", "none", "没有")
    ],
    ("capacity fetch", NEVER, "break-even length never; saving=-4294s"),
    ("capacity fetch", NEVER, "break-even length: none, fetching is cheaper at no length"),
    ("capacity fetch", ALWAYS, "盈亏平衡长度：无，任何长度下都是取回代价更低"),
    ("capacity fetch", f"{LINK} --recompute 2ms", "break-even bandwidth: never"),
    ("capacity fetch", "--recompute 0ms", "break-even overlap: never"),
    ("capacity fetch", "--recompute 22ms", "cheaper: neither, both cost the same; saving=0ms"),
    ("capacity fetch", "--recompute 22ms", "代价更低：无，两者相同"),
]


@pytest.mark.parametrize(("lab", "knobs", "text"), RIGHT)
def test_right(lab: str, knobs: str, text: str) -> None:
    answer = asked(lab, knobs, text)
    assert answer.right, answer


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("lab", FACES)
def test_the_whole_output_is_right(lab: str, lang: str) -> None:
    """As somebody copies it: formulas and reasons are passed over."""
    for knobs in ["", LONG] if lab == "capacity fetch" else [""]:
        result = result_of(lab, knobs)
        answer = FACES[lab].predicted(result, FACES[lab].render(result, lang))
        assert answer.right, answer
        assert answer.checked >= 5


PRINTED: dict[str, tuple[str, ...]] = {
    "capacity": (
        "KV per token",
        "KV of",
        "17/31",
        "1 GiB /",
        "Logical",
        "Physical",
        "每",
        "8192",
        "逻辑用",
        "物理用",
    ),
    "capacity fit": ("KV ", "fits:", "the engine", "每 token", "一个 6144", "能放下：", "引擎的"),
    "capacity fetch": ("fetch cost:", "recompute:", "saving:", "cheaper:", "effective", "break-even"),
}
IN_CHINESE = ("取回代价：", "重算：", "节省：", "代价更低：", "有效速率：", "盈亏平衡")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("lab", FACES)
def test_what_the_lab_prints_is_right(lab: str, lang: str) -> None:
    result = result_of(lab, LONG if lab == "capacity fetch" else "")
    lines = FACES[lab].render(result, lang).splitlines()
    mine = [line for line in lines if line.startswith(PRINTED[lab] + (IN_CHINESE if "fetch" in lab else ()))]
    mine = [line for line in mine if not line.endswith("。")]
    answer = FACES[lab].predicted(result, "\n".join(mine))
    assert answer.right, answer
    assert answer.checked >= 5


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_documented_lines_are_right(lang: str) -> None:
    lines = [line for line in DOCUMENTED[lang] if "KV" in line or "block=" in line or "Gbit/s" in line]
    assert len(lines) == 4
    assert asked("capacity", "", "\n".join(lines)).checked == 5


MODEL = "--model llama-3-8b"
KV = "kv_bytes_per_token"
CAUSES: list[Any] = [
    # lab, knobs, prediction, cause, quantity, predicted, actual, values among those told
    ("capacity", MODEL, "kv=512KiB", "query_heads", KV, 524288, 131072, {"group": "4", "kv_heads": 8}),
    (
        "capacity",
        "--model qwen3-32b",
        "kv=160KiB",
        "head_dim",
        KV,
        163840,
        262144,
        {"divided": 80, "head_dim": 128},
    ),
    (
        *("capacity", MODEL.replace("llama-3-8b", "qwen3-32b"), "kv=1.25MiB", "hidden_size", KV),
        *(1310720, 262144, {"hidden": 5120, "width": 1024}),
    ),
    (
        *("capacity", "", "kv=512KiB", "query_heads", KV, 524288, 131072),
        {"query_heads": 32, "kv_heads": 8, "group": "4", "model": "Llama-3-8B"},
    ),
    ("capacity", "", "request=4GiB", "query_heads", "kv_bytes", 4 << 30, 1 << 30, {"group": "4"}),
    ("capacity", "--kv-heads 4", "kv=256KiB", "group_size", KV, 262144, 65536, {"query_heads": 16}),
    ("capacity", "--kv-heads 4", "kv=512KiB", "bits_for_bytes", KV, 524288, 65536, {"also": ["group_size"]}),
    ("capacity", "--layers 16", "kv=256KiB", "group_size", KV, 262144, 65536, {"kv_heads": 8}),
    ("capacity", "", "kv=64KiB", "k_or_v_forgotten", KV, 65536, 131072, {"factor": "0.5"}),
    ("capacity", "", "kv=1MiB", "bits_for_bytes", KV, 1 << 20, 131072, {"factor": "8"}),
    ("capacity", "", "kv=256KiB", "counted_twice", KV, 262144, 131072, {}),
    ("capacity", "", "kv=4KiB", "layers_forgotten", KV, 4096, 131072, {"layers": 32}),
    ("capacity", "", "kv=1KiB", "head_dim_forgotten", KV, 1024, 131072, {"head_dim": 128}),
    (
        "capacity",
        "",
        "kv=16KiB",
        "kv_heads_forgotten",
        KV,
        16384,
        131072,
        {"kv_heads": 8, "also": ["divided_by_8"]},
    ),
    ("capacity", "", "kv=32KiB", "power_of_two", KV, 32768, 131072, {"exponent": -2}),
    ("capacity", "", "kv=128kB", "kib_for_kb", KV, 128000, 131072, {"ratio": "1.024"}),
    ("capacity", "--tokens 8", "request=1MB", "mib_for_mb", "kv_bytes", 10**6, 1 << 20, {"ratio": "1.0486"}),
    ("capacity", "", "request=1GB", "gib_for_gb", "kv_bytes", 10**9, 1 << 30, {"ratio": "1.0737"}),
    ("capacity", "", "request=1.0737GiB", "gib_for_gb", "kv_bytes", None, 1 << 30, {"ratio": "1.0737"}),
    ("capacity", "--tp 8", "kv=16KiB", "one_rank", KV, 16384, 131072, {"tp": 8}),
    ("capacity", "--tp 8", "rank=128KiB", "all_ranks", f"{KV}_per_rank", 131072, 16384, {"tp": 8}),
    ("capacity", "", "kv=1GiB", "all_tokens", KV, 1 << 30, 131072, {"tokens": 8192}),
    ("capacity", "", "request=128KiB", "one_token", "kv_bytes", 131072, 1 << 30, {"tokens": 8192}),
    (
        "capacity",
        "--concurrency 3",
        "logical=1GiB",
        "one_request",
        "logical_bytes",
        1 << 30,
        3 << 30,
        {"concurrency": 3},
    ),
    (
        "capacity",
        "--concurrency 3",
        "request=3GiB",
        "all_requests",
        "kv_bytes",
        3 << 30,
        1 << 30,
        {"concurrency": 3},
    ),
    (
        "capacity",
        "",
        "blocks=3",
        "pooled_rounding",
        "blocks",
        3,
        4,
        {"lengths": [17, 31], "of_each": [2, 2], "pooled": 3},
    ),
    ("capacity", "", "blocks=2", "rounded_down", "blocks", 2, 4, {"block_size": 16}),
    ("capacity", "--lengths 16,31", "blocks=4", "one_block_more", "blocks", 4, 3, {"of_each": [1, 2]}),
    ("capacity", "", "blocks=64", "slots_for_blocks", "blocks", 64, 4, {"block_size": 16}),
    (
        "capacity",
        "",
        "slots=48",
        "used_not_reserved",
        "reserved_slots",
        48,
        64,
        {"total": 48, "also": ["pooled_rounding"]},
    ),
    (
        "capacity",
        "--lengths 17,20",
        "slots=48",
        "pooled_rounding",
        "reserved_slots",
        48,
        64,
        {"pooled": 3, "total": 37},
    ),
    ("capacity", "", "slots=4", "blocks_for_slots", "reserved_slots", 4, 64, {"block_size": 16}),
    (
        *("capacity", "--concurrency 3 --shared-prefix 100", "physical=3GiB", "sharing_forgotten"),
        *("physical_bytes", 3 << 30, 131072 * (96 + 3 * 8096), {"shared": 96, "shared_prefix": 100}),
    ),
    (
        *(
            "capacity",
            "--concurrency 3 --shared-prefix 100",
            "physical=3195011072B",
            "part_of_a_block_shared",
        ),
        *("physical_bytes", 131072 * (100 + 3 * 8092), 131072 * (96 + 3 * 8096), {"block_size": 16}),
    ),
    (
        *("capacity", "--concurrency 3 --shared-prefix 100", "physical=3183476736B", "prefix_not_stored"),
        *("physical_bytes", 131072 * 3 * 8096, 131072 * (96 + 3 * 8096), {"shared": 96}),
    ),
    (
        "capacity",
        "",
        "transfer=2.68ms",
        "bytes_over_bits",
        "transfer_ms",
        2.68,
        21.474836,
        {"bytes": 1 << 30},
    ),
    ("capacity", "", "transfer=0.02147ms", "seconds_for_ms", "transfer_ms", 0.02147, 21.474836, {}),
    ("capacity", "", "transfer=172ms", "eight_twice", "transfer_ms", 172, 21.474836, {}),
    ("capacity", "", "transfer=21ms", "too_few_digits", "transfer_ms", 21, 21.474836, {"least": 3}),
    ("capacity", "", "kv=100KiB", "other_value", KV, 102400, 131072, {"factor": "0.7812"}),
    # what fits
    (
        "capacity fit",
        "",
        "blocks=32768",
        "utilization_forgotten",
        "num_blocks",
        32768,
        28672,
        {"utilization": "9/10"},
    ),
    ("capacity fit", "", "blocks=29491", "utilization_of_the_rest", "num_blocks", 29491, 28672, {}),
    ("capacity fit", "", "blocks=36864", "weights_not_taken_off", "num_blocks", 36864, 28672, {}),
    ("capacity fit", "", "blocks=40960", "whole_memory", "num_blocks", 40960, 28672, {}),
    ("capacity fit", "", "blocks=26702", "gb_for_gib", "num_blocks", 26702, 28672, {}),
    (
        "capacity fit",
        "",
        "blocks=458752",
        "tokens_for_blocks",
        "num_blocks",
        458752,
        28672,
        {"block_size": 16},
    ),
    ("capacity fit", "", "blocks=28671", "null_block_taken_off", "num_blocks", 28671, 28672, {}),
    ("capacity fit", "", "blocks=7168", "query_heads", "num_blocks", 7168, 28672, {"group": "4"}),
    ("capacity fit", "", "blocks=57344", "k_or_v_forgotten", "num_blocks", 57344, 28672, {}),
    (
        "capacity fit",
        "",
        "available=64GiB",
        "utilization_forgotten",
        "available_bytes",
        64 << 30,
        56 << 30,
        {},
    ),
    (
        *("capacity fit", "", "tokens=28672", "blocks_for_tokens", "kv_cache_size_tokens", 28672, 458752),
        {"request_blocks": 384, "max_model_len": 6144},
    ),
    (
        "capacity fit",
        "",
        "tokens=524288",
        "utilization_forgotten",
        "kv_cache_size_tokens",
        524288,
        458752,
        {},
    ),
    (
        "capacity fit",
        "",
        "concurrency=74",
        "whole_requests",
        "max_concurrency",
        74,
        74.666667,
        {"num_blocks": 28672},
    ),
    (
        "capacity fit",
        "",
        "concurrency=85.33",
        "utilization_forgotten",
        "max_concurrency",
        85.33,
        74.666667,
        {},
    ),
    ("capacity fit", "", "kv=512KiB", "query_heads", f"{KV}_per_gpu", 524288, 131072, {"query_heads": 32}),
    ("capacity fit", "--tp 8", "blocks=19169280", "other_value", "num_blocks", 19169280, None, {}),
    (
        *("capacity fit", "--max-model-len 6145", "request=768.125MiB", "not_whole_blocks"),
        *("request_bytes_per_gpu", 6145 * 131072, 385 << 21, {"request_blocks": 385}),
    ),
    (
        "capacity fit",
        "",
        "fits=no",
        "not_fits",
        "fits",
        "no",
        "yes",
        {"needed": 384 << 21, "usable": (56 << 30) - (2 << 20)},
    ),
    (
        *("capacity fit", "--kv-memory 768MiB", "fits=yes", "not_fits", "fits", "yes", "no"),
        {"needed": 384 << 21, "null": 2 << 20, "is_null_block": True},
    ),
    # fetch
    (
        "capacity fetch",
        "",
        "fetch=30ms",
        "overlap_not_subtracted",
        "fetch_ms",
        30,
        22,
        {"overlap": "8", "steps": "30"},
    ),
    (
        "capacity fetch",
        "",
        "fetch=14ms",
        "overlap_twice",
        "fetch_ms",
        14,
        22,
        {"overlap": "8", "fetch": "22"},
    ),
    ("capacity fetch", "--overlap 5ms", "fetch=35ms", "overlap_added", "fetch_ms", 35, 25, {"overlap": "5"}),
    ("capacity fetch", "", "fetch=19ms", "lookup_forgotten", "fetch_ms", 19, 22, {"lookup": "3"}),
    ("capacity fetch", "", "fetch=15ms", "conversion_forgotten", "fetch_ms", 15, 22, {"conversion": "7"}),
    ("capacity fetch", "", "fetch=20ms", "data_path_alone", "fetch_ms", 20, 22, {"lookup": "3"}),
    ("capacity fetch", "", "saving=30ms", "overlap_not_subtracted", "saving_ms", 30, 38, {"overlap": "8"}),
    ("capacity fetch", "", "saving=46ms", "overlap_twice", "saving_ms", 46, 38, {"overlap": "8"}),
    ("capacity fetch", "", "saving=-38ms", "sign_turned", "saving_ms", -38, 38, {"recompute": "60"}),
    (
        "capacity fetch",
        "",
        "saving=22ms",
        "cost_for_saving",
        "saving_ms",
        22,
        38,
        {"also": ["overlap_added"]},
    ),
    ("capacity fetch", "", "saving=60ms", "recompute_for_saving", "saving_ms", 60, 38, {"fetch": "22"}),
    ("capacity fetch", "", "overlap=30ms", "sign_turned", "break_even_overlap", 30, -30, {"steps": "30"}),
    (
        "capacity fetch",
        "",
        "cheaper=recompute",
        "not_cheaper",
        "cheaper",
        "recompute",
        "fetch",
        {"fetch": "22"},
    ),
    (
        "capacity fetch",
        LINK,
        "data path=2.68ms",
        "bytes_over_bits",
        "data_path_ms",
        2.68,
        21.474836,
        {"bytes": 1 << 30},
    ),
    (
        "capacity fetch",
        LINK,
        "data path=20ms",
        "gib_for_gb",
        "data_path_ms",
        20,
        21.474836,
        {"ratio": "1.0737"},
    ),
    ("capacity fetch", LINK, "fetch=4.68ms", "bytes_over_bits", "fetch_ms", 4.68, 23.474836, {}),
    ("capacity fetch", LONG, "length=17", "equal_not_cheaper", "break_even_tokens", 17, 18, {"side": "from"}),
    (
        "capacity fetch",
        LONG,
        "bandwidth=8.42GB/s",
        "eight_twice",
        "break_even_bandwidth",
        67360000000,
        None,
        {},
    ),
    (
        "capacity fetch",
        LONG,
        "bandwidth=1.053Gbit/s",
        "bytes_over_bits",
        "break_even_bandwidth",
        1053000000,
        None,
        {},
    ),
    (
        *("capacity fetch", f"{LINK} --links 4", "effective rate=400Gbit/s", "one_link", "effective_rate"),
        *(400 * 10**9, 1600 * 10**9, {"links": 4}),
    ),
    (
        *("capacity fetch", f"{LINK} --recompute 2ms", "bandwidth=1Gbit/s", "never_at_any_rate"),
        *("break_even_bandwidth", 10**9, None, {}),
    ),
    ("capacity fetch", NEVER, "break-even length: always", "never", "break_even_tokens", "always", None, {}),
    ("capacity fetch", ALWAYS, "break-even length: never", "always", "break_even_tokens", "never", None, {}),
    (
        "capacity fetch",
        LONG,
        "break-even length: never",
        "there_is_one",
        "break_even_tokens",
        "never",
        18,
        {},
    ),
    ("capacity fetch", LONG, "length=none", "there_is_one", "break_even_tokens", "none", 18, {}),
    ("capacity fetch", NEVER, "break-even length: 18", "never", "break_even_tokens", 18, None, {}),
    (
        "capacity fetch",
        "--recompute 22ms",
        "cheaper: recompute",
        "not_cheaper",
        "cheaper",
        "recompute",
        "neither",
        {},
    ),
]


@pytest.mark.parametrize(
    ("lab", "knobs", "text", "cause", "quantity", "guess", "actual", "values"),
    CAUSES,
    ids=[f"{case[0]}-{case[3]}-{case[2]}" for case in CAUSES],
)
def test_causes(
    lab: str,
    knobs: str,
    text: str,
    cause: str,
    quantity: str,
    guess: object,
    actual: object,
    values: dict[str, object],
) -> None:
    """None for predicted or actual where the value is a quotient that is not written out here."""
    difference = asked(lab, knobs, text).difference
    assert difference is not None
    assert (difference.cause, difference.place) == (cause, {"quantity": quantity})
    assert guess in (None, difference.predicted)
    assert actual in (None, difference.actual)
    assert {key: difference.values.get(key) for key in values} == values


@pytest.mark.parametrize("case", CAUSES, ids=[f"{case[0]}-{case[3]}-{case[2]}" for case in CAUSES])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_cause_is_told(case: Any, lang: str) -> None:
    """With its name, and in a sentence that has all its values."""
    text = render_answer(case[0], asked(*case[:3]), lang)
    assert case[3] in text
    assert "{" not in text
    assert text.isascii() is (lang == "en")


BAD = [
    ("capacity", "kv=128", "bare_number", {"first": "128KiB", "second": "128kB"}),
    ("capacity", "transfer=21.47", "bare_number", {"first": "21.47ms", "second": "21.47s"}),
    ("capacity fetch", "effective rate=400", "bare_number", {"first": "400Gbit/s", "second": "400GB/s"}),
    ("capacity", "kv=131072", "bare_number", {"first": "131072B", "second": "131072KiB"}),
    ("capacity", "kv=128K", "bare_number", {"first": "128KiB", "second": "128kB"}),
    ("capacity", "kv=128KB", "bare_number", {"first": "128KiB", "second": "128kB"}),
    ("capacity", "kv=1g", "bare_number", {"first": "1GiB", "second": "1GB"}),
    ("capacity", "kv=128 loaves", "unknown_unit", {}),
    ("capacity", "kv=2^17 B", "predict_arithmetic", {}),
    ("capacity", "blocks = 2 + 2", "predict_arithmetic", {}),
    ("capacity", "kv=1/8 MiB", "predict_arithmetic", {}),
    ("capacity", "kv=2 x 65536 B", "predict_arithmetic", {}),
    ("capacity", "kv=many KiB", "predict_no_number", {}),
    ("capacity", "weights=3GiB", "predict_unnamed", {}),
    ("capacity", "128KiB", "predict_unnamed", {}),
    ("capacity", "blocks: 4, 64 pieces", "predict_unnamed", {}),
    ("capacity", "blocks=4KiB", "predict_a_count", {}),
    ("capacity", "", "predict_empty", {}),
    ("capacity fit", "fits=maybe", "not_one_of", {"choices": "no, yes"}),
    ("capacity fetch", "length=18", "predict_not_in_run", {"name": "break_even_tokens"}),
    ("capacity", "kv=" + "9" * 40 + "KiB", "too_many_digits", {}),
]


@pytest.mark.parametrize(
    ("lab", "text", "rule", "values"), BAD, ids=[f"{bad[0]}-{bad[1][:30]}" for bad in BAD]
)
def test_refused(lab: str, text: str, rule: str, values: dict[str, object]) -> None:
    with pytest.raises(LabError) as refused:
        asked(lab, "", text)
    error = refused.value
    assert error.where.startswith("--predict")
    assert error.rule == rule
    assert {key: error.values[key] for key in values} == values


RUNS = [
    *[
        ("capacity", knobs)
        for knobs in ("", "--model qwen3-32b --tp 8", "--concurrency 3 --shared-prefix 100")
    ],
    *[("capacity", f"--model {model}") for model in ("deepseek-v3", "gemma-3-27b")],
    *[("capacity fit", knobs) for knobs in ("", "--tp 2", "--pp 2", "--kv-memory 768MiB")],
    *[("capacity fetch", knobs) for knobs in ("", LINK, LONG, f"{LONG} --links 2 --host-limit 150Gbit/s")],
]
QUANTITIES: dict[str, Any] = {
    "capacity": capacity_quantities,
    "capacity fit": fit_quantities,
    "capacity fetch": fetch_quantities,
}


@pytest.mark.parametrize(("lab", "knobs"), RUNS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_mistake_can_be_told(lab: str, knobs: str, lang: str) -> None:
    """Each value that a mistake gives is wrong, and its sentence has all that it names."""
    for quantity in QUANTITIES[lab](result_of(lab, knobs)):
        for mistake in quantity.mistakes:
            if mistake.value == quantity.actual:
                continue
            statement = Statement(quantity, "it", Fraction(mistake.value))
            difference = check_quantities([quantity], [statement]).difference
            assert difference is not None
            alone = quantity.replace(mistakes=(mistake,))
            answer = check_quantities([alone], [statement.replace(quantity=alone)])
            text = render_answer(lab, answer, lang)
            assert mistake.cause in text
            assert "{" not in text
