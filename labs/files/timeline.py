"""A run as a timeline that trace viewers open: Chrome's trace event format, one track a request.

    X   a slice: rounds alike of prefill, decode, waiting, or loading from another store; they never overlap
    i   an instant: preempted (at the round's start), finished and aborted (at its end)
    C   a counter: KV blocks in use, if the rule has a pool
    M   names and order of the tracks

A round is drawn as 1000 microseconds, which is no time: a round has none. Times are whole microseconds.
Source: the format's own description ("Trace Event Format", JSON object form).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from labs.engine.requests import Request
    from labs.engine.run.columns import Columns
    from labs.engine.simulator import Round, Run

    TraceEvent = dict[str, Any]

ROUND_US = 1000
PROCESS = 1
NOTE = "One round is drawn as 1 ms. A round is no unit of time: nothing here says how long anything takes."


def timeline(run: Run, requests: Sequence[Request]) -> dict[str, Any]:
    """The document of a run, ready for JSON; tracks stand in the order of the requests.

    The same whether or not rounds alike were played at once, if the run was played with its columns.
    """
    tracks = {request.name: tid for tid, request in enumerate(requests, 1)}
    events = [*_slices(run, tracks), *_instants(run, tracks), *_counters(run)]
    events.sort(key=lambda event: (event["ts"], event["tid"]))
    return {
        "traceEvents": [*_names(tracks), *events],
        "displayTimeUnit": "ms",
        "otherData": {"round_us": ROUND_US, "rounds": run.num_rounds, "note": NOTE},
    }


def _event(phase: str, name: str, round: int, tid: int, **rest: object) -> TraceEvent:
    """An event at the start of a round, which is the end of the one before."""
    return {"name": name, "ph": phase, "ts": (round - 1) * ROUND_US, "pid": PROCESS, "tid": tid, **rest}


def _names(tracks: dict[str, int]) -> Iterator[TraceEvent]:
    def meta(kind: str, tid: int, **args: object) -> TraceEvent:
        return {"name": kind, "ph": "M", "pid": PROCESS, "tid": tid, "args": args}

    yield meta("process_name", 0, name="schedule (1 round drawn as 1 ms)")
    for name, tid in tracks.items():
        yield meta("thread_name", tid, name=name)
        yield meta("thread_sort_index", tid, sort_index=tid)


def _slices(run: Run, tracks: dict[str, int]) -> list[TraceEvent]:
    """What each request got in each round, neighbours that are alike drawn as one.

    There is no gap between neighbours: from its arrival to its end a request gets something or waits.
    """
    slices: list[TraceEvent] = []
    latest: dict[str, TraceEvent] = {}
    for round in run.rounds:
        for name, kind, tokens in _shares(round):
            last = latest.get(name)
            if last is not None and (last["name"], last["args"].get("tokens_each")) == (kind, tokens):
                last["args"]["last_round"] = round.last
                last["dur"] += round.repeat * ROUND_US
                continue
            args: TraceEvent = {"first_round": round.round, "last_round": round.last}
            args |= {} if tokens is None else {"tokens_each": tokens}
            duration = round.repeat * ROUND_US
            new = _event("X", kind, round.round, tracks[name], dur=duration, cat="schedule", args=args)
            latest[name] = new
            slices.append(new)
    return slices


def _shares(round: Round) -> Iterator[tuple[str, str, int | None]]:
    """(request, what it did, tokens) of everybody who is there."""
    external = round.columns.external if round.columns else None
    states = external.after_schedule if external else ()
    loading = {name for name, status, *_ in states if status == "WAITING_FOR_REMOTE_KVS"}
    for item in round.work:
        yield item.request, item.phase, item.tokens
    for name in round.waiting:
        yield name, "loading" if name in loading else "waiting", None


def _instants(run: Run, tracks: dict[str, int]) -> Iterator[TraceEvent]:
    for round in run.rounds:
        for name in round.preempted:
            yield _event("i", "preempted", round.round, tracks[name], s="t", cat="schedule")
        for kind, names in (("finished", round.finished), ("aborted", round.aborted)):
            for name in names:
                yield _event("i", kind, round.last + 1, tracks[name], s="t", cat="schedule")


def _counters(run: Run) -> Iterator[TraceEvent]:
    """Blocks in use after each round's scheduling, where their number changes; what is left at the end."""
    shown = None
    for round in run.rounds:
        for number, used in _used_blocks(round, round.columns) if round.columns else ():
            if used != shown:
                yield _event("C", "KV blocks in use", number, 0, args={"blocks": used})
            shown = used
    left = _left_at_end(run)
    if left is not None and left != shown:
        yield _event("C", "KV blocks in use", run.num_rounds + 1, 0, args={"blocks": left})


def _used_blocks(round: Round, columns: Columns) -> Iterator[tuple[int, int]]:
    """(round, blocks in use); of rounds alike those in which a request's next token starts a block."""
    if round.repeat == 1:
        yield round.round, columns.used_blocks
        return
    taken = {0: 0}
    for computed in columns.computed_before:
        for offset in range(-computed % columns.block_size, round.repeat, columns.block_size):
            taken[offset] = taken.get(offset, 0) + 1
    used = columns.used_blocks - sum(taken.values())
    for offset in sorted(taken):
        used += taken[offset]
        yield round.round + offset, used


def _left_at_end(run: Run) -> int | None:
    """Blocks still held when all is over; None if there is no pool, or somebody has not finished."""
    columns = run.rounds[-1].columns if run.rounds else None
    if columns is None or not all(outcome.ended for outcome in run.outcomes):
        return None
    if columns.external is None:
        return 0
    aborted = run.rounds[-1].aborted  # after these states; whether their blocks are kept is not known here
    tables = [table for name, *_, table in columns.external.after_update if name not in aborted]
    return len({block for table in tables for block in table})
