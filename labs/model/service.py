"""Service figures: how many requests a second, and what fetching KV costs against recomputing it.

    throughput = successful requests / seconds                                          (req/s)
    goodput    = successful requests that meet every latency limit / seconds            (req/s)
    fetch cost = look-up + data path + conversion - what overlaps with other work       (ms)
    saving     = recompute - fetch cost                                                 (ms)

Source: the course's service and KV-reuse chapters; vLLM's `request_throughput`, `request_goodput`.

Does not model
- requests that fail, are rejected or are still under way: report them beside these figures;
- queueing: a saving is not a promise that TTFT falls by as much;
- interference of a fetch with the work that it overlaps.
"""

from __future__ import annotations

from labs.base import require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    Number = int | Fraction


def throughput(num_successes: int, seconds: Number) -> Fraction:
    """Successful requests a second, exact; `LabError` unless the time is positive.

    >>> throughput(30, 12)
    Fraction(5, 2)
    """
    from fractions import Fraction

    require(seconds > 0, "seconds", "not_positive", seconds)
    return Fraction(num_successes) / seconds


def goodput(num_within_limits: int, seconds: Number) -> Fraction:
    """Requests a second that succeed and meet every limit (TTFT and TPOT, say), exact.

    >>> goodput(18, 12)
    Fraction(3, 2)
    """
    return throughput(num_within_limits, seconds)


def fetch_cost_ms(
    lookup_ms: Number, data_path_ms: Number, conversion_ms: Number, overlap_ms: Number
) -> Number:
    """Milliseconds that a fetch adds: its steps, without what overlaps with work to be done anyway.

    Raises `LabError` if more overlaps than the steps take.

    >>> fetch_cost_ms(lookup_ms=2, data_path_ms=11, conversion_ms=4, overlap_ms=5)
    12
    """
    steps_ms = lookup_ms + data_path_ms + conversion_ms
    require(overlap_ms <= steps_ms, "overlap", "at_most", overlap_ms, most=steps_ms)
    return steps_ms - overlap_ms


def fetch_saving_ms(recompute_ms: Number, fetch_ms: Number) -> Number:
    """Milliseconds of work that a fetch saves against recomputing; negative if it costs more.

    >>> fetch_saving_ms(recompute_ms=40, fetch_ms=12), fetch_saving_ms(10, 12)
    (28, -2)
    """
    return recompute_ms - fetch_ms
