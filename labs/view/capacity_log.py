"""A reconciled log as text: what is printed, the budget, checks, figures, assumptions, and the verdict."""

from __future__ import annotations

from fractions import Fraction

from labs.view.capacity_log_why import why
from labs.view.catalog.capacity_log import CAUSES, EFFECTS, MEANINGS, REMEDIES, TEXTS
from labs.view.languages import texts
from labs.view.tables import paragraph, shortened, table
from labs.view.units import fixed, thousands, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.capacity_log import Result
    from labs.sizing.log.budget import Budget
    from labs.sizing.log.outcome import Assumption, Figure
    from labs.sizing.log.printed import Rounded

MAX_PRINTED = 24
MAX_FAILURES = 8
APART = ("naive_bytes_per_token",)  # two numbers, no range


def render_log(result: Result, lang: str) -> str:
    """The whole text."""
    t = texts(TEXTS, lang)
    outcome = result.outcome
    parts = [
        *_setup(result, t),
        *_printed(result, t),
        *_budget(result.budget, t),
        _checks(result, t),
        _figures(result, t, texts(MEANINGS, lang)),
        *_assumptions(result, t, texts(EFFECTS, lang)),
        *_failures(result, t, texts(CAUSES, lang), texts(REMEDIES, lang)),
        t["verdict"].format(verdict=outcome.verdict),
        paragraph(t["why"] + why(result, t)),
        paragraph(t["not_shown"]),
        _next(result, t),
    ]
    return "\n".join(part.removesuffix("\n") for part in parts if part) + "\n"


def number(value: object, places: int = 2) -> str:
    """A number as it is read: whole ones with separators, fractions with their places, words as they are."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return thousands(value)
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return thousands(int(value))
        return fixed(value.numerator, value.denominator, places)
    return str(value)


def _setup(result: Result, t: dict[str, str]) -> list[str]:
    from labs.view.errors import shown

    log, stack = result.params.log, result.params.stack
    model = t["no_model"] if stack is None else t["of_model"].format(name=shown(stack.shape.name, 200))
    generation = result.outcome.generation
    text = t["setup"].format(
        path=shown(log.path, 200),
        lines=thousands(log.lines),
        generation=t["unknown"] if generation == "unknown" else generation,
        model=model,
    )
    return [paragraph(text), t["starts"].format(starts=log.starts) if log.starts > 1 else ""]


def _printed(result: Result, t: dict[str, str]) -> list[str]:
    """What the log prints, one line a figure; of several ranks the range."""
    rows, seen = [], set()
    for figure in result.params.log.figures:
        if (figure.name, figure.value) in seen:
            continue
        seen.add((figure.name, figure.value))
        places = figure.places if figure.places is not None else 0
        value = figure.value
        cell = (
            fixed(value.numerator, value.denominator, places)
            if isinstance(value, Fraction)
            else number(value)
        )
        rows.append([figure.name, shortened(cell, 60), str(figure.line)])
    if not rows:
        return []
    lines = [t["printed_head"], table([t["printed_columns"].split("|"), *rows[:MAX_PRINTED]])]
    if rows[MAX_PRINTED:]:
        lines.append(t["more_printed"].format(more=len(rows) - MAX_PRINTED))
    ranks = result.printed.ranks
    if len({rank.value for rank in ranks}) > 1:
        ends = sorted(rank.value for rank in ranks)
        smallest, largest = number(ends[0]), number(ends[-1])
        lines.append(t["ranks"].format(count=len(ranks), smallest=smallest, largest=largest))
    if result.printed.engines > 1:
        lines.append(t["engines"].format(count=result.printed.engines))
    return lines


def gib(size: Rounded) -> str:
    """A size in GiB to two places.

    >>> from fractions import Fraction
    >>> from labs.sizing.log.printed import Rounded
    >>> gib(Rounded(Fraction(-21, 20)))
    '-1.05'
    """
    return fixed(size.value.numerator, size.value.denominator)


def _budget(budget: Budget | None, t: dict[str, str]) -> list[str]:
    if budget is None:
        return []
    share = budget.utilization.value

    def agrees(printed: Rounded | None, holds: bool) -> str:
        return "" if printed is None else t["agrees" if holds else "disagrees"].format(printed=gib(printed))

    lines = [
        t["budget_head"],
        t["budget_share"].format(
            total=gib(budget.total_gib),
            share=trimmed(share.numerator, share.denominator, 4),
            told="" if budget.utilization_is_known else t["budget_default"],
            product=gib(budget.share_gib),
            agrees=agrees(budget.printed_share_gib, budget.share_holds),
        ),
    ]
    for name, size in budget.parts:
        lines.append(t["budget_part"].format(size=gib(size), name=name))
    if budget.kv_gib is not None:
        said = agrees(budget.printed_kv_gib, budget.kv_holds)
        lines.append(t["budget_kv"].format(size=gib(budget.kv_gib), agrees=said))
    if budget.other_gib is not None and budget.printed_kv_gib is not None:
        kv, other = gib(budget.printed_kv_gib), gib(budget.other_gib)
        lines.append(t["budget_other"].format(kv=kv, size=other))
    return lines


def _checks(result: Result, t: dict[str, str]) -> str:
    rows = []
    for check in result.outcome.checks:
        allowed = range_text((check.low, check.high), t)
        rows.append([check.name, number(check.printed), allowed, t["yes" if check.holds else "no"]])
    if not rows:
        return ""
    return t["checks_head"] + "\n" + table([t["check_columns"].split("|"), *rows])


def meaning_of(name: str, meanings: dict[str, str]) -> str:
    """What a figure means; names that end in a number are found by what stands before it.

    >>> meaning_of("tokens_over_8", {"tokens_over_": "a share"})
    'a share'
    """
    return meanings.get(name) or next(
        (text for key, text in meanings.items() if key.endswith("_") and name.startswith(key)), ""
    )


def figure_text(figure: Figure, t: dict[str, str]) -> str:
    """A figure's value as it is read."""
    value = figure.value
    if figure.table:
        return ", ".join(f"{size}: {number(ends[0])}..{number(ends[-1])}" for size, ends in figure.table)
    if not isinstance(value, tuple):
        return number(value, figure.places)
    if figure.name in APART:
        return ", ".join(map(number, value))
    return range_text(value, t)


