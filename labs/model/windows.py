"""Files that name no layers: which of them forget, by a window or a chunk, and which keep all tokens.

The first of these that speaks decides:

    1. `attention_chunk_size`           chunks, every fourth layer full unless the file says (Llama 4)
    2. `use_sliding_window: false`      every layer full, whatever the window is
    3. a pattern in letters             L slides, G is full, repeated (EXAONE 4)
    4. a period                         every n-th layer full: by the file, else by the model's class
    5. keys of some of the layers       refused: nothing says which layers they are about
    6. no window                        every layer full
    7. a window                         on every layer, or on those from `max_window_layers` on (Qwen)

    layer i counts from 0; "every n-th" are those where i + 1 is a multiple of n

Source: the config classes and model files of Hugging Face transformers and vLLM 0.32.0.

Does not model: a file whose class has a pattern that neither the file nor its names tell of: it looks
like a window on every layer.
"""

from __future__ import annotations

from labs.model.keeps import FULL, WINDOW_KEYS, Keeps, keeps_of
from labs.model.keys import MOST_LAYERS, MOST_WINDOW, as_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.keeps import Layers
    from labs.model.keys import Section

PATTERN_KEYS = ("sliding_window_pattern", "_sliding_window_pattern")
KEYS_OF_SOME_LAYERS = (
    "swa_num_key_value_heads",
    "swa_head_dim",
    "num_global_key_value_heads",
    "global_head_dim",
    "attention_other_setting",
    "num_kv_shared_layers",
)
# Class defaults: every n-th layer is full, in files that need not say so themselves.
PATTERN_OF_FAMILY = {"gemma2": 2, "gptoss": 2, "gemma3": 6, "gemma3n": 5, "cohere2": 4, "olmo3": 4}
LLAMA4_INTERVAL = 4


def windowed_layers(section: Section, layers: int) -> Layers:
    """What each layer keeps, by the first rule of the list above that speaks; `LabError` if none can."""
    chunk = section.whole("attention_chunk_size", MOST_WINDOW)
    if chunk is not None:
        return _chunked(section, chunk, layers)
    if section.flag("use_sliding_window") is False:
        return [FULL] * layers
    letters = _pattern_in_letters(section)
    if letters:
        return [letters[index % len(letters)] for index in range(layers)]
    window = section.one_of(*WINDOW_KEYS, most=MOST_WINDOW)
    full_every = _full_every(section)
    if full_every is not None:
        slides = (Keeps("sliding", section.present(WINDOW_KEYS[0], window)),)
        return [slides if (index + 1) % full_every else FULL for index in range(layers)]
    for key in KEYS_OF_SOME_LAYERS:
        if section.get(key):
            raise section.error("config_some_layers", key)
    if window is None:
        return [FULL] * layers
    first = _first_window_layer(section, layers)
    return [(Keeps("sliding", window),) if index >= first else FULL for index in range(layers)]


def _chunked(section: Section, chunk: int, layers: int) -> Layers:
    """Rule 1: the layers with rotary positions attend within a chunk, the others to all tokens."""
    if section.has("sliding_window"):
        other = section.prefix + "sliding_window"
        raise section.error("config_disagree", "attention_chunk_size", chunk, other=other)
    if section.get("no_rope_layers"):
        kinds = {"1": "chunked", "0": "full"}  # 1: rotary
        flags = section.items("no_rope_layers", layers)
        return [keeps_of(section, "no_rope_layers", as_json(flag), kinds) for flag in flags]
    interval = section.whole("no_rope_layer_interval", MOST_LAYERS) or LLAMA4_INTERVAL
    return [(Keeps("chunked", chunk),) if (index + 1) % interval else FULL for index in range(layers)]


def _pattern_in_letters(section: Section) -> Layers:
    """Rule 3: what the layers keep that the letters stand for; empty without letters."""
    kinds = {"L": "sliding", "G": "full"}
    for key in PATTERN_KEYS:
        if isinstance(section.get(key), str):
            return [keeps_of(section, key, letter, kinds) for letter in section.items(key)]
    return []


def _full_every(section: Section) -> int | None:
    """Rule 4: n if every n-th layer is full, None if the file does not tell layers apart."""
    order = section.get("order_of_interleaved_layers")
    if order not in (None, "local_attn_first"):
        raise section.error("config_structure", "order_of_interleaved_layers", as_json(order))
    counts = [key for key in (*PATTERN_KEYS, "layer_switch") if section.get(key) != ""]
    given = section.one_of(*counts, most=MOST_LAYERS)
    if given is not None or not section.has("sliding_window") or section.has("max_window_layers"):
        return given
    return _full_every_by_class(section)


def _full_every_by_class(section: Section) -> int | None:
    """The period that a model's class has where its file is silent."""
    families = [family for family in PATTERN_OF_FAMILY if section.named(family)]
    if families:
        return PATTERN_OF_FAMILY[max(families, key=len)]  # the name of Gemma 3n begins with that of Gemma 3
    if section.has("query_pre_attn_scalar"):  # a Gemma without its name: only the second one caps logits
        return 2 if section.has("attn_logit_softcapping") else 6
    return None


def _first_window_layer(section: Section, layers: int) -> int:
    """Rule 7: the first layer that slides, 0 unless the file has Qwen's switch, which is off by default."""
    if not section.flag("use_sliding_window"):
        return layers if section.has("max_window_layers") or section.named("qwen") else 0
    first = section.whole("max_window_layers", MOST_LAYERS, least=0)
    return section.present("max_window_layers", first)
