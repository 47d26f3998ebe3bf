"""A sweep as text: the table of its points, the knee over rates, the cliff over KV blocks."""

from __future__ import annotations

from labs.view.schedule_replay_units import ms_text, per_second
from labs.view.tables import paragraph, table
from labs.view.units import thousands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    from labs.replay.latency import Summary
    from labs.replay.sweep import BlockSweep, Point, RateSweep
    from labs.schedule_replay import Result


def sweep_text(result: Result, t: dict[str, str]) -> list[str]:
    """The section of the sweep; none without one."""
    sweep = result.sweep
    if sweep is None:
        return []
    lines = _over_rates(sweep, t) if sweep.over == "rate" else _over_blocks(sweep, t)
    title, rows, *rest = lines
    if result.params.limits is None:
        rows = [row[:-1] for row in rows]  # the last column is goodput
    return ["\n".join([title, table(rows).rstrip("\n"), *map(paragraph, rest)])]


def rate_text(rate: Fraction | str | None) -> str:
    """A rate of a sweep as it was asked for.

    >>> rate_text("inf")
    'inf'
    """
    return rate if isinstance(rate, str) else per_second(rate)


def mean_and_p99(summary: Summary | None) -> list[str]:
    """Mean and P99 in ms, dashes without a value."""
    if summary is None:
        return ["-", "-"]
    return [ms_text(summary.mean), ms_text(dict(summary.percentiles)[99])]


def _over_rates(sweep: RateSweep, t: dict[str, str]) -> tuple[str, list[list[str]], str, str]:
    rows = [t["rate_columns"].split("|"), *[_rate_row(sweep, point, t) for point in sweep.points]]
    point, plan = sweep.knee, sweep.plan_rate
    finite = [each.rate for each in sweep.points if not isinstance(each.rate, str)]
    key = "knee_alone" if not finite else "no_knee" if finite[-1] == sweep.points[-1].rate else "no_knee_inf"
    knee = t[key].format(rate=rate_text(finite[-1] if finite else None))
    if point is not None:
        throughput = per_second(point.report.request_throughput)
        knee = t["knee"].format(rate=rate_text(point.rate), throughput=throughput, plan=per_second(plan))
    return t["sweep_rate"], rows, t["mm1_note"].format(mu=per_second(sweep.mu)), knee


def _rate_row(sweep: RateSweep, point: Point, t: dict[str, str]) -> list[str]:
    report = point.report
    waits = sweep.mm1_ms(point)
    return [
        rate_text(point.rate),
        per_second(report.request_throughput),
        per_second(report.output_throughput),
        *mean_and_p99(report.ttft),
        mean_and_p99(report.tpot)[0],
        mean_and_p99(report.e2el)[0],
        t["unbounded"] if waits is None else ms_text(waits),
        thousands(report.preemptions),
        per_second(report.goodput),
    ]


def _over_blocks(sweep: BlockSweep, t: dict[str, str]) -> tuple[str, list[list[str]], str]:
    rows = [t["blocks_columns"].split("|"), *[_blocks_row(point) for point in sweep.points]]
    cliff, most, least = sweep.cliff, sweep.most_with_preemption, sweep.without_preemption[:1]
    key = "cliff_above" if cliff is None else "cliff_below" if most is None else "cliff"
    text = t[key].format(least=_blocks(cliff), most=_blocks(most))
    if least and most is not None and least[0] < most:
        text += t["cliff_low"].format(blocks=_blocks(least[0]))
    return t["sweep_blocks"], rows, text


def _blocks_row(point: Point) -> list[str]:
    report = point.report
    return [
        _blocks(point.blocks),
        thousands(report.preemptions),
        thousands(report.preempted_requests),
        _blocks(report.peak_blocks),
        thousands(report.cached_tokens),
        *mean_and_p99(report.ttft),
        mean_and_p99(report.tpot)[0],
        per_second(report.request_throughput),
        per_second(report.goodput),
    ]


def _blocks(blocks: int | None) -> str:
    return "-" if blocks is None else thousands(blocks)
