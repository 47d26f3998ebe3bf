"""Markup of the page: elements with escaped text, and texts in both languages side by side.

What a step uncovers carries `data-step`, counted from 1; what stands only while a step is the last one
uncovered carries `data-only`, 0 before the first. The script looks at nothing else.
Text is escaped by `html.escape`; what is markup already is a `Markup`.
"""

from __future__ import annotations

from html import escape

from labs.base import Record
from labs.view.languages import LANGUAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

VOID = ("input", "meta")


class Markup(str):
    """A text that is markup."""

    __slots__ = ()


class Figure(Record):
    """One lab's drawing: its name, the word that its steps go by in the address, and their numbers.

    `lasts[i]` is the last round, position, block or line of step i + 1, and `first` the first there is;
    `labels` say to readers what each step uncovers.
    """

    lab: str
    word: str
    first: int
    lasts: tuple[int, ...]
    labels: tuple[Markup, ...]
    drawing: Markup


def tag(element: str, /, *children: str, **attributes: object) -> Markup:
    """An element; `_` in attribute names stands for `-`, one behind the name for none.

    What carries `data_step` holds one element, as the style covers elements.

    An attribute that is None or False is left out, one that is True has no value.

    >>> tag("td", "a < b", class_="prefill", data_step=2, hidden=True)
    '<td class="prefill" data-step="2" hidden>a &lt; b</td>'
    """
    said = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        key = key.rstrip("_").replace("_", "-")
        said.append(f" {key}" if value is True else f' {key}="{escape(str(value))}"')
    head = f"<{element}{''.join(said)}>"
    return Markup(head if element in VOID else f"{head}{joined(children)}</{element}>")


def joined(parts: Sequence[str]) -> Markup:
    """Parts one after another, escaped unless they are markup.

    >>> joined(["1 < 2", Markup("<b>so</b>")])
    '1 &lt; 2<b>so</b>'
    """
    return Markup("".join([part if isinstance(part, Markup) else escape(part) for part in parts]))


def both(text: Callable[[str], str], name: str = "span", **attributes: object) -> Markup:
    """A text in every language; the style shows that of the page.

    >>> both(lambda lang: {"en": "Round 1", "zh": "round 1"}[lang])
    '<span lang="en">Round 1</span><span lang="zh">round 1</span>'
    """
    return joined([tag(name, text(lang), lang=lang, **attributes) for lang in LANGUAGES])


def said(catalogue: dict[str, tuple[str, str]], key: str, **values: object) -> Markup:
    """A catalogue's text in every language, filled in."""
    return both(lambda lang: catalogue[key][LANGUAGES.index(lang)].format(**values))


def slots(count: int, kind: str) -> Markup:
    """So many empty squares of a kind: rows of K or V, or slots of a block.

    >>> slots(2, "empty")
    '<span class="slot empty"></span><span class="slot empty"></span>'
    """
    return Markup(tag("span", class_=f"slot {kind}") * count)


def chips(numbers: Sequence[object], most: int, hits: int = 0) -> Markup:
    """Numbers as little boxes, the first `hits` of them marked; of very many the first."""
    shown = [
        tag("span", str(number), class_="chip hit" if place < hits else "chip")
        for place, number in enumerate(numbers[:most])
    ]
    more = len(numbers) - most
    return joined([*shown, tag("span", f"+{more}", class_="more")] if more > 0 else shown)
