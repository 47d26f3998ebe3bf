"""A replay as JSON has it: counts whole, times in ms and rates a second to 6 places.

Figures that a result of `vllm bench serve` has stand under its names (`mean_ttft_ms`, `request_throughput`,
`duration` in seconds, `request_goodput`); null is unknown or undefined, and never 0. Further keys:

    result      queue_ms + prefill_ms = mean TTFT: to admission, and from there to the first token
                total_cached_tokens, preemptions, preempted_requests, peak_blocks, peak_blocks_share,
                peak_running, peak_waiting: counted; steps, busy_ms, prefill_steps, prefill_steps_ms; stuck
                cut_outputs: requests that ended at the model's length, short of what they asked for
                labels: what each group of figures is, model, counted or measured
                first_requests: the first 100 requests, times in ms of the replay's clock
    sweep       null, or by ("rate" or "blocks"), points (rate, blocks, mm1_ms and the figures above),
                knee_rate, plan_rate, best_request_throughput, or
                least_blocks_without_preemption, most_blocks_with_preemption, cliff_blocks: of those tried,
                the smallest from which on nobody is preempted
"""

from __future__ import annotations

from labs.view.units import rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any

    from labs.replay.report import Report
    from labs.replay.served import Served
    from labs.replay.sweep import BlockSweep, RateSweep
    from labs.schedule_replay import Params, Result

    Number = int | Fraction

PLACES = 6
FIRST = 100
MEASURES = ("ttft", "tpot", "itl", "e2el")
COUNTS = (
    "steps",
    "preemptions",
    "preempted_requests",
    "peak_blocks",
    "peak_running",
    "peak_waiting",
    "stuck",
)


def replay_document(result: Result) -> dict[str, Any]:
    """The parameters and the figures."""
    params, per_ms = result.params, result.replay.per_ms
    random = params.load is not None
    figures = {
        **report_figures(result.report),
        "peak_blocks_share": _share(result.report.peak_blocks, params.kv_blocks),
        "cut_outputs": result.cut_outputs,
        "labels": {
            "model": "every time and rate, goodput",
            "counted": "tokens, hits, preemptions, blocks, steps",
            ("model_drawn" if random else "measured"): "arrivals and lengths",
        },
        "first_requests": [request_row(served, per_ms) for served in result.replay.served[:FIRST]],
        "sweep": _sweep(result.sweep),
    }
    return {"params": _params(params), "result": figures}


def report_figures(report: Report) -> dict[str, Any]:
    """The figures of one run."""
    figures: dict[str, Any] = {
        "num_requests": report.requests,
        "completed": report.completed,
        "duration": exact(report.duration_ms / 1000),
        "total_input_tokens": report.input_tokens,
        "total_output_tokens": report.output_tokens,
        "total_cached_tokens": report.cached_tokens,
        "request_throughput": exact(report.request_throughput),
        "output_throughput": exact(report.output_throughput),
        "total_token_throughput": exact(report.total_token_throughput),
        "request_goodput": exact(report.goodput),
        "good_requests": report.good,
    }
    for name in MEASURES:
        summary = getattr(report, name)
        figures[f"num_{name}"] = 0 if summary is None else summary.count
        for key in ("mean", "median", "std"):
            figures[f"{key}_{name}_ms"] = None if summary is None else exact(getattr(summary, key))
        for percent in (50, 95, 99):
            value = None if summary is None else dict(summary.percentiles)[percent]
            figures[f"p{percent}_{name}_ms"] = exact(value)
    for name in ("queue_ms", "prefill_ms", "busy_ms", "prefill_steps_ms"):
        figures[name] = exact(getattr(report, name))
    return {**figures, "prefill_steps": report.prefill_steps, **{key: getattr(report, key) for key in COUNTS}}


