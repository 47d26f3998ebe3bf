"""The planner of `labs.sizing` against vLLM 0.32.0's, layer by layer: groups, blocks, tokens, refusals.

The expected figures are the engine's (tests/golden); `tests/sizing/planner.py` says how a case is asked.
"""

from __future__ import annotations

from typing import Any

import pytest

from labs.base import LabError
from tests.sizing import planner
from tests.sizing.planner import Case

DCP_WITH_WINDOWS = "dcp_2_sliding_refused"  # refused at the option, before any plan
NOT_UNIFIED = "mla_and_chunked_refused"
MIXED = [name for name in planner.mixed() if name not in (DCP_WITH_WINDOWS, NOT_UNIFIED)]
# checks of the script that made the file, and figures that no formula here has
NOT_ASKED = (
    *("model", "available_bytes", "num_layers", "num_blocks_times_block_size", "log_line"),
    *("check_concurrency", "check_tokens", "error", "override", "note"),
)


def check(case: Case, expected: dict[str, Any]) -> None:
    plan = planner.plan(case)
    found = planner.shown(plan, case.available_bytes)
    asked = {key: value for key, value in expected.items() if key not in NOT_ASKED and value is not None}
    assert plan.fits is ("error" not in expected)
    if "error" in expected:  # the estimate counts even where it is None
        asked = {key: expected[key] for key in ("estimated_max_model_len", "groups") if key in expected}
    assert {key: found[key] for key in asked} == asked


@pytest.mark.parametrize("name", MIXED)
def test_a_hand_made_case(name: str) -> None:
    """Mixed kinds, unlike pages, stages, ranks, overrides, auto-fit, one byte too few."""
    check(planner.mixed_case(name), planner.mixed()[name]["expected"])


@pytest.mark.parametrize("name", planner.named())
def test_a_real_model(name: str) -> None:
    """The file keeps bytes of one worker: those of the widest group."""
    expected = dict(planner.named()[name])
    case = planner.named_case(name)
    if "bytes_per_block" in expected:
        ranks = len(case.available_bytes)
        expected["bytes_per_block"] = ranks * [expected["bytes_per_block"]]
        left = [own - expected["num_blocks"] * expected["bytes_per_block"][0] for own in case.available_bytes]
        assert expected["unused_bytes"] == left[0] or name in planner.OVERRIDES
        expected["unused_bytes"] = left
    if "error" in expected:
        expected.pop("groups", None)
    check(case, expected)


@pytest.mark.parametrize("at", range(len(planner.random())))
def test_a_random_model(at: int) -> None:
    expected = dict(planner.random()[at])
    for key in ("bytes_per_block", "unused_bytes"):
        expected[key] = [expected[key]]
    check(planner.random_case(at), expected)


def test_latents_beside_chunks_have_no_common_page() -> None:
    assert planner.mixed()[NOT_UNIFIED]["expected"]["error"].endswith("page sizes cannot be unified")
    with pytest.raises(LabError) as refused:
        planner.plan(planner.mixed_case(NOT_UNIFIED))
    assert (refused.value.where, refused.value.rule) == ("--config", "pages_not_unified")


def test_all_files_are_there() -> None:
    """Of each kind of case some: 29 real models, 40 random ones, and the hand-made ones."""
    assert (len(planner.named()), len(planner.random())) == (29, 40)
    cases = [planner.mixed_case(name) for name in planner.mixed()]
    assert len(cases) > 60
    kinds = {layer["kind"] for case in cases for layer in case.layers}
    assert kinds == {"full", "sliding", "chunked", "mla", "mamba"}
    assert {len(case.stages) for case in cases} == {1, 2, 3}
    assert any(case.adds_a_step and len(case.stages) > 1 for case in cases)
    assert {case.dcp for case in cases} == {1, 2, 8}
    assert sum(case.auto_fit for case in cases) >= 5
    assert sum("error" in planner.mixed()[name]["expected"] for name in MIXED) >= 10
