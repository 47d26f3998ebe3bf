"""The same requests again, at other rates or with other numbers of KV blocks, and where that bends them.

    knee, plan      see `labs.replay.queueing`, over the requests completed a second
    mu of M/M/1     the most requests a second of any run here, so that the queue is compared at its best
    cliff           the smallest number of blocks tried from which on nobody is preempted, that number itself
                    and all larger ones

Preemptions need not fall with every block more: a pool for one request at a time preempts nobody.

Does not model: what lies between the points.
"""

from __future__ import annotations

from labs.base import Record
from labs.replay.queueing import knee, mm1_wait, planned_rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Literal

    from labs.replay.report import Report

MS_PER_S = 1000


class Point(Record):
    """One run: the rate asked for, "inf" being at once, or the blocks (None: as they come, unlimited)."""

    rate: Fraction | str | None
    blocks: int | None
    report: Report


class RateSweep(Record):
    """Points by ascending rate; `mu` in requests a second."""

    points: tuple[Point, ...]
    mu: Fraction
    over: Literal["rate"] = "rate"

    @property
    def knee(self) -> Point | None:
        """The point at the knee; None if the throughput still grows at the last one."""
        place = knee([point.report.request_throughput for point in self.points])
        return None if place is None else self.points[place]

    @property
    def plan_rate(self) -> Fraction | None:
        """Requests a second to plan with, if there is a knee."""
        return None if self.knee is None else planned_rate(self.knee.report.request_throughput)

    def mm1_ms(self, point: Point) -> Fraction | None:
        """Mean ms in an M/M/1 system at a point's rate; None where its queue grows without bound."""
        if point.rate is None or isinstance(point.rate, str):
            return None
        wait = mm1_wait(self.mu, point.rate)
        return None if wait is None else MS_PER_S * wait


class BlockSweep(Record):
    """Points in the order asked for."""

    points: tuple[Point, ...]
    over: Literal["blocks"] = "blocks"

    @property
    def without_preemption(self) -> list[int]:
        """Numbers of blocks at which nobody was preempted, ascending."""
        return sorted(point.blocks or 0 for point in self.points if not point.report.preemptions)

    @property
    def most_with_preemption(self) -> int | None:
        """The largest number of blocks at which somebody was."""
        return max([point.blocks or 0 for point in self.points if point.report.preemptions], default=None)

    @property
    def cliff(self) -> int | None:
        """The smallest number from which on nobody is preempted; None if somebody is at the largest."""
        most = self.most_with_preemption or 0
        return next((blocks for blocks in self.without_preemption if blocks > most), None)
