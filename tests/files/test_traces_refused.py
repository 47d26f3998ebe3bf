"""What is no trace, or a broken one: refused in one line that names the place."""

from __future__ import annotations

import gzip
import json
import string
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.base import LabError
from labs.files import trace_lines, traces
from labs.files.traces import read_trace
from labs.prefix_replay import Params
from labs.view.catalog.errors import RULES
from labs.view.catalog.errors_traces import TRACE_RULES
from tests.files.made_traces import AZURE, KEYS, LINE, mooncake, read, written

TWO = b'{"tokens": [1]}\n'
TIMED = b'{"tokens": [1], "timestamp": 1}\n'

REFUSED = {
    "empty": (b"", "trace_empty", 1),
    "blank": (b"\n\n", "trace_empty", 1),
    "a blank line before": (b"\n" + LINE, "trace_blank_line", 1),
    "blank lines between": (LINE + b"\n \n" + LINE, "trace_blank_line", 2),
    "gzip": (gzip.compress(LINE), "trace_packed", 1),
    "zstd": (b"\x28\xb5\x2f\xfd\x04", "trace_packed", 1),
    "zip": (b"PK\x03\x04\x14", "trace_packed", 1),
    "parquet": (b"PAR1\x15", "trace_packed", 1),
    "utf-16": (LINE.decode().encode("utf-16"), "has_bom", 1),
    "CR alone": ((LINE + LINE).replace(b"\n", b"\r"), "not_json", 1),
    "blank lines without end": (LINE + b"\n" * 1001, "trace_blank_line", 2),
    "zero byte": (LINE + b'{"a": \x00}\n', "binary_file", 2),
    "binary": (b"\x7fELF\x02\x01\x01\x00\n", "binary_file", 1),
    "invalid utf-8": (LINE + b'{"a": "\xff"}\n', "not_utf8", 2),
    "cut in the middle": (LINE * 2 + LINE[:40], "not_json", 3),
    "cut in the ids": (LINE + LINE[:-5], "not_json", 2),
    "two on a line": (LINE[:-1] * 2, "not_json", 1),
    "prose": (b"hello\n", "trace_unknown", 1),
    "one list": (b"[" + LINE[:-1] + b"]\n", "trace_unknown", 1),
    "over several lines": (json.dumps(KEYS, indent=1).encode(), "not_json", 1),
    "another object": (b'{"a": 1}\n', "trace_unknown", 1),
    "other CSV": (b"time,input,output\n0,1,2\n", "trace_unknown", 1),
    "no object later": (LINE + b"[1]\n", "not_an_object", 2),
    "a number": (LINE + b"7\n", "not_an_object", 2),
    "another kind later": (LINE + TWO, "trace_key_missing", 2),
    "nested too deeply": (LINE + b'{"a": ' + b"[" * 100_000 + b"\n", "nested_too_deeply", 2),
    "no hash_ids": (mooncake(hash_ids=...), "trace_key_missing", 1),
    "no timestamp": (LINE + mooncake(timestamp=...), "trace_key_missing", 2),
    "no input_length": (mooncake(input_length=...), "trace_key_missing", 1),
    "no output_length": (mooncake(output_length=...), "trace_key_missing", 1),
    "a key twice": (LINE[:-2] + b', "timestamp": 6}\n', "repeated_key", 1),
    "a key twice beside text": (LINE[:-2] + b', "a": "x", "a": "x"}\n', "repeated_key", 1),
    "a key twice, escaped": (LINE[:-2] + b', "\\u0074imestamp": 6}\n', "repeated_key", 1),
    "a key twice, text and number": (LINE[:-2] + b', "a": "x", "a": 1}\n', "repeated_key", 1),
    "a key twice within": (LINE[:-2] + b', "a": {"b": 1, "b": 1}}\n', "repeated_key", 1),
    "NaN": (written("timestamp", "NaN"), "not_finite", 1),
    "Infinity": (written("input_length", "Infinity"), "not_finite", 1),
    "negative time": (mooncake(timestamp=-1), "trace_time", 1),
    "negative time, with a point": (mooncake(timestamp=-0.5), "trace_time", 1),
    "time of another kind": (mooncake(timestamp="5"), "trace_time", 1),
    "time that is true": (mooncake(timestamp=True), "trace_time", 1),
    "time that is null": (mooncake(timestamp=None), "trace_time", 1),
    "time with an exponent": (written("timestamp", "1e3"), "trace_time", 1),
    "time with a long fraction": (written("timestamp", "1." + "1" * 50), "trace_time", 1),
    "time too late": (mooncake(timestamp=10**15 + 1), "trace_time", 1),
    "unsorted": (LINE + mooncake(timestamp=4), "trace_unsorted", 2),
    "length 0": (mooncake(input_length=0), "trace_length", 1),
    "negative length": (mooncake(input_length=-1), "trace_length", 1),
    "a length of 10^9": (mooncake(input_length=10**9), "trace_length", 1),
    "an output of 10^9": (mooncake(output_length=10**9), "trace_length", 1),
    "negative output": (mooncake(output_length=-1), "trace_length", 1),
    "length with a point": (mooncake(input_length=600.0), "trace_length", 1),
    "length that is true": (mooncake(output_length=True), "trace_length", 1),
    "length as text": (mooncake(input_length="600"), "trace_length", 1),
    "length of many digits": (written("input_length", "1" * 5000), "too_many_digits", 1),
    "no ids": (mooncake(hash_ids=[]), "trace_no_ids", 1),
    "ids that are none": (mooncake(hash_ids=7), "trace_not_ids", 1),
    "ids as an object": (mooncake(hash_ids={"0": 1}), "trace_not_ids", 1),
    "an id that is true": (mooncake(hash_ids=[0, True]), "trace_not_ids", 1),
    "an id with a point": (mooncake(hash_ids=[0, 7.0]), "trace_not_ids", 1),
    "an id as text": (mooncake(hash_ids=["0", "7"]), "trace_not_ids", 1),
    "an id that is null": (mooncake(hash_ids=[0, None]), "trace_not_ids", 1),
    "a negative id": (mooncake(hash_ids=[0, -7]), "trace_not_ids", 1),
    "ids in lists": (mooncake(hash_ids=[[0], [7]]), "trace_not_ids", 1),
    "no tokens": (b'{"tokens": []}\n', "trace_no_ids", 1),
    "negative tokens": (TWO + b'{"tokens": [-1]}\n', "trace_not_ids", 2),
    "two lists of tokens": (b'{"tokens": [1], "input_ids": [1]}\n', "keys_exclude", 1),
    "two times": (b'{"tokens": [1], "arrival": 1, "timestamp": 1}\n', "keys_exclude", 1),
    "a time later": (TWO + TIMED, "trace_times_differ", 2),
    "no time later": (TIMED + TWO, "trace_times_differ", 2),
    "tokens unsorted": (TIMED + b'{"tokens": [1], "timestamp": 0}\n', "trace_unsorted", 2),
    "tokens of another length": (b'{"tokens": [1], "input_length": 2}\n', "trace_length_differs", 1),
    "azure, wrong columns": (AZURE.replace(b",GeneratedTokens", b""), "trace_header", 1),
    "azure, columns in another order": (b"TIMESTAMP,GeneratedTokens,ContextTokens\n", "trace_header", 1),
    "azure, lower case": (AZURE.lower(), "trace_header", 1),
    "azure, no rows": (AZURE.split(b"\n")[0] + b"\n", "no_requests", 2),
    "azure, cut in a row": (AZURE + b"2023-11-16 18:15:50.9951690,39", "trace_columns", 3),
    "azure, four columns": (AZURE + b"2023-11-16 18:15:50.9951690,3,9,1\n", "trace_columns", 3),
    "azure, cut in a time": (AZURE + b"2023-11-16 18:1", "trace_columns", 3),
    "azure, no time": (AZURE + b"12.5,3,9\n", "trace_timestamp", 3),
    "azure, no such day": (AZURE + b"2023-02-30 18:15:50.9951690,3,9\n", "trace_timestamp", 3),
    "azure, another zone": (AZURE + b"2023-11-16 18:15:50.9951690+08:00,3,9\n", "trace_timestamp", 3),
    "azure, unsorted": (AZURE + b"2023-11-16 18:15:46.6805899,3,9\n", "trace_unsorted", 3),
    "azure, no prompt": (AZURE + b"2023-11-16 18:15:50.9951690,0,9\n", "trace_length", 3),
    "azure, negative": (AZURE + b"2023-11-16 18:15:50.9951690,3,-9\n", "not_whole", 3),
    "azure, with a point": (AZURE + b"2023-11-16 18:15:50.9951690,3.0,9\n", "not_whole", 3),
    "azure, 10^9": (AZURE + b"2023-11-16 18:15:50.9951690,3,1000000000\n", "trace_length", 3),
    "azure, two CR": (AZURE.replace(b"\n", b"\r\r\n"), "trace_header", 1),
    "azure, a blank line": (AZURE + b"\n" + AZURE.split(b"\n")[1], "trace_blank_line", 3),
    "azure, zero byte": (AZURE + b"2023\x00\n", "binary_file", 3),
}


