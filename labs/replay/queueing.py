"""Throughput against load: the knee of a curve, the rate to plan with, and M/M/1 beside it.

    point       (load, throughput), loads strictly ascending
    knee        the smallest load whose throughput no larger load exceeds by more than `GROWTH` (5 %)
    plan        70 % of the throughput at the knee
    M/M/1 (model)   a request's mean time in the system is 1 / (mu - lambda): lambda requests a second arrive,
                mu can be served; without bound from lambda = mu on

The largest load is never the knee: nothing was tried beyond it, so the throughput may go on growing. The 5 %
keep noise on a plateau from passing for growth; the comparison is exact.

Source: the course (set-up chapter: M/M/1, plan at about 70 % of the knee).
Does not model: batching, which serves many requests at once, so that a real wait stays flat for longer and
then grows faster; bursts; a queue with an end.
"""

from __future__ import annotations

from fractions import Fraction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

GROWTH = Fraction(5, 100)
PLAN_SHARE = Fraction(70, 100)


def knee(throughputs: Sequence[Fraction]) -> int | None:
    """The place of the knee among throughputs in the order of their loads; None if the last one still grows.

    >>> knee([Fraction(t) for t in (10, 50, 51, 49)]), knee([Fraction(10), Fraction(20)])
    (1, None)
    """
    for place in range(len(throughputs) - 1):
        most = throughputs[place] * (1 + GROWTH)
        if all(later <= most for later in throughputs[place + 1 :]):
            return place
    return None


def peak(throughputs: Sequence[Fraction]) -> int:
    """The place of the largest throughput, the first of equal ones; at least one is there.

    >>> peak([Fraction(10), Fraction(51), Fraction(51)])
    1
    """
    return max(range(len(throughputs)), key=lambda place: (throughputs[place], -place))


def planned_rate(throughput: Fraction) -> Fraction:
    """The rate to plan with, of the throughput at the knee, in its unit.

    >>> planned_rate(Fraction(10))
    Fraction(7, 1)
    """
    return throughput * PLAN_SHARE


def mm1_wait(served_per_s: Fraction, arriving_per_s: Fraction) -> Fraction | None:
    """Mean seconds that a request is in an M/M/1 system; None where the queue grows without bound.

    >>> mm1_wait(Fraction(50), Fraction(10)), mm1_wait(Fraction(50), Fraction(50))
    (Fraction(1, 40), None)
    """
    if arriving_per_s >= served_per_s:
        return None
    return 1 / (served_per_s - arriving_per_s)
