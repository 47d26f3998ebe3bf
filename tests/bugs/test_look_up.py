"""Looking up: the right way against a comparison of token prefixes, the broken ways where they differ.

Turned red by: a walk that goes on after a miss, a bound of another length, keys that forget what they cover.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.bugs.full_hit import VARIANT as FULL_HIT
from labs.bugs.look_up import OF_LOOK_UPS, Looked, LookUp, LookUpVariant, Prompts, look_up
from labs.bugs.unchained import VARIANT as UNCHAINED
from labs.engine.hash_chain import ExtraKeys

RIGHT = LookUpVariant()
TOKENS = st.lists(st.integers(1, 3), max_size=9).map(tuple)


@given(a=TOKENS, b=TOKENS, size=st.integers(1, 4))
def test_the_right_way_finds_what_is_the_same(a: tuple[int, ...], b: tuple[int, ...], size: int) -> None:
    """As many whole blocks as both begin with, and a token less than B at most."""
    prompts = Prompts(a, b, size)
    alike = 0
    while a[: alike + size] == b[: alike + size] and alike + size <= min(len(a), len(b) - 1):
        alike += size
    looked = look_up(prompts)
    assert looked.hit_tokens == alike
    assert [block.hit for block in looked.blocks] == [(i + 1) * size <= alike for i in range(len(b) // size)]
    assert not any(check(prompts, looked) for check in OF_LOOK_UPS.values())


@given(a=TOKENS, b=TOKENS, size=st.integers(1, 4))
def test_broken_ways_break_only_their_own(a: tuple[int, ...], b: tuple[int, ...], size: int) -> None:
    prompts = Prompts(a, b, size)
    assert OF_LOOK_UPS["prefix"](prompts, look_up(prompts, FULL_HIT)) is None
    assert OF_LOOK_UPS["logits"](prompts, look_up(prompts, UNCHAINED)) is None
    full = OF_LOOK_UPS["logits"](prompts, look_up(prompts, FULL_HIT))
    assert (full is not None) == (len(b) > 0 and len(b) % size == 0 and a[: len(b)] == b)


# variant, A, B, block size, tokens hit, first step that breaks (logits, prefix)
CASES = [
    (RIGHT, (1, 2, 3, 4), (1, 2, 3, 4), 2, 2, (None, None)),
    (FULL_HIT, (1, 2, 3, 4), (1, 2, 3, 4), 2, 4, (1, None)),
    (FULL_HIT, (1, 2, 3, 4), (1, 2, 3, 4, 5), 2, 4, (None, None)),
    (FULL_HIT, (1, 2, 3, 4, 5, 6), (1, 2, 3), 1, 3, (2, None)),
    (FULL_HIT, (), (), 2, 0, (None, None)),
    (UNCHAINED, (1, 2, 3, 4), (3, 4, 1, 2, 9), 2, 4, (None, 0)),
    (UNCHAINED, (1, 2, 3, 4), (1, 2, 1, 2, 9), 2, 4, (None, 1)),
    (UNCHAINED, (1, 2, 3, 4), (1, 2, 9, 9, 3, 4, 5), 2, 2, (None, None)),  # the walk stops before
    (UNCHAINED, (1, 2, 1, 2, 3, 4), (1, 2, 3, 4, 9), 2, 4, (None, 1)),
]


@pytest.mark.parametrize(("variant", "a", "b", "size", "hit", "steps"), CASES)
def test_by_hand(
    variant: LookUpVariant,
    a: tuple[int, ...],
    b: tuple[int, ...],
    size: int,
    hit: int,
    steps: tuple[int | None, int | None],
) -> None:
    prompts = Prompts(a, b, size)
    looked = look_up(prompts, variant)
    found = [OF_LOOK_UPS[name](prompts, looked) for name in ("logits", "prefix")]
    assert (looked.hit_tokens, *[first.step if first else None for first in found]) == (hit, *steps)


# A, B, block size, for each block of B (A's block, hit), and the first that stands behind other tokens
HITS = [
    ((1, 2, 3, 4), (1, 2, 3, 4), 2, [(0, True), (1, True)], None),
    ((1, 2, 3, 4), (1, 2, 3, 4), 2, [(1, True), (1, True)], 0),
    ((1, 2, 3, 4), (1, 2, 3, 4), 2, [(1, False), (0, False)], None),
    ((1, 2, 3, 4), (1, 9, 3, 4), 2, [(0, True), (1, True)], 0),
    ((1, 2, 3, 4), (1, 2, 3, 9), 2, [(0, True), (1, True)], 1),
    ((1, 2, 3, 4), (1, 2, 3, 4, 5), 2, [(0, True), (None, False)], None),
]


@pytest.mark.parametrize(("a", "b", "size", "hits", "step"), HITS)
def test_what_stands_before_a_hit(
    a: tuple[int, ...],
    b: tuple[int, ...],
    size: int,
    hits: list[tuple[int | None, bool]],
    step: int | None,
) -> None:
    blocks = [Looked(i, b[i * size : (i + 1) * size], found, hit) for i, (found, hit) in enumerate(hits)]
    first = OF_LOOK_UPS["prefix"](Prompts(a, b, size), LookUp(tuple(blocks), 0))
    assert (first.step if first else None) == step


def test_what_keys_cover_holds_for_broken_ones_too() -> None:
    """Other extra keys of a block give it another key: a LoRA everywhere, a salt in the first block."""
    plain = Prompts((1, 2, 3, 4), (3, 4, 1, 2))
    for keys in (ExtraKeys(lora=("a", "/p")), ExtraKeys(namespace="m")):
        other = plain.replace(extra=keys)
        assert UNCHAINED.keys(other, plain.a) != UNCHAINED.keys(plain, plain.a)
        assert UNCHAINED.keys(other, plain.a)[::-1] == UNCHAINED.keys(other, plain.b)
    salted = plain.replace(extra=ExtraKeys(salt="s"))
    assert UNCHAINED.keys(salted, plain.a)[0] != UNCHAINED.keys(salted, plain.b)[1]
    assert UNCHAINED.keys(salted, plain.a)[1:] == UNCHAINED.keys(plain, plain.a)[1:]
