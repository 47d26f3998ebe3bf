"""Random requests and knobs for property tests: crowded pools, equal beginnings, all that changes a run."""

from __future__ import annotations

from hypothesis import strategies as st

from labs.engine.knobs import Knobs
from labs.engine.requests import Request

MAX_PROMPT = 14  # tokens
# Prompts begin with one of these, so that blocks are often equal and sometimes only nearly so.
BEGINNINGS = ((7,) * MAX_PROMPT, (7, 7, 7, 8, 8, 8, 8, 9, 9, 9, 9, 9, 1, 2))


def stop_token(rule: str, name: str, num_prompt_tokens: int, n: int) -> int:
    """The n-th output that a request would get, from 1."""
    return 6999 + num_prompt_tokens + n if rule == "nano-vllm" else 1000 + 17 * n + sum(map(ord, name))


@st.composite
def requests(draw: st.DrawFn, rule: str, endless: bool = True) -> list[Request]:
    """One to seven requests; without `endless` each has a last decode."""
    return [draw(_request(rule, f"r{number}", endless)) for number in range(draw(st.integers(1, 7)))]


@st.composite
def _request(draw: st.DrawFn, rule: str, name: str, endless: bool) -> Request:
    kind = draw(st.sampled_from(["written", "written", "own", "decoding"]))
    length = draw(st.integers(1, MAX_PROMPT))
    prompt = None
    if kind == "written":
        common = draw(st.integers(0, length))
        own = draw(st.lists(st.integers(0, 2), min_size=length - common, max_size=length - common))
        prompt = (*draw(st.sampled_from(BEGINNINGS))[:common], *own)
    decodes: list[st.SearchStrategy[int | None]] = [st.integers(0, 3), st.integers(0, 60)]
    if endless:
        decodes.append(st.none())
    decode = draw(st.one_of(decodes))
    arrive = 1 if kind == "decoding" else draw(st.sampled_from([1, 1, 1, 2, 3, 5, 9, 30]))
    stops = draw(st.lists(st.integers(2, 20), max_size=1))  # who decodes already has its first output
    return Request(
        name,
        0 if kind == "decoding" else length,
        1 if kind == "decoding" and decode == 0 else decode,
        arrive,
        length if kind == "decoding" else 0,
        prompt,
        draw(st.integers(0, 2)),
        draw(st.sampled_from(["", "", "s"])) if prompt else "",
        draw(st.one_of(st.none(), st.none(), st.integers(arrive, arrive + 20))),
        stop_token_ids=tuple(stop_token(rule, name, length, n) for n in stops),
    )


@st.composite
def knobs(draw: st.DrawFn, *, limited: bool = False) -> Knobs:
    """Any knobs, small enough to bind; with `limited` the pool has an end."""
    blocks: list[st.SearchStrategy[int | None]] = [st.integers(2, 8), st.integers(2, 40)]
    if not limited:
        blocks.append(st.none())
    return Knobs(
        budget=draw(st.one_of(st.integers(1, 6), st.integers(1, 64))),
        kv_blocks=draw(st.one_of(blocks)),
        block_size=draw(st.integers(1, 5)),
        max_num_seqs=draw(st.sampled_from([1, 2, 3, 99, 99])),
        long_prefill_threshold=draw(st.sampled_from([0, 0, 1, 3])),
        policy=draw(st.sampled_from(["fcfs", "priority"])),
        prefix_caching=draw(st.sampled_from([True, True, False])),
        full_prompt_must_fit=draw(st.booleans()),
        chunked_prefill=draw(st.sampled_from([True, True, True, False])),
        watermark=draw(st.sampled_from([0, 0, 0.1, 0.3])),
        max_model_len=draw(st.sampled_from([None, None, MAX_PROMPT + 2, 40])),
    )
