"""Bad input of the capacity lab: one line that names the option, exit 2, nothing on standard output."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunLab

BAD = {
    "--bandwidth 400": ("--bandwidth", "400Gbit/s or 400GB/s"),
    "--size 1": ("--size", "1GiB or 1GB"),
    "--size 1GiBit": ("--size", "unit"),
    "--bandwidth 0Gbit/s": ("--bandwidth", "more than zero"),
    "--bandwidth 400Gb": ("--bandwidth", "unit"),
    "--tokens 0": ("--tokens", "at least 1"),
    "--tokens -5": ("--tokens", "at least 1"),
    "--tokens 1.5": ("--tokens", "whole number"),
    "--tokens 9999999999999999999": ("--tokens", "digits"),
    "--layers 0": ("--layers", "at least 1"),
    "--kv-heads 0": ("--kv-heads", "at least 1"),
    "--head-dim x": ("--head-dim", "whole number"),
    "--block-size 0": ("--block-size", "at least 1"),
    "--concurrency 0": ("--concurrency", "at least 1"),
    "--shared-prefix -1": ("--shared-prefix", "at least 0"),
    "--shared-prefix 8193": ("--shared-prefix", "at most 8192"),
    "--tokens 10 --shared-prefix 11": ("--shared-prefix", "at most 10"),
    "--lengths 17,-31": ("--lengths", "at least 1"),
    "--lengths 17,": ("--lengths", "whole number"),
    "--lengths 0": ("--lengths", "at least 1"),
    "--tp 0": ("--tp", "at least 1"),
    "--tp 3": ("--tp", "8 KV heads"),
    "--model llama-3-8b --tp 5": ("--tp", "32 query heads"),
    "--kv-dtype int4": ("--kv-dtype", "dtype"),
    "--model llama-9": ("--model", "gpt-oss-20b"),
    "--model llama-3-8b --layers 32": ("--layers", "--model"),
    "--model llama-3-8b --kv-heads 8": ("--kv-heads", "--model"),
    "--model llama-3-8b --head-dim 128": ("--head-dim", "--model"),
    "--table 3": ("capacity", "can follow"),
}


@pytest.mark.parametrize("words", BAD)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_bad_input_is_one_line(words: str, lang: str, run_lab: RunLab) -> None:
    option, what = BAD[words]
    ran = run_lab(["capacity", *words.split(), "--lang", lang])
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"error: {option}: ")
    assert lang == "zh" or what in ran.err


def test_config_excludes_model_and_sizes(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"n_layer": 12, "n_head": 12, "n_embd": 768}))
    for words in (["--model", "llama-3-8b"], ["--layers", "12"], ["--kv-heads", "12"], ["--head-dim", "64"]):
        for line in ([*words, "--config", str(path)], ["--config", str(path), *words]):
            ran = run_lab(["capacity", *line])
            assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
            assert ran.err.startswith(f"error: {words[0]}: cannot stand beside --config")


def test_strange_file_names_stay_on_one_line(run_lab: RunLab, tmp_path: Path) -> None:
    path = tmp_path / "a\nb.json"
    path.write_text(json.dumps({"n_layer": 12, "n_head": 12, "n_embd": 768}))
    ran = run_lab(["capacity", "--config", str(path)])
    assert ran.code == 0
    assert r"a\nb.json: 12 layers" in ran.out.splitlines()[0]
