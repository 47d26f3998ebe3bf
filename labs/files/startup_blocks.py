"""A log's bytes as blocks of whole lines, checked and cleaned, one at a time.

What is modelled: what a file may hold to be read as a log at all, and what pasting does to its text: colours
(also without their escape character, or escaped as in JSON), a byte order mark, blanks of a web page,
Markdown's ** and backslashes. A line is cleaned, never joined with another: lines keep their numbers.

    MAX_BYTES 64 MiB a file    MAX_LINE_BYTES 1 MiB a line    BLOCK_BYTES 256 KiB read at a time

Does not model: other encodings; entities of HTML.
"""

from __future__ import annotations

import re

from labs.base import LabError, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import BinaryIO

MAX_BYTES = 64 << 20
MAX_LINE_BYTES = 1 << 20
BLOCK_BYTES = 1 << 18
STANDARD_INPUT = "stdin"
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_COLOURS = re.compile(r"(?:\x1b|\\u001b|\\x1b|\^\[)?\[[0-9;]{0,20}m|\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b")
_COLOUR_SIGNS = ("\x1b", "u001b", "x1b", "0m", "^[")
_ESCAPED = re.compile(r"\\([_#*()\[\]-])")


def display_name(path: str) -> str:
    """The name of a file in messages; `-` is standard input."""
    return STANDARD_INPUT if path == "-" else path


def blocks(path: str, where: str) -> Iterator[tuple[int, str]]:
    """(number of its first line, cleaned text) of each block; only the last may lack a line end.

    `LabError` at the option for a file that cannot be read or is too large, else at `path:line`.
    """
    try:
        with _opened(path) as file:
            yield from _read(file, path, where)
    except FileNotFoundError:
        raise LabError(where, "no_such_file", path) from None
    except IsADirectoryError:
        raise LabError(where, "is_a_directory", path) from None
    except (OSError, ValueError) as error:
        if isinstance(error, LabError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise LabError(where, "cannot_read", path, reason=reason) from None


def _opened(path: str) -> AbstractContextManager[BinaryIO]:
    if path != "-":
        return open(path, "rb")
    import sys
    from contextlib import nullcontext

    if sys.stdin is None:
        raise OSError(0, "a closed stream")
    return nullcontext(sys.stdin.buffer)


def _read(file: BinaryIO, path: str, where: str) -> Iterator[tuple[int, str]]:
    name = display_name(path)
    number, num_bytes, rest = 1, 0, b""
    while chunk := file.read(BLOCK_BYTES):
        if num_bytes == 0:
            chunk = _without_mark(chunk, f"{name}:1")
        num_bytes += len(chunk)
        data = rest + chunk
        end = data.rfind(b"\n") + 1
        whole, rest = data[:end], data[end:]
        _check_bytes(whole, rest, name, number)
        size = _size(path) if num_bytes > MAX_LINE_BYTES else num_bytes  # an endless line is told as such
        require(max(num_bytes, size) <= MAX_BYTES, where, "log_too_large", name, most=MAX_BYTES)
        if whole:
            yield number, cleaned(_decoded(whole, name, number))
            number += whole.count(b"\n")
    if rest:
        yield number, cleaned(_decoded(rest, name, number))


def _without_mark(chunk: bytes, place: str) -> bytes:
    for mark in UTF16_MARKS:
        require(not chunk.startswith(mark), place, "log_utf16", _escaped(mark))
    return chunk.removeprefix(UTF8_MARK)


def _check_bytes(whole: bytes, rest: bytes, name: str, number: int) -> None:
    """Refuse a zero byte and a line too long; only the first line and the last can be."""
    zero = (whole + rest).find(b"\0")
    if zero >= 0:
        place = number + whole.count(b"\n", 0, zero)
        raise LabError(f"{name}:{place}", "binary_file", "\\x00")
    for line, length, place in (
        (whole, whole.find(b"\n"), number),
        (rest, len(rest), number + whole.count(b"\n")),
    ):
        got = line[:40].decode("utf-8", "replace")
        require(length <= MAX_LINE_BYTES, f"{name}:{place}", "line_too_long", got, most=MAX_LINE_BYTES)


def _decoded(data: bytes, name: str, number: int) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = number + data.count(b"\n", 0, error.start)
        got = _escaped(data[error.start : error.start + 1])
        raise LabError(f"{name}:{place}", "not_utf8", got) from None


def _size(path: str) -> int:
    """Bytes of a regular file, so that a large one is refused at once; of anything else 0."""
    import os
    import stat

    if path == "-":
        return 0
    status = os.stat(path)
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _escaped(data: bytes) -> str:
    return repr(data)[2:-1]


def cleaned(text: str) -> str:
    """Lines without colours, emphasis and escapes, their runs of blanks made one.

    >>> cleaned("\\x1b[36m(EngineCore pid=1)\\x1b[0m  **GPU KV cache size:** 8 tokens\\n")
    '(EngineCore pid=1) GPU KV cache size: 8 tokens\\n'
    """
    if any(sign in text for sign in _COLOUR_SIGNS):
        text = _COLOURS.sub("", text)
    for old, new in (("\xa0", " "), ("\t", " "), ("**", ""), ("’", "'")):
        text = text.replace(old, new)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    return re.sub(" {2,}", " ", text) if "  " in text else text
