"""V1 token lines against a config: which deployment makes them come out, and what is told of it.

Worked by hand. Of llama-3.1-8b a block of 16 tokens is 32 x 2 x 8 x 128 x 2 B x 16 = 2 MiB: 512 blocks, 8192
tokens a GiB. 10.00 GiB stand for 9.995 to 10.005: 5117.44 to 5122.56 blocks. `alternating` has the same block
over two groups, so 5120 blocks are its 10 GiB too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from labs.model.stack import ModelStack
from labs.sizing.log.known import Known
from labs.sizing.log.outcome import EXACT, EXPLAINED, IDENTITY, WITHIN
from labs.sizing.log.printed import Printed
from labs.sizing.log.reconcile import reconcile
from tests.sizing.start_ups import NO_FIGURES, Pairs, alternating, check_named, figures, gib, pairs, real, v1

LLAMA, QWEN, LARGE = "llama-3.1-8b", "qwen2.5-7b", "llama-3.1-405b"
KIMI, WIDE_HEADS, HYBRID = "kimi-k2", "qwen3-32b", "alternating"
OLD, NEW, ANY = "0.8 to 0.23 (V1)", "0.24 on (V1)", "0.8 on (V1)"
GROUPS = ("hybrid_groups", 2)
BATCHED = ("max_num_batched_tokens", 2048)
IS_OLD, IS_NEW = ("token_definition", "older"), ("token_definition", "newer")
ONE = Known(tp=1, kv_dtype="bfloat16")


def model(name: str) -> ModelStack:
    return alternating() if name == HYBRID else real(name)


class Row(NamedTuple):
    """A log's lines of a model, what is known, and what comes of it; `figures` are some of them."""

    model: str
    printed: Printed
    known: Known
    verdict: str
    generation: str
    assumed: Pairs = ()
    alternatives: Sequence[Pairs] = ()
    figures: Mapping[str, Any] = NO_FIGURES


def at(length: int, **more: Any) -> Known:
    return Known(max_model_len=length, **more)


def one_at(length: int, **more: Any) -> Known:
    return ONE.replace(max_model_len=length, **more)


