"""A reconciled log as JSON has it: verdict, generation, figures, assumptions, and what they rest on."""

from __future__ import annotations

from fractions import Fraction

from labs.view.units import rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.capacity_log import Result
    from labs.sizing.log.budget import Budget
    from labs.sizing.log.outcome import Assumption, Check, Figure


# The same figure under the names that reports of logs use.
ALIASES = {
    "block_bytes_per_gpu": "block_bytes",
    "gpu_tokens": "tokens",
    "kv_gib_per_gpu": "gpu_kv_gib",
}


def log_document(result: Result) -> dict[str, Any]:
    """Sizes in GiB where a name ends in `_gib`, else in bytes; ranges as [low, high]."""
    outcome, params = result.outcome, result.params
    computed = {figure.name: figure_value(figure) for figure in outcome.figures}
    computed.update({name: computed[own] for name, own in ALIASES.items() if own in computed})
    if "fits" in computed:
        computed[f"fits_{result.known.max_model_len}"] = computed["fits"]
    given = {name: value for name, value in params.options.as_dict().items() if value is not None}
    return {
        "params": {
            "log": params.log.path,
            "model": params.stack.shape.name if params.stack else None,
            "gpu": params.gpu,
            "utilization": number(params.utilization),
            **given,
        },
        "result": {
            "verdict": outcome.verdict,
            "generation": outcome.generation,
            "explained": outcome.explained,
            "figures": {**printed_numbers(result), **computed},
            "assumptions": _assumptions(outcome.assumptions),
            "alternatives": [_assumptions(other) for other in outcome.alternatives],
            "checks": [_check(check) for check in outcome.checks],
            "budget": None if result.budget is None else _budget(result.budget),
            "failures": [failure.as_dict() for failure in params.log.failures],
        },
    }


def number(value: object) -> Any:
    """A value as JSON takes it: fractions to 6 places, whole ones as they are."""
    if isinstance(value, Fraction):
        return rounded(value.numerator, value.denominator, 6) / 10**6
    return value


def figure_value(figure: Figure) -> Any:
    """A figure's value; a concurrency to the two places that engines print."""
    value = figure.value
    if isinstance(value, Fraction):
        if figure.name.endswith("concurrency"):
            return rounded(value.numerator, value.denominator, 2) / 100
        return int(value) if value.denominator == 1 and not figure.places else number(value)
    if figure.table:
        return {str(size): list(ends) for size, ends in figure.table}
    return list(value) if isinstance(value, tuple) else value


def printed_numbers(result: Result) -> dict[str, Any]:
    """The numbers as the log prints them, one a name: the first, and the smallest rank's memory."""
    values: dict[str, Any] = {}
    for figure in result.params.log.figures:
        if not isinstance(figure.value, str):
            values.setdefault(figure.name, number(figure.value))
    if result.printed.kv_gib is not None:
        values["kv_gib"] = values["kv_gib_per_gpu"] = number(result.printed.kv_gib.value)
    return values


def _assumptions(assumptions: tuple[Assumption, ...]) -> list[dict[str, Any]]:
    return [{"name": assumption.name, "value": number(assumption.value)} for assumption in assumptions]


def _check(check: Check) -> dict[str, Any]:
    return {
        "name": check.name,
        "printed": number(check.printed),
        "low": number(check.low),
        "high": number(check.high),
        "holds": check.holds,
        "of_config": check.of_config,
    }


def _budget(budget: Budget) -> dict[str, Any]:
    ranges = {
        name: getattr(budget, name)
        for name in ("total_gib", "utilization", "share_gib", "kv_gib", "printed_kv_gib", "other_gib")
    }
    return {
        **{name: None if part is None else number(part.value) for name, part in ranges.items()},
        "parts": {name: number(part.value) for name, part in budget.parts},
        "utilization_at_least": number(budget.utilization_at_least),
        "holds": budget.holds,
    }