def refusal(folder: Path, data: bytes) -> LabError:
    with pytest.raises(LabError) as caught:
        read(folder, data)
    told(caught.value)
    return caught.value


def told(error: LabError) -> None:
    """There is one line for it, in both languages."""
    for text in {**RULES, **TRACE_RULES}[error.rule]:
        assert "\n" not in text.format(**error.values)


@pytest.mark.parametrize(("data", "rule", "line"), REFUSED.values(), ids=REFUSED)
def test_no_trace(tmp_path: Path, data: bytes, rule: str, line: int) -> None:
    error = refusal(tmp_path, data)
    assert (error.rule, error.where) == (rule, f"{tmp_path / 'a.trace'}:{line}")


@pytest.mark.parametrize("wrong", [[0], [0, 7, 8]])
def test_ids_that_the_length_does_not_ask_for(tmp_path: Path, wrong: list[int]) -> None:
    """600 tokens are two blocks of 512, and three of 256."""
    trace = read(tmp_path, LINE + mooncake(hash_ids=wrong))
    with pytest.raises(LabError) as caught:
        Params(trace)
    assert (caught.value.rule, caught.value.where) == ("trace_block_count", f"{tmp_path / 'a.trace'}:2")
    with pytest.raises(LabError, match="trace_block_count"):
        Params(read(tmp_path, LINE), block_tokens=256)
    assert Params(read(tmp_path, LINE), block_tokens=300).block_tokens == 300


