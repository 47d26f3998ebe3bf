"""Lines of trace files made for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from labs.files.traces import Trace, read_trace

LINE = b'{"timestamp": 5, "input_length": 600, "output_length": 2, "hash_ids": [0, 7]}\n'
AZURE = b"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n"
KEYS = {"timestamp": 5, "input_length": 600, "output_length": 2, "hash_ids": [0, 7]}


def mooncake(**changes: Any) -> bytes:
    """A line with some keys changed; ... leaves a key out."""
    keys = {key: value for key, value in {**KEYS, **changes}.items() if value is not ...}
    return json.dumps(keys).encode() + b"\n"


def written(key: str, text: str) -> bytes:
    """The line with a value written as it is."""
    value = json.dumps(KEYS[key]).encode()
    name = f'"{key}": '.encode()
    assert LINE.count(name + value) == 1
    return LINE.replace(name + value, name + text.encode())


def read(folder: Path, data: bytes) -> Trace:
    path = folder / "a.trace"
    path.write_bytes(data)
    return read_trace(str(path), "TRACE")
