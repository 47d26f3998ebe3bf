"""Requests as they are written: what is read, and which rule and line a refusal names.

Turned red by: a colon or an equals sign that may be missing, a key that may come twice, a number written as
JSON text, a line that is another request's, a limit that is none, a config that is dropped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labs.base import LabError
from labs.files.requests import ConfigEntry, RequestFile, WrittenRequest, read_request, read_request_file
from labs.schedule import params

WRITTEN: dict[str, tuple[str, dict[str, str]]] = {
    "C:prefill=10,decode=2": ("C", {"prefill": "10", "decode": "2"}),
    "C:prompt=1;2,salt=a:b=c": ("C", {"prompt": "1;2", "salt": "a:b=c"}),
    "C:": ("C", {}),
    ":prefill=": ("", {"prefill": ""}),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_request_of_the_line(text: str) -> None:
    name, fields = WRITTEN[text]
    assert read_request(text, "--request") == WrittenRequest("--request", name, fields)


@pytest.mark.parametrize(
    ("text", "rule", "got"),
    [
        ("", "not_a_request", ""),
        ("C", "not_a_request", "C"),
        ("C,prefill=1", "not_a_request", "C,prefill=1"),
        ("C:prefill", "not_a_request", "prefill"),
        ("C:prefill=1,", "not_a_request", ""),
        ("C:prefill=1,prefill=1", "repeated_request_key", "prefill"),
    ],
)
def test_a_request_of_the_line_that_is_refused(text: str, rule: str, got: str) -> None:
    with pytest.raises(LabError) as caught:
        read_request(text, "--request")
    assert (caught.value.where, caught.value.rule, caught.value.got) == ("--request", rule, got)


def write(tmp_path: Path, text: str) -> str:
    path = tmp_path / "requests.json"
    path.write_text(text, encoding="utf-8")
    return str(path)


ONE = '{"id": "A", "prefill": 1}'
OBJECT = """{"config":
{"token_budget": 4,
 "other": 5},
"requests": [
{"id": "A", "prefill": 1},

{"prefill": 2, "id":
 "B"},
{"id": "A", "prefill": 3}]}
"""


def test_lines_and_where_they_stand(tmp_path: Path) -> None:
    """Empty lines are passed over and counted; a single request may stand on any line, or on several."""
    path = write(tmp_path, f"\n{ONE}\n\n{ONE}\n")
    a = WrittenRequest(f"{path}:2", "A", {"prefill": 1})
    assert read_request_file(path, "--requests") == RequestFile(path, (), (a, a.replace(where=f"{path}:4")))
    for text in (f"\n{ONE}\n", "\n" + ONE.replace(", ", ",\n")):
        assert read_request_file(write(tmp_path, text), "--requests").requests == (a,)


def test_one_object_and_where_its_parts_stand(tmp_path: Path) -> None:
    """The line of each id, also of one that comes twice, and of each key of the config."""
    path = write(tmp_path, OBJECT)
    assert read_request_file(path, "--requests") == RequestFile(
        path,
        (ConfigEntry(f"{path}:2", "token_budget", 4), ConfigEntry(f"{path}:3", "other", 5)),
        (
            WrittenRequest(f"{path}:5", "A", {"prefill": 1}),
            WrittenRequest(f"{path}:7", "B", {"prefill": 2}),
            WrittenRequest(f"{path}:9", "A", {"prefill": 3}),
        ),
    )


def test_a_wrong_request_of_an_object_is_named_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, OBJECT.replace(',\n "other": 5', ""))
    with pytest.raises(LabError) as caught:
        params(requests=read_request_file(path, "--requests"))
    assert (caught.value.where, caught.value.rule) == (f"{path}:8", "name_taken")


@pytest.mark.parametrize(
    "keys", [{"salt": "7"}, {"decode": "inf"}, {"prompt": [1, 2]}, {"max_tokens": 3}], ids=str
)
def test_values_that_json_has(tmp_path: Path, keys: dict[str, Any]) -> None:
    path = write(tmp_path, json.dumps({"id": "A", **keys}))
    assert read_request_file(path, "--requests").requests == (WrittenRequest(f"{path}:1", "A", keys),)


REFUSED: dict[str, tuple[str, str, str]] = {
    "nothing": ("", ":1", "no_requests"),
    "empty lines": ("\n\n", ":1", "no_requests"),
    "a number": ("3", ":1", "not_an_object"),
    "a list on the second line": (f"{ONE}\n[1]", ":2", "not_an_object"),
    "no id": ('{"prefill": 1}', ":1", "request_without_id"),
    "an id that is a number": ('{"id": 1, "prefill": 1}', ":1", "request_without_id"),
    "a number as text": ('{"id": "A", "prefill": "1"}', ":1: prefill", "not_whole"),
    "a number as text, second line": (f'{ONE}\n{{"id": "B", "decode": "1"}}', ":2: decode", "not_whole"),
    "no list": ('{"config": {},\n"requests": 3}', ":2", "not_a_request_list"),
    "text for a list": ('{"requests": "AB"}', ":1", "not_a_request_list"),
    "an empty list": ('{"config": {},\n\n"requests": []}', ":3", "no_requests"),
    "a config that is null": ('{"requests": [],\n"config": null}', ":2", "not_an_object"),
    "another part": (f'{{"requests": [{ONE}],\n"rules": 1}}', ":2", "unknown_request_key"),
    "a member that is no object": ('{"requests": [\n1]}', ":1", "not_an_object"),
    "three lines": (f"{ONE}\n{ONE}\n{ONE}", "", "too_many_requests"),
    "a list of three": (f'{{"requests":\n[{ONE}, {ONE}, {ONE}]}}', ":1", "not_a_request_list"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """With room for two requests, to see the limit too."""
    monkeypatch.setattr("labs.files.requests.MAX_REQUESTS", 2)
    text, line, rule = REFUSED[name]
    path = write(tmp_path, text)
    with pytest.raises(LabError) as caught:
        read_request_file(path, "--requests")
    assert (caught.value.where, caught.value.rule) == (path + line, rule)
