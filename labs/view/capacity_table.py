"""The course's table of models and scenarios as text, and its three questions with all readings."""

from __future__ import annotations

from labs.view.catalog.capacity_table import TEXTS
from labs.view.errors import shown
from labs.view.languages import texts
from labs.view.tables import paragraph, table
from labs.view.units import BINARY, binary_size, fixed, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.capacity import Result
    from labs.model.course import Reading, Table


UNUSED = ("tokens", "lengths", "block_size", "concurrency", "shared_prefix", "tp", "size", "bandwidth")


def render_table(result: Result, lang: str) -> str:
    """The whole text: the table, the three questions, why the third has many answers, limits, next step."""
    t, found = texts(TEXTS, lang), result.table
    assert found is not None
    first = found.rows[0]
    parts = [
        t["setup"].format(dtype=result.params.kv_dtype),
        t["formula"],
        *_unused_knobs(result, t),
        "",
        _models(found, t),
        "",
        t["question_1"].format(
            model=first.name,
            per_token=first.shape.bytes_per_token,
            tokens=sum(found.scenarios["C"]),
            bytes=found.request_bytes,
            answer=mebibytes(found.request_bytes),
        ),
        t["question_2"].format(
            model=first.name,
            count=found.concurrent_requests,
            each=mebibytes(first.kv_bytes["B"]),
            bytes=found.concurrent_bytes,
            answer=binary_size(found.concurrent_bytes),
        ),
        t["question_3"].format(
            model=first.name,
            card=found.card,
            weights=found.weights,
            each=mebibytes(found.request_bytes),
        ),
        _readings(found, t),
        "",
        paragraph(_why(found.readings, t)),
        paragraph(t["not_shown"]),
        t["next_own" if result.params.bytes_per_element == 1 else "next_fp8"],
    ]
    return "\n".join(part.removesuffix("\n") for part in parts) + "\n"


def _unused_knobs(result: Result, t: dict[str, str]) -> list[str]:
    """Say which knobs were given that the table does not look at."""
    params = result.params
    given = [name for name in UNUSED if getattr(params, name) != params.defaults[name]]
    options = ["--" + name.replace("_", "-") for name in given]
    return [t["unused_knobs"].format(knobs=", ".join(options))] if given else []


def mebibytes(num_bytes: int) -> str:
    """Bytes in MiB, as the course's table has them.

    >>> mebibytes(1920 << 20)
    '1920 MiB'
    """
    return f"{trimmed(num_bytes, BINARY['MiB'])} MiB"


def _models(found: Table, t: dict[str, str]) -> str:
    scenarios = [f"{name} {into}+{out}" for name, (into, out) in found.scenarios.items()]
    rows: list[list[object]] = [[*t["columns"].split("|"), *scenarios]]
    for row in found.rows:
        shape = row.shape
        sizes = [mebibytes(row.kv_bytes[name]) for name in found.scenarios]
        head = [value if value is not None else t["mixed"] for value in (shape.kv_heads, shape.head_dim)]
        rows.append([shown(row.name) or t["yours"], shape.layers, *head, shape.bytes_per_token, *sizes])
    return table(rows)


def _readings(found: Table, t: dict[str, str]) -> str:
    rows = [t["reading_columns"].split("|")]
    for reading in found.readings:
        free = binary_size if reading.card_unit == reading.weights_unit == "GiB" else _bytes
        quotient = fixed(reading.free_bytes_times_100, 100 * found.request_bytes)
        rows.append(
            [
                str(reading.requests),
                f"{found.card} {reading.card_unit}",
                f"{found.weights} {reading.weights_unit}",
                fixed(reading.utilisation_percent, 100),
                f"{free(reading.free_bytes_times_100 // 100)} / {free(found.request_bytes)} = {quotient}",
                t[f"reading_{reading.card_unit}_{reading.weights_unit}"]
                + t[f"reading_{reading.utilisation_percent}"],
            ]
        )
    return table(rows)


def _bytes(amount: int) -> str:
    return f"{amount} B"


def _why(readings: Sequence[Reading], t: dict[str, str]) -> str:
    counts = [reading.requests for reading in readings]
    both = {(r.card_unit, r.weights_unit, r.utilisation_percent): r.requests for r in readings}
    return t["why"].format(
        lowest=min(counts),
        highest=max(counts),
        decimal=both["GB", "GB", 100],
        card=both["GiB", "GB", 100],
        binary=both["GiB", "GiB", 100],
        tenth=both["GiB", "GiB", 90],
    )
