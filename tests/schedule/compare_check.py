"""Runs to compare, written shortly."""

from __future__ import annotations

from typing import Any

from labs.engine.explain.compare import Comparison, compare
from labs.engine.external.script import ExternalScript
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.simulator import Round, Run, simulate

LECTURE = "A:0+3 B:0+2 C:10+2 D:2+1@2"


def asked(text: str, **more: Any) -> tuple[Request, ...]:
    """Requests from `NAME:prefill+decode@arrive`; `1;2;3` is a prompt, `more` holds fields by name."""
    requests = []
    for item in text.split():
        name, _, rest = item.partition(":")
        amounts, _, arrive = rest.partition("@")
        prefill, _, decode = amounts.partition("+")
        prompt = tuple(map(int, prefill.split(";"))) if ";" in prefill else None
        length = len(prompt) if prompt else int(prefill)
        fields = {"context": 0 if length else 1, **more.get(name, {})}
        requests.append(Request(name, length, int(decode), int(arrive or 1), prompt=prompt, **fields))
    return tuple(requests)


def played(
    requests: tuple[Request, ...], rule: str, knobs: Knobs, external: ExternalScript | None = None
) -> Run:
    return simulate(requests, RULES[rule].make(knobs, external, False), 100)


def compared(
    requests: tuple[Request, ...],
    rules: str,
    knobs: Knobs,
    external: ExternalScript | None = None,
    their_knobs: Knobs | None = None,
) -> Comparison:
    ours, theirs = rules.split(" / ")
    runs = played(requests, ours, knobs, external), played(requests, theirs, their_knobs or knobs, external)
    return compare(*runs, requests, ours, theirs, knobs, external, their_knobs)


def line(round: Round | None) -> str:
    """A round as `A d1, C p6`."""
    return ", ".join(f"{w.request} {w.phase[0]}{w.tokens}" for w in round.work) if round else "over"


def tiny(**knobs: Any) -> Knobs:
    """Blocks of 4 tokens, no prefix cache."""
    return Knobs(**{"block_size": 4, "prefix_caching": False, **knobs})
