"""Why a log's figures are as they are, in the run's own values."""

from __future__ import annotations

from fractions import Fraction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity_log import Result


def why(result: Result, t: dict[str, str]) -> str:
    """The reason of the verdict, then whatever else the lines tell, as one sentence."""
    reasons = [_of_verdict(result, t), *_of_memory(result, t)]
    return t["join"].join(reason for reason in reasons if reason) + t["stop"]


def _of_verdict(result: Result, t: dict[str, str]) -> str:
    from labs.view.capacity_log import number

    outcome = result.outcome
    figures = {figure.name: figure.value for figure in outcome.figures}
    assumed = {assumption.name: assumption.value for assumption in outcome.assumptions}
    if not outcome.explained:
        return t["why_unexplained"]
    if "head_dim" in assumed:
        own = result.params.stack.shape.head_dim if result.params.stack else None
        return t["why_head_dim"].format(value=assumed["head_dim"], own=own)
    if outcome.verdict == "mismatch_explained" and "slope" in figures:
        ends = figures["naive_bytes_per_token"]
        assert isinstance(ends, tuple)
        return t["why_two_points"].format(
            low=number(ends[0]),
            high=number(ends[-1]),
            fixed=number(figures["fixed_gib"]),
            slope=number(figures["slope"]),
        )
    if (
        "token_definition" in assumed
        and outcome.verdict != "identity_only"
        and "tokens_by_concurrency" in figures
    ):
        return _of_groups(result, t, assumed["token_definition"] == "older")
    estimated = result.printed.estimated_max_model_len is not None
    if estimated and "estimated_range" in figures and outcome.verdict == "within_rounding":
        return _of_estimate(result, t)
    if outcome.verdict in ("exact", "within_rounding"):
        return _of_checks(result, t)
    apart = [check for check in outcome.checks if check.name == "tokens_and_concurrency" and not check.holds]
    if not apart:
        return t["why_identity_only"]
    return t["why_identity_apart"].format(
        tokens=number(result.printed.kv_tokens),
        max_len=number(result.known.max_model_len),
        naive=number(apart[0].low),
        concurrency=number(apart[0].printed),
    )


def _of_estimate(result: Result, t: dict[str, str]) -> str:
    """A refusal whose estimate comes out; with another block than 16, what 16 would have given."""
    from labs.view.capacity_log import number, range_text

    figures = {figure.name: figure.value for figure in result.outcome.figures}
    assumed = {assumption.name: assumption.value for assumption in result.outcome.assumptions}
    block, ends = figures.get("block_size") or 16, figures["estimated_range"]
    available = result.printed.available_gib
    assert isinstance(ends, tuple)
    assert available is not None
    text = t["why_refusal"].format(
        available=number(available.value),
        block=number(block),
        range=range_text(ends, t),
        estimate=number(result.printed.estimated_max_model_len),
    )
    by_block = {size: other for figure in result.outcome.figures for size, other in figure.table}
    usual = by_block.get(16)
    if "block_size" not in assumed or usual is None:
        return text
    return text + t["join"] + t["why_refusal_blocks"].format(low=number(usual[0]), high=number(usual[-1]))


def _of_groups(result: Result, t: dict[str, str], older: bool) -> str:
    from labs.view.capacity_log import number

    figures = {figure.name: figure for figure in result.outcome.figures}

    def of(name: str) -> str:
        figure = figures.get(name)
        return "-" if figure is None else number(figure.value, figure.places)

    return t["why_older" if older else "why_newer"].format(
        blocks=of("num_blocks"),
        groups=of("groups"),
        size=of("block_size"),
        tokens=of("tokens_line"),
        request=of("blocks_per_request"),
        max_len=number(result.known.max_model_len),
        concurrency=of("concurrency"),
        naive=of("naive_concurrency"),
        usable=of("tokens_by_concurrency"),
    )


def _of_checks(result: Result, t: dict[str, str]) -> str:
    """The check that decides: the widest range if one is left, else the numbers that can be one only."""
    from labs.view.capacity_log import number

    checks = [check for check in result.outcome.checks if check.of_config and check.holds]
    if not checks:
        checks = [check for check in result.outcome.checks if check.holds]
    if not checks:
        return t["why_identity_only"]
    ranges = [check for check in checks if not check.is_exact]
    if not ranges:
        named = ", ".join(f"{check.name} {number(check.printed)}" for check in checks)
        return t["why_exact"].format(named=named)
    check = ranges[-1]
    return t["why_within_rounding"].format(
        numbers=check.name, low=number(check.low), high=number(check.high), value=number(check.printed)
    )


def _of_memory(result: Result, t: dict[str, str]) -> list[str]:
    """Swap space, a negative budget, a request that does not fit, another utilization."""
    from labs.view.capacity_log import number

    found = []
    assumed = {assumption.name: assumption.value for assumption in result.outcome.assumptions}
    if "swap_space_gib" in assumed:
        found.append(t["why_swap"].format(size=number(assumed["swap_space_gib"])))
    weights = result.printed.weights_gib
    if weights is not None and result.printed.weights_label == "GB":
        decimal = weights.value * (1 << 30) / 10**9
        found.append(t["why_label"].format(gib=number(weights.value, 4), gb=number(decimal)))
    memory = result.printed.kv_gib
    if memory is not None and memory.value < 0:
        found.append(t["why_negative"])
    figures = {figure.name: figure.value for figure in result.outcome.figures}
    length = result.known.max_model_len
    if figures.get("fits") is False and (memory is None or memory.value >= 0):
        tokens = figures["tokens"]
        found.append(t["why_unfit"].format(tokens=number(tokens), max_len=number(length)))
    budget = result.budget
    if budget is not None and budget.utilization_at_least is not None:
        share, least = budget.utilization.value, Fraction(budget.utilization_at_least)
        key = "why_utilization" if least <= budget.utilization.value else "why_more_than_share"
        if least > 1:
            key = "why_larger_gpu"
        found.append(
            t[key].format(share=number(share), least=number(least, 3), total=number(budget.total_gib.value))
        )
    return found
