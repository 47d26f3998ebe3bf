"""Chained keys for what is not chained: content ids, and blocks of token ids.

    key[i] = number of the pair (key[i-1], content of block i)

Equal pairs get equal numbers, in the order in which they first come. So equal keys mean equal prefixes, as
with chained hashes, but exactly: nothing collides.

*Naive* hits are those of ids taken alone: a block counts as hit if its content was seen anywhere, though K
and V depend on all tokens before it, and of another prefix they cannot serve.
Does not model: namespaces, salts, adapters and items in the key.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence


def chained_keys(contents: Iterable[Sequence[Hashable]]) -> list[list[int]]:
    """The keys of each request's blocks, given their contents.

    >>> chained_keys([(7, 8), (8, 7), (7, 8, 7)])
    [[0, 1], [2, 3], [0, 1, 4]]
    """
    numbers: dict[tuple[int, Hashable], int] = {}
    paths = []
    for blocks in contents:
        parent, path = -1, []
        for block in blocks:
            parent = numbers.setdefault((parent, block), len(numbers))
            path.append(parent)
        paths.append(path)
    return paths


def token_blocks(tokens: Sequence[int], block_tokens: int) -> list[tuple[int, ...]]:
    """Token ids cut into blocks; the last one may be partial.

    >>> token_blocks([1, 2, 3], 2)
    [(1, 2), (3,)]
    """
    return [tuple(tokens[at : at + block_tokens]) for at in range(0, len(tokens), block_tokens)]


def naive_hit_blocks(contents: Iterable[Sequence[Hashable]]) -> int:
    """Leading blocks of all requests whose content was seen before, behind whatever prefix.

    >>> naive_hit_blocks([(7, 8), (8, 7), (7, 9)])
    3
    """
    seen: set[Hashable] = set()
    hits = 0
    for blocks in contents:
        hits += next((i for i, block in enumerate(blocks) if block not in seen), len(blocks))
        seen.update(blocks)
    return hits
