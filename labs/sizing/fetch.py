"""Fetching stored KV against recomputing it: what each costs, and where the two cost the same.

    steps       = look-up + data path + conversion                              (ms)
    fetch cost  = steps - overlap                                               (ms)
    saving      = recompute - fetch cost                                        (ms)
    data path   = size x 8 bit/B / effective rate                               (B, bit/s)
    effective   = min(links x rate of one link, host limit)                     (bit/s)
    fixed part  = look-up + conversion - overlap: what does not grow with the data; negative if the overlap
                  covers part of the data path                                  (ms)

Every break-even is the solution of fetch cost = recompute:

    length      fixed part / (recompute time a token - data path a token)       (tokens)
    bandwidth   bits / (recompute - fixed part)                                 (bit/s)
    overlap     steps - recompute                                               (ms)

The overlap is one amount of time whatever the length or rate; where the steps are shorter than it, a fetch
costs nothing, never less. At a break-even it always fits, as what is left of the steps is the recompute time.

Source: the course's L3, problem 6. All values are exact: whole numbers or Fractions.

Does not model
- TTFT: queueing, the rest of the prompt, other requests on the links, an overlap that does not happen;
- protocol overhead of each message, or a rate below that of the line;
- a recompute rate that falls with the length (attention looks back at more and more tokens);
- misses, failed loads and whole blocks.
"""

from __future__ import annotations

from labs.base import Record, require
from labs.model.service import fetch_cost_ms, fetch_saving_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    Number = int | Fraction

LINKS, HOST = "links", "host"
FROM, UP_TO, ALWAYS, NEVER = "from", "up_to", "always", "never"


class Costs(Record):
    """The times of one fetch and of recomputing the same, all in ms.

    >>> costs = Costs(lookup_ms=2, data_path_ms=11, conversion_ms=4, overlap_ms=5, recompute_ms=40)
    >>> costs.steps_ms, costs.fixed_ms, costs.fetch_ms, costs.saving_ms, costs.fetch_wins
    (17, 1, 12, 28, True)
    """

    lookup_ms: Number
    data_path_ms: Number
    conversion_ms: Number
    overlap_ms: Number
    recompute_ms: Number

    @property
    def steps_ms(self) -> Number:
        """What a fetch takes from end to end: the most that can overlap."""
        return self.lookup_ms + self.data_path_ms + self.conversion_ms

    @property
    def fixed_ms(self) -> Number:
        """The part of the cost that does not grow with the data."""
        return self.lookup_ms + self.conversion_ms - self.overlap_ms

    @property
    def fetch_ms(self) -> Number:
        """What a fetch costs; the overlap is taken off here, and nowhere else."""
        return fetch_cost_ms(self.lookup_ms, self.data_path_ms, self.conversion_ms, self.overlap_ms)

    @property
    def saving_ms(self) -> Number:
        """What a fetch saves; negative if it costs more."""
        return fetch_saving_ms(self.recompute_ms, self.fetch_ms)

    @property
    def fetch_wins(self) -> bool:
        """Whether fetching is strictly cheaper."""
        return self.saving_ms > 0


class EffectiveRate(Record):
    """Bits a second that reach the engine, and what binds them: the links or the host."""

    bits_per_s: int
    limited_by: str


class Length(Record):
    """The lengths for which fetching is strictly cheaper: from or up to so many whole tokens, all, or none.

    `tokens` and `exact_tokens`, the length at which both cost the same, are None for all and none.
    """

    side: str
    tokens: int | None = None
    exact_tokens: Fraction | None = None


def effective_rate(bandwidth: int, links: int = 1, host_limit: int | None = None) -> EffectiveRate:
    """The rate of parallel links of `bandwidth` bit/s each, under the host's limit in bit/s.

    Links that bring exactly what the host lets through count as the limit.

    >>> effective_rate(100, links=4, host_limit=300), effective_rate(100, links=2, host_limit=300)
    (EffectiveRate(bits_per_s=300, limited_by='host'), EffectiveRate(bits_per_s=200, limited_by='links'))
    """
    together = links * bandwidth
    if host_limit is not None and host_limit < together:
        return EffectiveRate(host_limit, HOST)
    return EffectiveRate(together, LINKS)


def data_path_ms(num_bytes: Number, bits_per_s: int) -> Fraction:
    """Milliseconds of so many bytes at a rate in bits a second; `LabError` unless the rate is positive.

    >>> data_path_ms(1000, 400000)
    Fraction(20, 1)
    """
    from fractions import Fraction

    require(bits_per_s > 0, "bandwidth", "not_positive", bits_per_s)
    return 1000 * 8 * Fraction(num_bytes) / bits_per_s


def recompute_ms(tokens: int, tokens_per_s: Number) -> Fraction:
    """Milliseconds of prefill for so many tokens at a steady rate; `LabError` unless the rate is positive.

    >>> recompute_ms(120, 8000)
    Fraction(15, 1)
    """
    from fractions import Fraction

    require(tokens_per_s > 0, "recompute rate", "not_positive", tokens_per_s)
    return 1000 * Fraction(tokens) / tokens_per_s


def break_even_length(fixed_ms: Number, recompute_ms_per_token: Number, fetch_ms_per_token: Number) -> Length:
    """The lengths, from one token on, for which fetching is strictly cheaper. All arguments in ms.

    >>> break_even_length(2, 3, 1)
    Length(side='from', tokens=2, exact_tokens=Fraction(1, 1))
    >>> break_even_length(-5, 1, 3)
    Length(side='up_to', tokens=2, exact_tokens=Fraction(5, 2))
    >>> break_even_length(0, 3, 1).side, break_even_length(2, 1, 1).side
    ('always', 'never')
    """
    from fractions import Fraction
    from math import ceil, floor

    spared = recompute_ms_per_token - fetch_ms_per_token  # by each token that is fetched
    if (fixed_ms < 0 <= spared) or (fixed_ms == 0 < spared):
        return Length(ALWAYS)
    if fixed_ms >= 0 >= spared:
        return Length(NEVER)
    crossing = Fraction(fixed_ms) / spared
    if spared > 0:
        return Length(FROM, floor(crossing) + 1, crossing)
    longest = ceil(crossing) - 1
    return Length(UP_TO, longest, crossing) if longest else Length(NEVER)


def break_even_bandwidth(num_bytes: int, fixed_ms: Number, recompute_ms: Number) -> Fraction | None:
    """Bits a second above which fetching is strictly cheaper; None if it is at no rate, however high.

    >>> break_even_bandwidth(1000, fixed_ms=2, recompute_ms=12), break_even_bandwidth(1000, 12, 12)
    (Fraction(800000, 1), None)
    """
    from fractions import Fraction

    if recompute_ms <= max(fixed_ms, 0):
        return None
    return 1000 * 8 * Fraction(num_bytes) / (recompute_ms - fixed_ms)


def break_even_overlap_ms(steps_ms: Number, recompute_ms: Number) -> Number | None:
    """Milliseconds of overlap beyond which fetching is strictly cheaper; None if all of it is not enough.

    A negative overlap means that fetching is cheaper without any.

    >>> break_even_overlap_ms(30, 12), break_even_overlap_ms(30, 60), break_even_overlap_ms(30, 0)
    (18, -30, None)
    """
    needed = steps_ms - recompute_ms
    return needed if needed < steps_ms else None
