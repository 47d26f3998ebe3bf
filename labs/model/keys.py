"""Reading the keys of a config.json strictly: a key has its type, or the file is refused by its name.

A `Section` is one JSON object of the file. It knows where it stands, so that every refusal is a
`LabError` at `file:line` that names the key with its path, such as `text_config.num_hidden_layers`.
A key that is null counts as absent: that is how published files say "not used".
"""

from __future__ import annotations

import json
import re

from labs.base import LabError, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_LAYERS = 10_000
MOST_WIDTH = 1_000_000
MOST_WINDOW = 1_000_000_000


class Section(Record):
    """One object of a config: its values, the path to it, the file it is from.

    `names` are the model's type and architectures, in lower case and without underscores; they are
    consulted only where the structure alone says too little.
    """

    values: dict[str, Any]
    prefix: str
    file: str
    text: str
    names: tuple[str, ...] = ()

    def error(self, rule: str, key: str, got: object = None, **values: object) -> LabError:
        """A refusal that names the key with its path and stands at the key's line."""
        path = self.prefix + key
        return LabError(f"{self.file}:{path_line(self.text, path)}", rule, got, key=path, **values)

    def get(self, key: str) -> Any:
        return self.values.get(key)

    def has(self, key: str) -> bool:
        """Whether the key is there and not null."""
        return self.values.get(key) is not None

    def named(self, *families: str) -> bool:
        """Whether the model's type or architecture is of one of these families."""
        return any(name.startswith(families) for name in self.names)

    def whole(self, key: str, most: int = MOST_WIDTH, least: int = 1) -> int | None:
        """A whole number within bounds, None if absent; `LabError` for any other value."""
        return self._checked(key, self.get(key), most, least) if self.has(key) else None

    def whole_of_layer(self, key: str, index: int, layers: int) -> int | None:
        """A number that is given once or for each layer, None if absent."""
        if isinstance(self.get(key), list):
            return self._checked(key, self.items(key, layers)[index])
        return self.whole(key)

    def _checked(self, key: str, value: object, most: int = MOST_WIDTH, least: int = 1) -> int:
        if type(value) is not int or not least <= value <= most:
            raise self.error("config_whole", key, as_json(value), least=least, most=most)
        return value

    def needed(self, *keys: str, most: int = MOST_WIDTH) -> int:
        """The number under the one of these names that is there; `LabError` if none is."""
        return self.present(keys[0], self.one_of(*keys, most=most))

    def present(self, key: str, value: int | None) -> int:
        """The value, or a `LabError` that the key is missing."""
        if value is None:
            raise self.error("config_missing", key)
        return value

    def one_of(self, *keys: str, most: int = MOST_WIDTH) -> int | None:
        """The number under these names, which all mean the same; `LabError` if they disagree."""
        return self.agreed({key: self.whole(key, most) for key in keys})

    def agreed(self, found: dict[str, int | None]) -> int | None:
        """The one value that stands under several keys, None if there is none."""
        there = {key: value for key, value in found.items() if value is not None}
        first = next(iter(there), "")
        for key, value in there.items():
            if value != there[first]:
                raise self.error("config_disagree", key, value, other=self.prefix + first)
        return there.get(first)

    def flag(self, key: str) -> bool | None:
        """true, false, or None if absent; `LabError` for any other value."""
        value = self.get(key)
        if value is None or isinstance(value, bool):
            return value
        raise self.error("config_flag", key, as_json(value))

    def object(self, key: str) -> Section | None:
        """The object under a key, None if absent; `LabError` if it is something else."""
        value = self.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.error("config_object", key, as_json(value))
        return Section(value, f"{self.prefix}{key}.", self.file, self.text, self.names)

    def items(self, key: str, length: int | None = None) -> list[Any]:
        """The list (or letters) under a key; `LabError` unless it has one entry for each layer."""
        value = self.get(key)
        if not isinstance(value, (list, str)):
            raise self.error("config_list", key, as_json(value))
        if length is not None and len(value) != length:
            raise self.error("config_length", key, len(value), layers=length)
        return list(value)

    def entry(self, key: str, index: int, length: int) -> Section:
        """The object at a place of a list that has one for each layer."""
        name, value = f"{key}[{index}]", self.items(key, length)[index]
        if not isinstance(value, dict):
            raise self.error("config_object", name, as_json(value))
        return Section(value, f"{self.prefix}{name}.", self.file, self.text, self.names)


def as_json(value: object) -> str:
    """A value as the file has it, so that true, null and "32" are told from True, None and 32."""
    return json.dumps(value, ensure_ascii=False)


def path_line(text: str, path: str) -> int:
    """The line of JSON text on which the key with this path stands, 1 if it is not there.

    >>> path_line('{"a": [\\n{"b": 1},\\n{"b": 2}]}', "a[1].b")
    3
    """
    at: list[str | int] = []
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"(\s*:)?|[{}\[\],]', text):
        word = token[0]
        if word == "[":
            at.append(0)
        elif word == "{":
            at.append("")
        elif word in ("]", "}"):
            at.pop()
        elif word == ",":
            if isinstance(at[-1], int):
                at[-1] += 1
        elif token[1]:
            at[-1] = json.loads(word[: -len(token[1])])
        else:
            continue
        if _written(at) == path:
            return text.count("\n", 0, token.start()) + 1
    return 1


def _written(at: list[str | int]) -> str:
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in at]
    return "".join(steps).removeprefix(".")
