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

from labs.base import Record, require
from labs.engine.requests import Request
from labs.engine.rules import RULES
from labs.engine.simulator import Run, simulate
from labs.options import check_bounds

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
        check_bounds(self.budget, "--budget", 1, MAX_BUDGET)
        check_bounds(self.rounds, "--rounds", 1, MAX_ROUNDS)
        require(self.rule in RULES, "--rule", "not_one_of", self.rule, choices=", ".join(RULES))


class Result(Record):
    params: Params
    run: Run
    holds: bool = True


def run(params: Params) -> Result:
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
    from labs.view.catalog.schedule import TEXTS
    from labs.view.languages import texts
    from labs.view.rounds import chart, round_lines
    from labs.view.tables import paragraph, table

    t, params, trace = texts(TEXTS, lang), result.params, result.run
    asked = [[t["column_request"], "prefill", "decode", t["column_arrive"]]]
    for request in params.requests:
        decode = "inf" if request.decode is None else request.decode
        asked.append([request.name, *map(str, (request.prefill, decode, request.arrive))])
    became = [t["outcome_columns"].split("|")]
    for outcome in trace.outcomes:
        state = (
            "starved" if outcome.name in trace.starved else "finished" if outcome.finished else "unfinished"
        )
        rounds = [outcome.first_round or "-", outcome.last_round or "-", outcome.waited_rounds]
        became.append([outcome.name, *map(str, rounds), t[state]])
    parts = [
        t["setup"].format(budget=params.budget, rule=params.rule) + "\n" + _unused_keys(params, t),
        table(asked),
        round_lines(trace.rounds, t),
        chart(trace.rounds, [request.name for request in params.requests], t),
        table(became),
        ""
        if all(outcome.finished for outcome in trace.outcomes)
        else t["cut_off"].format(rounds=params.rounds),
        paragraph(_starved_text(result, t)),
        paragraph(t["why"] + _why(result, t))
        + "\n"
        + paragraph(t["not_shown"])
        + "\n"
        + t[_next_command(params)],
    ]
    return "\n".join(part.removesuffix("\n") + "\n" for part in parts if part)


def _next_command(params: Params) -> str:
    """What to try next: the course's exercise, then a stream without end, then the lecture again."""
    if any(request.decode is None for request in params.requests):
        return "next_lecture"
    return "next_endless" if params.budget == 2 else "next"


def _unused_keys(params: Params, t: dict[str, str]) -> str:
    """Say which keys were given that the rule does not look at."""
    keys = [key for key in ("priority", "salt") if any(getattr(r, key) for r in params.requests)]
    return t["unused_keys"].format(keys=", ".join(keys), rule=params.rule) if keys else ""


def _starved_text(result: Result, t: dict[str, str]) -> str:
    params, starved = result.params, result.run.starved
    if not starved:
        return ""
    last = result.run.rounds[-1].work
    names = ", ".join(item.request for item in last)
    line = t["starved_line"].format(
        starved=", ".join(starved), half=params.rounds // 2 + 1, rounds=params.rounds
    )
    only_decodes = all(item.phase == "decode" for item in last)
    fairness = t["fairness_decodes" if only_decodes else "fairness_prefill"]
    return line + fairness.format(busy=names, budget=params.budget, more=len(last) + 1)


def _why(result: Result, t: dict[str, str]) -> str:
    """The first round that kept somebody waiting, the first that cut a prefill, the longest wait."""
    params, outcomes = result.params, result.run.outcomes
    reasons = []
    waited = next((round for round in result.run.rounds if round.waiting), None)
    if waited is not None:
        busy = ", ".join(f"{item.request} {item.phase} {item.tokens}" for item in waited.work)
        values = {"round": waited.round, "busy": busy, "waiting": ", ".join(waited.waiting)}
        reasons.append(t["why_wait"].format(budget=params.budget, **values))
    cut = _first_cut(result)
    if cut is not None:
        reasons.append(t["why_cut" if cut["taken"] else "why_cut_alone"].format(budget=params.budget, **cut))
    longest = max(outcomes, key=lambda outcome: outcome.waited_rounds)
    if longest.waited_rounds:
        reasons.append(t["why_most"].format(name=longest.name, waited=longest.waited_rounds))
    if not reasons:
        widest = max(params.budget - round.unused_budget for round in result.run.rounds)
        reasons.append(t["why_fits"].format(budget=params.budget, widest=widest))
    return t["join"].join(reasons)


def _first_cut(result: Result) -> dict[str, Any] | None:
    """The first prefill that got less than it still needed, and the decodes that came before it."""
    left = {request.name: request.prefill for request in result.params.requests}
    for round in result.run.rounds:
        decodes = [item.request for item in round.work if item.phase == "decode"]
        for name, tokens in [(item.request, item.tokens) for item in round.work if item.phase == "prefill"]:
            if tokens < left[name]:
                taken = {"decodes": ", ".join(decodes), "taken": len(decodes)}
                return {"round": round.round, "name": name, "tokens": tokens, "left": left[name], **taken}
            left[name] -= tokens
    return None


def document(result: Result) -> dict[str, Any]:
    figures = {
        "rounds": [
            {
                "round": round.round,
                "work": [dict(item.__dict__) for item in round.work],
                "unused_budget": round.unused_budget,
                "preempted": [],
                "waiting": list(round.waiting),
                "finished": list(round.finished),
            }
            for round in result.run.rounds
        ],
        "requests": [dict(outcome.__dict__) for outcome in result.run.outcomes],
        "starved": list(result.run.starved),
    }
    requests = [
        {**request.__dict__, "decode": "inf" if request.decode is None else request.decode}
        for request in result.params.requests
    ]
    return {"params": {**result.params.__dict__, "requests": requests}, "result": figures}
