"""Prefix lab: which cached blocks of one prompt another prompt may reuse.

Prompt A has been computed and its full blocks stand in the cache, each under the hash of (parent's hash,
own tokens, extra keys): `labs.engine.hash_chain`. Prompt B walks its own hashes from the front and
stops at the first that is not there. Of what it finds it may use whole blocks up to num_tokens - 1.

    block_size   tokens a block                 match    both hashes exist and are equal
    position     0-based index of a token       reusable tokens   min(matching prefix, bound)

Source: the course's lab B; vLLM 0.32.0 for the two engine schemes (there another namespace, that is
another model, is another engine with another pool: all miss, digests unchanged).
Does not model: eviction, reference counts, who computes a block first; it is no permission system.
"""

from __future__ import annotations

from labs.base import Record, check_bounds, require
from labs.engine.blocks import max_hit_tokens, num_blocks
from labs.engine.hash_chain import DEFAULT_SEED, MAX_TOKEN_ID, SCHEMES, ExtraKeys, block_hashes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from labs.predict.answer import Answer
    from labs.view.page.markup import Figure


class Params(Record):
    """Two prompts and what their keys cover; the defaults are the lecture's case."""

    a: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    b: tuple[int, ...] = (1, 2, 9, 4, 5, 6)
    block_size: int = 2
    namespace: str = "model-a"
    other_namespace: str = "model-b"
    salt: str = ""
    lora: tuple[str, str] | None = None
    scheme: str = "lab"
    hash_seed: str = DEFAULT_SEED

    def check(self) -> None:
        check_bounds(self.block_size, "--block-size", 1)
        require(self.scheme in SCHEMES, "--scheme", "not_one_of", self.scheme, choices=", ".join(SCHEMES))
        for name, tokens in (("--a", self.a), ("--b", self.b)):
            for token in tokens:
                check_bounds(token, name, 0, MAX_TOKEN_ID)


class Block(Record):
    """One block of both prompts; a hash is None where the block is not full, or not there."""

    index: int
    a_tokens: tuple[int, ...]
    b_tokens: tuple[int, ...]
    a_hash: bytes | None
    b_hash: bytes | None
    match: bool
    reason: str | None


class FirstMiss(Record):
    """Where the look-up stops, and the two values that differ there (for not_full: the lengths)."""

    block: int
    reason: str
    position: int
    a_value: int | str
    b_value: int | str


class Comparison(Record):
    """B's blocks looked up in a cache that holds A's."""

    blocks: tuple[Block, ...]
    first_miss: FirstMiss | None

    @property
    def matches(self) -> list[bool]:
        return [block.match for block in self.blocks]


class Result(Record):
    """B looked up three times, and how far its reuse reaches, in tokens."""

    params: Params
    same: Comparison
    other_namespace: Comparison
    other_salt: Comparison | None
    matching_tokens: int
    bound_tokens: int

    @property
    def holds(self) -> bool:
        """Nothing is claimed here that could fail."""
        return True

    @property
    def reusable_tokens(self) -> int:
        """Tokens of B that need not be computed: the matching prefix, but no more than the bound."""
        return min(self.matching_tokens, self.bound_tokens)


def run(params: Params) -> Result:
    """Look B up under A's conditions, in another namespace and, if there is a salt, without it."""
    keys = ExtraKeys(params.salt, params.lora, (), params.namespace)
    cached = hashes(params, params.a, keys)
    same = compare(params, cached, keys, keys)
    matching_blocks = same.first_miss.block if same.first_miss else len(same.blocks)
    return Result(
        params,
        same,
        compare(params, cached, keys, keys.replace(namespace=params.other_namespace)),
        compare(params, cached, keys, keys.replace(salt="")) if params.salt else None,
        matching_blocks * params.block_size,
        max_hit_tokens(len(params.b), params.block_size),
    )


def hashes(params: Params, token_ids: tuple[int, ...], keys: ExtraKeys) -> list[bytes]:
    return block_hashes(token_ids, params.block_size, params.scheme, params.hash_seed, keys)


