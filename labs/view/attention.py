"""The attention lab's result as text."""

from __future__ import annotations

from labs.view.catalog.attention import TEXTS
from labs.view.languages import texts
from labs.view.tables import paragraph, table
from labs.view.units import fixed, thousands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.attention import Result
    from labs.engine.attention import Work

MAX_NUMBERS = 4  # numbers of an output that are shown
MAX_ROWS = 16


def render_attention(result: Result, growth: Sequence[tuple[int, Work, Work]], lang: str) -> str:
    t = texts(TEXTS, lang)
    last = (result.recompute_work[-1], result.cached_work[-1])
    parts = [
        _setup(result, t),
        _outputs(result, t),
        "".join(f"{t['position'].format(**position.as_dict())}\n" for position in result.positions)
        + _claims(result, t)
        + t["rows"].format(full=last[0].rows_projected, kept=last[1].rows_projected),
        t["growth"] + "\n" + _growth(growth, t),
        paragraph(t["why"] + _why(result, last, t)),
        paragraph(t["not_shown"]) + "\n" + t["next_blockwise" if result.params.sabotage else "next"],
    ]
    return "\n".join(part.removesuffix("\n") + "\n" for part in parts)


def _setup(result: Result, t: dict[str, str]) -> str:
    params = result.params
    lines = [
        t["setup"].format(**{**params.as_dict(), "kv_heads": params.num_kv_heads}),
        t["made" if not params.is_lecture else "lecture"].format(seed=params.seed or 0),
    ]
    if params.block_size is not None:
        lines.append(t["blocks"].format(size=params.block_size, blocks=list(result.block_table)))
    if params.sabotage:
        lines.append(t[params.sabotage].format(lost=params.damaged_position))
    return "\n".join(lines)


def _outputs(result: Result, t: dict[str, str]) -> str:
    rows = [t["columns"].split("|")]
    for position in result.positions[:MAX_ROWS]:
        outputs = [_numbers(position.recompute_output), _numbers(position.cached_output)]
        rows.append([str(position.position), *outputs, f"{position.max_abs_difference:.6f}"])
    more = len(result.positions) - MAX_ROWS
    return table(rows) + (t["more_rows"].format(more=more) if more > 0 else "")


def _numbers(output: Sequence[float]) -> str:
    shown = ", ".join(f"{number:.6f}" for number in output[:MAX_NUMBERS])
    return f"[{shown}{', ...' if len(output) > MAX_NUMBERS else ''}]"


def _claims(result: Result, t: dict[str, str]) -> str:
    """Which equality each further way of computing claims: to the bit, or within a bound."""
    lines = []
    if result.chunked_matches_full is not None:
        lines.append(t["chunked"].format(chunk=result.params.chunk, equal=result.chunked_matches_full))
    if result.blockwise is not None:
        ulps = result.blockwise
        lines.append(
            t["blockwise"].format(
                size=result.params.blockwise_block_size,
                ulps=f"{ulps.max_ulps:.2f}" if ulps.max_ulps < 10**6 else f"{ulps.max_ulps:.0e}",
                bound=ulps.bound_ulps,
                within=ulps.within_bound,
            )
        )
        if ulps.bound_is_vacuous:
            lines.append(t["vacuous"])
    return "".join(line + "\n" for line in lines)


def _growth(growth: Sequence[tuple[int, Work, Work]], t: dict[str, str]) -> str:
    rows = [t["growth_columns"].split("|")]
    for tokens, full, kept in growth:
        rows.append(
            [
                thousands(tokens),
                *(
                    f"{thousands(getattr(full, name))} / {thousands(getattr(kept, name))}"
                    for name in full.field_names
                ),
            ]
        )
    if len(growth) > 1:
        rows.append([f"{growth[-2][0]} -> {growth[-1][0]}", *_ratios(*growth[-2:])])
    return table(rows)


def _ratios(before: tuple[int, Work, Work], after: tuple[int, Work, Work]) -> list[str]:
    """By what factor each figure grew between two numbers of tokens, recompute / cached."""
    names = after[1].field_names
    factors = [
        [f"x{fixed(getattr(new, name), getattr(old, name))}" for old, new in zip(before[1:], after[1:])]
        for name in names
    ]
    return [" / ".join(pair) for pair in factors]


def _why(result: Result, last: tuple[Work, Work], t: dict[str, str]) -> str:
    params, (full, kept) = result.params, last
    tokens = params.tokens
    terms = " + ".join(map(str, range(1, tokens + 1))) if tokens <= 6 else f"1 + 2 + ... + {tokens}"
    fewer = full.rows_projected - kept.rows_projected
    rows = {"full": full.rows_projected, "kept": kept.rows_projected, "fewer": fewer}
    why = t["why_rows" if tokens > 1 else "why_one"].format(terms=terms, **rows)
    if params.sabotage:
        return why + _why_damage(result, t)
    if tokens > 1:
        why += t["why_equal"].format(bytes=thousands(kept.kv_bytes_read), last=tokens - 1)
    return why


def _why_damage(result: Result, t: dict[str, str]) -> str:
    """Which positions noticed the damage, and which read it without noticing."""
    params = result.params
    wrong = [str(position.position) for position in result.positions if not position.cached_matches_full]
    read = [str(position) for position in range(params.first_damaged_read, params.tokens)]
    hidden = [position for position in read if position not in wrong]
    why = t["why_damage" if wrong else "why_no_damage"].format(
        kind=params.sabotage, wrong=t["list"].join(wrong), count=len(wrong), tokens=params.tokens
    )
    if hidden:
        why += t["why_hidden"].format(hidden=t["list"].join(hidden), dtype=params.dtype)
    return why