PLAIN = {
    # 81920 tokens are 5120 blocks, 512 a request of 8192
    "both lines": Row(
        LLAMA,
        v1("10.00", 81920, "10.00"),
        at(8192),
        WITHIN,
        ANY,
        figures={
            "bytes_per_token_per_gpu": 131072,
            "block_bytes": 2097152,
            "tokens_from_printed_gib": (5117 * 16, 5122 * 16),
            "num_blocks": 5120,
            "blocks_per_request": 512,
            "concurrency": 10,
            "tokens_by_concurrency": 81920,
            "kv_gib_if_total_mistaken_for_per_gpu": 10,
        },
    ),
    "no token line": Row(
        LLAMA,
        v1("10.00", None, "10.00"),
        at(8192),
        WITHIN,
        ANY,
        figures={"num_blocks": 5118, "num_blocks_range": (5118, 5122)},
    ),
    "no concurrency line": Row(LLAMA, v1("10.00", 81920), at(8192), WITHIN, ANY),
    "no length": Row(LLAMA, v1("10.00", 81920), Known(), WITHIN, ANY, figures={"num_blocks": 5120}),
    "memory alone": Row(LLAMA, v1("10.00", None), Known(), IDENTITY, ANY, figures={"num_blocks": 5117}),
    "memory alone and a length": Row(
        LLAMA, v1("10.00", None), at(8192), IDENTITY, ANY, figures={"num_blocks": 5117}
    ),
    "tokens alone": Row(LLAMA, v1(None, 81920), Known(), IDENTITY, ANY, figures={"num_blocks": 5120}),
    # 9.995 x 512 = 5117.44 blocks at the least
    "concurrency alone": Row(
        LLAMA, v1(None, None, "10.00"), at(8192), IDENTITY, ANY, figures={"num_blocks": 5118}
    ),
    # 126 x 2 x 8 x 128 x 2 B x 64 = 33030144 B: 10.01 GiB less or more half a hundredth are 325.24 to 325.57
    "one number of blocks": Row(
        LARGE,
        v1("10.01", 325 * 64),
        Known(block_size=64),
        EXACT,
        ANY,
        figures={"num_blocks": 325, "tokens_from_printed_gib": (20800, 20800)},
    ),
    # 66060288 B: .665 to .675 GiB are 10.81 to 10.97 blocks of 128; 21, 43 and 87 of 64, 32 and 16
    "a block of 128": Row(LARGE, v1("0.67", 1280), ONE, EXACT, ANY, [("block_size", 128)]),
    "a negative memory": Row(LLAMA, v1("-1.05", 0), ONE, EXACT, ANY, figures={"num_blocks": 0}),
    # 501 blocks a request of 8001: 5120 x 8001 / 501 = 81766.7
    "one line for both": Row(
        LLAMA, v1("10.00", 81766, "10.22", one_line=True), at(8001), WITHIN, "0.32 (V1)"
    ),
    "tokens that are no whole blocks": Row(
        LLAMA,
        v1("10.00", 81766, "10.22"),
        at(8001),
        WITHIN,
        NEW,
        figures={"num_blocks": 5120, "blocks_per_request": 501, "tokens_by_concurrency": 81766},
    ),
    "a newer version": Row(LLAMA, v1("10.00", 81766, "10.22", version="0.24.0"), at(8001), WITHIN, NEW),
    "a newer version by its letter": Row(
        LLAMA, v1("10.00", 81766, "10.22", version="v1.0.1rc2"), at(8001), WITHIN, NEW
    ),
    "an older version": Row(LLAMA, v1("10.00", 81920, version="0.23.9"), Known(), WITHIN, OLD),
    "a build without tags": Row(
        LLAMA, v1("10.00", 81766, "10.22", version="0.1.dev9000+g0123abc"), at(8001), WITHIN, NEW
    ),
    "a version that is none": Row(LLAMA, v1("10.00", 81920, version="dev"), Known(), WITHIN, ANY),
    # 65536 B a token: two ranks with 4 of 8 heads each, or one byte an element, which is dearer
    "half a token's bytes": Row(
        LLAMA,
        v1("5.00", 81920),
        Known(),
        WITHIN,
        ANY,
        [("tp", 2)],
        [[("kv_dtype", "fp8")]],
        {"bytes_per_token_per_gpu": 65536, "kv_gib_if_total_mistaken_for_per_gpu": 10},
    ),
    "two ranks that are told": Row(LLAMA, v1("5.00", 81920), Known(tp=2, kv_dtype="bf16"), WITHIN, ANY),
    "one rank that is told": Row(LLAMA, v1("5.00", 81920), Known(tp=1), WITHIN, ANY, [("kv_dtype", "fp8")]),
    "a dtype that is told": Row(LLAMA, v1("5.00", 81920), Known(kv_dtype="fp8"), WITHIN, ANY),
    # 4 bytes an element: 16384 MiB for what 2 bytes take 8192 for
    "a dtype of 32 bits that is told": Row(LLAMA, v1("20.00", 81920), Known(kv_dtype="float32"), WITHIN, ANY),
    # 8 ranks have a head each, 16 have it twice
    "eight ranks": Row(
        LLAMA,
        v1("1.25", 81920),
        Known(kv_dtype="bf16"),
        WITHIN,
        ANY,
        [("tp", 8)],
        [[("tp", 16)]],
        {"bytes_per_token_per_gpu": 16384},
    ),
    # four ranks at 2 bytes, or two at one: the same block, though dearer than what is about as likely
    "four ranks": Row(
        LLAMA, v1("2.50", 81920), Known(), WITHIN, ANY, [("tp", 4)], [[("tp", 2), ("kv_dtype", "fp8")]]
    ),
    "four ranks, dtype told": Row(LLAMA, v1("2.50", 81920), Known(kv_dtype="bf16"), WITHIN, ANY, [("tp", 4)]),
    # whatever the memory
    "blocks that are told": Row(
        LLAMA,
        v1("10.00", 8192, num_gpu_blocks_override=512),
        ONE,
        EXACT,
        ANY,
        figures={"num_blocks": 512},
    ),
    "blocks that are told, without memory": Row(
        LLAMA, v1(None, 8192, num_gpu_blocks_override=512), ONE, EXACT, ANY
    ),
    # a stage has 16 of 32 layers
    "two stages": Row(LLAMA, v1("5.00", 81920), Known(pp=2), WITHIN, ANY, figures={"block_bytes": 1048576}),
    # 28 layers in 9, 10 and 9: 10 x 2 x 4 x 128 x 2 B x 16 = 327680 B, 32768 of them in 10 GiB; if the
    # smallest memory is that of 9 layers, of 294912 B: 36427.1 at the most
    "three stages that are not alike": Row(
        QWEN,
        v1("10.00", 524288),
        Known(pp=3),
        WITHIN,
        ANY,
        figures={"block_bytes": 327680, "tokens_from_printed_gib": (32751 * 16, 36427 * 16)},
    ),
    "the memory of a smaller stage": Row(QWEN, v1("10.00", 36427 * 16), Known(pp=3), WITHIN, ANY),
    "ranks that differ": Row(
        LLAMA,
        v1("10.00", 81920).replace(ranks=(gib("10.02"), gib("10.00"))),
        Known(),
        WITHIN,
        ANY,
        [("smallest_rank", Fraction(10))],
    ),
    # 61 x 576 x 2 B = 70272 a token, on every rank; 64 of them a block: 10.00 GiB are 2386.2 to 2388.6;
    # split among 8 ranks they would hold 10 GiB x 8 / 70272 = 1222383.7; as heads of the hidden size,
    # 10 GiB x 8 / (2 x 61 x 7168 x 2 B) = 49113.6
    "a latent on 8 ranks": Row(
        KIMI,
        v1("10.00", 2387 * 64),
        Known(tp=8),
        WITHIN,
        ANY,
        [("block_size", 64)],
        figures={
            "bytes_per_token_per_gpu": 70272,
            "tokens_from_printed_gib": (2386 * 64, 2388 * 64),
            "wrong_if_split_by_tp": 1222383,
            "wrong_if_mha": 49113,
        },
    ),
    # the same blocks hold 8 times the tokens
    "a latent in 8 parts": Row(
        KIMI,
        v1("10.00", 2387 * 64 * 8),
        Known(tp=8),
        WITHIN,
        ANY,
        [("block_size", 64), ("dcp", 8)],
        figures={
            "tokens_from_printed_gib": (2386 * 512, 2388 * 512),
            "tokens_over_8": 2387 * 64,
            "blocks_of_64_per_gpu": 2387,
            "num_blocks": 2387,
        },
    ),
    # two ranks a head, and no more: 8 heads on 16 ranks, each 16384 B a token
    "heads in 2 parts": Row(
        LLAMA,
        v1("1.25", 163840, "20.00"),
        at(8192, tp=16, kv_dtype="bf16"),
        WITHIN,
        ANY,
        [("dcp", 2)],
        figures={"blocks_per_request": 256, "tokens_over_2": 81920, "blocks_of_16_per_gpu": 5120},
    ),
    "parts that are told": Row(LLAMA, v1("1.25", 163840), Known(tp=16, dcp=2, kv_dtype="bf16"), WITHIN, ANY),
    # 5120 / 64 heads = 80 where the file says 128: 64 x 2 x 8 x 80 x 2 B x 16 = 2621440 B, 4096 of them
    "head dim divided": Row(
        WIDE_HEADS,
        v1("10.00", 65536),
        ONE,
        EXPLAINED,
        ANY,
        [("head_dim", 80)],
        figures={"bytes_per_token_per_gpu": 163840, "num_blocks": 4096},
    ),
}
GROUPED = {
    # 512 + 193 blocks a request; 5120 x 8192 / 705 = 59493.7, and a block is 11.6 of them
    "newer": Row(
        HYBRID,
        v1("10.00", 59493, "7.26", one_line=True),
        at(8192),
        EXACT,
        "0.32 (V1)",
        [GROUPS, BATCHED, IS_NEW],
        figures={
            "block_bytes": 2097152,
            "groups": 2,
            "block_size": 16,
            "num_blocks": 5120,
            "kv_gib": 10,
            "blocks_per_request": 705,
            "concurrency": Fraction(5120, 705),
            "tokens_line": 59493,
            "tokens_by_concurrency": 59493,
            "naive_concurrency": Fraction(59493, 8192),
            # 64 layers x 4096 B x 16: 2558.7 to 2561.3 of 4 MiB
            "naive_tokens": (2558 * 16, 2561 * 16),
        },
    ),
    "newer, batched tokens told": Row(
        HYBRID,
        v1("10.00", 59493, "7.26", one_line=True),
        one_at(8192, max_num_batched_tokens=2048),
        EXACT,
        "0.32 (V1)",
        [GROUPS, IS_NEW],
    ),
    # 512 + 513: 5120 x 8192 / 1025 = 40920.0
    "newer, larger batches": Row(
        HYBRID,
        v1("10.00", 40920, "5.00", one_line=True),
        one_at(8192),
        EXACT,
        "0.32 (V1)",
        [GROUPS, ("max_num_batched_tokens", 8192), IS_NEW],
    ),
    # 512 + 321: 5120 x 8192 / 833 = 50351.8: two steps of 2048 under way, or one of 4096
    "newer, two steps under way": Row(
        HYBRID,
        v1("10.00", 50351, "6.15", one_line=True),
        one_at(8192),
        EXACT,
        "0.32 (V1)",
        [GROUPS, BATCHED, ("async_scheduling", True), IS_NEW],
    ),
    "newer, one step that is told": Row(
        HYBRID,
        v1("10.00", 50351, "6.15", one_line=True),
        one_at(8192, async_scheduling=False),
        EXACT,
        "0.32 (V1)",
        [GROUPS, ("max_num_batched_tokens", 4096), IS_NEW],
    ),
    "newer, two steps that are told": Row(
        HYBRID,
        v1("10.00", 50351, "6.15", one_line=True),
        one_at(8192, async_scheduling=True),
        EXACT,
        "0.32 (V1)",
        [GROUPS, BATCHED, IS_NEW],
    ),
    # the same of 2 stages: a block is 1 MiB of 32 layers
    "newer, a step a stage": Row(
        HYBRID,
        v1("5.00", 50351, "6.15", one_line=True),
        one_at(8192, pp=2),
        EXACT,
        "0.32 (V1)",
        [GROUPS, BATCHED, IS_NEW],
        figures={"block_bytes": 1048576},
    ),
    # 4935 = 7 x 705 blocks are 57344 tokens, which whole blocks give too: 9.64 GiB tell
    "newer, in whole blocks": Row(
        HYBRID, v1("9.64", 57344, "7.00"), one_at(8192), EXACT, NEW, [GROUPS, BATCHED, IS_NEW]
    ),
    "newer, without memory": Row(
        HYBRID,
        v1(None, 59493, "7.26"),
        one_at(8192),
        IDENTITY,
        NEW,
        [GROUPS, BATCHED, IS_NEW],
        figures={"num_blocks_inferred": 5120},
    ),
    # half of 5120 blocks of 16: 40960; 5120 or 5121 blocks
    "older": Row(
        HYBRID,
        v1("10.00", 40960, "7.26"),
        one_at(8192),
        EXPLAINED,
        OLD,
        [GROUPS, BATCHED, IS_OLD],
        figures={
            "num_blocks": 5120,
            "num_blocks_range": (5120, 5121),
            "num_blocks_inferred": 5120,
            "blocks_per_request": 705,
            "concurrency": Fraction(5120, 705),
            "tokens_line": 40960,
            "tokens_by_concurrency": 59493,
            "naive_concurrency": 5,
        },
    ),
    "older, without memory": Row(
        HYBRID, v1(None, 40960, "7.26"), one_at(8192), EXPLAINED, OLD, [GROUPS, BATCHED, IS_OLD]
    ),
    "older, tokens and memory": Row(HYBRID, v1("10.00", 40960), ONE, WITHIN, OLD, [GROUPS, BATCHED, IS_OLD]),
    "older, concurrency and memory": Row(
        HYBRID,
        v1("10.00", None, "7.26", version="0.11.0"),
        one_at(8192),
        WITHIN,
        OLD,
        [GROUPS, BATCHED, IS_OLD],
    ),
    "older, tokens alone": Row(HYBRID, v1(None, 40960), ONE, IDENTITY, OLD, [GROUPS, BATCHED, IS_OLD]),
    # one group of 64 layers, 4 MiB a block: 10 blocks a request of 160, 2560 in 10 GiB; two groups with a
    # window's one block more would be 21 of 5120
    "windows in full": Row(
        HYBRID,
        v1("10.00", 40960, "256.00"),
        one_at(160),
        WITHIN,
        ANY,
        [("windows_in_full", True)],
        figures={"block_bytes": 4194304, "num_blocks": 2560, "blocks_per_request": 10},
    ),
}


