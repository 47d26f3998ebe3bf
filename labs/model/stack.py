"""A model as an engine's planner sees it: what each layer keeps, in the model's order, and how long it goes.

`labs.model.shape` adds equal layers up; here they stay apart, as pipeline stages and groups need them.
"""

from __future__ import annotations

from labs.base import Record, require
from labs.model.config import language_model, layers_in_order, read_config
from labs.model.max_len import max_model_len
from labs.model.shape import LayerGroup, ModelShape, grouped, uniform_group
from labs.model.states import LinearState, linear_state, state_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ModelStack(Record):
    """A model's layers in order, at 16 bits.

    `layers` has one entry for each layer with what it keeps: nothing, one thing, or two. `state` is what
    the linear ones keep, None without any; `max_model_len` in tokens, None if the file names none.
    `hidden_size` is what careless formulas take in place of KV heads x head dim.
    """

    shape: ModelShape
    layers: tuple[tuple[LayerGroup, ...], ...]
    state: LinearState | None = None
    max_model_len: int | None = None
    hidden_size: int | None = None

    @property
    def is_latent(self) -> bool:
        """Whether attention keeps one latent a token (MLA)."""
        return any(one.kind != "linear" and one.kv_heads is None for layer in self.layers for one in layer)

    def with_divided_head_dim(self) -> ModelStack | None:
        """The stack for whom takes head dim to be hidden size / query heads; None if that is the same."""
        heads, hidden = self.shape.query_heads, self.hidden_size
        if not heads or not hidden or hidden % heads or self.shape.head_dim in (None, hidden // heads):
            return None
        divided = tuple(tuple(_with_head_dim(one, hidden // heads) for one in layer) for layer in self.layers)
        groups = grouped(one for layer in divided for one in layer)
        return self.replace(layers=divided, shape=self.shape.replace(groups=groups))

    @property
    def kinds(self) -> set[str]:
        """The kinds of what the layers keep."""
        return {group.kind for group in self.shape.groups}


def _with_head_dim(one: LayerGroup, head_dim: int) -> LayerGroup:
    if one.kv_heads is None:
        return one
    return uniform_group(1, one.kv_heads, head_dim).replace(kind=one.kind, window=one.window)


def stack_of(config: Any, file: str, text: str = "") -> ModelStack:
    """The stack that a parsed config describes; `LabError` at `file:line` if it cannot be sized.

    >>> config = {"n_layer": 12, "n_head": 12, "n_embd": 768, "n_positions": 1024}
    >>> stack_of(config, "config.json").max_model_len
    1024
    """
    section = language_model(config, file, text)
    if state_kind(section) == "RWKV":  # it has no attention to read first
        linear_state(section)
    shape = read_config(config, file, text)
    layers = layers_in_order(section)
    has_state = any(one.kind == "linear" for layer in layers for one in layer)
    for layer in layers:
        for one in layer:
            latent_window = one.kind in ("sliding", "chunked") and one.kv_heads is None
            require(not latent_window, f"{file}:1", "config_latent_window")
    state = linear_state(section) if has_state else None
    return ModelStack(shape, layers, state, max_model_len(section), section.whole("hidden_size"))


def built_in_stack(name: str, where: str) -> ModelStack:
    """The stack of a built-in model; `LabError` with all names for another one."""
    from labs.model.models import LENGTHS, MODELS, read_model

    return stack_of(MODELS[read_model(name, where)], name).replace(max_model_len=LENGTHS[name])
