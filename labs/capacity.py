"""Capacity lab: how many bytes of KV a model keeps, in how many blocks, and how long they travel.

    KV per token (B)   2 (K and V) x layers x KV heads x head dim x bytes per element
    KV of a request    tokens x KV per token
    blocks             ceil(tokens / block size), each request by itself; slots = blocks x block size
    transfer (s)       bytes x 8 bit/B / (bit/s)

Layers with windows, latents (MLA) or fixed states come from a model or its config: `labs.model`. Every
attention layer is charged in full unless a figure says otherwise.

Source: the course's lab D and module 5; vLLM 0.32.0's KV sizing.
Does not model: weights, activations and the engine's own memory; the size of linear states; scales of
quantised KV; latency, protocol and contention of a transfer. Both are lower bounds.
"""

from __future__ import annotations

from labs.base import LabError, Record, require
from labs.model.shape import ModelShape, uniform_group
from labs.model.sharing import blocks_of, physical_tokens, shared_tokens
from labs.options import check_bounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from labs.model.course import Table

LECTURE = {"layers": 32, "kv_heads": 8, "head_dim": 128}
DTYPE_BYTES = {
    **dict.fromkeys(("float32", "fp32"), 4),
    **dict.fromkeys(("float16", "fp16", "bfloat16", "bf16"), 2),
    **dict.fromkeys(("fp8", "fp8_e4m3", "fp8_e5m2", "int8"), 1),
}


class Params(Record):
    """The knobs; the defaults are the lecture's case. Sizes in bytes, `bandwidth` in bit/s.

    `layers`, `kv_heads` and `head_dim` fall back on the lecture's, one by one, if there is neither a model
    nor a config; `size` falls back on the KV of the request.
    """

    model: str | None = None
    config: ModelShape | None = None
    layers: int | None = None
    kv_heads: int | None = None
    head_dim: int | None = None
    kv_dtype: str = "bfloat16"
    tokens: int = 8192
    lengths: tuple[int, ...] = (17, 31)
    block_size: int = 16
    concurrency: int = 1
    shared_prefix: int = 0
    tp: int = 1
    size: int | None = None
    bandwidth: int = 400 * 10**9
    table: bool = False

    def check(self) -> None:
        if self.model is not None:
            require(self.config is None, "--model", "not_with", self.model, other="--config")
        if self.model is not None or self.config is not None:
            other = "--config" if self.model is None else "--model"
            for name in LECTURE:
                value = getattr(self, name)
                require(value is None, "--" + name.replace("_", "-"), "not_with", value, other=other)
        read_dtype(self.kv_dtype, "--kv-dtype")
        for name in (*LECTURE, "tokens", "block_size", "concurrency", "tp", "size", "bandwidth"):
            if getattr(self, name) is not None:
                check_bounds(getattr(self, name), "--" + name.replace("_", "-"), 1)
        for length in self.lengths:
            check_bounds(length, "--lengths", 1)
        check_bounds(self.shared_prefix, "--shared-prefix", 0, self.tokens)
        self.shape().on_one_rank(self.tp)

    def shape(self) -> ModelShape:
        """The model at the chosen KV dtype."""
        if self.config is not None:
            shape = self.config
        elif self.model is not None:
            from labs.model.models import built_in

            shape = built_in(self.model)
        else:
            size = self.plain_size()
            shape = ModelShape("", size["layers"], (uniform_group(**size),))
        return shape.in_dtype(self.bytes_per_element)

    @property
    def bytes_per_element(self) -> int:
        return DTYPE_BYTES[self.kv_dtype]

    def plain_size(self) -> dict[str, int]:
        """Layers, KV heads and head dim of a model given by knobs; the lecture's where not given."""
        return {name: getattr(self, name) or value for name, value in LECTURE.items()}


class Result(Record):
    """All figures are exact; bytes unless named otherwise."""

    params: Params
    shape: ModelShape
    rank_shape: ModelShape
    kv_bytes: int
    kept_bytes: int
    blocks: int
    reserved_slots: int
    used_slots: int
    pooled_blocks: int
    shared_tokens: int
    logical_bytes: int
    physical_bytes: int
    transfer_bytes: int
    table: Table | None
    holds: bool = True

    @property
    def transfer_ms(self) -> tuple[int, int]:
        """Milliseconds of the transfer as numerator and denominator."""
        return self.transfer_bytes * 8 * 1000, self.params.bandwidth


