"""Schedule lab, a trace against a clock: latencies, goodput, preemptions, where load or memory bends them.

    requests     a trace's (Mooncake JSONL, Azure CSV, token ids), or a random load
    rule         any of the schedule lab's, vllm unless told; engines share what a trace's ids say is shared
    step time    base + a x prefill tokens + b x decodes + c x KV tokens read: the cost model
    sweeps       the same requests at other rates, or with other numbers of KV blocks

Blocks are as long as a trace's ids (512 tokens), as these say nothing of finer ones; otherwise 16.

Source: vLLM 0.32.0's engine loop and `vllm bench serve`'s definitions.
Does not model: what `labs.replay.clock` and the cost model do not: every time here is the model's.
"""

from __future__ import annotations

from labs.base import Record, require
from labs.engine.knobs import OPTIONS, POLICIES, SWITCHES, WHOLE_KNOBS, Knobs
from labs.engine.rules import RULES
from labs.replay.bounds import check_size
from labs.replay.clock import replay
from labs.replay.engine import stepper_of, takes_many_steps
from labs.replay.load import Arrival, at_once, at_rate, on_a_clock, rate_of
from labs.replay.report import Report, report_of
from labs.replay.step_cost import StepCost
from labs.replay.sweep import BlockSweep, Point, RateSweep

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from fractions import Fraction
    from typing import Any

    from labs.replay.arrivals import RandomLoad
    from labs.replay.latency import Limits
    from labs.replay.options import Word
    from labs.replay.served import Replay
    from labs.replay.step_fit import Fit

    Tell = Callable[[int, int], None] | None

DEFAULT_BUDGET = 8192
MAX_BLOCK_TOKENS = 10**7


def default_cost() -> StepCost:
    """5 ms a step, 20 us a prefill token and a decode, 40 ns a KV token read.

    Round figures of the size that stated rates of one H100 give for a model of 8 B parameters.
    """
    from fractions import Fraction

    return StepCost(5, Fraction(20, 1000), Fraction(20, 1000), Fraction(40, 10**6))


class Params(Knobs):
    """What is replayed, and how. `arrivals` are the requests; `source` and `kind` their file, or `load`.
    `untold_outputs` requests came without an output length, and count as one token. `rate_from`: whether a
    random load's rate was given, is the first of the sweep, or the default, all at once.

    `block_tokens` is what an id of the trace stands for, None without ids. `cost_from` says how the cost came
    about: given, derived, fitted or default. `blocks_from` is the model that the blocks were counted for.
    """

    arrivals: tuple[Arrival, ...] = ()
    source: str = ""
    kind: str | None = None
    load: RandomLoad | None = None
    rate_from: str = "given"
    untold_outputs: int = 0
    rule: str = "vllm"
    budget: int = DEFAULT_BUDGET
    block_tokens: int | None = None
    cost: StepCost = default_cost()
    cost_from: str = "default"
    fit: Fit | None = None
    blocks_from: str | None = None
    limits: Limits | None = None
    sweep_rate: tuple[Fraction | str, ...] = ()
    sweep_blocks: tuple[int, ...] = ()
    csv: str | None = None
    timeline: str | None = None

    @property
    def has_pool(self) -> bool:
        """Whether the rule has a KV pool."""
        return RULES[self.rule].has_pool

    @property
    def knobs(self) -> tuple[str, ...]:
        """The rule's knobs."""
        return ("budget", *RULES[self.rule].knobs)

    @property
    def rate(self) -> Fraction | None:
        """Requests a second on the whole; None if all come at once."""
        return rate_of(self.arrivals)

    def changed_knobs(self) -> list[tuple[str, str, object]]:
        """(knob, option, value) of the rule's knobs that are not at the engine's defaults."""
        values = [(knob, OPTIONS[knob], getattr(self, knob)) for knob in self.knobs]
        return [entry for entry in values if entry[2] != getattr(Knobs, entry[0])]

    def check(self) -> None:
        """Raise `LabError` at the option whose value cannot be."""
        super().check()
        require(self.rule in RULES, "--rule", "not_one_of", self.rule, choices=", ".join(RULES))
        require(bool(self.arrivals), "TRACE", "needs_requests")
        check_size(self)
        if self.sweep_blocks:
            require(not self.sweep_rate, "--sweep-blocks", "not_with", "both", other="--sweep-rate")
            pools = ", ".join([name for name, rule in RULES.items() if rule.has_pool])
            require(self.has_pool, "--rule", "rule_without_pool", self.rule, choices=pools)
        pool = self.kv_blocks is not None or bool(self.sweep_blocks)
        require(
            pool or not self.watermark, "--watermark", "needs_option", self.watermark, other="--kv-blocks"
        )
        if self.block_tokens is not None and self.has_pool:
            from labs.replay.trace_keys import check_block_size

            check_block_size(self.block_size, self.block_tokens)
        if self.has_pool:
            from labs.replay.longest import check_longest

            own = "--kv-blocks" if self.blocks_from is None else "--gpu"
            swept = [("--sweep-blocks", blocks) for blocks in self.sweep_blocks]
            for option, blocks in ((own, self.kv_blocks), *swept):
                check_longest(self.arrivals, blocks, self.block_size, self.max_model_len, option)


