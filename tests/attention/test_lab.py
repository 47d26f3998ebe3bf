"""What the lab compares and claims: every number, every path, and exit code 1 where an equality fails.

Each path is damaged behind the lab's back. Turned red by: a comparison of the first number or position
only, a chunked prefill compared with itself, a claim that no damage can shake, an exit code that hides it,
inputs that the dtype does not hold, a seed that is ignored, ulps of keys, blocks of another size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

import labs.attention as lab
from labs.attention import Params, bit_equal, compare, run
from labs.base import LabError
from labs.engine import online_softmax
from labs.engine.attention import Layer, Work, cached
from labs.engine.attention_inputs import lecture_numbers, made_numbers
from labs.engine.floats import Arithmetic, round_to
from labs.engine.kv_store import KVStore
from labs.engine.online_softmax import Ulps, blockwise, distance

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

Row = list[float]
Path = Callable[..., tuple[list[Row], list[Work]]]
NAN = float("nan")


@pytest.mark.parametrize(
    ("full", "kept", "equal", "difference"),
    [
        ([1.0, 2.0], [1.0, 2.0], True, 0.0),
        ([1.0, 2.0], [1.0, 2.5], False, 0.5),
        ([1.0, 2.0], [1.25, 2.0], False, 0.25),
        ([1.0, 2.0, 3.0], [1.5, 2.25, 3.0], False, 0.5),
        ([1.0, 2.0, 3.0], [1.25, 2.5, 3.0], False, 0.5),
        ([0.0], [-0.0], False, 0.0),
    ],
)
def test_every_number_is_compared(full: Row, kept: Row, equal: bool, difference: float) -> None:
    """One number that differs is enough; the difference shown is the largest."""
    assert bit_equal(full, kept) is equal
    found = compare(3, full, kept)
    assert (found.position, found.cached_matches_full, found.max_abs_difference) == (3, equal, difference)


def damaged(position: int, only_chunk: int | None = None) -> Path:
    """The cached path with the last number of one position's output off, in chunks of that size or all."""

    def path(
        layer: Layer, inputs: Sequence[Row], store: KVStore, chunk: int = 1
    ) -> tuple[list[Row], list[Work]]:
        outputs, works = cached(layer, inputs, store, chunk)
        if only_chunk in (None, chunk):
            outputs[position][-1] += 0.5
        return outputs, works

    return path


@pytest.mark.parametrize("position", [0, 2, 4])
def test_a_cached_path_that_differs_is_exit_1(
    run_lab: RunLab, monkeypatch: pytest.MonkeyPatch, position: int
) -> None:
    """That position says False, the others True, and the exit code says that an equality failed."""
    monkeypatch.setattr(lab, "cached", damaged(position))
    ran = run_lab(["attention", "--tokens", "5"])
    assert (ran.code, ran.err) == (1, "")
    for other in range(5):
        assert f"position {other}: cached_matches_full={other != position}" in ran.out.splitlines()
    result = run(Params(tokens=5))
    assert [row.max_abs_difference for row in result.positions] == [0.5 * (n == position) for n in range(5)]


@pytest.mark.parametrize("chunk", ["2", "3"])
@pytest.mark.parametrize("position", [0, 2, 4])
def test_chunks_that_differ_are_exit_1(
    run_lab: RunLab, monkeypatch: pytest.MonkeyPatch, position: int, chunk: str
) -> None:
    """The chunked prefill is compared with recompute, at every position; all else still holds."""
    monkeypatch.setattr(lab, "cached", damaged(position, only_chunk=int(chunk)))
    ran = run_lab(["attention", "--tokens", "5", "--chunk", chunk])
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.count("cached_matches_full=True") == 5
    assert "chunked_matches_full=False" in ran.out
    assert run_lab(["attention", "--tokens", "5"]).code == 0


