"""A broken run and the right one as JSON."""

from __future__ import annotations

from labs.view.schedule_json import round_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.bugs import Bug
    from labs.bugs.account import Account
    from labs.bugs.invariants import Break
    from labs.bugs.look_up import LookUp
    from labs.prefix_bug import Result as PrefixResult
    from labs.schedule_bug import Result

PLACES = 6


def schedule_bug_document(result: Result) -> dict[str, Any]:
    """Parameters and result; a right run that was refused says why."""
    case, bug, refusal = result.params.case, result.params.bug, result.refusal
    requests = [
        {**request.as_dict(), "decode": "inf" if request.decode is None else request.decode}
        for request in case.requests
    ]
    params = {"bug": bug.name, **case.knobs.as_dict(), "rounds": case.rounds, "requests": requests}
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
    values = {} if first is None else {key: _number(value) for key, value in first.values.items()}
    place = None if first is None else {bug.unit: first.step, **values}
    if first is not None and bug.unit == "request":
        place = {**values, "place": first.step}
    return {"bug": bug.name, "invariant": bug.invariant, "first": place}


def _account(account: Account) -> dict[str, Any]:
    return {
        "rounds": [round_document(round) for round in account.run.rounds],
        "stuck": account.run.stuck,
        "prefix_cache": [count.as_dict() for count in account.counts],
        "tpot": [{key: _number(value) for key, value in tpot.as_dict().items()} for tpot in account.tpots],
    }


def _looked(looked: LookUp) -> dict[str, Any]:
    return {"hit_tokens": looked.hit_tokens, "blocks": [block.as_dict() for block in looked.blocks]}


def _number(value: object) -> object:
    """Ints and texts as they are, quotients to 6 places."""
    exact = isinstance(value, (int, str, list)) or value is None
    return value if exact else round(float(value), PLACES)  # type: ignore[arg-type]
