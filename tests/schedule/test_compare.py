"""`--compare`: where two rules first part, the reason, and what each request paid for it.

Every row is worked by hand from the rules' documents or stands in the golden files. Turned red by: the order
of service named where a limit decides (and the reverse), the wrong side, figures of another round, a hit or a
preemption that nobody saw at the time passed over.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from labs.engine.explain.compare import compare
from labs.engine.explain.scene import Setting, scene
from labs.engine.external.script import ExternalScript, Report
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.simulator import simulate
from tests.schedule.compare_check import LECTURE, asked, compared, line, played, tiny


class Expected(NamedTuple):
    """The first round that differs, as each rule plays it, and whose rule made it so."""

    round: int
    ours: str
    theirs: str
    kind: str
    side: str
    request: str
    values: dict[str, object]


E = Expected
P7 = "A:7+8 B:7+8 C:7+8"  # nine output tokens each: the golden case preempt_fcfs_no_cache
CONTEXTS = {"H": {"context": 5}, "H2": {"context": 2}, "H4": {"context": 4}}  # of those that decode at once
CACHED = "A:1;2;3;4;5+1 B:1;2;3;4;5+1"
CASES = [
    # who is served first
    pytest.param(
        LECTURE,
        "decode-first / prefill-first",
        Knobs(),
        E(1, "A d1, B d1, C p6", "C p8", "decodes_first", "ours", "A", {"first": ("A", "B"), "budget": 8}),
        id="decodes-first",
    ),
    pytest.param(
        LECTURE,
        "prefill-first / vllm",
        Knobs(),
        E(1, "C p8", "A d1, B d1, C p6", "prefills_first", "ours", "C", {"other_order": "running_first"}),
        id="prefills-first-against-running-first",
    ),
    # nano-vllm's phases
    pytest.param(
        LECTURE,
        "decode-first / nano-vllm",
        Knobs(),
        E(1, "A d1, B d1, C p6", "C p8", "phases", "theirs", "A", {"prefills": ("C",)}),
        id="phases-never-mix",
    ),
    pytest.param(
        "A:0+2 B:0+2 C:0+2",
        "decode-first / nano-vllm",
        Knobs(budget=2),
        E(1, "A d1, B d1", "A d1, B d1, C d1", "decodes_uncounted", "theirs", "C", {"spent": 3, "budget": 2}),
        id="decodes-do-not-count",
    ),
    pytest.param(
        "P:5+1 Q:5+1",
        "decode-first / nano-vllm",
        Knobs(),
        E(1, "P p5, Q p3", "P p5", "first_only", "theirs", "Q", {"need": 5, "left": 3}),
        id="only-the-first-prefill-is-cut",
    ),
    pytest.param(
        "P:5+1 Q:10+1",  # the prompt needs 3 blocks, what is left of the budget 1, 2 are free
        "decode-first / nano-vllm",
        tiny(budget=16, kv_blocks=4),
        E(1, "P p5, Q p10", "P p5", "no_block", "theirs", "Q", {"needed": 3, "free": 2, "kv_blocks": 4}),
        id="nano-takes-all-blocks-of-a-prompt",
    ),
    pytest.param(
        "A:0+2 Q:10+1",  # alone in its step Q could be cut to 4 tokens, 1 block
        "decode-first / nano-vllm",
        tiny(budget=4, kv_blocks=3),
        E(1, "A d1, Q p3", "A d1", "gate", "theirs", "Q", {"needed": 3, "free": 2, "chunk_blocks": 1}),
        id="nano-takes-all-blocks-though-it-would-cut",
    ),
    pytest.param(
        "H2:0+2 H4:0+2 X:3+1",  # X needs 2 blocks; H4 gives its 2 back too late, and H2 takes one of them
        "nano-vllm / prefill-first",
        tiny(block_size=2, kv_blocks=3),
        E(
            1,
            "H2 d1",
            "X p3, H2 d1, H4 d1",
            "no_block",
            "ours",
            "X",
            {"needed": 2, "free": 0, "kv_blocks": 3},
        ),
        id="nano-looks-for-blocks-before-it-preempts",
    ),
    # static batches
    pytest.param(
        LECTURE,
        "decode-first / static",
        Knobs(),
        E(1, "A d1, B d1, C p6", "A d1, B d1", "batch_closed", "theirs", "C", {"batch": ("A", "B")}),
        id="batch-closed",
    ),
    pytest.param(
        "A:1+3 B:10+1",
        "static / decode-first",
        Knobs(max_num_seqs=2),
        E(2, "B p3", "A d1, B p3", "batch_prefills", "ours", "A", {"prefills": ("B",)}),
        id="batch-prefills-first",
    ),
    # vllm's limits
    pytest.param(
        P7,
        "vllm / decode-first",
        tiny(budget=32, kv_blocks=8),
        E(3, "A d1, B d1", "A d1, B d1, C d1", "preempted", "ours", "C", {"kv_blocks": 8}),
        id="preempted",
    ),
    pytest.param(
        "A:14+5 B:20+2",  # A holds 4 of the 8 blocks; B needs 5 in all, 1 for the two tokens that are left
        "vllm / decode-first",
        tiny(kv_blocks=8),
        E(
            2,
            "A p6",
            "A p6, B p2",
            "gate",
            "ours",
            "B",
            {"needed": 5, "free": 4, "chunk_blocks": 1, "known": 20},
        ),
        id="admission-gate",
    ),
    pytest.param(
        "A:12+4 big:16+1 tiny:2+1",
        "vllm / decode-first",
        tiny(budget=32, kv_blocks=6),
        E(1, "A p12", "A p12, big p16, tiny p2", "no_block", "ours", "big", {"needed": 4, "free": 3}),
        id="no-free-block",
    ),
    pytest.param(
        "A:12+1 B:20+1",  # A takes 3 of 4 blocks; B's 8 tokens need 2, all of B 5
        "vllm / decode-first",
        tiny(budget=20, kv_blocks=4, full_prompt_must_fit=False),
        E(1, "A p12", "A p12, B p8", "no_block", "ours", "B", {"needed": 2, "free": 1, "kv_blocks": 4}),
        id="no-free-block-for-the-chunk",
    ),
    pytest.param(
        "H:0+8 A:1;2;3;4;5+0 B:1;2;3;4;5;6;7;8;9+1@2",  # A's first block is hit, but leaves the free ones too
        "vllm / decode-first",
        Knobs(budget=16, block_size=4, kv_blocks=4),
        E(2, "H d1", "H d1, B p9", "no_block", "ours", "B", {"needed": 3, "free": 2, "kv_blocks": 4}),
        id="a-hit-takes-a-free-block",
    ),
    pytest.param(
        "A:0+4 P:8+1",  # int(0.3 * 4) = 1 block stays free
        "vllm / decode-first",
        tiny(kv_blocks=3, watermark=0.3),
        E(1, "A d1", "A d1, P p7", "watermark", "ours", "P", {"needed": 2, "free": 2, "watermark_blocks": 1}),
        id="watermark",
    ),
    pytest.param(
        "A:3+1 B:3+2 C:3+3 D:3+4",
        "vllm / decode-first",
        Knobs(budget=16, max_num_seqs=2),
        E(1, "A p3, B p3", "A p3, B p3, C p3, D p3", "max_num_seqs", "ours", "C", {"max_num_seqs": 2}),
        id="max-num-seqs",
    ),
    pytest.param(
        "r0:20+1 r1:3+1",
        "decode-first / vllm",
        Knobs(budget=16, long_prefill_threshold=4),
        E(1, "r0 p16", "r0 p4, r1 p3", "threshold", "theirs", "r0", {"threshold": 4, "need": 20}),
        id="long-prefill-threshold",
    ),
    pytest.param(
        "A:0+3 C:10+1",
        "vllm / decode-first",
        Knobs(chunked_prefill=False),
        E(1, "A d1", "A d1, C p7", "chunking_off", "ours", "C", {"need": 10, "left": 7}),
        id="chunked-prefill-off",
    ),
    pytest.param(
        "C:10+1",  # no threshold for one that is alone, so nothing cuts C either
        "vllm / decode-first",
        Knobs(chunked_prefill=False, long_prefill_threshold=4),
        E(1, "", "C p8", "chunking_off", "ours", "C", {"need": 10, "left": 8}),
        id="chunked-prefill-off-and-alone",
    ),
    # the prefix cache
    pytest.param(
        CACHED,
        "decode-first / vllm",
        Knobs(budget=16, block_size=4),
        E(1, "A p5, B p5", "A p5, B p1", "hit", "theirs", "B", {"tokens": 4, "instead_of": 0}),
        id="hit",
    ),
    pytest.param(
        CACHED,
        "vllm / nano-vllm",  # nano enters blocks when the step has run, so equal prompts do not share in it
        Knobs(budget=16, block_size=4),
        E(1, "A p5, B p1", "A p5, B p5", "hit", "ours", "B", {"tokens": 4, "instead_of": 0}),
        id="hit-of-the-same-step",
    ),
    pytest.param(
        "B:1;2;9;9+6 A:1;2;3;4;5;6;7+2@2",  # A hit two tokens, but lacks more than is left
        "vllm / prefill-first",
        Knobs(budget=3, block_size=2),
        E(3, "B d1, A p2", "A p3", "prefills_first", "theirs", "A", {"other_order": "admission_order"}),
        id="hit-that-does-not-matter",
    ),
    # what happened before, unseen
    pytest.param(
        "A:1;2;3;4;5;6+0 B:1;2;3;4;5;6+0@7",  # one token a round; of B's six the first four are cached
        "vllm / decode-first",
        Knobs(budget=1, block_size=2),
        E(9, "over", "B p1", "hit", "ours", "B", {"tokens": 4, "instead_of": 0}),
        id="hit-seen-only-at-the-end",
    ),
    pytest.param(
        "A:6+3",  # 8 tokens are 2 outputs: one of the prefill, one decode
        "vllm / decode-first",
        Knobs(max_model_len=8),
        E(3, "over", "A d1", "ended", "ours", "A", {"how": "FINISHED_LENGTH_CAPPED", "max_model_len": 8}),
        id="max-model-len",
    ),
]


@pytest.mark.parametrize(("text", "rules", "knobs", "expected"), CASES)
def test_first_difference_and_its_reason(text: str, rules: str, knobs: Knobs, expected: Expected) -> None:
    found = compared(asked(text, **CONTEXTS), rules, knobs)
    reason = found.reason
    values = {key: reason.values[key] for key in expected.values}
    seen = line(found.ours), line(found.theirs), reason.kind, reason.side, reason.request, values
    assert (found.round, *seen) == expected
    assert not found.only_order


@pytest.mark.parametrize(("text", "rules", "knobs", "expected"), CASES)
def test_the_other_way_round_only_the_sides_change(
    text: str, rules: str, knobs: Knobs, expected: Expected
) -> None:
    found = compared(asked(text, **CONTEXTS), " / ".join(rules.split(" / ")[::-1]), knobs)
    other = {"ours": "theirs", "theirs": "ours"}[expected.side]
    seen = line(found.theirs), line(found.ours), found.reason.kind, found.reason.side, found.reason.request
    assert (found.round, *seen) == (*expected[:4], other, expected.request)


def test_preemption_that_cost_nothing_at_the_time() -> None:
    """Budget 1 goes to A, so nobody sees that B loses its block; B's three tokens are computed again."""
    requests = asked("A:0+2 B:0+2", A={"context": 2}, B={"context": 2})
    found = compared(requests, "vllm / decode-first", tiny(budget=1, block_size=2, kv_blocks=2))
    assert (found.round, line(found.ours), line(found.theirs)) == (3, "B p1", "B d1")
    assert (found.reason.kind, found.reason.side, found.reason.request) == ("recompute", "ours", "B")
    assert found.reason.values == {"round": 1, "known": 3}


