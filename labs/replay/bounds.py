"""Refusing a replay that would take minutes or gigabytes, by what its requests and knobs tell beforehand.

    requests         at most 200,000
    prefill steps    ceil(prompt / most prefill tokens a step), over all requests: at most 2,000,000
    longest output   a step for each of its tokens: at most 2,000,000
    engine steps     all outputs / requests that may run at once: at most 25,000,000
    KV blocks        ceil((prompt + output) / block size), over all requests: at most 10,000,000
    tokens served    by rules without a pool, which take each decode by itself: at most 10,000,000

A sweep may come to six times as much, over all of its runs: the replay and five points more. What cannot be
told beforehand (who is preempted, which steps are alike) is counted on the way, by `labs.replay.clock`.

Source: measured; each bound alone takes about half a minute, the blocks 2 GB.
Does not model: hits, which make a replay shorter.
"""

from __future__ import annotations

from labs.base import LabError, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from labs.schedule_replay import Params

MOST_REQUESTS = 200_000
MOST_PREFILL_STEPS = 2_000_000
MOST_OUTPUT = 2_000_000
MOST_STEPS = 25_000_000
MOST_BLOCKS = 10_000_000
MOST_SERVED = 10_000_000
RUNS = 6  # of a sweep, whose runs share so many times what one may take


class Bound(Record):
    """One thing that a replay may have so much of: the option that is to blame, the rule, how much it has."""

    option: str
    rule: str
    amount: int
    most: int
    values: dict[str, object]


def check_size(params: Params) -> None:
    """`LabError` at the option that asks for too much, of one run or of all runs of a sweep."""
    sweep = "--sweep-rate" if params.sweep_rate else "--sweep-blocks"
    runs = 1 + len(params.sweep_rate) + len(params.sweep_blocks)
    for bound in _bounds(params):
        if bound.amount > bound.most:
            raise LabError(bound.option, bound.rule, bound.amount, most=bound.most, **bound.values)
        if bound.amount * runs > bound.most * RUNS:
            points = bound.most * RUNS // bound.amount - 1  # the requests as they are come first
            raise LabError(sweep, "too_long_a_sweep", runs - 1, most=points)


def _bounds(params: Params) -> Iterator[Bound]:
    """Each amount, requests first: the others need a look at each of them."""
    source, inputs, outputs = "TRACE", "TRACE", "TRACE"
    if params.load is not None:
        source, inputs, outputs = "--random", "--input-len", "--output-len"
    number = len(params.arrivals)
    yield Bound(source, "too_many_replay_requests", number, MOST_REQUESTS, {})
    chunk, option = params.budget, "--budget"
    if "long_prefill_threshold" in params.knobs and 0 < params.long_prefill_threshold < chunk:
        chunk, option = params.long_prefill_threshold, "--long-prefill-threshold"
    if chunk >= type(params).budget:
        option = inputs  # not the knob, but the prompts
    lengths = [
        (arrival.input_length, _output(arrival.output_length, arrival.input_length, params))
        for arrival in params.arrivals
    ]
    prefills = sum(-(-prompt // chunk) for prompt, _ in lengths)
    yield Bound(option, "too_many_prefill_steps", prefills, MOST_PREFILL_STEPS, {"chunk": chunk})
    total = sum(output for _, output in lengths)
    yield Bound(outputs, "too_long_an_output", max(output for _, output in lengths), MOST_OUTPUT, {})
    if "max_num_seqs" in params.knobs:
        yield Bound(outputs, "too_many_engine_steps", total // params.max_num_seqs, MOST_STEPS, {})
    if params.has_pool:
        blocks = sum(-(-(prompt + output) // params.block_size) for prompt, output in lengths)
        values: dict[str, object] = {"block_size": params.block_size}
        yield Bound("--block-size", "too_many_replay_blocks", blocks, MOST_BLOCKS, values)
    else:
        yield Bound(outputs, "too_many_tokens_served", prefills + total, MOST_SERVED, {"name": params.rule})


def _output(asked: int, prompt: int, params: Params) -> int:
    """Output tokens that there is room for."""
    return asked if params.max_model_len is None else max(1, min(asked, params.max_model_len - prompt))
