"""A fetch against recomputing, as text: formula, substitution and units, then the figures and why."""

from __future__ import annotations

from labs.view.capacity import both_sizes
from labs.view.capacity_fetch_why import next_step, not_shown, why
from labs.view.capacity_why import byte_rate
from labs.view.catalog.capacity_fetch import TEXTS
from labs.view.catalog.capacity_fetch_why import WHY
from labs.view.languages import texts
from labs.view.tables import paragraph
from labs.view.times import number_text, token_rate_text
from labs.view.units import binary_size, decimal_size, rate_text, read_rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    from labs.capacity_fetch import Result

    Number = int | Fraction

GIVEN_TIMES = ("lookup", "data_path", "conversion", "overlap", "recompute")
GIVEN_REST = ("tokens", "recompute_rate", "size", "kv_per_token", "bandwidth", "links", "host_limit")


def render_fetch(result: Result, lang: str) -> str:
    """The whole text: what is given, formula and substitution, the figures, why, limits, next step."""
    t = texts({**TEXTS, **WHY}, lang)
    words = in_words(result, t["about"])
    parts = [
        _setup(result, t),
        t["trace"],
        *_given(result, t),
        *_sizes_and_rates(result, t, words),
        *_costs(result, t, words),
        *_solutions(result, t, words),
        *_figures(result, t, words),
        *_break_evens(result, t, words),
        paragraph(t["why"] + t["join"].join(why(result, t, words))),
        paragraph(not_shown(result, t)),
        next_step(result, t),
    ]
    return "\n".join(parts) + "\n"


def in_words(result: Result, about: str) -> dict[str, str]:
    """The numbers of a run as the texts name them, times in ms.

    Those named `about_...` say where they are rounded: what stands alone, or right of an equals sign.
    """
    plain, marked = numbers(result, ""), numbers(result, about)
    return {**plain, **{f"about_{name}": text for name, text in marked.items()}}


def numbers(result: Result, about: str) -> dict[str, str]:
    """Each number of a run as text, with `about` before those that are rounded."""
    costs, length, of_a_token = result.costs, result.length, result.per_token_ms()
    values: dict[str, Number | None] = {}
    for name in (*GIVEN_TIMES, "steps", "fixed", "fetch", "saving"):
        values[name] = getattr(costs, f"{name}_ms")
    saving = costs.saving_ms
    values |= {"difference": max(saving, -saving), "twice": costs.fetch_ms - costs.overlap_ms}
    values |= {"left": costs.recompute_ms - costs.fixed_ms, "covered": -costs.fixed_ms}
    values |= {"needed": result.overlap_ms, "per_token": result.kv_bytes_per_token}
    if length is not None:
        values["tokens"], values["exact"] = length.tokens, length.exact_tokens
    words = {name: number_text(value, about) for name, value in values.items() if value is not None}
    if of_a_token is not None:
        slow, fast = of_a_token
        small = {"slow": slow, "fast": fast, "spared": slow - fast, "lost": fast - slow}
        words |= {name: number_text(value, about, 6) for name, value in small.items()}
    words["signed"] = f"({words['fixed']})" if costs.fixed_ms < 0 else words["fixed"]
    if result.bandwidth is not None:
        words["rate"] = _rate(result.bandwidth, about)
    return words


