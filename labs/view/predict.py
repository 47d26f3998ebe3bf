"""The answer to a prediction: right, or the first difference, its cause, and why."""

from __future__ import annotations

from labs.view.catalog.predict import TEXTS
from labs.view.languages import texts
from labs.view.tables import paragraph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.predict.answer import Answer, Difference


def render_answer(lab: str, answer: Answer, lang: str) -> str:
    """The answer as text, ending in one newline; `lab` is the command's name."""
    t = texts(TEXTS, lang)
    difference = answer.difference
    if difference is None:
        what = t[f"checked_{answer.unit}"].format(checked=answer.checked)
        return t["right"].format(what=what) + "\n" + t["next_right"] + "\n"
    place = t["join"].join([t[f"place_{key}"].format(value=value) for key, value in difference.place.items()])
    lines = [
        t["first"].format(place=place, cause=difference.cause),
        _both(difference, t),
        paragraph(t["why"] + _why(lab, difference, lang)),
        t["next_wrong"],
    ]
    return "\n".join([line for line in lines if line]) + "\n"


def _both(difference: Difference, t: dict[str, str]) -> str:
    if difference.predicted is None:
        return ""
    predicted, actual = difference.predicted, difference.actual
    if "kind" in difference.values:
        from labs.view.predict_quantities import shown

        predicted, actual = difference.values["written"], shown(difference)
    return t["only_predicted" if actual is None else "both"].format(predicted=predicted, actual=actual)


def _why(lab: str, difference: Difference, lang: str) -> str:
    """The cause as a sentence, in the words of the lab."""
    if lab == "schedule":
        from labs.view.predict_schedule import why_rounds

        return why_rounds(difference, lang)
    if "kind" in difference.values:
        from labs.view.predict_quantities import why_quantity

        return why_quantity(difference, lang)
    if lab == "attention":
        from labs.view.predict_attention import why_paths

        return why_paths(difference, lang)
    from labs.view.predict_prefix import why_look_up

    return why_look_up(difference, lang)


def answer_document(answer: Answer) -> dict[str, Any]:
    """The answer for `--json`; a place that does not apply is null."""
    difference = answer.difference
    if difference is None:
        return {"right": True, "checked": answer.checked, "first_difference": None}
    first = {
        "cause": difference.cause,
        "round": difference.round,
        "request": difference.request,
        **{key: value for key, value in difference.place.items() if key not in ("round", "request")},
        "predicted": difference.predicted,
        "actual": difference.actual,
        "values": dict(difference.values),
    }
    return {"right": False, "checked": answer.checked, "first_difference": first}
