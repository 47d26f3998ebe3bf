"""Azure's LLM inference traces: CSV of arrival, prompt length and output length, without any ids.

    2023   2023-11-16 18:15:46.6805900,374,44              seven digits of a second, no final newline
    2024   2024-05-10 00:00:00.009930+00:00,2162,5         with a time zone, always UTC

Arrivals are exact: milliseconds since the first row, as a whole number or a Fraction.
Source: the Azure public dataset, `AzureLLMInferenceTrace_*.csv`.
Does not model: other columns, quoted fields, other time zones.
"""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

from labs.base import LabError, require
from labs.files.trace_lines import check_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Number = int | Fraction
    Row = tuple[Number, int, int]

COLUMNS = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"]
PARTS = ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19))  # of year to second in a time
EXAMPLE = "2023-11-16 18:15:46.6805900"
MAX_DIGITS = 18
NS_PER_MS = 10**6


def is_header(line: str) -> bool:
    """Whether a first line looks like the header of such a file, right or wrong."""
    return line.lstrip().upper().startswith("TIMESTAMP,")


def azure_rows(first: bytes, lines: Iterator[tuple[int, bytes]], path: str) -> Iterator[tuple[int, Row]]:
    """(line, (ms since the first row, prompt tokens, output tokens)) of each row below the header `first`."""
    header = check_text(first, path, 1)
    require(header.split(",") == COLUMNS, f"{path}:1", "trace_header", header, columns=",".join(COLUMNS))
    start: int | None = None
    for number, line in lines:
        text, place = check_text(line, path, number), f"{path}:{number}"
        fields = text.split(",")
        require(len(fields) == len(COLUMNS), place, "trace_columns", text, columns=",".join(COLUMNS))
        now = nanoseconds(fields[0], place)
        start = now if start is None else start
        yield number, (_milliseconds(now - start), _count(fields[1], place), _count(fields[2], place))


def nanoseconds(text: str, place: str) -> int:
    """A time of the trace as nanoseconds since the year 1; `LabError` if it is none.

    >>> nanoseconds("2023-11-16 18:15:46.6805900", "x") - nanoseconds("2023-11-16 18:15:46+00:00", "x")
    680590000
    """
    moment, fraction = text[:19], text[19:].removesuffix("+00:00")
    parts = [moment[start:end] for start, end in PARTS]
    separators = "".join([moment[end : end + 1] for _, end in PARTS])
    plain = _digits("".join(parts)) and len("".join(parts)) == 14 and separators in ("-- ::", "--T::")
    if not plain or not (
        fraction == "" or (fraction[0] == "." and _digits(fraction[1:10]) and len(fraction) <= 10)
    ):
        raise LabError(place, "trace_timestamp", text, example=EXAMPLE)
    try:
        date = datetime(*[int(part) for part in parts])  # type: ignore[arg-type]
    except ValueError:
        raise LabError(place, "trace_timestamp", text, example=EXAMPLE) from None
    seconds = date.toordinal() * 86400 + date.hour * 3600 + date.minute * 60 + date.second
    return seconds * 10**9 + int(fraction[1:].ljust(9, "0"))


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _milliseconds(ns: int) -> Number:
    return ns // NS_PER_MS if ns % NS_PER_MS == 0 else Fraction(ns, NS_PER_MS)


def _count(text: str, place: str) -> int:
    require(_digits(text), place, "not_whole", text)
    require(len(text) <= MAX_DIGITS, place, "too_many_digits", text, most=MAX_DIGITS)
    return int(text)