def check_row(row: Row) -> None:
    outcome = reconcile(row.printed, model(row.model), row.known)
    found = figures(outcome)
    assert outcome.explained
    assert (outcome.verdict, outcome.generation) == (row.verdict, row.generation)
    assert pairs(outcome.assumptions) == list(row.assumed)
    assert [pairs(other) for other in outcome.alternatives] == list(row.alternatives)
    assert {name: found.get(name) for name in row.figures} == dict(row.figures)


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_model(name: str) -> None:
    check_row(PLAIN[name])


@pytest.mark.parametrize("name", GROUPED)
def test_a_model_with_groups(name: str) -> None:
    check_row(GROUPED[name])


# -- nothing comes out ------------------------------------------------------------------------------

TWO_BLOCKS = {"block_bytes": 2097152, "groups": 1, "naive_tokens": (5117 * 16, 5122 * 16)}
# lines of a model, what is known, the figures that stand beside the print, the generation
UNEXPLAINED: dict[str, tuple[str, Printed, Known, dict[str, Any], str]] = {
    # beyond 10.005 GiB, and short of 9.995: 5115 blocks of 16 are no whole ones of 32 either
    "tokens beyond the memory": (LLAMA, v1("10.00", 5123 * 16), ONE, TWO_BLOCKS, ANY),
    "tokens short of the memory": (LLAMA, v1("10.00", 5115 * 16), ONE, TWO_BLOCKS, ANY),
    "concurrency that does not go with the tokens": (
        LLAMA,
        v1("10.00", 81920, "10.02"),
        one_at(8192),
        TWO_BLOCKS,
        ANY,
    ),
    "the older line of a newer version": (
        LLAMA,
        v1("10.00", 81920, version="0.24.0"),
        one_at(8001),
        TWO_BLOCKS,
        NEW,
    ),
    "the newer line of an older version": (
        LLAMA,
        v1("10.00", 81766, "10.22", version="0.23.9"),
        one_at(8001),
        TWO_BLOCKS,
        OLD,
    ),
    "a newer line without a length": (LLAMA, v1("10.00", 81920, one_line=True), ONE, TWO_BLOCKS, "0.32 (V1)"),
    "a concurrency without a length": (
        LLAMA,
        v1(None, None, "10.00"),
        ONE,
        {"block_bytes": 2097152, "groups": 1},
        ANY,
    ),
    # 3 query heads each would be 32 / 3
    "blocks that are told, and others": (
        LLAMA,
        v1("10.00", 81920, num_gpu_blocks_override=512),
        ONE,
        TWO_BLOCKS,
        ANY,
    ),
    "ranks that do not divide": (LLAMA, v1("10.00", 81920), Known(tp=3), {}, ANY),
    "more stages than layers": (LLAMA, v1("10.00", 81920), Known(pp=33), {}, ANY),
    # 8 times the tokens of a rank would be 8 parts
    "one part that is told": (
        KIMI,
        v1("10.00", 2387 * 64 * 8),
        Known(tp=8, dcp=1, kv_dtype="bf16"),
        {"groups": 1},
        ANY,
    ),
    # neither 128 nor 80 elements a head
    "no head dim": (WIDE_HEADS, v1("10.00", 65536 + 1600), ONE, {"block_bytes": 4194304}, ANY),
    # 2 x 16 x 128 x 2 x 2 B a token less than a block of 32: 10.00 GiB of 4 MiB are 2558 to 2561
    "a block that is told": (
        LLAMA,
        v1("10.00", 5117 * 16),
        ONE.replace(block_size=32),
        {"block_bytes": 4194304, "naive_tokens": (2558 * 32, 2561 * 32)},
        ANY,
    ),
}


