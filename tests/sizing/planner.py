"""The planner's recorded cases as this lab's inputs, and the lab's plan in the words of the records.

Everything is worked out when a test asks for it, so that a mistake put into the code is in it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from labs.sizing.grouping import CacheGroup, cache_groups
from labs.sizing.layers import Deployment, LayerSpec
from labs.sizing.plan import Plan, Worker, bytes_per_block, plan_of

GOLDEN = Path(__file__).parents[1] / "golden"
ELEMENT_BYTES = {"bfloat16": 2, "float32": 4, "float8_e4m3fn": 1}
SPECS = {
    "full": "FullAttentionSpec",
    "mla": "MLAAttentionSpec",
    "sliding": "SlidingWindowSpec",
    "chunked": "ChunkedLocalAttentionSpec",
    "linear": "MambaSpec",
}
LATENT = 576
# real models by what their names begin with, the longest counts: kinds of layers, over and over; layers; KV
# heads on a rank; head dim; what else is set
HALF = {"dtype": "float8_e4m3fn"}
NAMED: dict[str, tuple[str, int, int, int, dict[str, Any]]] = {
    "llama3_8b": ("f", 32, 8, 128, {}),
    "llama3_8b_40GiB_8192_bs32": ("f", 32, 8, 128, {"block_size": 32}),
    "llama3_8b_40GiB_8192_bs128": ("f", 32, 8, 128, {"block_size": 128}),
    "llama3_8b_fp8": ("f", 32, 8, 128, HALF),
    "llama3_8b_tp2": ("f", 32, 4, 128, {}),
    "llama3_70b_tp1": ("f", 80, 8, 128, {}),
    "llama3_70b_tp8": ("f", 80, 1, 128, {}),
    "qwen25_7b": ("f", 28, 4, 128, {}),
    "mistral7b_v01_all_sliding": ("s", 32, 8, 128, {"window": 4096}),
    "gemma3_4b": ("sssssf", 34, 4, 256, {"window": 1024}),
    "gpt_oss_20b": ("sf", 24, 8, 64, {"window": 128}),
    "deepseek_v2_lite_mla": ("l", 27, 1, LATENT, {}),
    "deepseek_v3_mla_bs64": ("l", 61, 1, LATENT, {"block_size": 64}),
    "tiny_cpu_model": ("f", 2, 2, 32, {"dtype": "float32", "block_size": 32}),
}
KINDS = {"f": "full", "s": "sliding", "l": "mla"}
OVERRIDES = {"llama3_8b_override_100": 100}
UNEVEN = {"llama3_8b_tp2_uneven_memory": (40 << 30, 30 << 30)}


class Case(NamedTuple):
    """What the planner is asked: layers in order, workers stage by stage, and the limits."""

    layers: list[dict[str, Any]]
    stages: list[list[int]]
    available_bytes: list[int]
    max_model_len: int
    max_num_batched_tokens: int = 8192
    adds_a_step: bool = False  # async scheduling, where it does
    dcp: int = 1
    prefix_caching: bool = False
    num_blocks_override: int | None = None
    auto_fit: bool = False


@cache
def _read(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


@cache
def mixed() -> dict[str, dict[str, Any]]:
    """The hand-made cases by name."""
    return {case["name"]: case for case in _read("kv_sizing_mixed.json")["cases"]}


@cache
def named() -> dict[str, dict[str, Any]]:
    """The real models by name."""
    models: dict[str, dict[str, Any]] = _read("kv_sizing.json")["models"]
    return models


@cache
def random() -> list[dict[str, Any]]:
    """The random models of one kind or ratio."""
    rows: list[dict[str, Any]] = _read("sizing_fuzz.json")["sizing"]
    return rows


def mixed_case(name: str) -> Case:
    """A hand-made case as it is asked."""
    case = mixed()[name]
    stages = case["stages"]
    steps = case["async_scheduling"] and (case["model_runner"] == 2 or len(stages) == 1)
    return Case(
        [case["kinds"][letter] for letter in case["layers"]],
        stages,
        case["available_bytes"],
        case["max_model_len"],
        case["max_num_batched_tokens"],
        steps,
        case["dcp"],
        case["prefix_caching_align"],
        case["num_gpu_blocks_override"],
        case["auto_fit"],
    )


def named_case(name: str) -> Case:
    """A real model as it is asked."""
    case = named()[name]
    period, count, heads, head_dim, more = NAMED[max((n for n in NAMED if name.startswith(n)), key=len)]
    size = {"block_size": 16, "dtype": "bfloat16", "kv_heads": heads, "head_dim": head_dim, **more}
    auto_fit = name.endswith("autofit")  # its own max_model_len is the answer
    return Case(
        [{"kind": KINDS[period[at % len(period)]], **size} for at in range(count)],
        [[0, count]],
        list(UNEVEN.get(name, (case["available_bytes"],))),
        8192 if auto_fit else case["max_model_len"],
        2048 if name.endswith("batched2048") else 8192,
        name.endswith("async"),
        num_blocks_override=OVERRIDES.get(name),
        auto_fit=auto_fit,
    )


def random_case(at: int) -> Case:
    """A random model as it is asked; every n-th layer of a hybrid is full."""
    case = random()[at]
    model = case["model"]
    every = model.get("full_every", 0)
    kinds = [
        model["kind"] if model["kind"] != "hybrid" else "sliding" if (layer + 1) % every else "full"
        for layer in range(model["layers"])
    ]
    return Case(
        [{**model, "kind": kind} for kind in kinds],
        [[0, model["layers"]]],
        [case["available_bytes"]],
        case["max_model_len"],
        model["max_num_batched_tokens"],
        model["async_scheduling"],
    )


def spec_of(layer: dict[str, Any], aligned: bool) -> LayerSpec:
    """A recorded layer: its page is block x heads x (K + V) x bytes, a latent's block x width x bytes."""
    kind, block = layer["kind"], layer["block_size"]
    if kind == "mamba":
        page = layer.get("page_size_padded") or layer["state_bytes"]
        return LayerSpec("linear", block, page, (layer["state_bytes"],), None, 2 if aligned else 1)
    element, k_dim = ELEMENT_BYTES[layer["dtype"]], layer["head_dim"]
    if kind == "mla":
        return LayerSpec("mla", block, block * k_dim * element, (k_dim * element,))
    heads, v_dim = layer["kv_heads"], layer.get("head_dim_v") or k_dim
    page = block * heads * (k_dim + v_dim) * element
    window = layer["window"] if kind != "full" else None
    return LayerSpec(kind, block, page, (heads, k_dim, v_dim), window)


