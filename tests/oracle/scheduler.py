"""Makes scheduler.json: hand-made scheduling cases, each step as vLLM's Scheduler took it.

Run `python -m tests.oracle.scheduler FILE` where vLLM is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.oracle.golden_file import main
from tests.oracle.scheduler_run import Ask, SchedulerRun

# The lecture's four rounds at a budget of 8 tokens.
LECTURE_ROUNDS = [
    {"A": 1, "B": 1, "C": 6},
    {"A": 1, "B": 1, "C": 4, "D": 2},
    {"A": 1, "C": 1, "D": 1},
    {"C": 1},
]

SHARED = tuple(range(100, 112))  # three full blocks that several prompts of PREFIX_HITS begin with
PREFIX_HITS = (
    Ask("A", (*SHARED, 1), 2),
    Ask("A_same_step", (*SHARED, 2), 2),
    Ask("B", (*SHARED, 3, 4), 2, 1),
    Ask("C_full", SHARED, 2, 1),
    Ask("D_miss", (999, *SHARED[1:]), 2, 1),
    Ask("E_salted", (*SHARED, 1), 2, 1, {"cache_salt": "other"}),
)


def ranked(
    name: str, prompt: Sequence[int], max_tokens: int, priority: int, arrival: int, after: int = 0
) -> Ask:
    """A request for the priority policy: smaller goes first, then the earlier arrival."""
    return Ask(name, prompt, max_tokens, after, {"priority": priority, "arrival": float(arrival)})


def counting(place: int) -> range:
    """A prompt of 7 tokens that shares none with those of other places."""
    return range(10 * place, 10 * place + 7)


def played(*asks: Ask, limit: int = 200, **knobs: Any) -> dict[str, Any]:
    """The case, with caching off and a roomy pool unless told otherwise."""
    run = SchedulerRun(**{"num_blocks": 128, "caching": False, **knobs})
    run.play(asks, limit)
    return run.document()


def lecture(budget: int) -> dict[str, Any]:
    """A and B decode; C of 10 tokens waits; D of 2 comes in round 2. The warm-up step is kept apart.

    The step that ends a prefill samples too, so max_tokens is decode steps + 1.
    """
    run = SchedulerRun(budget=budget, num_blocks=256, caching=False)
    run.add(Ask("A", [900], 4))
    run.add(Ask("B", [901], 3))
    warm_up = run.step()
    run.steps.clear()
    run.play([Ask("C", range(300, 310), 3, 1), Ask("D", [400, 401], 2, 2)])
    rounds = [row["scheduled"] for row in run.steps]
    return run.document() | {"warm_up": warm_up["scheduled"], "rounds": rounds}


def lecture_case() -> dict[str, Any]:
    """The lecture's rounds beside vLLM's, and the same requests at smaller budgets."""
    at_8 = lecture(8)
    return {
        "seed_rounds": LECTURE_ROUNDS,
        "vllm_rounds": at_8["rounds"],
        "equal": at_8["rounds"] == LECTURE_ROUNDS,
        "order_within_round": [list(scheduled) for scheduled in at_8["rounds"]],
        "budget_2": lecture(2),
        "budget_8": at_8,
        "budget_3": lecture(3),
        "budget_4": lecture(4),
    }


def long_prefill(threshold: int, *prompts: int) -> dict[str, Any]:
    """Requests of the given prompt lengths under a threshold (tokens a step; 0 is none)."""
    asks = [Ask(f"r{place}", [place + 1] * length, 2) for place, length in enumerate(prompts)]
    return played(*asks, budget=16, long_prefill_token_threshold=threshold)


def outgrowing(num_blocks: int = 9, **knobs: Any) -> dict[str, Any]:
    """Three requests of 7 + 9 tokens on a pool that they outgrow."""
    asks = [Ask(name, counting(place), 9) for place, name in enumerate("ABC")]
    return played(*asks, budget=32, num_blocks=num_blocks, **knobs)


def gate(*, on: bool) -> dict[str, Any]:
    """B's first chunk would fit beside A, B as a whole would not."""
    asks = Ask("A", [1] * 14, 6), Ask("B", [2] * 20, 3)
    return played(*asks, budget=8, num_blocks=9, reserve_full_isl=on, limit=60)


def resumed(*, caching: bool) -> dict[str, Any]:
    """What a preempted request computes again."""
    asks = Ask("A", range(1, 8), 8), Ask("B", range(21, 28), 7)
    case = played(*asks, budget=32, num_blocks=6, caching=caching)
    rows = [
        {
            "step": row["step"],
            "req": q,
            "computed_at_resume": row["start_at"][q],
            "scheduled": row["scheduled"][q],
        }
        for row in case["steps"]
        for q in row["resumed"]
    ]
    return case | {"resume_rows": rows}