@pytest.mark.parametrize("name", UNEXPLAINED)
def test_nothing_comes_out(name: str) -> None:
    config, printed, known, shown, generation = UNEXPLAINED[name]
    outcome = reconcile(printed, model(config), known)
    assert (outcome.verdict, outcome.explained, outcome.holds) == (IDENTITY, False, False)
    assert (outcome.generation, outcome.assumptions) == (generation, ())
    found = figures(outcome)
    assert {key: found.get(key) for key in shown} == shown
    assert bool(found) == bool(shown)


# -- without a config -------------------------------------------------------------------------------

# lines and length: the figures, and whether tokens and concurrency go together (None: no check)
ALONE: dict[str, tuple[Printed, int | None, dict[str, Any], bool | None]] = {
    "they go together": (v1(None, 81920, "10.00"), 8192, {"concurrency": 10}, True),
    # 290864 / 32768 = 8.88
    "groups": (v1(None, 290864, "33.04"), 32768, {"naive_concurrency": Fraction(290864, 32768)}, False),
    "tokens and a length": (v1(None, 81920), 8192, {"concurrency": 10}, None),
    "tokens alone": (v1("10.00", 81920), None, {}, None),
    "concurrency alone": (v1(None, None, "10.00"), 8192, {}, None),
    # a newer line is cut to whole tokens: from 10.015 x 8192 = 82042.88 on, 10.02 is printed
    "a token that is cut": (
        v1(None, 82042, "10.02"),
        8192,
        {"naive_concurrency": Fraction(82042, 8192)},
        True,
    ),
    "a token less": (v1(None, 82041, "10.02"), 8192, {"naive_concurrency": Fraction(82041, 8192)}, False),
    # 10.025 x 8192 = 82124.8
    "the last token": (v1(None, 82124, "10.02"), 8192, {"concurrency": Fraction(82124, 8192)}, True),
    "a token more": (v1(None, 82125, "10.02"), 8192, {"naive_concurrency": Fraction(82125, 8192)}, False),
}


