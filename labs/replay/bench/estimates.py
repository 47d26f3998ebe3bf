"""What follows from the averages of a result, exactly or about.

    mean_output_tokens  output tokens / completed        mean_input_tokens alike
    e2e_from_parts_s    mean TTFT + (mean output tokens - 1) x mean TPOT: the mean E2EL if all answers are
                        equally long, else about it
    little              completed / duration x e2e_from_parts_s: requests under way on average (Little's law)
    mean_in_flight      the same from a measured latency
    itl_over_tpot       mean ITL / mean TPOT: above 1 if chunks carry several tokens
    tokens_per_gap      (output tokens - completed) x mean ITL / (completed x (mean E2EL - mean TTFT)): tokens
                        after the first for each gap, if no answer is empty
    min_duration_at_rate    requests / rate, seconds
    tail_s              what the run lasted beyond that

Does not model: how lengths and speeds go together, which averages do not tell.
"""

from __future__ import annotations

from fractions import Fraction

from labs.replay.bench.checks import min_duration_at_rate
from labs.replay.latency import MS_PER_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.files.bench_result import BenchResult


def number_completed(result: BenchResult) -> Fraction | None:
    """Requests that succeeded; in the 2023 form, which counts none, all that were sent."""
    sent = result.settings.get("num_prompts") if result.generation == "2023" else None
    return result.figures.get("completed", sent) or None


def mean_tokens(result: BenchResult, which: str) -> Fraction | None:
    """Mean `input` or `output` tokens of a request, from the total or from the throughput."""
    figures, completed = result.figures, number_completed(result)
    total = figures.get(f"total_{which}_tokens")
    rate, duration = figures.get(f"{which}_throughput"), figures.get("duration")
    if total is None and rate is not None and duration is not None:
        total = rate * duration
    return None if total is None or completed is None else total / completed


def estimates_of(result: BenchResult) -> dict[str, Fraction]:
    """Every estimate that the figures allow, by name."""
    figures, completed = result.figures, number_completed(result)
    found = {
        "mean_input_tokens": mean_tokens(result, "input"),
        "mean_output_tokens": mean_tokens(result, "output"),
        "min_duration_at_rate": min_duration_at_rate(result),
        **_of_latency(result, completed),
    }
    tpot, itl = figures.get("mean_tpot_ms"), figures.get("mean_itl_ms")
    if tpot and itl is not None:
        found["itl_over_tpot"] = itl / tpot
    shortest, duration = found["min_duration_at_rate"], figures.get("duration")
    if shortest is not None and duration is not None and duration >= shortest:
        found["tail_s"] = duration - shortest
    return {name: value for name, value in found.items() if value is not None}


def _of_latency(result: BenchResult, completed: Fraction | None) -> dict[str, Fraction | None]:
    figures, tokens = result.figures, mean_tokens(result, "output")
    duration = figures.get("duration")
    ttft, tpot, e2el = (figures.get(f"mean_{metric}_ms") for metric in ("ttft", "tpot", "e2el"))
    found: dict[str, Fraction | None] = {}
    rate = completed / duration if completed and duration else None
    if ttft is not None and tpot is not None and tokens is not None:
        parts = (ttft + max(tokens - 1, Fraction(0)) * tpot) / MS_PER_S
        found["e2e_from_parts_s"] = parts
        found["little"] = None if rate is None else rate * parts
    latency = figures.get("average_latency_s") if e2el is None else e2el / MS_PER_S
    if latency is not None and rate is not None:
        found["mean_in_flight"] = rate * latency
    itl, outputs = figures.get("mean_itl_ms"), figures.get("total_output_tokens")
    if e2el is not None and ttft is not None and e2el > ttft and itl and completed and outputs:
        found["tokens_per_gap"] = (outputs - completed) * itl / (completed * (e2el - ttft))
    return found
