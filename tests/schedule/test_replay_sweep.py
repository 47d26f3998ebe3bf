"""Sweeps of rates and of KV blocks: the points, the knee with M/M/1 beside it, the cliff."""

from __future__ import annotations

from fractions import Fraction

import pytest

from labs.replay.report import report_of
from labs.replay.sweep import BlockSweep, Point, RateSweep
from tests.replay.test_report import R1, replay_of
from tests.schedule.replay_line import RANDOM, result_of

REPORT = report_of(replay_of(R1))  # one request in 10 ms

# a prompt of one step of 100 ms, one output: an engine that serves 10 a second, one after the other
SERIAL = ("--input-len", "8", "--output-len", "1", "--budget", "8", "--cost", "base=100ms")
LOAD = ("--random", "40", "--rate", "5", "--burstiness", "inf", *SERIAL)


def rates(*words: str) -> RateSweep:
    sweep = result_of(*LOAD, *words).sweep
    assert isinstance(sweep, RateSweep)
    return sweep


def test_a_point_of_a_rate_is_the_load_at_that_rate() -> None:
    whole = result_of("--random", "40", "--rate", "20", "--burstiness", "inf", *SERIAL)
    assert rates("--sweep-rate", "20").points[0].report == whole.report


def test_throughput_of_a_serial_engine() -> None:
    """Even gaps: at 5 a second 39 gaps of 200 ms and a step, 7.9 s; at 20 or at once 40 steps, 4 s."""
    found = [point.report.request_throughput for point in rates("--sweep-rate", "5,20,inf").points]
    assert found == [Fraction(40, Fraction(79, 10)), 10, 10]


def test_the_knee_and_what_to_plan() -> None:
    sweep = rates("--sweep-rate", "5,20,inf")
    assert sweep.knee is sweep.points[1]
    assert sweep.plan_rate == 7
    assert sweep.mu == 10


def test_there_is_no_knee_while_the_throughput_grows() -> None:
    sweep = rates("--sweep-rate", "2,4,8")
    assert (sweep.knee, sweep.plan_rate) == (None, None)


def test_mm1_beside_each_rate() -> None:
    """mu = 10 a second: 1 / (10 - 5) s at 5; without bound from 10 on, and no rate at once."""
    sweep = rates("--sweep-rate", "5,10,20,inf")
    assert [sweep.mm1_ms(point) for point in sweep.points] == [200, None, None, None]


def test_the_run_itself_counts_for_mu() -> None:
    words = ("--random", "40", "--rate", "20", "--burstiness", "inf", *SERIAL)
    sweep = result_of(*words, "--sweep-rate", "5").sweep
    assert isinstance(sweep, RateSweep)
    assert sweep.mu == 10


def test_a_point_of_blocks_is_the_load_with_that_pool() -> None:
    """r1 and r2 of 4 tokens and 9 outputs need 3 blocks of 4 each at their ends."""
    words = ("--random", "2", "--rate", "inf", "--input-len", "4", "--output-len", "9", "--block-size", "4")
    found = result_of(*words, "--sweep-blocks", "3,4,6,9")
    assert isinstance(found.sweep, BlockSweep)
    assert [point.report.preemptions for point in found.sweep.points] == [1, 1, 0, 0]
    assert [point.report.peak_blocks for point in found.sweep.points] == [3, 4, 6, 6]
    assert found.report.preemptions == 0  # without --kv-blocks there is no end to them
    assert (found.sweep.cliff, found.sweep.most_with_preemption) == (6, 4)
    whole = result_of(*words, "--kv-blocks", "4")
    assert found.sweep.points[1].report == whole.report


CLIFFS = [
    pytest.param({3: 1, 4: 1, 6: 0, 9: 0}, 6, 4, id="between"),
    pytest.param({9: 0, 3: 1}, 9, 3, id="in any order"),
    pytest.param({2: 0, 5: 3, 9: 0}, 9, 5, id="few blocks preempt nobody either"),
    pytest.param({3: 1, 4: 2}, None, 4, id="above all"),
    pytest.param({3: 0, 4: 0}, 3, None, id="below all"),
]


@pytest.mark.parametrize(("preemptions", "cliff", "most"), CLIFFS)
def test_the_cliff(preemptions: dict[int, int], cliff: int | None, most: int | None) -> None:
    points = [Point(None, blocks, REPORT.replace(preemptions=n)) for blocks, n in preemptions.items()]
    sweep = BlockSweep(tuple(points))
    assert (sweep.cliff, sweep.most_with_preemption) == (cliff, most)
    assert sweep.without_preemption == sorted(blocks for blocks, n in preemptions.items() if not n)


def test_a_sweep_with_limits_tells_goodput_at_each_point() -> None:
    found = result_of(*RANDOM, "--sweep-rate", "4,400", "--goodput", "ttft:60").sweep
    assert found is not None
    few, many = [point.report.good for point in found.points]
    assert few is not None
    assert many is not None
    assert few == 20 > many
