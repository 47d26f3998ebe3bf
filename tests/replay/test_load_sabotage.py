"""Step costs, their fit and random arrivals, broken on purpose: the test that is there must turn red."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.replay import test_arrivals as arrivals
from tests.replay import test_step_cost as cost
from tests.replay import test_step_fit as fit
from tests.sabotage import Mistake, make, turns_red


def broken(
    function: str, right: str, wrong: str, test: Callable[..., None]
) -> tuple[Mistake, Callable[..., None]]:
    """What goes (right) and what comes (wrong) in a function under labs.replay, and the test to notice it."""
    return Mistake(wrong, function, right, wrong, test.__name__), test


BROKEN = [
    # one step
    broken("step_cost.StepCost.step_ms", "self.base + ", "", cost.test_a_step_by_hand),
    broken("step_cost.StepCost.step_ms", "self.kv * kv_tokens", "self.kv", cost.test_a_step_by_hand),
    broken(
        "step_cost.StepCost.step_ms",
        "self.decode * decodes",
        "self.prefill * decodes",
        cost.test_a_step_by_hand,
    ),
    broken("step_cost.StepCost.check", ">= 0", "> -9", cost.test_no_term_is_below_zero),
    broken("step_cost.StepCost.check", "any(self.terms)", "True", cost.test_a_cost_takes_some_time),
    broken(
        "step_cost.StepCost.ticks_per_ms",
        "for term in self.terms",
        "for term in self.terms[1:]",
        cost.test_a_clock_on_which_every_term_is_whole,
    ),
    # derived
    broken(
        "step_cost.StatedRates.cost",
        "MS_PER_S * FLOPS_PER_PARAMETER * self",
        "MS_PER_S * self",
        cost.test_terms_of_llama_3_8b_on_one_h100,
    ),
    broken(
        "step_cost.StatedRates.cost",
        "MS_PER_S * self.step_bytes",
        "8 * MS_PER_S * self.step_bytes",
        cost.test_terms_of_llama_3_8b_on_one_h100,
    ),
    broken(
        "step_cost.StatedRates.cost",
        "decode=token",
        "decode=2 * token",
        cost.test_terms_of_llama_3_8b_on_one_h100,
    ),
    broken(
        "step_cost.StatedRates.step_bytes",
        "BYTES_PER_PARAMETER * self.parameters if self.weight_bytes is None else self.weight_bytes",
        "BYTES_PER_PARAMETER * self.parameters",
        cost.test_the_weights_may_be_stated_and_the_rest_stays,
    ),
    # as it is written
    broken("cost_options.read_cost", "term not in terms", "True", cost.test_refused),
    broken("cost_options.read_cost", "term in TERMS, where", "True, where", cost.test_refused),
    broken("cost_options.read_cost", "any(terms.values())", "True", cost.test_refused),
    broken("cost_options.read_count", "count > 0 and ", "", cost.test_refused),
    broken("cost_options._positive", "amount > 0", "True", cost.test_refused),
    # fitted
    broken("step_fit.gap_samples", "r.input_tokens + 1)", "r.input_tokens)", fit.test_the_terms_come_back),
    broken("step_fit.gap_samples", "chunks_ns[1:-1]", "chunks_ns[1:]", fit.test_the_terms_come_back),
    broken(
        "step_fit.gap_samples",
        "1 - r.input_tokens - len(r.chunks_ns)",
        "-r.input_tokens",
        fit.test_the_terms_come_back,
    ),
    broken("step_fit.gap_samples", "] + prefill", "]", fit.test_the_terms_come_back),
    broken(
        "step_fit.gap_samples",
        "middles[place + 1]",
        "chunks[place + 1] - 1",
        fit.test_the_samples_of_a_small_result_by_hand,
    ),
    broken("step_fit.gap_samples", " - bisect_right(ends, middle)", "", fit.test_the_terms_come_back),
    broken(
        "step_fit.gap_samples",
        "(before + after) // 2",
        "before + 1",
        fit.test_jitter_of_a_tenth_of_a_step_leaves_the_samples,
    ),
    broken("step_fit.gap_samples", "if sent <= begin", "", fit.test_the_samples_of_a_small_result_by_hand),
    broken("step_fit.lone_samples", "== 1", ">= 1", fit.test_the_samples_of_a_small_result_by_hand),
    broken(
        "step_fit.lone_samples",
        "0, request.input_tokens)",
        "0, 0)",
        fit.test_the_samples_of_a_small_result_by_hand,
    ),
    broken("step_fit.timed_requests", "samples.succeeded", "range(6)", fit.test_failed_requests_are_left_out),
    broken(
        "step_fit.Equations.best", "min(solution) >= 0", "True", fit.test_a_term_below_zero_is_held_at_zero
    ),
    broken(
        "step_fit.Equations.best",
        "self.square - explained",
        "self.square + explained",
        fit.test_a_term_below_zero_is_held_at_zero,
    ),
    broken(
        "step_fit.Equations.best",
        "range(len(told), 0, -1)",
        "range(1, len(told) + 1)",
        fit.test_the_terms_come_back,
    ),
    broken(
        "step_fit.fit_cost",
        "!= request.output_tokens",
        "> 99",
        fit.test_requests_with_chunks_of_several_tokens_are_counted,
    ),
    broken("step_fit.fit_cost", "if place not in told", "", fit.test_one_at_a_time_tells_no_decode_from_base),
    broken(
        "step_fit.fit_cost", "1 - mean_square / spread", "mean_square / spread", fit.test_the_terms_come_back
    ),
    broken("step_fit._ns", "+ denominator", "", fit.test_the_terms_come_back),
    # random arrivals
    broken("arrivals.gap_ends", "num - 1", "num", arrivals.test_poisson_instants_are_thrown_at_random),
    broken("arrivals.gap_ends", "Random(seed)", "Random(0)", arrivals.test_the_seed_decides),
    broken("arrivals.gap_ends", "range(1, num + 1)", "range(num)", arrivals.test_gaps_that_are_all_alike),
    broken("arrivals.gap_ends", "end += 1 + int(", "end = 1 + int(", arrivals.test_the_same_on_every_machine),
    broken(
        "arrivals.RandomLoad.arrivals_us",
        "ends[-1]",
        "ends[-1] // 2",
        arrivals.test_gaps_that_are_all_alike,
    ),
    broken(
        "arrivals.RandomLoad.arrivals_us",
        "[0] * self.num",
        "[1] * self.num",
        arrivals.test_at_rate_inf_all_come_at_once,
    ),
    broken(
        "arrivals._gamma", "uniform().ln() / shape", "uniform().ln()", arrivals.test_the_same_on_every_machine
    ),
    broken("arrivals._gamma", "return d * v", "return d", arrivals.test_the_same_on_every_machine),
    broken("arrivals._gamma", "(3 * shape - 1) / 3", "shape", arrivals.test_the_same_on_every_machine),
    broken("arrivals._normal", "-2 * square.ln()", "-square.ln()", arrivals.test_the_same_on_every_machine),
    broken("arrivals.read_request_rate", "/ 3600", "/ 60", arrivals.test_read_rate),
    broken("arrivals.read_request_rates", " and INF not in rates[:-1]", "", arrivals.test_refused),
    broken("arrivals.read_request_rates", "sorted(set(finite))", "sorted(finite)", arrivals.test_refused),
]


def test_what_is_not_broken_is_green() -> None:
    """Or else every mistake would be noticed."""
    assert [test for test in dict.fromkeys(test for _, test in BROKEN) if turns_red(test)] == []


@pytest.mark.parametrize(
    ("mistake", "test"), [pytest.param(*pair, id=f"{pair[0].function}: {pair[0].wrong}") for pair in BROKEN]
)
def test_a_broken_rule_is_noticed(
    mistake: Mistake, test: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    make(mistake, "labs.replay", monkeypatch)
    assert turns_red(test)
