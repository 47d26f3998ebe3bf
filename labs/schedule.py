"""Schedule lab: a token budget per round, and who gets how much of it.

Each round hands out at most `budget` tokens over the requests that are there. The rule decides; the
lecture's rule, decode-first, is `labs.engine.rules.decode_first`:

    first one token to each request that is decoding now, in order;
    then prefills, in order, with what is left.

    prefill  prompt tokens to compute    decode  decode passes after it, one token each
    order    by arrival, then place in the list

The other rules stand beside it in `labs.engine.rules`, two of them real engines with their KV pools.
Source: the course's lab C; each rule names its own.
Does not model: time; what a rule leaves out stands in its docstring.
"""

from __future__ import annotations

from labs.base import Record, check_bounds, require
from labs.engine.knobs import OPTIONS, POLICIES, SWITCHES, WHOLE_KNOBS, Knobs, knobs_of_config
from labs.engine.requests import Request
from labs.engine.rules import RULES, require_knob
from labs.engine.simulator import simulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from labs.engine.explain.compare import Comparison
    from labs.engine.explain.life import Event
    from labs.engine.explain.waits import Wait
    from labs.engine.external.script import ExternalScript
    from labs.engine.simulator import Run
    from labs.files.requests import RequestFile, WrittenRequest
    from labs.predict.answer import Answer
    from labs.view.page.markup import Figure

LECTURE = (
    Request("A", prefill=0, decode=3, context=1),
    Request("B", prefill=0, decode=2, context=1),
    Request("C", prefill=10, decode=2),
    Request("D", prefill=2, decode=1, arrive=2),
)
MAX_ROUNDS = 100_000
NOT_WITH_PREDICT = ("compare", "log", "timeline")


class Params(Knobs):
    """Requests in their order and the rule's knobs; the defaults are the lecture's case.

    `compare` is a second rule, `timeline` a file to write; `external` is what another store does.
    """

    requests: tuple[Request, ...] = LECTURE
    rule: str = "decode-first"
    rounds: int = 1000
    external: ExternalScript | None = None
    compare: str | None = None
    log: bool = False
    timeline: str | None = None

    def check(self) -> None:
        """Raise `LabError` at the option whose value is out of bounds, or at a request that cannot be."""
        super().check()
        check_bounds(self.rounds, "--rounds", 1, MAX_ROUNDS)
        for option, rule in (("--rule", self.rule), ("--compare", self.compare or self.rule)):
            require(rule in RULES, option, "not_one_of", rule, choices=", ".join(RULES))
        require(self.compare != self.rule, "--compare", "same_rule", self.compare)
        require(bool(self.requests), "--request", "no_requests", "nothing")
        seen: set[str] = set()
        for request in self.requests:
            require(request.name not in seen, "--request", "name_taken", request.name)
            seen.add(request.name)
        limited = self.kv_blocks is not None
        require(
            limited or not self.watermark, "--watermark", "needs_option", self.watermark, other="--kv-blocks"
        )
        if self.external is not None:
            require(self.rule == "vllm", self.external.where, "external_needs_vllm", self.rule)
        for rule in (self.rule, self.compare or self.rule):
            if RULES[rule].has_pool:
                from labs.engine.run.engines import SAMPLED_TOKENS
                from labs.engine.run.live_requests import refuse_impossible

                refuse_impossible(self.requests, knobs_of(self, rule), SAMPLED_TOKENS[rule])


class Result(Record):
    """The rounds of a run; where asked for, its log, and how a second rule's run differs."""

    params: Params
    run: Run
    events: tuple[Event, ...] | None = None
    comparison: Comparison | None = None
    waits: tuple[Wait, ...] | None = None

    @property
    def holds(self) -> bool:
        """Nothing is claimed here that could fail."""
        return True


def run(params: Params) -> Result:
    """Run the rule on the requests, round by round, and what the options ask for beside it."""
    asks_for_detail = params.log or params.timeline or params.external
    ours = played(params, params.rule, detail=bool(asks_for_detail))
    events, comparison = None, None
    if params.log:
        from labs.engine.explain.life import life

        events = life(ours, params.requests, params.block_size)
    if params.compare is not None:
        from labs.engine.explain.compare import compare

        theirs = played(params, params.compare, detail=False)
        rules = params.rule, params.compare
        knobs, their_knobs = [knobs_of(params, rule) for rule in rules]
        comparison = compare(ours, theirs, params.requests, *rules, knobs, params.external, their_knobs)
    waited: tuple[Wait, ...] | None = None
    if params.rule not in ("decode-first", "prefill-first"):  # there only the budget keeps anybody waiting
        from labs.engine.explain.scene import Setting
        from labs.engine.explain.waits import waits

        setting = Setting(params.rule, knobs_of(params, params.rule), params.external)
        waited = waits(ours, params.requests, setting)
    return Result(params, ours, events, comparison, waited)


def played(params: Params, rule: str, detail: bool, queues: bool = False) -> Run:
    """A rule's run; `detail` and `queues` record tables and free queues, which cost more than the run."""
    stepper = RULES[rule].make(knobs_of(params, rule), params.external, detail, queues)
    return simulate(params.requests, stepper, params.rounds)


def knobs_of(params: Params, rule: str) -> Knobs:
    """The knobs that a rule has; the others stand at their defaults."""
    return Knobs(**{knob: getattr(params, knob) for knob in ("budget", *RULES[rule].knobs)})


def params(**options: Any) -> Params:
    """Params from the options given."""
    return Params(**given(**options))


