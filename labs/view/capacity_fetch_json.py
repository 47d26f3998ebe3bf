"""A fetch against recomputing, as JSON has it."""

from __future__ import annotations

from labs.view.units import rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any

    from labs.capacity_fetch import Result

    Number = int | Fraction


def fetch_document(result: Result) -> dict[str, Any]:
    """Times in ms, rates in bit/s (of tokens: tokens a second), sizes in bytes; a config by its path."""
    costs, rate = result.costs, result.rate
    figures: dict[str, Any] = {
        **{
            f"{name}_ms": exact(getattr(costs, f"{name}_ms"))
            for name in ("lookup", "data_path", "conversion")
        },
        **{
            f"{name}_ms": exact(getattr(costs, f"{name}_ms"))
            for name in ("overlap", "fetch", "recompute", "saving")
        },
        "fetch_wins": costs.fetch_wins,
        "size_bytes": result.size_bytes,
        "kv_bytes_per_token": exact(result.kv_bytes_per_token),
        "effective_bandwidth_bits_per_s": None if rate is None else rate.bits_per_s,
        "limited_by": None if rate is None else rate.limited_by,
        "break_even": _break_even(result),
    }
    return {"params": _params(result), "result": figures}


def _params(result: Result) -> dict[str, Any]:
    """The options, with the defaults of those that count in this run; null for what follows from others."""
    params = result.params
    given = {name: None if name == "config" else value for name, value in params.as_dict().items()}
    given["config"] = params.config.name if params.config else None
    if result.rate is None:
        given["data_path"] = params.data_path_ms()
    else:
        given["links"] = params.links or 1
    if params.recompute_rate is None:
        given["recompute"] = params.recompute_ms()
    if params.shape() is not None:
        given.update(kv_dtype=params.dtype, tp=params.ranks)
    return {name: value if isinstance(value, str) else exact(value) for name, value in given.items()}


def _break_even(result: Result) -> dict[str, Any]:
    """Each solution, or null with the reason: always, never, or not_given where inputs are missing."""
    length, solved = result.length, result.bandwidth
    no_bandwidth = "not_given" if result.size_bytes is None else "never"
    side = "not_given" if length is None else length.side
    return {
        "tokens": None if length is None else length.tokens,
        "exact_tokens": None if length is None else exact(length.exact_tokens),
        "tokens_side": side if side in ("from", "up_to") else None,
        "tokens_reason": None if side in ("from", "up_to") else side,
        "bandwidth_bits_per_s": exact(solved),
        "bandwidth_reason": None if solved is not None else no_bandwidth,
        "overlap_ms": exact(result.overlap_ms),
        "overlap_reason": None if result.overlap_ms is not None else "never",
    }


def exact(number: Number | None) -> int | float | None:
    """A whole number as it is, another one to 6 places.

    >>> from fractions import Fraction
    >>> exact(Fraction(4, 2)), exact(Fraction(1, 3)), exact(None)
    (2, 0.333333, None)
    """
    if number is None or number.denominator == 1:
        return None if number is None else int(number)
    return rounded(number.numerator, number.denominator, 6) / 10**6
