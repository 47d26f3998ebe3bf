"""Requests as they are written: `NAME:key=value,...` on the command line, or a file of JSON.

A file holds either JSON lines, one request each (`id` is the name), or one object
`{"config": {...}, "requests": [...], "external": {...}}`. This module reads; what is allowed say
`labs.engine.requests` and `labs.engine.external.script`.
"""

from __future__ import annotations

from labs.base import Record, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_REQUESTS = 10_000
OBJECT_KEYS = ("config", "requests", "external")
# What a recorded run of an engine holds beside them: its origin and its results, which are not read.
RECORDED_KEYS = ("seed", "mode", "steps", "passed_over", "outputs", "preemptions")


class WrittenRequest(Record):
    """A request's name and keys as they were written, and where (an option or file:line)."""

    where: str
    name: str
    fields: dict[str, Any]


class ConfigEntry(Record):
    where: str
    key: str
    value: Any


class RequestFile(Record):
    """What a file holds; `external` is (where, JSON value) of its entry, if there is one."""

    path: str
    config: tuple[ConfigEntry, ...]
    requests: tuple[WrittenRequest, ...]
    external: tuple[str, Any] | None = None


def read_request(text: str, where: str) -> WrittenRequest:
    """`NAME:key=value,key=value` as its parts.

    >>> read_request("C:prefill=10,decode=2", "--request").fields
    {'prefill': '10', 'decode': '2'}
    """
    name, colon, rest = text.partition(":")
    require(bool(colon), where, "not_a_request", text)
    fields: dict[str, Any] = {}
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        require(bool(equals), where, "not_a_request", part)
        require(key not in fields, where, "repeated_request_key", key)
        fields[key] = value
    return WrittenRequest(where, name, fields)


def read_request_file(path: str, where: str) -> RequestFile:
    """The requests of a file, each with the line it stands on."""
    from labs.files.strict_json import is_json, parse_json
    from labs.files.text import read_text

    text = read_text(path, where)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    require(bool(lines), f"{path}:1", "no_requests", "nothing")
    if len(lines) > 1 and is_json(lines[0][1]):
        require(len(lines) <= MAX_REQUESTS, path, "too_many_requests", len(lines), most=MAX_REQUESTS)
        values = [(f"{path}:{number}", parse_json(line, path, number)) for number, line in lines]
        return RequestFile(path, (), tuple(_written(value, place) for place, value in values))
    whole = parse_json(text, path)
    if not (isinstance(whole, dict) and "requests" in whole):
        return RequestFile(path, (), (_written(whole, f"{path}:{lines[0][0]}"),))
    return _from_object(whole, text, path)


def _from_object(whole: dict[str, Any], text: str, path: str) -> RequestFile:
    from labs.files.strict_json import key_line

    for key in whole:
        place = f"{path}:{key_line(text, key)}"
        allowed = key in (*OBJECT_KEYS, *RECORDED_KEYS)
        require(allowed, place, "unknown_request_key", key, known=", ".join(OBJECT_KEYS))
    config, members = whole.get("config", {}), whole["requests"]
    place = f"{path}:{key_line(text, 'requests')}"
    require(isinstance(config, dict), f"{path}:{key_line(text, 'config')}", "not_an_object", config)
    require(isinstance(members, list) and len(members) <= MAX_REQUESTS, place, "not_a_request_list", members)
    require(bool(members), place, "no_requests", "[]")
    entries = [ConfigEntry(f"{path}:{key_line(text, key)}", key, value) for key, value in config.items()]
    lines = id_lines(text, members)
    written = [_written(member, f"{path}:{line}") for member, line in zip(members, lines)]
    external = (f"{path}:{key_line(text, 'external')}", whole["external"]) if "external" in whole else None
    return RequestFile(path, tuple(entries), tuple(written), external)


def id_lines(text: str, members: list[Any]) -> list[int]:
    """The line of each request's id, in order; where they cannot be told apart, the line before."""
    import re

    lines, at = [], 0
    for member in members:
        name = member.get("id") if isinstance(member, dict) else None
        found = re.compile(r'"id"\s*:\s*"' + re.escape(str(name)) + '"').search(text, at)
        at = found.start() + 1 if found else at
        lines.append(text.count("\n", 0, at) + 1)
    return lines


def _written(member: Any, place: str) -> WrittenRequest:
    require(isinstance(member, dict), place, "not_an_object", member)
    fields = dict(member)
    name = fields.pop("id", None)
    require(isinstance(name, str), place, "request_without_id", name)
    for key, value in fields.items():
        number_as_text = isinstance(value, str) and key != "salt" and value != "inf"
        require(not number_as_text, f"{place}: {key}", "not_whole", value)
    return WrittenRequest(place, name, fields)
