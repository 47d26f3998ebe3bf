"""From the options of a replay to its parameters: requests, KV blocks and the cost of a step.

    requests   one trace, or a random load; never both
    blocks     --kv-blocks, or what --gpu leaves beside the weights for the KV of --config or --model
    cost       --cost, --cost-fit, or --flops with --memory-bandwidth and --parameters; one of the three

Each function takes its options out of `given` and puts the parameters in.

Does not model: several traces at once; a pool of several groups.
"""

from __future__ import annotations

from labs.base import LabError, require
from labs.replay.load import of_random, of_trace
from labs.replay.step_cost import StatedRates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from labs.files.traces import Trace
    from labs.model.stack import ModelStack

    Given = dict[str, Any]

RANDOM = ("random", "rate", "burstiness", "input_len", "output_len", "seed")
STATED = ("flops", "memory_bandwidth", "parameters")
MODEL = ("config", "model", "gpu", "utilization", "weights", "tp", "kv_dtype")
BLOCK_TOKENS, USUAL_BLOCK = 512, 16  # what an id of Mooncake's traces stands for; the engines' default
INPUT_LEN, OUTPUT_LEN = 1024, 128  # tokens of a random request, as `vllm bench serve` has them
KV_DTYPE = "bfloat16"


def option(name: str) -> str:
    """An option by its destination.

    >>> option("input_len")
    '--input-len'
    """
    return "--" + name.replace("_", "-")


def taken(given: Given, names: Sequence[str]) -> Given:
    """Those of the options that were given, taken out."""
    return {name: given.pop(name) for name in names if name in given}


def put_requests(given: Given, traces: Sequence[Trace]) -> None:
    """`arrivals` with their source, and the size of the blocks; `LabError` unless there is one source."""
    random = taken(given, RANDOM)
    _refuse_inputs(given, traces)
    require(len(traces) <= 1, "TRACE", "needs_trace", f"{len(traces)} files")
    if not traces:
        require("random" in random, "TRACE", "needs_requests")
        _put_random(given, random)
    else:
        require(not random, option(next(iter(random), "")), "not_with", "both", other="TRACE")
        trace = traces[0]
        given.update(arrivals=of_trace(trace.requests), source=trace.path, kind=trace.kind)
        given["untold_outputs"] = sum(request.output_length == 0 for request in trace.requests)
    if given["arrivals"][0].ids is None:
        require("block_tokens" not in given, "--block-tokens", "ids_only", given.get("block_tokens"))
        given.setdefault("block_size", USUAL_BLOCK)
        return
    size = given.setdefault("block_tokens", BLOCK_TOKENS)
    given.setdefault("block_size", size)
    for index, request in enumerate(traces[0].requests):
        tokens, blocks = request.input_length, -(-request.input_length // size)
        if len(request.ids or ()) != blocks:
            where, got = traces[0].place(index), len(request.ids or ())
            raise LabError(where, "trace_block_count", got, tokens=tokens, block_tokens=size, blocks=blocks)


def _put_random(given: Given, random: Given) -> None:
    """What is not told is as the engine's client has it; where rates are swept, the first of them."""
    from labs.replay.arrivals import INF, RandomLoad

    swept = [rate for rate in given.get("sweep_rate", ()) if not isinstance(rate, str)]
    given["rate_from"] = "given" if "rate" in random else "sweep" if swept else "default"
    usual = {"rate": swept[0] if swept else INF, "input_len": INPUT_LEN, "output_len": OUTPUT_LEN}
    load = RandomLoad(num=random.pop("random"), **{**usual, **random})
    given.update(arrivals=of_random(load), load=load)


def _refuse_inputs(given: Given, traces: Sequence[Trace]) -> None:
    """`LabError` if an output would take the place of a file that is read; leaves what was read of these."""
    inputs = [trace.path for trace in traces]
    for name in ("config", "cost_fit"):
        if name in given:
            path, given[name] = given[name]
            inputs.append(path)
    for name in ("csv", "timeline"):
        if name in given:
            from labs.files.writing import is_same_file

            same = any(is_same_file(path, given[name]) for path in inputs)
            require(not same, option(name), "is_an_input", given[name])


def put_model(given: Given) -> None:
    """KV blocks and the cost, as told or derived; `LabError` where options contradict each other."""
    model = taken(given, MODEL)
    stated = taken(given, STATED)
    require(not ("config" in model and "model" in model), "--config", "not_with", "both", other="--model")
    stack = model.get("config") or model.get("model")
    if "gpu" in model:
        if stack is None:
            raise LabError("--config", "needs_model_kv")
        _put_blocks(given, stack, model)
    _put_cost(given, stack, stated, model)
    used = {
        "config": bool(stated) or "gpu" in model,
        "model": bool(stated) or "gpu" in model,
        "utilization": "gpu" in model,
        "weights": bool(stated) or "gpu" in model,
        "tp": bool(stated) or "gpu" in model,
        "kv_dtype": bool(stated) or "gpu" in model,
    }
    for name, is_used in used.items():
        others = "--gpu" if name == "utilization" else "--gpu, --flops"
        require(is_used or name not in model, option(name), "needs_one_of", "neither", other=others)


def _put_blocks(given: Given, stack: ModelStack, model: Given) -> None:
    from fractions import Fraction

    from labs.replay.pool_size import usable_blocks

    require("kv_blocks" not in given, "--kv-blocks", "not_with", "both", other="--gpu")
    given["kv_blocks"] = usable_blocks(
        stack,
        "--config" if "config" in model else "--model",
        given["block_size"],
        model["gpu"],
        model.get("utilization", Fraction(9, 10)),
        model.get("weights", 0),
        model.get("tp", 1),
        model.get("kv_dtype", KV_DTYPE),
    )
    given["blocks_from"] = stack.shape.name


def _put_cost(given: Given, stack: ModelStack | None, stated: Given, model: Given) -> None:
    fitted = given.pop("cost_fit", None)
    for name, other in (("cost", "--cost"), ("cost_fit", "--cost-fit")):
        is_given = fitted is not None if name == "cost_fit" else "cost" in given
        require(not (stated and is_given), option(next(iter(stated), "")), "not_with", "both", other=other)
    require(fitted is None or "cost" not in given, "--cost-fit", "not_with", "both", other="--cost")
    if fitted is not None:
        given.update(cost=fitted.cost, fit=fitted, cost_from="fitted")
    elif "cost" in given:
        given["cost_from"] = "given"
    elif stated:
        for name in STATED:
            require(name in stated, option(name), "needed_with", other=option(next(iter(stated))))
        if stack is None:
            raise LabError("--config", "needs_model_kv")
        given.update(cost=_rates(stack, stated, model).cost(), cost_from="derived")


def _rates(stack: ModelStack, stated: Given, model: Given) -> StatedRates:
    """What the cost is derived from; rates, parameters and weights are those of one rank, as its KV is."""
    from labs.model.kv import DTYPE_BYTES

    shape = stack.shape.on_one_rank(model.get("tp", 1)).in_dtype(DTYPE_BYTES[model.get("kv_dtype", KV_DTYPE)])
    return StatedRates(
        parameters=stated["parameters"],
        kv_bytes_per_token=shape.bytes_per_token,
        flops_per_s=stated["flops"],
        bytes_per_s=stated["memory_bandwidth"],
        weight_bytes=model.get("weights"),
    )
