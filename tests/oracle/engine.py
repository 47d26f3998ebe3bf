"""What vLLM's constructors ask for before its scheduler or its KV manager can be driven without a model.

Models nothing: every answer comes from vLLM. The model is the config of a two-layer toy that is never
loaded, the KV cache is one group of full attention, and all that matters to a run is a named argument.

- `budget` (tokens): what a step may hand out. It is set as max_num_scheduled_tokens, because the engine
  refuses max_num_batched_tokens below max_num_seqs.
- `num_blocks` (blocks): the whole pool; block 0 is the null block, so one less is usable.
"""

from __future__ import annotations

import atexit
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HASH_SEED = "0"

# Read by vLLM when it is imported, hence set here and vLLM imported inside the functions below. The hash
# seed is read from the environment when the root hash is made; the interpreter's own hashing is not meant.
os.environ.update(
    HF_HUB_OFFLINE="1",
    PYTHONHASHSEED=HASH_SEED,
    TRANSFORMERS_OFFLINE="1",
    VLLM_CPU_KVCACHE_SPACE="1",
    VLLM_ENABLE_V1_MULTIPROCESSING="0",
    VLLM_LOGGING_LEVEL="ERROR",
    VLLM_NO_USAGE_STATS="1",
)

TOY_MODEL = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "vocab_size": 512,
    "max_position_embeddings": 1 << 20,
    "torch_dtype": "float32",
}

_folder = tempfile.TemporaryDirectory(prefix="toy-model-")
atexit.register(_folder.cleanup)


def new_scheduler(
    *,
    budget: int,
    num_blocks: int,
    block_size: int,
    max_num_seqs: int,
    caching: bool,
    max_model_len: int,
    transfer: Any,
    scheduler: dict[str, Any],
) -> Any:
    """A Scheduler; `scheduler`: further SchedulerConfig fields, `transfer`: a KVTransferConfig or None."""
    from vllm.v1.core.sched.scheduler import Scheduler
    from vllm.v1.structured_output import StructuredOutputManager

    fields = {
        "max_num_scheduled_tokens": budget,
        "max_num_batched_tokens": max(budget, max_num_seqs),
        "max_num_seqs": max_num_seqs,
        "max_model_len": max_model_len,
        "enable_chunked_prefill": True,
        "async_scheduling": False,
        **scheduler,
    }
    fields["scheduler_reserve_full_isl"] = fields.pop("reserve_full_isl", True)
    config = _engine_config(block_size, caching, transfer, fields)
    config.cache_config.num_gpu_blocks = num_blocks
    made = Scheduler(
        vllm_config=config,
        kv_cache_config=full_attention_pool(num_blocks, block_size),
        structured_output_manager=StructuredOutputManager(config),
        block_size=block_size,
        log_stats=True,
    )
    made.use_v2_model_runner = False  # it would list resumed requests among the new ones
    return made


def _toy_model(max_model_len: int) -> Any:
    from vllm.config import ModelConfig

    Path(_folder.name, "config.json").write_text(json.dumps(TOY_MODEL), "ascii")
    return ModelConfig(
        model=_folder.name,
        skip_tokenizer_init=True,
        dtype="float32",
        seed=0,
        max_model_len=max_model_len,
        enforce_eager=True,
    )


def _engine_config(block_size: int, caching: bool, transfer: Any, scheduler: dict[str, Any]) -> Any:
    from vllm.config import CacheConfig, DeviceConfig, ParallelConfig, SchedulerConfig, VllmConfig

    config = VllmConfig(
        model_config=_toy_model(scheduler["max_model_len"]),
        cache_config=CacheConfig(block_size=block_size, enable_prefix_caching=caching),
        scheduler_config=SchedulerConfig(
            is_encoder_decoder=False,
            disable_hybrid_kv_cache_manager=transfer is not None,
            **scheduler,
        ),
        parallel_config=ParallelConfig(),
        device_config=DeviceConfig(device="cpu"),
        kv_transfer_config=transfer,
    )
    # The CPU platform rewrites fields while it validates them, so what was asked for is set again.
    for field, value in scheduler.items():
        setattr(config.scheduler_config, field, value)
    config.cache_config.block_size = block_size
    config.cache_config.enable_prefix_caching = caching
    return config


def full_attention_pool(num_blocks: int, block_size: int) -> Any:
    """A KVCacheConfig of one full-attention group; `num_blocks` counts the null block."""
    import torch
    from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec

    page = FullAttentionSpec(block_size=block_size, num_kv_heads=1, head_size=1, dtype=torch.float32)
    groups = [KVCacheGroupSpec(["layer"], page)]
    return KVCacheConfig(num_blocks=num_blocks, kv_cache_tensors=[], kv_cache_groups=groups)


def block_hasher(block_size: int) -> Any:
    """vLLM's own `sha256_cbor` chain, for `new_request`."""
    from vllm.utils.hashing import get_hash_fn_by_name
    from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash

    digest = get_hash_fn_by_name("sha256_cbor")
    init_none_hash(digest)
    return get_request_block_hasher(block_size, digest)


def new_request(
    name: str,
    prompt: Iterable[int],
    hasher: Any,
    *,
    max_tokens: int = 16,
    priority: int = 0,
    arrival: float = 0.0,
    cache_salt: str | None = None,
) -> Any:
    """A text request; `hasher` is None where prefix caching is off."""
    from vllm import SamplingParams
    from vllm.v1.request import Request

    return Request(
        request_id=name,
        prompt_token_ids=list(prompt),
        sampling_params=SamplingParams(max_tokens=max_tokens, ignore_eos=True),
        pooling_params=None,
        arrival_time=arrival,
        cache_salt=cache_salt,
        priority=priority,
        block_hasher=hasher,
    )


def free_queue(pool: Any) -> list[int]:
    """The ids of the free blocks, the next to be handed out first."""
    return [block.block_id for block in pool.free_block_queue.get_all_free_blocks()]


def hashed_blocks(pool: Any) -> list[int]:
    """The ids of the blocks that carry a hash, in order."""
    return sorted(block.block_id for block in pool.blocks if block.block_hash is not None)
