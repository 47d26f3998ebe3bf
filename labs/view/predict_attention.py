"""Why predicted rows or equalities differ from the attention lab's."""

from __future__ import annotations

from labs.view.catalog.predict_attention import TEXTS
from labs.view.languages import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.predict.answer import Difference


def why_paths(difference: Difference, lang: str) -> str:
    """The cause as a sentence."""
    t, values = texts(TEXTS, lang), {**difference.place, **difference.values}
    values["path_name"] = t.get(f"path_{values.get('path')}", "").format(**values)
    return t[f"cause_{difference.cause}"].format(predicted=difference.predicted, **values)
