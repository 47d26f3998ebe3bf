"""Where K and V lie, and what each kind of sabotage damages: that and nothing else.

Turned red by: blocks in order, a table that ignores the seed or changes from run to run, a slot that is
not the block table's, damage at another position or to K or V alone, two kinds that do the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from labs.engine.kv_store import DamagedStore, KVStore

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

Row = list[float]
TOKENS, BLOCK_SIZE = 7, 2
TABLE = (2, 0, 3, 1)
# slot of position p by hand: TABLE[p // 2] x 2 + p % 2
SLOTS = [4, 5, 0, 1, 6, 7, 2]
KEYS: list[Row] = [[10.0 + position, -1.0] for position in range(TOKENS)]
VALUES: list[Row] = [[20.0 + position, -2.0] for position in range(TOKENS)]
MIDDLE = 3


def filled(sabotage: str | None) -> tuple[KVStore, list[tuple[Row, Row]]]:
    """A store with all positions written, and what stood there before."""
    store = KVStore(2, TABLE, BLOCK_SIZE)
    if sabotage is not None:
        store = DamagedStore(2, TABLE, BLOCK_SIZE, sabotage, MIDDLE)
    before = [store.read(position) for position in range(TOKENS)]
    for position in range(TOKENS):
        store.write(position, list(KEYS[position]), list(VALUES[position]))
    return store, before


def test_rows_lie_in_the_slots_of_the_block_table() -> None:
    store, _ = filled(None)
    assert [store.keys[slot] for slot in SLOTS] == KEYS
    assert [store.values[slot] for slot in SLOTS] == VALUES
    assert [store.read(position) for position in range(TOKENS)] == list(zip(KEYS, VALUES))


def test_stale_keeps_what_an_earlier_request_left() -> None:
    """Not zeros, which would be `dropped`; the middle position, K and V, and no other."""
    store, before = filled("stale")
    expected = list(zip(KEYS, VALUES))
    expected[MIDDLE] = before[MIDDLE]
    assert [store.read(position) for position in range(TOKENS)] == expected
    assert all(any(row) for row in before[MIDDLE])


def test_dropped_leaves_zeros() -> None:
    store, _ = filled("dropped")
    expected = list(zip(KEYS, VALUES))
    expected[MIDDLE] = ([0.0, 0.0], [0.0, 0.0])
    assert [store.read(position) for position in range(TOKENS)] == expected


def test_shifted_moves_the_values_and_not_the_keys() -> None:
    """Each V stands one position too early; nothing is written behind the last of them."""
    store, _ = filled("shifted")
    read = [store.read(position) for position in range(TOKENS)]
    assert [key for key, _ in read] == KEYS
    assert [value for _, value in read[:-1]] == VALUES[1:]


@pytest.mark.parametrize("tokens", [4, 7, 10])
@pytest.mark.parametrize(("sabotage", "first"), [("stale", None), ("dropped", None), ("shifted", 1)])
def test_positions_before_the_damage_match(
    run_json: RunJson, sabotage: str, first: int | None, tokens: int
) -> None:
    """Of n positions number n // 2 is damaged, under `shifted` all from 1 on; what reads it is wrong."""
    words = ["attention", "--sabotage", sabotage, "--tokens", str(tokens)]
    seen = [row["cached_matches_full"] for row in run_json(words)["result"]["positions"]]
    damaged = tokens // 2 if first is None else first
    assert seen == [True] * damaged + [False] * (tokens - damaged)


def tables(run_json: RunJson, blocks: int) -> list[list[int]]:
    """The block tables of eight seeds."""
    words = ["attention", "--tokens", str(2 * blocks), "--block-size", "2", "--seed"]
    return [run_json([*words, str(seed)])["result"]["block_table"] for seed in range(8)]


def test_blocks_are_shuffled_by_the_seed_alone(run_json: RunJson) -> None:
    """A permutation, seldom in order, another for another seed, the same each time."""
    found = tables(run_json, 8)
    assert all(sorted(table) == list(range(8)) for table in found)
    assert all(table != list(range(8)) for table in found)
    assert len({tuple(table) for table in found}) == 8
    assert tables(run_json, 8) == found


@pytest.mark.parametrize("seed", range(8))
def test_two_blocks_are_shuffled_too(run_json: RunJson, seed: int) -> None:
    """Half of all orders of two blocks are no shuffle; the other is taken then."""
    words = ["attention", "--block-size", "2", "--seed", str(seed)]
    assert run_json(words)["result"]["block_table"] == [1, 0]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_damage_that_rounding_hides_is_said(run_lab: RunLab, lang: str) -> None:
    """Position 35 reads the damaged row of position 20 and still rounds to the same numbers."""
    words = [
        "attention",
        "--tokens",
        "40",
        "--dim",
        "32",
        "--heads",
        "4",
        "--dtype",
        "bfloat16",
        "--seed",
        "2",
        "--sabotage",
        "stale",
    ]
    ran = run_lab([*words, "--lang", lang])
    assert ran.code == 0
    assert ran.out.count("cached_matches_full=False") == 19
    said = {"en": "is read at 35 too, but in bfloat16 rounding hides it", "zh": "位置 35 也读到了被破坏的行"}
    assert said[lang] in "".join(ran.out.split("\n")) or said[lang] in " ".join(ran.out.split())


@pytest.mark.parametrize(("size", "blocks"), [("1", 5), ("2", 3), ("4", 2), ("5", 1), ("9", 1)])
def test_as_many_blocks_as_the_tokens_fill(run_json: RunJson, size: str, blocks: int) -> None:
    table = run_json(["attention", "--tokens", "5", "--block-size", size])["result"]["block_table"]
    assert sorted(table) == list(range(blocks))
