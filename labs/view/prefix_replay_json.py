"""A trace's hit rates as JSON and as CSV have them: counts whole, ratios to 6 places."""

from __future__ import annotations

from labs.view.units import fixed, rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any

    from labs.prefix_replay import Result
    from labs.replay.facts import Facts
    from labs.replay.hit_curve import Hits
    from labs.replay.ratios import Ratio

PLACES = 6


def replay_document(result: Result) -> dict[str, Any]:
    params, found = result.params, result.contradiction
    given = {
        "trace": params.trace.path,
        "ids": params.ids,
        "capacity": list(params.capacity) or None,
        "block_tokens": params.block_tokens,
        "csv": params.csv,
    }
    shares = None if result.enough is None else {f"{k}%": v for k, v in result.enough.items()}
    figures = {
        "kind": params.trace.kind,
        "ids": result.ids,
        "not_chained": None if found is None else found.as_dict(),
        "facts": _facts(result.facts),
        "capacities": [_hits(hits) for hits in result.asked],
        "curve": [_hits(hits) for hits in result.curve],
        "capacity_for_share_of_hits": shares,
        "naive_hit_blocks": result.naive_hits,
        "naive_not_servable_blocks": result.not_servable,
    }
    return {"params": given, "result": figures}


def _hits(hits: Hits) -> dict[str, Any]:
    return {
        "capacity_blocks": hits.capacity,
        "blocks": hits.blocks,
        "hit_blocks": hits.hit_blocks,
        "hit_tokens": hits.hit_tokens,
        **{f"hit_rate_{name}": number(ratio) for name, ratio in hits.rates.items()},
        "evicted": hits.evicted,
    }


def _facts(facts: Facts) -> dict[str, Any]:
    fields = facts.as_dict()
    ratios = ("request_mean_block", "request_mean_token", "full_block_ratio")
    return {
        **fields,
        **{name: number(fields[name]) for name in ratios},
        "input_median": whole_or_number(facts.input_median),
        "span_ms": whole_or_number(as_ratio(facts.span_ms)),
    }


def as_ratio(value: int | Fraction) -> Ratio:
    """An exact number as numerator and denominator."""
    return value.numerator, value.denominator


def number(ratio: Ratio | None) -> float | None:
    """A ratio to 6 places; None stays None.

    >>> number((1, 3)), number(None)
    (0.333333, None)
    """
    return None if ratio is None else rounded(*ratio, PLACES) / 10**PLACES


def whole_or_number(ratio: Ratio) -> int | float | None:
    """A ratio that is a whole number as that, another one to 6 places.

    >>> whole_or_number((6, 2)), whole_or_number((5, 2))
    (3, 2.5)
    """
    return ratio[0] // ratio[1] if ratio[0] % ratio[1] == 0 else number(ratio)


def curve_csv(result: Result) -> str:
    """The curve and the capacities asked for, one a row by size, with a header and LF line ends."""
    columns = ["capacity_blocks", "blocks", "hit_blocks", "hit_tokens"]
    columns += [f"hit_rate_{name}" for name in result.endless.rates]
    rows = [",".join([*columns, "evicted"])]
    for hits in result.curve:
        capacity = "inf" if hits.capacity is None else hits.capacity
        counts = [capacity, hits.blocks, hits.hit_blocks, hits.hit_tokens]
        rates = [fixed(*ratio, PLACES) for ratio in hits.rates.values()]
        rows.append(",".join([*map(str, counts), *rates, str(hits.evicted)]))
    return "\n".join(rows) + "\n"
