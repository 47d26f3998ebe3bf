"""What the tests of start-up logs share: models, printed figures, and the handed cases' settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from labs.model.stack import ModelStack, stack_of
from labs.sizing.log.known import Known
from labs.sizing.log.outcome import Assumption, Check, Outcome
from labs.sizing.log.printed import GIB, Printed, Rounded
from tests.model.published import FULL, SLIDING, plain

CASES = Path(__file__).parents[1] / "cases"
Pairs = Sequence[tuple[str, Any]]
NO_FIGURES: Mapping[str, Any] = MappingProxyType({})


@cache
def real(name: str) -> ModelStack:
    """The model of tests/cases/configs."""
    text = (CASES / "configs" / f"{name}.json").read_text(encoding="utf-8")
    return stack_of(json.loads(text), f"{name}.json", text)


@cache
def alternating() -> ModelStack:
    """64 layers by turns of a window of 1024 and full, 8 KV heads of 128: two groups, 2 MiB a block of 16.

    At 8192 tokens a request takes 512 blocks of the full group, and of the other ceil(min(1023 + in flight,
    8192) / 16) + 1: 193 at 2048 tokens in flight, 321 at 4096, 513 from 8192 on.
    """
    words = [SLIDING, FULL] * 32
    return stack_of(plain(64, 4096, 32, 8, layer_types=words, sliding_window=1024), "alternating")


@cache
def padded() -> ModelStack:
    """The shape of gemma-3-4b: 29 layers of a window of 1024 and 5 full ones, 4 KV heads of 256.

    Six groups of 5, 5, 5, 5, 5 and 4 layers beside a full one of 5: one layer of padding. A layer's page of
    16 tokens has 65536 B, a block 327680.
    """
    words = [FULL if layer % 6 == 5 else SLIDING for layer in range(34)]
    return stack_of(plain(34, 2560, 8, 4, head_dim=256, layer_types=words, sliding_window=1024), "padded")


def gib(text: str) -> Rounded:
    """A size or a factor as it is printed, with two places."""
    return Rounded(Fraction(text), Fraction(1, 200))


def v1(memory: str | None, tokens: int | None, concurrency: str | None = None, **more: Any) -> Printed:
    """The lines of a V1 log; memory is one rank's."""
    sizes = () if memory is None else (gib(memory),)
    factor = None if concurrency is None else gib(concurrency)
    kv_gib = sizes[0] if sizes else None
    return Printed(kv_gib=kv_gib, ranks=sizes, kv_tokens=tokens, concurrency=factor, **more)


def refusal(needed: str, available: str, estimate: int | None = None) -> Printed:
    """The lines of a refusal."""
    return Printed(needed_gib=gib(needed), available_gib=gib(available), estimated_max_model_len=estimate)


def figures(outcome: Outcome) -> dict[str, Any]:
    """Values by name; every name stands for one figure."""
    values = {figure.name: figure.table or figure.value for figure in outcome.figures}
    assert len(values) == len(outcome.figures)
    return values


def pairs(assumptions: tuple[Assumption, ...]) -> list[tuple[str, Any]]:
    """Names and values of assumptions, in their order."""
    return [(assumption.name, assumption.value) for assumption in assumptions]


def check_named(outcome: Outcome, name: str) -> Check:
    """The only check of a name."""
    (check,) = (check for check in outcome.checks if check.name == name)
    return check


# -- the handed cases -------------------------------------------------------------------------------

SETTINGS = {
    "tp": "tp",
    "decode_context_parallel": "dcp",
    "kv_dtype": "kv_dtype",
    "block_size": "block_size",
    "max_num_batched_tokens": "max_num_batched_tokens",
    "max_model_len": "max_model_len",
    "swap_space_gib": "swap_space",
}
DTYPES = {"16-bit": "bfloat16", "bf16": "bf16", "fp8": "fp8"}
MORE_SETTINGS = {"cap-46": {"tp": 2}}  # said by the case's model and not by its settings


@cache
def cases() -> dict[str, dict[str, Any]]:
    """Every case of a log, by its id."""
    found = json.loads((CASES / "capacity.json").read_text(encoding="utf-8"))
    return {case["id"]: case for case in found if log_path(case["id"]).exists()}


def log_path(name: str) -> Path:
    """Where a case's log is."""
    return CASES / "logs" / f"{name}.log"


def settings_of(name: str) -> Known:
    """A case's settings, as a user would tell them."""
    told: dict[str, Any] = {**cases()[name]["settings"], **MORE_SETTINGS.get(name, {})}
    known = {own: told[key] for key, own in SETTINGS.items() if key in told}
    if "kv_dtype" in known:
        known["kv_dtype"] = DTYPES[known["kv_dtype"]]
    if "swap_space" in known:
        known["swap_space"] *= GIB
    return Known(**known)
