"""A refusal against a config and alone: needed and available memory, and the length that is said to fit.

Worked by hand. Of llama-3.1-8b a block of 16 tokens has 2 MiB, so 131072 tokens need 16 GiB. 0.71 GiB stand
for .705 to .715, 360.96 to 366.08 blocks: 5760 to 5856 tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from labs.model.stack import ModelStack
from labs.sizing.log.known import Known
from labs.sizing.log.outcome import EXPLAINED, IDENTITY, WITHIN
from labs.sizing.log.printed import Printed
from labs.sizing.log.reconcile import reconcile
from tests.sizing.start_ups import (
    NO_FIGURES,
    Pairs,
    alternating,
    cases,
    figures,
    padded,
    pairs,
    real,
    refusal,
)

MODELS = {"alternating": alternating, "padded": padded}
LLAMA = "llama-3.1-8b"
GENERATION = "V1, refusing"
ONE = Known(tp=1, kv_dtype="bfloat16", max_model_len=131072)
ASKED = Known(max_model_len=131072)
AT_8192 = ONE.replace(max_model_len=8192)
AT_32768 = ONE.replace(max_model_len=32768)


def model(name: str) -> ModelStack:
    return MODELS[name]() if name in MODELS else real(name)


class Row(NamedTuple):
    """A model's refusal, what is known, and what comes of it; `figures` are some of them."""

    model: str
    printed: Printed
    known: Known
    ends: tuple[int, int]
    assumed: Pairs = ()
    figures: Mapping[str, Any] = NO_FIGURES
    alternatives: Sequence[Pairs] = ()


