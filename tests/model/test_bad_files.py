"""A file that is no config.json: one line that names file and line, or the option where there is no file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunLab

BAD_FILES: dict[str, tuple[bytes, str, str]] = {
    "list": (b"[1]", ":1", "JSON object"),
    "not JSON": (b"{\n'a': 1}", ":2", "not JSON"),
    "empty": (b"", ":1", "not JSON"),
    "BOM": (b"\xef\xbb\xbf{}", ":1", "byte order mark"),
    "CRLF": (b"{\r\n}", ":1", "CR LF"),
    "binary": (b"\x7fELF\x00\x01", ":1", "zero byte"),
    "invalid UTF-8": (b'{\n"a": "\xff"}', ":2", "UTF-8"),
    "repeated key": (b'{"n_layer": 1,\n"n_layer": 2}', ":2", "twice"),
    "NaN": (b'{"a": NaN}', ":1", "finite"),
    "5000 digits": (b'{"n_layer": ' + b"9" * 5000 + b"}", ":1", "digits"),
    "100000 brackets": (b"[" * 100_000, ":1", "nested"),
    "990 brackets": (b'{"layer_types": ' + b"[" * 480 + b"]" * 480 + b"}", ":1", ""),
    "float layers": (b'{\n"num_hidden_layers": 32.0}', ":2", "num_hidden_layers"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_bad_file_is_one_line(name: str, lang: str, tmp_path: Path, run_lab: RunLab) -> None:
    """`error: FILE:LINE: ...`, exit 2, nothing on standard output."""
    data, line, word = BAD_FILES[name]
    path = tmp_path / "config.json"
    path.write_bytes(data)
    ran = run_lab(["capacity", "--config", str(path), "--lang", lang])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"error: {path}{line}: ")
    assert lang == "zh" or word in ran.err


def test_a_file_of_more_than_four_mebibytes(tmp_path: Path, run_lab: RunLab) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"n_layer": 12, "n_head": 12, "n_embd": 768}' + " " * (4 << 20))
    ran = run_lab(["capacity", "--config", str(path)])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "4194304 bytes" in ran.err


@pytest.mark.parametrize("what", ["missing", "directory"])
def test_no_file_names_the_option(what: str, tmp_path: Path, run_lab: RunLab) -> None:
    path = tmp_path if what == "directory" else tmp_path / "none.json"
    ran = run_lab(["capacity", "--config", str(path)])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("error: --config: ")
