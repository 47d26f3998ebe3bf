"""Capacity lab: how many bytes of KV a model keeps, in how many blocks, and how long they travel.

    KV per token (B)   2 (K and V) x layers x KV heads x head dim x bytes per element
    KV of a request    tokens x KV per token
    blocks             ceil(tokens / block size), each request by itself; slots = blocks x block size
    transfer (s)       bytes x 8 bit/B / (bit/s)

Layers with windows, latents (MLA) or fixed states come from a model or its config: `labs.model`. Every
attention layer is charged in full unless a figure says otherwise.

Memory and transfer are lower bounds, but for models whose layers have windows: charging those in full is
more than they need. The figure for windows that forget is less than an engine holds.

Source: the course's lab D and module 5; vLLM 0.32.0's KV sizing.

Does not model
- weights, activations and the engine's own memory; the size of linear states; scales of quantised KV;
- tokens in flight, for which an engine keeps blocks beside those of a window (`labs.model.shape`);
- latency, protocol and contention of a transfer.
"""

from __future__ import annotations

from labs.base import Record, check_bounds, require
from labs.engine.blocks import num_blocks
from labs.model.kv import DTYPE_BYTES, read_dtype
from labs.model.shape import ModelShape, uniform_group
from labs.model.sharing import blocks_of, physical_tokens, shared_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from typing import Any

    from labs.model.course import Table
    from labs.predict.answer import Answer
    from labs.view.page.markup import Figure

NOT_WITH_PREDICT = ("table",)
LECTURE = {"layers": 32, "kv_heads": 8, "head_dim": 128}


class Params(Record):
    """The knobs; the defaults are the lecture's case. `size` in bytes, `bandwidth` in bit/s.

    `tokens`, `lengths` and `shared_prefix` count tokens, `block_size` tokens a block, `tp` ranks.
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
        """Raise `LabError` at the option if a value is out of bounds or two options exclude each other."""
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
        """Bytes of one element of K or V in the chosen dtype."""
        return DTYPE_BYTES[self.kv_dtype]

    def plain_size(self) -> dict[str, int]:
        """Layers, KV heads and head dim of a model given by knobs; the lecture's where not given."""
        return {name: getattr(self, name) or value for name, value in LECTURE.items()}


class Result(Record):
    """The figures of one run, all exact and for the whole model; `rank_shape` is one rank's share of it.

    kv_bytes          one request, every attention layer charged in full
    kept_bytes        the same once windows have forgotten, without tokens in flight
    blocks_of_each    blocks of each of `params.lengths`; `blocks` is their sum
    reserved_slots    slots in those blocks, `used_slots` of them hold a token
    pooled_blocks     blocks if requests could share one: what they would take, and do not
    shared_tokens     tokens of the common prefix that stand once
    logical_bytes     all requests at once, as if nothing were shared; `physical_bytes` as stored
    transfer_bytes    what travels: `params.size`, or the KV of the request
    """

    params: Params
    shape: ModelShape
    rank_shape: ModelShape
    kv_bytes: int
    kept_bytes: int
    blocks_of_each: tuple[int, ...]
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
    def transfer_bits(self) -> int:
        """Bits that travel; over `params.bandwidth`, which is in bit/s, they give seconds."""
        return 8 * self.transfer_bytes


def run(params: Params) -> Result:
    """Size the request, its blocks, its sharing and its transfer.

    >>> result = run(Params())
    >>> result.shape.bytes_per_token, result.kv_bytes, result.blocks_of_each
    (131072, 1073741824, (2, 2))
    """
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
        blocks_of_each=tuple([num_blocks(length, size) for length in params.lengths]),
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


def read_lengths(text: str, where: str) -> tuple[int, ...]:
    """Request lengths parted by commas, in tokens; `LabError` for anything but whole numbers from 1.

    >>> read_lengths("17,31", "--lengths")
    (17, 31)
    """
    from labs.options import whole

    return tuple(whole(1)(part, where) for part in text.split(","))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the lab's knobs; a file named by `--config` is read while the line is."""
    from labs.model.config_file import read_model_config
    from labs.model.models import MODELS, read_model
    from labs.options import flag, knob, whole
    from labs.view.catalog.capacity import KNOBS
    from labs.view.units import read_rate, read_size

    knob(parser, "--model", read_model, _listing("--model", MODELS), metavar="NAME")
    knob(parser, "--config", read_model_config, KNOBS["--config"], metavar="FILE")
    for name in ("--layers", "--kv-heads", "--head-dim", "--tokens", "--block-size", "--concurrency", "--tp"):
        knob(parser, name, whole(1), KNOBS[name], metavar="N")
    knob(parser, "--kv-dtype", read_dtype, _listing("--kv-dtype", DTYPE_BYTES), metavar="DTYPE")
    knob(parser, "--lengths", read_lengths, KNOBS["--lengths"], metavar="N,N")
    knob(parser, "--shared-prefix", whole(0), KNOBS["--shared-prefix"], metavar="N")
    knob(parser, "--size", read_size, KNOBS["--size"])
    knob(parser, "--bandwidth", read_rate, KNOBS["--bandwidth"], metavar="RATE")
    flag(parser, "--table", KNOBS["--table"])


def _listing(option: str, names: Iterable[str]) -> tuple[str, str]:
    """An option's help with the names that it takes behind it."""
    from labs.view.catalog.capacity import KNOBS

    english, chinese = KNOBS[option]
    return english + ", ".join(names), chinese + "、".join(names)


def render(result: Result, lang: str) -> str:
    """The result as text; with `--table` the course's table in its place."""
    if result.table is not None:
        from labs.view.capacity_table import render_table

        return render_table(result, lang)
    from labs.view.capacity import render_capacity

    return render_capacity(result, lang)


def predicted(result: Result, text: str) -> Answer:
    """Predicted quantities; `labs.predict.capacity` says which, `quantities` beside it how."""
    from labs.predict.capacity import capacity_quantities
    from labs.predict.quantities import check_quantities, read_statements

    quantities = capacity_quantities(result)
    return check_quantities(quantities, read_statements(text, quantities))


def figure(result: Result) -> Figure:
    """The result drawn for `--html`."""
    from labs.view.page.capacity import capacity_figure

    return capacity_figure(result)


def document(result: Result) -> dict[str, Any]:
    """The result as JSON has it: sizes in bytes, times in ms to 6 places; a config by its path."""
    from labs.view.capacity_json import capacity_document

    return capacity_document(result)
