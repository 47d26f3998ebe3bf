"""Tables and paragraphs by display width: Chinese characters take two columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labs.view.tables import display_width, paragraph, table


def test_columns_line_up_whatever_the_script() -> None:
    text = table([("块", "match"), ("0", "True"), ("块块块", "x")])
    assert text == "  块      match\n  0       True\n  块块块  x\n"


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 6, ["one", "two", "three"]),
        ("unbreakable", 4, ["unbreakable"]),
        ("块块块块块", 6, ["块块块", "块块"]),
        ("块块块，块", 6, ["块块", "块，块"]),  # no line begins with a comma
        ("第 12 块", 5, ["第 12", "块"]),
        ("块块（块块", 6, ["块块", "（块块"]),  # no line ends with an opening bracket
        ("a\n\nb c", 3, ["a", "", "b c"]),
        ("", 10, [""]),
    ],
)
def test_where_a_paragraph_is_broken(text: str, width: int, lines: list[str]) -> None:
    assert paragraph(text, width).split("\n") == lines


@given(st.text(alphabet="ab 块，。", max_size=60), st.integers(6, 30))
def test_nothing_is_lost(text: str, width: int) -> None:
    assert "".join(paragraph(text, width).split()) == "".join(text.split())


@given(st.lists(st.sampled_from(["a ", "abc ", "块"]), max_size=60).map("".join), st.integers(6, 30))
def test_lines_fit_where_they_can_be_broken(text: str, width: int) -> None:
    assert all(display_width(line) <= width for line in paragraph(text, width).split("\n"))
