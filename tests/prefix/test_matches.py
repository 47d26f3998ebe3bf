"""Block matches, first misses and reusable tokens, against comparing the two token lists directly.

The oracle never hashes: block i matches if both lists fill it and agree on everything up to its end.
MUTANTS breaks that rule as learners do (unchained hash, partial block counted, the num_tokens-1 rule
forgotten, the bound taken from A); `test_cases_tell_every_mutant_apart`
shows that the table refutes each, so a lab with that rule is red.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import labs.prefix as lab
from labs.base import LabError
from labs.engine.hash_chain import ExtraKeys
from labs.prefix import Params, compare

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

SCHEMES = ("lab", "sha256_cbor", "sha256")
MATCH_LINES = {"en": "block matches: {}", "zh": "块匹配：{}"}
OTHER_LINES = {"en": "block matches, other namespace: {}", "zh": "更换 namespace 后块匹配：{}"}
R16, R17 = list(range(16)), list(range(17))


class Expected(NamedTuple):
    """What the lists themselves say."""

    matches: list[bool]
    reusable_tokens: int


def oracle(a: list[int], b: list[int], size: int, wrong: str = "") -> Expected:
    """Matches and reusable tokens of B where A is stored; `wrong` breaks one rule."""
    matches = []
    for start in range(0, max(len(a), len(b)), size):
        end = start + size
        since = start if wrong == "unchained" else 0
        full = min(len(a), len(b)) >= end or wrong == "partial-counts"
        matches.append(full and a[since:end] == b[since:end])
    leading = [*matches, False].index(False)
    longest = a if wrong == "bound-of-a" else b
    bound = max(len(longest) - 1, 0) // size * size
    if wrong == "no-bound":
        bound = len(b)
    return Expected(matches, min(leading * size, bound))


MUTANTS = ("unchained", "partial-counts", "bound-of-a", "no-bound")

# a, b, block size, matches, reusable tokens: worked by hand
CASES = [
    pytest.param([1, 2, 3, 4, 5, 6], [1, 2, 9, 4, 5, 6], 2, [True, False, False], 2, id="lecture"),
    pytest.param([1, 2, 3, 4], [1, 2, 3, 4], 2, [True, True], 2, id="full-hit-keeps-one-block-back"),
    pytest.param(R16 + R16, R16 + R16, 16, [True, True], 16, id="L3-problem-4"),
    pytest.param(R16 + R17, R16 + R17, 16, [True, True, False], 32, id="one-over"),
    pytest.param(R16, R16, 16, [True], 0, id="one-block-exactly"),
    pytest.param([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], 2, [True] * 3, 4, id="pt-56"),
    pytest.param([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], 1, [True] * 6, 5, id="block-1"),
    pytest.param([1, 2, 3], [1, 2, 3], 2, [True, False], 2, id="partial-tail"),
    pytest.param([1, 2, 3], [1, 2, 3, 4], 2, [True, False], 2, id="a-ends-inside-a-block"),
    pytest.param([1, 2, 3, 4], [1, 2], 2, [True, False], 0, id="b-is-shorter"),
    pytest.param([1, 2], [1, 2, 3, 4], 2, [True, False], 2, id="b-is-longer"),
    pytest.param([1, 2, 3], [1, 2, 3], 4, [False], 0, id="less-than-a-block"),
    pytest.param([9, 2, 3, 4], [1, 2, 3, 4], 2, [False, False], 0, id="early-change"),
    pytest.param([3, 4, 1, 2], [1, 2, 3, 4], 2, [False, False], 0, id="same-text-not-a-prefix"),
    pytest.param([], [1, 2], 2, [False], 0, id="nothing-stored"),
    pytest.param([1, 2], [], 2, [False], 0, id="nothing-asked"),
    pytest.param([], [], 2, [], 0, id="nothing-at-all"),
]


def words(a: list[int], b: list[int], size: int, *more: str) -> list[str]:
    """The command that compares two lists."""
    lists = [",".join(str(token) for token in tokens) for tokens in (a, b)]
    return ["prefix", "--a", lists[0], "--b", lists[1], "--block-size", str(size), *more]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_documented_lines(run_lab: RunLab, lang: str) -> None:
    """The lecture's two results."""
    ran = run_lab(["prefix", "--lang", lang])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines().count(MATCH_LINES[lang].format("[True, False, False]")) == 1
    assert ran.out.splitlines().count(OTHER_LINES[lang].format("[False, False, False]")) == 1


