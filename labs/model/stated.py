"""Configs that say of each layer what it is: lists of words, letters, numbers, positions, or a period.

Each rule reads one key and returns what every layer keeps; `STATED` lists them by their keys.

    layer i counts from 0, in files too unless a rule says otherwise

Source: the model files of Hugging Face transformers and vLLM 0.32.0.

Does not model: words, letters and numbers that are not listed here or in `labs.model.keeps` (refused),
the entries of draft layers behind the model's own (dropped).
"""

from __future__ import annotations

from labs.model.keeps import FULL, KIND_OF_LETTER, KIND_OF_WORD, LINEAR, WINDOW_KEYS, keeps_of
from labs.model.keys import MOST_LAYERS, as_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from labs.model.keeps import Layers
    from labs.model.keys import Section

    Rule = Callable[[Section, int], Layers]


def _by_words(key: str, window_keys: tuple[str, ...] = WINDOW_KEYS) -> Rule:
    """One word for each layer."""

    def rule(section: Section, layers: int) -> Layers:
        drafts = section.whole("num_nextn_predict_layers", MOST_LAYERS, least=0) or 0
        words = section.items(key)
        surplus = drafts if len(words) == layers + drafts else 0
        words = section.items(key, layers + surplus)[:layers]  # draft layers may stand behind, uncounted
        return [keeps_of(section, key, word, KIND_OF_WORD, window_keys) for word in words]

    return rule


def _repeated_words(section: Section, layers: int) -> Layers:
    """RecurrentGemma: a few words, repeated; its attention is local."""
    words = section.items("block_types")
    if not words:
        raise section.error("config_length", "block_types", 0, layers=layers)
    kinds = {"recurrent": "linear", "attention": "sliding"}
    cycle = [keeps_of(section, "block_types", word, kinds, ("attention_window_size",)) for word in words]
    return [cycle[index % len(cycle)] for index in range(layers)]


def _counted_words(section: Section, layers: int) -> Layers:
    """GPT-Neo: `[[["global", "local"], 12]]`, each list of words so many times."""
    words: list[object] = []
    for entry in section.items("attention_types"):
        if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], list)):
            raise section.error("config_list", "attention_types", as_json(entry))
        if type(entry[1]) is not int or not 1 <= entry[1] <= layers:
            raise section.error("config_whole", "attention_types", as_json(entry[1]), least=1, most=layers)
        words += entry[0] * entry[1]
    if len(words) != layers:
        raise section.error("config_length", "attention_types", len(words), layers=layers)
    return [keeps_of(section, "attention_types", word, KIND_OF_WORD, ("window_size",)) for word in words]


def _letters(section: Section, layers: int) -> Layers:
    """Nemotron-H: a letter for each layer."""
    key = "hybrid_override_pattern"
    return [keeps_of(section, key, letter, KIND_OF_LETTER) for letter in section.items(key, layers)]


def _by_numbers(key: str, kinds: tuple[str, str]) -> Rule:
    """A 0 or a 1 for each layer."""

    def rule(section: Section, layers: int) -> Layers:
        names = {"0": kinds[0], "1": kinds[1]}
        return [keeps_of(section, key, as_json(number), names) for number in section.items(key, layers)]

    return rule


def _by_positions(key: str) -> Rule:
    """The positions of the attention layers, from 0; the others keep a state."""

    def rule(section: Section, layers: int) -> Layers:
        full = positions(section, key, 0, layers - 1)
        return [FULL if index in full else LINEAR for index in range(layers)]

    return rule


def _kimi_positions(section: Section, layers: int) -> Layers:
    """Kimi-Linear: positions from 1, of both kinds; together they must be all layers."""
    config = section.object("linear_attn_config")
    assert config is not None
    full = positions(config, "full_attn_layers", 1, layers)
    linear = positions(config, "kda_layers", 1, layers)
    if full & linear or len(full | linear) != layers:
        raise config.error("config_length", "kda_layers", len(linear), layers=layers - len(full))
    return [FULL if index + 1 in full else LINEAR for index in range(layers)]


def positions(section: Section, key: str, least: int, most: int) -> set[int]:
    """Distinct positions of layers in a list."""
    found = section.items(key)
    for place in found:
        if type(place) is not int or not least <= place <= most:
            raise section.error("config_whole", key, as_json(place), least=least, most=most)
    return set(found)


def _period(section: Section, layers: int) -> Layers:
    """Jamba: attention where i mod period = offset."""
    period = section.needed("attn_layer_period", most=MOST_LAYERS)
    offset = section.whole("attn_layer_offset", most=period - 1, least=0)
    offset = section.present("attn_layer_offset", offset)
    return [FULL if index % period == offset else LINEAR for index in range(layers)]


def _interval(section: Section, layers: int) -> Layers:
    """Qwen3-Next: every n-th layer is attention."""
    interval = section.needed("full_attention_interval", most=MOST_LAYERS)
    return [LINEAR if (index + 1) % interval else FULL for index in range(layers)]


def _blocks(section: Section, layers: int) -> Layers:
    """Nemotron-NAS: a block may have no attention, or a plain matrix in its place."""
    found: Layers = []
    for index in range(layers):
        block = section.entry("block_configs", index, layers)
        attention = block.object("attention")
        if attention is None:
            raise block.error("config_missing", "attention")
        for key in ("window_length", "sparsify", "mamba", "llama4"):
            if attention.get(key):
                raise attention.error("config_structure", key)
        gone = attention.flag("no_op") or attention.flag("replace_with_linear")
        found.append(() if gone else FULL)
    return found


STATED: dict[str, Rule] = {
    "layer_types": _by_words("layer_types"),
    "layers_block_type": _by_words("layers_block_type"),
    "block_types": _repeated_words,
    "attention_layers": _by_words("attention_layers", ("window_size",)),
    "attention_types": _counted_words,
    "hybrid_override_pattern": _letters,
    "hybrid_layer_pattern": _by_numbers("hybrid_layer_pattern", ("full", "sliding")),
    "attn_type_list": _by_numbers("attn_type_list", ("linear", "full")),
    "attn_layer_indices": _by_positions("attn_layer_indices"),
    "full_attn_idxs": _by_positions("full_attn_idxs"),
    "linear_attn_config.full_attn_layers": _kimi_positions,
    "attn_layer_period": _period,
    "full_attention_interval": _interval,
    "block_configs": _blocks,
}
