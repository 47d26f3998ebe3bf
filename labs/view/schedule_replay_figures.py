"""The figures of a replay as text: latencies and their definitions, throughput, goodput, counts."""

from __future__ import annotations

from labs.view.schedule_replay_units import filled, ms_text, per_second, percent
from labs.view.tables import paragraph, table
from labs.view.times import number_text
from labs.view.units import thousands, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.replay.latency import Limits
    from labs.replay.report import Report
    from labs.schedule_replay import Result


def figures(result: Result, t: dict[str, str]) -> str:
    """Latencies with their definitions, rates and counts."""
    report = result.report
    rows = [t["latency_columns"].split("|")]
    for name in ("ttft", "tpot", "itl", "e2el"):
        summary = getattr(report, name)
        if summary is None:
            rows.append([name.upper(), *[t["latency_none"]] * 5])
            continue
        values = (summary.mean, summary.median, *[value for _, value in summary.percentiles])
        rows.append([name.upper(), *map(ms_text, values)])
    lines = [t["latency"], table(rows).rstrip("\n"), t["definitions"]]
    without = report.completed - (report.tpot.count if report.tpot else 0)
    if without:
        lines.append(filled(t["no_tpot"], count=thousands(without)))
    lines += [paragraph(line) for line in _rates_and_counts(result, t)]
    return "\n".join(lines)


def _rates_and_counts(result: Result, t: dict[str, str]) -> list[str]:
    report, params = result.report, result.params
    duration = report.duration_ms
    lines = [
        t["throughput"].format(
            requests=per_second(report.request_throughput),
            output=per_second(report.output_throughput),
            total=per_second(report.total_token_throughput),
            seconds=trimmed(duration.numerator, 1000 * duration.denominator, 3),
        ),
        goodput_line(result, t),
        filled(
            t["counted"],
            completed=thousands(report.completed),
            requests=thousands(report.requests),
            steps=thousands(report.steps),
            running=thousands(report.peak_running),
            waiting=thousands(report.peak_waiting),
        ),
    ]
    if result.cut_outputs:
        lines.append(filled(t["cut"], count=thousands(result.cut_outputs), most=str(params.max_model_len)))
    if report.peak_blocks is not None:
        pool, asked = params.kv_blocks, sum(a.input_length for a in params.arrivals)
        share = "" if pool is None else t["share"].format(percent=percent(report.peak_blocks, pool))
        cached = t["share"].format(percent=percent(report.cached_tokens, asked))
        lines.append(
            filled(
                t["counted_pool"],
                preemptions=_preemptions(report, t),
                peak=thousands(report.peak_blocks),
                share=share,
                cached=thousands(report.cached_tokens),
                input=thousands(asked),
                cached_share=cached if report.cached_tokens else "",
            )
        )
    if report.stuck:
        lines.append(filled(t["stuck"], left=thousands(report.requests - report.completed)))
    return lines


def _preemptions(report: Report, t: dict[str, str]) -> str:
    if not report.preemptions:
        return t["no_preemption"]
    number, requests = thousands(report.preemptions), thousands(report.preempted_requests)
    return filled(t["preemptions"], preemptions=number, preempted=requests)


def goodput_line(result: Result, t: dict[str, str]) -> str:
    """Goodput under the limits, or that it is unknown."""
    report, limits = result.report, result.params.limits
    if limits is None or report.good is None:
        return t["goodput_unknown"]
    return filled(
        t["goodput"],
        goodput=per_second(report.goodput),
        limits=t["and"].join(_limits(limits, t)),
        good=thousands(report.good),
        completed=thousands(report.completed),
    )


def _limits(limits: Limits, t: dict[str, str]) -> list[str]:
    given = [(name, value) for name, value in limits.as_dict().items() if value is not None]
    return [t["limit"].format(name=name.upper(), ms=number_text(value)) for name, value in given]
