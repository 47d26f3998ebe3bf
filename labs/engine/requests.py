"""What a request asks for, with one meaning under every scheduling rule.

    prefill   prompt tokens still to compute; the pass that ends the prefill yields the first output token
    decode    decode passes after that, one token each; an engine would say max_tokens = decode + 1
    arrive    the round, from 1, before which the request joins
    abort     the round after which its client withdraws

`prefill=0` is decoding already: `context` tokens are computed and one sampled token waits. Requests are
served in the order of arrival, then of their place in the list.
"""

from __future__ import annotations

from labs.base import LabError, Record, check_bounds, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_TOKENS = 10**9
KEYS = (
    *("prefill", "prompt", "decode", "max_tokens", "arrive", "context", "priority", "salt"),
    *("abort", "arrival_time", "stop_token_ids"),
)


class Request(Record):
    """One request; `decode` is None for decodes without end.

    Under a rule with priorities smaller ones go first; ties go to the earlier `arrival_time` (in any unit;
    None: the place in the order of arrival, from 1). Of `stop_token_ids` the first sampled ends the request.
    """

    name: str
    prefill: int
    decode: int | None
    arrive: int = 1
    context: int = 0
    prompt: tuple[int, ...] | None = None
    priority: int = 0
    salt: str = ""
    abort: int | None = None
    arrival_time: int | float | None = None
    stop_token_ids: tuple[int, ...] = ()


def make_request(name: str, fields: Mapping[str, object], where: str) -> Request:
    """A request from its keys, as text or as JSON values; `LabError` at `where`.

    >>> request = make_request("C", {"prefill": "10", "max_tokens": 3}, "--request")
    >>> request == Request("C", prefill=10, decode=2, arrive=1)
    True
    """
    plain = name.isprintable() and not set(name) & set(" ,:=")
    require(bool(name) and plain and len(name) <= 64, where, "not_a_name", name)
    for key in fields:
        require(key in KEYS, where, "unknown_request_key", key, known=", ".join(KEYS))
    for key, other in (("prompt", "prefill"), ("max_tokens", "decode")):
        require(not (key in fields and other in fields), where, "keys_exclude", name, key=key, other=other)
    prompt = _token_ids(fields, "prompt", where) if "prompt" in fields else None
    require(prompt is not None or "prefill" in fields, where, "needs_prefill", name)
    prefill = len(prompt) if prompt is not None else _number(fields, "prefill", where, 0)
    decode = _decode(fields, where)
    arrive = _number(fields, "arrive", where, 1, default=1)
    if prefill == 0:
        require(decode != 0, where, "asks_for_nothing", name)
        require(arrive == 1, where, "decoding_arrives_late", arrive)
    else:
        require("context" not in fields, where, "context_with_prefill", name)
    context = 0 if prefill else _number(fields, "context", where, 1, default=1)
    priority = _number(fields, "priority", where, -MAX_TOKENS, default=0)
    salt = fields.get("salt")
    require(salt is None or isinstance(salt, str), where, "not_text", salt)
    abort = _number(fields, "abort", where, arrive) if "abort" in fields else None
    stops = _token_ids(fields, "stop_token_ids", where) if "stop_token_ids" in fields else ()
    arrival_time = _time(fields["arrival_time"], where) if "arrival_time" in fields else None
    text = str(salt or "")
    return Request(name, prefill, decode, arrive, context, prompt, priority, text, abort, arrival_time, stops)


def _number(
    fields: Mapping[str, object], key: str, where: str, least: int, default: int | None = None
) -> int:
    from labs.files.numbers import read_whole

    value = fields.get(key, default)
    place = f"{where}: {key}"
    number = read_whole(value, place) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int):
        raise LabError(place, "not_whole", value)
    check_bounds(number, place, least, MAX_TOKENS)
    return number


def _decode(fields: Mapping[str, object], where: str) -> int | None:
    if fields.get("decode") == "inf":
        return None
    if "max_tokens" in fields:
        return _number(fields, "max_tokens", where, 1) - 1
    return _number(fields, "decode", where, 0, default=0)


def _token_ids(fields: Mapping[str, object], key: str, where: str) -> tuple[int, ...]:
    value, place = fields[key], f"{where}: {key}"
    members: Sequence[object] = value.split(";") if isinstance(value, str) else value  # type: ignore[assignment]
    require(isinstance(members, list) and bool(members), place, "not_token_list", value)
    return tuple([_number({key: member}, key, where, 0) for member in members])


def _time(value: object, where: str) -> int | float:
    """A point in time, in any unit: only its order counts."""
    place = f"{where}: arrival_time"
    if isinstance(value, str):
        from labs.files.numbers import MAX_DIGITS

        plain = value.strip().removeprefix("-").replace(".", "", 1)
        require(plain.isascii() and plain.isdigit(), place, "not_a_number", value)
        require(len(plain) <= MAX_DIGITS, place, "too_many_digits", value, most=MAX_DIGITS)
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise LabError(place, "not_a_number", value)
    return value


def make_requests(written: Sequence[tuple[str, str, Mapping[str, object]]]) -> tuple[Request, ...]:
    """Requests from (where, name, keys), in their order; `LabError` where a name comes twice."""
    made: dict[str, Request] = {}
    for where, name, fields in written:
        require(name not in made, where, "name_taken", name)
        made[name] = make_request(name, fields, where)
    return tuple(made.values())
