"""The printed block of a benchmark: its lines, found among any others.

A line counts if it holds a label that the tools print, then a colon (or a table's bar), then a number. The
2023 form writes sentences with units in seconds. What was asked for stands before the block (the arguments,
`Traffic request rate`) or, in the newest form, in it.

A new block begins at its heading, or where a label comes again. A label without its number at the very end
of the file, or a last number with fewer decimals than the others, means that the file was cut.
Does not model: progress bars, plots, the tools' other output.
"""

from __future__ import annotations

import re
from fractions import Fraction

from labs.base import LabError, require
from labs.files.bench_fields import figure_name
from labs.files.bench_result import MAX_RESULTS, BenchResult, Requests, checked_figure, made, rounded_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LABELS = {
    "Successful requests": "completed",
    "Failed requests": "failed",
    "Benchmark duration (s)": "duration",
    "Total input tokens": "total_input_tokens",
    "Total generated tokens": "total_output_tokens",
    "Total generated tokens (retokenized)": "retokenized_tokens",
    "Request throughput (req/s)": "request_throughput",
    "Request goodput (req/s)": "request_goodput",
    "Input token throughput (tok/s)": "input_throughput",
    "Output token throughput (tok/s)": "output_throughput",
    "Peak output token throughput (tok/s)": "max_output_tokens_per_s",
    "Peak concurrent requests": "max_concurrent_requests",
    "Total Token throughput (tok/s)": "total_token_throughput",
    "Total token throughput (tok/s)": "total_token_throughput",
    "Concurrency": "concurrency",
    "Total time": "duration",
    "Throughput": "request_throughput",
    "Average latency": "average_latency_s",
    "Average latency per token": "average_latency_per_token_s",
    "Average latency per output token": "average_latency_per_output_token_s",
}
SETTING_LABELS = {
    "Traffic request rate": "request_rate",
    "Request rate configured (RPS)": "request_rate",
    "Maximum request concurrency": "max_concurrency",
    "Max request concurrency": "max_concurrency",
    "Burstiness factor": "burstiness",
}
SIGNS = {
    "Total token throughput (tok/s)": "token_lower_case",
    "Request rate configured (RPS)": "rate_configured",
}
UNITS_OF_2023 = {"Total time": "s", "Throughput": "requests/s"}
_STATISTIC = (
    r"(?P<statistic>Mean|Median|Std|Min|Max|P\d{1,3}(?:\.\d{1,6})?) "
    r"(?P<metric>TTFT|TPOT|ITL|E2EL incl\. Client Queue|E2EL|E2E Latency|Client Queue Time) \(ms\)"
)
_LABEL = "|".join(re.escape(label) for label in sorted({**LABELS, **SETTING_LABELS}, key=len, reverse=True))
_LINE = re.compile(
    rf"(?<![\w-])(?:{_STATISTIC}|(?P<label>{_LABEL})) ?(?::|\|) ?\|? ?"
    r"(?P<number>[-+]?\d[\d,]*(?:\.\d*)?(?:e[-+]?\d+)?|[-+]?(?:inf|nan)\b)?(?P<rest>.*)",
)
_ARGUMENTS = re.compile(
    r"(?<![\w])(?:--)?(?P<key>num[-_]prompts|request[-_]rate|max[-_]concurrency|seed)(?:=| )'?"
    r"(?P<number>\d+(?:\.\d+)?|inf)\b"
)
_GROUPED = re.compile(r"[^,]*|[-+]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[^,]*)?")  # 1,000, but no 120,5
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,20}m")
METRICS = {
    "E2EL incl. Client Queue": "e2el_including_client_queue",
    "E2E Latency": "e2e_latency",
    "Client Queue Time": "client_queue_time",
}
HEADING = "Serving Benchmark Result"
WORDS = (
    "(ms)",
    "uration",
    "okens",
    "equest",
    "ime:",
    "hroughput",
    "oncurrency",
    "atency",
    "urst",
    "num",
    "--",
)
MAX_LINE = 100_000


class _Block:
    """What has been read of one block so far."""

    def __init__(self) -> None:
        self.line = 0
        self.figures: dict[str, Fraction] = {}
        self.settings: dict[str, Any] = {}
        self.signs: set[str] = set()
        self.decimals: list[int] = []


