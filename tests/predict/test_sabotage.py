"""Reading and explaining predictions, broken on purpose (mistakes.txt): the test there must turn red."""

from __future__ import annotations

from tests.sabotage import suite

(
    test_there_are_mistakes_to_make,
    test_what_is_not_broken_is_green,
    test_a_broken_rule_is_noticed,
) = suite(__file__, "labs.predict", "tests.predict", more_than=80)
