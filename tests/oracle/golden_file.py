"""Golden files are JSON with one row a line, so that a changed step is a changed line.

A table is a list of objects, or a list of lists that themselves hold lists. Objects are opened as long as
they hold a table; a table's items stand on a line of their own, and are opened only if they are whole cases
(they hold `steps` or `ops`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

CASE_KEYS = ("steps", "ops")


def main(description: str | None, build: Callable[[int], dict[str, Any]]) -> None:
    """Write what `build(base)` returns to the file named on the command line, its versions in front."""
    parser = argparse.ArgumentParser(description=description, allow_abbrev=False)
    parser.add_argument("file", type=Path, help="the file to write, such as tests/golden/scheduler.json")
    parser.add_argument("--base", type=int, default=0, help="added to every seed: 10000 gives fresh cases")
    given = parser.parse_args()
    import vllm

    from tests.oracle.engine import HASH_SEED

    versions = {"vllm_version": vllm.__version__, "pythonhashseed": HASH_SEED}
    given.file.write_text(dumps({**versions, **build(given.base)}), "ascii", newline="\n")


def dumps(document: Any) -> str:
    """The text of a golden file, ending in a newline.

    >>> print(dumps({"seed": 1, "steps": [{"a": 1}, {"a": 2}]}), end="")
    {
     "seed": 1,
     "steps": [
      {"a": 1},
      {"a": 2}
     ]
    }
    """
    return _opened(document, "") + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and any(
        isinstance(item, dict) or (isinstance(item, list) and any(isinstance(part, list) for part in item))
        for item in value
    )


def _holds_table(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_table(part) for part in value.values())
    return _is_table(value)


def _is_case(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in CASE_KEYS)


def _opened(value: Any, pad: str) -> str:
    if isinstance(value, dict) and _holds_table(value):
        lines = [f"{json.dumps(key)}: {_opened(part, pad + ' ')}" for key, part in value.items()]
        return _framed("{", lines, "}", pad)
    if _is_table(value):
        lines = [_opened(item, pad + " ") if _is_case(item) else json.dumps(item) for item in value]
        return _framed("[", lines, "]", pad)
    return json.dumps(value)


def _framed(start: str, lines: list[str], end: str, pad: str) -> str:
    body = f",\n{pad} ".join(lines)
    return f"{start}\n{pad} {body}\n{pad}{end}"
