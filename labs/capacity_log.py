"""Capacity lab, a start-up log: what it prints, held against itself and against a model's config.

    read         `labs.files.startup_log`: figures and failures of the last start in the file
    reconcile    `labs.sizing.log.reconcile`: generation, checks, assumptions, and one of four verdicts

Options pin what the log does not say; the rest is guessed, likely deployments first, until every printed
line comes out. What had to be guessed is told.

Source: the start-up lines of vLLM 0.2 to 0.32.
Does not model: other engines' logs, several starts at once, data-parallel engines that differ.
"""

from __future__ import annotations

from labs.base import Record, require
from labs.sizing.layers import check_context_parallel
from labs.sizing.log.budget import Budget, budget_of
from labs.sizing.log.known import Known, known_of
from labs.sizing.log.printed import Printed, printed_of
from labs.sizing.log.reconcile import reconcile

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from fractions import Fraction
    from typing import Any

    from labs.files.startup_log import StartupLog
    from labs.model.stack import ModelStack
    from labs.sizing.log.outcome import Outcome


class Params(Record):
    """The log, the model if one was named, what the user knows, and the GPU: bytes and a fraction.

    `is_built_in` tells that the model was named, and not read from a file.
    """

    log: StartupLog
    stack: ModelStack | None = None
    options: Known = Known()
    gpu: int | None = None
    utilization: Fraction | None = None
    is_built_in: bool = False


class Result(Record):
    """What the log prints, what is known with the options, the budget line by line, and the outcome."""

    params: Params
    printed: Printed
    known: Known
    budget: Budget | None
    outcome: Outcome

    @property
    def holds(self) -> bool:
        """Whether the printed equalities hold and the config, if there is one, explains the figures."""
        return self.outcome.holds and (self.budget is None or self.budget.holds)


def run(params: Params) -> Result:
    """Reconcile the log."""
    printed = printed_of(params.log)
    known = known_of(params.options, printed)
    budget = budget_of(printed, params.gpu, params.utilization)
    return Result(params, printed, known, budget, reconcile(printed, params.stack, known, budget))


def params(
    log: tuple[StartupLog, ...] = (),
    model: ModelStack | None = None,
    config: ModelStack | None = None,
    gpu: int | None = None,
    utilization: Fraction | None = None,
    **options: Any,
) -> Params:
    """The options as parameters; the log is demanded here, as a plain line passes by argparse."""
    require(model is None or config is None, "--model", "not_with", "both", other="--config")
    require(len(log) == 1, "LOG", "needs_log", f"{len(log)} files" if log else "nothing")
    stack, known = config or model, Known(**options)
    said = printed_of(log[0]).max_model_len
    if known.max_model_len is not None and said is not None:
        require(known.max_model_len == said, "--max-model-len", "log_says", known.max_model_len, said=said)
    if stack is not None:
        stack.shape.on_one_rank(known.tp or 1)
        check_context_parallel(stack, known.tp or known.dcp or 1, known.dcp or 1)
    return Params(log[0], stack, known, gpu, utilization, is_built_in=model is not None)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the log and the options; files are read while the line is."""
    from argparse import SUPPRESS

    from labs.files.startup_log import read_startup_log
    from labs.model.config_file import read_stack
    from labs.model.kv import read_dtype
    from labs.model.stack import built_in_stack
    from labs.options import knob, reader, switch, whole
    from labs.view.catalog.capacity_log import KNOBS
    from labs.view.units import read_memory, read_share, read_size

    parser.add_argument(
        "log",
        nargs="*",
        type=reader(read_startup_log, "LOG"),
        metavar="LOG",
        default=SUPPRESS,
        help=KNOBS["LOG"],  # type: ignore[arg-type]  # the entry's parser picks the language
    )
    knob(parser, "--config", read_stack, KNOBS["--config"], metavar="FILE")
    knob(parser, "--model", built_in_stack, KNOBS["--model"], metavar="NAME")
    for name in ("--tp", "--pp", "--dcp"):
        knob(parser, name, whole(1, 4096), KNOBS[name], metavar="N")
    knob(parser, "--kv-dtype", read_dtype, KNOBS["--kv-dtype"], metavar="DTYPE")
    knob(parser, "--block-size", whole(1, 10**6), KNOBS["--block-size"], metavar="N")
    for name in ("--max-model-len", "--max-num-batched-tokens"):
        knob(parser, name, whole(1, 10**9), KNOBS[name], metavar="N")
    for name in ("--async-scheduling", "--prefix-caching"):
        switch(parser, name, KNOBS[name])
    knob(parser, "--swap-space", read_size, KNOBS["--swap-space"], metavar="SIZE")
    knob(parser, "--gpu", read_memory, KNOBS["--gpu"], metavar="SIZE")
    knob(parser, "--utilization", read_share, KNOBS["--utilization"], metavar="SHARE")


def render(result: Result, lang: str) -> str:
    """The reconciliation line by line, then the verdict."""
    from labs.view.capacity_log import render_log

    return render_log(result, lang)


def document(result: Result) -> dict[str, Any]:
    """The result as JSON has it: verdict, generation, figures, assumptions, and what they rest on."""
    from labs.view.capacity_log_json import log_document

    return log_document(result)
