"""A trace's bytes as numbered lines, one at a time, and one line of JSON read strictly.

    MAX_BYTES 256 MiB a file    MAX_LINE_BYTES 16 MiB a line

A line is parsed once by the library's own scanner. Only what that cannot vouch for (a line it refuses, a
constant such as NaN, more quotes than one name a key explains, so perhaps a repeated key) is read a second
time by `labs.files.strict_json`, which names what is wrong.
A byte order mark of UTF-8 and lines that end in CR LF, as spreadsheets write them, are taken.
Does not model: other encodings than UTF-8; compressed files.
"""

from __future__ import annotations

import json
from fractions import Fraction

from labs.base import LabError, require
from labs.files.strict_json import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MAX_BYTES = 256 << 20
MAX_LINE_BYTES = 16 << 20
MAX_DECIMAL = 40  # characters of a number with a point
MAX_BLANK_LINES = 1000  # at the end of a file
UTF8_MARK = b"\xef\xbb\xbf"
OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff")
PACKED = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "zip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"PAR1", "Parquet"),
)


def trace_lines(path: str, where: str) -> Iterator[tuple[int, bytes]]:
    """(number from 1, bytes without line end) of each line; blank ones are refused but at the end.

    `LabError` at the option for a file that cannot be read or is too large, else at `path:line`.
    """
    try:
        with open(path, "rb") as file:
            yield from _lines(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), path, where)
    except FileNotFoundError:
        raise LabError(where, "no_such_file", path) from None
    except IsADirectoryError:
        raise LabError(where, "is_a_directory", path) from None
    except (OSError, ValueError) as error:
        if isinstance(error, LabError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise LabError(where, "cannot_read", path, reason=reason) from None


def _lines(raw_lines: Iterator[bytes], path: str, where: str) -> Iterator[tuple[int, bytes]]:
    num_bytes, blank = 0, None
    for number, raw in enumerate(raw_lines, 1):
        num_bytes += len(raw)
        if number == 1:
            _check_head(raw, path)
            raw = raw.removeprefix(UTF8_MARK)
        line = raw.removesuffix(b"\n").removesuffix(b"\r")
        if len(line) > MAX_LINE_BYTES:
            check_text(line, path, number)
            raise LabError(f"{path}:{number}", "trace_line_too_long", _start(line), most=MAX_LINE_BYTES)
        require(num_bytes <= MAX_BYTES, where, "too_large", path, most=MAX_BYTES)
        if not line.strip(b" \t"):
            blank = blank or number
            require(number - blank < MAX_BLANK_LINES, f"{path}:{blank}", "trace_blank_line")
            continue
        require(blank is None, f"{path}:{blank}", "trace_blank_line")
        yield number, line


def _check_head(raw: bytes, path: str) -> None:
    """Refuse what the first bytes show to be no text of ours, by its name."""
    for sign, name in PACKED:
        require(not raw.startswith(sign), f"{path}:1", "trace_packed", _escaped(sign), name=name)
    for mark in OTHER_MARKS:
        require(not raw.startswith(mark), f"{path}:1", "has_bom", _escaped(mark))


def check_text(line: bytes, path: str, number: int) -> str:
    """The line as text; `LabError` at `path:number` if it holds a zero byte or what is not UTF-8."""
    place = f"{path}:{number}"
    require(b"\0" not in line, place, "binary_file", "\\x00")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LabError(place, "not_utf8", _escaped(line[error.start : error.start + 1])) from None


def _escaped(data: bytes) -> str:
    return repr(data)[2:-1]


def _start(line: bytes) -> str:
    return line[:60].decode("utf-8", "replace")


def _number(text: str) -> Fraction | float:
    """A number with a point, exact; if it is long or has an e, a float, which no field of a trace takes."""
    plain = len(text) <= MAX_DECIMAL and "e" not in text and "E" not in text
    return Fraction(text) if plain else float(text)


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_float=_number, parse_constant=_refuse_constant)


def json_object(line: bytes, path: str, number: int) -> dict[str, Any]:
    """The JSON object on a line, numbers with a point as Fraction; `LabError` at `path:number`.

    >>> json_object(b'{"timestamp": 0.5, "hash_ids": [1]}', "a.jsonl", 1)
    {'timestamp': Fraction(1, 2), 'hash_ids': [1]}
    """
    try:
        text = line.decode("utf-8")
        value, end = _DECODER.raw_decode(text)
        if type(value) is dict and end == len(text):
            # Two quotes a key and a text value; a repeated key, or anything unusual, makes more of them.
            surplus = text.count('"') - 2 * len(value)
            if surplus == 0 or surplus == 2 * [type(member) for member in value.values()].count(str):
                return value
    except (ValueError, RecursionError):
        pass
    text = check_text(line, path, number)
    parse_json(text, path, number)
    value = _DECODER.decode(text)
    require(isinstance(value, dict), f"{path}:{number}", "not_an_object", value)
    whole: dict[str, Any] = value
    return whole