class Result(Record):
    """The replay and its figures, and the sweep if there is one. Nothing here could fail to hold.

    `cut_outputs` requests ended at the model's length, with fewer output tokens than they asked for.
    """

    params: Params
    report: Report
    replay: Replay
    sweep: RateSweep | BlockSweep | None = None
    holds: bool = True

    @property
    def cut_outputs(self) -> int:
        pairs = zip(self.params.arrivals, self.replay.served)
        return sum(served.finished and served.output_tokens < asked.output_length for asked, served in pairs)


def run(params: Params) -> Result:
    """Replay the requests, and again for each point of a sweep; a terminal sees how far it has come."""
    from labs.view.progress import progress_line

    num_runs = 1 + len(params.sweep_rate) + len(params.sweep_blocks)
    with progress_line("schedule replay", num_runs) as tell:
        whole = replayed(params, params.arrivals, params.kv_blocks, tell)
        report = report_of(whole, params.limits)
        return Result(params, report, whole, swept(params, report, tell))


def swept(params: Params, report: Report, tell: Tell = None) -> RateSweep | BlockSweep | None:
    """The sweep asked for; `report` is of the requests as they are."""
    points = []
    for rate in params.sweep_rate:
        arrivals = at_once(params.arrivals) if isinstance(rate, str) else at_rate(params.arrivals, rate)
        again = replayed(params, arrivals, params.kv_blocks, tell)
        points.append(Point(rate, params.kv_blocks, report_of(again, params.limits)))
    if points:
        best = max(each.request_throughput for each in (report, *[point.report for point in points]))
        return RateSweep(tuple(points), best)
    for blocks in params.sweep_blocks:
        again = replayed(params, params.arrivals, blocks, tell)
        points.append(Point(None, blocks, report_of(again, params.limits)))
    return BlockSweep(tuple(points)) if points else None


def replayed(
    params: Params, arrivals: tuple[Arrival, ...], kv_blocks: int | None, tell: Tell = None
) -> Replay:
    """One replay of these arrivals with so many KV blocks."""
    coming, ticks, ids = on_a_clock(arrivals, params.cost)
    settings = {name: getattr(params, name) for name in params.knobs}
    if "kv_blocks" in settings:
        settings["kv_blocks"] = kv_blocks
    stepper = stepper_of(params.rule, Knobs(**settings), ids, params.block_tokens or 0)
    return replay(coming, stepper, ticks, tell, takes_many_steps(params.rule))


