"""Several benchmark results as text: the table over rates, the knee and its reasons, the next command."""

from __future__ import annotations

from fractions import Fraction

from labs.view.schedule_bench import allowed, amount, hanging, has_lists, plain, prose
from labs.view.tables import table
from labs.view.units import MAX_DIGITS, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.replay.bench.curve import Curve, Point
    from labs.schedule_bench import Result

MAX_NAMED = 5
SIDE_BY_SIDE = Fraction(98, 100)
UNITS = {"output_throughput": "tok/s", "request_throughput": "req/s"}


def rates(result: Result, t: dict[str, str], warnings: dict[str, str]) -> list[str]:
    """The tables of all curves of two results or more."""
    lines = []
    for curve in result.curves:
        if len(curve.points) < 2:
            continue
        lines.append(
            prose(t["table_head"].format(load=t["load_" + curve.load_kind]) + _shape(curve, result, t))
        )
        rows = [_row(place, curve, t) for place in range(len(curve.points))]
        columns = [column for column in zip(t["table_columns"].split("|"), *rows) if any(column[1:])]
        lines.append(table(list(zip(*columns))))
        for word in dict.fromkeys([word for point in curve.points for word in point.warnings]):
            at = ", ".join([plain(point.load) for point in curve.points if word in point.warnings])
            lines.append(hanging(t["warning"].format(word=f"{word} ({at})", text=warnings[word])))
    return lines


def _shape(curve: Curve, result: Result, t: dict[str, str]) -> str:
    estimates = result.readings[curve.points[0].place].estimates
    lengths = [estimates.get(f"mean_{which}_tokens") for which in ("input", "output")]
    if lengths[0] is None or lengths[1] is None:
        return ""
    return t["workload"].format(
        inputs=plain(Fraction(round(lengths[0]))), outputs=plain(Fraction(round(lengths[1])))
    )


def _row(place: int, curve: Curve, t: dict[str, str]) -> list[str]:
    point = curve.points[place]
    wait = ""
    if curve.load_kind == "request_rate" and isinstance(point.load, Fraction) and curve.capacity is not None:
        wait = t["without_bound"]
        if point.mm1_wait_s is not None:
            wait = t["seconds"].format(s=amount(point.mm1_wait_s, "", 3))
    marks = [t[mark] for mark, at in (("is_knee", curve.knee), ("is_peak", curve.peak)) if at == place]
    figures = (
        *(point.request_throughput, point.output_throughput),
        *(point.ttft_ms, point.tpot_ms, point.goodput),
    )
    cells = ["" if figure is None else amount(figure) for figure in figures]
    return [plain(point.load), *cells, wait, ", ".join([*marks, *point.warnings])]


def _throughput(point: Point, curve: Curve) -> str:
    value = getattr(point, curve.throughput_kind)
    return f"{amount(value)} {UNITS[curve.throughput_kind]}"


def verdict(result: Result, t: dict[str, str]) -> list[str]:
    """Whether the results hold, and the knee of each curve."""
    failing = sum([not reading.holds for reading in result.readings])
    checked = sum([reading.is_checked for reading in result.readings])
    lines = [_said(failing, checked, len(result.readings), t)]
    several = sum([len(curve.points) > 1 for curve in result.curves]) > 1
    for curve in result.curves:
        if len(curve.points) < 2 or curve.peak is None:
            continue
        if several:
            lines.append(t["of_curve"].format(workload=_shape(curve, result, t)))
        if curve.knee is None:
            last = curve.points[-1].load
            word = "no_knee_mixed" if curve.is_mixed else "no_knee_inf" if last == "inf" else "no_knee"
            lines.append(t[word].format(load=plain(last)))
            continue
        point = curve.points[curve.knee]
        values = {"load": plain(point.load), "throughput": _throughput(point, curve)}
        if curve.contradicting:
            loads = [plain(curve.points[place].load) for place in curve.contradicting]
            at = ", ".join(loads[:MAX_NAMED]) + (", ..." if len(loads) > MAX_NAMED else "")
            lines.append(t["knee_contradicted"].format(at=at, **values))
        elif curve.is_mixed:
            lines.append(t["knee_mixed"].format(**values))
        elif curve.plan is None:
            lines.append(t["knee_no_plan"].format(**values))
        else:
            served = amount(point.request_throughput)
            lines.append(t["knee"].format(plan=amount(curve.plan), served=served, **values))
    return lines


def _said(failing: int, checked: int, results: int, t: dict[str, str]) -> str:
    """The result's line: what contradicts itself, and what nothing could be held against."""
    if failing:
        word = (
            "result_fails_alone" if results == 1 else "result_fails_one" if failing == 1 else "result_fails"
        )
    elif checked == results:
        word = "result_holds"
    else:
        word = "result_unchecked" if not checked else "result_partly_checked"
    return t[word].format(count=failing, results=results, unchecked=results - checked)


