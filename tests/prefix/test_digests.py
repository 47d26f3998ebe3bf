"""Digests of the engine schemes, bit for bit as vLLM 0.32.0 made them, and as our own encoder says.

Turned red by: a CBOR integer in the wrong width, a hash that is not chained, a root that is not the hash
of the seed string, a salt in every block, a LoRA in the first block only, extra keys in another
order, multimodal offsets not relative to the block, a partial block that is hashed, a pickle that
remembers equal members as one object. MUTANTS holds them, and
`test_golden_tells_every_mutant_apart` shows that the golden digests refute each.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labs.base import LabError
from labs.engine.hash_chain import ExtraKeys, block_hasher, block_hashes, root_hash

if TYPE_CHECKING:
    from tests.conftest import RunJson

GOLDEN = Path(__file__).parent.parent / "golden"
HASHES: dict[str, Any] = json.loads((GOLDEN / "block_hash.json").read_text(encoding="utf-8"))
FUZZ: list[dict[str, Any]] = json.loads((GOLDEN / "hash_fuzz.json").read_text(encoding="utf-8"))
SCHEMES = ("sha256", "sha256_cbor")
SEED = "0"  # of every golden digest that names no other

# (identifier, offset, length) of the items in the golden extra-key cases; the file has only their keys
ITEMS = {
    "mm_one": [("img1", 2, 3)],
    "mm_spanning": [("img1", 2, 4)],
    "mm_two": [("img1", 1, 2), ("img2", 6, 4)],
    "mm_shifted": [("img1", 3, 3)],
    "all": [("img1", 2, 4)],
}
SALTS = {"salt": "tenant-a", "salt_b": "tenant-b", "salt_empty": "", "all": "s"}
LORAS = {
    "lora": ("ad", "p1"),
    "lora_other_path": ("ad", "p2"),
    "lora_other_id_same_name": ("ad", "p1"),
    "all": ("ad", "p1"),
}


def tokens_of(case: dict[str, Any]) -> list[int]:
    """The token ids; the file gives the longest list by its rule."""
    if case["tokens"] == "(i*7919)%151936 for i in range(512)":
        return [i * 7919 % 151936 for i in range(512)]
    tokens: list[int] = case["tokens"]
    return tokens


def extra_of(salt: str | None, lora: Any, items: Any) -> ExtraKeys:
    """The extra keys of a golden case."""
    return ExtraKeys(
        salt=salt, lora=None if lora is None else tuple(lora), mm=tuple(tuple(item) for item in items or ())
    )


def digests(
    tokens: list[int], block_size: int, scheme: str, seed: str, extra: ExtraKeys | None = None
) -> list[str]:
    """The project's digests in hex."""
    extra = ExtraKeys() if extra is None else extra
    return [
        digest.hex() for digest in block_hashes(tokens, block_size, scheme=scheme, seed=seed, extra=extra)
    ]


def encode(value: Any, shortest: bool = True) -> bytes:
    """Canonical CBOR of None, bytes, text, whole numbers and sequences."""

    def head(major: int, number: int) -> bytes:
        if number < 24 and shortest:
            return bytes([major << 5 | number])
        size, code = next((2**i, 24 + i) for i in range(4) if number < 256 ** (2**i))
        return bytes([major << 5 | code]) + number.to_bytes(size, "big")

    if value is None:
        return b"\xf6"
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    return head(4, len(value)) + b"".join(encode(member, shortest) for member in value)


def oracle(
    tokens: list[int], block_size: int, salt: str | None, lora: Any, items: Any, wrong: str = ""
) -> list[str]:
    """sha256_cbor digests by the formula; `wrong` names the rule that is broken."""
    short = wrong != "wide-integers"
    root = b"\0" * 32 if wrong == "zero-root" else sha256(encode(SEED, short)).digest()
    parent, found = root, []
    end = len(tokens) if wrong == "partial-block" else len(tokens) // block_size * block_size
    for start in range(0, end, block_size):
        keys: list[tuple[Any, ...]] = []
        if lora is not None and not (wrong == "lora-first-block-only" and start):
            keys.append(("lora", *lora))
        for name, offset, length in items or ():
            if offset < start + block_size and start < offset + length:
                keys.append(("mm", name, offset - (0 if wrong == "absolute-offset" else start)))
        if salt and (start == 0 or wrong == "salt-in-every-block"):
            keys.append(("cache_salt", salt))
        if wrong == "keys-in-reverse":
            keys.reverse()
        block = tuple(tokens[start : start + block_size])
        parent = sha256(encode((parent, block, tuple(keys) or None), short)).digest()
        found.append(parent.hex())
        if wrong == "unchained":
            parent = root
    return found


