"""Benchmark results as text: each result, the table over rates, the knee, why, and what to try next."""

from __future__ import annotations

from fractions import Fraction

from labs.files.bench_fields import COUNTS, METRICS, split_name
from labs.view.catalog.schedule_bench import TEXTS
from labs.view.catalog.schedule_bench_words import ESTIMATES, MISTAKES, WARNINGS
from labs.view.languages import texts
from labs.view.tables import paragraph, table
from labs.view.units import fixed, thousands, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.replay.bench.checks import Check
    from labs.replay.bench.reading import Reading
    from labs.replay.bench.warnings import Warned
    from labs.schedule_bench import Result

MAX_WHOLE = 3  # results that are shown with all their figures; of more, only what is wrong with them
MAX_RESULTS = 40
MAX_ROWS = 20
WIDTH = 100
REPEATED = "repeated_result"  # of which nothing else is shown
MEASURED = (
    *("completed", "failed", "duration", "request_throughput", "output_throughput"),
    *("total_token_throughput", "max_output_tokens_per_s", "max_concurrent_requests", "concurrency"),
    "average_latency_s",
)
OF_MANY_NOT_SHOWN = ("goodput_unknown", "goodput_limits_not_told", "failures_not_told")
SHOWN_SETTINGS = ("model_id", "request_rate", "max_concurrency", "num_prompts")


def render_bench(result: Result, lang: str) -> str:
    """The whole text."""
    from labs.view.schedule_bench_rates import next_command, rates, verdict, why

    t = texts(TEXTS, lang)
    catalogs = {"warnings": WARNINGS, "mistakes": MISTAKES, "estimates": ESTIMATES}
    words = {name: texts(catalog, lang) for name, catalog in catalogs.items()}
    whole = len(result.readings) <= MAX_WHOLE
    parts = [_setup(result, t)]
    for reading in result.readings[:MAX_RESULTS]:
        lines = _reading(reading, t, words, whole)
        parts += [_head(reading, t), *lines] if lines else []
    if len(result.readings) > MAX_RESULTS:
        parts.append(t["more"].format(more=len(result.readings) - MAX_RESULTS))
    parts += [*rates(result, t, words["warnings"]), *verdict(result, t), prose(why(result, t))]
    parts += [prose(t["not_shown"]), next_command(result, t)]
    return "\n".join(part.removesuffix("\n") for part in parts if part) + "\n"


def amount(value: Any, name: str = "", places: int = 2) -> str:
    """A number as it is read: counts whole, all else to two places or the first that is not zero."""
    if isinstance(value, Fraction):
        if value.denominator == 1 and (name in COUNTS or value >= 10**15 or places == 0):
            return thousands(int(value))
        if abs(value) < 1:
            return ("-" if value < 0 else "") + visible(abs(value.numerator), value.denominator, places)
        return fixed(value.numerator, value.denominator, places)
    return thousands(value) if isinstance(value, int) else str(value)


def hanging(text: str, indent: int = 4) -> str:
    """Prose whose further lines are indented."""
    return prose(text, WIDTH - indent).replace("\n", "\n" + " " * indent)


def prose(text: str, width: int = WIDTH) -> str:
    """A paragraph of which no line ends with an opening bracket: that belongs to what follows."""
    lines = paragraph(text, width)
    if "（\n" in lines:
        lines = paragraph(text, width - 2).replace("（\n", "\n（")
    return lines


def plain(value: Any) -> str:
    """A number without the zeros of places that it does not need.

    >>> plain(Fraction(12)), plain(Fraction(25, 2)), plain("inf")
    ('12', '12.5', 'inf')
    """
    if not isinstance(value, Fraction):
        return str(value)
    return thousands(int(value)) if value.denominator == 1 else amount(value).rstrip("0").rstrip(".")


def _setup(result: Result, t: dict[str, str]) -> str:
    limits = result.params.limits
    said = t["no_limits"]
    if limits is not None:
        given = [(name, ms) for name, ms in limits.as_dict().items() if ms is not None]
        said = t["limits"].format(
            limits=", ".join([t["limit"].format(name=name.upper(), ms=plain(ms)) for name, ms in given])
        )
    number = len(result.readings)
    files = len({one.path for one in result.params.results})
    form = "setup_one" if number == 1 else "setup_one_file" if files == 1 else "setup"
    return t[form].format(results=number, files=files, limits=said)


def _head(reading: Reading, t: dict[str, str]) -> str:
    from labs.view.errors import shown

    one = reading.result
    settings = [
        t["setting"].format(name=name, value=shown(plain(one.settings[name]), 60))
        for name in SHOWN_SETTINGS
        if name in one.settings
    ]
    generation = t["generation_unknown"] if one.generation == "unknown" else one.generation
    return t["head"].format(
        path=shown(one.path, 200),
        line=one.line,
        form=one.form,
        origin=" ".join(dict.fromkeys([one.tool, generation])),
        settings=", ".join(settings) or t["no_settings"],
    )


