"""What the pages of all bugs share: title, the invariant that is broken, why, and what to try next."""

from __future__ import annotations

from labs.view.catalog.bugs import INVARIANTS, TEXTS
from labs.view.catalog.bugs_texts import HERE, NOT_SHOWN, STORIES, WHY
from labs.view.languages import texts
from labs.view.tables import paragraph, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from labs.bugs import Break, Bug

MAX_LIST = 60  # characters
NEXT = {  # a change of the bug's own case that teaches more
    "full-hit": "prefix --bug full-hit --b 1,2,3,4,5",
    "unchained": "prefix --bug unchained --b 1,2,9,4,5,6",
    "in-flight-hit": "schedule --external --log",
    "budget-before-hit": "schedule --bug budget-before-hit --budget 24",
    "preempted-as-hits": "schedule --bug preempted-as-hits --kv-blocks 12",
    "pooled-rounding": "schedule --bug pooled-rounding --block-size 1 --kv-blocks 17",
    "tpot-by-n": "schedule --bug tpot-by-n --request A:prefill=4,decode=99",
    "oversized": "schedule --bug oversized --full-prompt-must-fit",
}


def title(bug: Bug, lang: str) -> str:
    """The line that says what was broken."""
    story = texts(STORIES, lang)[bug.name]
    return paragraph(texts(TEXTS, lang)["title"].format(lab=bug.lab, bug=bug.name, story=story))


def ending(bug: Bug, first: Break | None, values: Mapping[str, Any], is_own: bool, lang: str) -> list[str]:
    """The invariant with this run's values, why, what is not shown, and the next command."""
    t, invariant = texts(TEXTS, lang), texts(INVARIANTS, lang)[bug.invariant]
    command = NEXT[bug.name] if is_own else f"{bug.lab} --bug {bug.name}"
    following = t["next"].format(command=command)
    if first is None:
        return [paragraph(t["kept"].format(invariant=invariant)), following]
    told = {key: shortened(str(v), MAX_LIST) if isinstance(v, list) else v for key, v in values.items()}
    told |= {"step": first.step, "invariant": invariant}
    return [
        paragraph(t[f"broken_{bug.unit}"].format(**told)),
        paragraph(t["in_values"].format(values=_told(HERE, bug, told, lang))),
        "",
        paragraph(t["why"] + _told(WHY, bug, told, lang)),
        paragraph(t["not_shown"] + texts(NOT_SHOWN, lang)[bug.name]),
        following,
    ]


def _told(catalogue: dict[str, tuple[str, str]], bug: Bug, told: Mapping[str, Any], lang: str) -> str:
    """A bug's sentence with this run's values; where these say `how` it broke, for that, if it has one."""
    said = texts(catalogue, lang)
    return said.get(f"{bug.name}_{told.get('how')}", said.get(bug.name, "")).format(**told)