MUTANTS = (
    "wide-integers",
    "zero-root",
    "partial-block",
    "lora-first-block-only",
    "absolute-offset",
    "salt-in-every-block",
    "keys-in-reverse",
    "unchained",
)


def golden_cbor() -> list[tuple[list[int], int, str | None, Any, Any, list[str]]]:
    """Every golden sha256_cbor case under seed 0: tokens, block size, salt, LoRA, items, digests."""
    extra = HASHES["extra_keys"]
    return [
        *((tokens_of(c), c["block_size"], None, None, None, c["sha256_cbor"]) for c in HASHES["plain"]),
        *(
            (
                extra["tokens"],
                extra["block_size"],
                SALTS.get(c["name"]),
                LORAS.get(c["name"]),
                ITEMS.get(c["name"]),
                c["sha256_cbor"],
            )
            for c in extra["cases"]
        ),
        *(
            (c["tokens"], c["block_size"], c["cache_salt"], c["lora"], c["mm"], c["sha256_cbor"])
            for c in FUZZ
        ),
    ]


def test_oracle_reproduces_every_golden_digest() -> None:
    """So that what it says of other inputs can be believed."""
    for tokens, size, salt, lora, items, expected in golden_cbor():
        assert oracle(tokens, size, salt, lora, items) == expected


@pytest.mark.parametrize("mutant", MUTANTS)
def test_golden_tells_every_mutant_apart(mutant: str) -> None:
    """Some golden case refutes each broken rule."""
    for tokens, size, salt, lora, items, expected in golden_cbor():
        if oracle(tokens, size, salt, lora, items, mutant) != expected:
            return
    pytest.fail(f"no golden case refutes {mutant}")


@pytest.mark.parametrize("case", HASHES["none_hash"], ids=lambda c: f"{c['algo']}-{c['resolved_seed']}")
def test_root_hash(case: dict[str, Any]) -> None:
    """The parent of the first block is the hash of the seed string."""
    assert root_hash(case["algo"], case["resolved_seed"]).hex() == case["none_hash"]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("case", HASHES["plain"], ids=lambda c: c["name"])
def test_plain_digests(case: dict[str, Any], scheme: str) -> None:
    """Tokens alone: every full block, and no other."""
    assert digests(tokens_of(case), case["block_size"], scheme, SEED) == case[scheme]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("case", HASHES["extra_keys"]["cases"], ids=lambda c: c["name"])
def test_extra_key_digests(case: dict[str, Any], scheme: str) -> None:
    """LoRA, multimodal ids and salt, alone and together."""
    name, extra = case["name"], HASHES["extra_keys"]
    keys = extra_of(SALTS.get(name), LORAS.get(name), ITEMS.get(name))
    assert digests(extra["tokens"], extra["block_size"], scheme, SEED, keys) == case[scheme]


@pytest.mark.parametrize("case", FUZZ, ids=lambda c: f"block{c['block_size']}-{len(c['tokens'])}-tokens")
def test_fuzz_digests(case: dict[str, Any]) -> None:
    """Random lists with random keys."""
    extra = extra_of(case["cache_salt"], case["lora"], case["mm"])
    assert digests(case["tokens"], case["block_size"], "sha256_cbor", SEED, extra) == case["sha256_cbor"]


def test_cbor_layout_case() -> None:
    """The case whose bytes are written out in the golden file."""
    layout = HASHES["cbor_layout"]
    expected = [block["sha256"] for block in layout["blocks"]]
    assert [sha256(bytes.fromhex(block["cbor_hex"])).hexdigest() for block in layout["blocks"]] == expected
    extra = extra_of("s", None, None)
    assert digests(layout["tokens"], layout["block_size"], "sha256_cbor", SEED, extra) == expected