def test_an_online_softmax_beyond_its_bound_is_exit_1(
    run_lab: RunLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound can be exceeded, and then the line says so."""

    def off(layer: Layer, inputs: Sequence[Row], store: KVStore, block_size: int) -> list[Row]:
        return [[number + 0.5 for number in row] for row in blockwise(layer, inputs, store, block_size)]

    monkeypatch.setattr(online_softmax, "blockwise", off)
    ran = run_lab(["attention", "--blockwise"])
    assert (ran.code, ran.err) == (1, "")
    assert "within_bound=False" in ran.out
    assert ran.out.count("cached_matches_full=True") == 4


def test_what_holds() -> None:
    """Every equality that must hold does; under sabotage none must."""
    good = run(Params(tokens=5, chunk=2, blockwise=True))
    bad = good.positions[-1].replace(cached_matches_full=False)
    one_wrong = good.replace(positions=(*good.positions[:-1], bad))
    beyond = good.replace(blockwise=Ulps(99.0, 1, False, False))
    unchunked = good.replace(chunked_matches_full=None, blockwise=None)
    for result in (one_wrong, beyond, good.replace(chunked_matches_full=False)):
        assert not result.holds
        assert result.replace(params=Params(tokens=5, sabotage="stale")).holds
    assert good.holds
    assert unchunked.holds


@pytest.mark.parametrize(
    "knobs", [{"tokens": 512, "dim": 512}, {"tokens": 512, "dim": 64, "heads": 4}], ids=str
)
def test_work_beyond_patience_is_refused(knobs: dict[str, int]) -> None:
    """Each number alone is within bounds; before anything runs."""
    with pytest.raises(LabError) as caught:
        Params(**knobs)  # type: ignore[arg-type]
    assert (caught.value.where, caught.value.rule) == ("--tokens", "too_much_work")


@pytest.mark.parametrize("sabotage", ["stale", "shifted", "dropped"])
def test_chunks_read_the_damaged_store_too(run_json: RunJson, sabotage: str) -> None:
    words = ["attention", "--tokens", "6", "--chunk", "2", "--sabotage", sabotage]
    assert run_json(words)["result"]["chunked_matches_full"] is False


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("made", [False, True], ids=["lecture", "made"])
def test_inputs_and_weights_are_numbers_of_the_dtype(dtype: str, made: bool) -> None:
    """In float64 they are not, so rounding changes them."""

    def numbers(of: str) -> list[list[Row]]:
        arithmetic = Arithmetic(of)
        inputs, weights = made_numbers(6, 4, 2, 0, arithmetic) if made else lecture_numbers(arithmetic)
        return [inputs, *weights]

    for rows, exact in zip(numbers(dtype), numbers("float64"), strict=True):
        assert rows == [[round_to(number, dtype) for number in row] for row in exact]
        assert made is False or rows != exact


def test_numbers_are_made_from_the_seed() -> None:
    """Other seeds, other numbers; the same seed, the same; all of order one, in the shapes asked for."""
    arithmetic = Arithmetic("float64")
    made = [made_numbers(6, 4, 2, seed, arithmetic) for seed in (0, 1, 2)]
    assert [made.count(one) for one in made] == [1] * 3
    assert made_numbers(6, 4, 2, 2, arithmetic) == made[2]
    assert all(abs(x) <= 1 for inputs, _ in made for row in inputs for x in row)
    inputs, weights = made[0]
    assert (len(inputs), [len(matrix) for matrix in weights]) == (6, [4, 2, 2])
    assert {len(row) for rows in (inputs, *weights) for row in rows} == {4}


def test_the_lab_takes_the_lecture_or_the_seed() -> None:
    """A seed makes other numbers of the lecture's shape; without one, other shapes take seed 0."""
    outputs = [run(Params(seed=seed)).positions for seed in (None, 0, 1)]
    assert [outputs.count(one) for one in outputs] == [1] * 3
    assert run(Params(tokens=6)).positions == run(Params(tokens=6, seed=0)).positions


@pytest.mark.parametrize(
    ("more", "bound"),
    [
        ([], 4 * (9 + 5 + 3 + 2)),
        (["--block-size", "3"], 4 * (9 + 3 + 3 + 2)),
        (["--block-size", "1"], 4 * (9 + 9 + 3 + 2)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_blocks_of_the_online_softmax(run_json: RunJson, more: list[str], bound: int) -> None:
    """Those of --block-size, else of two tokens; 4 x (tokens + blocks + log2 + 2)."""
    result = run_json(["attention", "--tokens", "9", "--blockwise", *more])["result"]
    assert result["blockwise"]["bound_ulps"] == bound


def test_what_the_bound_is_measured_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recompute against the online softmax, at the stored V: that of position 0 is W_v x = (1.175, 0.55)."""
    seen = []

    def spy(*given: object) -> Ulps:
        seen.append(given)
        return distance(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(online_softmax, "distance", spy)
    monkeypatch.setattr(lab, "cached", damaged(3))
    result = run(Params(blockwise=True))
    ((plain, _, values, size, dtype),) = seen
    assert plain == [list(position.recompute_output) for position in result.positions]
    assert values[0] == pytest.approx([1.175, 0.55], rel=1e-15)  # type: ignore[index]
    assert (size, dtype) == (2, "float64")
    assert result.blockwise is not None
    assert result.blockwise.within_bound
