"""Prefix lab, four groups: what a cached prompt spares the next request, counted by an engine's own pool.

    cold           the prompt, while the cache is empty
    warm           the same prompt again
    early change   the same prompt with one token near its start changed
    not a prefix   the same prompt after some other tokens, so not at the start

Each group has an engine of its own. In all but the first the cold request has been served and freed before,
and nothing else: what differs between two groups is the request alone. A request is served as it is on
admission, in the three steps of `serve`; it ends with its first output, whose K and V nobody computes.

    hit blocks       leading blocks found in the hash table: floor((num_tokens - 1) / block_size) at most
    hit tokens       hit blocks x block_size       computed tokens   prompt tokens - hit tokens
    evicted blocks   taken for this request although they could still be hit: their keys are lost

Source: the course's L6; vLLM 0.32.0, `kv_cache_manager.KVCacheManager` and `block_pool.BlockPool`.
Does not model: requests at the same time, outputs, time, other stores than the pool, salts and adapters.
"""

from __future__ import annotations

from labs.base import LabError, Record, check_bounds, require
from labs.engine.blocks import max_hit_tokens, num_blocks
from labs.engine.hash_chain import MAX_TOKEN_ID
from labs.engine.knobs import Knobs
from labs.engine.kv.block_pool import UNLIMITED, BlockPool
from labs.engine.kv.kv_manager import KVManager
from labs.engine.requests import Request
from labs.engine.run.live_requests import LiveRequests, sampled_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from labs.engine.run.live_request import LiveRequest

COLD, WARM, EARLY_CHANGE, NOT_A_PREFIX = "cold", "warm", "early change", "not a prefix"
NEW_TOKENS = (99, 98)  # what the changed token becomes: the first that it is not yet
EARLY = 5  # in the second block of the default run, so that one block before it can be hit


class Params(Record):
    """The cached prompt and how the later requests differ; `kv_blocks` None is a pool without end.

    The other tokens of the last group are one whole block by default: so its blocks hold the same tokens as
    the cached ones, and differ in their parents only.
    """

    prompt: tuple[int, ...] = tuple(range(1, 15))
    change: int = EARLY
    before: tuple[int, ...] = (90, 91, 92, 93)
    block_size: int = 4
    kv_blocks: int | None = None

    def check(self) -> None:
        for name, tokens in (("--prompt", self.prompt), ("--before", self.before)):
            require(bool(tokens), name, "is_empty")
            for token in tokens:
                check_bounds(token, name, 0, MAX_TOKEN_ID)
        check_bounds(self.change, "--change", 0, len(self.prompt) - 1)
        check_bounds(self.block_size, "--block-size", 1)
        if self.kv_blocks is None:
            return
        check_bounds(self.kv_blocks, "--kv-blocks", 1)
        for name, tokens in self.requests.items():
            needed = num_blocks(len(tokens), self.block_size)
            if needed > self.kv_blocks:
                raise LabError(
                    "--kv-blocks",
                    "larger_than_pool",
                    self.kv_blocks,
                    name=f"'{name}'",
                    tokens=len(tokens),
                    needed=needed,
                    block_size=self.block_size,
                )

    @property
    def new_token(self) -> int:
        """What stands at `change` after the change."""
        return next(token for token in NEW_TOKENS if token != self.prompt[self.change])

    @property
    def requests(self) -> dict[str, tuple[int, ...]]:
        """The tokens that each group asks for."""
        changed = (*self.prompt[: self.change], self.new_token, *self.prompt[self.change + 1 :])
        return {
            COLD: self.prompt,
            WARM: self.prompt,
            EARLY_CHANGE: changed,
            NOT_A_PREFIX: (*self.before, *self.prompt),
        }


def params(**given: Any) -> Params:
    """Params from the knobs given; a prompt too short for the default change is changed in its last token."""
    if given.get("prompt") and "change" not in given:
        given["change"] = min(EARLY, len(given["prompt"]) - 1)
    return Params(**given)


class Group(Record):
    """One group's request: where its blocks lie, which were hit, and what it left of the cached prompt.

    The look-up stopped at logical block `len(hit_blocks)` for `reason`; `position` is that of the first token
    in which the cached prompt differs, None if there is none.
    `left_tokens` is what the cached prompt would hit after this request.
    """

    name: str
    tokens: tuple[int, ...]
    hit_blocks: tuple[int, ...]
    hit_tokens: int
    block_table: tuple[int, ...]
    evicted_blocks: tuple[int, ...]
    reason: str
    position: int | None
    left_tokens: int

    @property
    def computed_tokens(self) -> int:
        return len(self.tokens) - self.hit_tokens


