"""Reading a text file whole: UTF-8 without a byte order mark, LF line ends, bounded in size.

What a person writes in an editor (`read_typed`) may have UTF-8's mark and CR LF: some systems put them there.
"""

from __future__ import annotations

from labs.base import LabError, require

MAX_BYTES = 64 << 20
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_text(path: str, where: str | None = None, most: int = MAX_BYTES) -> str:
    """The text of a file; `LabError` at `where` (default: the path) or `path:line`."""
    return decoded(read_bytes(path, where or path, most), path)


def read_typed(path: str, where: str | None = None, most: int = MAX_BYTES) -> str:
    """The text of a file that somebody typed; errors as of `read_text`."""
    return decoded_typed(read_bytes(path, where or path, most), path)


def read_bytes(path: str, where: str, most: int = MAX_BYTES) -> bytes:
    """What a file holds; `LabError` at `where` if it cannot be read or has more than `most` bytes."""
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise LabError(where, "no_such_file", path) from None
    except IsADirectoryError:
        raise LabError(where, "is_a_directory", path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LabError(where, "cannot_read", path, reason=reason) from None
    if len(data) > most:
        raise LabError(where, "too_large", path, most=most)
    return data


def exists(path: str) -> bool:
    """Whether there is a file, or anything else, of that name."""
    import os

    return os.path.exists(path)


def decoded_typed(data: bytes, path: str) -> str:
    """The same as `decoded` of what somebody typed: without UTF-8's mark, its lines ending in LF.

    >>> decoded_typed(b"\\xef\\xbb\\xbfA1\\r\\nA2\\r\\n", "mine.txt")
    'A1\\nA2\\n'
    """
    for mark in UTF16_MARKS:
        require(not data.startswith(mark), f"{path}:1", "is_utf16", _escaped(mark))
    return decoded(data.removeprefix(UTF8_MARK).replace(b"\r\n", b"\n"), path)


def decoded(data: bytes, path: str) -> str:
    """The bytes of a file as text, or `LabError` at the first line that is none."""
    for mark in (UTF8_MARK, *UTF16_MARKS):
        if data.startswith(mark):
            raise LabError(f"{path}:1", "has_bom", _escaped(mark))
    for sign, rule in ((b"\0", "binary_file"), (b"\r\n", "has_crlf")):
        if sign in data:
            raise LabError(f"{path}:{_line(data, data.index(sign))}", rule, _escaped(sign))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        got = _escaped(data[error.start : error.start + 1])
        raise LabError(f"{path}:{_line(data, error.start)}", "not_utf8", got) from None


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def _escaped(data: bytes) -> str:
    return repr(data)[2:-1]
