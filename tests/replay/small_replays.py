"""Small replays for tests: requests as (arrival tick, prompt, outputs), a clock in whole ticks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.replay.clock import replay
from labs.replay.engine import stepper_of, takes_many_steps
from labs.replay.served import Gaps, Replay
from labs.replay.ticks import Ticks

Load = Sequence[tuple[int, int, int]]
PLAIN_TICKS = Ticks(10, 1, 2, 0, 1)  # a step, a prefill token, a decode


def played(
    load: Load,
    ticks: Ticks,
    rule: str = "vllm",
    many: bool | None = None,
    ids: Mapping[str, tuple[int, ...]] | None = None,
    id_tokens: int = 512,
    **knobs: Any,
) -> Replay:
    """The replay of r1, r2, ... under a rule; `many` None is as the lab has it."""
    coming = [
        (tick, Request(f"r{number}", prompt, outputs - 1))
        for number, (tick, prompt, outputs) in enumerate(load, 1)
    ]
    stepper = stepper_of(rule, Knobs(**knobs), ids or {}, id_tokens)
    return replay(coming, stepper, ticks, many_at_once=takes_many_steps(rule) if many is None else many)


def times(found: Replay) -> list[tuple[int | None, int | None, int | None]]:
    """(admitted, first token, last token) of each request."""
    return [(served.admitted, served.first_token, served.last_token) for served in found.served]


def expanded(gaps: Sequence[Gaps]) -> list[int]:
    """Every gap by itself, in ascending order."""
    return sorted(
        entry.first + step * entry.growth
        for entry in gaps
        for step in range(entry.steps)
        for _ in range(entry.requests)
    )


def counted(gaps: Sequence[Gaps]) -> Counter[int]:
    return Counter(expanded(gaps))
