"""V0 logs against a config: CPU blocks by the swap space, GPU blocks by the memory, and what they tell.

Worked by hand. Of llama-3.1-8b a block of 16 tokens has 2 MiB, so 4 GiB of swap are 2048 CPU blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from labs.sizing.log.budget import Budget
from labs.sizing.log.known import Known
from labs.sizing.log.outcome import EXACT, IDENTITY, WITHIN
from labs.sizing.log.printed import GIB, Printed
from labs.sizing.log.reconcile import reconcile
from tests.sizing.start_ups import NO_FIGURES, Pairs, check_named, figures, gib, pairs, real

LLAMA, OPT, GPT2 = "llama-3.1-8b", "opt-125m", "gpt2"
OLDEST, LATER = "0.2 to 0.5 (V0)", "0.6, 0.7 (V0)"


def lines(gpu: int | None, cpu: int | None, memory: str | None = None, **more: Any) -> Printed:
    return Printed(gpu_blocks=gpu, cpu_blocks=cpu, kv_gib=gib(memory) if memory else None, **more)


class Row(NamedTuple):
    """A log's lines of a model, what is known, and what comes of it; `figures` are some of them."""

    model: str
    printed: Printed
    known: Known
    verdict: str
    assumed: Pairs = ()
    alternatives: Sequence[Pairs] = ()
    figures: Mapping[str, Any] = NO_FIGURES
    explained: bool = True