def _reading(reading: Reading, t: dict[str, str], words: dict[str, dict[str, str]], whole: bool) -> list[str]:
    """The lines of one result; not whole: what differs, fails or is a trap; of a repeated one just that."""
    repeated = [_warning(warned, t, words) for warned in reading.warnings if warned.word == REPEATED]
    if repeated:
        return repeated
    lines = []
    if whole:
        lines += [*_measured(reading, t), *_estimates(reading, t, words["estimates"])]
    lines += [*_compared(reading, t, words["mistakes"], whole), *_checks(reading, t, whole)]
    if reading.goodput is not None:
        good = f"{thousands(reading.good or 0)}"
        lines.append(t["goodput"].format(good=good, goodput=amount(reading.goodput)))
    if reading.true_peak is not None and whole:
        lines.append(t["peak"].format(peak=thousands(reading.true_peak)))
    for warned in reading.warnings:
        if not whole and warned.word in OF_MANY_NOT_SHOWN:
            continue
        lines.append(_warning(warned, t, words))
    return lines


def _warning(warned: Warned, t: dict[str, str], words: dict[str, dict[str, str]]) -> str:
    values = {name: _value(value) for name, value in warned.values.items()}
    text = words["warnings"][warned.word].format(**values)
    return hanging(t["warning"].format(word=warned.word, text=text))


def _value(value: Fraction | int | str) -> str:
    """A number of a warning, or the place of another result."""
    from labs.view.errors import shown

    return shown(value, 200) if isinstance(value, str) else plain(Fraction(value))


def _measured(reading: Reading, t: dict[str, str]) -> list[str]:
    """The figures of the run in a line, then a table of the times."""
    figures = reading.result.figures
    found = [f"{name} {amount(figures[name], name)}" for name in MEASURED if name in figures]
    if "request_goodput" in figures and reading.goodput is None:
        found.append(t["goodput_printed"].format(printed=amount(figures["request_goodput"])))
    elif "request_goodput" in figures:
        found.append(f"request_goodput {amount(figures['request_goodput'])}")
    lines = [hanging(t["measured"].format(figures=", ".join(found)))] if found else []
    names = [parts for name in figures if (parts := split_name(name))]
    statistics = list(dict.fromkeys([statistic for statistic, _ in names]))
    rows = [
        [metric, *[amount(figures.get(f"{statistic}_{metric}_ms", "")) for statistic in statistics]]
        for metric in METRICS
        if any(metric == own for _, own in names)
    ]
    if rows:
        lines.append(table([[t["statistics_head"], *statistics], *rows], indent=4))
    return lines


def _estimates(reading: Reading, t: dict[str, str], meanings: dict[str, str]) -> list[str]:
    """A row for each: its name, its value, and what it is."""
    rows = [
        [name, amount(value, places=3 if name.endswith("_s") else 2), meanings[name]]
        for name, value in reading.estimates.items()
    ]
    return [t["estimates"], table(rows, indent=4)] if rows else []


def has_lists(reading: Reading) -> bool:
    """Whether a result has anything to recompute from; without, its checks say all that differs."""
    return any(entries is not None for entries in reading.result.requests.as_dict().values())


def _compared(reading: Reading, t: dict[str, str], mistakes: dict[str, str], whole: bool) -> list[str]:
    count, differing = len(reading.compared), reading.differing
    if not has_lists(reading):
        return [t["no_lists"]] if whole else []
    if not differing:
        return [t["compared"].format(count=count)] if whole else []
    rows = [
        [
            one.name,
            amount(one.printed, one.name, 6),
            amount(one.recomputed, one.name, 6),
            t["no_mistake"] if one.mistake is None else mistakes[one.mistake],
        ]
        for one in differing[:MAX_ROWS]
    ]
    one_or_more = "compared_one_differs" if len(differing) == 1 else "compared_differ"
    head = t[one_or_more].format(count=count, differing=len(differing))
    return [head, table([t["differing_columns"].split("|"), *rows], indent=4)]


def allowed(check: Check, t: dict[str, str]) -> str:
    """The range that a check allows."""
    low, high = (None if end is None else amount(end, check.name, 4) for end in (check.low, check.high))
    if high is None:
        return t["at_least"].format(low=low)
    if low is None:
        return t["at_most"].format(high=high)
    return low if low == high else t["from_to"].format(low=low, high=high)


def _checks(reading: Reading, t: dict[str, str], whole: bool) -> list[str]:
    count, failing = len(reading.checks), [check for check in reading.checks if not check.holds]
    if not failing:
        if not whole:
            return []
        return [t["checks"].format(count=count) if count else t["no_checks"]]
    rows = [[check.name, amount(check.printed, check.name, 4), allowed(check, t)] for check in failing]
    head = t["check_fails" if len(failing) == 1 else "checks_fail"].format(count=count, failing=len(failing))
    return [head, table([t["check_columns"].split("|"), *rows[:MAX_ROWS]], indent=4)]
