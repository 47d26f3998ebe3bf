"""Makes kv_cache.json: block tables, hits, free order, eviction, gate and watermark of vLLM's KVCacheManager.

Run `python -m tests.oracle.kv_cache FILE` where vLLM is installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tests.oracle.golden_file import main
from tests.oracle.pool_run import PoolRun

# A call: its name, the request, then what it needs. A new request is made where its prompt is given.
Call = tuple[Any, ...]

BASIC: Sequence[Call] = (
    ("note", "start"),
    ("create", "A", range(10, 20)),
    ("admit", "A"),
    ("decode", "A", 20),
    ("decode", "A", 21),
    ("decode", "A", 22),  # the 13th token opens a fourth block
    ("create", "B", range(50, 55)),
    ("admit", "B"),
    ("free", "A"),
    ("free", "B"),
)
# Reused first: partial tails, then blocks never used, then hashed ones, oldest release and tail first.
FREE_ORDER: Sequence[Call] = (
    ("note", "start"),
    ("create", "A", range(9)),
    ("create", "B", range(100, 108)),
    ("admit", "A"),
    ("admit", "B"),
    ("free", "A"),
    ("free", "B"),
    ("create", "C", range(200, 204)),
    ("admit", "C"),
    ("create", "D", range(300, 308)),
    ("admit", "D"),
    ("create", "E", range(400, 404)),
    ("admit", "E"),
    ("create", "A2", range(9)),
    ("lookup", "A2"),
    ("admit", "A2", 5),
)
# A hit takes blocks out of the middle of the free queue, or shares those in use.
TOUCH: Sequence[Call] = (
    ("create", "A", range(12)),
    ("admit", "A"),
    ("free", "A"),
    ("create", "B", (*range(8), 77, 78)),
    ("admit", "B"),
    ("create", "C", (*range(8), 88)),
    ("admit", "C"),
    ("free", "B"),
    ("free", "C"),
)
EXHAUSTION: Sequence[Call] = (
    ("create", "A", range(8)),
    ("admit", "A"),
    ("create", "B", range(100, 112)),
    ("admit", "B"),  # three blocks wanted, two left
    ("admit", "B", 8),
    ("free", "B"),
    ("create", "B2", range(100, 112)),
    ("admit", "B2", 8, True),  # the first chunk would fit, the gate says no
    ("free", "A"),
    ("admit", "B2", 8, True),
)
# Cached blocks without a user count against the free ones too.
HIT_NEEDS_CAPACITY: Sequence[Call] = (
    ("create", "A", range(12)),
    ("admit", "A"),
    ("free", "A"),
    ("create", "X", range(500, 504)),
    ("admit", "X"),
    ("create", "A2", (*range(12), 1, 2)),
    ("lookup", "A2"),
    ("admit", "A2"),
    ("free", "X"),
    ("admit", "A2"),
)
NO_CACHE: Sequence[Call] = (
    ("note", "start"),
    ("create", "A", range(8)),
    ("create", "B", range(100, 104)),
    ("admit", "A"),
    ("admit", "B"),
    ("free", "A"),
    ("free", "B"),
    ("create", "C", range(8)),
    ("admit", "C"),
)
RESET: Sequence[Call] = (
    ("create", "A", range(8)),
    ("admit", "A"),
    ("reset", "reset while A runs"),
    ("free", "A"),
    ("reset", "reset when idle"),
    ("create", "A2", range(8)),
    ("lookup", "A2"),
)
# Prompt length and block size, both in tokens.
FULL_HITS = (
    *((31, 16), (32, 16), (33, 16), (34, 16), (48, 16), (16, 16), (17, 16), (15, 16)),
    *((64, 32), (65, 32), (1, 1), (2, 1), (8, 1), (256, 256), (257, 256), (512, 256)),
)


def played(num_blocks: int, calls: Sequence[Call], *, caching: bool = True) -> list[dict[str, Any]]:
    """The log of the calls on a fresh pool with blocks of 4."""
    run = PoolRun(num_blocks, 4, caching)
    for name, *words in calls:
        if name == "reset":
            run.note(words[0], returned=run.manager.reset_prefix_cache())
        else:
            getattr(run, str(name))(*words)
    return run.log


def duplicates() -> list[dict[str, Any]]:
    """Two running requests compute the same block: A ends a chunk inside it, so B finds nothing yet."""
    run = PoolRun(12)
    run.create("A", range(6))
    run.admit("A", 3)
    run.create("B", range(6))
    run.admit("B", 6)
    run.manager.allocate_slots(run.requests["A"], 3)
    run.requests["A"].num_computed_tokens = 6
    run.note("A second chunk", table_A=run.table("A"), table_B=run.table("B"))
    run.create("C", range(6))
    run.lookup("C")
    run.free("A")
    run.create("D", range(6))
    run.lookup("D")
    return run.log


def hit_of(
    num_blocks: int, block_size: int, first: Iterable[int], second: Iterable[int], *, free: bool
) -> int:
    """The second prompt's hit (tokens) once the first one is computed, and freed if asked."""
    run = PoolRun(num_blocks, block_size)
    run.create("first", first)
    run.admit("first")
    if free:
        run.free("first")
    run.create("second", second)
    return run.lookup("second")