@pytest.mark.parametrize("scheme", SCHEMES)
def test_equal_key_members_count_as_separate_objects(scheme: str) -> None:
    """A pickle would remember one object; the digest must not depend on who made the strings."""
    expected = [HASHES["pickle_notes"][scheme]["equal_objects"]]
    name = "adapter"
    assert digests([1, 2], 2, scheme, SEED, extra_of(None, (name, name), None)) == expected
    assert (
        digests([1, 2], 2, scheme, SEED, extra_of(None, (name, "".join(["ada", "pter"])), None)) == expected
    )


def test_two_items_in_a_block_share_their_tag() -> None:
    """The engine's tags are constants, one object each; only what comes from a request is separate."""
    tag = "mm"
    keys = ((tag, "img1", 0), (tag, "img2", 2))
    parent = sha256(pickle.dumps(SEED, protocol=5)).digest()
    expected = sha256(pickle.dumps((parent, (1, 2, 3, 4), keys), protocol=5)).hexdigest()
    extra = extra_of(None, None, [("img1", 0, 1), ("img2", 2, 1)])
    assert digests([1, 2, 3, 4], 4, "sha256", SEED, extra) == [expected]


Keys = tuple[tuple["str | int", ...], ...]
# namespace, parent, tokens, extra keys: a scheme that leaves out a length or a tag runs two of them together
DISTINCT: list[tuple[str, bytes, Sequence[int], Keys | None]] = [
    ("", b"p" * 32, (1, 2), None),
    ("", b"q" * 32, (1, 2), None),
    ("n", b"p" * 32, (1, 2), None),
    ("", b"p" * 32, (1,), None),
    ("", b"p" * 32, (1, 2, 3), None),
    ("", b"p" * 32, (1, 258), None),
    ("", b"p" * 32, (1, 2), (("lora", "x", "sysz"),)),
    ("", b"p" * 32, (1, 2), (("lora", "xsy", "z"),)),
    ("", b"p" * 32, (1, 2), (("lora", "xs", "ysz"),)),
    ("", b"p" * 32, (1, 2), (("mm", "a", 1),)),
    ("", b"p" * 32, (1, 2), (("mm", "a", -1),)),
    ("", b"p" * 32, (1, 2), (("mm", "a", "\0" * 7 + "\1"),)),
    ("", b"p" * 32, (1, 2), (("mm", "a"), ("mm", "b"))),
    ("", b"p" * 32, (1, 2), (("mm", "a", "mm", "b"),)),
    ("", b"p" * 32, (1, 2), (("mm", "b"), ("mm", "a"))),
]


def test_scheme_lab_has_no_two_inputs_with_one_hash() -> None:
    """Every part stands with its length and its kind, so that no two inputs give the same bytes."""
    found = {block_hasher("lab", name)(parent, tokens, keys) for name, parent, tokens, keys in DISTINCT}
    assert len(found) == len(DISTINCT)


@pytest.mark.parametrize("block_size", [0, -1])
def test_a_block_holds_at_least_one_token(block_size: int) -> None:
    with pytest.raises(LabError) as caught:
        block_hashes([1, 2, 3], block_size)
    assert (caught.value.where, caught.value.rule) == ("block_size", "at_least")


@pytest.mark.parametrize("step", HASHES["growth"]["steps"], ids=lambda s: str(s["num_tokens"]))
def test_only_full_blocks_have_a_hash(step: dict[str, int]) -> None:
    """The golden counts of a sequence that grows, block size 4."""
    for scheme in ("lab", *SCHEMES):
        assert len(digests(list(range(step["num_tokens"])), 4, scheme, SEED)) == step["hashes"]


def test_fourteen_tokens_in_blocks_of_four_have_three_hashes() -> None:
    """Peer case pt-13."""
    assert len(digests(list(range(14)), 4, "sha256_cbor", SEED)) == 3