def range_text(ends: Sequence[object], t: dict[str, str]) -> str:
    """A range, or its one number if its ends read the same."""
    low, high = number(ends[0]), number(ends[-1])
    return low if low == high else t["from_to"].format(low=low, high=high)


def _figures(result: Result, t: dict[str, str], meanings: dict[str, str]) -> str:
    rows = [
        [figure.name, figure_text(figure, t), meaning_of(figure.name, meanings)]
        for figure in result.outcome.figures
    ]
    if not rows:
        return ""
    return t["figures_head"] + "\n" + table([t["figure_columns"].split("|"), *rows])


def _assumptions(result: Result, t: dict[str, str], effects: dict[str, str]) -> list[str]:
    outcome = result.outcome
    if not outcome.assumptions:
        return []
    rows = [[one.name, number(one.value), effects[one.name]] for one in outcome.assumptions]
    lines = [t["assumptions_head"], table([t["assumption_columns"].split("|"), *rows])]
    others = [_named(other) for other in outcome.alternatives if other]
    if others:
        lines.append(paragraph(t["alternatives"].format(others=t["join"].join(others))))
    return lines


def _named(assumptions: tuple[Assumption, ...]) -> str:
    return ", ".join(f"{one.name} {number(one.value)}" for one in assumptions)


def _failures(
    result: Result, t: dict[str, str], causes: dict[str, str], remedies: dict[str, str]
) -> list[str]:
    """Each kind of failure once, with its first line, cause and remedy."""
    lines, seen = [], set()
    for failure in result.params.log.failures:
        if failure.kind in seen:
            continue
        seen.add(failure.kind)
        lines.append(t["failure"].format(line=failure.line, text=shortened(failure.text, 100)))
        lines.append(t["cause"].format(cause=causes[failure.kind]))
        lines.append(t["remedy"].format(remedy=remedies[failure.kind]))
        more = sum(1 for other in result.params.log.failures if other.kind == failure.kind) - 1
        if more:
            lines.append(t["more_failures"].format(more=more))
    return [t["failures_head"], *lines[: 4 * MAX_FAILURES]] if lines else []


def _fit_options(result: Result, memory: Rounded, length: int) -> str:
    """The options of `capacity fit` for the deployment that was found."""
    import shlex

    stack = result.params.stack
    assert stack is not None
    name = stack.shape.name
    assumed = {one.name: one.value for one in result.outcome.assumptions}
    words = ["--model" if result.params.is_built_in else "--config", shlex.quote(name)]
    words += ["--kv-memory", f"{trimmed(memory.value.numerator, memory.value.denominator)}GiB"]
    options = ["tp", "pp", "dcp", "kv_dtype", "max_num_batched_tokens"]
    if stack.state is None:  # a state enlarges the block by itself
        options.append("block_size")
    for option in options:
        value = getattr(result.known, option) or assumed.get(option)
        if value not in (None, 1, "bfloat16"):
            words += ["--" + option.replace("_", "-"), str(value)]
    if result.known.async_scheduling or assumed.get("async_scheduling"):
        words.append("--async-scheduling")
    if result.known.prefix_caching is False or assumed.get("state_blocks_per_group") == 1:
        words.append("--no-prefix-caching")
    return " ".join([*words, "--max-model-len", str(length)])


def _next(result: Result, t: dict[str, str]) -> str:
    printed, length = result.printed, result.known.max_model_len
    import shlex

    stack, log = result.params.stack, result.params.log
    path = "-" if log.path == "stdin" else shlex.quote(log.path)
    if stack is None:
        return t["next_config"].format(path=path)
    memory = printed.available_gib if printed.refuses else printed.kv_gib
    if memory is not None and length is not None and memory.value > 0:
        return t["next_fit"].format(options=_fit_options(result, memory, length))
    option = "--model" if result.params.is_built_in else "--config"
    return t["next_pin"].format(path=f"{path} {option} {shlex.quote(stack.shape.name)}")
