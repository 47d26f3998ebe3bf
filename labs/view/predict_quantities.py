"""Why a predicted quantity differs from the run's."""

from __future__ import annotations

from labs.view.catalog.predict_quantities import TEXTS
from labs.view.languages import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.predict.answer import Difference


def shown(difference: Difference) -> str | None:
    """The right value with its unit; None if there is none."""
    from labs.view.units import binary_size, decimal_size, fixed, rate_text, thousands, trimmed

    kind, actual = difference.values["kind"], difference.actual
    if actual is None or isinstance(actual, str):
        return actual
    numerator, denominator = difference.values["exact"]
    if kind == "bytes" and denominator == 1:
        return f"{binary_size(numerator)} = {decimal_size(numerator, 3)}"
    if kind == "ms":
        return f"{trimmed(numerator, denominator, 3)} ms"
    if kind == "rate":
        return rate_text(numerator // denominator)
    return thousands(numerator) if denominator == 1 else fixed(numerator, denominator)


def why_quantity(difference: Difference, lang: str) -> str:
    """The cause as a sentence, and which other mistakes would give the same."""
    t, values = texts(TEXTS, lang), dict(difference.values)
    also = values.pop("also", [])
    values["power"] = f"2^{values['exponent']}" if "exponent" in values else ""
    for key in ("lengths", "of_each"):
        if key in values:
            values[key] = " + ".join(map(str, values[key]))
    if difference.cause == "not_fits":
        key = (
            "sum_null_block" if values["is_null_block"] else "sum_fits" if values["fits"] else "sum_does_not"
        )
        values["sum"] = t[key].format(**values)
    cause = difference.cause + (
        "_of_lecture" if difference.cause == "query_heads" and "model" in values else ""
    )
    why = t[f"cause_{cause}"].format(quantity=difference.place["quantity"], **values)
    return why + (t["also"].format(causes=", ".join(also)) if also else "")
