"""Command lines of `schedule replay`, parsed as the entry point does it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labs.base import LabError
from labs.options import RefusedError
from labs.parser import LabParser
from labs.schedule_replay import Params, Result, add_arguments, params, run

RANDOM = ("--random", "20", "--rate", "4", "--input-len", "300", "--output-len", "30")

# ids of 512 tokens: r2 shares one with r1; r3 has all of r1's, but its last block is computed again
SHARED = [
    {"timestamp": 0, "input_length": 1024, "output_length": 3, "hash_ids": [1, 2]},
    {"timestamp": 5000, "input_length": 1100, "output_length": 1, "hash_ids": [1, 3, 4]},
    {"timestamp": 10000, "input_length": 1024, "output_length": 0, "hash_ids": [1, 2]},
]


def parsed(*words: str) -> Params:
    """The parameters of a line, or the `LabError` that refuses it."""
    parser = LabParser(prog="schedule replay", lang="en")
    add_arguments(parser)
    try:
        given = vars(parser.parse_args(list(words)))
    except RefusedError as refused:
        raise refused.error from None
    return params(**given)


def result_of(*words: str) -> Result:
    return run(parsed(*words))


def mooncake(folder: Path, requests: Sequence[dict[str, Any]] = SHARED) -> str:
    """A trace file of these requests: its path."""
    path = folder / "made.jsonl"
    path.write_text("".join(json.dumps(request) + "\n" for request in requests), encoding="utf-8")
    return str(path)


def refusal(*words: str) -> tuple[str, str]:
    """(where, rule) of a refused line."""
    try:
        parsed(*words)
    except LabError as error:
        return error.where, error.rule
    raise AssertionError(f"not refused: {words}")