def test_documented_reasons(run_json: RunJson) -> None:
    """Block 1 differs at token 2; block 2 holds the same tokens under another parent."""
    document = run_json(["prefix"])
    assert document["lab"] == "prefix"
    result = document["result"]
    assert [block["a_tokens"] for block in result["blocks"]] == [[1, 2], [3, 4], [5, 6]]
    assert [block["b_tokens"] for block in result["blocks"]] == [[1, 2], [9, 4], [5, 6]]
    assert result["reusable_tokens"] == 2
    assert result["matches"] == [True, False, False]
    assert result["other_namespace_matches"] == [False, False, False]
    assert result["first_miss"] == {
        **result["first_miss"],
        "block": 1,
        "reason": "tokens_differ",
        "position": 2,
    }
    assert [block["reason"] for block in result["blocks"][1:]] == ["tokens_differ", "parent_differs"]
    other = result["other_namespace_first_miss"]
    assert other == {**other, "block": 0, "reason": "namespace_differs", "position": 0}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_cases_tell_every_mutant_apart(mutant: str) -> None:
    """The oracle agrees with every row of the table, each broken rule does not."""
    rows: list[Any] = [row.values for row in CASES]
    assert all(oracle(a, b, size) == (matches, reuse) for a, b, size, matches, reuse in rows)
    assert any(oracle(a, b, size, mutant) != (matches, reuse) for a, b, size, matches, reuse in rows)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("a", "b", "size", "matches", "reuse"), CASES)
def test_case(
    run_lab: RunLab,
    run_json: RunJson,
    a: list[int],
    b: list[int],
    size: int,
    matches: list[bool],
    reuse: int,
    scheme: str,
) -> None:
    """The table, in the document and in the line, under each scheme."""
    line = words(a, b, size, "--scheme", scheme)
    result = run_json(line)["result"]
    assert result["matches"] == matches
    assert [block["match"] for block in result["blocks"]] == matches
    assert result["reusable_tokens"] == reuse
    assert result["other_namespace_matches"] == [False] * len(matches)
    assert MATCH_LINES["en"].format(matches) in run_lab(line).out.splitlines()