@pytest.mark.parametrize("name", ALONE)
def test_without_a_config(name: str) -> None:
    printed, length, shown, together = ALONE[name]
    outcome = reconcile(printed, None, Known(max_model_len=length))
    assert (outcome.verdict, outcome.explained) == (IDENTITY, True)
    assert outcome.generation == (NEW if printed.kv_tokens and printed.kv_tokens % 16 else ANY)
    assert figures(outcome) == shown
    assert [check.holds for check in outcome.checks] == ([] if together is None else [together])
    assert outcome.holds  # groups are no fault


def test_nothing_printed() -> None:
    outcome = reconcile(Printed(), real(LLAMA), Known())
    assert (outcome.verdict, outcome.generation, outcome.figures) == (IDENTITY, "unknown", ())


# -- checks -----------------------------------------------------------------------------------------


def test_the_range_of_the_tokens() -> None:
    outcome = reconcile(v1("10.00", 81920), real(LLAMA), ONE)
    check = check_named(outcome, "kv_tokens")
    assert (check.printed, check.low, check.high) == (81920, 5117 * 16, 5122 * 16)
    assert (check.holds, check.of_config, check.is_exact) == (True, True, False)


def test_the_range_of_the_tokens_with_groups() -> None:
    """Older: half of the blocks, 2558 to 2561 times 16. Newer: times 8192 / 705."""
    older = reconcile(v1("10.00", 40960, "7.26"), alternating(), one_at(8192))
    newer = reconcile(v1("10.00", 59493, "7.26", one_line=True), alternating(), one_at(8192))
    ends = [(check.low, check.high) for check in (check_named(one, "kv_tokens") for one in (older, newer))]
    assert ends == [(2558 * 16, 2561 * 16), (59458, 59516)]