def test_items_over_four_blocks() -> None:
    """Peer case pt-14: keys per block (aaa,11) | (aaa,-5) (bbb,14) | (bbb,-2) | (ccc,0), block 16."""
    keys = [
        (("mm", "aaa", 11),),
        (("mm", "aaa", -5), ("mm", "bbb", 14)),
        (("mm", "bbb", -2),),
        (("mm", "ccc", 0),),
    ]
    tokens, parent, expected = list(range(64)), sha256(encode(SEED)).digest(), []
    for index, block_keys in enumerate(keys):
        parent = sha256(encode((parent, tokens[16 * index : 16 * index + 16], block_keys))).digest()
        expected.append(parent.hex())
    items = [("aaa", 11, 10), ("bbb", 30, 18), ("ccc", 48, 7)]
    assert digests(tokens, 16, "sha256_cbor", SEED, extra_of(None, None, items)) == expected


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@st.composite
def hash_cases(draw: st.DrawFn) -> tuple[list[int], int, str | None, tuple[str, str] | None, list[Any]]:
    """Any tokens of up to 32 bits, any block size, any keys; items in order, not overlapping."""
    tokens = draw(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 300), max_size=40))
    items: list[tuple[str, int, int]] = []
    for name, gap, length in draw(
        st.lists(st.tuples(texts, st.integers(0, 6), st.integers(1, 9)), max_size=3)
    ):
        offset = gap + (items[-1][1] + items[-1][2] if items else 0)
        if offset + length <= len(tokens):
            items.append((name, offset, length))
    lora = draw(st.none() | st.tuples(texts, texts))
    return tokens, draw(st.integers(1, 30)), draw(st.none() | texts | st.just("")), lora, items


@given(case=hash_cases())
@settings(deadline=None, max_examples=100)
def test_digests_equal_the_oracle(
    case: tuple[list[int], int, str | None, tuple[str, str] | None, list[Any]],
) -> None:
    """Beyond the golden cases."""
    tokens, block_size, salt, lora, items = case
    extra = extra_of(salt, lora, items)
    assert digests(tokens, block_size, "sha256_cbor", SEED, extra) == oracle(
        tokens, block_size, salt, lora, items
    )


def command(case: dict[str, Any], scheme: str, *more: str) -> list[str]:
    """The prefix command that hashes a golden list on both sides."""
    tokens = ",".join(str(token) for token in tokens_of(case))
    words = ["prefix", "--a", tokens, "--b", tokens, "--block-size", str(case["block_size"])]
    return [*words, "--scheme", scheme, *more]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("case", HASHES["plain"], ids=lambda c: c["name"])
def test_command_prints_the_digests(run_json: RunJson, case: dict[str, Any], scheme: str) -> None:
    """Full blocks show their digest, a partial last one null."""
    blocks = run_json(command(case, scheme, "--hash-seed", SEED))["result"]["blocks"]
    partial = [None] * (case["num_tokens"] % case["block_size"] > 0)
    assert [block["a_hash"] for block in blocks] == case[scheme] + partial
    assert [block["b_hash"] for block in blocks] == case[scheme] + partial


@pytest.mark.parametrize(
    "case",
    [c for c in FUZZ if not c["mm"] and c["tokens"]],
    ids=lambda c: f"block{c['block_size']}-{len(c['tokens'])}-tokens",
)
def test_command_takes_salt_and_lora(run_json: RunJson, case: dict[str, Any]) -> None:
    """--salt and --lora reach the digests, Chinese salts too."""
    more = ["--hash-seed", SEED]
    if case["cache_salt"]:
        more += ["--salt", case["cache_salt"]]
    if case["lora"]:
        more += ["--lora", ":".join(case["lora"])]
    blocks = run_json(command(case, "sha256_cbor", *more))["result"]["blocks"]
    assert [block["a_hash"] for block in blocks if block["a_hash"]] == case["sha256_cbor"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_default_seed_is_the_engine_constant(run_json: RunJson, scheme: str) -> None:
    """No --hash-seed, whatever PYTHONHASHSEED says, is `vllm-none-hash`."""
    case = {"tokens": [1, 2, 3, 4], "block_size": 2}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONHASHSEED", "0")
        default = run_json(command(case, scheme))["result"]["blocks"]
    named = run_json(command(case, scheme, "--hash-seed", "vllm-none-hash"))["result"]["blocks"]
    other = run_json(command(case, scheme, "--hash-seed", "0"))["result"]["blocks"]
    assert default == named
    assert default[0]["a_hash"] != other[0]["a_hash"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_command_keeps_lora_members_separate(run_json: RunJson, scheme: str) -> None:
    """A name that equals its path, from the command line."""
    case = {"tokens": [1, 2], "block_size": 2}
    words = command(case, scheme, "--hash-seed", SEED, "--lora", "adapter:adapter")
    expected = HASHES["pickle_notes"][scheme]["equal_objects"]
    assert run_json(words)["result"]["blocks"][0]["a_hash"] == expected
