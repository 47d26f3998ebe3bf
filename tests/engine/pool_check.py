"""Recorded calls on vLLM's KV manager, replayed on this lab's: the first difference, or None."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from labs.engine.kv.block_keys import ChainedKeys
from labs.engine.kv.block_pool import BlockPool
from labs.engine.kv.kv_manager import KVManager
from labs.engine.run.live_request import LiveRequest
from tests.engine.golden_cases import Case, Difference, first_difference, same_length


class Replay:
    """A KV manager, and the requests that came to it.

    `usable` counts blocks without the null block; a prompt is token ids.
    """

    def __init__(
        self, usable: int, block_size: int = 4, caching: bool = True, watermark_blocks: int = 0
    ) -> None:
        self.pool = BlockPool(usable)
        self.kv = KVManager(self.pool, block_size, caching, watermark_blocks)
        self.block_size = block_size
        self.requests: dict[str, LiveRequest] = {}
        self.outputs: dict[str, list[int]] = {}
        self.numbered: dict[tuple[Hashable, ...], int] = {}

    def request(self, name: str, prompt: Sequence[int], salt: str = "") -> LiveRequest:
        """The request of that name; it is made the first time."""
        if name not in self.requests:
            outputs = self.outputs[name] = []

            def sampled(n: int) -> int:
                return outputs[n - 1] if n <= len(outputs) else -n  # not known yet: no token

            keys = ChainedKeys(tuple(prompt), self.block_size, self.numbered, sampled, salt)
            self.requests[name] = LiveRequest(name, len(prompt), 10**6, keys)
        return self.requests[name]

    def hit(self, name: str) -> list[int]:
        """The blocks that a look-up finds."""
        return self.kv.cached_blocks(self.requests[name])

    def admit(self, name: str, tokens: int | None = None, *, others_run: bool = True) -> list[int] | None:
        """Allocate so many tokens beyond the hit (all that are left, unless given); the new blocks."""
        request = self.requests[name]
        hit = self.kv.cached_blocks(request)
        hit_tokens = len(hit) * self.block_size
        wanted = request.num_tokens - hit_tokens if tokens is None else tokens
        taken = self.kv.allocate(request, wanted, hit, joins=True, others_run=others_run)
        if taken is not None:
            request.num_computed_tokens = hit_tokens + wanted
        return taken

    def decode(self, name: str, token: int) -> bool:
        """Append a sampled token and take the slot that the next step needs for it."""
        request = self.requests[name]
        self.outputs[name].append(token)
        request.num_tokens += 1
        return self.grow(name, request.num_tokens)

    def grow(self, name: str, num_tokens: int) -> bool:
        """Slots for so many tokens in all of a request that runs."""
        request = self.requests[name]
        fits = self.kv.extend(request, num_tokens)
        if fits:
            request.num_computed_tokens = num_tokens
        return fits

    def free(self, name: str) -> list[int]:
        """Give a request's blocks back; they were these."""
        table = self.requests[name].block_table
        self.kv.free(self.requests[name])
        return table

    def cached_blocks(self) -> dict[str, int]:
        """Blocks in the hash table, and the tokens of their request up to the block's end."""
        depth_of: dict[Hashable, int] = {}
        for (parent, _), key in self.numbered.items():  # a parent is numbered before its children
            depth_of[key] = depth_of.get(parent, 0) + 1 if isinstance(parent, int) else 1
        entered = sorted(self.pool.key_of.items())
        return {str(block): depth_of[key] * self.block_size for block, key in entered}

    def ref_counts(self) -> dict[str, int]:
        """Users of the blocks that have any."""
        return {str(block): count for block, count in enumerate(self.pool.ref_cnt) if count}


# Usable blocks, one fewer than the pool has, and whether there is prefix caching.
POOLS = {
    "basic": (10, True),
    "lru": (7, True),
    "touch": (9, True),
    "duplicate_blocks": (11, True),
    "exhaustion": (4, True),
    "hit_needs_capacity": (4, True),
    "no_prefix_cache": (6, False),
    "reset": (6, True),
}


def difference(rows: Sequence[Case], usable: int, caching: bool) -> Difference:
    """Hand-made calls, compared in what each returned and in the pool that it left."""
    replay = Replay(usable, 4, caching)
    for step, row in enumerate(rows, 1):
        got = {
            **_call(replay, row),
            "free_queue": replay.pool.free_queue(),
            "num_free": replay.pool.num_free,
            "usage": round(replay.pool.num_used / replay.pool.num_blocks, 6),
            "cached_blocks": replay.cached_blocks(),
            "ref_cnt": replay.ref_counts(),
        }
        inputs = ("op", "req", "tokens", "token", "new_tokens", "events")
        found = first_difference(step, got, {key: row[key] for key in row if key not in inputs})
        if found:
            return found
    return None


def _call(replay: Replay, row: Case) -> dict[str, object]:
    """Make the call of a row; what it returned, by the names of the file."""
    if row["op"] == "start":
        return {}
    if row["op"].startswith("reset"):
        return {"returned": replay.pool.reset()}
    if row["op"] == "A second chunk":
        replay.grow("A", 6)
        return {f"table_{name}": replay.requests[name].block_table for name in "AB"}
    name = row["req"]
    request = replay.request(name, row["tokens"])
    hit = replay.hit(name)
    found: dict[str, object] = {"hit_tokens": len(hit) * replay.block_size, "hit_blocks": hit}
    if row["op"] == "lookup":
        return found
    if row["op"] == "free":
        return {"table": replay.free(name)}
    held = len(request.block_table)
    if row["op"] == "admit":
        ok = replay.admit(name, row["new_tokens"]) is not None
        held = len(hit)
    else:
        ok = replay.decode(name, row["token"])
    table = list(request.block_table)
    return {**found, "ok": ok, "new_blocks": table[held:] if ok else None, "table": table if ok else None}


def fuzz_difference(case: Case) -> Difference:
    """Random calls, compared in what each returned and in the pool that it left."""
    replay = Replay(case["usable_blocks"], case["block_size"], case["prefix_caching"])
    for step, op in enumerate(case["ops"], 1):
        name = op["id"]
        got: dict[str, object] = {"ok": True, "hit": None}
        if op["op"] == "admit":
            request = replay.request(name, op["prompt"])
            got["hit"] = len(replay.hit(name)) * replay.block_size
            got["ok"] = replay.admit(name, others_run=False) is not None
            got["table"] = list(request.block_table) if got["ok"] else None
        elif op["op"] == "decode":
            got["ok"] = replay.decode(name, op["token"])
            got["table"] = list(replay.requests[name].block_table)
            if not got["ok"]:
                replay.free(name)
        else:
            got["table"] = replay.free(name)
        got["free_queue"] = replay.pool.free_queue()
        got["cached"] = sorted(replay.pool.key_of)
        found = first_difference(step, got, {key: op[key] for key in got})
        if found:
            return found
    return same_length(len(replay.requests), len({op["id"] for op in case["ops"]}))
