"""Frozen records behave as frozen dataclasses do."""

from __future__ import annotations

from typing import ClassVar

import pytest

from labs.base import LabError, Record, require


class Point(Record):
    x: int
    y: int = 2

    def check(self) -> None:
        require(self.x >= 0, "--x", "at_least", self.x, least=0)


class Place(Point):
    """The same fields, another kind of thing."""


class Named(Point):
    name: str = "p"


def test_fields_come_by_position_by_name_and_from_defaults() -> None:
    assert Point(1) == Point(x=1, y=2) == Point(1, 2)
    assert Named(1, 3, "q").name == "q"
    assert Named.field_names == ("x", "y", "name")
    assert repr(Point(1)) == "Point(x=1, y=2)"


def test_fields_have_one_order_however_they_are_given() -> None:
    assert hash(Point(y=3, x=1)) == hash(Point(1, 3))
    assert list(Point(y=3, x=1).as_dict()) == ["x", "y"]
    assert repr(Point(y=3, x=1)) == "Point(x=1, y=3)"


def test_a_subclass_may_change_a_default_but_not_add_the_field_twice() -> None:
    class Other(Point):
        y: int = 7
        kind: ClassVar[str] = "not a field"

    assert Other.field_names == ("x", "y")
    assert Other(1) == Other(1, 7)
    assert Point(1) == Point(1, 2)


def test_a_default_that_can_change_is_refused() -> None:
    with pytest.raises(TypeError):

        class Shared(Record):
            names: list[str] = []  # noqa: RUF012


def test_records_are_values() -> None:
    assert Point(1) != Point(2)
    assert Point(1) != Named(1)
    assert Point(1) != Place(1)
    assert {Point(1): "here"}[Point(1, 2)] == "here"


@pytest.mark.parametrize(
    "make",
    [lambda: Point(), lambda: Point(1, 2, 3), lambda: Point(1, x=1), lambda: Point(1, z=1)],  # type: ignore[call-arg, misc]
    ids=["missing", "too many", "twice", "unknown"],
)
def test_wrong_fields_are_type_errors(make: object) -> None:
    with pytest.raises(TypeError):
        make()  # type: ignore[operator]


def test_a_record_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 5  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del point.x
    assert point.replace(x=5) == Point(5)
    assert point == Point(1)


def test_checks_run_when_made_and_when_replaced() -> None:
    with pytest.raises(LabError) as caught:
        Point(-1)
    assert (caught.value.where, caught.value.rule, caught.value.got) == ("--x", "at_least", -1)
    with pytest.raises(LabError):
        Point(1).replace(x=-1)
