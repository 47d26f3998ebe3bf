"""preempted-as-hits: a preempted request's own blocks, found again, are counted as hits of the cache.

Right: the prefix cache's counters take each request once, at its first admission; resumptions are apart.
Broken: every admission is counted. The rounds are the same; the hit rate tells of preemptions.
Source: hit rates that rise under preemption; vLLM 0.32.0 counts re-admissions apart.
"""

from __future__ import annotations

from labs.bugs.account import Admission, Case, Variant
from labs.engine.knobs import Knobs
from labs.engine.requests import Request

CASE = Case(
    (Request("A", 6, 5), Request("B", 5, 4)),
    Knobs(budget=16, block_size=2, kv_blocks=7),
)


def every_admission(admission: Admission) -> bool:
    """Which admissions the broken counters take: all, the first and those after a preemption."""
    return True


VARIANT = Variant(is_counted=every_admission)