@pytest.mark.parametrize(
    ("path", "rule"), [("nowhere/a", "no_such_file"), (".", "is_a_directory"), ("a\0b", "cannot_read")]
)
def test_no_file(path: str, rule: str) -> None:
    with pytest.raises(LabError) as caught:
        read_trace(path, "TRACE")
    assert (caught.value.rule, caught.value.where) == (rule, "TRACE")


def test_what_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_lines, "MAX_LINE_BYTES", len(LINE) - 1)
    assert len(read(tmp_path, LINE * 2).requests) == 2
    error = refusal(tmp_path, LINE + LINE[:-1] + b" \n")
    assert (error.rule, error.where) == ("trace_line_too_long", f"{tmp_path / 'a.trace'}:2")
    monkeypatch.setattr(trace_lines, "MAX_BYTES", 2 * len(LINE))
    assert refusal(tmp_path, LINE * 3).rule == "too_large"
    monkeypatch.setattr(traces, "MAX_REQUESTS", 1)
    error = refusal(tmp_path, LINE * 2)
    assert (error.rule, error.where) == ("too_many_requests", f"{tmp_path / 'a.trace'}:2")


def test_an_endless_line_is_refused_early(tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    tracemalloc.start()
    with pytest.raises(LabError, match="binary_file"):
        read_trace(str(path), "TRACE")
    assert tracemalloc.get_traced_memory()[1] < 100 << 20
    tracemalloc.stop()


@given(st.binary(max_size=200))
def test_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.trace"
    for before in (b"", LINE, AZURE):
        path.write_bytes(before + data)
        try:
            read_trace(str(path), "TRACE")
        except LabError as error:
            told(error)


@given(st.integers(0, len(LINE) - 1), st.sampled_from(string.printable))
def test_a_line_with_another_character(
    tmp_path_factory: pytest.TempPathFactory, place: int, char: str
) -> None:
    """It is read as what the library's own parser makes of it, or refused."""
    path = tmp_path_factory.getbasetemp() / "changed.trace"
    data = LINE[:place] + char.encode() + LINE[place + 1 :]
    path.write_bytes(data)
    try:
        requests = read_trace(str(path), "TRACE").requests
    except LabError as error:
        told(error)
    else:
        keys = json.loads(data)
        assert [(r.ids, r.input_length) for r in requests] == [
            (tuple(keys["hash_ids"]), keys["input_length"])
        ]