def _rate(bits_per_s: Fraction, about: str) -> str:
    """A rate that need not be whole, marked where it is rounded."""
    whole = -(-bits_per_s.numerator // bits_per_s.denominator)
    text = rate_text(whole)
    return text if bits_per_s == read_rate(text, "--bandwidth") else about + text


def _setup(result: Result, t: dict[str, str]) -> str:
    params, per_token = result.params, result.kv_bytes_per_token
    shape = params.shape()
    if result.size_bytes is None:
        what = t["what_times"]
    elif per_token is None:
        what = t["what_size"].format(size=both_sizes(result.size_bytes))
    elif shape is None:
        about = number_text(per_token, t["about"])
        what = t["what_tokens"].format(tokens=params.tokens, per_token=about)
    else:
        from labs.view.errors import shown

        what = t["what_model"].format(
            tokens=params.tokens,
            per_token=per_token,
            name=shown(shape.name, 200),
            dtype=params.dtype,
            rank=t["what_rank"].format(tp=params.ranks) if params.ranks > 1 else "",
        )
    return t["setup"].format(what=what)


def _given(result: Result, t: dict[str, str]) -> list[str]:
    """A line for each value that follows from nothing else."""
    params, costs = result.params, result.costs
    values: dict[str, object] = {
        name: f"{number_text(getattr(costs, f'{name}_ms'), t['about'])} ms" for name in GIVEN_TIMES
    }
    if result.rate is not None:
        del values["data_path"]
    if params.recompute_rate is not None:
        del values["recompute"]
        values["recompute_rate"] = token_rate_text(params.recompute_rate)
    values |= {name: f"{getattr(params, name)} B" for name in ("size", "kv_per_token") if params.given(name)}
    for name in ("bandwidth", "host_limit"):
        if params.given(name):
            values[name] = f"{rate_text(getattr(params, name))} = {byte_rate(getattr(params, name))}"
    values |= {name: getattr(params, name) for name in ("tokens", "links") if params.given(name)}
    names = [name for name in (*GIVEN_TIMES, *GIVEN_REST) if name in values]
    return [t["measured"].format(what=t[f"given_{name}"], value=values[name]) for name in names]


def _sizes_and_rates(result: Result, t: dict[str, str], words: dict[str, str]) -> list[str]:
    """What follows from tokens, sizes and rates: KV per token, size, effective rate, data path, recompute."""
    params, size, rate = result.params, result.size_bytes, result.rate
    lines = []
    if params.shape() is not None:
        lines.append(t["per_token"].format_map(words))
    if size is not None and params.tokens is not None:
        sizes = {"size": size, "binary": binary_size(size, 3), "decimal": decimal_size(size, 3)}
        key = "size" if params.size is None else "per_token_of_size"
        lines.append(t[key].format_map({**words, **sizes, "tokens": params.tokens}))
    if size is not None and rate is not None:
        key = "rate_links" if params.host_limit is None else "rate_host"
        lines.append(
            t[key].format(
                links=params.links or 1,
                bandwidth=params.bandwidth,
                host=params.host_limit,
                rate=rate.bits_per_s,
            )
        )
        lines.append(t["data_path"].format_map({**words, "size": size, "rate": rate.bits_per_s}))
    if params.recompute_rate is not None:
        speed = token_rate_text(params.recompute_rate)
        lines.append(t["recompute"].format_map({**words, "tokens": params.tokens, "speed": speed}))
    return lines


def _costs(result: Result, t: dict[str, str], words: dict[str, str]) -> list[str]:
    keys = ["cost", "saved"]
    if result.size_bytes is not None:
        keys.append("fixed")
    return [t[key].format_map(words) for key in keys]


def _solutions(result: Result, t: dict[str, str], words: dict[str, str]) -> list[str]:
    """The equations of the break-evens that there are."""
    lines = []
    if "exact" in words:
        lines.append(t["solve_length"].format_map(words))
    if result.bandwidth is not None and result.size_bytes is not None:
        lines.append(t["solve_bandwidth"].format_map({**words, "bits": str(8 * result.size_bytes)}))
    if result.overlap_ms is not None:
        lines.append(t["solve_overlap"].format_map(words))
    return lines


def _figures(result: Result, t: dict[str, str], words: dict[str, str]) -> list[str]:
    """The result lines; readers and tests rely on their wording."""
    saving, rate = result.costs.saving_ms, result.rate
    winner = "cheaper_fetch" if saving > 0 else "cheaper_recompute" if saving < 0 else "cheaper_neither"
    lines = [
        *[t[key].format_map(words) for key in ("fetch_cost", "recompute_cost", "saving")],
        t[winner],
    ]
    if rate is not None:
        bits = rate.bits_per_s
        lines.append(
            t[f"effective_{rate.limited_by}"].format(rate=rate_text(bits), byte_rate=byte_rate(bits))
        )
    return lines


def _break_evens(result: Result, t: dict[str, str], words: dict[str, str]) -> list[str]:
    params, overlap = result.params, result.overlap_ms
    if result.length is None:
        missing = " ".join(missing_for_length(result))
        instead = _instead([name for name in ("data_path", "recompute") if params.given(name)], t)
        length = t["length_unsolved"].format(missing=missing, instead=instead)
    else:
        length = t[f"length_{result.length.side}"].format_map(words)
    if result.size_bytes is None:
        instead = _instead(["data_path"] if params.given("data_path") else [], t)
        bandwidth = t["bandwidth_unsolved"].format(instead=instead)
    else:
        key = "bandwidth_never" if result.bandwidth is None else "bandwidth_solved"
        bandwidth = t[key].format_map(words)
    if overlap is None:
        return [length, bandwidth, t["overlap_never"].format_map(words)]
    key = "overlap_unneeded" if overlap < 0 else "overlap_solved"
    return [length, bandwidth, t[key].format_map(words)]


def missing_for_length(result: Result) -> list[str]:
    """The options that a break-even length needs and that were not given."""
    params = result.params
    missing = [] if params.tokens is not None else ["--tokens N"]
    if result.kv_bytes_per_token is None and params.size is None:
        missing.append("--kv-per-token SIZE")
    if result.rate is None:
        missing.append("--bandwidth RATE")
    if params.recompute_rate is None:
        missing.append("--recompute-rate RATE")
    return missing


def _instead(names: list[str], t: dict[str, str]) -> str:
    """Which options have to go, as they exclude the ones that are missing."""
    options = " ".join(["--" + name.replace("_", "-") for name in names])
    return t["instead"].format(options=options) if options else ""
