"""What a log prints, what is known by it and by the user, and the memory of a GPU line by line.

Expected values are worked by hand beside them, or stand in tests/cases/capacity.json (cap-10, cap-13).
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from labs.files.startup_log import StartupLog, read_startup_log
from labs.files.startup_records import Figure
from labs.sizing.log.budget import Budget, budget_of
from labs.sizing.log.known import Known, known_of
from labs.sizing.log.printed import GIB, Printed, Rounded, printed_of
from labs.sizing.log.reconcile import reconcile
from tests.sizing.start_ups import gib, log_path, pairs, real

# -- ranges -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "covered"),
    [("2.305", True), ("2.315", True), ("2.3049", False), ("2.3151", False), ("2.31", True)],
)
def test_a_range_with_its_ends(number: str, covered: bool) -> None:
    assert gib("2.31").covers(Fraction(number)) == covered


# a size in GiB, bytes of a unit: the fewest and the most that it holds
UNITS: dict[str, tuple[str, int, tuple[int, int]]] = {
    # .995 and 1.005 GiB are 1018.88 and 1029.12 MiB
    "MiB": ("1.00", 1 << 20, (1018, 1029)),
    # half a unit of .01 is 5.12 MiB: .005 GiB = 5.12, .015 = 15.36
    "of 5 MiB": ("0.01", 5 << 20, (1, 3)),
    "less than one": ("0.01", 16 << 20, (0, 0)),
    "negative": ("-1.05", 1 << 20, (0, 0)),
    "about zero": ("0.00", 1 << 20, (0, 5)),
}


@pytest.mark.parametrize("name", UNITS)
def test_whole_units(name: str) -> None:
    size, unit, ends = UNITS[name]
    found = gib(size).whole_units(unit)
    assert (found[0], found[-1]) == ends


# -- printed ----------------------------------------------------------------------------------------


def log_of(*told: Figure) -> StartupLog:
    return StartupLog("start.log", len(told), told, ())


def said(name: str, value: int | str, process: str = "", line: int = 1, source: str = "") -> Figure:
    """A figure; a text of digits with a point is a decimal."""
    if isinstance(value, str) and "." in value and value[-1].isdigit():
        return Figure(name, Fraction(value), line, len(value.partition(".")[2]), process, source)
    return Figure(name, value, line, None, process, source)


# figures of a log in their order: some of what is printed by them
PRINTED: dict[str, tuple[list[Figure], dict[str, Any]]] = {
    "the last of a setting": (
        [said("block_size", 16), said("tp", 2), said("block_size", 64), said("tp", 4)],
        {"block_size": 64, "tp": 4},
    ),
    # a start that was tried again is the one that counts
    "the last of a size": (
        [said("weights_gib", "5.20"), said("weights_gib", "6.00")],
        {"weights_gib": gib("6.00")},
    ),
    "the last of a number": ([said("gpu_blocks", 5), said("gpu_blocks", 6)], {"gpu_blocks": 6}),
    "no length of 0": (
        [said("max_model_len", 0), said("block_size", 0)],
        {"max_model_len": None, "block_size": None},
    ),
    "no length that no model has": ([said("max_model_len", 10**8 + 1)], {"max_model_len": None}),
    "the longest": ([said("max_model_len", 10**8)], {"max_model_len": 10**8}),
    "no blocks, no tokens": (
        [said("gpu_blocks", 0), said("cpu_blocks", 0), said("kv_tokens", 0), said("error_kv_tokens", 0)],
        {"gpu_blocks": 0, "cpu_blocks": 0, "kv_tokens": 0, "error_kv_tokens": 0},
    ),
    "switches": (
        [said("prefix_caching", "True"), said("async_scheduling", "False")],
        {"prefix_caching": True, "async_scheduling": False},
    ),
    "the last of a switch": (
        [said("prefix_caching", "True"), said("prefix_caching", "False")],
        {"prefix_caching": False, "async_scheduling": None},
    ),
    "the smallest rank": (
        [
            said("kv_gib", "10.02", "Worker_TP0 pid=1"),
            said("kv_gib", "10.00", "Worker_TP1 pid=2"),
            said("kv_gib", "10.05", "Worker_TP2 pid=3"),
        ],
        {"kv_gib": gib("10.00"), "ranks": (gib("10.02"), gib("10.00"), gib("10.05")), "tp": 3},
    ),
    "the last start of a rank": (
        [
            said("kv_gib", "9.00", "Worker pid=1", line=1),
            said("kv_tokens", 73728, "EngineCore pid=3", line=2),
            said("kv_gib", "10.00", "Worker pid=1", line=3),
        ],
        {"kv_gib": gib("10.00"), "ranks": (gib("10.00"),), "kv_tokens": 73728},
    ),
    # engines of 0.8 to 0.10 print every rank's tokens from one process
    "ranks that share a process": (
        [
            said("kv_gib", "5.00", line=1),
            said("kv_gib", "5.02", line=2),
            said("kv_tokens", 81920, line=3),
            said("kv_tokens", 82240, line=5),
        ],
        {"kv_gib": gib("5.00"), "ranks": (gib("5.00"), gib("5.02")), "kv_tokens": 81920},
    ),
    "the fewest tokens": (
        [
            said("kv_tokens", 81936, "EngineCore pid=1"),
            said("kv_tokens", 81920, "EngineCore pid=2"),
            said("kv_tokens", 81952, "EngineCore pid=3"),
        ],
        {"kv_tokens": 81920},
    ),
    "the tokens of the last start": (
        [said("kv_tokens", 81920, line=1), said("kv_gib", "10.00", line=2), said("kv_tokens", 81936, line=3)],
        {"kv_tokens": 81936},
    ),
    "ranks that are told": (
        [
            said("tp", 4),
            said("kv_gib", "9.00", "Worker_TP0 pid=1"),
            said("kv_gib", "9.00", "Worker_TP1 pid=2"),
        ],
        {"tp": 4},
    ),
    "one rank tells no number of them": ([said("kv_gib", "9.00", "Worker_TP1 pid=1")], {"tp": None}),
    # zeros at the end are left out: 5 is 5.00, 46.8 is 46.80
    "a size of one place": ([said("kv_gib", "46.8")], {"kv_gib": gib("46.80")}),
    "a size of no place": (
        [Figure("kv_gib", Fraction(5), 1, 0)],
        {"kv_gib": gib("5.00")},
    ),
    "a size of four places": (
        [said("weights_gib", "14.2488")],
        {"weights_gib": Rounded(Fraction("14.2488"), Fraction(1, 20000))},
    ),
    # no size: 0.9 is what was typed
    "a share of one place": (
        [said("utilization", "0.9")],
        {"utilization": Rounded(Fraction("0.9"), Fraction(1, 20))},
    ),
    "a whole number": ([Figure("needed_gib", 16, 1)], {"needed_gib": Rounded(Fraction(16))}),
    "one line": (
        [said("kv_tokens", 81920, line=7), said("concurrency", "10.00", line=7)],
        {"one_line": True},
    ),
    "two lines": (
        [said("kv_tokens", 81920, line=7), said("concurrency", "10.00", line=8)],
        {"one_line": False},
    ),
    "no second line": ([said("kv_tokens", 81920, line=7)], {"one_line": False}),
    "before line 300": ([said("gpu_blocks", 5, source="llm_engine.py:299")], {"early": True}),
    "at line 300": ([said("gpu_blocks", 5, source="llm_engine.py:300")], {"early": False}),
    "in another file": ([said("gpu_blocks", 5, source="executor_base.py:110")], {"early": False}),
    "in no file": ([said("gpu_blocks", 5)], {"early": False}),
    "no blocks": ([], {"early": False, "engines": 1, "gpu_blocks": None}),
    # each engine of several has its own figures: the first one's, however the lines are mixed
    "of several engines the first": (
        [
            said("weights_gib", "7.00", "EngineCore_DP1 pid=2"),
            said("kv_gib", "9.00", "Worker_DP1_TP0 pid=5"),
            said("kv_gib", "10.00", "Worker_DP0_TP0 pid=3"),
            said("kv_gib", "10.02", "Worker_DP0_TP1 pid=4"),
            said("kv_tokens", 73728, "EngineCore_DP1 pid=2"),
            said("kv_tokens", 81920, "EngineCore_DP0 pid=1"),
            said("max_model_len", 8192),
        ],
        {
            "engines": 2,
            "kv_gib": gib("10.00"),
            "ranks": (gib("10.00"), gib("10.02")),
            "kv_tokens": 81920,
            "weights_gib": None,
            "max_model_len": 8192,
        },
    ),
    "ranks are no engines": (
        [said("kv_gib", "10.00", "Worker_TP0 pid=3"), said("kv_gib", "9.00", "Worker_TP1 pid=4")],
        {"engines": 1, "kv_gib": gib("9.00")},
    ),
}


@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed(name: str) -> None:
    told, expected = PRINTED[name]
    printed = printed_of(log_of(*told)).as_dict()
    assert {key: printed[key] for key in expected} == expected


def test_two_engines_in_a_file(tmp_path: Path) -> None:
    """Tokens of one engine beside the memory of the other would be off by a tenth."""
    memory = "[gpu_worker.py:276] Available KV cache memory:"
    tokens = "[kv_cache_utils.py:849] GPU KV cache size:"
    lines = [
        f"(EngineCore_DP1 pid=2) INFO 08-20 10:15:00 {memory} 9.00 GiB",
        f"(EngineCore_DP0 pid=1) INFO 08-20 10:15:00 {memory} 10.00 GiB",
        f"(EngineCore_DP0 pid=1) INFO 08-20 10:15:01 {tokens} 81,920 tokens",
        f"(EngineCore_DP1 pid=2) INFO 08-20 10:15:01 {tokens} 73,728 tokens",
    ]
    path = tmp_path / "start.log"
    path.write_text("\n".join(lines))
    printed = printed_of(read_startup_log(str(path), "LOG"))
    assert (printed.engines, printed.kv_tokens) == (2, 81920)
    outcome = reconcile(printed, real("llama-3.1-8b"), known_of(Known(), printed))
    assert (outcome.verdict, pairs(outcome.assumptions)) == ("within_rounding", [])


@pytest.mark.parametrize(
    ("printed", "is_v0", "refuses"),
    [
        (Printed(gpu_blocks=0), True, False),
        (Printed(error_kv_tokens=16), True, False),
        (Printed(kv_tokens=16, kv_gib=gib("1.00")), False, False),
        (Printed(needed_gib=gib("1.00"), available_gib=gib("0.00")), False, True),
        (Printed(needed_gib=gib("1.00")), False, False),
        (Printed(needed_gib=gib("0.00"), available_gib=gib("0.00")), False, False),
        (Printed(available_gib=gib("1.00")), False, False),
    ],
    ids=["blocks", "an error", "tokens", "a refusal", "half of one", "of nothing", "its other half"],
)
def test_generations_apart(printed: Printed, is_v0: bool, refuses: bool) -> None:
    assert (printed.is_v0, printed.refuses) == (is_v0, refuses)


# -- known ------------------------------------------------------------------------------------------

# options, printed: what is known
KNOWN: dict[str, tuple[Known, Printed, dict[str, Any]]] = {
    "nothing": (Known(), Printed(), {}),
    "all of the log": (
        Known(),
        Printed(
            tp=2,
            pp=3,
            dcp=4,
            block_size=32,
            max_num_batched_tokens=4096,
            async_scheduling=True,
            prefix_caching=False,
            max_model_len=8192,
        ),
        {
            "tp": 2,
            "pp": 3,
            "dcp": 4,
            "block_size": 32,
            "max_num_batched_tokens": 4096,
            "async_scheduling": True,
            "prefix_caching": False,
            "max_model_len": 8192,
        },
    ),
    "auto": (Known(), Printed(kv_cache_dtype="auto"), {"kv_dtype": "bfloat16"}),
    "fp8": (Known(), Printed(kv_cache_dtype="fp8_e4m3"), {"kv_dtype": "fp8_e4m3"}),
    "a dtype that nobody knows": (Known(), Printed(kv_cache_dtype="fp8_inc"), {}),
    "swap space": (Known(), Printed(swap_space_gib=Rounded(Fraction("0.5"))), {"swap_space": 1 << 29}),
    "the option wins": (
        Known(tp=8, kv_dtype="fp8", swap_space=GIB, max_model_len=4096),
        Printed(tp=2, kv_cache_dtype="auto", swap_space_gib=Rounded(Fraction(4)), max_model_len=8192),
        {"tp": 8, "kv_dtype": "fp8", "swap_space": GIB, "max_model_len": 4096},
    ),
    "off and nothing are told too": (
        Known(async_scheduling=False, swap_space=0),
        Printed(async_scheduling=True, swap_space_gib=Rounded(Fraction(4))),
        {"async_scheduling": False, "swap_space": 0},
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known(name: str) -> None:
    options, printed, expected = KNOWN[name]
    assert known_of(options, printed) == Known(**expected)


# -- budget -----------------------------------------------------------------------------------------

# cap-10: 8 x 0.7 = 5.6; less 5.2, .03 and 1.42 are -1.05
CAP_10 = Printed(
    gpu_blocks=0,
    total_gib=gib("8.00"),
    utilization=gib("0.70"),
    budget_gib=gib("5.60"),
    weights_gib=gib("5.20"),
    non_torch_gib=gib("0.03"),
    activation_peak_gib=gib("1.42"),
    kv_gib=gib("-1.05"),
)
# 80 GB of the user; 14.25 and 50 are printed
V1 = Printed(weights_gib=gib("14.25"), kv_gib=gib("50.00"))
GPU = 80 * GIB
TENTHS = Fraction(9, 10)


def budget(printed: Printed, gpu: int | None = None, utilization: Fraction | None = None) -> Budget:
    found = budget_of(printed, gpu, utilization)
    assert found is not None
    return found


def test_no_total_no_budget() -> None:
    assert budget_of(V1) is None
    assert budget_of(V1, utilization=TENTHS) is None


def test_a_budget_line_by_line() -> None:
    """Halves of a hundredth add up: .7 of one by the total, and three by the parts."""
    found = budget(CAP_10)
    assert found.share_gib == Rounded(Fraction("5.6"), Fraction("0.0035"))
    assert found.kv_gib == Rounded(Fraction("-1.05"), Fraction("0.0185"))
    assert [(name, part.value) for name, part in found.parts] == [
        ("weights_gib", Fraction("5.2")),
        ("non_torch_gib", Fraction("0.03")),
        ("activation_peak_gib", Fraction("1.42")),
    ]
    assert (found.utilization_is_known, found.holds) == (True, True)
    assert (found.other_gib, found.utilization_at_least) == (None, None)


# changes of the lines: whether the share holds, and the KV
SHARES: dict[str, tuple[dict[str, Any], bool, bool]] = {
    "as printed": ({}, True, True),
    "no share": ({"budget_gib": None}, True, True),
    # 5.6 + .0035 < 5.61 - .005: a hundredth is too much, and half of one is not
    "a share of 5.61": ({"budget_gib": gib("5.61")}, False, True),
    "a share of 5.59": ({"budget_gib": gib("5.59")}, False, True),
    # -1.05 + .0185 and -1.03 - .005 overlap, -1.02 does not
    "KV of -1.03": ({"kv_gib": gib("-1.03")}, True, True),
    "KV of -1.02": ({"kv_gib": gib("-1.02")}, True, False),
    "KV of -1.07": ({"kv_gib": gib("-1.07")}, True, True),
    "KV of -1.08": ({"kv_gib": gib("-1.08")}, True, False),
    "no KV": ({"kv_gib": None}, True, True),
}


@pytest.mark.parametrize("name", SHARES)
def test_lines_that_go_together(name: str) -> None:
    changes, share_holds, kv_holds = SHARES[name]
    found = budget(CAP_10.replace(**changes))
    assert (found.share_holds, found.kv_holds, found.holds) == (
        share_holds,
        kv_holds,
        share_holds and kv_holds,
    )


def test_ends_that_touch_overlap() -> None:
    """A share of 5.6 by a utilization of the user; 5.605 less half a hundredth is 5.6 and no less."""
    exact = CAP_10.replace(total_gib=None, budget_gib=gib("5.605"))
    assert budget(exact, 8 * GIB, Fraction(7, 10)).share_holds
    assert not budget(exact.replace(budget_gib=gib("5.606")), 8 * GIB, Fraction(7, 10)).share_holds
    assert budget(exact.replace(budget_gib=gib("5.595")), 8 * GIB, Fraction(7, 10)).share_holds


def test_the_peak_has_the_weights_in_it() -> None:
    """cap-13: 23.58 x 0.9 = 21.222, less 17.98 and .35 are 2.892."""
    printed = printed_of(read_startup_log(str(log_path("cap-13")), "LOG"))
    found = budget(printed)
    assert [name for name, _ in found.parts] == ["peak_torch_gib", "non_torch_gib"]
    assert found.kv_gib is not None
    assert found.kv_gib.value == Fraction("2.892")
    assert found.holds


def test_one_part_is_no_budget() -> None:
    """Weights alone leave nothing that is KV."""
    printed = CAP_10.replace(non_torch_gib=None, activation_peak_gib=None)
    assert budget(printed).kv_gib is None
    assert budget(printed).kv_holds
    assert budget(printed.replace(non_torch_gib=gib("0.03"))).kv_gib is not None


def test_the_users_gpu_and_share_win() -> None:
    found = budget(CAP_10, 16 * GIB, Fraction(1, 2))
    assert (found.total_gib, found.utilization) == (Rounded(Fraction(16)), Rounded(Fraction(1, 2)))
    assert found.share_gib == Rounded(Fraction(8))


# what is told of the GPU's share, weights, KV: what else there is, and the share that there is at least
OTHERS: dict[str, tuple[Fraction | None, str, str, str, Fraction | None]] = {
    # 72 - 14.25 - 50
    "told": (TENTHS, "14.25", "50.00", "7.75", None),
    "usual": (None, "14.25", "50.00", "7.75", None),
    # a fourth of 80 and half a hundredth of either may be other: 72 - 14.25 - 37.74 = 20.01
    "the most": (None, "14.25", "37.74", "20.01", None),
    "more than that": (None, "14.25", "37.73", "20.02", Fraction("51.98") / 80),
    "more, but told": (TENTHS, "14.25", "5.01", "52.74", None),
    # half a hundredth of either: -.01 may be 0
    "none": (TENTHS, "14.25", "57.76", "-0.01", None),
    "less than none": (TENTHS, "14.25", "57.77", "-0.02", Fraction("72.02") / 80),
    "less than none, not told": (None, "14.25", "57.77", "-0.02", Fraction("72.02") / 80),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_else_a_v1_profile_found(name: str) -> None:
    utilization, weights, memory, other, at_least = OTHERS[name]
    found = budget(Printed(weights_gib=gib(weights), kv_gib=gib(memory)), GPU, utilization)
    assert found.utilization_is_known == (utilization is not None)
    assert found.other_gib == Rounded(Fraction(other), Fraction("0.01"))
    assert found.utilization_at_least == at_least
    assert found.kv_gib is None
    assert found.holds


@pytest.mark.parametrize("missing", ["weights_gib", "kv_gib"])
def test_no_other_without_both_lines(missing: str) -> None:
    found = budget(V1.replace(**{missing: None}), GPU, TENTHS)
    assert (found.other_gib, found.utilization_at_least) == (None, None)


def test_a_v0_log_has_no_other() -> None:
    """Its lines say what else there is."""
    assert budget(CAP_10, GPU).other_gib is None
