"""Figures of `capacity fetch` that can be predicted, and the mistakes that give other ones.

    fetch, fetch cost      time          recompute     time            saving        time
    data path              time          size          bytes           cheaper: fetch | recompute
    break-even length      tokens        break-even bandwidth  rate    break-even overlap   time
    effective rate         rate

A break-even may be `never`, `always` (a length) or `none` as well.
Diagnosed: overlap not subtracted, or twice; a step left out; bytes over bits a second in the data path;
GB for GiB; the saving's sign; the length at which both cost the same for the first at which fetching wins.
Does not model: the side of a break-even length; a number where there is none is told so.
"""

from __future__ import annotations

from fractions import Fraction

from labs.predict.quantities import NEVER, WORDS, WORDS_FOR_NONE, Mistake, Quantity
from labs.predict.units import BYTES, COUNT, MS, RATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity_fetch import Result

    Number = int | Fraction

GIB_FOR_GB = Fraction(1024, 1000) ** 3
FETCH, RECOMPUTE = ("fetch", "fetch|取回"), ("recompute", "recomput|重算")
NEITHER = ("neither", r"neither|both|equal|same|^\s*无|相[等同]|一样")


def fetch_quantities(result: Result) -> tuple[Quantity, ...]:
    """What a run can be asked for; labels are tried in this order."""
    costs, length = result.costs, result.length
    cheaper = "fetch" if costs.saving_ms > 0 else "recompute" if costs.saving_ms < 0 else "neither"
    mistakes = _cost_mistakes(result)
    told = _told(result)
    savings = [one.replace(value=costs.recompute_ms - one.value) for one in mistakes]
    overlaps = [Mistake("sign_turned", -result.overlap_ms, told)] if result.overlap_ms is not None else []
    no_bandwidth = "never_at_any_rate" if result.size_bytes is not None else None
    return (
        Quantity(
            *("cheaper", "cheaper|更低|便宜", WORDS, cheaper, (), (NEITHER, RECOMPUTE, FETCH)),
            values=tuple(told.items()),
        ),
        Quantity(
            *("break_even_tokens", "length|长度|even tokens", COUNT, length.tokens if length else None),
            *(_length_mistakes(result), WORDS_FOR_NONE),
            *((length.side, length.side) if length and length.tokens is None else (None, None)),
        ),
        Quantity(
            *("break_even_bandwidth", "bandwidth|带宽", RATE, result.bandwidth, _bandwidth_mistakes(result)),
            *(WORDS_FOR_NONE, None if result.bandwidth is not None else no_bandwidth, NEVER),
        ),
        Quantity(
            *("break_even_overlap", "overlap|重叠", MS, result.overlap_ms, tuple(overlaps), WORDS_FOR_NONE),
            *("no_overlap_is_enough" if result.overlap_ms is None else None, NEVER),
        ),
        Quantity(
            "effective_rate",
            "effective|有效",
            RATE,
            result.rate.bits_per_s if result.rate else None,
            _links(result),
        ),
        Quantity(
            *("saving_ms", "sav|节省", MS, costs.saving_ms),
            (
                Mistake("sign_turned", -costs.saving_ms, told),
                Mistake("cost_for_saving", costs.fetch_ms, told),
                Mistake("recompute_for_saving", costs.recompute_ms, told),
                *savings,
            ),
        ),
        Quantity(
            "data_path_ms", "data ?path|数据通路", MS, costs.data_path_ms, tuple(_path_mistakes(result))
        ),
        Quantity("size_bytes", "size|数据量|大小", BYTES, result.size_bytes),
        Quantity(
            *("fetch_ms", "fetch|cost|代价|取回", MS, costs.fetch_ms),
            (*mistakes, Mistake("saving_for_cost", costs.saving_ms, told)),
        ),
        Quantity("recompute_ms", "recomput|重算", MS, costs.recompute_ms),
    )


def _told(result: Result) -> dict[str, object]:
    """The times of the run as sentences name them."""
    from labs.view.times import number_text

    costs = result.costs
    names = ("lookup", "data_path", "conversion", "overlap", "steps", "fetch", "recompute", "saving")
    return {name: number_text(getattr(costs, f"{name}_ms")) for name in names}


def _path_mistakes(result: Result) -> list[Mistake]:
    """Other times of the data path, where it follows from a size and a rate."""
    right = result.costs.data_path_ms
    if result.rate is None:
        return []
    told = {"bytes": result.size_bytes}
    return [
        Mistake("bytes_over_bits", Fraction(right) / 8, told),
        Mistake("eight_twice", Fraction(right) * 8, told),
        Mistake("seconds_for_ms", Fraction(right) / 1000, told),
        Mistake("gib_for_gb", Fraction(right) / GIB_FOR_GB, {"ratio": "1.0737"}),
        Mistake("gib_for_gb", Fraction(right) * GIB_FOR_GB, {"ratio": "1.0737"}),
        *[one.replace(value=right * result.rate.bits_per_s / one.value) for one in _links(result)],
    ]


def _links(result: Result) -> tuple[Mistake, ...]:
    """One link for all of them; the links without the host's limit."""
    p = result.params
    if p.bandwidth is None:
        return ()
    told = {"links": p.links or 1}
    return (
        Mistake("one_link", p.bandwidth, told),
        Mistake("host_limit_forgotten", p.bandwidth * (p.links or 1), told),
    )


def _cost_mistakes(result: Result) -> list[Mistake]:
    costs, told = result.costs, _told(result)
    found = [
        Mistake("overlap_not_subtracted", costs.steps_ms, told),
        Mistake("overlap_twice", costs.steps_ms - 2 * costs.overlap_ms, told),
        Mistake("overlap_added", costs.steps_ms + costs.overlap_ms, told),
        Mistake("lookup_forgotten", costs.fetch_ms - costs.lookup_ms, told),
        Mistake("conversion_forgotten", costs.fetch_ms - costs.conversion_ms, told),
        Mistake("data_path_alone", costs.data_path_ms, told),
    ]
    for one in _path_mistakes(result):
        found.append(one.replace(value=costs.fetch_ms - costs.data_path_ms + one.value))
    return found


def _length_mistakes(result: Result) -> tuple[Mistake, ...]:
    """The crossing itself, rounded to the side on which fetching is not cheaper."""
    length = result.length
    if length is None or length.tokens is None or length.exact_tokens is None:
        return ()
    beside = length.tokens - 1 if length.side == "from" else length.tokens + 1
    told = {"exact_numerator": length.exact_tokens.numerator, "side": length.side}
    return (Mistake("equal_not_cheaper", beside, told),)


def _bandwidth_mistakes(result: Result) -> tuple[Mistake, ...]:
    from labs.sizing.fetch import break_even_bandwidth

    costs, size, told = result.costs, result.size_bytes, _told(result)
    if result.bandwidth is None or size is None:
        return ()
    found = [
        Mistake("bytes_over_bits", result.bandwidth / 8, {"bytes": size}),
        Mistake("eight_twice", result.bandwidth * 8, {}),
    ]
    for cause, times in (("overlap_not_subtracted", 1), ("overlap_twice", -1)):
        other = break_even_bandwidth(size, costs.fixed_ms + times * costs.overlap_ms, costs.recompute_ms)
        found += [] if other is None else [Mistake(cause, other, told)]
    other = break_even_bandwidth(size, 0, costs.recompute_ms)
    found += [] if other is None else [Mistake("fixed_part_forgotten", other, told)]
    return tuple(found)
