"""`report`: the template of the final report in Markdown, and which of its sections are still empty.

    section    a heading `## N. ...` with N from 1 to 7, in either language, up to the next heading like it
    empty      nothing but blank lines, comments, headings, and lines of the template, ticked or not

Whether a section is good is for a reader to say; an empty one is none. Source: the course's L7 and L8.
Does not model: what is claimed; without a GPU no measured gain may be.
"""

from __future__ import annotations

import re

from labs.base import LabError
from labs.files.text import read_typed
from labs.view.catalog.answers_report import CHECKLIST, GUIDES, SECTIONS, TEXTS
from labs.view.languages import LANGUAGES, texts

MAX_BYTES = 1 << 20
HEADING = re.compile(r"^##\s+([0-9]+)(?:[.\u3001\uff0e](?![0-9])|\s|$)")
FENCE = re.compile(r"^\s*(```|~~~)")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
BOX = re.compile(r"^\s*[-*]\s*\[[ xX]\]\s*")


def template(lang: str) -> str:
    """The report to fill in.

    >>> template("en").count("## ")
    8
    """
    said = texts(TEXTS, lang)
    guides, items = texts(GUIDES, lang), texts(CHECKLIST, lang)
    lines = [f"# {said['title']}", "", said["intro"], ""]
    for number, (name, title) in enumerate(texts(SECTIONS, lang).items(), 1):
        lines += [f"## {number}. {title}", "", f"<!-- {guides[name]} -->", "", ""]
    lines += [f"## {said['checklist']}", ""]
    lines += [f"- [ ] {item}" for item in items.values()]
    return "\n".join(lines) + "\n"


def template_lines() -> set[str]:
    """What stands in the template itself, in any language: no answer of anybody's."""
    lines = {line.strip() for lang in LANGUAGES for line in template(lang).split("\n")}
    return {BOX.sub("", line) for line in lines}


def bodies(text: str) -> dict[int, str]:
    """The text of each numbered section; of two with one number both.

    >>> bodies("## 1. Model\\nA\\n## Checklist\\nB\\n## 3. Base\\n")
    {1: 'A', 3: ''}
    """
    found: dict[int, list[str]] = {}
    number, in_fence = None, False
    for line in COMMENT.sub("", text).split("\n"):
        in_fence ^= bool(FENCE.match(line))
        heading = None if in_fence else HEADING.match(line)
        if heading:
            number = int(heading[1]) if len(heading[1]) < 3 else None
            if number is not None:
                found.setdefault(number, [])
        elif not in_fence and re.match(r"^##?\s", line):
            number = None
        elif number is not None:
            found[number].append(line)
    return {number: "\n".join(lines).strip() for number, lines in found.items()}


def empty_sections(text: str) -> tuple[str, ...]:
    """The names of the sections that are missing, or in which nobody has written."""
    known, written = template_lines(), bodies(text)
    empty = []
    for number, name in enumerate(SECTIONS, 1):
        lines = [BOX.sub("", line).strip() for line in written.get(number, "").split("\n")]
        if not any(has_words(line) and line not in known for line in lines):
            empty.append(name)
    return tuple(empty)


def has_words(line: str) -> bool:
    """Whether a line says anything: a heading, a rule or a fence does not.

    >>> has_words("12 GiB"), has_words("---"), has_words("### Load"), has_words("")
    (True, False, False, False)
    """
    return not line.startswith(("#", "```", "~~~")) and any(char.isalnum() for char in line)


def open_items(text: str) -> int:
    """How many boxes of the checklist are not ticked.

    >>> open_items("- [ ] a\\n- [x] b\\n* [ ] c")
    2
    """
    return len(re.findall(r"^\s*[-*]\s*\[ \]", COMMENT.sub("", text), re.MULTILINE))


def read_report(path: str) -> str:
    """The text of a report; `LabError` if it is none: then no numbered section stands in it."""
    text = read_typed(path, most=MAX_BYTES)
    if not bodies(text):
        raise LabError(path, "not_a_report", path, sections=len(SECTIONS))
    return text