def compare(params: Params, cached: list[bytes], a_keys: ExtraKeys, b_keys: ExtraKeys) -> Comparison:
    """Every block of A, whose hashes are cached, beside the same block of B, and why they differ."""
    size = params.block_size
    looked_up = hashes(params, params.b, b_keys)
    same_pool = params.scheme == "lab" or a_keys.namespace == b_keys.namespace
    blocks = []
    for index in range(num_blocks(max(len(params.a), len(params.b)), size)):
        a_hash = cached[index] if index < len(cached) else None
        b_hash = looked_up[index] if index < len(looked_up) else None
        span = slice(index * size, (index + 1) * size)
        a_tokens, b_tokens = params.a[span], params.b[span]
        if a_hash is None or b_hash is None:
            reason: str | None = "not_full"
        elif a_hash == b_hash and same_pool:
            reason = None
        elif a_keys.namespace != b_keys.namespace:
            reason = "namespace_differs"
        elif index == 0 and a_keys.salt != b_keys.salt:
            reason = "salt_differs"
        else:
            reason = "tokens_differ" if a_tokens != b_tokens else "parent_differs"
        blocks.append(Block(index, a_tokens, b_tokens, a_hash, b_hash, reason is None, reason))
    missed = next((block for block in blocks if not block.match), None)
    first_miss = None if missed is None else _first_miss(missed, params, a_keys, b_keys)
    return Comparison(tuple(blocks), first_miss)


def _first_miss(block: Block, params: Params, a_keys: ExtraKeys, b_keys: ExtraKeys) -> FirstMiss:
    reason = str(block.reason)
    start = block.index * params.block_size
    if reason == "namespace_differs":
        return FirstMiss(block.index, reason, start, a_keys.namespace, b_keys.namespace)
    if reason == "salt_differs":
        return FirstMiss(block.index, reason, start, a_keys.salt or "", b_keys.salt or "")
    if reason == "not_full":
        lengths = (len(params.a), len(params.b))
        return FirstMiss(block.index, reason, min(lengths), *lengths)
    offset = next(i for i, (x, y) in enumerate(zip(block.a_tokens, block.b_tokens)) if x != y)
    return FirstMiss(block.index, reason, start + offset, block.a_tokens[offset], block.b_tokens[offset])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from labs.files.tokens import read_lora, read_tokens
    from labs.options import knob, nonempty_text, one_of, text_value, whole
    from labs.view.catalog.prefix import KNOBS

    for name in ("--a", "--b"):
        knob(parser, name, read_tokens, KNOBS[name], metavar="TOKENS")
    knob(parser, "--block-size", whole(1), KNOBS["--block-size"], metavar="N")
    for name in ("--namespace", "--other-namespace", "--hash-seed"):
        knob(parser, name, nonempty_text, KNOBS[name], metavar="TEXT")
    knob(parser, "--salt", text_value, KNOBS["--salt"], metavar="TEXT")
    knob(parser, "--lora", read_lora, KNOBS["--lora"], metavar="NAME:PATH")
    knob(parser, "--scheme", one_of(SCHEMES), KNOBS["--scheme"], metavar="{lab,sha256_cbor,sha256}")


def render(result: Result, lang: str) -> str:
    from labs.view.prefix import render_prefix

    return render_prefix(result, lang)


def predicted(result: Result, text: str) -> Answer:
    """Predicted matches and reusable tokens; `labs.predict.prefix` says how they are written."""
    from labs.predict.prefix import check_look_up, read_guesses

    return check_look_up(result, read_guesses(text))


def figure(result: Result) -> Figure:
    """The result drawn for `--html`."""
    from labs.view.page.prefix import prefix_figure

    return prefix_figure(result)


def document(result: Result) -> dict[str, Any]:
    def miss(comparison: Comparison) -> dict[str, Any] | None:
        return None if comparison.first_miss is None else comparison.first_miss.as_dict()

    def hexed(block: Block) -> dict[str, Any]:
        row = block.as_dict()
        return {**row, **{k: row[k].hex() if row[k] else None for k in ("a_hash", "b_hash")}}

    figures: dict[str, Any] = {
        "blocks": [hexed(block) for block in result.same.blocks],
        "matches": result.same.matches,
        "first_miss": miss(result.same),
        "other_namespace_matches": result.other_namespace.matches,
        "other_namespace_first_miss": miss(result.other_namespace),
        "matching_tokens": result.matching_tokens,
        "reusable_tokens": result.reusable_tokens,
    }
    if result.other_salt is not None:
        figures["other_salt_matches"] = result.other_salt.matches
        figures["other_salt_first_miss"] = miss(result.other_salt)
    return {"params": result.params.as_dict(), "result": figures}
