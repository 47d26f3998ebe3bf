"""A config.json on disk: read once, as the shape of a model or as its stack of layers."""

from __future__ import annotations

from labs.base import LabError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from labs.model.shape import ModelShape
    from labs.model.stack import ModelStack

    T = TypeVar("T")

MOST_BYTES = 4 << 20


def read_model_config(path: str, where: str) -> ModelShape:
    """The shape of the model whose config.json is in a file; `LabError` at the option or `path:line`."""
    from labs.model.config import read_config

    return _read(path, where, read_config)


def read_stack(path: str, where: str) -> ModelStack:
    """The stack of the same model; `LabError` at the option or `path:line`."""
    from labs.model.stack import stack_of

    return _read(path, where, stack_of)


def _read(path: str, where: str, described: Callable[[Any, str, str], T]) -> T:
    from labs.files.strict_json import parse_json
    from labs.files.text import read_text

    text = read_text(path, where, most=MOST_BYTES)
    try:
        return described(parse_json(text, path), path, text)
    except RecursionError:
        raise LabError(f"{path}:1", "nested_too_deeply") from None
