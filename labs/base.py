"""The ground floor: frozen records, and the one error that bad input raises.

Records are written as dataclasses are (annotated names, then defaults), and type checkers see them as
frozen dataclasses. They stand in for `dataclasses` because importing that, with what it needs, takes a
bare Python longer than starting up does, and a whole `inference_lab.py all` shall take at most
twice a start.

For the same reason every module here sets `TYPE_CHECKING = False` in place of importing `typing`: type
checkers take the name for true, and read the imports under it; Python skips them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, TypeVar, dataclass_transform

    RecordType = TypeVar("RecordType", bound="Record")
else:

    def dataclass_transform(**_: object) -> object:
        return lambda record: record


@dataclass_transform(frozen_default=True)
class Record:
    """Base of all frozen records: equal by value, made by position or by name.

    A subclass may define `check`, which runs once the fields are set and raises `LabError`. A record is
    hashable if its values are.

    >>> class Work(Record):
    ...     request: str
    ...     tokens: int = 1
    >>> Work("A"), Work("A") == Work(tokens=1, request="A"), Work("A").replace(tokens=2).tokens
    (Work(request='A', tokens=1), True, 2)
    """

    field_names: ClassVar[tuple[str, ...]] = ()
    defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        names = [name for name, kind in cls.__annotations__.items() if not str(kind).startswith("ClassVar")]
        own = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
        for name, value in own.items():
            if isinstance(value, (list, dict, set)):
                raise TypeError(f"{cls.__name__}.{name}: a default that can change would be shared")
        cls.field_names = (*cls.field_names, *(name for name in names if name not in cls.field_names))
        cls.defaults = {**cls.defaults, **own}

    def __init__(self, *values: Any, **named: Any) -> None:
        names = self.field_names
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} has {len(names)} fields, got {len(values)}")
        given = dict(zip(names, values))
        for name, value in named.items():
            if name in given or name not in names:
                raise TypeError(f"{type(self).__name__}: unknown or repeated field {name}")
            given[name] = value
        for name in names:
            if name not in given and name not in self.defaults:
                raise TypeError(f"{type(self).__name__}: {name} is missing")
            self.__dict__[name] = given[name] if name in given else self.defaults[name]
        self.check()

    def check(self) -> None:
        """Raise `LabError` if the fields break a rule; the base has none."""

    def replace(self: RecordType, **changes: Any) -> RecordType:
        """The same record with some fields changed, checked again."""
        return type(self)(**{**self.__dict__, **changes})

    def as_dict(self) -> dict[str, Any]:
        """A new dict of the fields, in their order."""
        return dict(self.__dict__)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: use replace({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"


class LabError(ValueError):
    """Bad input: where it stands, the rule it breaks, and what was got.

    `where` is an option (`--budget`), a `file:line` or a field; `rule` is a key of
    `labs.view.catalog.errors`, whose text is filled in with `values`. `got` is None where there is
    nothing to show. The entry point prints it as the one line `error: WHERE: WHAT (got X)`.
    """

    def __init__(self, where: str, rule: str, got: object = None, **values: object) -> None:
        super().__init__(f"{where}: {rule} {values or ''}(got {got!r})")
        self.where = where
        self.rule = rule
        self.got = got
        self.values = values


def require(condition: bool, where: str, rule: str, got: object = None, **values: object) -> None:
    """Raise `LabError` unless the condition holds."""
    if not condition:
        raise LabError(where, rule, got, **values)


def check_bounds(number: int, where: str, least: int, most: int | None = None) -> None:
    """Raise `LabError` if a number lies outside its bounds."""
    require(number >= least, where, "at_least", number, least=least)
    require(most is None or number <= most, where, "at_most", number, most=most)