def stop_reasons() -> dict[str, Any]:
    """max_tokens, max_model_len, and an abort after the first step."""
    run = SchedulerRun(budget=32, caching=False, max_model_len=8)
    asks = Ask("by_max_tokens", [1] * 3, 2), Ask("by_model_len", [2] * 6, 50), Ask("aborted", [3] * 3, 50)
    run.play(asks, limit=1)
    run.abort("aborted")
    run.play(())
    return run.document() | {"aborted_status": str(run.requests["aborted"].status)}


def plain_cases() -> dict[str, Any]:
    """Cases in which the pool is roomy: budget, max_num_seqs, threshold, chunking, hits."""
    three = Ask("P", [1] * 13, 3), Ask("Q", [2] * 5, 3), Ask("R", [3] * 2, 3)
    starving = [Ask(name, [10 + place], 4) for place, name in enumerate("ABC")]
    four = [Ask(name, [10 + place] * 3, 2 + place) for place, name in enumerate("ABCD")]
    whole = Ask("A", [1] * 10, 3), Ask("B", [2] * 10, 3), Ask("C", [3] * 4, 3)
    return {
        "budgets": {f"budget_{budget}": played(*three, budget=budget) for budget in (8, 2)},
        "waiting_starved": played(*starving, Ask("W", [50, 51], 2), budget=3, max_num_seqs=3),
        "running_prefill_order": played(Ask("long", [1] * 11, 2), Ask("short", [2], 4, 1), budget=4),
        "max_num_seqs": played(*four, budget=16, max_num_seqs=2),
        "long_prefill_threshold": {
            "thr4_two": long_prefill(4, 20, 3),
            "thr4_alone": long_prefill(4, 20),
            "thr0_two": long_prefill(0, 20, 3),
            "thr4_three": long_prefill(4, 20, 15, 3),
        },
        "chunking_disabled": played(*whole, budget=16, max_model_len=16, enable_chunked_prefill=False),
        "prefix_hits": played(*PREFIX_HITS, budget=16, num_blocks=64, caching=True),
    }


def tight_cases() -> dict[str, Any]:
    """Preemption under both policies."""
    three = [("low", 5), ("high", 0), ("mid", 3)]
    by_rank = [ranked(name, counting(place), 9, rank, place) for place, (name, rank) in enumerate(three)]
    late = ranked("low", [1] * 7, 8, 5, 0), ranked("high", [2] * 8, 6, 0, 1, after=1)
    return {
        "preempt_fcfs": outgrowing(caching=True),
        "preempt_fcfs_no_cache": outgrowing(),
        "preempt_self": played(Ask("A", [1] * 8, 4), Ask("B", [2] * 7, 6), budget=32, num_blocks=6),
        "preempt_priority": played(*by_rank, budget=32, num_blocks=9, policy="priority"),
        "preempt_priority_already_scheduled": played(*late, budget=32, num_blocks=6, policy="priority"),
    }


def order_cases() -> dict[str, Any]:
    """The waiting order by priority, and the running order, which stays that of admission."""
    ranks = [("p2", 2), ("p0", 0), ("p1b", 1), ("p1a", 1)]
    waiting = [ranked(n, [place + 1] * 3, 2, rank, 10 - place) for place, (n, rank) in enumerate(ranks)]
    waiting.append(ranked("late_p0", [9] * 3, 2, 0, 99, after=1))
    running = ranked("p5", [1] * 7, 3, 5, 0), ranked("p0", [2] * 2, 3, 0, 1, after=1)
    priority: dict[str, Any] = {"num_blocks": 64, "policy": "priority"}
    return {
        "priority_order": played(*waiting, budget=4, max_num_seqs=4, **priority),
        "priority_running_order": played(*running, budget=3, max_num_seqs=3, **priority),
    }


def build(_base: int) -> dict[str, Any]:
    """Every case; no seeds are drawn."""
    blocked = Ask("A", [1] * 12, 5), Ask("big", [2] * 16, 2), Ask("tiny", [3] * 2, 2)
    return {
        "seed_lab_c": lecture_case(),
        **plain_cases(),
        **tight_cases(),
        **order_cases(),
        "admission_gate": {"gate_on_default": gate(on=True), "gate_off": gate(on=False)},
        "head_of_line": played(*blocked, budget=32, num_blocks=7),
        "stop_reasons": stop_reasons(),
        "resume_after_preempt": {"no_cache": resumed(caching=False), "cache": resumed(caching=True)},
    }


if __name__ == "__main__":
    main(__doc__, build)
