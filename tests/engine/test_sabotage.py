"""Each rule, broken on purpose (mistakes.txt): the test that is there for it must turn red."""

from __future__ import annotations

import pytest

from labs.engine.external.script import ExternalScript
from tests.engine.test_external import (
    test_the_default_policy_ends_a_request_whose_load_failed as default_policy,
)
from tests.sabotage import suite, turns_red

(
    test_there_are_mistakes_to_make,
    test_what_is_not_broken_is_green,
    test_a_broken_rule_is_noticed,
) = suite(__file__, "labs.engine", "tests.engine", more_than=100)


def test_another_default_policy_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ExternalScript.defaults, "policy", "recompute")
    assert turns_red(default_policy)
