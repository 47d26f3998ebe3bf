"""The course's table of models and scenarios, and its three questions with every reading of the third.

    KV of a request = KV bytes per token x (tokens in + tokens out)
    requests that fit = floor((card x utilisation - weights) / KV of a request)

Source: the course's module 5. The third question says "an 80 GB card" and "about 16 GB of weights" and
leaves open what a GB is and how much of the card an engine may use; each reading gives another number.

Does not model: activations, the engine's own memory, blocks, growth of a request while it runs.
"""

from __future__ import annotations

from labs.base import Record
from labs.model.models import COURSE_MODELS, built_in, course_spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.model.shape import ModelShape

SCENARIOS = {"A": (128, 128), "B": (512, 512), "C": (4096, 2048)}
CONCURRENT_B_REQUESTS = 100
CARD, WEIGHTS = 80, 16
GB, GIB = 10**9, 2**30
READINGS = (  # unit of the card, unit of the weights, utilisation in percent
    ("GiB", "GiB", 100),
    ("GB", "GB", 100),
    ("GiB", "GiB", 90),
    ("GB", "GB", 90),
    ("GiB", "GB", 100),
    ("GiB", "GB", 90),
)
UNITS = {"GB": GB, "GiB": GIB}


class Reading(Record):
    """One reading of the third question.

    A share in percent of whole bytes may leave a part of a byte, so the free bytes stand times 100.
    """

    card_unit: str
    weights_unit: str
    utilisation_percent: int
    free_bytes_times_100: int
    requests: int


class Row(Record):
    """A model of the table: KV bytes of one request in each scenario, every layer charged.

    `name` is as the course spells it, or the path of a config; empty for a model given by knobs.
    """

    name: str
    shape: ModelShape
    kv_bytes: dict[str, int]


class Table(Record):
    """The course's table and the answers to its three questions, which are about the first row.

    `scenarios` are (tokens in, tokens out) by name; `card` and `weights` have no unit: that is the question.
    """

    rows: tuple[Row, ...]
    request_bytes: int
    concurrent_bytes: int
    readings: tuple[Reading, ...]
    scenarios: dict[str, tuple[int, int]]
    concurrent_requests: int = CONCURRENT_B_REQUESTS
    card: int = CARD
    weights: int = WEIGHTS

    def document(self) -> dict[str, Any]:
        """The table as JSON has it; sizes in bytes, models by the names that `--model` takes."""
        shown = ("card_unit", "weights_unit", "utilisation_percent", "requests")
        return {
            "rows": [{"model": row.shape.name, "kv_bytes": row.kv_bytes} for row in self.rows],
            "request_bytes": self.request_bytes,
            "concurrent_bytes": self.concurrent_bytes,
            "readings": [{key: getattr(reading, key) for key in shown} for reading in self.readings],
        }


def course_table(own: ModelShape | None, bytes_per_element: int) -> Table:
    """The course's three models, and one of the learner's own, in the course's three scenarios."""
    shapes = [built_in(name).in_dtype(bytes_per_element) for name in COURSE_MODELS]
    if own is not None and own.name not in COURSE_MODELS:
        shapes.append(own)
    rows = []
    for shape in shapes:
        kv_bytes = {name: scenario_tokens(name) * shape.bytes_per_token for name in SCENARIOS}
        rows.append(Row(course_spelling(shape.name), shape, kv_bytes))
    one = rows[0].kv_bytes
    return Table(
        rows=tuple(rows),
        request_bytes=one["C"],
        concurrent_bytes=CONCURRENT_B_REQUESTS * one["B"],
        readings=readings(one["C"]),
        scenarios=SCENARIOS,
    )


def scenario_tokens(name: str) -> int:
    """Tokens of a request of a scenario at its end.

    >>> [scenario_tokens(name) for name in SCENARIOS]
    [256, 1024, 6144]
    """
    tokens_in, tokens_out = SCENARIOS[name]
    return tokens_in + tokens_out


def readings(kv_bytes_per_request: int) -> tuple[Reading, ...]:
    """How many requests fit on the card under each reading.

    >>> [reading.requests for reading in readings(768 << 20)]
    [85, 79, 74, 69, 86, 76]
    """
    found = []
    for card_unit, weights_unit, percent in READINGS:
        free_times_100 = CARD * UNITS[card_unit] * percent - WEIGHTS * UNITS[weights_unit] * 100
        requests = free_times_100 // (100 * kv_bytes_per_request)
        found.append(Reading(card_unit, weights_unit, percent, free_times_100, requests))
    return tuple(found)
