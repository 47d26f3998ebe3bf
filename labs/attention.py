"""Attention lab: with a KV cache the result is the same as recomputing, to the bit.

One causal attention layer runs twice over the same inputs, by `recompute` and by `cached` in
`labs.engine.attention`, and the outputs are compared at every position. Rows are counted in the
projection itself: for n tokens, recompute projects 1 + 2 + ... + n rows per K or V matrix, cached n.

    tokens, dim      inputs and numbers in each         heads, kv_heads   query heads, KV heads they share
    chunk            positions projected at a time      block_size        tokens a physical block
    ulp              distance of neighbouring floats    bit-equal         same value in every bit

Source: the course's lab A.
Does not model: generation, RoPE, many layers, GPU kernels, time.
"""

from __future__ import annotations

from labs.base import Record, check_bounds, require
from labs.engine.attention import Layer, Work, cached, recompute
from labs.engine.attention_inputs import lecture_numbers, made_numbers
from labs.engine.floats import FORMATS, Arithmetic, largest_difference, same_bits
from labs.engine.kv_store import SABOTAGES, DamagedStore, KVStore, shuffled_block_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from labs.engine.online_softmax import Ulps
    from labs.predict.answer import Answer
    from labs.view.page.markup import Figure

MAX_TOKENS = 512
MAX_DIM = 512
MAX_MULTIPLY_ADDS = 5_000_000
BLOCKWISE_BLOCK_SIZE = 2


class Params(Record):
    """The layer's shape and how the cached path runs; the defaults are the lecture's case."""

    tokens: int = 4
    dim: int = 2
    heads: int = 1
    kv_heads: int | None = None
    chunk: int | None = None
    block_size: int | None = None
    dtype: str = "float64"
    seed: int | None = None
    sabotage: str | None = None
    blockwise: bool = False

    def check(self) -> None:
        check_bounds(self.tokens, "--tokens", 1, MAX_TOKENS)
        check_bounds(self.dim, "--dim", 1, MAX_DIM)
        check_bounds(self.heads, "--heads", 1, MAX_DIM)
        check_bounds(self.num_kv_heads, "--kv-heads", 1, MAX_DIM)
        check_bounds(1 if self.chunk is None else self.chunk, "--chunk", 1, MAX_TOKENS)
        check_bounds(self.physical_block_size, "--block-size", 1, MAX_TOKENS)
        sound = self.sabotage is None or not self.blockwise
        require(sound, "--blockwise", "not_with", "--blockwise", other="--sabotage")
        require(self.dim % self.heads == 0, "--heads", "divisor_of", self.heads, what=f"--dim {self.dim}")
        heads = f"--heads {self.heads}"
        require(self.heads % self.num_kv_heads == 0, "--kv-heads", "divisor_of", self.kv_heads, what=heads)
        require(self.dtype in FORMATS, "--dtype", "not_one_of", self.dtype, choices=", ".join(FORMATS))
        choices = ", ".join(SABOTAGES)
        known = self.sabotage in (None, *SABOTAGES)
        require(known, "--sabotage", "not_one_of", self.sabotage, choices=choices)
        work = self.multiply_adds()
        most = MAX_MULTIPLY_ADDS
        where, value = ("--tokens", self.tokens) if self.tokens >= self.dim else ("--dim", self.dim)
        require(work <= most, where, "too_much_work", value, most=most, work=work)

    def multiply_adds(self) -> int:
        """What all paths of this run will take, a score as ten; only to refuse what would take minutes."""
        history = self.tokens * (self.tokens + 1) // 2
        kv_weights = 2 * self.dim * self.row_length
        attention = history * (2 * self.dim + 10 * self.heads) + self.tokens * self.dim**2
        cached_paths = 1 + (self.chunk is not None) + self.blockwise
        return history * kv_weights + attention + cached_paths * (self.tokens * kv_weights + attention)

    @property
    def num_kv_heads(self) -> int:
        return self.heads if self.kv_heads is None else self.kv_heads

    @property
    def row_length(self) -> int:
        """Numbers in a row of K or V: those of all KV heads."""
        return self.dim // self.heads * self.num_kv_heads

    @property
    def physical_block_size(self) -> int:
        """Tokens a block; without --block-size the whole cache is one block."""
        return self.tokens if self.block_size is None else self.block_size

    @property
    def damaged_position(self) -> int:
        """Where stale and dropped strike: in the middle."""
        return self.tokens // 2

    @property
    def first_damaged_read(self) -> int:
        """The first position that reads a damaged row."""
        return 1 if self.sabotage == "shifted" else self.damaged_position

    @property
    def blockwise_block_size(self) -> int:
        return self.block_size or BLOCKWISE_BLOCK_SIZE

    @property
    def is_lecture(self) -> bool:
        return (self.tokens, self.dim, self.heads, self.seed) == (4, 2, 1, None)


class Position(Record):
    """One position's outputs by both paths, and whether they are bit-equal."""

    position: int
    recompute_output: tuple[float, ...]
    cached_output: tuple[float, ...]
    cached_matches_full: bool
    max_abs_difference: float


class Result(Record):
    params: Params
    block_table: tuple[int, ...]
    positions: tuple[Position, ...]
    recompute_work: tuple[Work, ...]
    cached_work: tuple[Work, ...]
    chunked_matches_full: bool | None
    blockwise: Ulps | None

    @property
    def holds(self) -> bool:
        """Every equality that must hold does; under sabotage none must."""
        equal = all(position.cached_matches_full for position in self.positions)
        bounded = self.blockwise is None or self.blockwise.within_bound
        return self.params.sabotage is not None or (
            equal and self.chunked_matches_full is not False and bounded
        )


