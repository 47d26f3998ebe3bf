"""Capacity lab, what fits: KV blocks, tokens and concurrency of a model on GPUs of a given memory.

    available (B)     ceil(GPU x utilization) - weights - overhead, on every GPU; or --kv-memory as it is
    pages, groups     `labs.sizing.layers`, `labs.sizing.grouping`
    blocks, fit       `labs.sizing.plan`

A size may be given once, for all ranks, or once a rank: stage by stage, within a stage by tensor rank. With
nothing given it is the course's question 3: Llama-3-8B, requests of 4096 + 2048 tokens, 80 GiB with 16 GiB
of weights.

Source: vLLM 0.32.0, `get_kv_cache_configs`.
Does not model: what a profile run would find (weights and overhead are what the user says), CUDA graphs,
draft models, layouts that pack blocks outermost.
"""

from __future__ import annotations

from labs.base import Record, check_bounds, require
from labs.model.config_file import read_stack
from labs.model.kv import DTYPE_BYTES, read_dtype
from labs.model.stack import ModelStack, built_in_stack
from labs.sizing.grouping import cache_groups
from labs.sizing.layers import Deployment, LayerSpec, block_alignment, check_context_parallel, layer_specs
from labs.sizing.plan import Plan, Worker, bytes_of_stages, memory_for_kv, plan_of, stages_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from fractions import Fraction
    from typing import Any

    from labs.predict.answer import Answer

AUTO = -1
COURSE_MODEL, COURSE_LENGTH = "llama-3-8b", 6144
COURSE = {"gpu": (80 << 30,), "weights": (16 << 30,)}
MEMORY = ("gpu", "kv_memory")
SIZES = ("gpu", "weights", "overhead", "kv_memory")
MOST_RANKS = 4096


class Params(Record):
    """The deployment. Sizes are tuples of bytes, one for all ranks or one a rank.

    `max_model_len` None is the config's own, -1 the longest that fits. `gpu` and `kv_memory` exclude each
    other; `utilization` is an exact fraction, None 0.9. `is_built_in` tells that the model was named, and not
    read from a file.
    """

    stack: ModelStack
    tp: int = 1
    pp: int = 1
    pp_partition: tuple[int, ...] | None = None
    dcp: int = 1
    kv_dtype: str = "bfloat16"
    state_dtype: str | None = None
    block_size: int = 16
    max_model_len: int | None = None
    max_num_batched_tokens: int = 8192
    async_scheduling: bool = False
    prefix_caching: bool = True
    gpu: tuple[int, ...] = ()
    utilization: Fraction | None = None
    weights: tuple[int, ...] = ()
    overhead: tuple[int, ...] = ()
    kv_memory: tuple[int, ...] = ()
    num_gpu_blocks_override: int | None = None
    is_built_in: bool = False

    def check(self) -> None:
        for name in ("tp", "pp", "dcp", "block_size", "max_num_batched_tokens"):
            check_bounds(getattr(self, name), "--" + name.replace("_", "-"), 1)
        check_bounds(self.tp * self.pp, "--tp", 1, MOST_RANKS)
        require(bool(self.gpu or self.kv_memory), "--gpu", "needs_memory", "nothing")
        for name in SIZES:
            option, sizes = "--" + name.replace("_", "-"), getattr(self, name)
            whole = len(sizes) in (0, 1, self.tp * self.pp)
            require(whole, option, "once_or_a_rank", len(sizes), ranks=self.tp * self.pp)
            if self.kv_memory and name != "kv_memory":
                require(not sizes, option, "not_with", "both", other="--kv-memory")
        if self.kv_memory:
            require(self.utilization is None, "--utilization", "not_with", "both", other="--kv-memory")
        check_context_parallel(self.stack, self.tp, self.dcp)
        got = "auto" if self.max_model_len == AUTO else "nothing"
        require(self.asked_max_model_len is not None, "--max-model-len", "no_length", got)

    @property
    def asked_max_model_len(self) -> int | None:
        """The longest request asked for; with auto-fit the config's own length is the bound."""
        own = self.stack.max_model_len
        return own if self.max_model_len in (None, AUTO) else self.max_model_len

    @property
    def bytes_per_element(self) -> int:
        """Bytes of one element of K or V."""
        return DTYPE_BYTES[self.kv_dtype]

    @property
    def deployment(self) -> Deployment:
        """What the sizes of layers depend on."""
        return Deployment(
            tp=self.tp,
            pp=self.pp,
            dcp=self.dcp,
            kv_dtype=self.kv_dtype,
            block_size=self.block_size,
            max_num_batched_tokens=self.max_num_batched_tokens,
            async_scheduling=self.async_scheduling,
            prefix_caching=self.prefix_caching,
            state_dtype=self.state_dtype,
        )

    def of_rank(self, name: str, rank: int) -> int:
        """A size on one rank, 0 if it was not given."""
        sizes: tuple[int, ...] = getattr(self, name)
        return sizes[rank if len(sizes) > 1 else 0] if sizes else 0

    def available_bytes(self, rank: int) -> int:
        """Memory for KV on one rank; negative if weights and overhead take more than there is."""
        from fractions import Fraction

        if self.kv_memory:
            return self.of_rank("kv_memory", rank)
        used = (self.of_rank("weights", rank), self.of_rank("overhead", rank))
        return memory_for_kv(self.of_rank("gpu", rank), self.utilization or Fraction(9, 10), *used)


