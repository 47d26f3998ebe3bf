"""JSON as the standard defines it, and no more: one meaning, finite numbers, bounded size.

`json.loads` alone lets a repeated key win silently, reads NaN, and leaves long numbers and deep nests
to whatever the interpreter does; here each is a `LabError` that names the line.
"""

from __future__ import annotations

import json
import re

from labs.base import LabError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_DIGITS = 40


def parse_json(text: str, path: str, first_line: int = 1) -> Any:
    """The value of a JSON text; `LabError` at `path:line`, lines counted from `first_line`."""

    def refuse(rule: str, got: str, line: int = 1, **values: object) -> LabError:
        return LabError(f"{path}:{first_line + line - 1}", rule, got, **values)

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(members)
        if len(found) < len(members):
            keys = [key for key, _ in members]
            twice = next(key for i, key in enumerate(keys) if key in keys[:i])
            raise refuse("repeated_key", twice, key_line(text, twice, last=True))
        return found

    def integer(digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            raise refuse("too_many_digits", digits, line_of(text, digits), most=MAX_DIGITS)
        return int(digits)

    def real(digits: str) -> float:
        value = float(digits)
        if value - value != 0:
            raise refuse("not_finite", digits, line_of(text, digits))
        return value

    def constant(name: str) -> None:
        raise refuse("not_finite", name, line_of(text, name))

    try:
        return json.loads(
            text, object_pairs_hook=pairs, parse_int=integer, parse_float=real, parse_constant=constant
        )
    except json.JSONDecodeError as error:
        got = text.split("\n")[error.lineno - 1].strip() or "nothing"
        raise refuse("not_json", got, error.lineno, reason=error.msg) from None
    except RecursionError:
        raise refuse("nested_too_deeply", text.strip()) from None


def is_json(text: str) -> bool:
    """Whether a text is one whole JSON value, strictly read or not."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def line_of(text: str, part: str) -> int:
    """The line on which a part of the text first stands (1 if it does not)."""
    return text.count("\n", 0, max(text.find(part), 0)) + 1


def key_line(text: str, key: str, last: bool = False) -> int:
    """The line on which an object's key first (or last) stands, 1 if it does not."""
    places = list(re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", text))
    if not places:
        return 1
    return text.count("\n", 0, places[-1 if last else 0].start()) + 1
