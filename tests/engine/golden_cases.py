"""The engines' recorded cases as this lab's inputs: knobs, requests, and what happens outside.

Some facts stand in `tests/golden/README.md` and not in the cases themselves: see `NOT_IN_THE_FILE`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from labs.engine.external.script import ExternalScript, Report
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.run.engines import nano_vllm, vllm
from labs.engine.run.stepper import EngineStepper
from labs.engine.simulator import Round, expanded, simulate

Case = dict[str, Any]
Difference = str | None  # the first one between a recorded run and ours, if there is one

GOLDEN = Path(__file__).parents[1] / "golden"
# Facts by case, under the keys that other cases use for them.
NOT_IN_THE_FILE: dict[str, Case] = {
    "chunking_disabled": {"config": {"max_model_len": 16}},
    "stop_reasons": {"config": {"max_model_len": 8}, "abort_after_step": {"aborted": 1}},
    "sync_failure_fail": {"connector_answers": {"r": [[8, False]]}},
    "abort_while_loading": {"abort_after_step": {"r": 1}},
}
MAX_MODEL_LEN = 512  # of the hand-made cases, unless given


@cache
def golden(name: str) -> Any:
    """A file of tests/golden/."""
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


def _cases(file: str, rows: str) -> Iterator[tuple[str, Case]]:
    """Named cases, of which some stand in groups, with what the file does not say added."""
    for name, entry in golden(file).items():
        group = entry if isinstance(entry, dict) else {}
        found = {name: group} if rows in group else {f"{name}-{part}": case for part, case in group.items()}
        for full_name, case in found.items():
            if isinstance(case, dict) and rows in case:
                more = NOT_IN_THE_FILE.get(full_name, {})
                config = {"max_model_len": MAX_MODEL_LEN, **case["config"], **more.get("config", {})}
                yield full_name, {**case, **more, "config": config}


@cache
def scheduler_cases() -> dict[str, Case]:
    """The hand-made runs of vLLM's scheduler."""
    return dict(_cases("scheduler.json", "steps"))


@cache
def connector_cases() -> dict[str, Case]:
    """The runs of vLLM's scheduler with a scripted connector."""
    return dict(_cases("kv_connector.json", "steps"))


@cache
def nano_cases() -> dict[str, Case]:
    """The runs of nano-vllm's scheduler."""
    return dict(_cases("nano_vllm.json", "rows"))


@cache
def fuzz_cases() -> dict[str, Case]:
    """The random runs of vLLM's scheduler."""
    return {f"{case['mode']}-{case['seed']}": case for case in golden("engine_fuzz.json")["scheduler"]}


@cache
def kv_fuzz_cases() -> dict[str, Case]:
    """The random sequences of calls on vLLM's KV manager."""
    return {f"seed-{case['seed']}": case for case in golden("engine_fuzz.json")["kv"]}


def by_name(cases: Mapping[str, Case]) -> list[Any]:
    """Parameters for `pytest.mark.parametrize`."""
    return [pytest.param(case, id=name) for name, case in cases.items()]


KNOBS = {  # the names that the files have for a knob, where they are not its own
    "budget": ("token_budget",),
    "kv_blocks": ("usable_blocks", "num_blocks"),
    "long_prefill_threshold": ("long_prefill_token_threshold",),
    "full_prompt_must_fit": ("reserve_full_isl",),
    "chunked_prefill": ("enable_chunked_prefill",),
}
NO_KNOBS = ("scheduler_class", "kv_load_failure_policy")


def knobs_of(case: Case) -> Knobs:
    """The knobs that a case sets; every key of its config must be one."""
    knob_of = {name: knob for knob, names in KNOBS.items() for name in names}
    config = {
        knob_of.get(name, name): value for name, value in case["config"].items() if name not in NO_KNOBS
    }
    return Knobs(**config)


def requests_of(case: Case) -> list[Request]:
    """Its requests; `after_step` counts steps from 0 where `arrive` counts rounds from 1."""
    aborts = case.get("abort_after_step", {})
    return [
        Request(
            entry["id"],
            len(entry.get("prompt", ())),
            entry["max_tokens"] - 1,
            entry["arrive"] if "arrive" in entry else entry["after_step"] + 1,
            entry.get("context", 0),
            tuple(entry["prompt"]) if "prompt" in entry else None,
            priority=entry.get("priority", 0),
            salt=entry.get("cache_salt", ""),
            abort=aborts.get(entry["id"]),
            arrival_time=entry.get("arrival"),
        )
        for entry in case["requests"]
    ]


def decoding_already(case: Case) -> Case:
    """The case without its warm-up: who came in it decodes from the start (`prefill=0`)."""
    warm_up = case["warm_up_steps"]
    requests = []
    for entry in case["requests"]:
        entry = dict(entry)
        if entry["after_step"] < warm_up:
            entry |= {"after_step": 0, "context": len(entry.pop("prompt"))}
        else:
            entry["after_step"] -= warm_up
        requests.append(entry)
    return {**case, "requests": requests, "warm_up_steps": 0}


def script_of(case: Case) -> ExternalScript | None:
    """What the connector answers and the workers report, if there is a connector."""
    if "kv_load_failure_policy" not in case["config"]:
        return None
    reports = {}
    for step in case["steps"]:
        told = step.get("worker_report", {})
        told = {"invalid_block_ids": step["reported_bad_blocks"]} if "reported_bad_blocks" in step else told
        if told:
            reports[step["step"]] = Report(**{key: tuple(names) for key, names in told.items()})
    answers = {
        name: tuple((tokens, later) for tokens, later in plan)
        for name, plan in case["connector_answers"].items()
    }
    kept = frozenset(case["blocks_outlive_request"])
    return ExternalScript(answers, reports, case["config"]["kv_load_failure_policy"], kept)


def vllm_of(case: Case) -> EngineStepper:
    """vLLM under the knobs of a case."""
    return vllm(knobs_of(case), script_of(case))


def nano_vllm_of(case: Case) -> EngineStepper:
    """nano-vllm under the knobs of a case."""
    return nano_vllm(knobs_of(case))


def rounds_of(
    case: Case, make: Callable[[Case], EngineStepper] | EngineStepper, *, skip: bool, most: int
) -> list[Round]:
    """Every round after the warm-up; a run that does not end with the recorded one ends soon after it."""
    stepper = make if isinstance(make, EngineStepper) else make(case)
    warm_up: int = case.get("warm_up_steps", 0)
    run = simulate(requests_of(case), stepper, warm_up + most + 2, skip)
    return expanded(run.rounds)[warm_up:]


def first_difference(step: int, got: Mapping[str, object], expected: Mapping[str, object]) -> Difference:
    """The first of the expected facts that is not what we got."""
    for what, value in expected.items():
        ours = got[what]
        if ours != value:
            return f"step {step}: {what}\n     got {ours}\nexpected {value}"
    return None


def same_length(got: int, expected: int) -> Difference:
    """As many steps as recorded."""
    return None if got == expected else f"{got} steps\nexpected {expected}"
