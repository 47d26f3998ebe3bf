"""Readers of option values: whole numbers, bounds, words, text; each refusal by its rule.

Turned red by: a second minus, digits of another script, a bound that is off by one, a length of digits that
would keep Python busy, control characters.
"""

from __future__ import annotations

import pytest

from labs.base import LabError, check_bounds
from labs.files.numbers import read_whole
from labs.options import one_of, text_value, whole

WHERE = "--tokens"


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), ("007", 7), ("-5", -5), (" 12 ", 12), ("9" * 18, 10**18 - 1), ("-0", 0)]
)
def test_whole_numbers(text: str, number: int) -> None:
    assert read_whole(text, WHERE) == number


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        *(
            (text, "not_whole")
            for text in ("", "-", "--5", "+5", "1.0", "1e3", "0x1", "1_0", "- 5", "5-", "inf")
        ),
        *((text, "not_whole") for text in ("\u0663", "\u00b2", "\uff15")),
        ("1" + "0" * 18, "too_many_digits"),
        ("9" * 5000, "too_many_digits"),
    ],
    ids=lambda text: text[:20],
)
def test_numbers_that_are_refused(text: str, rule: str) -> None:
    for read in (read_whole, whole(0), whole(-(10**18))):
        with pytest.raises(LabError) as caught:
            read(text, WHERE)
        assert (caught.value.where, caught.value.rule, caught.value.got) == (WHERE, rule, text)


@pytest.mark.parametrize(
    ("number", "least", "most", "rule"),
    [
        (1, 1, None, None),
        (0, 1, None, "at_least"),
        (-1, 0, 5, "at_least"),
        (5, 0, 5, None),
        (6, 0, 5, "at_most"),
        (0, 0, 0, None),
    ],
)
def test_bounds_are_included(number: int, least: int, most: int | None, rule: str | None) -> None:
    if rule is None:
        check_bounds(number, WHERE, least, most)
        assert whole(least, most)(str(number), WHERE) == number
        return
    with pytest.raises(LabError) as caught:
        check_bounds(number, WHERE, least, most)
    with pytest.raises(LabError) as read:
        whole(least, most)(str(number), WHERE)
    assert (caught.value.rule, caught.value.got) == (read.value.rule, read.value.got) == (rule, number)


def test_words_and_texts() -> None:
    assert (one_of(("en", "zh"))("zh", WHERE), text_value("", WHERE), text_value("a \u4e2d", WHERE)) == (
        *("zh", "", "a \u4e2d"),
    )
    for text in ("e", "EN", "", "en,zh"):
        with pytest.raises(LabError) as caught:
            one_of(("en", "zh"))(text, WHERE)
        assert (caught.value.rule, caught.value.values["choices"]) == ("not_one_of", "en, zh")
    for text in ("a\nb", "\0", "\x1b[31m", "\udcff"):
        with pytest.raises(LabError) as caught:
            text_value(text, WHERE)
        assert caught.value.rule == "not_printable"
