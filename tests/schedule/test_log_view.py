"""The log as text: the lines by hand, in both languages, and lists of blocks that stay short.

Turned red by: a line whose words follow the language, a run of rounds told as one round, a table that forgets
what was hit or given back, totals that count a line once where it stands for several rounds.
"""

from __future__ import annotations

import pytest

from labs.engine.explain.life import life
from labs.engine.external.lecture import KNOBS, REQUESTS, SCRIPT
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.simulator import simulate
from labs.schedule import LECTURE
from labs.view.schedule_log import block_list, render_log
from tests.engine.golden_cases import connector_cases, requests_of, vllm_of
from tests.schedule.life_lines import TWO, blocks_of_4

TWO_LINES = """\
  1      A        created    status=WAITING tokens=5 blocks=2
  1      A        allocated  cached=[] new=[1,2] table=[1,2] free=4
  1      A        scheduled  phase=prefill tokens=5 cached=0 status=RUNNING
  2      B        created    status=WAITING tokens=6 blocks=2
  2-4    A        scheduled  phase=decode tokens=1 cached=5 status=RUNNING
  2      B        allocated  cached=[1] new=[3] table=[1,3] free=3
  2      B        scheduled  phase=prefill tokens=2 cached=4 status=RUNNING
  3      B        scheduled  phase=decode tokens=1 cached=6 status=RUNNING
  3      B        finished   reason=length
  3      B        freed      blocks=[3,1] free=4
  4      A        finished   reason=length
  4      A        freed      blocks=[2,1] free=6
"""
TWO_ENGLISH = f"""\
The life of each request:
  round  request  event
{TWO_LINES}\
A line for several rounds holds for each of them; cached is what had been computed or hit before the
first.
free counts the blocks left after the line; freed blocks stand in the order given back.
Prefill and decode stand side by side in 1 of 4 rounds, first in round 2.
In all:
  request  computed tokens  hit blocks  most blocks  preempted  blocks back after round
  A        8                0           2            0          4
  B        3                1           2            0          3
"""
TWO_CHINESE = """\
每个请求的生命周期：
  轮   请求  事件
  1    A     created    status=WAITING tokens=5 blocks=2
  1    A     allocated  cached=[] new=[1,2] table=[1,2] free=4
"""
TWO_CHINESE_END = """\
一行表示多轮时，各轮内容相同；cached 是其中第一轮之前已计算或命中的 token 数。
free 是该行之后的空闲块数；freed 的块按释放次序列出。
4 轮中有 1 轮同时含有 prefill 和 decode，最早是第 2 轮。
合计：
  请求  计算 token 数  命中块数  最多持有块数  被抢占次数  释放块的轮次
  A     8              0         2             0           4
  B     3              1         2             0           3
"""


def test_two_requests_in_english() -> None:
    """B hits A's first block, which is full and in use; their rounds interleave."""
    assert render_log(blocks_of_4(TWO, kv_blocks=6), "en") == TWO_ENGLISH


def test_two_requests_in_chinese() -> None:
    text = render_log(blocks_of_4(TWO, kv_blocks=6), "zh")
    assert text.startswith(TWO_CHINESE)
    assert text.endswith(TWO_CHINESE_END)


@pytest.mark.parametrize("rule", RULES)
def test_the_lines_are_the_same_in_both_languages(rule: str) -> None:
    """Words of the log are the engine's; only what is said about them is translated."""
    english, chinese = ([line.split() for line in log_lines(rule, lang)] for lang in ("en", "zh"))
    assert english == chinese
    assert len(english) > 10


def log_lines(rule: str, lang: str) -> list[str]:
    text = render_log(blocks_of_4(LECTURE, rule), lang)
    return [line for line in text.split("\n") if line[:3].strip().isdigit() and "=" in line]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("rule", RULES)
def test_the_lecture_case_fits_a_screen(rule: str, lang: str) -> None:
    """At most 100 columns and 50 lines, and no blanks at the ends."""
    lines = render_log(blocks_of_4(LECTURE, rule, kv_blocks=9), lang).split("\n")
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 50
    assert all(line == line.rstrip() for line in lines)


def test_a_rule_without_blocks_says_so() -> None:
    text = render_log(blocks_of_4(LECTURE, "decode-first"), "en")
    assert text.endswith("\nThis rule knows no blocks, so none are logged; --rule vllm shows them.\n")
    assert "blocks=" not in text


def test_a_pool_without_end_has_no_count_of_free_blocks() -> None:
    text = render_log(blocks_of_4(TWO), "en")
    assert "cached=[] new=[1,2] table=[1,2] free=unlimited" in text


