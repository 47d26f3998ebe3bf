"""A trace's hit rates against the size of the cache, as text."""

from __future__ import annotations

from labs.view.catalog.prefix_replay import TEXTS
from labs.view.languages import texts
from labs.view.prefix_replay_json import as_ratio
from labs.view.tables import paragraph, table
from labs.view.units import rounded, thousands, trimmed, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.prefix_replay import Result
    from labs.replay.hit_curve import Hits
    from labs.replay.ratios import Ratio

WIDTH = 50  # columns of the chart


def render_replay(result: Result, lang: str) -> str:
    t = texts(TEXTS, lang)
    lines = [
        t["setup"].format(path=_path(result), block_tokens=result.params.block_tokens),
        *_ids(result, t),
        paragraph(t["rule"]),
        "",
        paragraph(_measured(result, t)),
        paragraph(_counted(result, t)),
        "",
        t["definitions"].format(block_tokens=result.params.block_tokens),
        "",
        table([t["columns"].split("|"), *[_row(hits) for hits in result.asked]]),
        *_chart(result, t),
        "",
        t["why"],
        *["- " + paragraph(sentence, 98).replace("\n", "\n  ") for sentence in _why(result, t)],
        paragraph(t["not_shown"]),
        _next(result, t),
    ]
    return "\n".join(lines) + "\n"


def _path(result: Result) -> str:
    """The trace's path as one line, whatever it holds."""
    from labs.view.errors import shown

    return shown(result.params.trace.path, 200)


def percent(ratio: Ratio) -> str:
    """A ratio in percent.

    >>> percent((1, 8)), percent((0, 5))
    ('12.50 %', '0.00 %')
    """
    return visible(100 * ratio[0], ratio[1]) + " %"


def _capacity(capacity: int | None) -> str:
    return "inf" if capacity is None else thousands(capacity)


def _ids(result: Result, t: dict[str, str]) -> list[str]:
    """How the ids are taken, and what was found against it."""
    found = result.contradiction
    believed = found is not None and result.ids == "chained"
    lines = [t["ids_believed" if believed else f"ids_{result.ids}"]]
    if found is not None and found.line == found.other_line:
        lines.append(t["found_repeated"].format(block=found.block, line=found.line))
    elif found is not None:
        places = [
            t["place_first"] if before is None else t["place_after"].format(before=before)
            for before in (found.before, found.other_before)
        ]
        lines.append(
            t["found_parents"].format(
                block=found.block,
                line=found.line,
                place=places[0],
                other_line=found.other_line,
                other_place=places[1],
            )
        )
    return lines


def _measured(result: Result, t: dict[str, str]) -> str:
    facts = result.facts
    numerator, denominator = as_ratio(facts.span_ms)
    span = t["span"].format(seconds=trimmed(numerator, denominator * 1000, 3)) if numerator else t["no_span"]
    return t["measured"].format(
        requests=thousands(facts.requests),
        input_tokens=thousands(facts.input_tokens),
        output_tokens=thousands(facts.output_tokens),
        median=trimmed(*facts.input_median, 1),
        most=thousands(facts.input_max),
        span=span,
    )


def _counted(result: Result, t: dict[str, str]) -> str:
    facts = result.facts
    return t["counted"].format(
        blocks=thousands(facts.blocks),
        unique=thousands(facts.unique),
        all_hit=thousands(facts.all_blocks_hit_requests),
    )


def _row(hits: Hits) -> list[str]:
    rates = [percent(ratio) for ratio in hits.rates.values()]
    return [_capacity(hits.capacity), thousands(hits.hit_blocks), *rates, thousands(hits.evicted)]


def _chart(result: Result, t: dict[str, str]) -> list[str]:
    """A bar for each capacity of the curve."""
    most = result.endless.hit_blocks
    if not most:
        return [t["chart_empty"]]
    rows = []
    for hits in result.curve:
        bar = "#" * rounded(hits.hit_blocks * WIDTH, most, 0)
        rows.append((_capacity(hits.capacity), percent(hits.rates["blocks"]), f"|{bar:<{WIDTH}}|"))
    return [t["chart"].format(ceiling=percent(result.endless.rates["blocks"])), table(rows).rstrip("\n")]


def _why(result: Result, t: dict[str, str]) -> list[str]:
    """What no cache can hit, where the curve bends, and what each definition makes of it."""
    facts, endless = result.facts, result.endless
    if result.enough is None:
        sentences = [t["why_believed"]]
    elif not endless.hit_blocks:
        sentences = [t["why_nothing"].format(blocks=thousands(facts.blocks))]
    else:
        sentences = [
            t["why_first_time"].format(
                unique=thousands(facts.unique),
                blocks=thousands(facts.blocks),
                share=percent((facts.unique, facts.blocks)),
                ceiling=percent(endless.rates["blocks"]),
            ),
            _why_bend(result, t),
        ]
    if endless.hit_blocks:
        sentences.append(
            t["why_mean"].format(
                requests=percent(endless.request_mean),
                of_blocks=percent(endless.rates["blocks"]),
                largest=thousands(-(-facts.input_max // result.params.block_tokens)),
            )
        )
    if facts.all_blocks_hit_requests:
        less = endless.hit_tokens - endless.whole_block_tokens
        sentences.append(
            t["why_whole"].format(all_hit=thousands(facts.all_blocks_hit_requests), less=thousands(less))
        )
    if result.naive_hits:
        wrong = result.not_servable or 0
        sentences.append(
            t["why_naive"].format(
                naive=thousands(result.naive_hits),
                wrong=thousands(wrong),
                share=percent((wrong, result.naive_hits)),
            )
        )
    return sentences


def _why_bend(result: Result, t: dict[str, str]) -> str:
    shares = result.enough or {}
    half, ninety, all_hits = [thousands(shares[share]) for share in (50, 90, 100)]
    sentence = t["why_bend"].format(
        hits=thousands(result.endless.hit_blocks), half=half, ninety=ninety, all=all_hits
    )
    return sentence + (t["why_flat"].format(all=all_hits) if shares[100] < result.facts.unique else "")


def _next(result: Result, t: dict[str, str]) -> str:
    """To the capacity where the curve bends, from there to the whole curve."""
    import shlex

    params = result.params
    name = params.trace.path
    path = shlex.quote(f"./{name}" if name.startswith("-") else name)
    options = f" --block-tokens {params.block_tokens}" if params.block_tokens != 512 else ""
    if result.enough is None:
        return t["next_content"].format(path=path, options=options)
    options += f" --ids {params.ids}" if params.ids else ""
    fields = {"path": path, "options": options}
    if params.capacity or not result.enough:
        return t["next_all"].format(**fields)
    return t["next_share"].format(**fields, capacity=result.enough[90])
