"""Two rules on the same requests: the first round that differs, why, and what each request paid for it."""

from __future__ import annotations

from labs.view.catalog.schedule_compare import TEXTS
from labs.view.languages import texts
from labs.view.schedule_why import served
from labs.view.tables import paragraph, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from labs.engine.explain.compare import Comparison, Cost
    from labs.engine.simulator import Round

MAX_NAMES = 8  # in a sentence
MAX_ROWS = 50


def render_compare(comparison: Comparison, lang: str) -> str:
    """The comparison as text, ending in one newline."""
    t = texts(TEXTS, lang)
    rule, other = comparison.rules
    parts = [
        t["setup"].format(rule=rule, other=other) + "\n" + _difference(comparison, t),
        _costs(comparison, t),
        paragraph(t["join"].join(_who_paid(comparison, t))),
    ]
    if comparison.round is not None:
        parts.append(paragraph(t["why"] + _why(comparison, t)))
    return "\n".join(part.removesuffix("\n") + "\n" for part in parts)


def _difference(comparison: Comparison, t: dict[str, str]) -> str:
    number = comparison.round
    if number is None:
        return t["equal"].format(rounds=comparison.num_rounds[0])
    key = {1: "first", 2: "same_first"}.get(number, "same_until")
    if comparison.order_round is not None:
        key = "same_tokens"
    says = t["only_order" if comparison.only_order else key].format(
        last=number - 1, round=number, order_round=comparison.order_round
    )
    lines = [says]
    for rule, round in zip(comparison.rules, (comparison.ours, comparison.theirs)):
        ended = t["no_round"].format(number=number)
        lines += [t["under"].format(rule=rule), ended if round is None else _line(round, t)]
    return "\n".join(lines)


def _line(round: Round, t: dict[str, str]) -> str:
    work = t["comma"].join(map(served, round.work))
    return t["round"].format(number=round.round) + (work or t["idle"])


def _costs(comparison: Comparison, t: dict[str, str]) -> str:
    rule, other = comparison.rules
    rows = [t["columns"].format(rule=rule, other=other).split("|")]
    for cost in comparison.costs[:MAX_ROWS]:
        last = [str(number or "-") for number in cost.last_round]
        rows.append([cost.name, *map(str, cost.waited), _signed(cost.more_waiting), *last])
    more = len(comparison.costs) - MAX_ROWS
    return t["caption"] + "\n" + table(rows) + (t["more_requests"].format(more=more) if more > 0 else "")


def _signed(number: int) -> str:
    return f"{number:+d}" if number else "0"


def _who_paid(comparison: Comparison, t: dict[str, str]) -> list[str]:
    """Who waits more or less under the second rule, who ends at another time, and who did not end."""
    rule, other = comparison.rules

    def listed(amount: Callable[[Cost], int]) -> str:
        costs = sorted(comparison.costs, key=lambda cost: -abs(amount(cost)))
        return _names([f"{cost.name} {_signed(amount(cost))}" for cost in costs if amount(cost)], t)

    said = []
    more = listed(lambda cost: max(cost.more_waiting, 0))
    less = listed(lambda cost: min(cost.more_waiting, 0))
    for key, names in (("paid", more), ("gained", less), ("nobody_paid", "" if more or less else "-")):
        if names:
            said.append(t[key].format(rule=rule, other=other, names=names))
    ends = listed(_ends_later)
    if ends:
        said.append(t["ends"].format(other=other, names=ends))
    for side in (0, 1):
        left = [cost.name for cost in comparison.costs if not cost.finished[side]]
        if left:
            values = {"rule": comparison.rules[side], "rounds": comparison.num_rounds[side]}
            said.append(t["unfinished"].format(names=_names(left, t), **values))
    return said


def _ends_later(cost: Cost) -> int:
    ours, theirs = cost.last_round
    return theirs - ours if all(cost.finished) and ours and theirs else 0


def _names(names: Sequence[str], t: dict[str, str]) -> str:
    more = len(names) - MAX_NAMES
    return t["list"].join(names[:MAX_NAMES]) + (t["and_more"].format(more=more) if more > 0 else "")


def _why(comparison: Comparison, t: dict[str, str]) -> str:
    """Who got what under each rule, and the rule that made it so, with this round's values."""
    reason = comparison.reason
    swapped = reason.side == "theirs"
    (rule, other), rounds = comparison.rules, (comparison.ours, comparison.theirs)
    if swapped:
        (rule, other), rounds = (other, rule), rounds[::-1]
    values: dict[str, Any] = {"name": reason.request, "rule": rule, "other": other}
    for key, value in reason.values.items():
        values[key] = _names([str(name) for name in value], t) if isinstance(value, tuple) else value
    values["by_order"] = "by_order_only" if comparison.only_order else "by_order"
    text = because(reason.kind, values, t)
    if reason.kind in ("cut_off", "stuck", "idle") or comparison.only_order:
        return text
    got, other_got = [_got(round, reason.request, t) for round in rounds]
    names = {"round": comparison.round, "name": reason.request, "rule": rule, "other": other}
    return t["lead"].format(got=got, other_got=other_got, **names) + text


def _got(round: Round | None, name: str | None, t: dict[str, str]) -> str:
    for item in round.work if round else ():
        if item.request == name:
            return f"{item.phase} {item.tokens}"
    return t["nothing"]


def because(kind: str, values: dict[str, Any], t: dict[str, str]) -> str:
    """A reason or a limit as a sentence's second half; `values` has its figures, name and rule."""
    if "other_order" in values:
        orders = {"order": t[kind], "other_order": t[values["other_order"]]}
        return t[values["by_order"]].format(**{**values, **orders})
    if kind == "ended":
        how = t.get(values["how"], "").format(**values)
        return t["reason_ended"].format(**{**values, "how": how})
    text = t[f"reason_{kind}"].format(**values)
    if kind == "head_of_line":
        text += because(values["cause"], {**values, "name": values["head"]}, t)
    elif kind == "gate" and values["watermark_blocks"]:
        text += t["kept_free"].format(**values)
    return text


def compare_document(comparison: Comparison) -> dict[str, Any]:
    """The comparison for `--json`, to stand under `compare`; pairs are [first rule, second rule]."""

    def work(round: Round | None) -> list[dict[str, Any]] | None:
        return None if round is None else [item.as_dict() for item in round.work]

    reason = comparison.reason
    side = {"ours": comparison.rules[0], "theirs": comparison.rules[1]}
    return {
        "rules": list(comparison.rules),
        "round": comparison.round,
        "only_order": comparison.only_order,
        "order_round": comparison.order_round,
        "work": [work(comparison.ours), work(comparison.theirs)],
        "reason": {
            "kind": reason.kind,
            "rule": side.get(reason.side or ""),
            "request": reason.request,
            "values": {k: list(v) if isinstance(v, tuple) else v for k, v in reason.values.items()},
        },
        "requests": [
            {
                "name": cost.name,
                "waited_rounds": list(cost.waited),
                "more_waiting": cost.more_waiting,
                "first_round": list(cost.first_round),
                "last_round": list(cost.last_round),
                "finished": list(cost.finished),
            }
            for cost in comparison.costs
        ],
        "num_rounds": list(comparison.num_rounds),
    }