@st.composite
def token_lists(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    """Two lists that mostly share a prefix, and a block size."""
    few = st.integers(0, 3)
    shared = draw(st.lists(few, max_size=12))
    a, b = (shared + draw(st.lists(few, max_size=6)) for _ in "ab")
    return a, b, draw(st.integers(1, 5))


def miss_choices(a: list[int], b: list[int], size: int, block: int) -> set[tuple[str, int]]:
    """Reasons and positions that the first missing block may give.

    A block that is not full in one list and whose tokens differ as well has two true reasons.
    """
    start, end = block * size, (block + 1) * size
    shorter = min(len(a), len(b))
    choices = set()
    if shorter < end:
        choices.add(("not_full", shorter))
    for position in range(start, min(end, shorter)):
        if a[position] != b[position]:
            choices.add(("tokens_differ", position))
            break
    return choices


@given(case=token_lists(), scheme=st.sampled_from(SCHEMES))
@settings(deadline=None, max_examples=120)
def test_equals_comparing_prefixes(
    run_json: RunJson, case: tuple[list[int], list[int], int], scheme: str
) -> None:
    """Matches, reuse, blocks and the first miss of any two lists."""
    a, b, size = case
    expected = oracle(a, b, size)
    result = run_json(words(a, b, size, "--scheme", scheme))["result"]
    assert result["matches"] == expected.matches
    assert result["reusable_tokens"] == expected.reusable_tokens
    for index, block in enumerate(result["blocks"]):
        part = slice(index * size, (index + 1) * size)
        assert block["index"] == index
        for tokens, key in ((a, "a"), (b, "b")):
            assert (block[f"{key}_tokens"] or []) == tokens[part]
            assert (block[f"{key}_hash"] is None) == (len(tokens[part]) < size)
        assert block["match"] == (block["a_hash"] is not None and block["a_hash"] == block["b_hash"])
        assert (block["reason"] is None) == block["match"]
    miss = result["first_miss"]
    if False in expected.matches:
        assert miss["block"] == expected.matches.index(False)
        assert (miss["reason"], miss["position"]) in miss_choices(a, b, size, miss["block"])
        assert result["blocks"][miss["block"]]["reason"] == miss["reason"]
    else:
        assert miss is None


@given(case=token_lists())
@settings(deadline=None, max_examples=60)
def test_reasons_of_later_misses(run_json: RunJson, case: tuple[list[int], list[int], int]) -> None:
    """After a miss, a full block with equal tokens misses because of its parent."""
    a, b, size = case
    blocks = run_json(words(a, b, size))["result"]["blocks"]
    missed = False
    for block in blocks:
        full = block["a_hash"] is not None and block["b_hash"] is not None
        if missed and full:
            same = block["a_tokens"] == block["b_tokens"]
            assert block["reason"] in ({"parent_differs"} if same else {"parent_differs", "tokens_differ"})
        missed = missed or not block["match"]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("a", "b", "block", "reason", "position"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 5], 1, "tokens_differ", 3),
        ([7, 2, 3, 4], [1, 2, 3, 4], 0, "tokens_differ", 0),
        ([1, 2, 3, 4], [1, 2, 3], 1, "not_full", 3),
        ([1, 2, 3], [1, 2, 3, 4], 1, "not_full", 3),
        ([1, 2, 3], [1, 2, 3], 1, "not_full", 3),
        ([1, 2], [1, 2, 3, 4], 1, "not_full", 2),
        ([], [1, 2], 0, "not_full", 0),
    ],
)
def test_first_miss(
    run_json: RunJson, a: list[int], b: list[int], block: int, reason: str, position: int, scheme: str
) -> None:
    """Where and why, block size 2."""
    miss = run_json(words(a, b, 2, "--scheme", scheme))["result"]["first_miss"]
    assert (miss["block"], miss["reason"], miss["position"]) == (block, reason, position)


