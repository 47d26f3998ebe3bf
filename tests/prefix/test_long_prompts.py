"""Digests of whole prompts: ids of every size, lists longer than a step, keys that repeat.

The expected digests come from the oracle below, which writes one id at a time with `struct`; it knows
RFC 8949 and nothing of the project. Turned red by: a border between two forms of an integer that is off by
one (`test_edges_tell_every_border_apart`), a block cut in the wrong place, a step that loses or repeats
ids, bytes taken for memory, keys of another block.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.engine.cbor_ids import STEP_IDS, cbor_ids
from labs.engine.hash_chain import ExtraKeys, block_hasher, block_hashes, root_hash

# the first integer that is too large for each of the forms of 1, 2, 3 and 5 bytes
BORDERS = (24, 2**8, 2**16, 2**32)
LARGEST = 2**63 - 1
EDGES = sorted({0, 1, 2**24 - 1, 2**24, LARGEST} | {n + step for n in BORDERS for step in (-1, 0, 1)})
LORA = ("adapter", "/p")


def integer(value: int, borders: Sequence[int] = BORDERS, major: int = 0) -> bytes:
    """An integer, or the head of another major type, in the shortest form that the borders allow."""
    if value < borders[0]:
        return struct.pack(">B", major << 5 | value)
    code = 24 + sum(value >= border for border in borders[1:])
    return struct.pack(">B" + "BHIQ"[code - 24], major << 5 | code, value)


def text(value: str) -> bytes:
    return integer(len(value.encode()), major=3) + value.encode()


def keys_bytes(index: int, salt: str, lora: tuple[str, str] | None) -> bytes:
    """The extra keys of a block: LoRA in every one, the salt in the first."""
    keys: list[tuple[str, ...]] = []
    if lora:
        keys.append(("lora", *lora))
    if salt and index == 0:
        keys.append(("cache_salt", salt))
    if not keys:
        return b"\xf6"
    written = [integer(len(key), major=4) + b"".join([text(member) for member in key]) for key in keys]
    return integer(len(keys), major=4) + b"".join(written)


def oracle(
    tokens: Sequence[int],
    size: int,
    salt: str = "",
    lora: tuple[str, str] | None = None,
    borders: Sequence[int] = BORDERS,
) -> list[bytes]:
    """The sha256_cbor digests of full blocks under seed "0"."""
    parent, found = sha256(b"\x610").digest(), []
    for index in range(len(tokens) // size):
        block = tokens[index * size : (index + 1) * size]
        ids = integer(size, major=4) + b"".join([integer(token, borders) for token in block])
        parent = sha256(b"\x83\x58\x20" + parent + ids + keys_bytes(index, salt, lora)).digest()
        found.append(parent)
    return found


def found(
    tokens: Sequence[int], size: int, salt: str = "", lora: tuple[str, str] | None = None
) -> list[bytes]:
    """The project's digests."""
    return block_hashes(tokens, size, "sha256_cbor", "0", ExtraKeys(salt=salt, lora=lora))


def mixed_ids(count: int) -> list[int]:
    """Ids of a vocabulary of 151,936, of all sizes, none of them in order."""
    return [(i * 7919) % 151936 if i % 3 else (i * 31) % 300 for i in range(count)]


def test_oracle_writes_the_examples_of_the_standard() -> None:
    """RFC 8949, appendix A."""
    examples = {
        0: "00",
        23: "17",
        24: "1818",
        100: "1864",
        1000: "1903e8",
        1000000: "1a000f4240",
        1000000000000: "1b000000e8d4a51000",
    }
    assert {value: integer(value).hex() for value in examples} == examples
    assert (text("IETF").hex(), integer(25, major=4).hex()) == ("6449455446", "9819")


@pytest.mark.parametrize("token", EDGES)
def test_one_token_blocks_at_the_borders(token: int) -> None:
    """Every form of an integer, on both sides of its border."""
    assert found([token], 1) == oracle([token], 1)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("token", EDGES)
def test_a_border_beside_other_sizes(token: int, place: int) -> None:
    """The neighbours keep their bytes, and so do the blocks before and after."""
    block = [5, 300, 70000, 200]
    tokens = [*block, *block[:place], token, *block[place + 1 :], *block]
    assert found(tokens, 4) == oracle(tokens, 4)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("step", [-1, 1])
def test_edges_tell_every_border_apart(place: int, step: int) -> None:
    """An encoder with one border off by one writes some id in other bytes, or cannot write it at all."""
    borders = list(BORDERS)
    borders[place] += step

    def wrong(token: int) -> bytes | None:
        try:
            return integer(token, borders)
        except struct.error:
            return None

    assert any(wrong(token) != integer(token) for token in EDGES)


