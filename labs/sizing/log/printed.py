"""What a log prints, as the arithmetic needs it: one value for each name, with the range its rounding leaves.

    a figure printed with n decimals stands for value +- 0.5 x 10^-n

Of several ranks the smallest memory decides, as in the engine; of several engines (data parallel) each has
figures of its own, and those of the first are reconciled.

Does not model: figures of earlier starts in the same file (the reader drops them).
"""

from __future__ import annotations

from fractions import Fraction

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.files.startup_log import Figure, StartupLog

GIB = 1 << 30


class Rounded(Record):
    """A printed decimal: its value, and half a unit of its last place."""

    value: Fraction
    half: Fraction = Fraction(0)

    @property
    def low(self) -> Fraction:
        """The smallest number that may be printed so."""
        return self.value - self.half

    @property
    def high(self) -> Fraction:
        """The largest number that may be printed so."""
        return self.value + self.half

    def covers(self, number: Fraction | int) -> bool:
        """Whether a number may be printed so.

        >>> Rounded(Fraction("2.31"), Fraction("0.005")).covers(Fraction(208, 90))
        True
        """
        return self.low <= number <= self.high

    def whole_units(self, unit_bytes: int) -> range:
        """Every whole number of units that a size printed in GiB may hold; 0 for a negative one.

        >>> Rounded(Fraction("0.01"), Fraction("0.005")).whole_units(8 << 20)
        range(0, 2)
        """
        low = max(0, self.low * GIB // unit_bytes)
        return range(low, max(low, self.high * GIB // unit_bytes) + 1)


class Printed(Record):
    """The figures of one start. Sizes in GiB as printed; None where the log does not say.

    `kv_gib` is the smallest rank's, `ranks` are all of them; `engines` counts data-parallel engines;
    `blocks_device` is the word of the blocks' line, GPU or cuda; `early` tells that it stands where the
    oldest engines log theirs; `one_line` that tokens and concurrency share a line.
    """

    version: str | None = None
    gpu_blocks: int | None = None
    cpu_blocks: int | None = None
    blocks_device: str | None = None
    num_gpu_blocks_override: int | None = None
    early: bool = False
    kv_tokens: int | None = None
    max_model_len: int | None = None
    one_line: bool = False
    error_kv_tokens: int | None = None
    estimated_max_model_len: int | None = None
    kv_gib: Rounded | None = None
    ranks: tuple[Rounded, ...] = ()
    engines: int = 1
    weights_gib: Rounded | None = None
    weights_label: str | None = None
    total_gib: Rounded | None = None
    utilization: Rounded | None = None
    budget_gib: Rounded | None = None
    non_torch_gib: Rounded | None = None
    activation_peak_gib: Rounded | None = None
    peak_torch_gib: Rounded | None = None
    needed_gib: Rounded | None = None
    available_gib: Rounded | None = None
    concurrency: Rounded | None = None
    swap_space_gib: Rounded | None = None
    block_size: int | None = None
    tp: int | None = None
    pp: int | None = None
    dcp: int | None = None
    kv_cache_dtype: str | None = None
    max_num_batched_tokens: int | None = None
    prefix_caching: bool | None = None
    async_scheduling: bool | None = None

    @property
    def is_v0(self) -> bool:
        """Whether the log counts blocks, as engines before 0.8 do."""
        return self.gpu_blocks is not None or self.error_kv_tokens is not None

    @property
    def refuses(self) -> bool:
        """Whether the engine says that one request does not fit."""
        needed, available = self.needed_gib, self.available_gib
        return needed is not None and available is not None and needed.value > 0


DECIMALS = (
    *("weights_gib", "total_gib", "utilization", "budget_gib", "non_torch_gib", "activation_peak_gib"),
    *("peak_torch_gib", "needed_gib", "available_gib", "concurrency", "swap_space_gib"),
)
WHOLES = (
    *("gpu_blocks", "cpu_blocks", "kv_tokens", "max_model_len", "error_kv_tokens", "estimated_max_model_len"),
    *("block_size", "tp", "pp", "dcp", "max_num_batched_tokens"),
    "num_gpu_blocks_override",
)
WORDS = ("version", "kv_cache_dtype", "blocks_device", "weights_label")
SWITCHES = ("prefix_caching", "async_scheduling")
MAY_BE_ZERO = ("gpu_blocks", "cpu_blocks", "kv_tokens", "error_kv_tokens")
MOST = 10**12
MOST_LENGTH = 10**8  # no model's is longer
EARLY_LINE = 300  # up to 0.2 the blocks' line stands before this line of llm_engine.py


def printed_of(log: StartupLog) -> Printed:
    """The figures of a log, one a name: the last, as a start that was tried again is the one that counts.

    Of several engines side by side (data parallel) the first one's; of several ranks the smallest memory and
    the fewest tokens. A figure that no engine prints (a length of 0) is as good as none.
    """
    names = {_engine(figure) for figure in log.figures} - {""}
    first = min(names, default="")
    log = log.replace(figures=tuple(figure for figure in log.figures if _engine(figure) in ("", first)))
    last = {figure.name: figure for figure in log.figures}
    values: dict[str, Any] = {name: _rounded(last[name]) for name in DECIMALS if name in last}
    for name in (*WHOLES, *WORDS):
        if name in last and _usable(name, last[name].value):
            values[name] = last[name].value
    values.update({name: last[name].value == "True" for name in SWITCHES if name in last})
    memory = tuple(_rounded(figure) for figure in _of_last_start(log, "kv_gib", "kv_tokens"))
    if memory:
        values.update(kv_gib=min(memory, key=lambda size: size.value), ranks=memory)
    tokens = _of_last_start(log, "kv_tokens", "kv_gib")
    if tokens:
        values["kv_tokens"] = min(int(figure.value) for figure in tokens)
        values["one_line"] = "concurrency" in last and last["concurrency"].line == tokens[-1].line
    for name, prefix in (("tp", "TP"), ("pp", "PP")):
        ranks = {rank for figure in log.figures for rank in [_rank(figure, prefix)] if rank is not None}
        if len(ranks) > 1:
            values.setdefault(name, max(ranks) + 1)
    return Printed(engines=max(1, len(names)), early=_is_early(last.get("gpu_blocks")), **values)


def _of_last_start(log: StartupLog, name: str, other: str) -> list[Figure]:
    """The figures of a name from each process's last start.

    Ranks that share a process print one after the other, memory first and tokens then: a line of the `other`
    name between two of them means another start.
    """
    others = [figure.line for figure in log.all(other)]
    found: dict[str, list[Figure]] = {}
    for figure in log.all(name):
        before = found.setdefault(figure.process, [])
        if before and any(before[-1].line < line < figure.line for line in others):
            before.clear()
        before.append(figure)
    return [figure for figures in found.values() for figure in figures]


def _usable(name: str, value: object) -> bool:
    most = MOST_LENGTH if name == "max_model_len" else MOST
    return not isinstance(value, int) or name in MAY_BE_ZERO or 1 <= value <= most


def _rank(figure: Figure, prefix: str) -> int | None:
    """The tensor-parallel (TP) or pipeline (PP) rank of the worker that a line is from.

    >>> from labs.files.startup_records import Figure
    >>> _rank(Figure("kv_gib", 1, 1, process="Worker_PP1_TP3 pid=9"), "TP")
    3
    """
    parts = figure.process.split()[0].split("_") if figure.process else []
    ranks = [part[2:] for part in parts if part.startswith(prefix) and part[2:].isdigit()]
    return int(ranks[0]) if ranks else None


def _engine(figure: Figure) -> str:
    """The data-parallel engine that a line is from, such as DP1; empty where nothing tells.

    >>> from labs.files.startup_records import Figure
    >>> _engine(Figure("kv_gib", 1, 1, process="Worker_DP1_TP0 pid=9"))
    'DP1'
    """
    parts = figure.process.split()[0].split("_") if figure.process else []
    return next((part for part in parts if part.startswith("DP") and part[2:].isdigit()), "")


def _rounded(figure: Figure) -> Rounded:
    """A figure with its range: sizes have two places at least, as engines leave zeros at their end out."""
    places = figure.places
    if places is None:
        return Rounded(Fraction(figure.value))
    half = Fraction(1, 2 * 10 ** (max(places, 2) if figure.name.endswith("_gib") else places))
    return Rounded(Fraction(figure.value), half)


def _is_early(figure: Figure | None) -> bool:
    """Whether a line of blocks stands where the oldest engines log it."""
    file, _, line = figure.source.partition(":") if figure is not None else ("", "", "")
    return file == "llm_engine.py" and line.isdigit() and int(line) < EARLY_LINE