def request_row(served: Served, per_ms: int) -> dict[str, Any]:
    """One request; None where it never came to it, and for the TPOT of a one-token answer."""
    from fractions import Fraction

    def ms(tick: int | None) -> int | float | None:
        return None if tick is None else exact(Fraction(tick, per_ms))

    each = served.tpot
    return {
        "request": served.name,
        "arrival_ms": ms(served.arrival),
        "admitted_ms": ms(served.admitted),
        "first_token_ms": ms(served.first_token),
        "last_token_ms": ms(served.last_token),
        "ttft_ms": ms(served.ttft),
        "tpot_ms": None if each is None else exact(each / per_ms),
        "e2el_ms": ms(served.e2el),
        "prompt_tokens": served.prompt_tokens,
        "output_tokens": served.output_tokens,
        "cached_tokens": served.cached_tokens,
        "preemptions": served.preemptions,
        "finished": served.finished,
    }


def exact(value: Number | None) -> int | float | None:
    """A whole number as it is, another to 6 places.

    >>> from fractions import Fraction
    >>> exact(Fraction(4, 2)), exact(Fraction(1, 3)), exact(None)
    (2, 0.333333, None)
    """
    if value is None:
        return None
    if value.denominator == 1:
        return int(value)
    return float(rounded(value.numerator, value.denominator, PLACES) / 10**PLACES)


def rate(value: Number | str | None) -> int | float | str | None:
    """A rate of a sweep; "inf" as `vllm bench serve` writes it."""
    if isinstance(value, str):
        return value
    return exact(value)


def _share(part: int | None, whole: int | None) -> int | float | None:
    from fractions import Fraction

    return None if part is None or whole is None else exact(Fraction(part, whole))


def _params(params: Params) -> dict[str, Any]:
    load = params.load
    given: dict[str, Any] = {
        "trace": params.source or None,
        "kind": params.kind,
        "random": None,
        "requests": len(params.arrivals),
        "rate": exact(params.rate),
        "rate_from": params.rate_from if load is not None else None,
        "rule": params.rule,
        **{knob: getattr(params, knob) for knob in params.knobs},
        "block_tokens": params.block_tokens,
        "cost_ms": dict(
            zip(("base", "prefill", "decode", "kv"), [_term(term) for term in params.cost.terms])
        ),
        "cost_from": params.cost_from,
        "cost_fit": None if params.fit is None else _fit(params),
        "blocks_from": params.blocks_from,
        "goodput": None,
        "sweep_rate": [rate(value) for value in params.sweep_rate],
        "sweep_blocks": list(params.sweep_blocks),
        "csv": params.csv,
        "timeline": params.timeline,
    }
    if load is not None:
        given["random"] = {**load.as_dict(), "rate": rate(load.rate), "burstiness": rate(load.burstiness)}
    if params.limits is not None:
        given["goodput"] = {name: exact(value) for name, value in params.limits.as_dict().items()}
    return given


def _term(ms: Number) -> float | int:
    """A term of the cost, which may be a few nanoseconds: to 12 places."""
    return int(ms) if ms.denominator == 1 else float(rounded(ms.numerator, ms.denominator, 12) / 10**12)


def _fit(params: Params) -> dict[str, Any] | None:
    fit = params.fit
    if fit is None:
        return None
    return {
        "gaps": fit.gaps,
        "lone": fit.lone,
        "untold": list(fit.untold),
        "held": list(fit.held),
        "rms_ns": fit.rms_ns,
        "explained": exact(fit.explained),
        "uneven": fit.uneven,
    }


def _sweep(sweep: RateSweep | BlockSweep | None) -> dict[str, Any] | None:
    if sweep is None:
        return None
    points = [
        {"rate": rate(point.rate), "blocks": point.blocks, **report_figures(point.report)}
        for point in sweep.points
    ]
    if sweep.over == "blocks":
        return {
            "by": "blocks",
            "points": points,
            "least_blocks_without_preemption": min(sweep.without_preemption, default=None),
            "most_blocks_with_preemption": sweep.most_with_preemption,
            "cliff_blocks": sweep.cliff,
        }
    waits = [exact(sweep.mm1_ms(point)) for point in sweep.points]
    return {
        "by": "rate",
        "points": [{**point, "mm1_ms": wait} for point, wait in zip(points, waits)],
        "knee_rate": None if sweep.knee is None else rate(sweep.knee.rate),
        "plan_rate": exact(sweep.plan_rate),
        "best_request_throughput": exact(sweep.mu),
    }
