"""The rules broken in the code as learners break them: each documented figure turns wrong.

The right figures are the course's, or arithmetic written here; so are the wrong ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from tests.conftest import RunJson


class Mistake(NamedTuple):
    """A rule broken in the code: what is replaced, in which run, and the figure right and wrong."""

    target: str
    rule: object
    words: str
    key: str
    right: int | float
    wrong: int | float


MISTAKES = {
    "K or V forgotten": Mistake(
        "labs.model.shape.kv_bytes_per_token",
        lambda layers, kv_heads, head_dim, size: layers * kv_heads * head_dim * size,
        "",
        "kv_bytes_per_token",
        131072,
        65536,
    ),
    "query heads for KV heads": Mistake(
        "labs.model.heads.kv_heads",
        lambda section, kind, index, layers: section.whole("num_attention_heads"),
        "--model llama-3-8b",
        "kv_bytes_per_token",
        131072,
        524288,
    ),
    "a byte an element": Mistake("labs.capacity.DTYPE_BYTES", {"bfloat16": 1}, "", "kv_bytes", 2**30, 2**29),
    "requests share blocks": Mistake(
        "labs.capacity.blocks_of", lambda lengths, size: -(-sum(lengths) // size), "", "blocks", 4, 3
    ),
    "bits taken for bytes": Mistake(
        "labs.capacity.Result.transfer_bits",
        property(lambda result: result.transfer_bytes),
        "",
        "transfer_ms",
        21.474836,
        2.684355,
    ),
    "windows never forget": Mistake(
        "labs.model.shape.LayerGroup.kept_tokens",
        lambda group, tokens: tokens,
        "--model gpt-oss-20b",
        "kv_bytes_within_windows",
        12 * 2048 * (8192 + 128),
        24 * 2048 * 8192,
    ),
    "the prefix is stored by every request": Mistake(
        "labs.capacity.physical_tokens",
        lambda tokens, prefix, size, concurrency: concurrency * tokens,
        "--concurrency 4 --shared-prefix 4096",
        "physical_bytes",
        5 * 2**29,
        2**32,
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_broken_rule_turns_the_figure_wrong(
    name: str, monkeypatch: pytest.MonkeyPatch, run_json: RunJson
) -> None:
    """The documented figure comes out of the rule as it is, and not out of the broken one."""
    mistake = MISTAKES[name]
    words = ["capacity", *mistake.words.split()]
    assert run_json(words)["result"][mistake.key] == mistake.right
    monkeypatch.setattr(mistake.target, mistake.rule)
    assert run_json(words)["result"][mistake.key] == mistake.wrong
