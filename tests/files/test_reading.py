"""Files that are no clean UTF-8 text, and JSON that has no single meaning, are refused with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.base import LabError
from labs.files.strict_json import parse_json
from labs.files.text import read_text
from labs.files.tokens import read_lora, read_tokens

TEXTS = [
    ("bom", b"\xef\xbb\xbf1,2", "has_bom", 1),
    ("utf16", "1,2".encode("utf-16"), "has_bom", 1),
    ("utf16, big end first", b"\xfe\xff\x00\x31", "has_bom", 1),
    ("crlf", b"1,2\n3,4\r\n5", "has_crlf", 2),
    ("zero byte", b"1\n2\n\x003", "binary_file", 3),
    ("invalid utf-8", b"1\n\xff\xfe", "not_utf8", 2),
]
JSONS = [
    ("repeated key", '{"a": 1,\n "b": 2,\n "a": 3}', "repeated_key", 3),
    ("repeated key that is not the first", '{"b": 1,\n "a": 2,\n "a": 3}', "repeated_key", 3),
    ("repeated key in escapes", '{"\\u00e9": 1, "\\u00e9": 2}', "repeated_key", 1),
    ("NaN", '{"a":\n NaN}', "not_finite", 2),
    ("Infinity", '{"a": -Infinity}', "not_finite", 1),
    ("huge float", '{"a":\n\n 1e999}', "not_finite", 3),
    ("5,000 digits", '{"a": 1,\n "b": ' + "9" * 5000 + "}", "too_many_digits", 2),
    ("cut off", '{"a": 1,\n', "not_json", 2),
    ("trailing comma", '{"a": 1,\n}', "not_json", None),
    ("100,000 brackets", "[" * 100_000, "nested_too_deeply", 1),
    ("100,000 closed brackets", "[" * 100_000 + "]" * 100_000, "nested_too_deeply", 1),
    ("empty", "", "not_json", 1),
    ("two values", "{}\n{}", "not_json", 2),
]


@pytest.mark.parametrize(("data", "rule", "line"), [t[1:] for t in TEXTS], ids=[t[0] for t in TEXTS])
def test_unclean_text(tmp_path: Path, data: bytes, rule: str, line: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(LabError) as caught:
        read_text(str(path))
    assert (caught.value.rule, caught.value.where) == (rule, f"{path}:{line}")


def test_no_file_a_directory_and_too_large_a_file(tmp_path: Path) -> None:
    (tmp_path / "large").write_text("12345")
    for path, rule in ((tmp_path / "none", "no_such_file"), (tmp_path, "is_a_directory")):
        with pytest.raises(LabError) as caught:
            read_text(str(path), "--config")
        assert (caught.value.rule, caught.value.where) == (rule, "--config")
    with pytest.raises(LabError) as caught:
        read_text(str(tmp_path / "large"), most=4)
    assert caught.value.rule == "too_large"
    assert read_text(str(tmp_path / "large"), most=5) == "12345"
    with pytest.raises(LabError) as caught:
        read_text("a\0b", "--config")
    assert caught.value.rule == "cannot_read"


@pytest.mark.parametrize(("text", "rule", "line"), [j[1:] for j in JSONS], ids=[j[0] for j in JSONS])
def test_json_without_one_meaning(text: str, rule: str, line: int | None) -> None:
    with pytest.raises(LabError) as caught:
        parse_json(text, "config.json")
    assert caught.value.rule == rule
    if line is not None:
        assert caught.value.where == f"config.json:{line}"


@pytest.mark.parametrize(("names", "twice"), [("aba", "a"), ("baa", "a"), ("abcbc", "b")])
def test_the_key_that_comes_twice_is_named(names: str, twice: str) -> None:
    with pytest.raises(LabError) as caught:
        parse_json("{" + ", ".join(f'"{name}": 1' for name in names) + "}", "config.json")
    assert caught.value.got == twice


def test_lines_are_counted_from_where_the_text_stands() -> None:
    with pytest.raises(LabError) as caught:
        parse_json("{", "requests.jsonl", first_line=7)
    assert caught.value.where == "requests.jsonl:7"


def test_plain_json_is_read_as_it_is() -> None:
    assert parse_json('{"a": [1, 2.5, "x", null, true]}', "f") == {"a": [1, 2.5, "x", None, True]}


def test_tokens_from_the_line_and_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text("1, 2\n3\n\n 4,5\n", encoding="utf-8")
    assert read_tokens("1,2, 9", "--a") == (1, 2, 9)
    assert read_tokens("", "--a") == read_tokens("  ", "--a") == ()
    assert read_tokens(f"@{path}", "--a") == (1, 2, 3, 4, 5)


@pytest.mark.parametrize("text", ["1,,2", "1;2", "a", "1,-2", "1.5", "٣", "9" * 5000, ",", "0x10"])
def test_tokens_that_are_refused(text: str) -> None:
    with pytest.raises(LabError) as caught:
        read_tokens(text, "--a")
    assert caught.value.where == "--a"


def test_more_tokens_than_a_list_may_have(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("labs.files.tokens.MAX_TOKENS", 3)
    path = tmp_path / "tokens"
    path.write_text("1 2 3 4", encoding="utf-8")
    assert read_tokens("1,2,3", "--a") == (1, 2, 3)
    for text in ("1,2,3,4", f"@{path}"):
        with pytest.raises(LabError) as caught:
            read_tokens(text, "--a")
        assert (caught.value.where, caught.value.rule, caught.value.got) == ("--a", "too_many_tokens", 4)


def test_a_wrong_token_in_a_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text("1,2\n3,x\n", encoding="utf-8")
    with pytest.raises(LabError) as caught:
        read_tokens(f"@{path}", "--a")
    assert (caught.value.where, caught.value.got) == (f"{path}:2", "x")


def test_adapters() -> None:
    assert read_lora("ad:/a:b", "--lora") == ("ad", "/a:b")
    for text in ("ad", ":path", "ad:", "a\nd:p"):
        with pytest.raises(LabError):
            read_lora(text, "--lora")
