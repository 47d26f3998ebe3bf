"""One KV sizing case: layers, memory and knobs go to vLLM's planner, its groups, blocks and tokens come back.

Drives `get_kv_cache_configs` and `get_kv_cache_capacity`; nothing is computed here but which layers lie on a
worker, and `unused_bytes`. No model is loaded: a layer is the spec that the engine would have read off it.

- A layer is {kind, block_size (tokens), dtype, kv_heads (on this rank), head_dim, head_dim_v, window (tokens;
  the chunk of a chunked layer), state_bytes (mamba), page_size_padded (bytes)}; what does not apply is left
  out.
- `stages`: [first, end) layer numbers of the pipeline stages.
- `available_bytes`: one number a worker, stage by stage.
- `model_runner`: 1 or 2; it matters to asynchronous scheduling on several stages only.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from tests.oracle.engine import TOY_MODEL

LAYOUT = "LBHNC"  # one layer after the other, so that groups share pages of one size
DEFAULTS = {
    "max_num_batched_tokens": 8192,
    "async_scheduling": False,
    "model_runner": 1,
    "block_size": 16,
    "dcp": 1,
    "prefix_caching_align": False,
    "num_gpu_blocks_override": None,
    "auto_fit": False,
}
# What the planner says -> the word for it in the file.
ERRORS = {
    "To serve at least one request": "ValueError: not enough KV memory for one request",
    "No available memory": "ValueError: no available memory for the cache blocks",
    "Cannot auto-fit": "ValueError: cannot auto-fit max_model_len",
    "page size is not divisible": "NotImplementedError: page sizes cannot be unified",
    "DCP not support": "AssertionError: DCP does not support sliding windows",
    "division or modulo by zero": "ZeroDivisionError: a stage has no KV layer",
}
REFUSED = (ValueError, NotImplementedError, AssertionError, ZeroDivisionError)

_configs: list[Any] = []


def plan(case: dict[str, Any]) -> dict[str, Any]:
    """The planner's answer to a case whose knobs are all given (see DEFAULTS)."""
    from vllm.v1.core import kv_cache_utils

    config = _configured(case)
    groups: list[Any] = []
    original = kv_cache_utils.get_kv_cache_groups

    def noted(*given: Any) -> Any:
        groups[:] = original(*given)
        return groups

    kv_cache_utils.get_kv_cache_groups = noted
    try:
        made = kv_cache_utils.get_kv_cache_configs(config, _workers(case), list(case["available_bytes"]))
    except REFUSED as error:
        return _refusal(error) | _shown_groups(config, groups)
    finally:
        kv_cache_utils.get_kv_cache_groups = original
    tokens, concurrency = kv_cache_utils.get_kv_cache_capacity(config, made[0])
    blocks = made[0].num_blocks
    sizes = [kv_cache_utils._pool_bytes_per_block(config, worker.kv_cache_groups) for worker in made]
    spare = [room - blocks * size for room, size in zip(case["available_bytes"], sizes, strict=True)]
    shown = _shown_groups(config, groups)
    return {
        "max_model_len": config.model_config.max_model_len,
        "max_in_flight_tokens": config.max_in_flight_tokens,
        **shown,
        "bytes_per_block": sizes,
        "num_blocks": blocks,
        "unused_bytes": spare if case["num_gpu_blocks_override"] is None else None,
        "blocks_per_max_len_request": sum(group["blocks_per_max_len_request"] for group in shown["groups"]),
        "max_concurrency": concurrency,
        "kv_cache_size_tokens": tokens,
    }


