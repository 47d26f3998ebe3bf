"""Traces made for tests: block ids or token ids, one request after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labs.files.traces import Trace, TraceRequest

if TYPE_CHECKING:
    from collections.abc import Sequence


def trace_of(ids: Sequence[Sequence[int]], lengths: Sequence[int]) -> Trace:
    requests = [TraceRequest(i, length, 1, tuple(path)) for i, (path, length) in enumerate(zip(ids, lengths))]
    return Trace("made.jsonl", "mooncake", tuple(requests), "chained")


def token_trace(prompts: Sequence[Sequence[int]]) -> Trace:
    requests = [TraceRequest(0, len(prompt), 1, tokens=tuple(prompt)) for prompt in prompts]
    return Trace("made.jsonl", "tokens", tuple(requests), "tokens")