ROWS = {
    "blocks of 16": Row(
        LLAMA,
        refusal("16.00", "0.71", 5776),
        ONE,
        (5760, 5856),
        figures={
            "needed_gib": 16,
            "bytes_per_token_per_gpu": 131072,
            # 90.2 to 91.5 blocks of 128, 22.6 to 22.9 of 256, 11.3 to 11.4 of 512
            "estimates_by_block": (
                (16, (5760, 5856)),
                (128, (5760, 5760)),
                (256, (5632, 5632)),
                (512, (5632, 5632)),
            ),
        },
    ),
    "the least": Row(LLAMA, refusal("16.00", "0.71", 5760), ASKED, (5760, 5856)),
    "the most": Row(LLAMA, refusal("16.00", "0.71", 5856), ASKED, (5760, 5856)),
    "no estimate": Row(LLAMA, refusal("16.00", "0.71"), ASKED, (5760, 5856)),
    "nothing available": Row(LLAMA, refusal("16.00", "0.00", 0), ASKED, (0, 32)),
    # less than a block of 16: of blocks of 256 there are 22
    "blocks of 256": Row(
        LLAMA,
        refusal("16.00", "0.71", 5632),
        ASKED,
        (5632, 5632),
        [("block_size", 256)],
        alternatives=[[("block_size", 512)]],
    ),
    # 1 MiB a block: .355 to .365 GiB are 363.5 to 373.8 of them
    "two ranks": Row(
        LLAMA,
        refusal("8.00", "0.36", 5968),
        ASKED,
        (5808, 5968),
        [("tp", 2)],
        alternatives=[[("kv_dtype", "fp8")]],
    ),
    "two ranks that are told": Row(LLAMA, refusal("8.00", "0.36", 5968), ASKED.replace(tp=2), (5808, 5968)),
    "a byte an element": Row(
        LLAMA, refusal("8.00", "0.36", 5968), ASKED.replace(tp=1), (5808, 5968), [("kv_dtype", "fp8")]
    ),
    # 16 of 32 layers
    "two stages": Row(LLAMA, refusal("8.00", "0.36", 5968), ONE.replace(pp=2), (5808, 5968)),
    # 61 x 1152 B x 64 = 4497408 B; 16384 tokens of 131072 are 256 of them, 1.072 GiB; .495 to .505 are 118.2
    # to 120.6: 118 x 64 x 8 tokens and 120 x 64 x 8
    "a latent in 8 parts": Row(
        "kimi-k2",
        refusal("1.07", "0.50", 60416),
        ASKED.replace(tp=8, block_size=64),
        (60416, 61440),
        [("dcp", 8)],
    ),
    # 512 + 193 blocks of 2 MiB, 1.377 GiB; .995 to 1.005 are 509.4 to 514.6: less 193, 316 and 321 of 16
    "windows": Row(
        "alternating",
        refusal("1.38", "1.00", 5120),
        AT_8192,
        (5056, 5136),
        [("hybrid_groups", 2), ("max_num_batched_tokens", 2048)],
        {"needed_gib": Fraction(705, 512), "bytes_per_token_per_gpu": 131072},
    ),
    "windows, batched tokens told": Row(
        "alternating",
        refusal("1.38", "1.00", 5120),
        AT_8192.replace(max_num_batched_tokens=2048),
        (5056, 5136),
        [("hybrid_groups", 2)],
    ),
    # 512 + 513 blocks are 2.002 GiB; below 8193 tokens ceil(length / 16) in either group, and one more
    "windows that do not forget in time": Row(
        "alternating",
        refusal("2.00", "1.00", 4064),
        AT_8192.replace(max_num_batched_tokens=8192, async_scheduling=False),
        (4064, 4096),
        [("hybrid_groups", 2)],
        alternatives=[[("windows_in_full", True)]],
    ),
    # one group of 64 layers, 4 MiB a block: 512 of them; .995 to 1.005 GiB are 254.7 to 257.3
    "windows that count in full": Row(
        "alternating",
        refusal("2.00", "1.00", 4080),
        AT_8192.replace(max_num_batched_tokens=2048, async_scheduling=False),
        (4064, 4112),
        [("windows_in_full", True)],
    ),
    # beyond what windows of any batch leave; batches do not matter then, and are told once
    "windows that count in full, whatever the batch": Row(
        "alternating",
        refusal("2.00", "1.00", 4112),
        AT_8192.replace(async_scheduling=False),
        (4064, 4112),
        [("windows_in_full", True)],
    ),
    # 42 blocks of 784 tokens x 65536 B = 49 MiB, and 2 of each of 3 groups of states: 48, 2.297 GiB;
    # .995 to 1.005 are 20.8 to 21.002: less 6, 14 and 15 of 784
    "states": Row(
        "qwen3.5-27b",
        refusal("2.30", "1.00", 11760),
        AT_32768,
        (10976, 11760),
        [("block_size", 784), ("hybrid_groups", 4), ("state_blocks_per_group", 2)],
    ),
    # one of each: 45 are 2.153 GiB; less 3, 17 and 18
    "states alone": Row(
        "qwen3.5-27b",
        refusal("2.15", "1.00", 14112),
        AT_32768,
        (13328, 14112),
        [("block_size", 784), ("hybrid_groups", 4), ("state_blocks_per_group", 1)],
    ),
    # 2048 + 6 x 193 = 3206 blocks of 327680 B, .978 GiB; .495 to .505 are 1622.0 to 1654.8 of them: less 1158
    "padding paid for": Row(
        "padded",
        refusal("0.98", "0.50", 7424),
        AT_32768,
        (7424, 7936),
        [("hybrid_groups", 7), ("max_num_batched_tokens", 2048)],
        {"needed_gib": Fraction(3206 * 327680, 1 << 30)},
    ),
    # (2048 + 5 x 193) x 327680 B and 193 of 4 pages of 65536 B: .967 GiB; .495 to .505 less 366804992 B leave
    # 502.6 to 535.4 blocks
    "added up by layer": Row(
        "padded",
        refusal("0.97", "0.50", 8560),
        AT_32768,
        (8032, 8560),
        [("hybrid_groups", 7), ("max_num_batched_tokens", 2048), ("added_up_by_layer", True)],
        {"needed_gib": Fraction(3013 * 327680 + 193 * 262144, 1 << 30)},
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_refusal(name: str) -> None:
    row = ROWS[name]
    outcome = reconcile(row.printed, model(row.model), row.known)
    found = figures(outcome)
    assert (outcome.verdict, outcome.generation, outcome.explained) == (WITHIN, GENERATION, True)
    assert found["estimated_range"] == row.ends
    assert pairs(outcome.assumptions) == list(row.assumed)
    assert [pairs(other) for other in outcome.alternatives] == list(row.alternatives)
    assert {key: found[key] for key in row.figures} == dict(row.figures)
    names = ["needed_gib"] + ["estimated_max_model_len"] * (row.printed.estimated_max_model_len is not None)
    assert [check.name for check in outcome.checks] == names
    assert all(check.holds and check.of_config for check in outcome.checks)


# lines, what is known, what is shown all the same, and which checks hold
UNEXPLAINED: dict[str, tuple[Printed, Known, dict[str, Any], list[bool]]] = {
    "an estimate below": (
        refusal("16.00", "0.71", 5759),
        ONE.replace(block_size=16),
        {"needed_gib": 16, "estimated_range": (5760, 5856)},
        [True, False],
    ),
    "an estimate above": (
        refusal("16.00", "0.71", 5857),
        ONE,
        {"needed_gib": 16, "estimated_range": (5760, 5856)},
        [True, False],
    ),
    "another need": (refusal("16.02", "0.71", 5776), ONE, {}, []),
    "ranks that do not divide": (refusal("16.00", "0.71", 5776), ONE.replace(tp=3), {}, []),
    "more stages than layers": (refusal("16.00", "0.71", 5776), ONE.replace(pp=33), {}, []),
}


@pytest.mark.parametrize("name", UNEXPLAINED)
def test_a_refusal_that_nothing_explains(name: str) -> None:
    printed, known, shown, holding = UNEXPLAINED[name]
    outcome = reconcile(printed, real(LLAMA), known)
    assert (outcome.verdict, outcome.explained, outcome.holds) == (IDENTITY, False, False)
    assert outcome.assumptions == ()
    found = figures(outcome)
    assert {key: found[key] for key in shown} == shown
    assert bool(found) == bool(shown)
    assert [check.holds for check in outcome.checks] == holding


def test_a_need_that_two_ranks_have() -> None:
    """8.00 GiB are those of two ranks, and the estimate is no such thing: then neither are the ranks."""
    outcome = reconcile(refusal("8.00", "0.36", 9999), real(LLAMA), ASKED)
    assert (outcome.explained, outcome.assumptions) == (False, ())
    assert figures(outcome)["needed_gib"] == 8


def test_estimates_by_block() -> None:
    """Of plain models alone: other blocks of a window are no multiples."""
    for stack, shown in ((real(LLAMA), True), (alternating(), False)):
        printed = refusal("16.00", "0.71") if shown else refusal("1.38", "1.00")
        found = figures(reconcile(printed, stack, ONE if shown else AT_8192))
        assert ("estimates_by_block" in found) == shown


def test_neither_way_of_adding_up() -> None:
    """.978 GiB with padding, .967 without."""
    outcome = reconcile(refusal("0.99", "0.50", 7424), padded(), AT_32768)
    assert not outcome.explained


# -- without a config -------------------------------------------------------------------------------


class Alone(NamedTuple):
    """A refusal's own numbers: the verdict, what is assumed, and every figure."""

    printed: Printed
    length: int | None
    verdict: str
    assumed: Pairs
    figures: dict[str, Any]
    ends: tuple[int, int] | None = None
    explained: bool = True


ALONE = {
    "no length": Alone(refusal("16.00", "0.71", 5776), None, IDENTITY, [], {}),
    # 16 GiB / 131072
    "no estimate": Alone(
        refusal("16.00", "0.71"), 131072, IDENTITY, [], {"needed_gib": 16, "bytes_per_token": 131072}
    ),
    # .705 to .715 GiB are 5775.4 to 5857.3 tokens
    "in proportion": Alone(
        refusal("16.00", "0.71", 5776),
        131072,
        WITHIN,
        [],
        {"bytes_per_token": 131072, "estimated_range": (5760, 5856)},
        (5760, 5856),
    ),
    "in proportion, blocks of 256": Alone(
        refusal("16.00", "0.71", 5632),
        131072,
        WITHIN,
        [("block_size", 256)],
        {"bytes_per_token": 131072, "estimated_range": (5632, 5632)},
        (5632, 5632),
    ),
    # 2 GiB for the 16384 tokens between are 131072 B each: 6 GiB for 49152, and 1 beside
    "a fixed part": Alone(
        refusal("9.00", "7.00", 49152),
        65536,
        EXPLAINED,
        [("fixed_gib", Fraction(1))],
        {
            "naive_bytes_per_token": (147456, 152917),
            "slope": 131072,
            "fixed_gib": 1,
        },
    ),
    # a longer request cannot need less, and what is fixed is no less than nothing
    "less for more": Alone(refusal("1.56", "4.76", 40000), 65536, IDENTITY, [], {}, explained=False),
    "as long as was asked for": Alone(
        refusal("9.00", "7.00", 65536), 65536, IDENTITY, [], {}, explained=False
    ),
}


@pytest.mark.parametrize("name", ALONE)
def test_a_refusal_alone(name: str) -> None:
    row = ALONE[name]
    outcome = reconcile(row.printed, None, Known(max_model_len=row.length))
    assert (outcome.verdict, outcome.generation) == (row.verdict, GENERATION)
    assert (outcome.explained, outcome.holds) == (row.explained, row.explained)
    assert pairs(outcome.assumptions) == list(row.assumed)
    assert figures(outcome) == row.figures
    assert [(check.low, check.high) for check in outcome.checks] == ([row.ends] if row.ends else [])


@pytest.mark.parametrize("name", ["cap-33", "cap-61"])
def test_a_handed_refusal_alone(name: str) -> None:
    """Printed figures and expected ones of tests/cases/capacity.json."""
    case = cases()[name]
    told, expected = case["printed"], case["expected"]
    needed, available = (f"{told[key]:.2f}" for key in ("needed_gib", "available_gib"))
    printed = refusal(needed, available, told["estimated_max_len"])
    outcome = reconcile(printed, None, Known(max_model_len=case["settings"]["max_model_len"]))
    found = figures(outcome)
    assert outcome.verdict == case["verdict"]
    if name == "cap-33":
        assert found == {**expected, "estimated_range": tuple(expected["estimated_range"])}
    else:
        assert (found["slope"], round(float(found["fixed_gib"]), 2)) == (
            expected["slope"],
            expected["fixed_gib"],
        )
