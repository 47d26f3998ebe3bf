"""The samples behind a result's aggregates: which requests succeeded, and each measure's values.

    succeeded   no error; without a list of errors, an output; failed requests are in the lists, as zeros
    e2els       `latencies`; where an older file has none, TTFT plus the gaps: up to the last chunk
    tpots       of answers of two tokens or more
    chunks      one a first token and one a gap

Times are in seconds, as in the file.
Source: vLLM 0.32.0, `vllm bench serve`.
Does not model: which of the requests without an output failed, where nothing tells.
"""

from __future__ import annotations

from math import fsum

from labs.base import Record
from labs.replay.latency import tpot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.files.bench_result import BenchResult, Requests


class Samples(Record):
    """What succeeded, by its place in the lists, and the values of every request, failed ones too.

    A list is None where the file has nothing to make it of.
    """

    succeeded: tuple[int, ...]
    number_of_requests: int
    ttfts: list[float] | None
    e2els: list[float] | None
    itls: list[list[float]] | None
    output_lens: list[int] | None
    input_lens: list[int] | None
    start_times: list[float] | None
    queue_times: list[float] | None
    e2el_is_listed: bool

    def values(self, metric: str, places: Sequence[int] | None = None) -> list[float] | None:
        """The values of a measure over some requests, those that succeeded unless said otherwise.

        TPOT leaves out answers of one token; ITL pools the gaps of all requests.
        """
        of = self.succeeded if places is None else places
        if metric == "ttft":
            return None if self.ttfts is None else [self.ttfts[i] for i in of]
        if metric == "e2el":
            return None if self.e2els is None else [self.e2els[i] for i in of]
        if metric == "itl":
            return None if self.itls is None else [gap for i in of for gap in self.itls[i]]
        if metric == "tpot":
            return self._tpots(of)
        if self.queue_times is None:
            return None
        if metric == "client_queue_time":
            return [self.queue_times[i] for i in of]
        return None if self.e2els is None else [self.e2els[i] + self.queue_times[i] for i in of]

    def _tpots(self, of: Sequence[int]) -> list[float] | None:
        if self.ttfts is None or self.e2els is None or self.output_lens is None:
            return None
        found = [tpot(self.ttfts[i], self.e2els[i], self.output_lens[i]) for i in of]
        return [float(value) for value in found if value is not None]

    @property
    def chunks(self) -> int | None:
        """Streamed chunks of the requests that succeeded."""
        return None if self.itls is None else sum([len(self.itls[i]) + 1 for i in self.succeeded])


def samples_of(result: BenchResult) -> Samples | None:
    """The samples of a result that has lists, None without."""
    lists = result.requests
    present = [entries for entries in lists.as_dict().values() if entries is not None]
    if not present:
        return None
    completed = result.figures.get("completed")
    succeeded = _succeeded(lists, len(present[0]), None if completed is None else int(completed))
    e2els = lists.latencies
    if e2els is None and lists.ttfts is not None and lists.itls is not None:
        e2els = [fsum([first, *gaps]) for first, gaps in zip(lists.ttfts, lists.itls)]
    return Samples(
        succeeded,
        len(present[0]),
        lists.ttfts,
        e2els,
        lists.itls,
        lists.output_lens,
        lists.input_lens,
        lists.start_times,
        lists.queue_times,
        lists.latencies is not None,
    )


def _succeeded(lists: Requests, length: int, completed: int | None) -> tuple[int, ...]:
    """The requests that succeeded; of two readings the one that is as many as the file says."""
    readings = []
    if lists.errors is not None:
        readings.append([i for i in range(length) if not lists.errors[i]])
    if lists.output_lens is not None:
        readings.append([i for i in range(length) if lists.output_lens[i]])
    elif lists.latencies is not None:
        readings.append([i for i in range(length) if lists.latencies[i]])
    readings.append(list(range(length)))
    fitting = next((reading for reading in readings if len(reading) == completed), readings[0])
    return tuple(fitting)