def test_tokens_found_are_counted_since_the_last_preemption() -> None:
    """The golden case resume_after_preempt.cache: B resumes in round 9, 4 of its 9 tokens cached."""
    requests, knobs = asked("A:7+7 B:7+6"), Knobs(budget=32, block_size=4, kv_blocks=5)
    run = played(requests, "vllm", knobs)
    for number, computed in ((9, 0), (10, 9), (12, 11)):
        place = scene(requests, Setting("vllm", knobs), run.rounds, number, ("B",)).places["B"]
        assert (place.found, place.computed) == (4, computed)


def test_tokens_found_are_counted_in_the_middle_of_rounds_alike() -> None:
    requests, knobs = asked(CACHED.replace("+1", "+9")), Knobs(budget=16, block_size=4)
    run = played(requests, "vllm", knobs)
    assert any(round.repeat > 4 for round in run.rounds)
    for number in range(2, 11):
        place = scene(requests, Setting("vllm", knobs), run.rounds, number, ("B",)).places["B"]
        assert (place.found, place.computed, place.known) == (4, 3 + number, 4 + number)


def test_nobody_is_admitted_in_a_round_that_preempts() -> None:
    """A takes B's block; of the budget of 3 two are left, one of which B would have had."""
    requests = asked("A:0+2 B:0+2 W:2+1", A={"context": 2}, B={"context": 2})
    knobs = tiny(budget=3, block_size=2, kv_blocks=2)
    found = compared(requests, "vllm / prefill-first", knobs)
    assert (found.round, line(found.ours), line(found.theirs)) == (1, "A d1", "W p2, A d1")
    assert (found.reason.kind, found.reason.request) == ("no_admission", "W")
    assert found.reason.values == {"preempted": ("B",), "kv_blocks": 2}
    found = compared(requests, "vllm / prefill-first", knobs.replace(budget=2))  # now B's token is the last
    assert (found.reason.kind, found.reason.request) == ("prefills_first", "W")