@pytest.mark.parametrize("size", [1, 2, 16, 23, 24, 51, 52, 64, 255, 256, 257])
def test_block_sizes(size: int) -> None:
    """The array's head has the same forms as an integer; ids of all sizes, with a partial block behind."""
    tokens = mixed_ids(3 * size + size // 2)
    assert found(tokens, size) == oracle(tokens, size)
    assert len(cbor_ids(tokens, size)) == len(tokens) // size


@pytest.mark.parametrize("size", [1, 16, 100, STEP_IDS - 1, STEP_IDS, STEP_IDS + 1])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_lists_longer_than_a_step(size: int, more: int) -> None:
    """No id is lost or taken twice where one step ends and the next begins."""
    tokens = mixed_ids(2 * max(size, STEP_IDS // size * size) + more)
    assert found(tokens, size) == oracle(tokens, size)


@pytest.mark.parametrize("tokens", [[], [7], [7] * 15], ids=len)
def test_no_full_block(tokens: list[int]) -> None:
    assert found(tokens, 16, "s", LORA) == []
    assert cbor_ids(tokens, 16) == []


@pytest.mark.parametrize("token", [-1, 2**24, 2**32, LARGEST])
def test_ids_that_columns_cannot_hold(token: int) -> None:
    with pytest.raises(OverflowError):
        cbor_ids([1, 2, 3, token], 2)


@pytest.mark.parametrize("token", [2**24, 2**32, LARGEST])
@pytest.mark.parametrize("place", [0, STEP_IDS + 3])
def test_large_ids_are_hashed_all_the_same(token: int, place: int) -> None:
    """Wherever they stand."""
    tokens = mixed_ids(STEP_IDS + 8)
    tokens[place] = token
    assert found(tokens, 4) == oracle(tokens, 4)


@pytest.mark.parametrize(
    "tokens",
    [range(20), tuple(range(20)), bytes([0, 7, 7, 0] * 5), array("H", range(20))],
    ids=lambda tokens: type(tokens).__name__,
)
def test_any_sequence_of_numbers(tokens: Sequence[int]) -> None:
    """Bytes are numbers too, not memory of which four make an id below 2**24."""
    assert found(tokens, 4) == oracle(list(tokens), 4)


@pytest.mark.parametrize("lora", [None, LORA], ids=["no-lora", "lora"])
@pytest.mark.parametrize("salt", ["", "s"], ids=["no-salt", "salt"])
def test_keys_of_many_blocks(salt: str, lora: tuple[str, str] | None) -> None:
    """The first block has other keys than all the rest."""
    tokens = mixed_ids(170)
    assert found(tokens, 16, salt, lora) == oracle(tokens, 16, salt, lora)


sizes = st.sampled_from([24, 256, 2**16, 2**17, 2**24, 2**32, 2**63])
any_id = sizes.flatmap(lambda size: st.integers(max(0, size - 3), size - 1) | st.integers(0, size - 1))
fast_id = st.sampled_from([24, 256, 2**16, 2**24]).flatmap(lambda size: st.integers(0, size - 1))


@given(
    tokens=st.lists(fast_id, max_size=90) | st.lists(any_id, max_size=30),
    size=st.integers(1, 20),
    salt=st.sampled_from(["", "s", "\u6c34"]),
    lora=st.sampled_from([None, LORA]),
)
@settings(deadline=None, max_examples=200)
def test_equals_the_oracle(tokens: list[int], size: int, salt: str, lora: tuple[str, str] | None) -> None:
    assert found(tokens, size, salt, lora) == oracle(tokens, size, salt, lora)


@given(
    tokens=st.lists(fast_id, max_size=40),
    size=st.integers(1, 9),
    scheme=st.sampled_from(["lab", "sha256_cbor", "sha256"]),
    extra=st.builds(
        ExtraKeys,
        salt=st.sampled_from([None, "s"]),
        lora=st.sampled_from([None, LORA]),
        mm=st.lists(st.tuples(st.just("img"), st.integers(0, 40), st.integers(1, 9)), max_size=2).map(tuple),
        namespace=st.sampled_from(["", "m"]),
    ),
)
@settings(deadline=None, max_examples=150)
def test_the_chain_is_h_block_after_block(
    tokens: list[int], size: int, scheme: str, extra: ExtraKeys
) -> None:
    """However a list is hashed, its digests are those of H(parent, tokens, extra keys), one at a time."""
    hash_block, parent, expected = block_hasher(scheme, extra.namespace), root_hash(scheme), []
    for end in range(size, len(tokens) + 1, size):
        parent = hash_block(parent, tokens[end - size : end], extra.of_block(end - size, end))
        expected.append(parent)
    assert block_hashes(tokens, size, scheme, extra=extra) == expected
    blocks = range(len(tokens) // size)
    assert extra.of_blocks(len(blocks), size) == [extra.of_block(i * size, i * size + size) for i in blocks]
