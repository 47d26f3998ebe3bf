"""What is replayed: requests with the time of their arrival, on a clock of whole ticks.

    a trace        its own times, or spread over so many requests a second
    a random load  equal requests, Poisson or otherwise (`labs.replay.arrivals`)

An output length of 0 (not told, or none) counts as one token: the prefill yields it.

Does not model: arrivals that wait for an earlier answer (multi-turn users), clients with limits of their own.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from labs.base import Record, require
from labs.engine.requests import Request
from labs.replay.ticks import Ticks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.files.traces import TraceRequest
    from labs.replay.arrivals import RandomLoad
    from labs.replay.step_cost import StepCost

US_PER_MS = 1000
MS_PER_S = 1000


class Arrival(Record):
    """One request's arrival in ms, exact, its lengths in tokens, and block or token ids if there are any."""

    ms: int | Fraction
    input_length: int
    output_length: int
    ids: tuple[int, ...] | None = None
    tokens: tuple[int, ...] | None = None


def of_trace(requests: Sequence[TraceRequest]) -> tuple[Arrival, ...]:
    """The requests of a trace, from its first arrival on."""
    start = requests[0].arrival_ms
    return tuple(
        Arrival(
            request.arrival_ms - start,
            request.input_length,
            max(1, request.output_length),
            request.ids,
            request.tokens,
        )
        for request in requests
    )


def of_random(load: RandomLoad) -> tuple[Arrival, ...]:
    """The requests of a random load."""
    return tuple(
        Arrival(Fraction(us, US_PER_MS), load.input_len, load.output_len) for us in load.arrivals_us()
    )


def at_rate(arrivals: Sequence[Arrival], per_second: Fraction) -> tuple[Arrival, ...]:
    """The same requests in the same order, their times stretched so that they come at this rate on the whole.

    N requests come in N / rate seconds; requests that come at once still do.
    """
    span = arrivals[-1].ms
    require(span > 0, "--sweep-rate", "all_at_once", len(arrivals))
    factor = Fraction(len(arrivals) * MS_PER_S) / per_second / span
    return tuple(arrival.replace(ms=arrival.ms * factor) for arrival in arrivals)


def at_once(arrivals: Sequence[Arrival]) -> tuple[Arrival, ...]:
    """The same requests, all at the first one's time."""
    return tuple(arrival.replace(ms=0) for arrival in arrivals)


def rate_of(arrivals: Sequence[Arrival]) -> Fraction | None:
    """Requests a second on the whole; None if all come at once."""
    span = Fraction(arrivals[-1].ms)
    return None if span == 0 else len(arrivals) * MS_PER_S / span


def on_a_clock(
    arrivals: Sequence[Arrival], cost: StepCost
) -> tuple[list[tuple[int, Request]], Ticks, dict[str, tuple[int, ...]]]:
    """(tick, request) of each arrival, the cost on the same clock, and the ids by the request's name."""
    per_ms = lcm(cost.ticks_per_ms, *{Fraction(arrival.ms).denominator for arrival in arrivals})
    coming, ids = [], {}
    for number, arrival in enumerate(arrivals, 1):
        name = f"r{number}"
        request = Request(name, arrival.input_length, arrival.output_length - 1, prompt=arrival.tokens)
        coming.append((int(arrival.ms * per_ms), request))
        if arrival.ids is not None:
            ids[name] = arrival.ids
    return coming, Ticks(*cost.in_ticks(per_ms), per_ms), ids