WITH_POOL = tiny(budget=32, kv_blocks=6)
BY_PRIORITY = Knobs(policy="priority")


@pytest.mark.parametrize(
    ("requests", "rules", "knobs", "their_knobs", "expected"),
    [
        pytest.param(
            asked("A:12+4 big:16+1 tiny:2+1", big={"priority": 1}),
            "vllm / vllm",
            WITH_POOL,
            WITH_POOL.replace(policy="priority"),
            E(
                1,
                "A p12",
                "A p12, tiny p2",
                "head_of_line",
                "ours",
                "tiny",
                {"head": "big", "cause": "no_block"},
            ),
            id="head-of-line",
        ),
        pytest.param(
            asked("A:0+2 big:24+1 X:10+1", big={"priority": 1}),  # big could be cut to 8 tokens, X to none
            "nano-vllm / vllm",
            tiny(kv_blocks=6),
            tiny(kv_blocks=6, policy="priority"),
            E(
                1,
                "A d1",
                "A d1, X p7",
                "head_of_line",
                "ours",
                "X",
                {"head": "big", "cause": "gate", "needed": 6},
            ),
            id="head-of-line-of-nano",
        ),
        pytest.param(
            asked("A:4+1 big:10+1", A={"priority": 1}),  # A waits too, but only because big does
            "vllm / decode-first",
            BY_PRIORITY.replace(chunked_prefill=False),
            Knobs(),
            E(1, "", "A p4, big p4", "chunking_off", "ours", "big", {"need": 10, "left": 8}),
            id="cause-before-consequence",
        ),
        pytest.param(
            asked("p2:3+1 p0:3+1", p2={"priority": 2}),
            "vllm / vllm",
            Knobs(budget=4),
            BY_PRIORITY.replace(budget=4),
            E(1, "p2 p3, p0 p1", "p0 p3, p2 p1", "priority", "theirs", "p0", {"other_order": "list_order"}),
            id="priority",
        ),
        pytest.param(
            asked("A:20+1 B:20+1", A={"priority": 1}),  # without a threshold A takes all
            "vllm / vllm",
            Knobs(long_prefill_threshold=4),
            BY_PRIORITY,
            E(1, "A p4, B p4", "B p8", "priority", "theirs", "B", {"other_order": "list_order"}),
            id="threshold-and-budget-at-once",
        ),
        pytest.param(
            asked("A:10+1 X:10+1", A={"priority": 1}),  # in the batch, X would still come after A
            "static / vllm",
            Knobs(max_num_seqs=1),
            BY_PRIORITY.replace(max_num_seqs=1),
            E(1, "A p8", "X p8", "priority", "theirs", "X", {"other_order": "list_order"}),
            id="closed-batch-that-takes-all",
        ),
        pytest.param(
            asked("P:8+1 Q:8+1", P={"priority": 1}),
            "nano-vllm / vllm",
            Knobs(),
            BY_PRIORITY,
            E(1, "P p8", "Q p8", "priority", "theirs", "Q", {"other_order": "list_order"}),
            id="priority-against-nano",
        ),
        pytest.param(
            asked(P7),
            "vllm / vllm",
            tiny(budget=32),
            tiny(budget=32, kv_blocks=8),
            E(3, "A d1, B d1, C d1", "A d1, B d1", "preempted", "theirs", "C", {"kv_blocks": 8}),
            id="pool",
        ),
        pytest.param(
            asked("A:14+5 B:20+2"),
            "vllm / vllm",
            tiny(kv_blocks=8, full_prompt_must_fit=False),
            tiny(kv_blocks=8),
            E(2, "A p6, B p2", "A p6", "gate", "theirs", "B", {"needed": 5, "free": 4}),
            id="gate",
        ),
        pytest.param(
            asked(CACHED),
            "vllm / vllm",
            Knobs(budget=16, block_size=4),
            tiny(budget=16),
            E(1, "A p5, B p1", "A p5, B p5", "hit", "ours", "B", {"tokens": 4}),
            id="caching",
        ),
        pytest.param(
            asked("A:6+1"),
            "vllm / vllm",
            Knobs(budget=4),
            Knobs(budget=8),
            E(1, "A p4", "A p6", "budget", "ours", "A", {"budget": 4, "other_budget": 8}),
            id="budget",
        ),
    ],
)
def test_two_settings(
    requests: tuple[Request, ...], rules: str, knobs: Knobs, their_knobs: Knobs, expected: Expected
) -> None:
    found = compared(requests, rules, knobs, their_knobs=their_knobs)
    reason = found.reason
    values = {key: reason.values[key] for key in expected.values}
    seen = line(found.ours), line(found.theirs), reason.kind, reason.side, reason.request, values
    assert (found.round, *seen) == expected