def _workers(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Each worker's specs by layer name."""
    specs = [_spec(layer, case["prefix_caching_align"]) for layer in case["layers"]]
    ranks = len(case["available_bytes"]) // len(case["stages"])
    return [
        {f"layer.{number}": specs[number] for number in range(first, end)}
        for first, end in case["stages"]
        for _ in range(ranks)
    ]


def _spec(layer: dict[str, Any], align: bool) -> Any:
    import torch
    from vllm.v1 import kv_cache_interface as specs

    page = {"block_size": layer["block_size"], "page_size_padded": layer.get("page_size_padded")}
    if layer["kind"] == "mamba":
        state = {"shapes": ((layer["state_bytes"],),), "dtypes": (torch.uint8,)}
        return specs.MambaSpec(**page, **state, mamba_cache_mode="align" if align else "none")
    page |= {"head_size": layer["head_dim"], "dtype": getattr(torch, layer["dtype"])}
    if layer["kind"] == "mla":
        return specs.MLAAttentionSpec(**page, num_kv_heads=1)
    page |= {"num_kv_heads": layer["kv_heads"], "head_size_v": layer.get("head_dim_v")}
    if layer["kind"] == "sliding":
        return specs.SlidingWindowSpec(**page, sliding_window=layer["window"])
    if layer["kind"] == "chunked":
        return specs.ChunkedLocalAttentionSpec(**page, attention_chunk_size=layer["window"])
    return specs.FullAttentionSpec(**page)


def _configured(case: dict[str, Any]) -> Any:
    """The one VllmConfig with this case's knobs, set afterwards as the CPU platform rewrites some."""
    if not _configs:
        _configs.append(_toy_config())
    config = _configs[0]
    os.environ["VLLM_USE_V2_MODEL_RUNNER"] = str(case["model_runner"] - 1)
    config.model_config.max_model_len = case["max_model_len"]
    config.model_config.original_max_model_len = -1 if case["auto_fit"] else None
    config.scheduler_config.max_num_batched_tokens = case["max_num_batched_tokens"]
    config.scheduler_config.async_scheduling = case["async_scheduling"]
    config.parallel_config.pipeline_parallel_size = len(case["stages"])
    config.parallel_config.decode_context_parallel_size = case["dcp"]
    config.cache_config.block_size = case["block_size"]
    config.cache_config.num_gpu_blocks_override = case["num_gpu_blocks_override"]
    config.cache_config.mamba_cache_mode = "align" if case["prefix_caching_align"] else "none"
    config.cache_config.kv_cache_layout = LAYOUT
    return config


def _toy_config() -> Any:
    from vllm.config import CacheConfig, DeviceConfig, ModelConfig, SchedulerConfig, VllmConfig

    with tempfile.TemporaryDirectory(prefix="toy-model-") as folder:
        Path(folder, "config.json").write_text(json.dumps(TOY_MODEL), "ascii")
        model = ModelConfig(model=folder, skip_tokenizer_init=True, dtype="float32", enforce_eager=True)
    scheduler = SchedulerConfig(max_num_seqs=256, max_model_len=4096, is_encoder_decoder=False)
    return VllmConfig(
        model_config=model,
        cache_config=CacheConfig(block_size=16),
        scheduler_config=scheduler,
        device_config=DeviceConfig(device="cpu"),
    )


def _refusal(error: BaseException) -> dict[str, Any]:
    known = [word for said, word in ERRORS.items() if said in str(error)]
    estimate = re.search(r"maximum model length is (\d+)", str(error))
    return {
        "error": known[0] if known else f"{type(error).__name__}: {error}",
        "estimated_max_model_len": int(estimate[1]) if estimate else None,
    }


def _shown_groups(config: Any, groups: list[Any]) -> dict[str, Any]:
    """The whole model's groups; `pages` of a group of unlike layers are listed layer by layer."""
    shown = []
    for group in groups:
        spec = group.kv_cache_spec
        own = {"layers": len(group.layer_names), "spec": type(spec).__name__, "block_size": spec.block_size}
        own["page_bytes_per_layer"] = spec.page_size_bytes
        if hasattr(spec, "kv_cache_specs"):
            own["pages"] = [part.page_size_bytes for part in spec.kv_cache_specs.values()]
        try:
            own["blocks_per_max_len_request"] = -(
                -spec.max_memory_usage_bytes(config) // spec.page_size_bytes
            )
        except AssertionError:
            own["blocks_per_max_len_request"] = None
        own["layer_numbers"] = [int(name.removeprefix("layer.")) for name in group.layer_names]
        shown.append(own)
    return {"groups": shown} if shown else {}
