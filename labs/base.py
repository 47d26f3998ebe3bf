"""The ground floor: frozen records, and the one error that bad input raises.

Records are written as dataclasses are (annotated names, then defaults) and type checkers see them
as frozen dataclasses. At run time they cost one small class instead of `import dataclasses`, which
takes longer than starting Python does: a whole `inference_lab.py all` has to fit in twice that.
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

    A subclass may define `check`, which runs once the fields are set and raises `LabError`.

    >>> class Work(Record):
    ...     request: str
    ...     tokens: int = 1
    >>> Work("A"), Work("A") == Work("A", 1), Work("A").replace(tokens=2).tokens
    (Work(request='A', tokens=1), True, 2)
    """

    field_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.field_names = (*cls.field_names, *cls.__annotations__)

    def __init__(self, *values: Any, **named: Any) -> None:
        names = self.field_names
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} has {len(names)} fields, got {len(values)}")
        fields = dict(zip(names, values))
        for name, value in named.items():
            if name in fields or name not in names:
                raise TypeError(f"{type(self).__name__}: unknown or repeated field {name}")
            fields[name] = value
        for name in names:
            if name not in fields:
                if not hasattr(type(self), name):
                    raise TypeError(f"{type(self).__name__}: {name} is missing")
                fields[name] = getattr(type(self), name)
        self.__dict__.update(fields)
        self.check()

    def check(self) -> None:
        """Raise `LabError` if the fields break a rule; the base has none."""

    def replace(self: RecordType, **changes: Any) -> RecordType:
        """The same record with some fields changed, checked again."""
        return type(self)(**{**self.__dict__, **changes})

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