def full_hits() -> dict[str, Any]:
    """How much of a prompt is reused when all its full blocks are cached."""
    rows = []
    for prompt, block in FULL_HITS:
        blocks = 4 + 2 * (prompt // block + 2)
        hit = hit_of(blocks, block, range(prompt), range(prompt), free=True)
        row = {"prompt": prompt, "block": block, "cached_full_blocks": prompt // block, "hit_tokens": hit}
        row |= {"hit_blocks": hit // block, "recomputed": prompt - hit}
        capped = (prompt - 1) // block * block
        rows.append(row | {"formula": capped, "agrees": hit == capped})
    others = {
        "longer_request_hit": range(40),
        "diverges_after_16_hit": (*range(16), *[999] * 24),
        "first_token_differs_hit": (999, *range(1, 40)),
    }
    hits = {name: hit_of(12, 16, range(32), prompt, free=False) for name, prompt in others.items()}
    return {"identical_prompt": rows, **hits}


def watermarks() -> list[dict[str, Any]]:
    """A of 5 blocks comes to an empty engine, where no watermark holds, then B of 2 blocks."""
    rows = []
    for fraction in (0.0, 0.25, 0.5):
        run = PoolRun(9, watermark=fraction)
        run.create("A", range(20))
        row: dict[str, Any] = {"watermark": fraction, "watermark_blocks": run.manager.watermark_blocks}
        row["A_admitted"] = run.admit("A", alone=True)
        row["free_before_B"] = run.pool.get_num_free_blocks()
        run.create("B", range(100, 108))
        rows.append(row | {"B_needs": 2, "B_admitted": run.admit("B")})
    return rows


def build(_base: int) -> dict[str, Any]:
    """Every case; no seeds are drawn. The slots of a block table are arithmetic, for the reader's sake."""
    table, block = (7, 2, 9), 4
    slots = [(position, table[position // block], position % block) for position in (0, 6, 8, 11)]
    return {
        "note": "block 0 is the null block and never handed out",
        "basic": played(11, BASIC),
        "full_hit": full_hits(),
        "lru": played(8, FREE_ORDER),
        "touch": played(10, TOUCH),
        "duplicate_blocks": duplicates(),
        "exhaustion": played(5, EXHAUSTION),
        "hit_needs_capacity": played(5, HIT_NEEDS_CAPACITY),
        "no_prefix_cache": played(7, NO_CACHE, caching=False),
        "reset": played(7, RESET),
        "watermark": watermarks(),
        "slot_math": [{"position": p, "block": b, "offset": o, "slot": b * block + o} for p, b, o in slots],
    }


if __name__ == "__main__":
    main(__doc__, build)
