"""One thing that a layer keeps, and the words that configs have for it."""

from __future__ import annotations

from labs.base import Record
from labs.model.keys import MOST_WINDOW, as_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.keys import Section

    Layers = list[tuple["Keeps", ...]]


class Keeps(Record):
    """One thing that a layer keeps: its kind and, for windows, how many tokens."""

    kind: str
    window: int | None = None


FULL, LINEAR = (Keeps("full"),), (Keeps("linear"),)

KIND_OF_WORD = {
    **dict.fromkeys(("full_attention", "attention", "global_attention", "global"), "full"),
    **dict.fromkeys(("sliding_attention", "local_attention", "local", "sliding_window"), "sliding"),
    "chunked_attention": "chunked",
    **dict.fromkeys(("linear_attention", "mamba", "mamba2", "conv", "recurrent"), "linear"),
    "hybrid": "hybrid",
    **dict.fromkeys(("moe", "mlp"), "nothing"),
}
KIND_OF_LETTER = {"*": "full", "M": "linear", "-": "nothing", "E": "nothing"}
WINDOW_KEYS = ("sliding_window", "sliding_window_size")


def keeps_of(
    section: Section,
    key: str,
    word: object,
    kinds: dict[str, str],
    window_keys: tuple[str, ...] = WINDOW_KEYS,
) -> tuple[Keeps, ...]:
    """What a layer keeps that is described by one word (or letter) of the list under a key."""
    kind = kinds.get(word) if isinstance(word, str) else None
    if kind is None:
        raise section.error("config_layer_type", key, as_json(word))
    if kind == "nothing":
        return ()
    if kind == "hybrid":
        return FULL + LINEAR
    if kind == "sliding":
        return (Keeps(kind, section.needed(*window_keys, most=MOST_WINDOW)),)
    if kind == "chunked":
        return (Keeps(kind, section.needed("attention_chunk_size", most=MOST_WINDOW)),)
    return (Keeps(kind),)
