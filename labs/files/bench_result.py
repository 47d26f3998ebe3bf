"""A benchmark result as it was written: a JSON file of `vllm bench serve`, or the printed block.

    json_detailed   one object with lists of every request (`--save-detailed`; before 2025 always)
    json_summary    one object without them; newer ones keep `latencies` and `queue_times`
    printed         the block of any year, with other text around it (`bench_block`)

A file may hold several results: blocks one after the other, one object a line (`--append-result`), a list of
objects, or an object whose one list is that. SGLang's own results are read by their names too (`tool`).

    places   decimals that the figures were rounded to, None if they are written in full
    files up to 64 MiB (some 3 million gaps), 5 million lines and 4 million entries; text with a printed
    block up to 16 MiB and a million lines; times up to 10^9 s; counts up to 10^15

What is pasted may start with a byte order mark and end its lines with CR LF.
Does not model: what the numbers mean (`labs.replay.bench`).
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record, require
from labs.files.bench_fields import (
    COUNTS,
    LISTS,
    SGLANG_SIGNS,
    WORDS,
    figure_name,
    generation_of,
    other_tool,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MAX_BYTES = 64 << 20
MAX_TEXT_BYTES = 16 << 20
MAX_LINES = 5_000_000
MAX_TEXT_LINES = 1_000_000
MAX_ENTRIES = 4_000_000  # of all lists of a file, counted by their commas before anything is read
MAX_RESULTS = 2_000
MAX_FIGURE = 10**15
MIN_PLACES, MAX_PLACES = 2, 4  # every tool prints two decimals at least; more than four are not rounded
SIGNED = ("tpot_ms", "itl_ms")  # known to have been printed below zero


class Requests(Record):
    """The lists of a result, one entry a request; None for a list that is not there. Times in seconds."""

    input_lens: list[int] | None = None
    output_lens: list[int] | None = None
    ttfts: list[float] | None = None
    itls: list[list[float]] | None = None
    latencies: list[float] | None = None
    start_times: list[float] | None = None
    queue_times: list[float] | None = None
    errors: list[str] | None = None


class BenchResult(Record):
    """One result. `request_rate` is None if it is not told, "inf" if all are sent at once."""

    path: str
    line: int
    form: str
    tool: str
    generation: str
    figures: dict[str, Fraction]
    settings: dict[str, Any]
    places: int | None
    requests: Requests = Requests()

    def half(self, name: str) -> Fraction:
        """Half a unit of the last place of a figure; 0 for a count and for what is written in full."""
        if self.places is None or name in COUNTS:
            return Fraction(0)
        return Fraction(1, 2 * 10**self.places)


def read_results(path: str, where: str) -> tuple[BenchResult, ...]:
    """All results of a file, at least one; `LabError` at the option, else at `path:line`."""
    from labs.files.bench_block import read_blocks

    text = _text(path, where)
    start = text.lstrip()[:1000]
    require(bool(start), f"{path}:1", "bench_no_figures", "nothing")
    is_json = _looks_like_json(start)
    _check_size(text, path, is_json)
    results = _read_json(text, path) if is_json else read_blocks(text, path)
    require(bool(results), f"{path}:1", "bench_no_figures", start[:60].strip())
    return tuple(results)


def _check_size(text: str, path: str, is_json: bool) -> None:
    """Refuse what would take long or much memory, before it is taken apart."""
    most = MAX_LINES if is_json else MAX_TEXT_LINES
    require(text.count("\n") <= most, path, "bench_too_many_lines", text.count("\n"), most=most)
    if is_json:
        entries = text.count(",")
        require(entries <= MAX_ENTRIES, path, "bench_too_many_entries", entries, most=MAX_ENTRIES)
    else:
        require(len(text) <= MAX_TEXT_BYTES, path, "bench_text_too_large", len(text), most=MAX_TEXT_BYTES)


def _looks_like_json(text: str) -> bool:
    """Whether a text begins as an object or a list of them, and not as a line with a [prefix].

    >>> _looks_like_json(' {"a": 1'), _looks_like_json("[rank0] {"), _looks_like_json("[[1]]")
    (True, False, True)
    """
    start = text[:1000].split()
    begin = "".join(start)[:2]
    return begin == "{" or begin in ("[", "[{", "[[", "[]", "{}") or begin == '{"'


def _text(path: str, where: str) -> str:
    from labs.files.text import decoded, read_bytes

    data = read_bytes(path, where, MAX_BYTES)
    require(not data.startswith(b"\x1f\x8b"), f"{path}:1", "is_gzip", "\\x1f\\x8b")
    return decoded(data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n"), path)


def _read_json(text: str, path: str) -> list[BenchResult]:
    from labs.files.bench_json import Place, result_of_object
    from labs.files.strict_json import is_json, parse_json

    # SGLang writes the rate of a run without one as a bare Infinity, which is no JSON.
    if "Infinity" in text:
        import re

        text = re.sub(r'("request_rate"\s*:\s*)Infinity', r'\1"inf"', text)
    first, _, others = text.strip().partition("\n")
    if others and is_json(first):
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        require(len(lines) <= MAX_RESULTS, path, "bench_too_many", len(lines), most=MAX_RESULTS)
        objects = [(Place(path, line, number), parse_json(line, path, number)) for number, line in lines]
    else:
        place = Place(path, text, 1)
        objects = [(place, value) for value in _members(parse_json(text, path))]
    require(len(objects) <= MAX_RESULTS, path, "bench_too_many", len(objects), most=MAX_RESULTS)
    return [result_of_object(value, place) for place, value in objects]


def _members(value: Any) -> list[Any]:
    """The results of a JSON value: itself, its members, or those of its one list of objects."""
    if isinstance(value, dict) and not any(map(figure_name, value)) and not other_tool(value):
        lists = [inner for inner in value.values() if isinstance(inner, list) and inner]
        if len(lists) == 1 and all(isinstance(member, dict) for member in lists[0]):
            return list(lists[0])
    return value if isinstance(value, list) and value else [value]


def made(
    path: str,
    line: int,
    form: str,
    signs: Iterable[str],
    figures: dict[str, Fraction],
    settings: dict[str, Any],
    places: int | None,
    requests: Requests,
) -> BenchResult:
    """A result whose tool and generation follow from what is there."""
    present = {*signs, *figures, *(name for name in LISTS if getattr(requests, name, None) is not None)}
    is_sglang = any(sign in present for sign in SGLANG_SIGNS)
    generation = "sglang" if is_sglang else generation_of(present)
    told = {key: value for key, value in settings.items() if value is not None}
    tool = "sglang" if is_sglang else "vllm"
    return BenchResult(path, line, form, tool, generation, figures, told, places, requests)


def checked_figure(name: str, value: Fraction, where: str, got: object) -> Fraction:
    """A figure within its bounds: counts whole, nothing below zero but where tools are known to print it."""
    require(value >= 0 or name.endswith(SIGNED), where, "bench_negative", got, key=name)
    require(abs(value) <= MAX_FIGURE, where, "bench_at_most", got, key=name, most=MAX_FIGURE)
    if name in COUNTS:
        require(value.denominator == 1, where, "bench_whole", got, key=name)
    if name == "duration":
        require(value > 0, where, "bench_duration", got)
    return value


def rounded_to(decimals: Iterable[int]) -> int | None:
    """The places that a result's figures are rounded to, given the decimals each is written with.

    >>> rounded_to([1, 2]), rounded_to([2, 15])
    (2, None)
    """
    places = max([MIN_PLACES, *decimals])
    return places if places <= MAX_PLACES else None


__all__ = ["WORDS", "BenchResult", "Requests", "checked_figure", "made", "read_results", "rounded_to"]