@pytest.mark.parametrize(
    ("answers", "ours", "kind", "values"),
    [
        pytest.param(
            ((8, False),), "X p2", "external_hit", {"tokens": 8, "loaded": 8, "instead_of": 0}, id="sync"
        ),
        pytest.param(((8, True),), "", "loading", {}, id="async"),
        pytest.param(((None, False), (0, False)), "", "unknown_answer", {}, id="unknown"),
    ],
)
def test_an_external_store(answers: Any, ours: str, kind: str, values: dict[str, int]) -> None:
    reports = {2: Report(finished_recving=("X",))} if kind == "loading" else {}
    script = ExternalScript({"X": answers}, reports)
    found = compared(asked("X:10+1"), "vllm / decode-first", Knobs(block_size=4), script)
    assert (found.round, line(found.ours), line(found.theirs)) == (1, ours, "X p8")
    assert (found.reason.kind, found.reason.side, found.reason.values) == (kind, "ours", values)


def test_only_the_order_differs() -> None:
    found = compared(asked("A:0+2 P:2+1"), "decode-first / prefill-first", Knobs())
    assert (found.round, found.only_order, found.reason.kind) == (1, True, "decodes_first")
    assert (line(found.ours), line(found.theirs)) == ("A d1, P p2", "P p2, A d1")