@pytest.mark.parametrize(
    ("more", "which", "values"),
    [
        (["--a", "1,2,3,4", "--b", "1,2,3,5"], "first_miss", (4, 5)),
        (["--a", "1,2,3", "--b", "1,2,3,5"], "first_miss", (3, 4)),
        (["--a", "1,2,3,5", "--b", "1,2"], "first_miss", (4, 2)),
        (["--namespace", "m1", "--other-namespace", "m2"], "other_namespace_first_miss", ("m1", "m2")),
        (["--salt", "s"], "other_salt_first_miss", ("s", "")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_first_miss_shows_both_values(
    run_json: RunJson, more: list[str], which: str, values: tuple[object, object]
) -> None:
    """A's first, then B's: tokens, lengths where a block is not full, namespaces, salts."""
    miss = run_json(["prefix", *more])["result"][which]
    assert (miss["a_value"], miss["b_value"]) == values


PLAIN, SALTED = ExtraKeys(namespace="m"), ExtraKeys(salt="s", namespace="m")
OTHER, OTHER_SALTED = ExtraKeys(namespace="n"), ExtraKeys(salt="s", namespace="n")
A = (1, 2, 3, 4, 5)
REASONS: dict[str, tuple[tuple[int, ...], ExtraKeys, ExtraKeys, list[str | None]]] = {
    "no hash, no reason in it": (A, PLAIN, OTHER, ["namespace_differs", "namespace_differs", "not_full"]),
    "the namespace before the salt": (
        A,
        SALTED,
        OTHER,
        ["namespace_differs", "namespace_differs", "not_full"],
    ),
    "the namespace before tokens": (
        (9, 2, 3, 4),
        PLAIN,
        OTHER,
        ["namespace_differs", "namespace_differs", "not_full"],
    ),
    "the salt before tokens": ((9, 2, 3, 4), PLAIN, SALTED, ["salt_differs", "parent_differs", "not_full"]),
    "the salt stands in block 0 only": (A, SALTED, PLAIN, ["salt_differs", "parent_differs", "not_full"]),
    "tokens after the salt": ((1, 2, 3, 9), SALTED, PLAIN, ["salt_differs", "tokens_differ", "not_full"]),
    "equal keys": ((1, 2, 3, 4, 5), OTHER_SALTED, OTHER_SALTED, [None, None, "not_full"]),
}


@pytest.mark.parametrize("name", REASONS)
def test_outermost_reason_of_every_block(name: str) -> None:
    """A block without a hash is not full; else what its hash covers, from the outside in."""
    b, a_keys, b_keys, expected = REASONS[name]
    params = Params(a=A, b=b, block_size=2)
    found = compare(params, lab.hashes(params, A, a_keys), a_keys, b_keys)
    assert [block.reason for block in found.blocks] == expected


def test_not_full_needs_no_other_namespace(run_json: RunJson) -> None:
    """One token fills no block: there is no hash in which a namespace could differ."""
    miss = run_json(words([1], [1], 2))["result"]["other_namespace_first_miss"]
    assert (miss["reason"], miss["position"]) == ("not_full", 1)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_matching_is_not_reusable(run_json: RunJson, scheme: str) -> None:
    """L3 problem 4: all 32 tokens match, 16 may be reused."""
    result = run_json(words(R16 + R16, R16 + R16, 16, "--scheme", scheme))["result"]
    assert (result["matching_tokens"], result["reusable_tokens"]) == (32, 16)


@pytest.mark.parametrize(("name", "where"), [("a", "--a"), ("b", "--b")])
def test_library_refuses_negative_tokens(name: str, where: str) -> None:
    with pytest.raises(LabError) as caught:
        Params().replace(**{name: (1, -1)})
    assert (caught.value.where, caught.value.got) == (where, -1)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_salt_no_salt_fields(run_json: RunJson, scheme: str) -> None:
    """Without --salt, or with an empty one, nothing is said about another salt."""
    for more in ([], ["--salt", ""]):
        result = run_json(words([1, 2], [1, 2], 2, "--scheme", scheme, *more))["result"]
        assert result.get("other_salt_matches") is None
        assert result["matches"] == [True]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_salt(run_json: RunJson, scheme: str) -> None:
    """Peer case pt-12 in small: the same salt hits, none at all misses every block."""
    result = run_json(words([1, 2, 3, 4, 5], [1, 2, 3, 4, 6], 2, "--salt", "s1", "--scheme", scheme))[
        "result"
    ]
    assert result["matches"] == [True, True, False]
    assert result["reusable_tokens"] == 4
    assert result["other_salt_matches"] == [False] * 3
    miss = result["other_salt_first_miss"]
    assert (miss["block"], miss["reason"], miss["position"]) == (0, "salt_differs", 0)


def hashes(run_json: RunJson, *more: str) -> list[str]:
    """The digests of 1, 2, 3, 4 in blocks of 2."""
    blocks = run_json(words([1, 2, 3, 4], [1, 2, 3, 4], 2, *more))["result"]["blocks"]
    return [block["a_hash"] for block in blocks]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_salt_and_lora_change_every_digest(run_json: RunJson, scheme: str) -> None:
    """The salt by way of the chain, the adapter directly; its path counts."""
    variants = [
        hashes(run_json, "--scheme", scheme, *more)
        for more in (
            [],
            ["--salt", "s"],
            ["--salt", "t"],
            ["--lora", "x:p"],
            ["--lora", "x:q"],
            ["--lora", "y:p"],
        )
    ]
    for index in range(2):
        assert len({variant[index] for variant in variants}) == len(variants)


def test_namespace_enters_the_key_of_scheme_lab(run_json: RunJson) -> None:
    """Another namespace, other digests."""
    one, two = (hashes(run_json, "--namespace", name) for name in ("m1", "m2"))
    assert one[0] != two[0]
    assert one[1] != two[1]


@pytest.mark.parametrize("scheme", SCHEMES[1:])
def test_namespace_is_another_pool_under_engine_schemes(run_json: RunJson, scheme: str) -> None:
    """All miss, digests unchanged."""
    one, two = (hashes(run_json, "--namespace", name, "--scheme", scheme) for name in ("m1", "m2"))
    assert one == two
    result = run_json(words([1, 2, 3, 4], [1, 2, 3, 4], 2, "--scheme", scheme))["result"]
    assert result["other_namespace_matches"] == [False, False]
    miss = result["other_namespace_first_miss"]
    assert (miss["block"], miss["reason"], miss["position"]) == (0, "namespace_differs", 0)


def test_scheme_lab_keeps_fields_apart(run_json: RunJson) -> None:
    """No two different inputs run together into the same bytes."""
    pairs = [
        (["--namespace", "a", "--salt", "bc"], ["--namespace", "ab", "--salt", "c"]),
        (["--lora", "a:bc"], ["--lora", "ab:c"]),
        (["--salt", "x"], ["--lora", "x:x"]),
        (["--namespace", "x"], ["--namespace", "y", "--salt", "x"]),
    ]
    for left, right in pairs:
        assert hashes(run_json, *left)[0] != hashes(run_json, *right)[0]
    blocks = [
        run_json(words(tokens, tokens, 2))["result"]["blocks"][0]["a_hash"]
        for tokens in ([1, 23], [12, 3], [123, 0], [1, 256], [257, 0], [0, 257])
    ]
    assert len(set(blocks)) == len(blocks)


@pytest.mark.parametrize("text", ["1,2,3,4,5,6", "1,2,3,4,5,6\n"])
def test_tokens_from_a_file(run_json: RunJson, tmp_path: Path, text: str) -> None:
    """`@file` is the same as the list itself."""
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    from_file = run_json(["prefix", "--a", f"@{path}", "--b", "1,2,9,4,5,6"])["result"]
    assert from_file == run_json(["prefix", "--a", "1,2,3,4,5,6", "--b", "1,2,9,4,5,6"])["result"]


BAD = [
    (["--block-size", "0"], "--block-size"),
    (["--block-size", "-2"], "--block-size"),
    (["--block-size", "2.0"], "--block-size"),
    (["--a", "1,x"], "--a"),
    (["--a", "1,,2"], "--a"),
    (["--a", "1.5"], "--a"),
    (["--a", "1,-2"], "--a"),
    (["--b", "9" * 5000], "--b"),
    (["--a"], "--a"),
    (["--scheme", "md5"], "--scheme"),
    (["--lora", "adapter"], "--lora"),
    (["--lora", ":path"], "--lora"),
    (["--salt", "a\x00b"], "--salt"),
    (["--block", "2"], "--block"),
    (["--budget", "2"], "--budget"),
]


@pytest.mark.parametrize(("more", "where"), BAD, ids=[repr(" ".join(more))[:40] for more, _ in BAD])
def test_bad_input_is_one_line(run_lab: RunLab, more: list[str], where: str) -> None:
    """One line that names the option; nothing on stdout; exit 2."""
    ran = run_lab(["prefix", *more])
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(rf"error: {where}: [^\n]+\n", ran.err), ran.err


BAD_FILES = {
    "binary": b"1,2\x003",
    "invalid-utf8": b"1,2,\xff",
    "bom": b"\xef\xbb\xbf1,2",
    "crlf": b"1,2\r\n3,4\r\n",
    "words": b"one,two\n",
    "digits": b"9" * 5000,
}


@pytest.mark.parametrize("kind", [*BAD_FILES, "missing", "directory"])
def test_bad_file_is_one_line(run_lab: RunLab, tmp_path: Path, kind: str) -> None:
    """The line names the option or file:line."""
    path = tmp_path / "tokens.txt"
    if kind == "directory":
        path.mkdir()
    elif kind != "missing":
        path.write_bytes(BAD_FILES[kind])
    ran = run_lab(["prefix", "--a", f"@{path}"])
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(r"error: (--a|\S*tokens\.txt:\d+): [^\n]+\n", ran.err), ran.err
