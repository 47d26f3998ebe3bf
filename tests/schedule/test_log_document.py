"""The log as JSON: the fields of a kind and no others, and tables that follow from the events.

Turned red by: a table that forgets what was hit, or remembers what was given back.
"""

from __future__ import annotations

import json

from labs.engine.requests import Request
from labs.view.schedule_log import log_document
from tests.schedule.life_lines import TWO, blocks_of_4


def test_the_log_as_json() -> None:
    """The fields of a kind and no others; the table of blocks after an allocation."""
    document = log_document(blocks_of_4(TWO, kv_blocks=6))
    assert json.loads(json.dumps(document)) == document
    assert document[0] == {
        "round": 1,
        "request": "A",
        "event": "created",
        "status": "WAITING",
        "tokens": 5,
        "num_blocks": 2,
    }
    assert [entry for entry in document if entry["event"] == "allocated"][1] == {
        "round": 2,
        "request": "B",
        "event": "allocated",
        "cached_blocks": [1],
        "new_blocks": [3],
        "num_free": 3,
        "block_table": [1, 3],
    }
    assert document[4] == {
        "round": 2,
        "request": "A",
        "event": "scheduled",
        "last_round": 4,
        "phase": "decode",
        "tokens": 1,
        "cached_tokens": 5,
        "status": "RUNNING",
    }
    assert document[-1] == {
        "round": 4,
        "request": "A",
        "event": "freed",
        "freed_blocks": [2, 1],
        "num_free": 6,
    }


def test_tables_in_json_begin_anew_after_a_preemption() -> None:
    document = log_document(blocks_of_4([Request(name, 7, 8) for name in "ABC"], kv_blocks=8, budget=32))
    tables = [
        entry["block_table"] for entry in document if "block_table" in entry and entry["request"] == "C"
    ]
    assert tables == [[5, 6], [5, 6, 7], [5, 6, 7, 2]]
