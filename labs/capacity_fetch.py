"""Capacity lab, fetch: is it cheaper to fetch stored KV or to recompute it, and from where on?

    fetch cost = look-up + data path + conversion - overlap          saving = recompute - fetch cost
    data path  = size x 8 bit/B / min(links x bandwidth, host limit)           size = tokens x KV per token
    recompute  = a time, or tokens / recompute rate

The formulas, their symbols and the break-evens stand in `labs.sizing.fetch`. The default is the course's
problem: times alone. With a size and a bandwidth the data path follows from them. With `--tp` the size is
what one rank holds, and links and host limit are that rank's: the ranks fetch side by side.

Source: the course's L3, problem 6.

Does not model
- what `labs.sizing.fetch` does not: above all, a saving is no promise that TTFT falls by as much;
- windows and fixed states: every attention layer is charged in full, a state is not charged at all.
"""

from __future__ import annotations

from labs.base import Record
from labs.model.kv import DTYPE_BYTES, read_dtype
from labs.sizing.fetch import (
    Costs,
    EffectiveRate,
    Length,
    break_even_bandwidth,
    break_even_length,
    break_even_overlap_ms,
    data_path_ms,
    recompute_ms,
)
from labs.sizing.fetch_params import Params

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from fractions import Fraction
    from typing import Any

    from labs.predict.answer import Answer

    Number = int | Fraction


__all__ = ["Params", "Result", "add_arguments", "document", "render", "run"]


class Result(Record):
    """The figures of one run, exact: times in ms, rates in bit/s, sizes in bytes; None is not solved.

    length      the lengths for which fetching wins; needs KV per token, bandwidth and recompute rate
    bandwidth   effective rate above which fetching wins; needs a size; None too if it wins at no rate
    overlap_ms  overlap beyond which fetching wins; None if it does not even with all of it
    """

    params: Params
    costs: Costs
    size_bytes: int | None
    kv_bytes_per_token: Number | None
    rate: EffectiveRate | None
    length: Length | None
    bandwidth: Fraction | None
    overlap_ms: Number | None
    holds: bool = True

    def per_token_ms(self) -> tuple[Fraction, Fraction] | None:
        """Recompute time and data path of one token, in ms; None if one of them is not known."""
        speed, size, rate = self.params.recompute_rate, self.kv_bytes_per_token, self.rate
        if speed is None or size is None or rate is None:
            return None
        return recompute_ms(1, speed), data_path_ms(size, rate.bits_per_s)


def run(params: Params) -> Result:
    """Cost both ways, and solve for the length, the bandwidth and the overlap at which they cost the same.

    >>> result = run(Params())
    >>> result.costs.fetch_ms, result.costs.saving_ms, result.overlap_ms
    (22, 38, -30)
    """
    costs = Costs(
        params.lookup, params.data_path_ms(), params.conversion, params.overlap, params.recompute_ms()
    )
    size = params.size_bytes()
    bandwidth = None if size is None else break_even_bandwidth(size, costs.fixed_ms, costs.recompute_ms)
    result = Result(
        params=params,
        costs=costs,
        size_bytes=size,
        kv_bytes_per_token=params.kv_bytes_per_token(),
        rate=params.rate(),
        length=None,
        bandwidth=bandwidth,
        overlap_ms=break_even_overlap_ms(costs.steps_ms, costs.recompute_ms),
    )
    of_a_token = result.per_token_ms()
    if of_a_token is None:
        return result
    return result.replace(length=break_even_length(costs.fixed_ms, *of_a_token))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the knobs; a file named by `--config` is read while the line is."""
    from labs.model.config_file import read_model_config
    from labs.model.models import MODELS, read_model
    from labs.options import knob, whole
    from labs.view.catalog.capacity_fetch import KNOBS
    from labs.view.times import read_time, read_token_rate
    from labs.view.units import read_rate, read_size

    def listing(name: str, names: Iterable[str]) -> tuple[str, str]:
        english, chinese = KNOBS[name]
        return english + ", ".join(names), chinese + "、".join(names)

    for name in ("--lookup", "--data-path", "--conversion", "--overlap", "--recompute"):
        knob(parser, name, read_time, KNOBS[name], metavar="TIME")
    for name in ("--size", "--kv-per-token"):
        knob(parser, name, read_size, KNOBS[name], metavar="SIZE")
    for name in ("--bandwidth", "--host-limit"):
        knob(parser, name, read_rate, KNOBS[name], metavar="RATE")
    for name in ("--links", "--tokens", "--tp"):
        knob(parser, name, whole(1), KNOBS[name], metavar="N")
    knob(parser, "--recompute-rate", read_token_rate, KNOBS["--recompute-rate"], metavar="RATE")
    knob(parser, "--model", read_model, listing("--model", MODELS), metavar="NAME")
    knob(parser, "--config", read_model_config, KNOBS["--config"], metavar="FILE")
    knob(parser, "--kv-dtype", read_dtype, listing("--kv-dtype", DTYPE_BYTES), metavar="DTYPE")


def render(result: Result, lang: str) -> str:
    """The result as text."""
    from labs.view.capacity_fetch import render_fetch

    return render_fetch(result, lang)


def predicted(result: Result, text: str) -> Answer:
    """Predicted quantities; `labs.predict.capacity_fetch` says which, `quantities` beside it how."""
    from labs.predict.capacity_fetch import fetch_quantities
    from labs.predict.quantities import check_quantities, read_statements

    quantities = fetch_quantities(result)
    return check_quantities(quantities, read_statements(text, quantities))


def document(result: Result) -> dict[str, Any]:
    """The result as JSON has it: times in ms, rates in bit/s, sizes in bytes."""
    from labs.view.capacity_fetch_json import fetch_document

    return fetch_document(result)