def given(
    request: list[WrittenRequest] | None = None,
    requests: RequestFile | None = None,
    external: bool = False,
    **knobs: Any,
) -> dict[str, Any]:
    """Fields that the options set; the config of a file of requests yields to knobs."""
    for option, other in (("--requests", requests), ("--external", external)):
        require(not (request and other), "--request", "not_with", "--request", other=option)
    require(not (requests and external), "--requests", "not_with", "--requests", other="--external")
    if external:
        from labs.engine.external.lecture import KNOBS, REQUESTS, SCRIPT

        rule = knobs.get("rule", KNOBS["rule"])
        require(rule == KNOBS["rule"], "--external", "external_needs_vllm", rule)
        knobs = {**KNOBS, **knobs, "requests": REQUESTS, "external": SCRIPT}
    rules = [knobs.get("rule", Params.rule), *([knobs["compare"]] if "compare" in knobs else [])]
    for knob, option in OPTIONS.items():
        if knob in knobs:
            require_knob(knob, rules, option, knobs[knob])
    if requests is not None:
        entries = [(entry.where, entry.key, entry.value) for entry in requests.config]
        for knob, (where, value) in knobs_of_config(entries).items():
            require_knob(knob, rules, f"{where}: {knob}", value)
            knobs.setdefault(knob, value)
    written = requests.requests if requests else request
    if written is not None:
        from labs.engine.requests import make_requests

        knobs["requests"] = make_requests([(item.where, item.name, item.fields) for item in written])
    if requests is not None and "timeline" in knobs:
        from labs.files.writing import is_same_file

        same = is_same_file(requests.path, knobs["timeline"])
        require(not same, "--timeline", "is_an_input", knobs["timeline"])
    if requests is not None and requests.external is not None:
        from labs.engine.external.script import make_script

        where, entry = requests.external
        knobs["external"] = make_script(entry, [item.name for item in knobs["requests"]], where)
    return knobs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from labs.files.requests import read_request, read_request_file
    from labs.options import flag, fraction, knob, nonempty_text, one_of, switch, whole
    from labs.view.catalog.schedule import KNOBS

    choices = "{" + ",".join(RULES) + "}"
    knob(parser, "--request", read_request, KNOBS["--request"], metavar="NAME:KEY=VALUE,...", action="append")
    knob(parser, "--requests", read_request_file, KNOBS["--requests"], metavar="FILE")
    flag(parser, "--external", KNOBS["--external"])
    knob(parser, "--rule", one_of(tuple(RULES)), KNOBS["--rule"], metavar=choices)
    knob(parser, "--compare", one_of(tuple(RULES)), KNOBS["--compare"], metavar=choices)
    knob(parser, "--rounds", whole(1, MAX_ROUNDS), KNOBS["--rounds"], metavar="N")
    for option, least, most in WHOLE_KNOBS.values():
        knob(parser, option, whole(least, most), KNOBS[option], metavar="N")
    knob(parser, "--policy", one_of(POLICIES), KNOBS["--policy"], metavar="{fcfs,priority}")
    for option in SWITCHES.values():
        switch(parser, option, KNOBS[option])
    knob(parser, "--watermark", fraction, KNOBS["--watermark"], metavar="FRACTION")
    flag(parser, "--log", KNOBS["--log"])
    knob(parser, "--timeline", nonempty_text, KNOBS["--timeline"], metavar="FILE")


def render(result: Result, lang: str) -> str:
    from labs.view.schedule import render_schedule

    return render_schedule(result, lang)


def predicted(result: Result, text: str) -> Answer:
    """Predicted rounds against those of the run; `labs.predict.rounds` says how they are written."""
    from labs.engine.explain.scene import Setting
    from labs.predict.rounds import read_rounds
    from labs.predict.schedule import check_rounds

    params = result.params
    rounds = read_rounds(text, [request.name for request in params.requests])
    setting = Setting(params.rule, knobs_of(params, params.rule), params.external)
    return check_rounds(result.run, params.requests, setting, rounds)


def document(result: Result) -> dict[str, Any]:
    from labs.view.schedule_json import schedule_document

    params = result.params
    if RULES[params.rule].has_pool:
        # Played again, for the tables and queues that only JSON shows; it comes out the same.
        result = result.replace(run=played(params, params.rule, detail=True, queues=True))
    return schedule_document(result, ("budget", *RULES[params.rule].knobs))


def figure(result: Result) -> Figure:
    """The rounds drawn for `--html`; with a pool they are played again, for tables and queues."""
    from labs.view.page.schedule import MAX_LISTED_QUEUE, drawn, schedule_figure

    params, run = result.params, result.run
    rounds = drawn(run, len(params.requests))
    if RULES[params.rule].has_pool and rounds:
        queues = params.kv_blocks is not None and params.kv_blocks <= MAX_LISTED_QUEUE
        run = played(params.replace(rounds=rounds[-1].last), params.rule, detail=True, queues=queues)
        rounds = drawn(run, len(params.requests))
    return schedule_figure(run.replace(rounds=rounds), result.run.num_rounds, params)


def files(result: Result) -> dict[str, tuple[str, str]]:
    """Files to write beside the text: option -> (path, content)."""
    if result.params.timeline is None:
        return {}
    import json

    from labs.files.timeline import timeline

    events = timeline(result.run, result.params.requests)
    return {"--timeline": (result.params.timeline, json.dumps(events, indent=1) + "\n")}
