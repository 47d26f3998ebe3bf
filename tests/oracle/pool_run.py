"""vLLM's KVCacheManager, driven without a scheduler: every call is logged with the state it left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.oracle.engine import block_hasher, free_queue, full_attention_pool, new_request


class PoolRun:
    """A manager, the requests by name, and `log`, one row a call.

    `num_blocks` counts the null block; `watermark` is the fraction of them to keep free on admission.
    """

    def __init__(
        self, num_blocks: int, block_size: int = 4, caching: bool = True, watermark: float = 0.0
    ) -> None:
        from vllm.v1.core.kv_cache_manager import KVCacheManager

        self.manager = KVCacheManager(
            full_attention_pool(num_blocks, block_size),
            max_model_len=4096,
            scheduler_block_size=block_size,
            hash_block_size=block_size,
            enable_caching=caching,
            enable_kv_cache_events=True,
            log_stats=True,
            watermark=watermark,
        )
        self.pool = self.manager.block_pool
        self.hasher = block_hasher(block_size) if caching else None
        self.requests: dict[str, Any] = {}
        self.log: list[dict[str, Any]] = []

    def table(self, name: str) -> list[int]:
        """The block table of a request."""
        return list(self.manager.get_block_ids(name)[0])

    def note(self, op: str, **facts: Any) -> None:
        """Log a row: the call, its facts, the events since the last row and the pool as it is now."""
        if facts.get("req") in self.requests:
            facts["tokens"] = list(self.requests[facts["req"]].all_token_ids)
        events = [
            {"kind": type(event).__name__, "n": len(getattr(event, "block_hashes", None) or [])}
            for event in self.manager.take_events()
        ]
        blocks = self.pool.blocks
        hashed = {str(b.block_id): b.block_hash_num_tokens for b in blocks if b.block_hash is not None}
        users = {str(b.block_id): b.ref_cnt for b in blocks if b.ref_cnt and not b.is_null}
        state = {
            "free_queue": free_queue(self.pool),
            "num_free": self.pool.get_num_free_blocks(),
            "usage": round(self.manager.usage, 6),
            "cached_blocks": hashed,
            "ref_cnt": users,
        }
        self.log.append({"op": op, **facts, "events": events, **state})

    def create(self, name: str, prompt: Iterable[int]) -> None:
        """Make a request; nothing is logged."""
        self.requests[name] = new_request(name, prompt, self.hasher)

    def lookup(self, name: str) -> int:
        """Ask for cached blocks only; returns the hit in tokens."""
        blocks, hit, _ = self.manager.get_computed_blocks(self.requests[name])
        self.note("lookup", req=name, hit_tokens=hit, hit_blocks=list(blocks.get_block_ids()[0]))
        return int(hit)

    def admit(self, name: str, tokens: int | None = None, whole: bool = False, alone: bool = False) -> bool:
        """Look up, then allocate `tokens` beyond the hit (all that are left, unless given).

        `whole` asks for the admission gate, `alone` says that nothing else runs (no watermark then).
        """
        request = self.requests[name]
        blocks, hit, _ = self.manager.get_computed_blocks(request)
        wanted = request.num_tokens - hit if tokens is None else tokens
        got = self.manager.allocate_slots(
            request,
            wanted,
            num_new_computed_tokens=hit,
            new_computed_blocks=blocks,
            full_sequence_must_fit=whole,
            has_scheduled_reqs=not alone,
        )
        ok = got is not None
        if ok:
            request.num_computed_tokens = hit + wanted
        new = list(got.get_block_ids()[0]) if ok else None
        table = self.table(name) if ok else None
        self.note("admit", req=name, hit_tokens=hit, new_tokens=wanted, ok=ok, new_blocks=new, table=table)
        return ok

    def decode(self, name: str, token: int) -> bool:
        """Append a sampled token and allocate the slot that the next step needs for it."""
        request = self.requests[name]
        request.append_output_token_ids(token)
        got = self.manager.allocate_slots(request, request.num_tokens - request.num_computed_tokens)
        ok = got is not None
        if ok:
            request.num_computed_tokens = request.num_tokens
        new = list(got.get_block_ids()[0]) if ok else None
        self.note("decode", req=name, token=token, ok=ok, new_blocks=new, table=self.table(name))
        return ok

    def free(self, name: str) -> None:
        """Give a request's blocks back."""
        table = self.table(name)
        self.manager.free(self.requests[name])
        self.note("free", req=name, table=table)
