"""Each rule of latency, checks and curves, broken on purpose (bench_mistakes.txt): its test must turn red."""

from __future__ import annotations

from tests.sabotage import suite

(
    test_there_are_mistakes_to_make,
    test_what_is_not_broken_is_green,
    test_a_broken_rule_is_noticed,
) = suite(__file__, "labs", "tests", more_than=60, files=("bench_mistakes.txt",))
