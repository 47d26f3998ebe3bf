"""A page as a tree, read without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

VOID = ("meta", "input")


class Node:
    """An element: its name, attributes and children, which are elements and texts."""

    def __init__(self, name: str, attributes: dict[str, str | None]) -> None:
        self.name, self.attributes = name, attributes
        self.children: list[Node | str] = []

    def get(self, attribute: str) -> str:
        return self.attributes.get(attribute) or ""

    def all(self, name: str = "", kind: str = "") -> Iterator[Node]:
        """Every element below of this name and class, in order."""
        for child in self.children:
            if isinstance(child, Node):
                if name in ("", child.name) and (not kind or kind in child.get("class").split()):
                    yield child
                yield from child.all(name, kind)

    def text(self, lang: str = "en") -> str:
        """What a reader of a language sees."""
        parts = []
        for child in self.children:
            if isinstance(child, str):
                parts.append(child)
            elif child.get("lang") in ("", lang):
                parts.append(child.text(lang))
        return "".join(parts)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(text: str) -> Node:
    """The whole page; every element that is opened must be closed."""
    reader = _Reader()
    reader.feed(text)
    (root,) = reader.open
    return root