def test_a_preempted_request() -> None:
    """Three prompts of 7 in 8 blocks of 4: C loses 8 tokens in round 3 (the engine's case preempt_fcfs)."""
    text = render_log(blocks_of_4([Request(name, 7, 8) for name in "ABC"], kv_blocks=8, budget=32), "en")
    assert "\n  3      C        preempted  lost=8\n  3      C        freed      blocks=[6,5] free=2\n" in text
    assert "\n  10     C        resumed\n" in text
    last = next(line for line in text.split("\n") if line.startswith("  C   ")).split()
    assert last == ["C", "23", "0", "4", "1", "16"]  # computed: 7 and 1, then 9 and 6 more


def test_blocks_of_who_has_not_finished_are_not_back() -> None:
    """The same, cut off after round 5: C has lost its blocks, but will want them again."""
    events = blocks_of_4([Request(name, 7, 8) for name in "ABC"], rounds=5, kv_blocks=8, budget=32)
    last = next(line for line in render_log(events, "en").split("\n") if line.startswith("  C   "))
    assert last.split() == ["C", "8", "0", "2", "1", "-"]


def test_long_runs_stay_short() -> None:
    """A decode without end: one line for the tokens of a block, and tables that are cut."""
    events = blocks_of_4([Request("A", 0, None, context=1)], rounds=4000)
    lines = render_log(events, "en").split("\n")
    words = [line.split() for line in lines]
    assert words[4] == ["1-3", "A", "scheduled", "phase=decode", "tokens=1", "cached=1", "status=RUNNING"]
    assert words[6] == ["4-7", "A", "scheduled", "phase=decode", "tokens=1", "cached=4", "status=RUNNING"]
    assert any("table=[1..64,...,1000]" in line for line in lines)
    assert max(map(len, lines)) <= 100


def test_lines_about_external_kv() -> None:
    run = simulate(REQUESTS, RULES["vllm"].make(Knobs().replace(**_external_knobs()), SCRIPT, True), 1000)
    text = render_log(life(run, REQUESTS, 4), "en")
    for line in (
        "1      sync     asked      cached=0 external=8 async=false",
        "1      sync     loading    tokens=8 async=false",
        "1      async    asked      cached=0 external=8 async=true",
        "2      failed   failed     usable=4",
        "3      async    loaded     usable=8",
    ):
        assert f"\n  {line}\n" in text


def _external_knobs() -> dict[str, object]:
    return {name: value for name, value in KNOBS.items() if name in Knobs.field_names}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("unknown_then_hit", "1-2    r        asked      cached=0 external=unknown async=false"),
        ("delayed_free", "1      r        finished   reason=length blocks=kept"),
        ("sync_failure_fail", "1      r        finished   reason=error"),
    ],
)
def test_lines_of_recorded_paths(name: str, line: str) -> None:
    case = connector_cases()[name]
    run = simulate(requests_of(case), vllm_of(case), len(case["steps"]))
    assert f"\n  {line}\n" in render_log(life(run, requests_of(case), 4), "en")


def test_rounds_with_both_phases_are_counted_once() -> None:
    """A decodes in rounds 1 to 9; B prefills in 2 to 4, C in 4 to 6 (budget 3): five rounds hold both."""
    requests = [Request("A", 0, 9, context=1), Request("B", 5, 0, arrive=2), Request("C", 4, 0, arrive=4)]
    text = render_log(blocks_of_4(requests, "decode-first", budget=3), "en")
    assert "Prefill and decode stand side by side in 5 of 9 rounds, first in round 2." in text


def test_prefills_that_overlap_are_counted_once() -> None:
    """A token each a round: B prefills in rounds 2 to 5, C in 5 and 6, while A decodes in 1 to 9."""
    requests = [Request("A", 0, 9, context=1), Request("B", 4, 0, arrive=2), Request("C", 2, 0, arrive=5)]
    text = render_log(blocks_of_4(requests, long_prefill_threshold=1), "en")
    assert "Prefill and decode stand side by side in 5 of 9 rounds, first in round 2." in text


def test_no_round_with_both_phases() -> None:
    """nano-vllm never mixes them."""
    assert "\nNo round holds both prefill and decode.\n" in render_log(blocks_of_4(TWO, "nano-vllm"), "en")


@pytest.mark.parametrize(
    ("blocks", "text"),
    [
        ([], "[]"),
        ([0], "[0]"),
        ([3, 4], "[3,4]"),
        ([3, 4, 5], "[3..5]"),
        ([5, 4, 3], "[5..3]"),
        ([1, 2, 3, 2, 1], "[1..3,2,1]"),
        ([9, 1, 2, 3, 7], "[9,1..3,7]"),
        ([1, 3, 5, 7, 9, 11], "[1,3,5,7,9,11]"),
        ([1, 3, 5, 7, 9, 11, 13], "[1,3,5,7,9,11,...,13]"),
        (list(range(64)), "[0..63]"),
        (list(range(65)), "[0..63,...,64]"),
    ],
    ids=str,
)
def test_block_lists(blocks: list[int], text: str) -> None:
    assert block_list(blocks) == text
