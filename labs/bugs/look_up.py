"""Looking a prompt up among another one's full blocks: the right way, broken ways, invariants.

B's full blocks are looked up from the front, up to the first that is not in the table, and no further than
the bound.

    right keys    h[i] = H(h[i-1], tokens of block i)      right bound   num_tokens - 1, then whole blocks
    logits        at least one token of B is computed, for its logits
    prefix        a block that is hit stands behind the same tokens in both prompts

Source: `labs.engine.hash_chain`, `labs.engine.blocks`.
Does not model: eviction, several cached prompts.
"""

from __future__ import annotations

from labs.base import Record
from labs.bugs import Break
from labs.engine.blocks import max_hit_tokens
from labs.engine.hash_chain import DEFAULT_SEED, NO_EXTRA_KEYS, ExtraKeys, block_hashes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Prompts(Record):
    """A, whose blocks are in the table, and B; and what their keys cover."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    block_size: int = 2
    scheme: str = "lab"
    hash_seed: str = DEFAULT_SEED
    extra: ExtraKeys = NO_EXTRA_KEYS


def chained(prompts: Prompts, token_ids: tuple[int, ...]) -> list[bytes]:
    """The right keys."""
    return block_hashes(token_ids, prompts.block_size, prompts.scheme, prompts.hash_seed, prompts.extra)


class LookUpVariant(Record):
    """How keys are made and how far a hit may reach; the right way by default."""

    keys: Callable[[Prompts, tuple[int, ...]], list[bytes]] = chained
    bound: Callable[[int, int], int] = max_hit_tokens


RIGHT_LOOK_UP = LookUpVariant()


class Looked(Record):
    """A full block of B: A's block with its key (None: not in the table), and whether it is hit."""

    index: int
    tokens: tuple[int, ...]
    found: int | None
    hit: bool


class LookUp(Record):
    """All full blocks of B, and the tokens that need not be computed."""

    blocks: tuple[Looked, ...]
    hit_tokens: int


def look_up(prompts: Prompts, variant: LookUpVariant = RIGHT_LOOK_UP) -> LookUp:
    """Look B up.

    >>> look_up(Prompts((1, 2, 3, 4, 5), (1, 2, 3, 4))).hit_tokens
    2
    """
    size = prompts.block_size
    table: dict[bytes, int] = {}
    for index, key in enumerate(variant.keys(prompts, prompts.a)):
        table.setdefault(key, index)  # of equal keys the first entered is found
    bound = variant.bound(len(prompts.b), size) // size
    blocks: list[Looked] = []
    walks = True
    for index, key in enumerate(variant.keys(prompts, prompts.b)):
        found = table.get(key)
        walks = walks and found is not None and index < bound
        blocks.append(Looked(index, prompts.b[index * size : (index + 1) * size], found, walks))
    return LookUp(tuple(blocks), sum([block.hit for block in blocks]) * size)


def logits(prompts: Prompts, looked: LookUp) -> Break | None:
    """The block that holds the last token is never hit whole."""
    total = len(prompts.b)
    if not total or looked.hit_tokens < total:
        return None
    return Break((total - 1) // prompts.block_size, {"total": total, "hit": looked.hit_tokens, "left": 0})


def prefix(prompts: Prompts, looked: LookUp) -> Break | None:
    """KV depends on every token before it, so these must be the same."""
    size = prompts.block_size
    parts_at = next((i for i, (a, b) in enumerate(zip(prompts.a, prompts.b)) if a != b), len(prompts.b))
    for block in looked.blocks:
        if not block.hit or block.found is None:
            continue
        if block.found != block.index or (block.index + 1) * size > parts_at:
            before = prompts.a[: block.found * size], prompts.b[: block.index * size]
            values = {"tokens": list(block.tokens), "found": block.found, "hit": looked.hit_tokens}
            return Break(block.index, {**values, "a_before": list(before[0]), "b_before": list(before[1])})
    return None


OF_LOOK_UPS: dict[str, Callable[[Prompts, LookUp], Break | None]] = {"logits": logits, "prefix": prefix}
