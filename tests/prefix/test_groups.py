"""`prefix groups`: hits and block ids of the four groups, by hand from the rules and against token lists.

The oracle never hashes and knows no pool: a block is hit if the request agrees with the cached prompt on
everything up to the block's end, and the block ends before the request's last token. MUTANTS breaks that as
learners do; `test_cases_tell_every_mutant_apart` shows that the table refutes each. Block ids follow from the
free order: first what was freed without a key, then never used blocks, then cached ones, tail before head.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import labs.prefix_groups as lab
from labs.base import LabError
from labs.engine.kv.block_keys import ChainedKeys
from labs.engine.kv.kv_manager import KVManager
from labs.prefix_groups import Params, run, why_no_further

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.run.live_request import LiveRequest
    from tests.conftest import Golden, RunJson, RunLab

NAMES = ["cold", "warm", "early change", "not a prefix"]
R14, R15, R16, R17 = (list(range(1, n + 1)) for n in (14, 15, 16, 17))


class Case(NamedTuple):
    """Knobs; then by group, in order: tokens hit, and the block table where it is worked out."""

    prompt: list[int]
    change: int
    before: list[int]
    block_size: int
    hit_tokens: list[int]
    tables: list[list[int]] | None = None


FOUR = [90, 91, 92, 93]

# Worked by hand. Cold takes blocks 1, 2, ...; its last one, if partial, goes to the head of the free queue.
CASES = {
    "default": Case(R14, 5, FOUR, 4, [0, 12, 4, 0], [R14[:4], R14[:4], [1, 4, 5, 6], [4, 5, 6, 7, 8]]),
    "15-tokens": Case(R15, 5, FOUR, 4, [0, 12, 4, 0], [R14[:4], R14[:4], [1, 4, 5, 6], [4, 5, 6, 7, 8]]),
    # whole blocks: all four have keys and stay cached, so the recomputed one goes to block 5
    "16-tokens": Case(R16, 5, FOUR, 4, [0, 12, 4, 0], [R14[:4], [1, 2, 3, 5], [1, 5, 6, 7], R14[4:9]]),
    "17-tokens": Case(
        R17, 5, FOUR, 4, [0, 16, 4, 0], [R14[:5], R14[:5], [1, 5, 6, 7, 8], [5, 6, 7, 8, 9, 10]]
    ),
    "L3-problem-4": Case(R16 + R16, 17, FOUR, 16, [0, 16, 16, 0], [[1, 2], [1, 3], [1, 3], [3, 4, 5]]),
    "L3-problem-4-and-one": Case(R16 + R17, 17, FOUR, 16, [0, 32, 16, 0]),
    "block-1": Case([5, 6, 7], 1, [8], 1, [0, 2, 1, 0], [[1, 2, 3], [1, 2, 4], [1, 4, 5], [4, 5, 6, 7]]),
    "less-than-a-block": Case([5, 6, 7], 0, [8], 4, [0, 0, 0, 0], [[1], [1], [1], [1]]),
    "exactly-a-block": Case([5, 6, 7, 8], 3, [9], 4, [0, 0, 0, 0], [[1], [2], [2], [2, 3]]),
    "one-token": Case([5], 0, [6], 1, [0, 0, 0, 0], [[1], [2], [2], [2, 3]]),
    "change-at-the-start": Case(R14, 0, FOUR, 4, [0, 12, 0, 0], [R14[:4], R14[:4], R14[3:7], R14[3:8]]),
    "change-ends-a-block": Case(R14, 3, FOUR, 4, [0, 12, 0, 0]),
    "change-starts-a-block": Case(R14, 4, FOUR, 4, [0, 12, 4, 0]),
    "change-in-the-partial-block": Case(R14, 13, FOUR, 4, [0, 12, 12, 0]),
    "change-in-the-last-whole-block": Case(R16, 15, FOUR, 4, [0, 12, 12, 0]),
    "moved-by-one": Case(R14, 5, [90], 4, [0, 12, 4, 0], [R14[:4], R14[:4], [1, 4, 5, 6], [4, 5, 6, 7]]),
    "before-begins-alike": Case(R14, 5, [1, 2, 3, 4, 90], 4, [0, 12, 4, 4]),
    "before-is-the-prompt": Case(R16, 5, R16, 4, [0, 12, 4, 16]),
    "all-tokens-alike": Case([7] * 6, 5, [7] * 4, 4, [0, 4, 4, 4], [[1, 2], [1, 2], [1, 2], [1, 2, 3]]),
    "a-block-twice": Case([1, 2, 3, 4, 1, 2, 3, 4, 5], 0, [1, 2, 3, 4], 4, [0, 8, 0, 8]),
    "blocks-alike": Case([7] * 8, 1, [7], 2, [0, 6, 0, 8]),
}
BY_NAME = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def words(case: Case, *more: str) -> list[str]:
    prompt, before = (",".join(map(str, tokens)) for tokens in (case.prompt, case.before))
    knobs = ["--prompt", prompt, "--before", before, "--change", str(case.change)]
    return ["prefix", "groups", *knobs, "--block-size", str(case.block_size), *more]


def requests(case: Case) -> list[list[int]]:
    """The tokens of each group; 99 stands for the changed one."""
    changed = [*case.prompt]
    changed[case.change] = 99
    return [case.prompt, case.prompt, changed, case.before + case.prompt]


def oracle(tokens: Sequence[int], cached: Sequence[int], size: int, wrong: str = "") -> int:
    """Tokens hit by a request when a prompt is cached; `wrong` breaks one rule."""

    def key(ids: Sequence[int], end: int) -> tuple[int, ...]:
        return tuple(ids[end - size if wrong == "unchained" else 0 : end])

    bound = len(tokens) - (wrong not in ("no-bound", "partial-counts", "bound-in-tokens"))
    partial = size - 1 if wrong == "partial-counts" else 0
    stored = {key(cached, end) for end in range(size, len(cached) + partial + 1, size)}
    hit = 0
    while hit + size <= bound + partial and key(tokens, hit + size) in stored:
        hit += size
    return min(hit, len(tokens) - 1 if wrong == "bound-in-tokens" else len(tokens))


def oracles(case: Case, wrong: str = "") -> list[int]:
    cached: list[list[int]] = [[], case.prompt, case.prompt, case.prompt]
    return [
        oracle(tokens, there, case.block_size, wrong)
        for tokens, there in zip(requests(case), cached, strict=True)
    ]


MUTANTS = ("no-bound", "partial-counts", "unchained", "bound-in-tokens")


@BY_NAME
def test_hits_and_tables(run_json: RunJson, case: Case) -> None:
    groups = run_json(words(case))["result"]["groups"]
    assert [group["name"] for group in groups] == NAMES
    assert [group["hit_tokens"] for group in groups] == case.hit_tokens
    lengths = [len(tokens) for tokens in requests(case)]
    assert [group["prompt_tokens"] for group in groups] == lengths
    assert [group["computed_tokens"] for group in groups] == [
        n - hit for n, hit in zip(lengths, case.hit_tokens, strict=True)
    ]
    if case.tables is not None:
        assert [group["block_table"] for group in groups] == case.tables
    for group in groups:
        hit = group["hit_tokens"] // case.block_size
        assert group["hit_blocks"] == group["block_table"][:hit] == list(range(1, hit + 1))
        assert group["blocks"] == len(group["block_table"]) == -(-group["prompt_tokens"] // case.block_size)
        assert group["evicted_blocks"] == []
        assert group["cached_prompt_hit_tokens_afterwards"] == case.hit_tokens[1]


@BY_NAME
def test_the_oracle_agrees_with_the_table(case: Case) -> None:
    assert oracles(case) == case.hit_tokens


@pytest.mark.parametrize("mutant", MUTANTS)
def test_cases_tell_every_mutant_apart(mutant: str) -> None:
    assert [name for name, case in CASES.items() if oracles(case, mutant) != case.hit_tokens]


def test_defaults_are_the_documented_case(run_json: RunJson) -> None:
    assert run_json(["prefix", "groups"]) == run_json(words(CASES["default"]))


def test_warm_is_what_the_engine_gave(golden: Golden, run_json: RunJson) -> None:
    """The recorded look-ups of one prompt after itself, prompts of 1 to 65 tokens."""
    rows = golden("kv_cache.json")["full_hit"]["identical_prompt"]
    assert len(rows) > 10
    for row in rows:
        prompt = ",".join(map(str, range(row["prompt"])))
        command = ["prefix", "groups", "--prompt", prompt, "--block-size", str(row["block"])]
        warm = run_json(command)["result"]["groups"][1]
        got = (warm["hit_tokens"], len(warm["hit_blocks"]), warm["computed_tokens"])
        assert got == (row["hit_tokens"], row["hit_blocks"], row["recomputed"]), row


TOKENS = st.lists(st.integers(1, 2), min_size=1, max_size=9)


@given(
    prompt=TOKENS, before=TOKENS, size=st.integers(1, 4), change=st.integers(0, 8), spare=st.integers(0, 6)
)
@settings(deadline=None, max_examples=400)
def test_any_prompts(prompt: list[int], before: list[int], size: int, change: int, spare: int) -> None:
    """Hits by the oracle; tables of distinct blocks within the pool; only cached blocks are evicted."""
    case = Case(prompt, min(change, len(prompt) - 1), before, size, [])
    pool = -(-len(before + prompt) // size) + spare
    result = run(Params(tuple(prompt), case.change, tuple(before), size, pool))
    assert result.holds
    assert [group.hit_tokens for group in result.groups] == oracles(case)
    full = len(prompt) // size
    for group in result.groups:
        assert group.hit_tokens + group.computed_tokens == len(group.tokens)
        assert len(set(group.block_table)) == len(group.block_table) == -(-len(group.tokens) // size)
        assert set(group.block_table) <= set(range(1, pool + 1))
        assert group.block_table[: len(group.hit_blocks)] == group.hit_blocks
        # cached ones are taken from the tail of the prompt on, and what is left before them can be hit
        evicted = list(group.evicted_blocks)
        assert evicted == sorted(evicted, reverse=True)
        assert set(evicted) <= set(range(1, full + 1)) - set(group.hit_blocks)
        assert group.left_tokens <= result.group("cold").left_tokens
        if not evicted:
            assert group.left_tokens == result.group("cold").left_tokens


@given(prompt=TOKENS, tokens=TOKENS, size=st.integers(1, 4))
@settings(deadline=None, max_examples=400)
def test_the_reason_says_where_the_look_up_ends(prompt: list[int], tokens: list[int], size: int) -> None:
    """Each reason holds of the block after the last one hit."""
    reason, position = why_no_further(tuple(tokens), tuple(prompt), size)
    block = oracle(tokens, prompt, size) // size
    end = (block + 1) * size
    if reason == "not_full":
        assert block * size < len(tokens) < end
        assert position is None or (block * size <= position and tokens[position] != prompt[position])
    elif reason == "bound":
        assert position is None
        assert len(tokens) == end <= len(prompt)
        assert tokens == prompt[:end]
    elif reason == "cached_ends":
        assert position is None
        assert len(prompt) < end <= len(tokens)
        assert tokens[: len(prompt)] == prompt
    else:
        assert reason == "tokens_differ"
        assert position is not None
        assert block * size <= position < end <= len(tokens)
        assert tokens[:position] == prompt[:position]
        assert tokens[position] != prompt[position]


# kv blocks, prompt -> by group: evicted blocks, tokens that the prompt would hit afterwards. By hand: of 5
# blocks 1 to 4 are cold's; in its place stand 4 (no key), then 5 (never used), then 3, 2, 1.
EVICTIONS: dict[str, tuple[int, list[int], list[list[int]], list[int]]] = {
    "just-enough": (5, R14, [[], [], [3], [3, 2, 1]], [12, 12, 8, 0]),
    "one-spare": (6, R14, [[], [], [], [3, 2]], [12, 12, 12, 4]),
    "two-spare": (7, R14, [[], [], [], [3]], [12, 12, 12, 8]),
    "plenty": (8, R14, [[], [], [], []], [12, 12, 12, 12]),
    # all four blocks have keys: 5, then 4, 3, 2, 1; warm takes 5 for the block that it recomputes
    "whole-blocks": (5, R16, [[], [], [4, 3], [4, 3, 2, 1]], [12, 12, 8, 0]),
    # the last block is beyond the bound of the prompt's own look-up, so losing it costs nothing
    "only-the-last": (8, R16, [[], [], [], [4]], [12, 12, 12, 12]),
}


@pytest.mark.parametrize("name", EVICTIONS)
def test_a_small_pool_evicts(run_json: RunJson, name: str) -> None:
    kv_blocks, prompt, evicted, left = EVICTIONS[name]
    groups = run_json(words(Case(prompt, 5, FOUR, 4, []), "--kv-blocks", str(kv_blocks)))["result"]["groups"]
    assert [group["evicted_blocks"] for group in groups] == evicted
    assert [group["cached_prompt_hit_tokens_afterwards"] for group in groups] == left
    assert [group["hit_tokens"] for group in groups] == [0, 12, 4, 0]


REFUSED = {
    "prompt-of-none": (["--prompt", ""], "--prompt: must not be empty (got nothing)"),
    "before-none": (["--before", ""], "--before: must not be empty (got nothing)"),
    "negative-token": (["--prompt", "1,-2"], "--prompt: must be at least 0 (got -2)"),
    "large-token": (["--before", str(2**63)], None),
    "change-after-the-end": (["--change", "14"], "--change: must be at most 13 (got 14)"),
    "change-before-the-start": (["--change", "-1"], "--change: must be at least 0 (got -1)"),
    "change-in-a-shorter-one": (
        ["--prompt", "1,2", "--change", "2"],
        "--change: must be at most 1 (got 2)",
    ),
    "block-of-none": (["--block-size", "0"], "--block-size: must be at least 1 (got 0)"),
    "pool-of-none": (["--kv-blocks", "0"], "--kv-blocks: must be at least 1 (got 0)"),
    "pool-too-small": (
        ["--kv-blocks", "4"],
        "--kv-blocks: request 'not a prefix' needs slots for 18 tokens at once: 5 blocks of 4, more than the"
        " pool has; it would wait for ever (got 4)",
    ),
    "pool-too-small-for-all": (["--kv-blocks", "3"], None),
    "missing-file": (["--prompt", "@no-such-file"], "--prompt: no such file (got no-such-file)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_one_line(run_lab: RunLab, name: str) -> None:
    knobs, line = REFUSED[name]
    ran = run_lab(["prefix", "groups", *knobs])
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(r"error: --[a-z-]+: [^\n]+ \(got [^\n]*\)\n", ran.err)
    assert line is None or ran.err == f"error: {line}\n"


@pytest.mark.parametrize(
    ("prompt", "change"), [((1,), 0), ((1, 2, 3), 2), ((1,) * 6, 5), ((1,) * 7, 5), (None, 5)]
)
def test_the_default_change_lies_in_the_prompt(prompt: tuple[int, ...] | None, change: int) -> None:
    assert lab.params(**({} if prompt is None else {"prompt": prompt})).change == change


def test_params_are_checked_without_the_command_line() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"prompt": ()}, "--prompt"),
        ({"prompt": (1, 2)}, "--change"),
        ({"before": (-1,)}, "--before"),
        ({"kv_blocks": 0}, "--kv-blocks"),
    ]
    for knobs, where in cases:
        with pytest.raises(LabError) as caught:
            Params(**knobs)
        assert caught.value.where == where


def test_the_changed_token_is_another_one() -> None:
    for old, new in ((6, 99), (99, 98), (98, 99)):
        params = Params(prompt=(1, old), change=1)
        assert params.requests["early change"] == (1, new)


def without_bound(self: KVManager, request: LiveRequest) -> list[int]:
    return self.pool.hit(request.keys.between(0, request.num_tokens // self.block_size))


def finds_nothing(self: KVManager, request: LiveRequest) -> list[int]:
    return []


@pytest.mark.parametrize("sabotage", [without_bound, finds_nothing])
def test_a_pool_that_breaks_the_rule_is_told(
    run_lab: RunLab, monkeypatch: pytest.MonkeyPatch, sabotage: Any
) -> None:
    """Exit code 1, with both figures, in either language."""
    monkeypatch.setattr(KVManager, "cached_blocks", sabotage)
    given = "16" if sabotage is without_bound else "0"
    for lang, line in (
        ("en", f"- The pool gave warm {given} tokens, the rule says 12"),
        ("zh", f"{given} 个 token，而规则是 12"),
    ):
        ran = run_lab([*words(CASES["16-tokens"]), "--lang", lang])
        assert (ran.code, ran.err) == (1, "")
        assert line in ran.out


def test_keys_without_their_parents_would_be_seen(run_json: RunJson, monkeypatch: pytest.MonkeyPatch) -> None:
    """With unchained keys the last group would hit: the figures come from the pool, not from the texts."""

    def unchained(self: ChainedKeys, start: int, stop: int) -> list[Any]:
        return list(self.contents(start, stop))

    monkeypatch.setattr(ChainedKeys, "between", unchained)
    case = Case([1, 2, 3, 4, 1, 2, 3, 4, 5], 5, [1, 2, 3, 4], 4, [])
    groups = run_json(words(case))["result"]["groups"]
    assert groups[3]["hit_tokens"] == 12
    monkeypatch.undo()
    assert run_json(words(case))["result"]["groups"][3]["hit_tokens"] == 8


TEXT = {
    "en": [
        "hit tokens: cold 0, warm 12, early change 4, not a prefix 0",
        "computed tokens: cold 14, warm 2, early change 10, not a prefix 18",
    ],
    "zh": [
        "命中 token：cold 0，warm 12，early change 4，not a prefix 0",
        "计算 token：cold 14，warm 2，early change 10，not a prefix 18",
    ],
}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_result_lines_stand_alone(run_lab: RunLab, lang: str) -> None:
    lines = run_lab(["prefix", "groups", "--lang", lang]).out.splitlines()
    assert [line for line in lines if line in TEXT[lang]] == TEXT[lang]


# knobs -> what Why says of a group, in this run's values
WHY = [
    (
        [],
        "warm",
        "ends at logical block 3, which is not full: .* So 12 of 14 tokens",
        "逻辑块 3.*14 个 token 命中 12 个",
    ),
    (
        ["--block-size", "7"],
        "warm",
        "logical block 1 is cached too, .* 14 - 1 .*: 7",
        "逻辑块 1 也在.* 14 - 1 .*：7 个",
    ),
    (
        [],
        "early change",
        "position 5 stands 99, .* 6, so from logical block 1",
        "位置 5 是 99.*是 6，所以从逻辑块 1",
    ),
    (
        [],
        "early change",
        r"block 2 holds \[9, 10, 11, 12\] like .* block 2 ",
        r"块 2 与.*块 2 同为 \[9, 10, 11, 12\]",
    ),
    (
        [],
        "not a prefix",
        r"block 1 holds \[1, 2, 3, 4\] like .* block 0 ",
        r"块 1 与.*块 0 同为 \[1, 2, 3, 4\]",
    ),
    (
        ["--before", "90,91"],
        "not a prefix",
        "starts at position 2, and so is cut into other",
        "从位置 2 才开始",
    ),
    (
        ["--change", "13"],
        "early change",
        "Position 13, where it differs .*, lies in that",
        "不同的位置 13 就在这个块",
    ),
    (
        ["--prompt", "7,7,7,7,7,7", "--before", "7,7,7,7"],
        "not a prefix",
        "the cached prompt has 6 tokens and no full logical block 1, so 4 of 10",
        "有 6 个 token，其中没有填满的逻辑块 1，所以 10 个 token 命中 4 个",
    ),
    # the block that holds the same tokens under another parent lies after the hit ones
    (
        ["--prompt", "1,2,1,2,1,2,5,6", "--before", "1,2", "--block-size", "2"],
        "not a prefix",
        r"position 6 stands 1, .* 5, .* block 3 .*block 4 holds \[5, 6\] like .* block 3 ",
        r"位置 6 是 1.*是 5.*块 4 与.*块 3 同为 \[5, 6\]",
    ),
]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("row", WHY, ids=[f"{name} {' '.join(knobs)}" for knobs, name, _, _ in WHY])
def test_why_names_this_runs_values(run_lab: RunLab, row: tuple[list[str], str, str, str], lang: str) -> None:
    knobs, name, english, chinese = row
    out = run_lab(["prefix", "groups", *knobs, "--lang", lang]).out
    reasons = out.partition({"en": "Why:", "zh": "原因："}[lang])[2]
    if lang == "en":
        [reason] = re.findall(rf"^- {name}: (.*(?:\n  .*)*)", reasons, re.MULTILINE)
        assert re.search(english, " ".join(reason.split()))
    else:
        [reason] = re.findall(rf"^- {name}：(.*(?:\n  .*)*)", reasons, re.MULTILINE)
        assert re.search(chinese.replace(" ", ""), "".join(reason.split())), reason


def test_eviction_is_explained_only_where_it_happens(run_lab: RunLab) -> None:
    enough = run_lab(["prefix", "groups", "--kv-blocks", "8"]).out
    assert "evict" not in enough.partition("Next:")[0]
    tight = run_lab(["prefix", "groups", "--kv-blocks", "5"]).out
    assert (
        "early change evicts 1 of the 3 cached blocks: physical [3]; the prompt would then hit 8 tokens"
        " (before: 12)" in tight.splitlines()
    )
    assert "- A block is evicted only when it is needed" in tight


def test_the_next_commands_go_round(run_lab: RunLab) -> None:
    """Whole blocks, then a small pool, then other changes, then whole blocks again."""
    line, seen = "prefix groups", []
    for _ in range(4):
        [line] = re.findall(
            r"^Next: python3 inference_lab.py (.*?)  \(", run_lab(line.split()).out, re.MULTILINE
        )
        seen.append(line.removeprefix("prefix groups "))
    assert seen == ["--block-size 7", "--kv-blocks 5", "--change 0 --before 90", "--block-size 7"]


def test_long_prompts_are_cut_in_the_text_only(run_lab: RunLab) -> None:
    command = words(Case(list(range(600)), 5, list(range(900, 1500)), 2, []))
    assert max(map(len, run_lab(command).out.splitlines())) < 160
    groups = json.loads(run_lab([*command, "--json"]).out)["result"]["groups"]
    assert [len(group["block_table"]) for group in groups] == [300, 300, 300, 600]