def test_an_earlier_difference_in_order_is_kept() -> None:
    """Round 1 serves A and P in another order; in round 2 Q's ten tokens leave no room for A and P."""
    found = compared(asked("A:0+3 P:2+3 Q:10+0@2"), "decode-first / prefill-first", Knobs())
    assert (found.round, found.only_order, found.order_round) == (2, False, 1)
    assert (line(found.ours), line(found.theirs)) == ("A d1, P d1, Q p6", "Q p8")


def test_a_run_that_was_cut_off() -> None:
    requests = asked(LECTURE)
    ours = simulate(requests, RULES["decode-first"].make(Knobs(), None, False), 2)
    found = compare(ours, played(requests, "vllm", Knobs()), requests, "decode-first", "vllm", Knobs())
    assert (found.round, line(found.ours), found.reason.kind, found.reason.side) == (
        3,
        "over",
        "cut_off",
        "ours",
    )
    assert found.reason.values == {"rounds": 2, "unfinished": ("A", "C", "D")}


def test_a_run_that_stands_still() -> None:
    """Two blocks never hold X's ten tokens: nano-vllm stops at once, vllm after the load it waits for."""
    script = ExternalScript({"X": ((8, True),)}, {2: Report(finished_recving=("X",))})
    knobs = tiny(kv_blocks=2, full_prompt_must_fit=False)
    found = compared(asked("X:10+1"), "nano-vllm / vllm", knobs, script)
    assert (found.round, line(found.ours), found.reason.kind, found.reason.side) == (
        2,
        "over",
        "stuck",
        "ours",
    )