def params(trace: list[Word] | None = None, goodput: list[Word] | None = None, **given: Any) -> Params:
    """The options as parameters; the requests are demanded here, as a plain line passes by argparse."""
    from labs.engine.rules import require_knob
    from labs.replay.options import traces_and_limits
    from labs.replay.replay_params import put_model, put_requests

    for knob, option in (*OPTIONS.items(), ("kv_blocks", "--gpu")):
        name = "gpu" if option == "--gpu" else knob
        if name in given:
            off = f"--no-{option[2:]}" if given[name] is False else option
            require_knob(knob, [given.get("rule", Params.rule)], off, "off" if off != option else given[name])
    traces, limits = traces_and_limits([*(trace or ()), *(goodput or ())])
    put_requests(given, traces)
    put_model(given)
    if "csv" in given and "timeline" in given:
        from labs.files.writing import is_same_file

        same = is_same_file(given["csv"], given["timeline"])
        require(not same, "--timeline", "is_other_output", given["timeline"], other="--csv")
    return Params(limits=limits, **given)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the trace and the options; files are read while the line is."""
    from labs.model.config_file import read_stack
    from labs.model.kv import read_dtype
    from labs.model.stack import built_in_stack
    from labs.options import fraction, knob, nonempty_text, one_of, switch, whole
    from labs.replay import arrivals, cost_options
    from labs.replay.options import add_trace_and_goodput, read_blocks, with_path
    from labs.view.catalog.capacity_fit import KNOBS as MODEL_KNOBS
    from labs.view.catalog.schedule import KNOBS as SCHEDULE_KNOBS
    from labs.view.catalog.schedule_replay import KNOBS
    from labs.view.units import read_memory, read_share

    texts = {**SCHEDULE_KNOBS, **MODEL_KNOBS, **KNOBS}
    add_trace_and_goodput(parser, texts)
    for name, read, metavar in (*arrivals.options(), *cost_options.options()):
        knob(parser, name, read, texts[name], metavar=metavar)
    knob(parser, "--block-tokens", whole(1, MAX_BLOCK_TOKENS), texts["--block-tokens"], metavar="N")
    choices = "{" + ",".join(RULES) + "}"
    knob(parser, "--rule", one_of(tuple(RULES)), texts["--rule"], metavar=choices)
    for option, least, most in WHOLE_KNOBS.values():
        knob(parser, option, whole(least, most), texts[option], metavar="N")
    knob(parser, "--policy", one_of(POLICIES), texts["--policy"], metavar="{fcfs,priority}")
    for option in SWITCHES.values():
        switch(parser, option, texts[option])
    knob(parser, "--watermark", fraction, texts["--watermark"], metavar="FRACTION")
    knob(parser, "--config", with_path(read_stack), texts["--config"], metavar="FILE")
    knob(parser, "--model", built_in_stack, texts["--model"], metavar="NAME")
    knob(parser, "--gpu", read_memory, texts["--gpu"], metavar="SIZE")
    knob(parser, "--weights", read_memory, texts["--weights"], metavar="SIZE")
    knob(parser, "--utilization", read_share, texts["--utilization"], metavar="SHARE")
    knob(parser, "--tp", whole(1, 4096), texts["--tp"], metavar="N")
    knob(parser, "--kv-dtype", read_dtype, texts["--kv-dtype"], metavar="DTYPE")
    knob(parser, "--sweep-rate", arrivals.read_request_rates, texts["--sweep-rate"], metavar="R,R")
    knob(parser, "--sweep-blocks", read_blocks, texts["--sweep-blocks"], metavar="N,N")
    knob(parser, "--csv", nonempty_text, texts["--csv"], metavar="FILE")
    knob(parser, "--timeline", nonempty_text, texts["--timeline"], metavar="FILE")


def render(result: Result, lang: str) -> str:
    """The replay as text."""
    from labs.view.schedule_replay import render_replay

    return render_replay(result, lang)


def document(result: Result) -> dict[str, Any]:
    """The replay as JSON has it: times in ms and rates a second, to 6 places."""
    from labs.view.schedule_replay_json import replay_document

    return replay_document(result)


def files(result: Result) -> dict[str, tuple[str, str]]:
    """Files to write beside the text: option -> (path, content)."""
    from labs.view.schedule_replay_files import replay_files

    return replay_files(result)
