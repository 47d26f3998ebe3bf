"""The rules of a fetch broken in the code as learners break them: the right figure turns wrong.

Both figures are the course's, or arithmetic written beside them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import pytest

from labs.sizing.fetch import EffectiveRate, Length

if TYPE_CHECKING:
    from tests.conftest import RunJson

SIZE = "--size 1GiB --bandwidth 400Gbit/s"
LENGTH = (
    "--lookup 10ms --conversion 20ms --overlap 10ms --tokens 1000 --kv-per-token 100kB --bandwidth 8Gbit/s"
    " --recompute-rate 5000tok/s"
)


class Mistake(NamedTuple):
    """A rule broken in the code: what is replaced, in which run, and the figure right and wrong."""

    target: str
    rule: object
    words: str
    key: str
    right: float | str
    wrong: float | str


MISTAKES = {
    "overlap taken off twice": Mistake(
        "labs.sizing.fetch.fetch_cost_ms",
        lambda lookup, data_path, conversion, overlap: lookup + data_path + conversion - 2 * overlap,
        "",
        "fetch_ms",
        22,
        14,
    ),
    "overlap taken off the saving too": Mistake(
        "labs.sizing.fetch.Costs.saving_ms",
        property(lambda costs: costs.recompute_ms - costs.fetch_ms + costs.overlap_ms),
        "",
        "saving_ms",
        38,
        46,
    ),
    "overlap not taken off": Mistake(
        "labs.sizing.fetch.fetch_cost_ms",
        lambda lookup, data_path, conversion, overlap: lookup + data_path + conversion,
        "",
        "saving_ms",
        38,
        30,
    ),
    "conversion forgotten": Mistake(
        "labs.sizing.fetch.fetch_cost_ms",
        lambda lookup, data_path, conversion, overlap: lookup + data_path - overlap,
        "",
        "fetch_ms",
        22,
        15,
    ),
    # 2^30 x 8 / 4e11 s, and an eighth of it
    "bits taken for bytes": Mistake(
        "labs.sizing.fetch_params.data_path_ms",
        lambda num_bytes, rate: Fraction(1000 * num_bytes, rate),
        SIZE,
        "data_path_ms",
        21.474836,
        2.684355,
    ),
    # min(2 x 400, 500) Gbit/s
    "the larger of links and host": Mistake(
        "labs.sizing.fetch_params.effective_rate",
        lambda bandwidth, links, host: EffectiveRate(max(links * bandwidth, host), "host"),
        f"{SIZE} --links 2 --host-limit 500Gbit/s",
        "effective_bandwidth_bits_per_s",
        5 * 10**11,
        8 * 10**11,
    ),
    "one link for all": Mistake(
        "labs.sizing.fetch_params.effective_rate",
        lambda bandwidth, links, host: EffectiveRate(bandwidth, "links"),
        f"{SIZE} --links 2 --host-limit 500Gbit/s",
        "limited_by",
        "host",
        "links",
    ),
    # 10 + 20 - 10 = 20 ms; 0.2 - 0.1 ms a token; 200 tokens are a draw
    "the draw counted as won": Mistake(
        "labs.capacity_fetch.break_even_length",
        lambda fixed, slow, fast: Length("from", int(fixed / (slow - fast)), fixed / (slow - fast)),
        LENGTH,
        "tokens",
        201,
        200,
    ),
    # with 30 ms in place of 20: 300 tokens are a draw
    "overlap left out of the fixed part": Mistake(
        "labs.sizing.fetch.Costs.fixed_ms",
        property(lambda costs: costs.lookup_ms + costs.conversion_ms),
        LENGTH,
        "tokens",
        201,
        301,
    ),
    # 0.2 - 0.0125 ms a token: 106.67 tokens
    "bits taken for bytes in the break-even": Mistake(
        "labs.capacity_fetch.data_path_ms",
        lambda num_bytes, rate: 1000 * Fraction(num_bytes) / rate,
        LENGTH,
        "exact_tokens",
        200,
        106.666667,
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_broken_rule_turns_the_figure_wrong(
    name: str, monkeypatch: pytest.MonkeyPatch, run_json: RunJson
) -> None:
    """The right figure comes out of the rule as it is, and not out of the broken one."""
    mistake = MISTAKES[name]
    words = ["capacity", "fetch", *mistake.words.split()]

    def figure() -> object:
        result = run_json(words)["result"]
        return {**result["break_even"], **result}[mistake.key]

    assert figure() == mistake.right
    monkeypatch.setattr(mistake.target, mistake.rule)
    assert figure() == mistake.wrong
