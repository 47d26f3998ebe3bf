"""The table over rates as comma-separated values: one line a result, curve after curve."""

from __future__ import annotations

from labs.view.schedule_bench_json import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.schedule_bench import Result

COLUMNS = (
    "curve",
    "path",
    "load_kind",
    "load",
    "request_throughput",
    "output_throughput",
    "mean_ttft_ms",
    "mean_tpot_ms",
    "mean_e2el_ms",
    "goodput",
    "mm1_wait_s",
    "is_knee",
    "warnings",
)


def rates_csv(result: Result) -> str:
    """The whole text; what is not known is an empty cell."""
    import csv
    from io import StringIO

    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for index, curve in enumerate(result.curves, 1):
        for place, point in enumerate(curve.points):
            values = (
                *(point.load, point.request_throughput, point.output_throughput),
                *(point.ttft_ms, point.tpot_ms, point.e2el_ms, point.goodput, point.mm1_wait_s),
            )
            cells = ["" if value is None else number(value, "completed") for value in values]
            path = result.params.results[point.place].path
            knee = int(place == curve.knee)
            writer.writerow([index, path, curve.load_kind, *cells, knee, " ".join(point.warnings)])
    return stream.getvalue()
