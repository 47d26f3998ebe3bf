"""Why a predicted prefix look-up differs from the lab's."""

from __future__ import annotations

from labs.view.catalog.predict_prefix import TEXTS
from labs.view.languages import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.predict.answer import Difference


def why_look_up(difference: Difference, lang: str) -> str:
    """The cause as a sentence."""
    t = texts(TEXTS, lang)
    values = {**difference.place, **difference.values, "predicted": difference.predicted}
    keys = [f"{name} {values[name]}" for name in ("lora", "salt", "namespace") if values.get(name)]
    values["extra"] = t["extra"].format(keys=", ".join(keys)) if keys else ""
    return t[f"cause_{difference.cause}"].format(**values)
