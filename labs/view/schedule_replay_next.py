"""The command to try after a replay: the same one, with the sweep or the limits that tell more."""

from __future__ import annotations

from labs.view.schedule_replay_setup import changed_knobs
from labs.view.schedule_replay_units import UNITS, per_second
from labs.view.units import trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    from labs.schedule_replay import Params, Result

    Number = int | Fraction

TERMS = ("base", "prefill", "decode", "kv")
DIGITS = 6  # of a cost term that is written out: a derived one may have no end


def next_command(result: Result, t: dict[str, str]) -> str:
    """A line of prose and a whole command: to the knee, to the cliff, then to goodput."""
    params, report, sweep = result.params, result.report, result.sweep
    if sweep is not None and sweep.over == "rate":
        finite = [rate for rate in params.sweep_rate if not isinstance(rate, str)]
        if sweep.knee is None and finite and params.arrivals[-1].ms > 0:
            return _line(t["next_farther"], params, f" --sweep-rate {_rates(finite[-1], (1, 2, 4, 8))},inf")
        return _blocks_or_goodput(result, t)
    if sweep is not None:
        cliff, most = sweep.cliff, sweep.most_with_preemption
        if cliff is not None and most is not None and cliff - most > 1:
            between = sorted({most + (cliff - most) * quarter // 4 for quarter in (1, 2, 3)} - {most})
            return _line(t["next_blocks"], params, " --sweep-blocks " + ",".join(map(str, between)))
        peak = report.peak_blocks or 0
        if cliff is None and most is not None and most < peak:
            blocks = sorted({most + (peak - most) * part // 4 for part in (1, 2, 3, 4)} - {most})
            return _line(t["next_higher"], params, " --sweep-blocks " + ",".join(map(str, blocks)))
        return _line(t["next_goodput"], params, _goodput(params))
    if report.request_throughput and params.arrivals[-1].ms > 0:
        from fractions import Fraction

        rates = _rates(params.rate, (Fraction(1, 2), 1, 2, 4))
        return _line(t["next_knee"], params, f" --sweep-rate {rates},inf")
    return _blocks_or_goodput(result, t)


def _blocks_or_goodput(result: Result, t: dict[str, str]) -> str:
    peak, params = result.report.peak_blocks, result.params
    longest = max(-(-(a.input_length + a.output_length) // params.block_size) for a in params.arrivals)
    if peak is None or not params.has_pool or peak <= longest:
        return _line(t["next_goodput"], params, _goodput(params))
    blocks = sorted({longest + (peak - longest) * part // 4 for part in (1, 2, 3, 4)})
    sweep = " --sweep-blocks " + ",".join(map(str, blocks))
    return _line(t["next_cliff"].format(peak=peak), params, sweep)


def _goodput(params: Params) -> str:
    return " --goodput ttft:500 tpot:100" if params.limits else " --goodput ttft:200 tpot:50"


def _rates(rate: Fraction | None, factors: tuple[Number, ...]) -> str:
    """Multiples of a rate, in few digits."""
    rates = [per_second((rate or 1) * factor) for factor in factors]
    return ",".join(dict.fromkeys(rates))


def _line(prose: str, params: Params, options: str) -> str:
    return f"{prose}\n  python3 inference_lab.py schedule replay{command_options(params)}{options}"


def command_options(params: Params) -> str:
    """The options that give the same requests, rule, pool and cost; derived blocks and costs as they are."""
    import shlex

    load = params.load
    if load is None:
        words = f" {shlex.quote(params.source)}"
    else:
        words = f" --random {load.num} --rate {_value(load.rate)}"
        words += f" --input-len {load.input_len} --output-len {load.output_len}"
        words += f" --seed {load.seed}" if load.seed else ""
        words += f" --burstiness {_value(load.burstiness)}" if load.burstiness != 1 else ""
    if params.block_tokens not in (None, 512):
        words += f" --block-tokens {params.block_tokens}"
    words += f" --rule {params.rule}" if params.rule != "vllm" else ""
    words += f" --budget {params.budget}" if params.budget != type(params).budget else ""
    if params.has_pool and params.block_size != (params.block_tokens or 16):
        words += f" --block-size {params.block_size}"
    words += f" --kv-blocks {params.kv_blocks}" if params.kv_blocks is not None else ""
    for option, value in changed_knobs(params).items():
        if isinstance(value, bool):
            words += f" {option}" if value else f" --no-{option[2:]}"
        else:
            words += f" {option} {value}"
    return words + (f" --cost {_cost(params)}" if params.cost_from != "default" else "")


def _value(rate: Number | str) -> str:
    return rate if isinstance(rate, str) else trimmed(rate.numerator, rate.denominator, 9)


def _cost(params: Params) -> str:
    """Each term that is not zero, in the unit that leaves at least 1."""
    terms = []
    for name, ms in zip(TERMS, params.cost.terms):
        if ms:
            size, unit = next((entry for entry in UNITS if ms * entry[0] >= 1), UNITS[-1])
            value = ms * size
            terms.append(f"{name}={trimmed(value.numerator, value.denominator, DIGITS)}{unit}")
    return ",".join(terms)
