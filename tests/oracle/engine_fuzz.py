"""Makes engine_fuzz.json: random runs of vLLM's Scheduler and KVCacheManager, for another program to replay.

Run `python -m tests.oracle.engine_fuzz FILE` where vLLM is installed; `--base 10000` gives fresh cases.
A case depends on its seed alone. The order of the draws is part of the format: change it and every case is
another one.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from tests.oracle.engine import free_queue
from tests.oracle.golden_file import main
from tests.oracle.kv_fuzz import KvFuzz
from tests.oracle.scheduler_run import Ask, SchedulerRun

STEP_LIMIT = 400
COLUMNS = (
    *("scheduled", "computed_before", "block_tables", "preempted", "resumed"),
    *("waiting_after_schedule", "finished", "free_queue_after_step"),
)
# Family -> its first seed and the one after its last; every second seed is kept.
SCHEDULER_FAMILIES = {"any": (0, 60), "tight": (100, 160), "twins": (200, 240)}
KV_SEEDS = (1000, 1040)

Request = dict[str, Any]


class Setting(NamedTuple):
    """The drawn configuration, `usable_blocks` apart; tokens and blocks."""

    block_size: int
    budget: int
    policy: str
    caching: bool
    threshold: int
    gate: bool
    max_num_seqs: int


def draw_setting(draw: random.Random, family: str) -> tuple[Setting, int]:
    """A configuration and the number of requests.

    `tight`: priority policy, small budget, no gate, so that a victim may have tokens of the same step.
    `twins`: prompts of whole blocks with one beginning, so that the cap on hits and duplicates matter.
    """
    block_size = draw.choice([2, 4, 4, 8])
    budget = draw.choice([2, 3, 5, 8, 8, 16, 32])
    count = draw.randint(3, 9)
    policy = draw.choice(["fcfs", "fcfs", "priority"])
    caching = draw.random() < 0.6
    threshold = draw.choice([0, 0, 0, 3, 5])
    gate = draw.random() < 0.75
    max_num_seqs = draw.choice([2, 4, 8, 16])
    if family == "tight":
        policy, gate, max_num_seqs = "priority", False, 8
        threshold = draw.choice([0, 2, 3])
        budget = draw.choice([4, 5, 6, 7])
        count = draw.randint(4, 7)
    elif family == "twins":
        caching, max_num_seqs = True, 16
        count = draw.randint(4, 8)
        budget = draw.choice([3, 5, 8, 16])
    return Setting(block_size, budget, policy, caching, threshold, gate, max_num_seqs), count


def draw_request(
    draw: random.Random, family: str, setting: Setting, beginnings: list[list[int]], place: int
) -> Request:
    """A request that may begin as others do; its step of arrival counts from 1."""
    length = draw.randint(1, 30)
    beginning = draw.choice(beginnings)
    shared = draw.randint(0, length) if draw.random() < 0.7 else 0
    prompt = beginning[:shared] + [draw.randint(401, 900) for _ in range(length - shared)]
    max_tokens = draw.randint(1, 10)
    if family == "tight":
        max_tokens = draw.randint(5, 14)
    elif family == "twins":
        prompt = beginnings[0][: setting.block_size * draw.randint(1, 3)]
    arrive = 1 if place < 2 else draw.randint(1, 4 if family == "twins" else 12)
    priority = draw.randint(0, 3) if setting.policy == "priority" else 0
    return {
        "id": f"r{place}",
        "arrive": arrive,
        "prompt": prompt,
        "max_tokens": max_tokens,
        "priority": priority,
    }


def draw_requests(draw: random.Random, family: str, setting: Setting, count: int) -> list[Request]:
    """The requests in order of arrival; in the tight family the least important tend to come first."""
    beginnings = [[draw.randint(1, 400) for _ in range(40)] for _ in range(2)]
    requests = [draw_request(draw, family, setting, beginnings, place) for place in range(count)]
    requests.sort(key=lambda request: int(request["arrive"]))
    if family == "tight":
        for place, request in enumerate(requests):
            request["priority"] = max(0, count - place - draw.randint(0, 2))
    return requests


def passed_over(step: int, was_running: list[str], row: dict[str, Any], budget: int) -> list[Any] | None:
    """Running requests that got nothing without being preempted, and why; None if there are none."""
    names = [name for name in was_running if name not in row["scheduled"] and name not in row["preempted"]]
    if not names:
        return None
    if row["preempted"]:
        return [step, names, "after a self-preemption"]
    return [step, names, "budget used up" if row["total"] == budget else "other"]


def columns(row: dict[str, Any], free: list[int]) -> list[Any]:
    """A step as it stands in the file (COLUMNS)."""
    names = row["scheduled"]
    by_request = [[[name, row[key][name]] for name in names] for key in ("scheduled", "start_at", "tables")]
    lists = [row["preempted"], row["resumed"], row["waiting"], sorted(row["finished"]), free]
    return [*by_request, *lists]


def scheduler_run(setting: Setting, usable_blocks: int) -> SchedulerRun:
    """A fresh scheduler."""
    return SchedulerRun(
        budget=setting.budget,
        num_blocks=usable_blocks + 1,
        block_size=setting.block_size,
        max_num_seqs=setting.max_num_seqs,
        caching=setting.caching,
        policy=setting.policy,
        long_prefill_token_threshold=setting.threshold,
        reserve_full_isl=setting.gate,
    )


def played(run: SchedulerRun, requests: list[Request], budget: int) -> tuple[list[Any], list[Any]]:
    """The steps of a case and its `passed_over`; arrival times are positions in the list, from 1."""
    asks = [
        Ask(r["id"], r["prompt"], r["max_tokens"], 0, {"priority": r["priority"], "arrival": float(place)})
        for place, r in enumerate(requests, 1)
    ]
    steps: list[Any] = []
    passed: list[Any] = []
    added = 0
    for step in range(1, STEP_LIMIT):
        while added < len(requests) and requests[added]["arrive"] <= step:
            run.add(asks[added])
            added += 1
        if added == len(requests) and not run.scheduler.has_unfinished_requests():
            return steps, passed
        was_running = [request.request_id for request in run.scheduler.running]
        row = run.step()
        over = passed_over(step, was_running, row, budget)
        passed += [over] if over else []
        steps.append(columns(row, free_queue(run.pool)))
    raise RuntimeError(f"no end after {STEP_LIMIT} steps")


def scheduler_case(seed: int, family: str) -> dict[str, Any]:
    """A scheduler case; the pool holds at least the largest request, so that it ends."""
    draw = random.Random(seed)
    setting, count = draw_setting(draw, family)
    requests = draw_requests(draw, family, setting, count)
    worst = max(-(-(len(r["prompt"]) + r["max_tokens"]) // setting.block_size) for r in requests)
    usable = worst + draw.choice([0, 1, 2, 3] if family == "tight" else [0, 1, 2, 4, 8, 60])
    run = scheduler_run(setting, usable)
    steps, passed = played(run, requests, setting.budget)
    config = {
        "token_budget": setting.budget,
        "block_size": setting.block_size,
        "usable_blocks": usable,
        "max_num_seqs": setting.max_num_seqs,
        "policy": setting.policy,
        "prefix_caching": setting.caching,
        "long_prefill_token_threshold": setting.threshold,
        "full_prompt_must_fit": setting.gate,
    }
    return {
        "seed": seed,
        "mode": family,
        "config": config,
        "requests": requests,
        "steps": steps,
        "passed_over": passed,
        "outputs": {name: list(r.output_token_ids) for name, r in run.requests.items()},
        "preemptions": {name: r.num_preemptions for name, r in run.requests.items() if r.num_preemptions},
    }


def build(base: int) -> dict[str, Any]:
    """Every case, `base` added to its seed."""
    families = SCHEDULER_FAMILIES.items()
    seeds = [(base + seed, family) for family, span in families for seed in range(*span, 2)]
    return {
        "sampled_token_rule": "1000 + 17*n + sum(ord(c) for c in request id), n from 1",
        "arrival_time_rule": "the position in the list, from 1",
        "step_columns": list(COLUMNS),
        "scheduler": [scheduler_case(seed, family) for seed, family in seeds],
        "kv": [KvFuzz(base + seed).case() for seed in range(*KV_SEEDS, 2)],
    }


if __name__ == "__main__":
    main(__doc__, build)
