"""Why a predicted schedule differs from the run, in the values of the round."""

from __future__ import annotations

from labs.view.catalog.predict_schedule import TEXTS
from labs.view.languages import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from labs.predict.answer import Difference


def why_rounds(difference: Difference, lang: str) -> str:
    """The cause as a sentence."""
    t, cause, values = texts(TEXTS, lang), difference.cause, dict(difference.values)
    values.update(round=difference.round, request=difference.request)
    values.setdefault("predicted", difference.predicted)
    if "limit" in values:
        return t["cause_limit"].format(**values) + _limit(values, lang)
    for key in ("known", "left"):
        if isinstance(values.get(key), list):
            values[key] = t["list"].join(values[key])
    if cause == "over_budget":
        values.update(terms=_tokens(values["terms"], t["plus"]), over=values["total"] - values["budget"])
        cause = cause + "_nano-vllm" if values["rule"] == "nano-vllm" else cause
    elif cause == "more_than_left":
        values["more"] = values["predicted"] - values["left"]
        cause = f"{cause}_{values['phase']}"
    elif cause == "wrong_phase":
        cause = f"{cause}_{values['phase']}"
    elif cause == "run_ended" and values["stuck"]:
        cause = "run_stuck"
    elif cause == "other_tokens":
        values["before"] = _tokens(values["before"], t["list"]) or t["nobody"]
    return t[f"cause_{cause}"].format(order=t.get(f"order_{values.get('rule')}", ""), **values)


def _tokens(pairs: Sequence[tuple[str, int]], between: str) -> str:
    return between.join([f"{name} {tokens}" for name, tokens in pairs])


def _limit(values: dict[str, Any], lang: str) -> str:
    """A limit of the rule, in the words of the comparison of two rules."""
    from labs.view.catalog.schedule_compare import TEXTS as LIMITS
    from labs.view.schedule_compare import because

    t = texts(LIMITS, lang)
    joined = {k: t["list"].join(map(str, v)) if isinstance(v, list) else v for k, v in values.items()}
    return because(values["limit"], {**joined, "name": values["request"]}, t)