def test_the_range_of_the_concurrency() -> None:
    """Where no tokens are printed."""
    outcome = reconcile(v1("10.00", None, "10.00"), real(LLAMA), one_at(8192))
    check = check_named(outcome, "concurrency")
    assert (check.printed, check.low, check.high) == (10, Fraction(5117, 512), Fraction(5122, 512))
    assert reconcile(v1("10.00", None), real(LLAMA), one_at(8192)).checks == ()


# -- verdicts ---------------------------------------------------------------------------------------


def verdict(printed: Printed, stack: ModelStack, known: Known) -> str:
    outcome = reconcile(printed, stack, known)
    assert outcome.explained
    return outcome.verdict


def test_verdicts_of_one_line() -> None:
    """64 + 25 blocks of 128 a request; 16 MiB a block, .095 to .105 GiB are 6 of them: .067 requests."""
    large = one_at(8192, block_size=128, max_num_batched_tokens=2048)
    assert verdict(v1("0.10", None, "0.07", version="0.11.0"), alternating(), large) == WITHIN
    assert verdict(v1("0.10", None, "0.07", version="0.24.0"), alternating(), large) == EXACT
    # 5117 to 5121 blocks are 7.258 to 7.264 requests
    assert verdict(v1("10.00", None, "7.26", version="0.24.0"), alternating(), one_at(8192)) == WITHIN


