"""The files of a replay: CSV, a line a request or a point of a sweep; and a timeline for trace viewers.

The timeline is in Chrome's trace event format, as that of `labs.files.timeline`, but its time is the model's
time: whole microseconds, cut off. On each request's track, one after the other and never over each other:

    queue       arrival to first admission          prefill   from there to the first token
    decode      first token to the last             preempted   until it is admitted again

What is computed again after a preemption is drawn as prefill or decode, whichever it was. Only the first
`MAX_DRAWN` requests are drawn: a viewer does not open more.
"""

from __future__ import annotations

from labs.view.schedule_replay_json import rate, report_figures, request_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from labs.replay.served import Served
    from labs.schedule_replay import Result

    TraceEvent = dict[str, Any]

MAX_DRAWN = 20_000
PROCESS = 1
US_PER_MS = 1000
NOTE = "Times are those of a cost model, not measured."


def replay_files(result: Result) -> dict[str, tuple[str, str]]:
    """Files to write: option -> (path, content)."""
    files = {}
    if result.params.csv is not None:
        files["--csv"] = result.params.csv, replay_csv(result)
    if result.params.timeline is not None:
        import json

        files["--timeline"] = result.params.timeline, json.dumps(replay_timeline(result)) + "\n"
    return files


def replay_csv(result: Result) -> str:
    """A header and the rows, with LF line ends; empty where there is no value."""
    if result.sweep is not None:
        rows = [
            {"rate": rate(point.rate), "blocks": point.blocks, **report_figures(point.report)}
            for point in result.sweep.points
        ]
    else:
        rows = [request_row(served, result.replay.per_ms) for served in result.replay.served]
    lines = [",".join(rows[0]), *[",".join(map(_cell, row.values())) for row in rows]]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    """A value as a spreadsheet reads it: no exponent.

    >>> _cell(None), _cell(True), _cell(0.000001)
    ('', 'true', '0.000001')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def replay_timeline(result: Result) -> dict[str, Any]:
    """The document, ready for JSON; tracks stand in the order of arrival."""
    served, per_ms = result.replay.served, result.replay.per_ms
    drawn = served[:MAX_DRAWN]
    events: list[TraceEvent] = []
    for track, request in enumerate(drawn, 1):
        events += _events(request, track, per_ms)
    events.sort(key=lambda event: (event["ts"], event["tid"]))
    other = {"note": NOTE, "drawn_requests": len(drawn), "requests": len(served)}
    return {"traceEvents": [*_names(drawn), *events], "displayTimeUnit": "ms", "otherData": other}


def _names(drawn: Sequence[Served]) -> Iterator[TraceEvent]:
    def meta(kind: str, track: int, **args: object) -> TraceEvent:
        return {"name": kind, "ph": "M", "pid": PROCESS, "tid": track, "args": args}

    yield meta("process_name", 0, name="schedule replay (model time)")
    for track, served in enumerate(drawn, 1):
        yield meta("thread_name", track, name=served.name)
        yield meta("thread_sort_index", track, sort_index=track)


def _events(served: Served, track: int, per_ms: int) -> Iterator[TraceEvent]:
    def at(tick: int) -> int:
        return tick * US_PER_MS // per_ms

    shared = {"pid": PROCESS, "tid": track, "cat": "replay"}
    for name, start, stop in slices(served):
        yield {"name": name, "ph": "X", "ts": at(start), "dur": at(stop) - at(start), **shared}
    for start, _ in served.pauses:
        yield {"name": "preempted", "ph": "i", "s": "t", "ts": at(start), **shared}
    if served.finished and served.last_token is not None:
        args = {
            "prompt": served.prompt_tokens,
            "outputs": served.output_tokens,
            "cached": served.cached_tokens,
        }
        yield {"name": "finished", "ph": "i", "s": "t", "ts": at(served.last_token), "args": args, **shared}


def slices(served: Served) -> Iterator[tuple[str, int, int]]:
    """(what, from, to) in ticks, each beginning where the one before ends; up to the last thing known.

    >>> from labs.replay.served import Served
    >>> list(slices(Served("r1", 0, 30, 90, 8, 4, 0, 1, True, admitted=10, pauses=((50, 70),))))
    [('queue', 0, 10), ('prefill', 10, 30), ('decode', 30, 50), ('preempted', 50, 70), ('decode', 70, 90)]
    """
    if served.admitted is None:
        return
    yield "queue", served.arrival, served.admitted
    at = served.admitted
    for start, stop in served.pauses:
        yield from _running(at, start, served.first_token)
        if stop is None:
            return
        yield "preempted", start, stop
        at = stop
    if served.last_token is not None:
        yield from _running(at, served.last_token, served.first_token)


def _running(start: int, stop: int, first_token: int | None) -> Iterator[tuple[str, int, int]]:
    """A stretch of work, parted where the first token came."""
    between = stop if first_token is None else min(max(first_token, start), stop)
    for name, begin, end in (("prefill", start, between), ("decode", between, stop)):
        if begin < end:
            yield name, begin, end
