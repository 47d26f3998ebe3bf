"""One JSON object of a benchmark result: figures, settings and lists, each checked.

Keys that are not known are metadata of whoever ran it, and are passed over. A null is a figure that was not
asked for, unlike a zero.
Does not model: generated texts, which are not looked at.
"""

from __future__ import annotations

from contextlib import contextmanager
from fractions import Fraction

from labs.base import LabError, Record, require
from labs.files.bench_fields import LENGTHS, LISTS, SETTINGS, TIMES, WORDS, figure_name, other_tool
from labs.files.bench_result import MAX_FIGURE, BenchResult, Requests, checked_figure, made, rounded_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MAX_SECONDS = 10**9
RATE_WORDS = {"inf": "inf", "infinity": "inf", "trace": None}  # SGLang writes "trace"
FULL = 99  # decimals of a number in exponent form, which no tool rounds to


class Place(Record):
    """The text that an object stands in, and the number of its first line."""

    path: str
    text: str
    first_line: int

    def of(self, key: str) -> str:
        """`path:line` of a key."""
        from labs.files.strict_json import key_line

        return f"{self.path}:{self.first_line + key_line(self.text, key) - 1}"

    @property
    def start(self) -> str:
        """`path:line` of the object."""
        return f"{self.path}:{self.first_line}"


@contextmanager
def _located(place: Place, key: str) -> Iterator[None]:
    """Errors under a key get its line, which is looked for only then: files are large."""
    try:
        yield
    except LabError as error:
        raise LabError(place.of(key), error.rule, error.got, **error.values) from None


def result_of_object(value: Any, place: Place) -> BenchResult:
    """The result; `LabError` at the line of the key that is wrong."""
    require(isinstance(value, dict), place.start, "not_an_object", value)
    figures: dict[str, Fraction] = {}
    decimals: list[int] = []
    for key, number in value.items():
        name = figure_name(key)
        if name is None or number is None:
            continue
        with _located(place, key):
            figures[name] = checked_figure(name, _number(number, key), key, number)
        decimals.append(_decimals(number))
    signs = {figure_name(key) or key for key in value}
    signs |= {"e2e_latency"} if any("_e2e_" in key for key in value) else set()
    if "duration" not in figures or "completed" not in figures:
        tool = other_tool(value)
        require(tool is None, place.start, "bench_other_tool", next(iter(value), "nothing"), tool=tool)
    require(bool(figures), place.start, "bench_no_figures", next(iter(value), "nothing"))
    places = rounded_to(decimals)
    if places is None:
        figures = {name: _in_full(figure) for name, figure in figures.items()}
    requests = _requests(value, place, figures)
    form = "json_summary" if requests.ttfts is None and requests.itls is None else "json_detailed"
    return made(place.path, place.first_line, form, signs, figures, _settings(value, place), places, requests)


def _number(number: Any, key: str) -> Fraction:
    """The decimal that is written."""
    if type(number) not in (int, float):
        raise LabError(key, "bench_number", as_written(number), key=key)
    return Fraction(str(number))


def as_written(value: Any) -> Any:
    """A value for the line that refuses it: a text keeps its quotes, or it would look like a number."""
    if not isinstance(value, str):
        return value
    from json import dumps

    return dumps(value, ensure_ascii=False)


def _in_full(decimal: Fraction) -> Fraction:
    """Digits written in full are those of a float, and the float itself is meant."""
    return decimal if decimal.denominator == 1 else Fraction(float(decimal))


def _decimals(number: int | float) -> int:
    """Decimals that a number is written with, the zero of 4.0 left out."""
    text = str(number)
    if "e" in text:
        return FULL
    return len(text.partition(".")[2].rstrip("0"))


def _settings(value: dict[str, Any], place: Place) -> dict[str, Any]:
    settings: dict[str, Any] = {key: value[key] for key in WORDS if isinstance(value.get(key), str)}
    for key in SETTINGS:
        given = value.get(key)
        is_needed = key not in ("burstiness", "seed")
        if given is not None and (is_needed or type(given) in (int, float)):
            with _located(place, key):
                settings[key] = _setting(given, key)
    return settings


def _setting(given: Any, key: str) -> str | Fraction | None:
    """A rate, or a number of something; None for a rate that follows a trace's times."""
    if key == "request_rate" and isinstance(given, str):
        if given.lower() in RATE_WORDS:
            return RATE_WORDS[given.lower()]
        is_number = given.replace(".", "", 1).isdigit() and given.isascii() and len(given) <= 20
        require(is_number, key, "bench_rate", as_written(given))
        number = Fraction(given)
    else:
        number = _number(given, key)
    require(key == "seed" or number > 0, key, "bench_positive", given, key=key)
    require(abs(number) <= MAX_FIGURE, key, "bench_at_most", given, key=key, most=MAX_FIGURE)
    if key in ("num_prompts", "max_concurrency"):
        require(number.denominator == 1, key, "bench_whole", given, key=key)
    return number


def _requests(value: dict[str, Any], place: Place, figures: dict[str, Fraction]) -> Requests:
    lists: dict[str, Any] = {}
    for key in LISTS:
        if value.get(key) is not None:
            with _located(place, key):
                lists[key] = _list(value[key], key)
    if not lists:
        return Requests()
    first = next(iter(lists))
    for key, entries in lists.items():
        if len(entries) != len(lists[first]):
            got = f"{len(entries)}, {len(lists[first])}"
            raise LabError(place.of(key), "bench_unlike_lengths", got, key=key, other=first)
    completed = int(figures.get("completed", 0))
    if len(lists[first]) < completed:
        raise LabError(place.of(first), "bench_short_list", len(lists[first]), key=first, completed=completed)
    return Requests(**lists)


def _list(given: Any, key: str) -> list[Any]:
    """A list whose entries are what its key says; errors that are no texts count as none."""
    require(isinstance(given, list), key, "bench_list", as_written(given), key=key)
    if key in LENGTHS:
        _check_lengths(given, key)
    elif key in TIMES:
        _check_times(given, key)
    elif key == "itls":
        for gaps in given:
            require(isinstance(gaps, list), key, "bench_list_of_lists", as_written(gaps))
            _check_times(gaps, key)
    else:
        return [error if isinstance(error, str) else "" for error in given]
    return list(given)


def _check_lengths(given: list[Any], key: str) -> None:
    for number in given:
        if type(number) is not int or not 0 <= number <= MAX_FIGURE:
            raise LabError(key, "bench_whole", as_written(number), key=key)


def _check_times(given: list[Any], key: str) -> None:
    most = MAX_SECONDS * MAX_SECONDS if key == "start_times" else MAX_SECONDS
    for number in given:
        if type(number) is not float and type(number) is not int:
            raise LabError(key, "bench_number", as_written(number), key=key)
        if not 0 <= number <= most:
            raise LabError(key, "bench_seconds", number, key=key, most=most)