def test_blocks_that_are_told_are_not_held_against_the_memory() -> None:
    printed = v1("10.00", 8192, num_gpu_blocks_override=512)
    assert reconcile(printed, real(LLAMA), ONE).checks == ()


def test_one_number_of_blocks_is_no_range() -> None:
    found = figures(reconcile(v1("10.00", 81920), real(LLAMA), ONE))
    assert "num_blocks_range" not in found


def test_ranks_that_are_alike() -> None:
    printed = v1("10.00", 81920).replace(ranks=(gib("10.00"), gib("10.00")))
    assert reconcile(printed, real(LLAMA), Known()).assumptions == ()


def test_no_wrong_reading_of_one_rank() -> None:
    """Nor of heads."""
    for name in (KIMI, LLAMA):
        tp = 1 if name == KIMI else 2
        found = figures(reconcile(v1("10.00", None), real(name), Known(tp=tp, kv_dtype="bf16")))
        assert "block_bytes" in found
        assert not {"wrong_if_split_by_tp", "wrong_if_mha"} & set(found)


def test_figures_of_lines_that_are_missing() -> None:
    """None of parts without tokens or parts, none of a length without one, no memory split without memory."""
    parts = {"tokens_over_1", "tokens_over_2", "blocks_of_16_per_gpu"}
    plain_one = figures(reconcile(v1("10.00", 81920), real(LLAMA), ONE))
    no_tokens = figures(reconcile(v1("1.25", None), real(LLAMA), Known(tp=16, dcp=2, kv_dtype="bf16")))
    assert not parts & (set(plain_one) | set(no_tokens))
    older = figures(reconcile(v1("10.00", 40960), alternating(), ONE))
    assert not {"naive_concurrency", "concurrency", "blocks_per_request"} & set(older)
    latent = figures(reconcile(v1(None, 2387 * 64), real(KIMI), Known(tp=8, kv_dtype="bf16")))
    assert "wrong_if_split_by_tp" not in latent


def test_places_of_figures() -> None:
    outcome = reconcile(v1("10.00", 81920, "10.00"), real(LLAMA), one_at(8192))
    places = {figure.name: figure.places for figure in outcome.figures if figure.places}
    assert places == {"concurrency": 2, "kv_gib_if_total_mistaken_for_per_gpu": 2}
