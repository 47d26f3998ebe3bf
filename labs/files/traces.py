"""Traces: recorded requests, with their arrival, their lengths, and what tells equal prefixes.

    kind      one line holds                                                            ids
    mooncake  {"timestamp": ms, "input_length": n, "output_length": m, "hash_ids": [...]}   chained
    tokens    {"tokens" | "prompt_token_ids" | "input_ids": [...]}, perhaps with "timestamp" or
              "arrival" in ms, and "output_length"                                      tokens
    azure     TIMESTAMP,ContextTokens,GeneratedTokens (see `labs.files.azure_trace`)     none

The kind is told by the first line, and every line must be of it; other keys are allowed and not read. Block
ids are "chained" by the format's promise: one id stands for a block and all before it. Whether that is so,
and how many ids a length asks for, the reader does not check, as it knows no block size.
A Mooncake line with a `chat_id` is of the Bailian traces, which count seconds.

    MAX_REQUESTS 2,000,000    MAX_LENGTH 10^7 tokens of one request    MAX_TIME_MS 10^15

Source: the trace files that Mooncake, Alibaba Bailian and Azure published.
Does not model: time zones but UTC; turns of one chat; files that are compressed.
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import LabError, Record, require
from labs.files.trace_lines import check_text, json_object, trace_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Number = int | Fraction
    NumberedLines = Iterator[tuple[int, bytes]]

MAX_REQUESTS = 2_000_000
MAX_LENGTH = 10**7
MAX_TIME_MS = 10**15
MOONCAKE, TOKENS, AZURE = "mooncake", "tokens", "azure"
IDS_OF_KIND = {MOONCAKE: "chained", TOKENS: "tokens", AZURE: None}
TOKEN_KEYS = ("tokens", "prompt_token_ids", "input_ids")
TIME_KEYS = ("timestamp", "arrival")
ONLY_INTEGERS = {int}
ONLY_NUMBERS = (int, Fraction)


class TraceRequest:
    """One request: arrival in ms, exact; lengths in tokens (output 0: not told); block ids or token ids.

    Without the checks of a `Record`, as there are many; never changed once made.
    """

    __slots__ = ("arrival_ms", "ids", "input_length", "output_length", "tokens")

    def __init__(
        self,
        arrival_ms: Number,
        input_length: int,
        output_length: int,
        ids: tuple[int, ...] | None = None,
        tokens: tuple[int, ...] | None = None,
    ) -> None:
        self.arrival_ms = arrival_ms
        self.input_length = input_length
        self.output_length = output_length
        self.ids = ids
        self.tokens = tokens

    def __repr__(self) -> str:
        fields = ", ".join([f"{name}={getattr(self, name)!r}" for name in sorted(self.__slots__)])
        return f"TraceRequest({fields})"


class Trace(Record):
    """A whole trace; `ids` says what its format promises: chained, tokens, or None where there are none."""

    path: str
    kind: str
    requests: tuple[TraceRequest, ...]
    ids: str | None

    def line(self, index: int) -> int:
        """The line of a request; blank lines are refused, so it follows from the index."""
        return index + (2 if self.kind == AZURE else 1)

    def place(self, index: int) -> str:
        """`path:line` of a request."""
        return f"{self.path}:{self.line(index)}"


def read_trace(path: str, where: str) -> Trace:
    """The requests of a trace file, in its order; `LabError` at the option or at `path:line`."""
    kind, requests = open_trace(path, where)
    return Trace(path, kind, tuple(requests), IDS_OF_KIND[kind])


def open_trace(path: str, where: str) -> tuple[str, Iterator[TraceRequest]]:
    """The kind of a trace file, and its requests one at a time; the file is read as they are taken."""
    lines = trace_lines(path, where)
    number, first = next(lines, (0, b""))
    require(number > 0, f"{path}:1", "trace_empty")
    kind = kind_of(first, path)
    return kind, _in_order(requests_of(kind, first, lines, path), path, 2 if kind == AZURE else 1)


def kind_of(first: bytes, path: str) -> str:
    """What the first line shows a trace to be.

    >>> kind_of(b'{"tokens": [1, 2]}', "a.jsonl")
    'tokens'
    """
    from labs.files.azure_trace import is_header

    text = check_text(first, path, 1)
    if is_header(text):
        return AZURE
    require(text.lstrip()[:1] == "{", f"{path}:1", "trace_unknown", text)
    keys = json_object(first, path, 1)
    if "hash_ids" in keys:
        return MOONCAKE
    if any(key in keys for key in TOKEN_KEYS):
        return TOKENS
    if "timestamp" in keys and "input_length" in keys:
        raise LabError(f"{path}:1", "trace_key_missing", ", ".join(keys), key="hash_ids")
    raise LabError(f"{path}:1", "trace_unknown", text)


def requests_of(kind: str, first: bytes, lines: NumberedLines, path: str) -> Iterator[TraceRequest]:
    """The requests of all lines, `first` included."""
    if kind == AZURE:
        from labs.files.azure_trace import azure_rows

        for number, (arrival, context, generated) in azure_rows(first, lines, path):
            place = f"{path}:{number}"
            yield TraceRequest(
                arrival,
                _length(context, 1, place, "ContextTokens"),
                _length(generated, 0, place, "GeneratedTokens"),
            )
        return
    keys = json_object(first, path, 1)
    time_key = next((key for key in TIME_KEYS if key in keys), None)
    if kind == MOONCAKE:
        unit = 1000 if "chat_id" in keys else 1
        yield mooncake_request(keys, f"{path}:1", unit)
        for number, line in lines:
            yield mooncake_request(json_object(line, path, number), f"{path}:{number}", unit)
    else:
        yield token_request(keys, f"{path}:1", time_key)
        for number, line in lines:
            yield token_request(json_object(line, path, number), f"{path}:{number}", time_key)


def _in_order(requests: Iterator[TraceRequest], path: str, line: int) -> Iterator[TraceRequest]:
    """The same requests, as long as they arrive in order and are not too many; `line` is the first one's."""
    before: Number = 0
    index = -1
    for index, request in enumerate(requests):
        arrival = request.arrival_ms
        if arrival < before:
            got = _shown(arrival)
            raise LabError(f"{path}:{index + line}", "trace_unsorted", got, before=_shown(before))
        before = arrival
        require(
            index < MAX_REQUESTS, f"{path}:{index + line}", "too_many_requests", index + 1, most=MAX_REQUESTS
        )
        yield request
    require(index >= 0, f"{path}:{line}", "no_requests")


