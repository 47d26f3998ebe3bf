"""Trace files: each format as it is published; what is none is in `test_traces_refused.py`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.files.azure_trace import nanoseconds
from labs.files.traces import Trace, open_trace
from tests.files.made_traces import AZURE, LINE, mooncake, read, written


def rows(trace: Trace) -> list[tuple[Any, ...]]:
    return [(r.arrival_ms, r.input_length, r.output_length, r.ids, r.tokens) for r in trace.requests]


A = (5, 600, 2, (0, 7), None)

READ = {
    "mooncake": (LINE + LINE, "mooncake", [A, A]),
    "no final newline": (LINE[:-1], "mooncake", [A]),
    "blank lines at the end": (LINE + b"\n \n", "mooncake", [A]),
    "a thousand blank lines at the end": (LINE + b"\n" * 1000, "mooncake", [A]),
    "byte order mark": (b"\xef\xbb\xbf" + LINE, "mooncake", [A]),
    "CR LF": ((LINE + LINE).replace(b"\n", b"\r\n"), "mooncake", [A, A]),
    "azure, byte order mark, CR LF": (
        b"\xef\xbb\xbf" + AZURE.replace(b"\n", b"\r\n"),
        "azure",
        [(0, 374, 44, None, None)],
    ),
    "other keys": (mooncake(type="text", turn=1, note='a "b"'), "mooncake", [A]),
    "an object among the other keys": (mooncake(extra={"a": {"b": [1]}}), "mooncake", [A]),
    "blanks around": (b"  " + LINE[:-1] + b" \n", "mooncake", [A]),
    "a time with a point": (written("timestamp", "5.125"), "mooncake", [(Fraction(41, 8), *A[1:])]),
    "bailian counts seconds": (
        mooncake(chat_id=3, parent_chat_id=-1, timestamp=...)[:-2] + b', "timestamp": 61.114}\n',
        "mooncake",
        [(61114, *A[1:])],
    ),
    "large ids": (mooncake(hash_ids=[2**64, 2**63]), "mooncake", [(5, 600, 2, (2**64, 2**63), None)]),
    "no output": (mooncake(output_length=0), "mooncake", [(5, 600, 0, (0, 7), None)]),
    "equal times": (mooncake(timestamp=0) * 3, "mooncake", [(0, *A[1:])] * 3),
    "tokens": (b'{"tokens": [4, 4, 9]}\n', "tokens", [(0, 3, 0, None, (4, 4, 9))]),
    "prompt_token_ids": (
        b'{"prompt_token_ids": [1], "timestamp": 3, "output_length": 8}\n',
        "tokens",
        [(3, 1, 8, None, (1,))],
    ),
    "input_ids": (
        b'{"input_ids": [1, 2], "arrival": 2.5, "input_length": 2}\n',
        "tokens",
        [(Fraction(5, 2), 2, 0, None, (1, 2))],
    ),
    "azure 2023, no final newline": (
        AZURE + b"2023-11-16 18:15:46.6805901,4,0\n2023-11-17 00:00:00.0000000,5,6",
        "azure",
        [
            (0, 374, 44, None, None),
            (Fraction(1, 10_000), 4, 0, None, None),
            (20_653_319 + Fraction(41, 100), 5, 6, None, None),
        ],
    ),
    "azure 2024": (
        b"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,2162,5\n"
        b"2024-05-10 00:00:01+00:00,2399,6\n",
        "azure",
        [(0, 2162, 5, None, None), (Fraction(99_007, 100), 2399, 6, None, None)],
    ),
}


@pytest.mark.parametrize(("data", "kind", "requests"), READ.values(), ids=READ)
def test_a_trace(tmp_path: Path, data: bytes, kind: str, requests: list[tuple[Any, ...]]) -> None:
    trace = read(tmp_path, data)
    assert (trace.kind, rows(trace)) == (kind, requests)
    assert trace.ids == {"mooncake": "chained", "tokens": "tokens", "azure": None}[kind]
    assert all(type(row[0]) is int or row[0].denominator > 1 for row in rows(trace))


def test_the_place_of_a_request(tmp_path: Path) -> None:
    assert read(tmp_path, LINE * 3).place(2).endswith("a.trace:3")
    assert read(tmp_path, AZURE).place(0).endswith("a.trace:2")


def test_requests_are_read_as_they_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    path.write_bytes(LINE + b"{cut\n")
    kind, requests = open_trace(str(path), "TRACE")
    assert (kind, next(requests).ids) == ("mooncake", (0, 7))
    with pytest.raises(LabError, match="not_json"):
        next(requests)


@given(st.datetimes(), st.integers(0, 9_999_999))
def test_times_of_azure(moment: Any, ticks: int) -> None:
    """Seven digits of a second, exactly; by the library's own difference of whole seconds."""
    start = moment.replace(microsecond=0)
    text = f"{start.isoformat(sep=' ')}.{ticks:07}"
    first = type(start)(1970, 1, 1)
    seconds = round((start - first).total_seconds())
    since = nanoseconds(text, "x") - nanoseconds("1970-01-01 00:00:00", "x")
    assert since == seconds * 10**9 + ticks * 100
