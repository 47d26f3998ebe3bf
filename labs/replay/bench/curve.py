"""Several results side by side: the curve over rates, its knee, the rate to plan with, M/M/1 beside it.

    curve       results of one load shape: mean input and mean output tokens within 10 % of the first one's,
                and the same model if both tell it; a result given again counts once
    load        request_rate if all tell one (inf is the largest) and not one and the same under several
                max_concurrency; else max_concurrency or the number of requests, whichever varies; else the
                measured request throughput
    throughput  output tokens a second if all print it, else requests a second
    knee, peak  see `labs.replay.queueing`; of results with equal load the best counts
    capacity    the largest measured request throughput, known once there is a knee or all were sent at once:
                mu of M/M/1 (model), lambda the rate
    plan, capacity  withheld where a result of the curve contradicts itself (`contradicting`), or where its
                rates were sent under unlike limits of concurrency (`unlike_concurrency`)

    warm_cache  TTFT more than 5 % below that of a smaller load, or less than half of that of an equal load
                with equally many input tokens: earlier runs of the same prompts may have left their
                prefixes in the cache
    tpot_for_ttft   at equal load more throughput and less TTFT, but TPOT a quarter higher or more: whether
                the goodput rose depends on the TPOT limit
    unlike_concurrency  a rate sent under a max_concurrency that others of the curve did not have: the client
                held requests back, so that the rates are not comparable

Does not model: which run came first, where the files have no dates; other causes of a lower TTFT.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from labs.base import Record
from labs.replay.bench.estimates import mean_tokens
from labs.replay.bench.repeats import first_places
from labs.replay.queueing import knee, mm1_wait, peak, planned_rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.replay.bench.reading import Reading

    Shape = tuple[str | None, Fraction | None, Fraction | None]

LIKE = Fraction(10, 100)
WARM_FROM = Fraction(5, 100)
TPOT_UP = Fraction(25, 100)
UNLIKE = "unlike_concurrency"
INFINITE = Fraction(10**30)  # of a request_rate: larger than any


class Point(Record):
    """One result on a curve: its place among the results, its load ("inf" or a number), and its figures."""

    place: int
    load: Fraction | str
    request_throughput: Fraction | None
    output_throughput: Fraction | None
    ttft_ms: Fraction | None
    tpot_ms: Fraction | None
    e2el_ms: Fraction | None
    goodput: Fraction | None
    mm1_wait_s: Fraction | None
    warnings: tuple[str, ...]


class Curve(Record):
    """Points in the order of their loads; places are of `points`, the plan is requests a second.

    `contradicting` are the places of points whose results fail their checks.
    """

    load_kind: str
    throughput_kind: str
    points: tuple[Point, ...]
    knee: int | None
    peak: int | None
    capacity: Fraction | None
    plan: Fraction | None
    contradicting: tuple[int, ...]
    is_mixed: bool


def curves_of(readings: Sequence[Reading]) -> tuple[Curve, ...]:
    """The curves, the one with most points first."""
    groups: list[list[int]] = []
    shapes = [_shape(reading) for reading in readings]
    firsts = first_places([reading.result for reading in readings])
    for place, first in enumerate(firsts):
        if first < place:
            continue
        group = next((group for group in groups if _alike(shapes[group[0]], shapes[place])), None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    groups.sort(key=lambda group: -len(group))
    return tuple([_curve(readings, group) for group in groups])


def _shape(reading: Reading) -> Shape:
    """Model, mean input and mean output tokens; None for what is not told."""
    result = reading.result
    return result.settings.get("model_id"), mean_tokens(result, "input"), mean_tokens(result, "output")


def _alike(one: Shape, other: Shape) -> bool:
    if one[0] != other[0] and None not in (one[0], other[0]):
        return False
    for first, second in zip(one[1:], other[1:]):
        if first is None or second is None:
            continue
        if abs(first - second) > LIKE * first:
            return False
    return True


def _curve(readings: Sequence[Reading], group: Sequence[int]) -> Curve:
    kind, loads = _loads([readings[place] for place in group])
    made = [_point(readings[place], place, load) for place, load in zip(group, loads)]
    points = sorted(made, key=_by_load)
    throughput = (
        "output_throughput" if all(p.output_throughput is not None for p in points) else "request_throughput"
    )
    best = _best(points, throughput)
    served = [point.request_throughput for point in points if point.request_throughput is not None]
    at_knee = knee([value for _, value in best]) if len(best) > 1 else None
    is_saturated = at_knee is not None or (len(points) > 1 and points[-1].load == "inf")
    contradicting = tuple([i for i, point in enumerate(points) if not readings[point.place].holds])
    is_mixed = kind == "request_rate" and len({_limit(readings[place]) for place in group}) > 1
    is_sound = not contradicting and not is_mixed
    capacity = max(served, default=None) if is_saturated and is_sound else None
    knee_place = None if at_knee is None else best[at_knee][0]
    plan = None
    if is_sound and knee_place is not None and points[knee_place].request_throughput is not None:
        plan = planned_rate(points[knee_place].request_throughput or Fraction(0))
    warned = _warned(points, kind, readings)
    if is_mixed:
        warned = [(*words, *_held_back(readings[p.place])) for p, words in zip(points, warned)]
    return Curve(
        kind,
        throughput,
        tuple([_with_wait(point, kind, capacity, words) for point, words in zip(points, warned)]),
        knee_place,
        best[peak([value for _, value in best])][0] if best else None,
        capacity,
        plan,
        contradicting,
        is_mixed,
    )


def _limit(reading: Reading) -> Fraction | None:
    limit: Fraction | None = reading.result.settings.get("max_concurrency")
    return limit


def _held_back(reading: Reading) -> tuple[str, ...]:
    """The trap of a rate whose requests the client holds back, on a curve where it does not always."""
    return () if _limit(reading) is None else (UNLIKE,)


def _by_load(point: Point) -> tuple[Fraction, Fraction]:
    """By load, and at equal load the larger TTFT first, so that what improved comes later."""
    load = INFINITE if isinstance(point.load, str) else point.load
    return load, -(point.ttft_ms or Fraction(0))


def _loads(readings: Sequence[Reading]) -> tuple[str, list[Fraction | str]]:
    """What the results' loads are, and each one's."""
    rates = [reading.result.settings.get("request_rate") for reading in readings]
    limits = {_limit(reading) for reading in readings}
    is_one_rate = len(set(rates)) == 1 and len(limits) > 1 and None not in limits
    if all(rate is not None for rate in rates) and any(rate != "inf" for rate in rates) and not is_one_rate:
        return "request_rate", [rate for rate in rates if rate is not None]
    for kind in ("max_concurrency", "completed"):
        loads = [reading.result.figures.get(kind, reading.result.settings.get(kind)) for reading in readings]
        known = [load for load in loads if load is not None]
        if len(known) == len(loads) and (len(set(known)) > 1 or len(loads) == 1):
            return kind, list(known)
    if rates.count("inf") == len(rates) or len(readings) == 1:
        return "request_rate", ["inf" if rate is None else rate for rate in rates]
    return "request_throughput", [_served(reading) or Fraction(0) for reading in readings]


def _served(reading: Reading) -> Fraction | None:
    """Requests a second: from the counts if they are there, else as printed."""
    own = reading.recomputed.get("request_throughput")
    return reading.result.figures.get("request_throughput") if own is None else own


def _point(reading: Reading, place: int, load: Fraction | str) -> Point:
    figures = reading.result.figures
    tokens = figures.get("output_throughput", reading.recomputed.get("output_throughput"))
    ttft, tpot, e2el = (figures.get(f"mean_{metric}_ms") for metric in ("ttft", "tpot", "e2el"))
    return Point(place, load, _served(reading), tokens, ttft, tpot, e2el, reading.goodput, None, ())


def _best(points: Sequence[Point], throughput: str) -> list[tuple[int, Fraction]]:
    """The best point of each load, (place, throughput), in the order of the loads."""
    best: dict[Fraction | str, tuple[int, Fraction]] = {}
    for place, point in enumerate(points):
        value: Fraction | None = getattr(point, throughput)
        if value is not None and (point.load not in best or best[point.load][1] < value):
            best[point.load] = place, value
    return list(best.values())


def _with_wait(point: Point, kind: str, capacity: Fraction | None, words: tuple[str, ...]) -> Point:
    """The point with its traps, and with what M/M/1 says of a queue with its arrivals."""
    wait = None
    if kind == "request_rate" and isinstance(point.load, Fraction) and capacity is not None:
        wait = mm1_wait(capacity, point.load)
    return point.replace(mm1_wait_s=wait, warnings=words)


def _warned(points: Sequence[Point], kind: str, readings: Sequence[Reading]) -> list[tuple[str, ...]]:
    """The traps that only a comparison with the point before shows, for each point."""
    found: list[tuple[str, ...]] = [()]
    for before, point in pairwise(points):
        word = _word(before, point, kind, readings)
        found.append(() if word is None else (word,))
    return found


def _word(before: Point, point: Point, kind: str, readings: Sequence[Reading]) -> str | None:
    old, new = before.ttft_ms, point.ttft_ms
    if old is None or new is None or new >= (1 - WARM_FROM) * old:
        return None
    # a measured load is a result, not a setting: two such runs may have been sent alike
    is_equal = before.load == point.load or kind == "request_throughput"
    more = (point.request_throughput or 0) > (before.request_throughput or 0)
    traded = before.tpot_ms and point.tpot_ms and point.tpot_ms >= (1 + TPOT_UP) * before.tpot_ms
    if is_equal and more and traded:
        return "tpot_for_ttft"
    if before.load != point.load:
        return "warm_cache"
    inputs = [readings[one.place].result.figures.get("total_input_tokens") for one in (before, point)]
    return "warm_cache" if inputs[0] == inputs[1] and 2 * new < old else None