class Result(Record):
    """The four groups, and the most that the look-up allows the warm one, in tokens."""

    params: Params
    groups: tuple[Group, ...]
    bound_tokens: int

    @property
    def holds(self) -> bool:
        """The pool gave the warm group exactly what the rule says."""
        return self.group(WARM).hit_tokens == self.bound_tokens

    def group(self, name: str) -> Group:
        return next(group for group in self.groups if group.name == name)


def run(params: Params) -> Result:
    """Serve each group's request by an engine of its own."""
    groups = [play(params, name, tokens) for name, tokens in params.requests.items()]
    return Result(params, tuple(groups), max_hit_tokens(len(params.prompt), params.block_size))


def play(params: Params, name: str, tokens: tuple[int, ...]) -> Group:
    """One group: the cold request first, unless this is it, then the group's own."""
    kv = KVManager(BlockPool(params.kv_blocks or UNLIMITED), params.block_size)
    live = LiveRequests(Knobs(block_size=params.block_size), sampled_token)
    prompt = Request(COLD, len(params.prompt), 0, prompt=params.prompt)
    cached: tuple[int, ...] = ()
    if name != COLD:
        serve(kv, live(prompt, 1))
        cached = params.prompt
    hit, table, evicted = serve(kv, live(Request(name, len(tokens), 0, prompt=tokens), 2))
    left = kv.cached_blocks(live(prompt, 3))
    reason, position = why_no_further(tokens, cached, params.block_size)
    return Group(
        name,
        tokens,
        tuple(hit),
        len(hit) * params.block_size,
        tuple(table),
        tuple(evicted),
        reason,
        position,
        len(left) * params.block_size,
    )


def serve(kv: KVManager, request: LiveRequest) -> tuple[list[int], list[int], list[int]]:
    """Look up, allocate, compute, free: returns the blocks hit, the block table, the blocks evicted."""
    with_key = set(kv.pool.key_of)
    hit = kv.cached_blocks(request)
    taken = kv.allocate(request, request.num_tokens - len(hit) * kv.block_size, hit)
    assert taken is not None, "Params.check lets no request pass that the pool cannot hold"
    table = request.block_table
    kv.free(request)
    return hit, table, [block for block in taken if block in with_key]


def why_no_further(
    tokens: tuple[int, ...], cached: tuple[int, ...], block_size: int
) -> tuple[str, int | None]:
    """Why the look-up of these tokens ends where it does, and the position of the first other token.

    It is told by comparing tokens, without a hash: the pool decides what is hit, this says why.

    >>> why_no_further((1, 2, 3, 4), (1, 2, 3, 4), 2), why_no_further((1, 2, 9, 4), (1, 2, 3, 4), 2)
    (('bound', None), ('tokens_differ', 2))
    """
    if not cached:
        return "empty_cache", None
    pairs = zip(tokens, cached)
    shorter = min(len(tokens), len(cached))
    alike = next((i for i, (token, other) in enumerate(pairs) if token != other), shorter)
    position = alike if alike < shorter else None
    if alike // block_size == len(tokens) // block_size:
        return ("not_full" if len(tokens) % block_size else "bound"), position
    if position is None:
        return "cached_ends", None
    return "tokens_differ", position


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from labs.files.tokens import read_tokens
    from labs.options import knob, whole
    from labs.view.catalog.prefix_groups import KNOBS

    for name in ("--prompt", "--before"):
        knob(parser, name, read_tokens, KNOBS[name], metavar="TOKENS")
    knob(parser, "--change", whole(0), KNOBS["--change"], metavar="POSITION")
    for name in ("--block-size", "--kv-blocks"):
        knob(parser, name, whole(1), KNOBS[name], metavar="N")


def render(result: Result, lang: str) -> str:
    from labs.view.prefix_groups import render_groups

    return render_groups(result, lang)


def document(result: Result) -> dict[str, Any]:
    groups = [
        {
            "name": group.name,
            "prompt_tokens": len(group.tokens),
            "blocks": len(group.block_table),
            "hit_blocks": group.hit_blocks,
            "hit_tokens": group.hit_tokens,
            "computed_tokens": group.computed_tokens,
            "block_table": group.block_table,
            "evicted_blocks": group.evicted_blocks,
            "stopped_at": {
                "block": len(group.hit_blocks),
                "reason": group.reason,
                "position": group.position,
            },
            "cached_prompt_hit_tokens_afterwards": group.left_tokens,
        }
        for group in result.groups
    ]
    figures = {"groups": groups, "warm_bound_tokens": result.bound_tokens}
    return {"params": result.params.as_dict(), "result": figures}
