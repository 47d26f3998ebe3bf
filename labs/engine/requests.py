"""What a request asks for, with one meaning under every scheduling rule.

    prefill   prompt tokens still to compute; the pass that ends the prefill yields the first output token
    decode    decode passes after that, one token each; an engine would say max_tokens = decode + 1
    arrive    the round, from 1, before which the request joins

`prefill=0` is decoding already: `context` tokens are computed and one sampled token waits. Requests are
served in the order of arrival, then of their place in the list.
"""

from __future__ import annotations

from labs.base import LabError, Record, check_bounds, require
from labs.files.numbers import read_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_TOKENS = 10**9
KEYS = ("prefill", "prompt", "decode", "max_tokens", "arrive", "context", "priority", "salt")


class Request(Record):
    """One request; `decode` is None for decodes without end."""

    name: str
    prefill: int
    decode: int | None
    arrive: int = 1
    context: int = 0
    prompt: tuple[int, ...] | None = None
    priority: int = 0
    salt: str = ""


def make_request(name: str, fields: Mapping[str, object], where: str) -> Request:
    """A request from its keys, as text or as JSON values; `LabError` at `where`.

    >>> make_request("C", {"prefill": "10", "max_tokens": 3}, "--request")
    Request(name='C', prefill=10, decode=2, arrive=1, context=0, prompt=None, priority=0, salt='')
    """
    plain = name.isprintable() and not set(name) & set(" ,:=")
    require(bool(name) and plain and len(name) <= 64, where, "not_a_name", name)
    for key in fields:
        require(key in KEYS, where, "unknown_request_key", key, known=", ".join(KEYS))
    for key, other in (("prompt", "prefill"), ("max_tokens", "decode")):
        require(not (key in fields and other in fields), where, "keys_exclude", name, key=key, other=other)
    prompt = _prompt(fields["prompt"], where) if "prompt" in fields else None
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
    return Request(name, prefill, decode, arrive, context, prompt, priority, str(salt or ""))


def _number(
    fields: Mapping[str, object], key: str, where: str, least: int, default: int | None = None
) -> int:
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


def _prompt(value: object, where: str) -> tuple[int, ...]:
    place = f"{where}: prompt"
    members: Sequence[object] = value.split(";") if isinstance(value, str) else value  # type: ignore[assignment]
    require(isinstance(members, list) and bool(members), place, "not_token_list", value)
    return tuple(_number({"prompt": member}, "prompt", where, 0) for member in members)


def make_requests(written: Sequence[tuple[str, str, Mapping[str, object]]]) -> tuple[Request, ...]:
    """Requests from (where, name, keys), in their order; `LabError` where a name comes twice."""
    made: dict[str, Request] = {}
    for where, name, fields in written:
        require(name not in made, where, "name_taken", name)
        made[name] = make_request(name, fields, where)
    return tuple(made.values())
