"""What a replay begins with, as text: the requests, the rule and its pool, the cost of a step."""

from __future__ import annotations

from labs.view.schedule_replay_units import cost_text, filled, per_second
from labs.view.units import thousands, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.schedule_replay import Params, Result


def setup(result: Result, t: dict[str, str]) -> list[str]:
    """What is replayed under which rule, the pool, and what a step costs."""
    params = result.params
    lines = [
        filled(
            t["setup"],
            source=source_text(params, t),
            requests=thousands(len(params.arrivals)),
            rule=params.rule,
            budget=str(params.budget),
            knobs=_knobs(params, t),
        )
    ]
    if not params.has_pool:
        lines.append(t["no_pool"])
    else:
        origin = "" if params.blocks_from is None else t["pool_origin"].format(model=params.blocks_from)
        blocks = "" if params.kv_blocks is None else thousands(params.kv_blocks)
        pool, size = t["pool" if blocks else "pool_unlimited"], str(params.block_size)
        lines.append(filled(pool, blocks=blocks, size=size, origin=origin, shared=_shared(params, t)))
    terms = dict(zip(("base", "prefill", "decode", "kv"), map(cost_text, params.cost.terms)))
    return [*lines, t["cost"].format(origin=_origin(params, t), **terms)]


def source_text(params: Params, t: dict[str, str]) -> str:
    """The file's name on one line, or the random load."""
    from labs.view.errors import shown

    if params.load is not None:
        rate = "" if params.rate_from == "given" else t[f"rate_{params.rate_from}"]
        return t["random"].format(seed=params.load.seed, rate=rate)
    return f"{shown(params.source, 200)} ({params.kind})" if params.kind else "requests"


def changed_knobs(params: Params) -> dict[str, object]:
    """The rule's knobs that are not at their defaults, by option; without blocks and budget."""
    aside = ("budget", "kv_blocks", "block_size")
    return {option: value for knob, option, value in params.changed_knobs() if knob not in aside}


def _knobs(params: Params, t: dict[str, str]) -> str:
    """Those that were changed, and how many requests may run at once in any case: it often decides."""
    knobs = changed_knobs(params)
    if "max_num_seqs" in params.knobs:
        knobs = {"--max-num-seqs": params.max_num_seqs, **knobs}
    named = [(option[2:].replace("-", "_"), value) for option, value in knobs.items()]
    return "".join([t["knob"].format(name=name, value=value) for name, value in named])


def _shared(params: Params, t: dict[str, str]) -> str:
    if not params.prefix_caching:
        return t["shared_off"]
    if params.block_tokens is not None:
        return filled(t["shared_ids"], tokens=str(params.block_tokens))
    return t["shared_nothing" if params.arrivals[0].tokens is None else "shared_tokens"]


def _origin(params: Params, t: dict[str, str]) -> str:
    fit = params.fit
    if fit is None:
        return t[f"cost_{params.cost_from}"]
    untold = t["cost_untold"].format(terms=", ".join(fit.untold)) if fit.untold else ""
    untold += t["cost_held"].format(terms=", ".join(fit.held)) if fit.held else ""
    rms = trimmed(fit.rms_ns, 10**6, 3) + " ms"
    gaps, lone = thousands(fit.gaps), str(fit.lone)
    return filled(t["cost_fitted"], gaps=gaps, lone=lone, rms=rms, untold=untold)


def load(result: Result, t: dict[str, str]) -> str:
    """The requests as the file has them, or as they were drawn."""
    params = result.params
    arrivals = params.arrivals
    number, rate = len(arrivals), params.rate
    inputs, outputs = sum(a.input_length for a in arrivals), sum(a.output_length for a in arrivals)
    span = arrivals[-1].ms
    return filled(
        t["measured" if params.load is None else "drawn"],
        requests=thousands(number),
        seconds=trimmed(span.numerator, 1000 * span.denominator, 3),
        rate=t["at_once"] if rate is None else t["rate"].format(rate=per_second(rate)),
        input=thousands(inputs),
        mean_input=trimmed(inputs, number, 1),
        output=thousands(outputs),
        mean_output=trimmed(outputs, number, 1),
        zero=t["untold"].format(count=thousands(params.untold_outputs)) if params.untold_outputs else "",
    )