def mooncake_request(keys: dict[str, Any], place: str, ms: int = 1) -> TraceRequest:
    """A line of block ids; `ms` is the milliseconds of its unit of time.

    >>> keys = {"timestamp": 5, "input_length": 600, "output_length": 1, "hash_ids": [0, 7]}
    >>> request = mooncake_request(keys, "a.jsonl:1")
    >>> request.arrival_ms, request.input_length, request.ids
    (5, 600, (0, 7))
    """
    try:
        arrival, ids = keys["timestamp"], keys["hash_ids"]
        length, output = keys["input_length"], keys["output_length"]
    except KeyError as missing:
        raise LabError(place, "trace_key_missing", ", ".join(keys), key=missing.args[0]) from None
    _check_ids(ids, place, "hash_ids")
    return TraceRequest(
        _time(arrival, place, "timestamp", ms),
        _length(length, 1, place, "input_length"),
        _length(output, 0, place, "output_length"),
        tuple(ids),
    )


def token_request(keys: dict[str, Any], place: str, time_key: str | None) -> TraceRequest:
    """A line of token ids; `time_key` is where the first line has its time, None if it has none.

    >>> token_request({"input_ids": [5, 6, 7], "output_length": 2}, "x", None).tokens
    (5, 6, 7)
    """
    found = [key for key in TOKEN_KEYS if key in keys]
    require(bool(found), place, "trace_key_missing", ", ".join(keys), key=TOKEN_KEYS[0])
    require(len(found) == 1, place, "keys_exclude", found[-1], key=found[0], other=found[-1])
    timed = [key for key in TIME_KEYS if key in keys]
    require(len(timed) < 2, place, "keys_exclude", "timestamp, arrival", key="timestamp", other="arrival")
    if timed != ([time_key] if time_key else []):
        got = ", ".join(timed) or "no time"
        raise LabError(place, "trace_times_differ", got, first=time_key or "no time")
    tokens = keys[found[0]]
    _check_ids(tokens, place, found[0])
    require(len(tokens) <= MAX_LENGTH, place, "too_many_tokens", len(tokens), most=MAX_LENGTH)
    length = keys.get("input_length", len(tokens))
    require(length == len(tokens), place, "trace_length_differs", length, tokens=len(tokens))
    return TraceRequest(
        _time(keys[time_key], place, time_key) if time_key else 0,
        len(tokens),
        _length(keys["output_length"], 0, place, "output_length") if "output_length" in keys else 0,
        tokens=tuple(tokens),
    )


def _check_ids(ids: Any, place: str, key: str) -> None:
    """Refuse all but a list of whole numbers from 0, of which there is at least one."""
    require(type(ids) is list, place, "trace_not_ids", ids, key=key)
    require(bool(ids), place, "trace_no_ids", "[]", key=key)
    if set(map(type, ids)) != ONLY_INTEGERS or min(ids) < 0:
        wrong = next(member for member in ids if type(member) is not int or member < 0)
        raise LabError(place, "trace_not_ids", _shown(wrong), key=key)


def _length(length: Any, least: int, place: str, key: str) -> int:
    if type(length) is not int or not least <= length <= MAX_LENGTH:
        raise LabError(place, "trace_length", _shown(length), key=key, least=least, most=MAX_LENGTH)
    return length


def _time(time: Any, place: str, key: str, ms: int = 1) -> Number:
    """A time in ms, `ms` of which are its unit."""
    if type(time) not in ONLY_NUMBERS or not 0 <= time <= MAX_TIME_MS:
        raise LabError(place, "trace_time", _shown(time), key=key, most=MAX_TIME_MS)
    exact: Number = time * ms
    return exact if exact.denominator > 1 else int(exact)


def _shown(value: Any) -> Any:
    """A value as an error shows it: an exact number with its point again, a text in quotes, null by name."""
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, str):
        return f'"{value}"'
    return "null" if value is None else value
