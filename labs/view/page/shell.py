"""The whole page: head, language switch, one section a lab with its slider, its drawing and its text."""

from __future__ import annotations

from labs.view.catalog.page import TEXTS
from labs.view.errors import shown
from labs.view.languages import LANGUAGES, texts
from labs.view.page.markup import Figure, Markup, both, joined, said, tag
from labs.view.page.script import COVER, SCRIPT
from labs.view.page.style import STYLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Nothing is fetched: the browser itself refuses whatever is not in the file.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
MAX_SHOWN = 200
LANGUAGE_NAMES = {"en": "English", "zh": "中文"}


def page(figures: Sequence[tuple[Figure, Mapping[str, str]]], lang: str) -> str:
    """One self-contained HTML document that shows these figures, in a language to begin with.

    Beside each stands what its lab prints, by language.
    """
    names = [figure.lab for figure, _ in figures]
    head = [  # the mark that it is ours comes early: `labs.files.page_file` looks for it
        tag("meta", charset="utf-8"),
        tag("meta", name="generator", content="inference_lab"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"inference_lab: {', '.join(names)}"),
        tag("style", Markup(STYLE)),
        tag("script", Markup(COVER)),
    ]
    body = [
        _top(names),
        tag("main", *[section(figure, printed) for figure, printed in figures]),
        tag("footer", said(TEXTS, "footer")),
        tag("script", Markup(SCRIPT)),
    ]
    document = tag("html", tag("head", *head), "\n", tag("body", *body), lang=lang)
    return f"<!doctype html>\n{document}\n"


def written(path: str, lang: str) -> str:
    """What is printed in place of the labs' texts: where the page is."""
    return texts(TEXTS, lang)["written"].format(path=shown(path, MAX_SHOWN)) + "\n"


def _top(names: Sequence[str]) -> Markup:
    links = [tag("a", name, href=f"#{name}") for name in names] if len(names) > 1 else []
    switch = [
        tag("button", LANGUAGE_NAMES[lang], type="button", data_lang=lang, lang=lang) for lang in LANGUAGES
    ]
    return tag(
        "header",
        tag("strong", "inference_lab"),
        tag("nav", *links, aria_label="labs"),
        tag("div", *switch, class_="languages"),
        tag("p", said(TEXTS, "how"), class_="how"),
        tag("noscript", tag("p", said(TEXTS, "no_script"))),
    )


def section(figure: Figure, printed: Mapping[str, str]) -> Markup:
    """A lab: set-up, controls, drawing, and the rest of its text once every step is uncovered."""
    parts = {lang: text.partition("\n\n") for lang, text in printed.items()}
    text = tag(
        "details",
        tag("summary", said(TEXTS, "whole_text")),
        both(lambda lang: parts[lang][2], "pre"),
        data_step=len(figure.lasts),
    )
    return tag(
        "section",
        tag("h1", figure.lab),
        both(lambda lang: parts[lang][0], "p", class_="setup"),
        _controls(figure),
        figure.drawing,
        tag("p", said(TEXTS, "end_covered"), class_="end_covered"),
        text,
        id=figure.lab,
        data_word=figure.word,
        data_first=figure.first,
        data_lasts=" ".join(map(str, figure.lasts)),
    )


def _controls(figure: Figure) -> Markup:
    count = len(figure.lasts)
    where = [tag("span", said(TEXTS, "none"), data_only=0, hidden=count > 0)]
    for step, label in enumerate(figure.labels, start=1):
        where.append(tag("span", label, data_only=step, hidden=step < count))
    slider = tag(
        "input",
        type="range",
        min=0,
        max=count,
        value=count,
        step=1,
        aria_label=figure.word,
    )
    back = tag("button", said(TEXTS, "back"), type="button", data_move=-1)
    on = tag("button", said(TEXTS, "on"), type="button", data_move=1)
    return tag(
        "div",
        back,
        slider,
        on,
        tag("output", joined(where), aria_live="polite"),
        class_="controls",
        role="group",
    )