def test_a_run_that_only_waits_for_a_report() -> None:
    """X is done after rounds 1 and 2, but the store reports the end of its save after round 4."""
    script = ExternalScript({}, {4: Report(finished_sending=("X",))}, blocks_outlive_request=frozenset("X"))
    found = compared(asked("X:8+1"), "decode-first / vllm", Knobs(), script)
    assert (found.round, found.num_rounds) == (3, (2, 4))
    assert (found.reason.kind, found.reason.side, found.reason.request) == ("idle", "theirs", None)


def test_no_reason_is_made_up_without_the_script_of_a_run() -> None:
    requests, knobs = asked("X:10+1"), Knobs(block_size=4)
    runs = [
        played(requests, "vllm", knobs, ExternalScript({"X": ((8, False),)}, {})),
        played(requests, "decode-first", knobs),
    ]
    found = compare(runs[0], runs[1], requests, "vllm", "decode-first", knobs)
    assert (found.round, found.reason.kind, found.reason.side) == (1, "order", None)


@pytest.mark.parametrize("rules", ["decode-first / vllm", "vllm / nano-vllm"])
def test_no_reason_is_made_up_for_a_run_of_another_rule(rules: str) -> None:
    """The runs are swapped, so the rules, played again, do not give them."""
    requests, (ours, theirs) = asked(CACHED), rules.split(" / ")
    knobs = Knobs(budget=16, block_size=4)
    runs = played(requests, theirs, knobs), played(requests, ours, knobs)
    found = compare(*runs, requests, ours, theirs, knobs)
    assert (found.round, found.reason.kind, found.reason.side) == (1, "order", None)
