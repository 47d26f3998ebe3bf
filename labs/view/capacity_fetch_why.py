"""Why a fetch costs what it costs, in the run's own values; what that does not show, and the next step."""

from __future__ import annotations

from labs.view.capacity_why import byte_rate
from labs.view.times import number_text
from labs.view.units import rate_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity_fetch import Result

WHOLE_CASE = (
    "capacity fetch --tokens 8192 --model llama-3-8b --bandwidth 400Gbit/s --recompute-rate 8000tok/s"
)


def why(result: Result, t: dict[str, str], words: dict[str, str]) -> list[str]:
    """The reasons for this run's figures, in this run's values."""
    costs = result.costs
    saving = costs.saving_ms
    lines = [
        t["why_overlap" if costs.overlap_ms else "why_no_overlap"].format_map(words),
        t["why_more" if saving > 0 else "why_less" if saving < 0 else "why_equal"].format_map(words),
    ]
    steps = {name: getattr(costs, f"{name}_ms") for name in ("lookup", "data_path", "conversion")}
    largest = max(steps, key=lambda name: steps[name])
    if steps[largest]:
        step = {"step": t[f"step_{largest}"], "ms": words[largest]}
        lines.append(t["why_largest"].format_map({**words, **step}))
    lines += _why_rate(result, t)
    lines += _why_break_even(result, t, words)
    return lines


def _why_rate(result: Result, t: dict[str, str]) -> list[str]:
    """What binds, and bits taken for bytes."""
    params, rate, size, lines = result.params, result.rate, result.size_bytes, []
    if rate is None or size is None or params.bandwidth is None:
        return []
    from fractions import Fraction

    links, effective = params.links or 1, rate_text(rate.bits_per_s)
    if params.host_limit is not None:
        lines.append(
            t[f"why_{rate.limited_by}"].format(
                links=links,
                bandwidth=rate_text(params.bandwidth),
                together=rate_text(links * params.bandwidth),
                rate=effective,
                host=rate_text(params.host_limit),
            )
        )
    no_bits = number_text(Fraction(result.costs.data_path_ms) / 8)
    bits = t["why_bits"].format(rate=effective, byte_rate=byte_rate(rate.bits_per_s), no_bits=no_bits)
    return [*lines, bits]


def _why_break_even(result: Result, t: dict[str, str], words: dict[str, str]) -> list[str]:
    lines, costs = [], result.costs
    if result.length is not None:
        under_one = result.length.side == "never" and costs.fixed_ms < 0
        lines.append(t["why_under_one" if under_one else f"why_{result.length.side}"].format_map(words))
    if result.bandwidth is not None:
        lines.append(t["why_bandwidth"].format_map(words))
    elif not costs.recompute_ms:
        lines.append(t["why_free"])
    elif result.size_bytes is not None:
        lines.append(t["why_no_bandwidth"].format_map(words))
    return lines


def not_shown(result: Result, t: dict[str, str]) -> str:
    shape = result.params.shape()
    more = ""
    if shape is not None:
        more += t["windows"] if shape.has_windows else ""
        more += t["states"] if any(group.kind == "linear" for group in shape.groups) else ""
    return t["not_shown"].format(windows=more)


def next_step(result: Result, t: dict[str, str]) -> str:
    """The next step towards the whole case that this run has not taken."""
    if result.size_bytes is None:
        command, predict = "capacity fetch --size 1GiB --bandwidth 400Gbit/s", "predict_size"
    elif result.length is None:
        command, predict = WHOLE_CASE, "predict_length"
    elif result.params.host_limit is None:
        command, predict = f"{WHOLE_CASE} --links 2 --host-limit 500Gbit/s", "predict_links"
    else:
        command, predict = f"{WHOLE_CASE} --overlap 0ms", "predict_overlap"
    return t["next"].format(command=command, predict=t[predict])