def run(params: Params) -> Result:
    """Size the request, its blocks, its sharing and its transfer."""
    shape, size = params.shape(), params.block_size
    per_token = shape.bytes_per_token
    kv_bytes = params.tokens * per_token
    blocks = blocks_of(params.lengths, size)
    stored = physical_tokens(params.tokens, params.shared_prefix, size, params.concurrency)
    return Result(
        params=params,
        shape=shape,
        rank_shape=shape.on_one_rank(params.tp),
        kv_bytes=kv_bytes,
        kept_bytes=shape.kept_bytes(params.tokens),
        blocks=blocks,
        reserved_slots=blocks * size,
        used_slots=sum(params.lengths),
        pooled_blocks=blocks_of([sum(params.lengths)], size),
        shared_tokens=shared_tokens(params.tokens, params.shared_prefix, size),
        logical_bytes=params.concurrency * kv_bytes,
        physical_bytes=stored * per_token,
        transfer_bytes=params.size or kv_bytes,
        table=_course_table(params) if params.table else None,
    )


def _course_table(params: Params) -> Table:
    from labs.model.course import course_table

    own = params.model or params.config or any(getattr(params, name) for name in LECTURE)
    return course_table(params.shape() if own else None, params.bytes_per_element)


def read_model_config(path: str, where: str) -> ModelShape:
    """The shape of the model whose config.json is in a file; `LabError` at the option or `path:line`."""
    from labs.files.strict_json import parse_json
    from labs.files.text import read_text
    from labs.model.config import read_config

    text = read_text(path, where, most=4 << 20)
    try:
        return read_config(parse_json(text, path), path, text)
    except RecursionError:
        raise LabError(f"{path}:1", "nested_too_deeply") from None


def read_dtype(text: str, where: str) -> str:
    """The name of a KV dtype."""
    require(text in DTYPE_BYTES, where, "not_one_of", text, choices=", ".join(DTYPE_BYTES))
    return text


def read_lengths(text: str, where: str) -> tuple[int, ...]:
    """Request lengths parted by commas, in tokens."""
    from labs.options import whole

    return tuple(whole(1)(part, where) for part in text.split(","))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from labs.model.models import MODELS, read_model
    from labs.options import flag, knob, whole
    from labs.view.catalog.capacity import KNOBS
    from labs.view.units import read_rate, read_size

    english, chinese = KNOBS["--model"]
    names = ", ".join(MODELS)
    knob(parser, "--model", read_model, (english + names, chinese + names), metavar="NAME")
    knob(parser, "--config", read_model_config, KNOBS["--config"], metavar="FILE")
    for name in ("--layers", "--kv-heads", "--head-dim", "--tokens", "--block-size", "--concurrency", "--tp"):
        knob(parser, name, whole(1), KNOBS[name], metavar="N")
    knob(parser, "--kv-dtype", read_dtype, KNOBS["--kv-dtype"], metavar="DTYPE")
    knob(parser, "--lengths", read_lengths, KNOBS["--lengths"], metavar="N,N")
    knob(parser, "--shared-prefix", whole(0), KNOBS["--shared-prefix"], metavar="N")
    knob(parser, "--size", read_size, KNOBS["--size"])
    knob(parser, "--bandwidth", read_rate, KNOBS["--bandwidth"], metavar="RATE")
    flag(parser, "--table", KNOBS["--table"])


def render(result: Result, lang: str) -> str:
    if result.table is not None:
        from labs.view.capacity_table import render_table

        return render_table(result, lang)
    from labs.view.capacity import render_capacity

    return render_capacity(result, lang)


def document(result: Result) -> dict[str, Any]:
    from labs.view.units import rounded

    params, shape = result.params, result.shape
    given = dict(params.__dict__)
    given["config"] = params.config.name if params.config else None
    given["lengths"] = list(params.lengths)
    if params.model is None and params.config is None:
        given.update(params.plain_size())
    figures: dict[str, Any] = {
        "kv_bytes_per_token": shape.bytes_per_token,
        "kv_bytes_per_token_growing": shape.bytes_per_token_growing,
        "kv_bytes_per_token_per_rank": result.rank_shape.bytes_per_token,
        "layers": shape.layers,
        "query_heads": shape.query_heads,
        "kv_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "groups": [dict(group.__dict__) for group in shape.groups],
        "kv_bytes": result.kv_bytes,
        "kv_bytes_within_windows": result.kept_bytes,
        **{key: getattr(result, key) for key in ("blocks", "reserved_slots", "used_slots", "pooled_blocks")},
        "shared_tokens": result.shared_tokens,
        "logical_bytes": result.logical_bytes,
        "physical_bytes": result.physical_bytes,
        "transfer_bytes": result.transfer_bytes,
        "transfer_ms": rounded(*result.transfer_ms, 6) / 10**6,
    }
    if result.table is not None:
        figures["table"] = result.table.document()
    return {"params": given, "result": figures}
