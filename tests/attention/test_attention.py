"""The attention lab against the course and against its own rules, by its command line alone.

What each test turns red for:
 - a cached path that projects old rows again, or a recompute that does not: the row counts (10 and 4);
 - rows counted by a formula for the lecture's four tokens only: the row counts of other lengths;
 - a cache that is never read: `--sabotage` must change positions from True to False;
 - a comparison that cannot fail, or differences printed as matches: the same;
 - a line claiming bit-equality for the online softmax: the two claims are in separate fields;
 - a dtype that is ignored: bytes of K and V follow the element size;
 - query heads counted where KV heads belong: bytes of K and V follow --kv-heads alone.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from tests.conftest import RunJson, RunLab

DTYPES = ("float64", "float32", "float16", "bfloat16")
SABOTAGES = ("stale", "shifted", "dropped")
POSITION_LINES = {
    "en": re.compile(r"^position (\d+): cached_matches_full=(True|False)$", re.M),
    "zh": re.compile(r"^位置 (\d+)：cached_matches_full=(True|False)$", re.M),
}
ROW_LINES = {
    "en": "rows per K or V projection: recompute {}, cached {}",
    "zh": "每个 K 或 V 投影矩阵处理的行数：重算 {}，缓存 {}",
}


def result_of(run_json: RunJson, *words: str) -> dict[str, Any]:
    """The result of an attention run that ends with exit code 0."""
    document = run_json(["attention", *words])
    assert document["lab"] == "attention"
    result: dict[str, Any] = document["result"]
    return result


def matches(result: dict[str, Any]) -> list[bool]:
    """One bool a position, after checking that the positions are numbered from 0."""
    assert [row["position"] for row in result["positions"]] == list(range(len(result["positions"])))
    return [row["cached_matches_full"] for row in result["positions"]]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_documented_lines(run_lab: RunLab, lang: str) -> None:
    """Four positions match; 10 rows against 4."""
    ran = run_lab(["attention", "--lang", lang])
    assert (ran.code, ran.err) == (0, "")
    assert POSITION_LINES[lang].findall(ran.out) == [(str(i), "True") for i in range(4)]
    assert ran.out.splitlines().count(ROW_LINES[lang].format(10, 4)) == 1


def test_documented_figures(run_json: RunJson) -> None:
    """The same in the JSON document, with nothing that was not asked for."""
    result = result_of(run_json)
    assert matches(result) == [True] * 4
    assert [row["max_abs_difference"] for row in result["positions"]] == [0] * 4
    assert result["rows_projected"] == {"recompute": 10, "cached": 4}
    # two dimensions, one head: 4 a projected row of Q, K or V, 4 a position looked at
    assert result["multiply_adds"] == {"recompute": 16 + 80 + 40, "cached": 48 + 40}
    assert result["kv_bytes_read"]["cached"] == 10 * 2 * 2 * 8
    assert result["blockwise"] is None
    assert result["chunked_matches_full"] is None


@pytest.mark.parametrize(("tokens", "recompute"), [(1, 1), (2, 3), (3, 6), (5, 15), (8, 36), (17, 153)])
def test_rows_of_other_lengths(run_lab: RunLab, run_json: RunJson, tokens: int, recompute: int) -> None:
    """1 + 2 + ... + n rows against n, in the document and in the line."""
    words = ["--tokens", str(tokens)]
    result = result_of(run_json, *words)
    assert result["rows_projected"] == {"recompute": recompute, "cached": tokens}
    assert matches(result) == [True] * tokens
    for lang, line in ROW_LINES.items():
        out = run_lab(["attention", *words, "--lang", lang]).out
        assert line.format(recompute, tokens) in out.splitlines()
        assert len(POSITION_LINES[lang].findall(out)) == tokens


@st.composite
def shapes(draw: st.DrawFn) -> list[str]:
    """Any shape, dtype, chunk and block size, heads in groups over KV heads."""
    kv_heads, group, per_head = (draw(st.integers(1, most)) for most in (2, 3, 2))
    words = ["--tokens", str(draw(st.integers(1, 7)))]
    words += ["--heads", str(kv_heads * group), "--kv-heads", str(kv_heads)]
    words += ["--dim", str(kv_heads * group * per_head), "--seed", str(draw(st.integers(0, 999)))]
    words += ["--dtype", draw(st.sampled_from(DTYPES))]
    for name in ("--chunk", "--block-size"):
        if draw(st.booleans()):
            words += [name, str(draw(st.integers(1, 9)))]
    return words


@given(words=shapes())
@settings(deadline=None, max_examples=60)
def test_cached_equals_full_for_any_shape(run_json: RunJson, words: list[str]) -> None:
    """Bit-equal at every position; chunked prefill too, if there is one."""
    result = result_of(run_json, *words)
    tokens = int(words[1])
    assert matches(result) == [True] * tokens
    assert [row["max_abs_difference"] for row in result["positions"]] == [0] * tokens
    chunk = int(words[words.index("--chunk") + 1]) if "--chunk" in words else 1
    # a chunk of one token is the cached path itself, so nothing need be said of it
    assert result["chunked_matches_full"] is True or (chunk == 1 and result["chunked_matches_full"] is None)
    assert result["rows_projected"] == {"recompute": tokens * (tokens + 1) // 2, "cached": tokens}
    assert result["blockwise"] is None


@given(words=shapes())
@settings(deadline=None, max_examples=40)
def test_blockwise_stays_within_its_bound(run_json: RunJson, words: list[str]) -> None:
    """The online softmax claims a bound in ulps and keeps it; the bit-equality is claimed elsewhere."""
    result = result_of(run_json, *words, "--blockwise")
    blockwise = result["blockwise"]
    assert blockwise["within_bound"] is True
    assert 0 <= blockwise["max_ulps"] <= blockwise["bound_ulps"]
    assert all(matches(result))


def test_blockwise_is_not_bit_equal_for_some_input(run_json: RunJson) -> None:
    """If no input shows a difference, the blocks were not really folded one by one."""
    ulps = [
        result_of(
            run_json, "--tokens", "9", "--dim", "8", "--block-size", "2", "--seed", str(seed), "--blockwise"
        )
        for seed in range(8)
    ]
    assert any(result["blockwise"]["max_ulps"] > 0 for result in ulps)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_blockwise_text_speaks_of_ulps(run_lab: RunLab, lang: str) -> None:
    """The weaker equality is named where it is claimed, and only there."""
    assert "ulp" in run_lab(["attention", "--blockwise", "--lang", lang]).out
    assert not re.search(r"max_ulps|\d ulp", run_lab(["attention", "--lang", lang]).out)


@pytest.mark.parametrize("tokens", [None, "2", "3", "6", "12"])
@pytest.mark.parametrize("sabotage", SABOTAGES)
def test_sabotage_is_seen(run_lab: RunLab, run_json: RunJson, sabotage: str, tokens: str | None) -> None:
    """Damaged keys or values print False, which is what was asked for: exit 0."""
    words = ["--sabotage", sabotage, *(["--tokens", tokens] if tokens else [])]
    result = result_of(run_json, *words)
    seen = matches(result)
    assert False in seen
    assert any(row["max_abs_difference"] > 0 for row in result["positions"])
    assert all(row["max_abs_difference"] == 0 for row in result["positions"] if row["cached_matches_full"])
    for lang, lines in POSITION_LINES.items():
        ran = run_lab(["attention", *words, "--lang", lang])
        assert ran.code == 0
        assert lines.findall(ran.out) == [(str(i), str(match)) for i, match in enumerate(seen)]


@given(
    sabotage=st.sampled_from(SABOTAGES),
    tokens=st.integers(3, 8),
    heads=st.sampled_from([(1, 1), (2, 1), (2, 2), (4, 2)]),
    dtype=st.sampled_from(DTYPES[:2]),
    seed=st.integers(0, 99),
    block=st.integers(1, 5),
)
@settings(deadline=None, max_examples=40)
def test_sabotage_is_seen_for_any_shape(
    run_json: RunJson, sabotage: str, tokens: int, heads: tuple[int, int], dtype: str, seed: int, block: int
) -> None:
    """At least one position turns False, and never because everything does by default."""
    words = ["--tokens", str(tokens), "--heads", str(heads[0]), "--kv-heads", str(heads[1])]
    words += ["--dim", "8", "--dtype", dtype, "--seed", str(seed), "--block-size", str(block)]
    assert all(matches(result_of(run_json, *words)))
    assert not all(matches(result_of(run_json, *words, "--sabotage", sabotage)))


def test_costs_of_one_token_are_equal(run_json: RunJson) -> None:
    """With one token there is nothing to save."""
    result = result_of(run_json, "--tokens", "1")
    assert result["multiply_adds"]["recompute"] == result["multiply_adds"]["cached"] > 0


def figure(run_json: RunJson, kind: str, path: str, *words: str) -> int:
    """One of the counts; counts are integers."""
    count = result_of(run_json, *words)[kind][path]
    assert isinstance(count, int)
    assert not isinstance(count, bool)
    return count


def test_multiply_adds_grow(run_json: RunJson) -> None:
    """Cached: linear projections and quadratic attention. Recompute costs more, and ever more so."""
    lengths = [str(n) for n in range(1, 9)]
    cached, recompute = (
        [figure(run_json, "multiply_adds", path, "--tokens", n, "--dim", "4") for n in lengths]
        for path in ("cached", "recompute")
    )
    first = [b - a for a, b in pairwise(cached)]
    second = [b - a for a, b in pairwise(first)]
    assert len(set(second)) == 1
    assert second[0] > 0
    saved = [r - c for r, c in zip(recompute, cached)]
    assert saved[0] == 0
    assert all(a < b for a, b in pairwise(saved))
    steps = [b - a for a, b in pairwise(saved)]
    assert all(a < b for a, b in pairwise(steps))


def test_bytes_read_follow_the_element_size(run_json: RunJson) -> None:
    """8, 4, 2 and 2 bytes an element."""
    words = ["--tokens", "6", "--dim", "4"]
    for path in ("cached", "recompute"):
        sizes = [figure(run_json, "kv_bytes_read", path, *words, "--dtype", dtype) for dtype in DTYPES]
        assert sizes == [4 * sizes[2], 2 * sizes[2], sizes[2], sizes[2]]
    assert figure(run_json, "kv_bytes_read", "cached", *words) > 0


def test_bytes_read_follow_the_kv_heads(run_json: RunJson) -> None:
    """Four query heads over 1, 2 or 4 KV heads: only the KV heads count."""
    words = ["--tokens", "6", "--dim", "8", "--heads", "4", "--kv-heads"]
    one, two, four = (figure(run_json, "kv_bytes_read", "cached", *words, n) for n in ("1", "2", "4"))
    assert [two, four] == [2 * one, 4 * one]


@pytest.mark.parametrize(("tokens", "dim"), [(1, 2), (4, 2), (4, 4), (7, 3), (9, 8)])
def test_costs_of_one_head_by_hand(run_json: RunJson, tokens: int, dim: int) -> None:
    """One row of Q, K or V is dim x dim multiply-adds; each key looked at, 2 dim; float64 has 8 bytes.

    Both paths look at 1, 2, ... n positions; recompute projects K and V of all of these again.
    """
    looked_at = tokens * (tokens + 1) // 2
    result = result_of(run_json, "--tokens", str(tokens), "--dim", str(dim))
    assert result["multiply_adds"] == {
        "recompute": (tokens + 2 * looked_at) * dim * dim + looked_at * 2 * dim,
        "cached": 3 * tokens * dim * dim + looked_at * 2 * dim,
    }
    assert result["kv_bytes_read"]["cached"] == looked_at * 2 * dim * 8


def test_growth_rows_are_runs_of_their_own(run_json: RunJson) -> None:
    """Each growth row holds the counts that a run with that many tokens reports."""
    growth = result_of(run_json, "--tokens", "11")["growth"]
    assert [row["tokens"] for row in growth] == [1, 2, 4, 8, 11]
    for row in growth:
        alone = result_of(run_json, "--tokens", str(row["tokens"]))
        for path in ("recompute", "cached"):
            assert set(row[path]) == {"rows_projected", "multiply_adds", "kv_bytes_read"}
            assert row[path] == {kind: alone[kind][path] for kind in row[path]}


BAD = [
    (["--tokens", "0"], "--tokens"),
    (["--tokens", "-3"], "--tokens"),
    (["--tokens", "1.5"], "--tokens"),
    (["--tokens", "many"], "--tokens"),
    (["--tokens", "9" * 5000], "--tokens"),
    (["--tokens", "٣"], "--tokens"),
    (["--tokens"], "--tokens"),
    (["--dim", "0"], "--dim"),
    (["--heads", "0"], "--heads"),
    (["--kv-heads", "0"], "--kv-heads"),
    (["--heads", "3", "--kv-heads", "2", "--dim", "6"], "--(kv-)?heads"),
    (["--heads", "3", "--dim", "4"], "--heads"),
    (["--heads", "4", "--kv-heads", "8", "--dim", "8"], "--kv-heads"),
    (["--chunk", "0"], "--chunk"),
    (["--block-size", "0"], "--block-size"),
    (["--dtype", "float8"], "--dtype"),
    (["--dtype", "Float64"], "--dtype"),
    (["--sabotage", "explode"], "--sabotage"),
    (["--seed", "x"], "--seed"),
    (["--tokens", "1000000"], "--tokens"),
    (["--dim", "1000000"], "--dim"),
    (["--token", "4"], "--token"),
    (["--budget", "4"], "--budget"),
    (["extra"], "extra"),
]


@pytest.mark.parametrize(("words", "where"), BAD, ids=[" ".join(words)[:40] for words, _ in BAD])
def test_bad_input_is_one_line(run_lab: RunLab, words: list[str], where: str) -> None:
    """One line that names the option; nothing on stdout; exit 2."""
    ran = run_lab(["attention", *words])
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(rf"error: {where}: [^\n]+\n", ran.err), ran.err
