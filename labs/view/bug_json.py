"""A broken run and the right one as JSON: all that went in, and what came out."""

from __future__ import annotations

from labs.view.schedule_json import request_document, round_document, script_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.bugs import Break, Bug
    from labs.bugs.account import Account
    from labs.bugs.look_up import LookUp
    from labs.prefix_bug import Result as PrefixResult
    from labs.schedule_bug import Result

PLACES = 6


def schedule_bug_document(result: Result) -> dict[str, Any]:
    """Parameters and result; a right run that was refused says why."""
    case, bug, refusal = result.params.case, result.params.bug, result.refusal
    params = {"bug": bug.name, **case.knobs.as_dict(), "rule": "vllm", "rounds": case.rounds}
    if case.external is not None:
        params["external"] = script_document(case.external)
    params["requests"] = [request_document(request) for request in case.requests]
    right: dict[str, Any] = {} if result.right is None else _account(result.right)
    if refusal is not None:
        right = {"refused": {"where": refusal.where, "rule": refusal.rule, **refusal.values}}
    figures = {"first_difference": result.parted, "right": right, "broken": _account(result.broken)}
    return {"params": params, "result": {**_found(bug, result.first), **figures}}


def prefix_bug_document(result: PrefixResult) -> dict[str, Any]:
    """Parameters and result, block by block."""
    case, bug = result.params.case, result.params.bug
    named = {name: value for name, value in case.as_dict().items() if name != "extra"}
    keys = {name: getattr(case.extra, name) for name in ("namespace", "salt", "lora")}
    figures = {
        "first_difference": result.parted,
        "right": _looked(result.right),
        "broken": _looked(result.broken),
    }
    params = {"bug": bug.name, **named, **keys}
    return {"params": params, "result": {**_found(bug, result.first), **figures}}


def _found(bug: Bug, first: Break | None) -> dict[str, Any]:
    """The invariant, and the first step that breaks it with its values; a request's values name it."""
    if first is None:
        return {"invariant": bug.invariant, "first": None}
    step = {"place" if bug.unit == "request" else bug.unit: first.step}
    values = {key: _number(value) for key, value in first.values.items()}
    return {"invariant": bug.invariant, "first": {**step, **values}}


def _account(account: Account) -> dict[str, Any]:
    return {
        "rounds": [round_document(round) for round in account.run.rounds],
        "stuck": account.run.stuck,
        "prefix_cache": [count.as_dict() for count in account.counts],
        "tpot": [{key: _number(value) for key, value in tpot.as_dict().items()} for tpot in account.tpots],
    }


def _looked(looked: LookUp) -> dict[str, Any]:
    return {"hit_tokens": looked.hit_tokens, "blocks": [block.as_dict() for block in looked.blocks]}


def _number(value: Any) -> Any:
    """Ints, texts and lists as they are, quotients to 6 places."""
    exact = value is None or isinstance(value, (int, str, list))
    return value if exact else round(float(value), PLACES)
