"""Makes kv_sizing_mixed.json: what vLLM's planner gives for models of several kinds of layer.

Run `python -m tests.oracle.kv_sizing FILE` where vLLM is installed; no seeds are drawn, so `--base` changes
nothing. A case names its layers by one letter each, in model order; `kinds` says what a letter is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.oracle.golden_file import main
from tests.oracle.kv_plan import DEFAULTS, LAYOUT, plan

GIB = 1 << 30
PLENTY = 1 << 46

Kind = dict[str, Any]


def _full(heads: int, width: int, **more: Any) -> Kind:
    same = {"block_size": 16, "dtype": "bfloat16"}
    return {"kind": "full", **same, "kv_heads": heads, "head_dim": width, **more}


def _local(heads: int, width: int, window: int, kind: str = "sliding", **more: Any) -> Kind:
    return {**_full(heads, width), "kind": kind, "window": window, **more}


def _mla(block: int = 16) -> Kind:
    return {"kind": "mla", "block_size": block, "dtype": "bfloat16", "head_dim": 576}


def _hybrid(state: int, heads: int, width: int, block: int, dtype: str = "bfloat16") -> dict[str, Kind]:
    """Attention `f` and linear state `m` as the platform leaves them: the state padded to the page."""
    page = block * heads * 2 * width * (2 if dtype == "bfloat16" else 1)
    padded = {} if page == state else {"page_size_padded": page}
    full = _full(heads, width, block_size=block, dtype=dtype)
    return {"f": full, "m": {"kind": "mamba", "block_size": block, "state_bytes": state, **padded}}


F, S, C = _full(8, 128), _local(8, 128, 1024), _local(8, 128, 8192, "chunked")
ONE_KIND = {"f": F, "s": S}
# State bytes a layer and rank, and the enlarged block, of the engine's own start-up.
QWEN35_27B = _hybrid(3207168, 4, 256, 784)
QWEN35_27B_TP2_FP8 = _hybrid(1603584, 2, 256, 1568, "float8_e4m3fn")
QWEN35_35B_FP8 = _hybrid(2146304, 2, 256, 2096, "float8_e4m3fn")
NEMOTRON_NANO = _hybrid(2134016, 2, 128, 2096)
JAMBA = _hybrid(311296, 8, 128, 80)
NEMOTRON_PATTERN = "mmmfmmmfmmmfmmmfmmmfmmmmfmmmm"

Row = tuple[str, dict[str, Kind], str, int, "int | list[int]", dict[str, Any]]
# Name, kinds, layers, max_model_len (tokens), bytes available a worker, knobs that are not the default.
ROWS: list[Row] = [
    ("full_odd_length", ONE_KIND, "f" * 24, 10001, 20 * GIB, {}),
    ("full_wider_k_than_v", {"f": _full(4, 192, head_dim_v=128)}, "f" * 24, 8192, 20 * GIB, {}),
    ("full_uneven_ranks", ONE_KIND, "f" * 24, 8192, [20 * GIB, 19 * GIB + 5], {}),
    ("full_block_128", {"f": _full(2, 64, block_size=128)}, "f" * 12, 4097, 3 * GIB, {}),
    ("sliding_sync", ONE_KIND, "s" * 24, 32768, 20 * GIB, {}),
    ("sliding_async", ONE_KIND, "s" * 24, 32768, 20 * GIB, {"async_scheduling": True}),
    ("sliding_small_batch", ONE_KIND, "s" * 24, 32768, 20 * GIB, {"max_num_batched_tokens": 512}),
    ("sliding_longer_than_length", ONE_KIND, "s" * 24, 1000, 20 * GIB, {}),
    ("ratio_1_to_5", ONE_KIND, "sssssf" * 4, 32768, 20 * GIB, {}),
    ("ratio_1_to_5_cut_short", ONE_KIND, "sssssf" * 4 + "ssss", 32768, 20 * GIB, {}),
    ("ratio_just_below_1.5", ONE_KIND, "s" * 13 + "f" * 9, 32768, 20 * GIB, {}),
    ("ratio_exactly_1.5", ONE_KIND, "s" * 12 + "f" * 8, 32768, 20 * GIB, {}),
    ("ratio_more_full_than_sliding", ONE_KIND, "fffs" * 5 + "f", 32768, 20 * GIB, {}),
    ("two_windows", {**ONE_KIND, "w": _local(8, 128, 4096)}, "swswf" * 3, 32768, 20 * GIB, {}),
    ("two_windows_no_full", {"s": S, "w": _local(8, 128, 4096)}, "ssw" * 4, 32768, 20 * GIB, {}),
    ("full_and_chunked", {"f": F, "c": C}, "cccf" * 6, 131072, 20 * GIB, {}),
    ("full_and_chunked_async", {"f": F, "c": C}, "cccf" * 6, 131072, 20 * GIB, {"async_scheduling": True}),
    ("all_chunked", {"c": C}, "c" * 8, 131072, 20 * GIB, {}),
    ("pages_divide", {"f": _full(4, 512), "s": _local(16, 256, 1024)}, "sssssf" * 5, 65536, 20 * GIB, {}),
    ("pages_divide_tp16", {"f": _full(1, 512), "s": _local(1, 256, 1024)}, "sssssf" * 5, 65536, 4 * GIB, {}),
    ("pages_do_not_divide", {"f": _full(8, 128), "s": _local(4, 192, 1024)}, "sf" * 6, 65536, 20 * GIB, {}),
    (
        "unlike_v_heads",
        {"f": _full(4, 192, head_dim_v=128), "s": _local(8, 192, 128, head_dim_v=128)},
        *("sssssf" * 4, 65536, 20 * GIB, {}),
    ),
    ("two_windows_unlike_pages", {"s": S, "w": _local(3, 128, 512)}, "sw" * 4, 16384, 9 * GIB, {}),
    ("two_fulls_and_sliding", {"f": F, "g": _full(2, 128), "s": S}, "fgsss" * 3, 16384, 9 * GIB, {}),
    ("fulls_of_unlike_heads", {"f": F, "g": _full(2, 128)}, "fgg" * 6, 16384, 9 * GIB, {}),
    ("one_window_unlike_heads", {"s": S, "t": _local(4, 128, 1024)}, "stt" * 6, 16384, 9 * GIB, {}),
    (
        "fp8_full_beside_bf16_sliding",
        {"f": _full(8, 128, dtype="float8_e4m3fn"), "s": S},
        "fs" * 6,
        9999,
        GIB,
        {},
    ),
    ("mla_block_64", {"l": _mla(64)}, "l" * 27, 163840, 20 * GIB, {}),
    ("mla_two_ranks", {"l": _mla()}, "l" * 27, 32768, [20 * GIB, 18 * GIB], {}),
    ("mla_and_sliding_fallback", {"l": _mla(), "s": _local(4, 128, 512)}, "ls" * 5, 8192, 9 * GIB, {}),
    ("mla_and_sliding_equal_pages", {"l": _mla(), "s": _local(1, 288, 512)}, "ls" * 5, 8192, 9 * GIB, {}),
    ("mla_and_chunked_refused", {"l": _mla(), "c": _local(4, 128, 8192, "chunked")}, "lc" * 5, 8192, GIB, {}),
    ("mla_and_full", {"l": _mla(), "f": _full(4, 128)}, "lllf" * 3, 8192, 9 * GIB, {}),
    ("linear_no_caching", QWEN35_27B, "mmmf" * 16, 32768, 25 * GIB, {}),
    ("linear_aligned_caching", QWEN35_27B, "mmmf" * 16, 32768, 25 * GIB, {"prefix_caching_align": True}),
    (
        "linear_fp8_tp2",
        *(QWEN35_27B_TP2_FP8, "mmmf" * 16, 131072, [5358013153] * 2, {"prefix_caching_align": True}),
    ),
    ("linear_fp8_35b", QWEN35_35B_FP8, "mmmf" * 10, 131072, 6420976107, {"prefix_caching_align": True}),
    (
        "linear_groups_padded",
        NEMOTRON_NANO,
        NEMOTRON_PATTERN,
        262144,
        20 * GIB,
        {"prefix_caching_align": True},
    ),
    ("linear_seven_groups", JAMBA, "mmmmfmmm" * 4, 262144, 20 * GIB, {"prefix_caching_align": True}),
    ("linear_nearly_as_many", JAMBA, "mf" * 4 + "m", 100000, 9 * GIB, {}),
    ("linear_only", {"m": JAMBA["m"]}, "m" * 12, 8192, 9 * GIB, {"prefix_caching_align": True}),
    ("linear_small_memory", QWEN35_27B, "mmmf" * 16, 32768, GIB, {"prefix_caching_align": True}),
    (
        "linear_auto_fit",
        QWEN35_27B,
        "mmmf" * 16,
        262144,
        3 * GIB,
        {"prefix_caching_align": True, "auto_fit": True},
    ),
    ("linear_full_and_sliding", {"m": JAMBA["m"], "f": F, "s": S}, "mfs" * 3, 8192, 9 * GIB, {}),
    ("stages_uneven_layers", ONE_KIND, "f" * 20, 8192, [9 * GIB, 9 * GIB], {"stages": [[0, 8], [8, 20]]}),
    ("stages_uneven_memory", ONE_KIND, "f" * 20, 8192, [5 * GIB, 9 * GIB], {"stages": [[0, 8], [8, 20]]}),
    ("stages_mixed", ONE_KIND, "sssf" * 6, 32768, 9 * GIB, {"stages": [[0, 11], [11, 24]]}),
    (
        "stages_mixed_async_runner_2",
        *(ONE_KIND, "sssf" * 6, 32768, 9 * GIB),
        {"stages": [[0, 11], [11, 24]], "async_scheduling": True, "model_runner": 2},
    ),
    (
        "stages_mixed_async_runner_1",
        *(ONE_KIND, "sssf" * 6, 32768, 9 * GIB),
        {"stages": [[0, 11], [11, 24]], "async_scheduling": True},
    ),
    ("stage_without_full", ONE_KIND, "ssssssff", 16384, 9 * GIB, {"stages": [[0, 6], [6, 8]]}),
    ("stage_without_linear", JAMBA, "ffmmmmmm", 16384, 9 * GIB, {"stages": [[0, 2], [2, 5], [5, 8]]}),
    (
        "stages_of_unlike_heads",
        {"f": F, "g": _full(2, 128)},
        "fgfggg",
        16384,
        2 * GIB,
        {"stages": [[0, 3], [3, 6]]},
    ),
    (
        "stages_first_failing_worker",
        *(ONE_KIND, "f" * 20, 8192, [200 << 20, 150 << 20, 100 << 20, GIB]),
        {"stages": [[0, 8], [8, 20]]},
    ),
    (
        "stages_auto_fit",
        *(ONE_KIND, "f" * 20, 8192, [200 << 20, 150 << 20, 100 << 20, GIB]),
        {"stages": [[0, 8], [8, 20]], "auto_fit": True},
    ),
    ("override", ONE_KIND, "sssssf" * 2, 8192, GIB, {"num_gpu_blocks_override": 5000}),
    ("override_too_small", ONE_KIND, "f" * 4, 8192, 90 * GIB, {"num_gpu_blocks_override": 512}),
    ("override_just_enough", ONE_KIND, "f" * 4, 8192, 1, {"num_gpu_blocks_override": 513}),
    ("override_auto_fit", ONE_KIND, "f" * 4, 8192, 1, {"num_gpu_blocks_override": 100, "auto_fit": True}),
    ("auto_fit_fits", ONE_KIND, "f" * 4, 8192, GIB, {"auto_fit": True}),
    ("no_memory", ONE_KIND, "f" * 4, 8192, 0, {}),
    ("auto_fit_no_memory", ONE_KIND, "f" * 4, 8192, 0, {"auto_fit": True}),
    ("not_one_token", ONE_KIND, "f" * 4, 8192, 300000, {}),
    ("dcp_2_full", {"f": _full(1, 128)}, "f" * 24, 8191, 9 * GIB, {"dcp": 2}),
    ("dcp_8_mla", {"l": _mla(64)}, "l" * 27, 100001, 9 * GIB, {"dcp": 8}),
    ("dcp_2_sliding_refused", ONE_KIND, "sf" * 4, 8192, GIB, {"dcp": 2}),
    ("dcp_2_linear", JAMBA, "mmmmfmmm" * 4, 8191, 9 * GIB, {"dcp": 2, "prefix_caching_align": True}),
]
# Cases that are also asked with memory for exactly one request and the null block, and with one byte less.
EDGES = ("ratio_1_to_5_cut_short", "full_and_chunked", "linear_groups_padded", "stages_mixed", "dcp_8_mla")


def _asked(row: Row) -> dict[str, Any]:
    name, kinds, layers, length, room, knobs = row
    stages = knobs.get("stages", [[0, len(layers)]])
    rooms = [room] * len(stages) if isinstance(room, int) else room
    used = {letter: kind for letter, kind in kinds.items() if letter in layers}
    knobs = {key: value for key, value in knobs.items() if key != "stages"}
    case = {"name": name, "kinds": used, "layers": layers, "stages": stages, "available_bytes": rooms}
    return {
        **case,
        "max_model_len": length,
        **DEFAULTS,
        "block_size": used[layers[-1]]["block_size"],
        **knobs,
    }


def _answered(case: dict[str, Any]) -> dict[str, Any]:
    layers = [case["kinds"][letter] for letter in case["layers"]]
    expected = plan({**case, "layers": layers})
    for group in expected.get("groups", []):
        del group["layer_numbers"]
    return {**case, "expected": expected}


def _at_the_edge(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    workers = len(case["available_bytes"])
    plenty = _answered({**case, "available_bytes": [PLENTY] * workers})["expected"]
    blocks = plenty["blocks_per_max_len_request"] + 1
    exact = [size * blocks for size in plenty["bytes_per_block"]]
    less = [*exact[:-1], exact[-1] - 1]
    yield {**case, "name": case["name"] + "_exactly_one", "available_bytes": exact}
    yield {**case, "name": case["name"] + "_one_byte_less", "available_bytes": less}


def build(base: int) -> dict[str, Any]:
    """Every case with the planner's answer."""
    del base
    cases = [_asked(row) for row in ROWS]
    edges = [edge for case in cases if case["name"] in EDGES for edge in _at_the_edge(case)]
    return {"layout": LAYOUT, "cases": [_answered(case) for case in cases + edges]}


if __name__ == "__main__":
    main(__doc__, build)