ROWS = {
    "CPU blocks": Row(
        LLAMA,
        lines(5120, 2048),
        Known(max_model_len=8192),
        EXACT,
        figures={
            "tokens": 81920,
            "concurrency": 10,
            "fits": True,
            "block_bytes": 2097152,
            "cpu_blocks": 2048,
            "gpu_kv_gib": 10,
            "kv_gib_all_gpus": 10,
            "kv_gib": 10,
        },
    ),
    "just one request": Row(
        LLAMA, lines(512, 2048), Known(max_model_len=8192), EXACT, figures={"fits": True}
    ),
    "not one request": Row(
        LLAMA, lines(511, 2048), Known(max_model_len=8192), EXACT, figures={"tokens": 8176, "fits": False}
    ),
    # 4 GiB are 4096 blocks of 1 MiB: two ranks with 4 of 8 heads, or a byte an element, which is dearer
    "two ranks or a byte": Row(
        LLAMA,
        lines(5120, 4096),
        Known(),
        EXACT,
        [("tp", 2)],
        [[("kv_dtype", "fp8")]],
        {"block_bytes": 1048576, "gpu_kv_gib": 5, "kv_gib_all_gpus": 10, "tokens": 81920},
    ),
    "two ranks that are told": Row(LLAMA, lines(5120, 4096), Known(tp=2), EXACT),
    "one rank that is told": Row(LLAMA, lines(5120, 4096), Known(tp=1), EXACT, [("kv_dtype", "fp8")]),
    "a dtype that is told": Row(LLAMA, lines(5120, 4096), Known(kv_dtype="bf16"), EXACT, [("tp", 2)]),
    # a head each on 8 ranks, and on 16: 256 KiB
    "eight ranks": Row(LLAMA, lines(5120, 16384), Known(kv_dtype="bf16"), EXACT, [("tp", 8)], [[("tp", 16)]]),
    "four ranks": Row(LLAMA, lines(5120, 8192), Known(), EXACT, [("tp", 4)]),
    # 12 query heads are no 8: 2 x 12 x 12 x 64 x 2 B x 16 / 4 = 147456 B, 29127.1 of them
    "ranks that do not divide are left out": Row(
        GPT2, lines(5120, 29127), Known(), EXACT, [("tp", 4)], figures={"block_bytes": 147456}
    ),
    # 4 MiB
    "blocks of 32": Row(
        LLAMA, lines(2560, 1024), Known(), EXACT, [("block_size", 32)], figures={"block_bytes": 4194304}
    ),
    "blocks of 32 that are told": Row(
        LLAMA, lines(2560, 1024), Known(block_size=32), EXACT, figures={"tokens": 81920}
    ),
    "a swap space that is told": Row(
        LLAMA, lines(5120, 4096), Known(swap_space=8 * GIB), EXACT, figures={"cpu_blocks": 4096}
    ),
    "no swap space": Row(LLAMA, lines(5120, 0), Known(swap_space=0), EXACT, figures={"cpu_blocks": 0}),
    # 9.995 to 10.005 GiB are 5117.4 to 5122.6 blocks
    "GPU blocks": Row(
        LLAMA,
        lines(5122, None, "10.00"),
        Known(),
        WITHIN,
        figures={"tokens_from_printed_gib": (5117 * 16, 5122 * 16)},
    ),
    "the fewest GPU blocks": Row(LLAMA, lines(5117, 2048, "10.00"), Known(), WITHIN),
    # 1024 x 2 MiB
    "another swap space": Row(LLAMA, lines(5120, 1024, "10.00"), Known(), WITHIN, [("swap_space_gib", 2)]),
    # 5.00 GiB are of two ranks; 1024 x 1 MiB
    "two ranks and another swap space": Row(
        LLAMA, lines(5120, 1024, "5.00"), Known(), WITHIN, [("tp", 2), ("swap_space_gib", 1)]
    ),
    # 8 MiB would be blocks of 64, which these engines have not by themselves
    "no blocks of 64": Row(LLAMA, lines(1280, 512), Known(), IDENTITY, explained=False),
    # 1000 x 2 MiB = 1.95 GiB, which nobody asks for: 2 would be 1024
    "a swap space that is none": Row(LLAMA, lines(5120, 1000, "10.00"), Known(), IDENTITY, explained=False),
    # 6 MiB a block: 1 GiB are 170 and a rest, 10 GiB 1706 and a rest
    "another swap space with a rest": Row(
        "phi-3-mini-4k", lines(1706, 170, "10.00"), Known(), WITHIN, [("swap_space_gib", 1)]
    ),
    "no swap space that is not told": Row(LLAMA, lines(5120, 0, "10.00"), Known(), IDENTITY, explained=False),
    # CPU blocks of 1 MiB and GPU blocks of 2: the GPU decides
    "GPU blocks decide": Row(
        LLAMA, lines(5120, 4096, "10.00"), Known(), WITHIN, [("swap_space_gib", Fraction(8))]
    ),
    # a block of 1 MiB makes both come out
    "both of two ranks": Row(
        LLAMA, lines(5120, 4096, "5.00"), Known(), WITHIN, [("tp", 2)], [[("kv_dtype", "fp8")]]
    ),
    "a negative budget": Row(LLAMA, lines(0, 2048, "-1.05"), Known(), EXACT, figures={"tokens": 0}),
    # no blocks come out of any, CPU blocks of 1 MiB alone
    "a negative budget of two ranks": Row(
        LLAMA, lines(0, 4096, "-1.05"), Known(), EXACT, [("tp", 2)], [[("kv_dtype", "fp8")]]
    ),
    # 126 x 2 x 8 x 128 x 2 B x 64 = 33030144 B: 325.24 to 325.57
    "one number of GPU blocks": Row("llama-3.1-405b", lines(325, None, "10.01"), Known(block_size=64), EXACT),
    "GPU blocks beyond the memory": Row(
        LLAMA, lines(5123, 2048, "10.00"), Known(tp=1, kv_dtype="bf16"), IDENTITY, explained=False
    ),
    "GPU blocks short of the memory": Row(
        LLAMA,
        lines(5116, 2048, "10.00"),
        Known(tp=1, kv_dtype="bf16", block_size=16),
        IDENTITY,
        explained=False,
    ),
    "GPU blocks below zero": Row(LLAMA, lines(1, 2048, "-1.05"), Known(), IDENTITY, explained=False),
    # 3 GiB, but the GPU blocks tell nothing
    "CPU blocks of another swap space alone": Row(
        LLAMA, lines(5120, 1536), Known(), IDENTITY, figures={"cpu_blocks": 2048}, explained=False
    ),
    "CPU blocks of another swap space than is told": Row(
        LLAMA,
        lines(5120, 2048),
        Known(swap_space=8 * GIB, tp=1, kv_dtype="bf16", block_size=16),
        IDENTITY,
        explained=False,
    ),
    "ranks that cannot share the heads": Row(
        LLAMA, lines(5120, 2048), Known(tp=3), IDENTITY, explained=False
    ),
    # up to 0.2 the line stands elsewhere, and its swap space is not the default
    "an early line": Row(LLAMA, lines(5120, 2048, early=True), Known(), IDENTITY),
    "an early line, swap space told": Row(
        LLAMA, lines(5120, 2048, early=True), Known(swap_space=4 * GIB), EXACT
    ),
    "no CPU blocks": Row(LLAMA, lines(5120, None), Known(), IDENTITY, figures={"gpu_kv_gib": 10}),
    # 8192 tokens in the text of the error alone
    "an error alone": Row(
        LLAMA,
        Printed(error_kv_tokens=3664),
        Known(max_model_len=4096),
        IDENTITY,
        figures={"tokens": 3664, "concurrency": Fraction(3664, 4096), "fits": False},
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_blocks_against_a_config(name: str) -> None:
    row = ROWS[name]
    outcome = reconcile(row.printed, real(row.model), row.known)
    found = figures(outcome)
    assert (outcome.verdict, outcome.generation) == (row.verdict, OLDEST)
    assert (outcome.explained, outcome.holds) == (row.explained, row.explained)
    assert pairs(outcome.assumptions) == list(row.assumed)
    assert [pairs(other) for other in outcome.alternatives] == list(row.alternatives)
    assert {key: found.get(key) for key in row.figures} == dict(row.figures)


LATER_LINES = {
    "a word": lines(5120, 2048, blocks_device="cuda"),
    "a total": lines(5120, 2048, total_gib=gib("23.58")),
    "a concurrency": lines(5120, 2048, concurrency=gib("10.00")),
}


@pytest.mark.parametrize("name", LATER_LINES)
def test_what_later_engines_print(name: str) -> None:
    assert reconcile(LATER_LINES[name], None, Known()).generation == LATER


def test_what_the_oldest_print() -> None:
    assert reconcile(lines(5120, 2048, blocks_device="GPU"), None, Known()).generation == OLDEST


# -- the print against itself -----------------------------------------------------------------------

# lines, block size and length: the name of the check and whether it holds
OWN: dict[str, tuple[Printed, int | None, int | None, list[tuple[str, bool]]]] = {
    "concurrency": (lines(5120, None, concurrency=gib("10.00")), None, 8192, [("concurrency", True)]),
    # 5123 x 16 / 8192 = 10.0059
    "concurrency, rounded": (
        lines(5123, None, concurrency=gib("10.01")),
        None,
        8192,
        [("concurrency", True)],
    ),
    "concurrency, not so": (
        lines(5123, None, concurrency=gib("10.00")),
        None,
        8192,
        [("concurrency", False)],
    ),
    "concurrency, blocks of 32": (
        lines(2560, None, concurrency=gib("10.00")),
        32,
        8192,
        [("concurrency", True)],
    ),
    "concurrency, no length": (lines(5120, None, concurrency=gib("10.00")), None, None, []),
    "an error's tokens": (lines(229, None, error_kv_tokens=3664), None, None, [("error_kv_tokens", True)]),
    "another error's": (lines(230, None, error_kv_tokens=3664), None, None, [("error_kv_tokens", False)]),
    "an error's, blocks of 32": (
        lines(229, None, error_kv_tokens=7328),
        32,
        None,
        [("error_kv_tokens", True)],
    ),
    "an error alone": (Printed(error_kv_tokens=3664), None, None, []),
}


@pytest.mark.parametrize("name", OWN)
def test_blocks_against_the_other_lines(name: str) -> None:
    printed, size, length, expected = OWN[name]
    outcome = reconcile(printed, None, Known(block_size=size, max_model_len=length))
    assert [(check.name, check.holds) for check in outcome.checks] == expected
    assert outcome.holds == all(holds for _, holds in expected)
    assert (outcome.verdict, outcome.explained) == (IDENTITY, True)


def test_a_line_that_contradicts_the_blocks_fails_with_a_config_too() -> None:
    outcome = reconcile(lines(230, 2048, error_kv_tokens=3664), real(LLAMA), Known())
    assert (outcome.verdict, outcome.explained, outcome.holds) == (IDENTITY, False, False)
    assert [check.name for check in outcome.checks] == ["error_kv_tokens", "cpu_blocks"]


# swap space of the log or the user, CPU blocks: whether they decide
DECIDING = {
    "2 GiB, as may be": (None, 1024, False),
    "1.95 GiB, which nobody asks for": (None, 1000, True),
    "2 GiB for 4 that are told": (4 * GIB, 1024, True),
}


@pytest.mark.parametrize("name", DECIDING)
def test_what_the_checks_of_a_config_are(name: str) -> None:
    """CPU blocks fail no log where the swap space may be another."""
    swap_space, blocks, decides = DECIDING[name]
    outcome = reconcile(lines(5120, blocks, "10.00"), real(LLAMA), Known(swap_space=swap_space, tp=1))
    cpu, gpu = (check_named(outcome, name) for name in ("cpu_blocks", "gpu_blocks"))
    assert (cpu.printed, cpu.low, cpu.high, cpu.holds, cpu.decides) == (blocks, 2048, 2048, False, decides)
    assert (gpu.printed, gpu.low, gpu.high, gpu.holds, gpu.decides) == (5120, 5117, 5122, True, True)
    assert cpu.of_config
    assert gpu.of_config
    assert (cpu.is_exact, gpu.is_exact) == (True, False)
    assert outcome.holds == (not decides)


def test_what_the_budget_leaves() -> None:
    """8 GiB x 0.7 = 5.6; the rest by the budget's lines, and not by the blocks."""
    printed = lines(0, 2048, total_gib=gib("8.00"), utilization=gib("0.70"))
    budget = Budget(gib("8.00"), gib("0.70"), True, gib("5.60"), (), kv_gib=gib("-1.05"))
    alone = figures(reconcile(printed, None, Known(), budget))
    assert alone == {"budget_gib": Fraction("5.6"), "kv_gib": Fraction("-1.05"), "tokens": 0}
    with_config = reconcile(printed, real(LLAMA), Known(), budget)
    assert figures(with_config)["kv_gib"] == Fraction("-1.05")
    assert "budget_gib" not in figures(reconcile(printed.replace(utilization=None), None, Known()))
