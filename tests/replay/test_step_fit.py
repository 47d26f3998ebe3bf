"""A cost fitted to a result: what a made engine with a known cost left, what cannot be told, what is refused.

The engine here is a loop over steps that puts each waiting prompt whole into the next step, beside all
decodes; its times are whole nanoseconds, so the fit must give its terms back to the last digit.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.files.bench_json import Place, result_of_object
from labs.replay.cost_options import read_cost_fit
from labs.replay.step_cost import StepCost
from labs.replay.step_fit import Timed, fit_cost, gap_samples, lone_samples, timed_requests
from labs.view.errors import error_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from labs.files.bench_result import BenchResult


class Asked(NamedTuple):
    """A request: when it is sent (ns), its prompt, its output."""

    sent: int
    prompt: int
    output: int


def served(asked: Sequence[Asked], base: int, prefill: int, decode: int, kv: int) -> dict[str, Any]:
    """A detailed result of an engine whose steps cost so many ns, as the benchmark client writes it."""
    now = 0
    chunks: list[list[int]] = [[] for _ in asked]
    while any(len(got) < request.output for got, request in zip(chunks, asked, strict=True)):
        there = [
            i for i, request in enumerate(asked) if request.sent <= now and len(chunks[i]) < request.output
        ]
        if not there:
            now = min(request.sent for request in asked if request.sent > now)
            continue
        prompts = sum(asked[i].prompt for i in there if not chunks[i])
        decodes = sum(bool(chunks[i]) for i in there)
        read = sum(asked[i].prompt + len(chunks[i]) for i in there)
        now += base + prefill * prompts + decode * decodes + kv * read
        for i in there:
            chunks[i].append(now)
    return {
        "input_lens": [request.prompt for request in asked],
        "output_lens": [request.output for request in asked],
        "start_times": [request.sent / 1e9 for request in asked],
        "ttfts": [(got[0] - request.sent) / 1e9 for got, request in zip(chunks, asked, strict=True)],
        "itls": [[(b - a) / 1e9 for a, b in pairwise(got)] for got in chunks],
        "errors": [""] * len(asked),
    }


MIXED = [
    Asked(0, 100, 9),
    Asked(0, 40, 3),
    Asked(30_000_000, 700, 12),
    Asked(55_000_000, 10, 20),
    Asked(2_000_000_000, 300, 5),
    Asked(3_000_000_000, 500, 1),
]


def as_read(result: dict[str, Any]) -> BenchResult:
    """A result as it is read from its file."""
    errors = result.get("errors") or [""] * len(result["input_lens"])
    completed = sum(
        bool(length) and not error for length, error in zip(result["output_lens"], errors, strict=True)
    )
    whole = {"duration": 1, "completed": completed, **result}
    return result_of_object(whole, Place("run.json", "", 1))


def timed(result: dict[str, Any]) -> list[Timed]:
    return timed_requests(as_read(result), "--x")


def in_ns(cost: StepCost) -> tuple[Any, ...]:
    return tuple(Fraction(term) * 10**6 for term in cost.terms)


@pytest.mark.parametrize(
    "terms",
    [
        pytest.param((5_000_000, 20_000, 100_000, 40), id="all four"),
        pytest.param((5_000_000, 20_000, 0, 0), id="decodes and KV cost nothing"),
        pytest.param((0, 20_000, 3_000_000, 40), id="no base"),
        pytest.param((5_000_000, 20_000, 100_000, 0), id="no KV"),
    ],
)
def test_the_terms_come_back(terms: tuple[int, int, int, int]) -> None:
    fit = fit_cost(timed(served(MIXED, *terms)), "--x")
    assert in_ns(fit.cost) == terms
    assert (fit.untold, fit.held) == ((), ())
    assert (fit.gaps, fit.lone) == (8 + 2 + 11 + 19 + 4, 2)
    assert fit.mean_square_ns2 == fit.largest_ns == fit.rms_ns == 0
    assert fit.explained == 1
    assert fit.uneven == 0


asked = st.builds(Asked, st.integers(0, 10**9), st.integers(1, 3000), st.integers(1, 12))


@settings(max_examples=60)
@given(
    st.lists(asked, min_size=3, max_size=12),
    st.tuples(st.integers(10**6, 10**7), st.integers(0, 10**5), st.integers(0, 10**6), st.integers(0, 500)),
)
def test_whatever_can_be_told_fits_without_a_rest(
    asked: list[Asked], terms: tuple[int, int, int, int]
) -> None:
    """Terms that cannot be told go into the others; what was seen is explained either way."""
    requests = timed(served(asked, *terms))
    if gap_samples(requests) or lone_samples(requests):
        fit = fit_cost(requests, "--x")
        if not fit.untold:
            assert in_ns(fit.cost) == terms
        if not fit.held:  # a term that stands for another may have to be below zero
            assert fit.rms_ns <= 10  # terms are whole ps, times many tokens


def test_jitter_of_a_tenth_of_a_step_leaves_the_samples() -> None:
    """Chunks of one step that come a little apart still count as one step's."""
    result = served(MIXED, 5_000_000, 20_000, 100_000, 40)
    late = {**result, "ttfts": [ttft + 0.0004 * (i % 2) for i, ttft in enumerate(result["ttfts"])]}
    rows = [row for row, _ in gap_samples(timed(result))]
    assert [row for row, _ in gap_samples(timed(late))] == rows