def run(params: Params) -> Result:
    """Both paths over the same numbers; chunked and block by block too, if asked for."""
    arithmetic = Arithmetic(params.dtype)
    if params.is_lecture:
        inputs, weights = lecture_numbers(arithmetic)
    else:
        shape = (params.tokens, params.dim, params.row_length)
        inputs, weights = made_numbers(*shape, params.seed or 0, arithmetic)
    block_size = params.physical_block_size
    in_one_block = block_size >= params.tokens  # nothing to shuffle, so no need to load `random`
    block_table = (0,) if in_one_block else shuffled_block_table(params.tokens, block_size, params.seed or 0)

    def layer() -> Layer:
        return Layer(weights, params.heads, params.num_kv_heads, arithmetic)

    def empty_store() -> KVStore:
        layout = (params.row_length, block_table, block_size)
        if params.sabotage is None:
            return KVStore(*layout)
        return DamagedStore(*layout, params.sabotage, params.damaged_position)

    store = empty_store()
    full, recompute_work = recompute(layer(), inputs)
    kept, cached_work = cached(layer(), inputs, store)
    chunked = None
    if params.chunk is not None:
        rows, _ = cached(layer(), inputs, empty_store(), params.chunk)
        chunked = all(bit_equal(a, b) for a, b in zip(full, rows, strict=True))
    ulps = None
    if params.blockwise:
        from labs.engine.online_softmax import blockwise, distance

        size = params.blockwise_block_size
        values = [store.read(position)[1] for position in range(params.tokens)]
        ulps = distance(full, blockwise(layer(), inputs, store, size), values, size, params.dtype)
    pairs = zip(full, kept, strict=True)
    positions = tuple(compare(position, a, b) for position, (a, b) in enumerate(pairs))
    return Result(params, block_table, positions, tuple(recompute_work), tuple(cached_work), chunked, ulps)


def bit_equal(a: Sequence[float], b: Sequence[float]) -> bool:
    return all(same_bits(x, y) for x, y in zip(a, b, strict=True))


def compare(position: int, full: Sequence[float], kept: Sequence[float]) -> Position:
    """Two outputs of a position, number by number."""
    difference = largest_difference(full, kept)
    return Position(position, tuple(full), tuple(kept), bit_equal(full, kept), difference)


def growth(result: Result) -> list[tuple[int, Work, Work]]:
    """(tokens, work of recompute, work of cached) for 1, 2, 4 ... tokens and for all."""
    tokens = len(result.positions)
    steps = [1 << i for i in range(tokens.bit_length()) if 1 << i < tokens] + [tokens]
    return [(n, result.recompute_work[n - 1], result.cached_work[n - 1]) for n in steps]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from labs.options import flag, knob, one_of, whole
    from labs.view.catalog.attention import KNOBS

    for name in ("--tokens", "--chunk", "--block-size"):
        knob(parser, name, whole(1, MAX_TOKENS), KNOBS[name], metavar="N")
    for name in ("--dim", "--heads", "--kv-heads"):
        knob(parser, name, whole(1, MAX_DIM), KNOBS[name], metavar="N")
    knob(parser, "--seed", whole(0), KNOBS["--seed"], metavar="N")
    for name, choices in (("--dtype", tuple(FORMATS)), ("--sabotage", SABOTAGES)):
        knob(parser, name, one_of(choices), KNOBS[name], metavar="{" + ",".join(choices) + "}")
    flag(parser, "--blockwise", KNOBS["--blockwise"])


def render(result: Result, lang: str) -> str:
    from labs.view.attention import render_attention

    return render_attention(result, growth(result), lang)


def predicted(result: Result, text: str) -> Answer:
    """Predicted rows and equalities; `labs.predict.attention` says how they are written."""
    from labs.predict.attention import check_paths, read_claims

    return check_paths(result, read_claims(text))


def figure(result: Result) -> Figure:
    """The result drawn for `--html`."""
    from labs.view.page.attention import attention_figure

    return attention_figure(result)


def document(result: Result) -> dict[str, Any]:
    from math import isfinite

    def finite(number: float, places: int = 6) -> float | None:
        return round(number, places) if isfinite(number) else None

    last = {"recompute": result.recompute_work[-1], "cached": result.cached_work[-1]}
    figures: dict[str, Any] = {
        "positions": [
            {
                "position": position.position,
                "cached_matches_full": position.cached_matches_full,
                "max_abs_difference": finite(position.max_abs_difference),
                "recompute_output": [finite(number) for number in position.recompute_output],
                "cached_output": [finite(number) for number in position.cached_output],
            }
            for position in result.positions
        ],
        "block_table": list(result.block_table),
        "rows_projected": {path: work.rows_projected for path, work in last.items()},
        "multiply_adds": {path: work.multiply_adds for path, work in last.items()},
        "kv_bytes_read": {path: work.kv_bytes_read for path, work in last.items()},
        "growth": [
            {"tokens": tokens, "recompute": full.as_dict(), "cached": kept.as_dict()}
            for tokens, full, kept in growth(result)
        ],
        "chunked_matches_full": result.chunked_matches_full,
        "blockwise": None,
    }
    if result.blockwise is not None:
        ulps = result.blockwise
        figures["blockwise"] = {**ulps.as_dict(), "max_ulps": finite(ulps.max_ulps)}
    params = {**result.params.as_dict(), "kv_heads": result.params.num_kv_heads}
    if not result.params.is_lecture:
        params["seed"] = result.params.seed or 0
    return {"params": params, "result": figures}
