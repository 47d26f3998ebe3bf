"""What a user may say about a fetch, and what follows from it: sizes, rates and times.

    size       = tokens x KV per token                                       (B)
    data path  = size x 8 bit/B / min(links x bandwidth, host limit)         (ms)
    recompute  = tokens / recompute rate                                     (ms)

Each of the three may be given in place of what it follows from. Source: the formulas of `labs.sizing.fetch`.

Does not model: what `labs.sizing.fetch` does not; windows and fixed states of a model: every attention layer
is charged in full, a state is not charged at all.
"""

from __future__ import annotations

from labs.base import LabError, Record, check_bounds, require
from labs.model.kv import DTYPE_BYTES, read_dtype
from labs.sizing.fetch import EffectiveRate, data_path_ms, effective_rate, recompute_ms
from labs.view.times import number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    from labs.model.shape import ModelShape

    Number = int | Fraction

COURSE_DATA_PATH_MS, COURSE_RECOMPUTE_MS = 20, 60
PER_TOKEN = ("kv_per_token", "model", "config")  # the ways to say how many bytes of KV a token has
# an option, and those that may not stand beside it
EXCLUDE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("data_path", ("size", *PER_TOKEN, "bandwidth", "links", "host_limit")),
    ("size", PER_TOKEN),
    ("kv_per_token", ("model", "config")),
    ("config", ("model",)),
    ("recompute", ("recompute_rate",)),
)
# an option, and those of which it needs at least one
NEEDED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("tokens", ("recompute_rate", *PER_TOKEN)),
    *[(name, ("tokens",)) for name in ("recompute_rate", *PER_TOKEN)],
    *[(name, ("bandwidth",)) for name in ("size", *PER_TOKEN, "links", "host_limit")],
    ("bandwidth", ("size", *PER_TOKEN)),
    *[(name, ("model", "config")) for name in ("kv_dtype", "tp")],
)


def option(name: str) -> str:
    """The option of a field.

    >>> option("data_path")
    '--data-path'
    """
    return "--" + name.replace("_", "-")


class Params(Record):
    """The knobs; None is not given. The defaults are the course's problem 6.

    lookup, data_path, conversion, overlap, recompute   ms; `data_path` and `recompute` fall back on the
                                                        course's where nothing gives them
    size, kv_per_token                                  bytes
    bandwidth (of each of `links`), host_limit          bit/s
    recompute_rate                                      tokens a second
    """

    lookup: Number = 3
    data_path: Number | None = None
    size: int | None = None
    bandwidth: int | None = None
    links: int | None = None
    host_limit: int | None = None
    conversion: Number = 7
    overlap: Number = 8
    recompute: Number | None = None
    tokens: int | None = None
    recompute_rate: Number | None = None
    kv_per_token: int | None = None
    model: str | None = None
    config: ModelShape | None = None
    kv_dtype: str | None = None
    tp: int | None = None

    def check(self) -> None:
        """Raise `LabError` at the option that is out of bounds, stands beside another, or lacks one."""
        for name in ("lookup", "data_path", "conversion", "overlap", "recompute"):
            if self.given(name):
                require(getattr(self, name) >= 0, option(name), "at_least", self.written(name), least="0 ms")
        for name in ("size", "bandwidth", "links", "host_limit", "tokens", "kv_per_token", "tp"):
            if self.given(name):
                check_bounds(getattr(self, name), option(name), 1)
        if self.recompute_rate is not None:
            require(self.recompute_rate > 0, "--recompute-rate", "not_positive", self.recompute_rate)
        for first, others in EXCLUDE:
            for name in others:
                if self.given(first) and self.given(name):
                    raise LabError(option(name), "not_with", self.written(name), other=option(first))
        for name, others in NEEDED:
            if self.given(name) and not any(self.given(other) for other in others):
                needed = ", ".join([option(other) for other in others])
                rule = "needs_option" if len(others) == 1 else "needs_one_of"
                raise LabError(option(name), rule, self.written(name), other=needed)
        shape = self.shape()
        if shape is not None and not shape.bytes_per_token:
            raise LabError(option("model" if self.model else "config"), "keeps_no_kv", shape.name)
        steps = self.steps_ms()
        longest = f"{number_text(steps)} ms"
        require(self.overlap <= steps, "--overlap", "overlap_too_long", self.written("overlap"), most=longest)

    def given(self, name: str) -> bool:
        """Whether an option has a value."""
        return getattr(self, name) is not None

    def written(self, name: str) -> object:
        """An option's value with its unit, as a message shows it."""
        value = getattr(self, name)
        if name in ("lookup", "data_path", "conversion", "overlap", "recompute"):
            return f"{number_text(value)} ms"
        if name in ("size", "kv_per_token"):
            return f"{value} B"
        if name in ("bandwidth", "host_limit"):
            return f"{value} bit/s"
        return value.name if name == "config" else value

    def shape(self) -> ModelShape | None:
        """What one rank holds of the model, in the chosen KV dtype; None without a model."""
        shape = self.config
        if self.model is not None:
            from labs.model.models import built_in

            shape = built_in(self.model)
        if shape is None:
            return None
        dtype = read_dtype(self.dtype, "--kv-dtype")
        return shape.in_dtype(DTYPE_BYTES[dtype]).on_one_rank(self.ranks)

    @property
    def dtype(self) -> str:
        return self.kv_dtype or "bfloat16"

    @property
    def ranks(self) -> int:
        return self.tp or 1

    def kv_bytes_per_token(self) -> Number | None:
        """Bytes of KV a token; those of a size are spread evenly over its tokens."""
        shape = self.shape()
        if shape is not None:
            return shape.bytes_per_token
        if self.size is not None and self.tokens is not None:
            from fractions import Fraction

            return Fraction(self.size, self.tokens)
        return self.kv_per_token

    def size_bytes(self) -> int | None:
        """What is fetched; None where the data path is a time."""
        if self.size is not None or self.tokens is None:
            return self.size
        per_token = self.kv_bytes_per_token()
        return None if per_token is None else self.tokens * int(per_token)

    def rate(self) -> EffectiveRate | None:
        """The rate of the data path; None where this is a time."""
        if self.bandwidth is None:
            return None
        return effective_rate(self.bandwidth, self.links or 1, self.host_limit)

    def data_path_ms(self) -> Number:
        """The data path: from size and rate, else the time given, else the course's."""
        size, rate = self.size_bytes(), self.rate()
        if size is not None and rate is not None:
            return data_path_ms(size, rate.bits_per_s)
        return COURSE_DATA_PATH_MS if self.data_path is None else self.data_path

    def steps_ms(self) -> Number:
        """What the fetch takes from end to end."""
        return self.lookup + self.data_path_ms() + self.conversion

    def recompute_ms(self) -> Number:
        """What recomputing takes: from tokens and rate, else the time given, else the course's."""
        if self.recompute_rate is not None and self.tokens is not None:
            return recompute_ms(self.tokens, self.recompute_rate)
        return COURSE_RECOMPUTE_MS if self.recompute is None else self.recompute