def test_one_at_a_time_tells_no_decode_from_base() -> None:
    alone = [Asked(k * 10**9, 100, 5) for k in range(4)]
    fit = fit_cost(timed(served(alone, 5_000_000, 20_000, 1_000_000, 0)), "--x")
    assert fit.untold == ("decode",)
    # a decode step takes base + decode, and so must the base; the prefill gives back what that is too much
    assert in_ns(fit.cost) == (6_000_000, 10_000, 0, 0)
    assert fit.largest_ns == 0


def test_without_prefills_in_sight_none_is_told() -> None:
    """All at once: every prompt is in the first step, which ends no gap, and nobody is alone."""
    together = [Asked(0, 100, 5), Asked(0, 50, 9)]
    fit = fit_cost(timed(served(together, 5_000_000, 20_000, 100_000, 40)), "--x")
    assert fit.untold == ("prefill",)
    assert in_ns(fit.cost) == (5_000_000, 0, 100_000, 40)


def test_a_term_below_zero_is_held_at_zero() -> None:
    """Steps that get faster as the KV grows: 14, 12, 10 ms. The best without a slope is the mean."""
    request = Timed(-5, (0, 14_000_000, 26_000_000, 36_000_000), 10, 4)
    fit = fit_cost([request, request], "--x")
    assert (fit.untold, fit.held) == (("prefill", "decode"), ("kv",))
    assert in_ns(fit.cost) == (12_000_000, 0, 0, 0)
    assert fit.mean_square_ns2 == Fraction(8 * 10**12, 3)
    assert fit.largest_ns == 2_000_000
    assert fit.explained == 0
    assert fit.rms_ns == 1_632_993


def test_terms_are_whole_picoseconds() -> None:
    """Gaps of 1, 2 and 1 ns have no slope: the mean is 4 / 3 ns."""
    request = Timed(-5, (0, 1, 3, 4), 10, 4)
    fit = fit_cost([request, request], "--x")
    assert in_ns(fit.cost) == (Fraction(1333, 1000), 0, 0, 0)
    assert fit.largest_ns == Fraction(667, 1000)


def test_requests_with_chunks_of_several_tokens_are_counted() -> None:
    result = served(MIXED, 5_000_000, 20_000, 100_000, 40)
    result["output_lens"][0] += 1
    assert fit_cost(timed(result), "--x").uneven == 1


def test_failed_requests_are_left_out() -> None:
    result = served(MIXED, 5_000_000, 20_000, 100_000, 40)
    whole = timed(result)
    result["errors"][1] = "timeout"
    assert timed(result) == [whole[0], *whole[2:]]
    result["errors"] = None
    result["output_lens"][2] = 0
    assert timed(result) == [*whole[:2], *whole[3:]]


def test_a_real_result(root: Path) -> None:
    """24 requests on a toy: a step takes 2 to 3 ms whatever it holds, the file's own mean ITL is 2.7 ms."""
    fit = read_cost_fit(str(root / "tests/golden/bench_detailed.json"), "--x")
    assert (fit.gaps, fit.lone) == (337, 12)
    assert 2 < fit.cost.base < 3
    assert fit.explained is not None
    assert 0 < fit.explained < 1


@pytest.mark.parametrize("name", ["input_lens", "output_lens", "start_times", "ttfts", "itls"])
def test_a_result_without_one_of_the_lists_is_refused(name: str, tmp_path: Path) -> None:
    result = {"duration": 1, "completed": 6, **served(MIXED, 5_000_000, 0, 0, 0)}
    del result[name]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(result))
    with pytest.raises(LabError) as caught:
        read_cost_fit(str(path), "--x")
    line = error_line(caught.value, "en")
    assert line.startswith(f"error: {path}:1: has no {name}")
    assert "--save-detailed" in line


def test_several_results_are_refused(tmp_path: Path) -> None:
    result = json.dumps({"duration": 1, "completed": 6, **served(MIXED, 5_000_000, 0, 0, 0)})
    path = tmp_path / "run.json"
    path.write_text(f"{result}\n{result}\n")
    with pytest.raises(LabError) as caught:
        read_cost_fit(str(path), "--x")
    assert error_line(caught.value, "en").startswith(f"error: {path}:2: holds several results")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError) as caught:
        read_cost_fit(str(tmp_path / "none.json"), "--cost-fit")
    assert caught.value.where == "--cost-fit"


def test_a_result_without_a_step_is_refused() -> None:
    """Two requests of one token each that were sent at the same time."""
    twins = [Timed(0, (40,), 9, 1), Timed(0, (40,), 9, 1)]
    for requests in ([], twins):
        with pytest.raises(LabError) as caught:
            fit_cost(requests, "run.json")
        assert caught.value.rule == "fit_no_steps"


def test_the_samples_of_a_small_result_by_hand() -> None:
    """A decodes (40, 50, 60); B's prompt of 7 is in the step that ends at 50; C comes when all is over.

    D was sent during A's last step, and so is not in it, close as its chunk comes.
    """
    requests = [Timed(0, (40, 50, 60), 100, 3), Timed(39, (50, 60), 7, 2), Timed(70, (90,), 11, 1)]
    requests += [Timed(59, (64,), 13, 1)]
    assert gap_samples(requests) == [
        ((1, 7, 1, 108), 10),  # A reads 101, and B's 7
        ((1, 0, 2, 110), 10),  # A reads 102, B 8
        ((1, 0, 2, 110), 10),
    ]
    assert lone_samples(requests) == [((1, 11, 0, 11), 20)]
    assert lone_samples([Timed(0, (40, 50), 100, 2), Timed(40, (60,), 7, 1)]) == [((1, 100, 0, 100), 40)]