class Result(Record):
    """The plan, and what it was made from: all cached layers in order, and the model layer of each."""

    params: Params
    specs: tuple[LayerSpec, ...]
    layer_of: tuple[int, ...]
    stages: tuple[range, ...]
    plan: Plan
    holds: bool = True

    @property
    def bytes_per_token_of_ranks(self) -> tuple[int, ...]:
        """Bytes that a token leaves on each rank that keeps it, every attention layer charged.

        With context parallelism one rank in `dcp` keeps it.
        """
        return tuple(self._bytes_of_stage(self.stages[worker.stage]) for worker in self.plan.workers)

    def _bytes_of_stage(self, stage: range) -> int:
        stack, tp = self.params.stack, self.params.tp
        layers = [one for index in stage for one in stack.layers[index]]
        on_rank = [one.on_one_rank(tp).in_dtype(self.params.bytes_per_element) for one in layers]
        return sum(one.bytes_per_token for one in on_rank)

    @property
    def enlarged_block(self) -> tuple[int, int, int, int] | None:
        """Tokens of an attention block that grew, its alignment, and a state's and a token's bytes."""
        states = [spec for spec in self.specs if spec.kind == "linear"]
        attention = [spec for spec in self.specs if spec.kind != "linear"]
        if not states or not attention or attention[0].block_size == self.params.block_size:
            return None
        align = block_alignment(self.params.stack, self.params.deployment)
        widest = max(spec.page_bytes // spec.block_size for spec in attention)
        return attention[0].block_size, align, states[0].widths[0], widest

    @property
    def request_bytes_of_all(self) -> int:
        """Bytes of a asked_max_model_len request's blocks on all ranks."""
        return self.plan.blocks_of_request * sum(worker.bytes_per_block for worker in self.plan.workers)


def run(params: Params) -> Result:
    """Group the layers, and set each rank's memory against its own layers."""
    by_layer = layer_specs(params.stack, params.deployment)
    specs = tuple(spec for layer in by_layer for spec in layer)
    layer_of = tuple(index for index, layer in enumerate(by_layer) for _ in layer)
    require(bool(specs), "--config", "keeps_nothing", len(by_layer))
    groups = cache_groups(specs)
    stages = stages_of(len(by_layer), params.pp, params.pp_partition)
    per_block = bytes_of_stages(groups, layer_of, stages)
    require(all(per_block), "--pp", "stage_without_layers", per_block.index(0) if 0 in per_block else "")
    workers = [
        Worker(rank, rank // params.tp, params.available_bytes(rank), per_block[rank // params.tp])
        for rank in range(params.tp * params.pp)
    ]
    assert params.asked_max_model_len is not None  # checked by Params
    plan = plan_of(
        groups,
        tuple(workers),
        params.asked_max_model_len,
        params.deployment.in_flight,
        params.dcp,
        params.num_gpu_blocks_override,
        auto_fit=params.max_model_len == AUTO,
    )
    return Result(params, specs, layer_of, stages, plan)


def params(model: ModelStack | None = None, config: ModelStack | None = None, **options: Any) -> Params:
    """The options as parameters: one of `--config` and `--model` is the stack; sizes are gathered."""
    require(model is None or config is None, "--model", "not_with", "both", other="--config")
    for name in set(SIZES) & set(options):
        options[name] = tuple(size for given in options[name] for size in given)
    stack = config or model
    if stack is None:
        stack = built_in_stack(COURSE_MODEL, "--model")
        options = {**COURSE, **options} if not set(MEMORY) & set(options) else options
        options.setdefault("max_model_len", COURSE_LENGTH)
    return Params(stack=stack, is_built_in=config is None, **options)


def read_max_model_len(text: str, where: str) -> int:
    """Tokens, or `auto` (also -1): the longest that fits."""
    from labs.options import whole

    return AUTO if text in ("auto", "-1") else whole(1, 10**9)(text, where)


def read_sizes(text: str, where: str) -> tuple[int, ...]:
    """One size, or several parted by commas, in bytes; what is taken off may be nothing."""
    from labs.view.units import read_memory, read_memory_or_none

    read = read_memory_or_none if where in ("--weights", "--overhead") else read_memory
    return tuple(read(part, where) for part in text.split(","))


def read_partition(text: str, where: str) -> tuple[int, ...]:
    """Layers of each pipeline stage, parted by commas."""
    from labs.options import whole

    return tuple(whole(1)(part, where) for part in text.split(","))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options; a file named by `--config` is read while the line is."""
    from labs.options import knob, switch, whole
    from labs.view.catalog.capacity_fit import KNOBS
    from labs.view.units import read_share

    knob(parser, "--config", read_stack, KNOBS["--config"], metavar="FILE")
    knob(parser, "--model", built_in_stack, KNOBS["--model"], metavar="NAME")
    for name in ("--tp", "--pp", "--dcp"):
        knob(parser, name, whole(1, MOST_RANKS), KNOBS[name], metavar="N")
    knob(parser, "--pp-partition", read_partition, KNOBS["--pp-partition"], metavar="N,N")
    knob(parser, "--kv-dtype", read_dtype, KNOBS["--kv-dtype"], metavar="DTYPE")
    knob(parser, "--state-dtype", read_dtype, KNOBS["--state-dtype"], metavar="DTYPE")
    knob(parser, "--block-size", whole(1, 10**6), KNOBS["--block-size"], metavar="N")
    knob(parser, "--max-model-len", read_max_model_len, KNOBS["--max-model-len"], metavar="N|auto")
    name = "--max-num-batched-tokens"
    knob(parser, name, whole(1, 10**9), KNOBS[name], metavar="N")
    for name in ("--async-scheduling", "--prefix-caching"):
        switch(parser, name, KNOBS[name])
    for name in ("--gpu", "--weights", "--overhead", "--kv-memory"):
        knob(parser, name, read_sizes, KNOBS[name], metavar="SIZE", action="append")
    knob(parser, "--utilization", read_share, KNOBS["--utilization"], metavar="SHARE")
    name = "--num-gpu-blocks-override"
    knob(parser, name, whole(1, 10**12), KNOBS[name], metavar="N")


def render(result: Result, lang: str) -> str:
    """The derivation line by line, then what fits."""
    from labs.view.capacity_fit import render_fit

    return render_fit(result, lang)


def predicted(result: Result, text: str) -> Answer:
    """Predicted quantities; `labs.predict.capacity_fit` says which, `quantities` beside it how."""
    from labs.predict.capacity_fit import fit_quantities
    from labs.predict.quantities import check_quantities, read_statements

    quantities = fit_quantities(result)
    return check_quantities(quantities, read_statements(text, quantities))


def document(result: Result) -> dict[str, Any]:
    """The result as JSON has it, under the names that the engine's own runs are recorded with."""
    from labs.view.capacity_fit_json import fit_document

    return fit_document(result)