def read_blocks(text: str, path: str) -> list[BenchResult]:
    """The blocks of a text, in order; none if no line is one of a block's."""
    blocks = [_Block()]
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if HEADING in line and blocks[-1].figures:
            blocks.append(_Block())
        if any(word in line for word in WORDS) and len(line) <= MAX_LINE:
            is_last = number == len(lines)  # the file ends without a line end
            _take(_cleaned(line), blocks, f"{path}:{number}", number, is_last)
    found = [block for block in blocks if block.figures]
    require(len(found) <= MAX_RESULTS, path, "bench_too_many", len(found), most=MAX_RESULTS)
    return [_made(block, path) for block in found]


def _cleaned(line: str) -> str:
    """A line without colours, emphasis and escapes, its runs of blanks made one."""
    line = _COLOURS.sub("", line)
    for old, new in (("\xa0", " "), ("**", ""), ("\\", ""), ("\uff1a", ":")):
        line = line.replace(old, new)
    return " ".join(line.split())


def _take(line: str, blocks: list[_Block], where: str, number: int, is_last: bool) -> None:
    _take_arguments(line, blocks, where)
    found = _LINE.search(line)
    if found is None:
        return
    label, statistic = found["label"], found["statistic"]
    require(statistic is None or statistic.isascii(), where, "bench_digits", statistic)
    if label is None:
        metric = METRICS.get(found["metric"], found["metric"].lower())
        key = f"{statistic.lower()}_{metric}_ms"
    else:
        key = LABELS.get(label, SETTING_LABELS.get(label, ""))
    written = found["number"]
    if written is None:
        require(bool(found["rest"].strip()) or not is_last, where, "bench_cut", line[-60:])
        return
    rest = found["rest"].strip(" |")
    if label in UNITS_OF_2023 and not rest.startswith(UNITS_OF_2023[label]):
        return
    if label == "Concurrency" and rest:  # a word that stands in any prose
        return
    if label in SETTING_LABELS:
        _set(_open_block(blocks, "duration"), key, written, where)
        return
    name = figure_name(key) or key
    block = _open_block(blocks, name)
    _check_whole_line(written, block, where, is_last and not rest)
    block.line = block.line or number
    block.figures[name] = checked_figure(name, _number(written, where, key), where, written)
    block.decimals.append(len(written.partition(".")[2]))
    block.signs |= {key, SIGNS.get(label or "", key)} | ({"e2e_latency"} if "e2e_" in key else set())


def _open_block(blocks: list[_Block], name: str) -> _Block:
    """The block that a figure belongs to: a new one if the last has it already."""
    if name in blocks[-1].figures:
        blocks.append(_Block())
    return blocks[-1]


def _check_whole_line(written: str, block: _Block, where: str, is_end: bool) -> None:
    """Refuse a number that breaks off: a bare point, or fewer decimals than the others at the very end."""
    fraction = written.partition(".")[2]
    is_cut = written.endswith(".") or (
        is_end and "." in written and len(fraction) < max(block.decimals, default=0)
    )
    require(not is_cut, where, "bench_cut", written)


def _number(written: str, where: str, key: str) -> Fraction:
    require(written.isascii(), where, "bench_digits", written)
    written = written.rstrip(",")  # a list in prose goes on
    require(_GROUPED.fullmatch(written) is not None, where, "bench_number", written, key=key)
    digits = written.replace(",", "")
    require(len(digits) <= 40, where, "too_many_digits", digits, most=40)
    try:
        value = float(digits)
    except ValueError:
        raise LabError(where, "bench_number", written, key=key) from None
    require(value - value == 0, where, "not_finite", written)
    return Fraction(digits)


def _take_arguments(line: str, blocks: list[_Block], where: str) -> None:
    """The run's arguments as Python or a shell writes them; they stand before the block they belong to."""
    if "num_prompts" not in line and "--" not in line and "Namespace" not in line:
        return
    for found in _ARGUMENTS.finditer(line):
        _set(_open_block(blocks, "duration"), found["key"].replace("-", "_"), found["number"], where)


def _set(block: _Block, key: str, written: str, where: str) -> None:
    if written == "inf":
        if key == "request_rate":
            block.settings[key] = written
        return
    number = _number(written, where, key)
    if number > 0 or key == "seed":
        block.settings[key] = number


def _made(block: _Block, path: str) -> BenchResult:
    places = rounded_to(block.decimals)
    return made(path, block.line, "printed", block.signs, block.figures, block.settings, places, Requests())
