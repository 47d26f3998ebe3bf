"""Random sequences of calls on vLLM's KVCacheManager, for `engine_fuzz`."""

from __future__ import annotations

import random
from typing import Any

from tests.oracle.engine import free_queue, hashed_blocks
from tests.oracle.pool_run import PoolRun


class KvFuzz:
    """One random sequence of admissions, decode steps and releases on a pool."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        self.block_size = draw.choice([2, 4, 8])
        usable = draw.randint(6, 24)
        caching = draw.random() < 0.8
        self.run = PoolRun(usable + 1, self.block_size, caching)
        self.head = {
            "seed": seed,
            "block_size": self.block_size,
            "usable_blocks": usable,
            "prefix_caching": caching,
        }
        self.beginnings = [[draw.randint(1, 99) for _ in range(60)] for _ in range(3)]
        self.live: list[str] = []

    def case(self) -> dict[str, Any]:
        """The case as it stands in the file."""
        ops = []
        for _ in range(self.draw.randint(15, 40)):
            kind = self.draw.choice(["admit", "admit", "decode", "decode", "free"])
            if kind == "admit" or self.live:
                op = {"admit": self.admit, "decode": self.decode, "free": self.free}[kind]()
                ops.append(self.noted(op))
        return self.head | {"ops": ops}

    def noted(self, op: dict[str, Any]) -> dict[str, Any]:
        row = next(row for row in reversed(self.run.log) if row["op"] == op["op"])
        result = {"ok": row.get("ok", True), "hit": row.get("hit_tokens"), "table": row["table"]}
        return op | result | {"free_queue": free_queue(self.run.pool), "cached": hashed_blocks(self.run.pool)}

    def admit(self) -> dict[str, Any]:
        length = self.draw.randint(1, 5 * self.block_size)
        beginning = self.draw.choice(self.beginnings)
        shared = self.draw.randint(0, length)
        prompt = beginning[:shared] + [self.draw.randint(100, 999) for _ in range(length - shared)]
        name = f"q{len(self.run.requests)}"
        self.run.create(name, prompt)
        if self.run.admit(name, alone=True):
            self.live.append(name)
        return {"op": "admit", "id": name, "prompt": prompt}

    def decode(self) -> dict[str, Any]:
        name = self.draw.choice(self.live)
        token = self.draw.randint(100, 999)
        op = {"op": "decode", "id": name, "token": token}
        if not self.run.decode(name, token):
            self.run.free(name)
            self.live.remove(name)
            op["then"] = "freed because no block was left"
        return op

    def free(self) -> dict[str, Any]:
        name = self.draw.choice(self.live)
        self.live.remove(name)
        self.run.free(name)
        return {"op": "free", "id": name}
