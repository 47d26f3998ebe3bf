"""Schedule lab: a token budget per round, and who gets how much of it.

Each round hands out at most `budget` tokens over the requests that are there. The rule decides; the
lecture's rule, decode-first, is `labs.engine.rules.decode_first`:

    first one token to each request that is decoding now, in order;
    then prefills, in order, with what is left.

    prefill  prompt tokens to compute    decode  decode passes after it, one token each
    order    by arrival, then place in the list

Source: the course's lab C.
Does not model: KV capacity, preemption, priority, external loads, asynchronous state, time.
"""

from __future__ import annotations

from labs.base import Record, check_bounds, require
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.simulator import Run, simulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from labs.files.requests import RequestFile, WrittenRequest

LECTURE = (
    Request("A", prefill=0, decode=3, context=1),
    Request("B", prefill=0, decode=2, context=1),
    Request("C", prefill=10, decode=2),
    Request("D", prefill=2, decode=1, arrive=2),
)
MAX_BUDGET = 10**9
MAX_ROUNDS = 100_000
CONFIG_KNOBS = {"token_budget": "budget"}


class Params(Record):
    """Requests in their order and the rule's knobs; the defaults are the lecture's case."""

    budget: int = 8
    requests: tuple[Request, ...] = LECTURE
    rule: str = "decode-first"
    rounds: int = 1000

    def check(self) -> None:
        """Raise `LabError` at the option whose value is out of bounds."""
        check_bounds(self.budget, "--budget", 1, MAX_BUDGET)
        check_bounds(self.rounds, "--rounds", 1, MAX_ROUNDS)
        require(bool(self.requests), "--request", "no_requests", "nothing")
        seen: set[str] = set()
        for request in self.requests:
            require(request.name not in seen, "--request", "name_taken", request.name)
            seen.add(request.name)
        require(self.rule in RULES, "--rule", "not_one_of", self.rule, choices=", ".join(RULES))


class Result(Record):
    """The rounds of a run, and what became of each request."""

    params: Params
    run: Run

    @property
    def holds(self) -> bool:
        """Nothing is claimed here that could fail."""
        return True


def run(params: Params) -> Result:
    """Run the rule on the requests, round by round."""
    return Result(params, simulate(params.requests, RULES[params.rule], params.budget, params.rounds))


def params(
    request: list[WrittenRequest] | None = None, requests: RequestFile | None = None, **knobs: Any
) -> Params:
    """Params from the options given: requests from the line or from a file, whose config yields to knobs."""
    require(not (request and requests), "--request", "not_with", "--request", other="--requests")
    if requests is not None:
        rule = knobs.get("rule", Params.rule)
        for entry in requests.config:
            require(entry.key in CONFIG_KNOBS, entry.where, "not_a_knob_of_rule", entry.key, name=rule)
            whole = isinstance(entry.value, int) and not isinstance(entry.value, bool)
            require(whole, entry.where, "not_whole", entry.value)
            check_bounds(entry.value, entry.where, 1, MAX_BUDGET)
            knobs.setdefault(CONFIG_KNOBS[entry.key], entry.value)
    written = requests.requests if requests else request
    if written is not None:
        from labs.engine.requests import make_requests

        knobs["requests"] = make_requests([(item.where, item.name, item.fields) for item in written])
    return Params(**knobs)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from labs.files.requests import read_request, read_request_file
    from labs.options import knob, one_of, whole
    from labs.view.catalog.schedule import KNOBS

    knob(parser, "--budget", whole(1, MAX_BUDGET), KNOBS["--budget"], metavar="TOKENS")
    knob(parser, "--request", read_request, KNOBS["--request"], metavar="NAME:KEY=VALUE,...", action="append")
    knob(parser, "--requests", read_request_file, KNOBS["--requests"], metavar="FILE")
    knob(parser, "--rule", one_of(tuple(RULES)), KNOBS["--rule"], metavar="{" + ",".join(RULES) + "}")
    knob(parser, "--rounds", whole(1, MAX_ROUNDS), KNOBS["--rounds"], metavar="N")


def render(result: Result, lang: str) -> str:
    from labs.view.schedule import render_schedule

    return render_schedule(result, lang)


def document(result: Result) -> dict[str, Any]:
    figures = {
        "rounds": [
            {
                "round": round.round,
                "work": [item.as_dict() for item in round.work],
                "unused_budget": round.unused_budget,
                "preempted": [],
                "waiting": list(round.waiting),
                "finished": list(round.finished),
            }
            for round in result.run.rounds
        ],
        "requests": [outcome.as_dict() for outcome in result.run.outcomes],
        "starved": list(result.run.starved),
    }
    requests = [
        {**request.as_dict(), "decode": "inf" if request.decode is None else request.decode}
        for request in result.params.requests
    ]
    return {"params": {**result.params.as_dict(), "requests": requests}, "result": figures}