def plan(case: Case) -> Plan:
    """The lab's plan for a case; `LabError` where its pages cannot be unified."""
    groups = cache_groups([spec_of(layer, case.prefix_caching) for layer in case.layers])
    ranks = len(case.available_bytes) // len(case.stages)
    workers = []
    for rank, available in enumerate(case.available_bytes):
        stage = rank // ranks
        workers.append(Worker(rank, stage, available, bytes_per_block(groups, range(*case.stages[stage]))))
    deployment = Deployment(
        pp=len(case.stages),
        max_num_batched_tokens=case.max_num_batched_tokens,
        async_scheduling=case.adds_a_step,
    )
    return plan_of(
        groups,
        tuple(workers),
        case.max_model_len,
        deployment.in_flight,
        case.dcp,
        case.num_blocks_override,
        case.auto_fit,
    )


def shown(plan: Plan, available_bytes: list[int]) -> dict[str, Any]:
    """The plan under the names of the records; bytes by worker."""
    groups = [_group(*pair) for pair in zip(plan.groups, plan.blocks_of_groups, strict=True)]
    if not plan.fits:
        return {"estimated_max_model_len": plan.estimated_max_model_len, "groups": groups}
    per_block = [worker.bytes_per_block for worker in plan.workers]
    unused = [own - plan.num_blocks * size for own, size in zip(available_bytes, per_block, strict=True)]
    return {
        "max_model_len": plan.max_model_len,
        "max_in_flight_tokens": plan.in_flight,
        "groups": groups,
        "bytes_per_block": per_block,
        "num_blocks": plan.num_blocks,
        "unused_bytes": unused,
        "blocks_per_max_len_request": plan.blocks_of_request,
        "max_concurrency": float(plan.max_concurrency),
        "kv_cache_size_tokens": plan.kv_cache_size_tokens,
    }


def _group(group: CacheGroup, blocks: int) -> dict[str, Any]:
    first = group.specs[0]
    found = {
        "layers": len(group.places),
        "spec": SPECS[first.kind],
        "block_size": first.block_size,
        "page_bytes_per_layer": first.page_bytes,
        "blocks_per_max_len_request": blocks,
    }
    if not group.is_uniform:
        pages = [spec.page_bytes for spec in group.specs]
        found.update(spec="UniformTypeKVCacheSpecs", page_bytes_per_layer=sum(pages), pages=pages)
    return found
