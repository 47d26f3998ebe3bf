"""What the capacity lab says of layers that forget: on which side of the truth each figure lies."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunLab


def text_of(run_lab: RunLab, words: str, lang: str = "en") -> str:
    """All that is printed, with single blanks, so that wrapped prose can be searched."""
    ran = run_lab(["--lang", lang, "capacity", *words.split()])
    assert (ran.code, ran.err) == (0, "")
    return " ".join(ran.out.split())


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_windows_are_not_called_lower_bounds(lang: str, run_lab: RunLab) -> None:
    """Charging windows in full is an upper figure; what is in flight stands among what is not shown."""
    bound = {"en": "lower bound", "zh": "下界"}[lang]
    for words in ("", "--model llama-3-70b --tp 2", "--concurrency 2 --shared-prefix 32"):
        text = text_of(run_lab, words, lang)
        assert bound in text
        assert "in_flight" not in text
    text = text_of(run_lab, "--model gpt-oss-20b --block-size 32", lang)
    assert bound not in text
    assert "ceil(min(window - 1 + in_flight, max_len) / 32) + 1" in text


def test_chunks_need_that_much_at_most(run_lab: RunLab, tmp_path: Path) -> None:
    """3 of 4 layers in chunks of 1000: of 8192 tokens at most 1000 each, 4096 B a token and layer."""
    sizes = {"num_hidden_layers": 4, "hidden_size": 4096, "num_attention_heads": 32}
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**sizes, "num_key_value_heads": 8, "attention_chunk_size": 1000}))
    shown = run_lab(["capacity", "--config", str(path)]).out.splitlines()
    assert "KV of 8192 tokens once windows forget: at most 43.72 MiB (at least 84.28 MiB less)" in shown
    assert any(re.split(r"\s{2,}", line.strip())[-2:] == ["<= 1000", "<= 11.72 MiB"] for line in shown)
    text = text_of(run_lab, f"--config {path}")
    assert "ceil(min(window + in_flight, max_len) / 16) blocks of a chunked layer" in text
    assert "sliding layer" not in text
