"""Why a replay came out so, in its own values: what TTFT is made of, what steps did, what a sweep moved."""

from __future__ import annotations

from labs.view.schedule_replay_sweep import mean_and_p99, rate_text
from labs.view.schedule_replay_units import cost_text, filled, ms_text, percent
from labs.view.units import thousands, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.replay.sweep import Point
    from labs.schedule_replay import Result

SPREAD = 2  # P99 of the gaps over their median, from which on it is told


def why(result: Result, t: dict[str, str]) -> list[str]:
    """A sentence or two for each cause that is at work in this run."""
    found = [
        _ttft(result, t),
        _capped(result, t),
        _busy(result, t),
        _gaps(result, t),
        _preempted(result, t),
        _hits(result, t),
        _sweep(result, t),
    ]
    return [sentence for sentence in found if sentence]


def _ttft(result: Result, t: dict[str, str]) -> str | None:
    report = result.report
    if report.ttft is None or report.queue_ms is None or report.prefill_ms is None:
        return None
    total = report.ttft.mean
    if not total:
        return None
    key, part = max(
        ("mostly_prefill", report.prefill_ms), ("mostly_queue", report.queue_ms), key=lambda e: e[1]
    )
    return t["why_ttft"].format(
        ttft=ms_text(total),
        queue=ms_text(report.queue_ms),
        prefill=ms_text(report.prefill_ms),
        verdict=t[key].format(share=percent(part, total)),
    )


def _capped(result: Result, t: dict[str, str]) -> str | None:
    """The number of requests that may run at once, where it was reached while others waited."""
    report, params = result.report, result.params
    if "max_num_seqs" not in params.knobs or not report.peak_waiting:
        return None
    if report.peak_running != params.max_num_seqs:
        return None
    key = "why_capped" if params.has_pool else "why_capped_no_pool"
    return t[key].format(most=thousands(params.max_num_seqs))


def _busy(result: Result, t: dict[str, str]) -> str | None:
    report = result.report
    if not report.busy_ms or not report.duration_ms:
        return None
    return filled(
        t["why_busy"],
        busy=percent(report.busy_ms, report.duration_ms),
        count=thousands(report.prefill_steps),
        steps=thousands(report.steps),
        share=percent(report.prefill_steps_ms, report.busy_ms),
    )


def _gaps(result: Result, t: dict[str, str]) -> str | None:
    itl = result.report.itl
    if itl is None or not itl.median:
        return None
    p99 = dict(itl.percentiles)[99]
    times = p99 / itl.median
    if times < SPREAD:
        return None
    return t["why_itl"].format(
        median=ms_text(itl.median), p99=ms_text(p99), times=trimmed(times.numerator, times.denominator, 1)
    )


def _preempted(result: Result, t: dict[str, str]) -> str | None:
    preemptions = result.report.preemptions
    return filled(t["why_preempted"], preemptions=thousands(preemptions)) if preemptions else None


def _hits(result: Result, t: dict[str, str]) -> str | None:
    cached, prefill = result.report.cached_tokens, result.params.cost.prefill
    if not cached:
        return None
    saved = cached * prefill
    return filled(
        t["why_hits"],
        cached=thousands(cached),
        seconds=trimmed(saved.numerator, 1000 * saved.denominator, 3),
        prefill=cost_text(prefill),
    )


def _sweep(result: Result, t: dict[str, str]) -> str | None:
    """The two ends of the sweep beside each other."""
    points = () if result.sweep is None else result.sweep.points
    if len(points) < 2:
        return None
    if result.params.sweep_rate:
        low, high = points[0], points[-1]
        ends = {"low": rate_text(low.rate), "high": rate_text(high.rate)}
    else:
        low, high = (choose(points, key=lambda p: p.blocks or 0) for choose in (min, max))
        ends = {"low": thousands(low.blocks or 0), "high": thousands(high.blocks or 0)}
    fields = {**ends, **_end(low, "low"), **_end(high, "high")}
    return t["why_sweep_rate" if result.params.sweep_rate else "why_sweep_blocks"].format(**fields)


def _end(point: Point, name: str) -> dict[str, str]:
    report = point.report
    return {
        f"{name}_ttft": mean_and_p99(report.ttft)[0],
        f"{name}_queue": ms_text(report.queue_ms),
        f"{name}_running": thousands(report.peak_running),
    }