def why(result: Result, t: dict[str, str]) -> str:
    """The reasons in this run's values: what contradicts, else the rate and Little's law; then the knee."""
    reasons = _contradictions(result, t) or _first_result(result, t)
    for curve in result.curves[:1]:
        reasons += _of_curve(curve, t)
    return t["why"] + t["join"].join(reasons) + t["stop"] if reasons else ""


def _contradictions(result: Result, t: dict[str, str]) -> list[str]:
    for reading in result.readings:
        if reading.holds:
            continue
        for one in reading.differing if has_lists(reading) else ():
            printed, right = (amount(value, one.name, 6) for value in (one.printed, one.recomputed))
            return [t["why_differs"].format(name=one.name, printed=printed, right=right)]
        for check in reading.checks:
            if not check.holds:
                printed = amount(check.printed, check.name, 4)
                said = t["why_check"].format(name=check.name, printed=printed, allowed=allowed(check, t))
                return [said]
    return []


def _first_result(result: Result, t: dict[str, str]) -> list[str]:
    curve = result.curves[0]
    at = curve.peak if curve.knee is None else curve.knee
    reading = result.readings[curve.points[at or 0].place]
    figures, estimates = reading.result.figures, reading.estimates
    completed, duration = figures.get("completed"), figures.get("duration")
    if completed is None or duration is None:
        return []
    rate = amount(completed / duration)
    said = t["why_rate"].format(completed=plain(completed), duration=amount(duration), rate=rate)
    reasons = [said]
    in_flight = estimates.get("mean_in_flight", estimates.get("little"))
    if in_flight is not None and completed:
        latency = amount(in_flight * duration / completed, places=3)
        reasons.append(t["why_little"].format(rate=rate, latency=latency, little=amount(in_flight)))
    parts = estimates.get("e2e_from_parts_s")
    if parts is not None and SIDE_BY_SIDE * duration <= parts <= duration and completed > 1:
        values = {"parts": amount(parts), "s": amount(duration)}
        reasons.append(t["why_side_by_side"].format(**values))
    return reasons


def _of_curve(curve: Curve, t: dict[str, str]) -> list[str]:
    points = curve.points
    if len(points) < 2 or curve.peak is None or curve.is_mixed:
        return []
    if curve.knee is None:
        values = {"at": _throughput(points[-1], curve), "before": _throughput(points[-2], curve)}
        values |= {"load": plain(points[-1].load), "finite": plain(points[-2].load)}
        return [t["why_growing_inf" if points[-1].load == "inf" else "why_growing"].format(**values)]
    at = points[curve.knee]
    later = max(points[curve.knee + 1 :], key=lambda point: getattr(point, curve.throughput_kind) or 0)
    values = {"at": _throughput(at, curve), "later": _throughput(later, curve)}
    reasons = [t["why_knee"].format(load=plain(at.load), **values)]
    waiting = [point for point in points if point.mm1_wait_s is not None]
    if waiting and curve.capacity is not None:
        capacity, wait = amount(curve.capacity), amount(waiting[-1].mm1_wait_s, "", 3)
        reasons.append(t["why_mm1"].format(capacity=capacity, wait=wait, load=plain(waiting[-1].load)))
    return reasons


def next_command(result: Result, t: dict[str, str]) -> str:
    """What to try next: limits, the lists, more rates, or a larger load; then a command on its own line."""
    words, limits = _words(result), result.params.limits
    detailed = any(one.form == "json_detailed" for one in result.params.results)
    if detailed and limits is None:
        return _next(t["next_goodput"], f"{words} --goodput ttft:200 tpot:50")
    curve = result.curves[0]
    if len(curve.points) > 1 and curve.is_mixed:
        said = t["next_mixed"]
    elif len(curve.points) > 1 and curve.knee is None:
        if curve.points[-1].load == "inf":
            said = t["next_between"].format(load=plain(curve.points[-2].load))
        else:
            said = t["next_larger"].format(load=plain(curve.points[-1].load))
    else:
        said = t["next_rates" if detailed else "next_detailed"]
    return _next(said, f"{words} --json")


def _next(said: str, words: str) -> str:
    """A line or two of prose, then the whole command, to be copied as it stands."""
    return f"{prose(said)}\npython3 inference_lab.py schedule bench {words}"


def _words(result: Result) -> str:
    """The files of the line, the first one alone if they are many, and its limits."""
    import shlex

    paths = [shlex.quote(path) for path in dict.fromkeys([one.path for one in result.params.results])]
    words = paths if len(paths) <= MAX_NAMED else paths[:1]
    limits = {} if result.params.limits is None else result.params.limits.as_dict()
    given = [f"{name}:{decimal(ms)}" for name, ms in limits.items() if ms is not None]
    return " ".join([*words, *(["--goodput", *given] if given else [])])


def decimal(number: Fraction) -> str:
    """A decimal fraction in full.

    >>> decimal(Fraction("0.125")), decimal(Fraction(1200))
    ('0.125', '1200')
    """
    return trimmed(number.numerator, number.denominator, MAX_DIGITS)
