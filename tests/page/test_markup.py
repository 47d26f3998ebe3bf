"""Elements, escaping, and a lab's section of the page."""

from __future__ import annotations

from labs.view.page.markup import Figure, chips, tag
from labs.view.page.shell import section
from tests.page.tree import parse

HOSTILE = "<script>\"&amp;'"


def test_text_is_escaped() -> None:
    tree = parse(tag("p", HOSTILE, title=HOSTILE))
    (element,) = tree.all()
    assert (element.name, element.text(), element.get("title")) == ("p", HOSTILE, HOSTILE)


def test_attributes_that_are_no_text() -> None:
    assert tag("input", hidden=False, disabled=True, class_=None, data_x=0) == '<input disabled data-x="0">'


def test_many_numbers_are_cut_and_counted() -> None:
    tree = parse(chips(range(9), 4, hits=2))
    assert [chip.text() for chip in tree.all("span")] == ["0", "1", "2", "3", "+5"]
    assert [chip.text() for chip in tree.all("span", "hit")] == ["0", "1"]


def test_a_section() -> None:
    """Set-up in sight, controls for each step, and the rest of the text behind the last one."""
    labels = tag("i", "first"), tag("i", "second")
    figure = Figure("prefix", "block", 0, (0, 7), labels, tag("b", "drawn"))
    texts = {"en": "set-up\n\nresult\n\nwhy", "zh": "设置\n\n结果"}
    (lab,) = parse(section(figure, texts)).all("section")
    assert (lab.get("id"), lab.get("data-word"), lab.get("data-first"), lab.get("data-lasts")) == (
        *("prefix", "block", "0", "0 7"),
    )
    (setup,) = [element for element in lab.all("p", "setup") if element.get("lang") == "en"]
    assert setup.text() == "set-up"
    (whole,) = lab.all("details")
    assert whole.get("data-step") == "2"
    assert [pre.text() for pre in whole.all("pre")] == ["result\n\nwhy", "结果"]
    (slider,) = lab.all("input")
    assert (slider.get("min"), slider.get("max")) == ("0", "2")
    (output,) = lab.all("output")
    told = {span.get("data-only"): span.text() for span in output.all("span") if span.get("data-only")}
    assert told == {"0": "all covered", "1": "first", "2": "second"}
