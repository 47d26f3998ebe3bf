"""What each layer of a config keeps: who says which layers are full, windowed, linear or nothing.

Files say it in many ways. `STATED` are those that name the layers one by one or by a period; all that
speak up must agree. If none does, a file with the keys of a state (Mamba, linear attention) is refused,
then windows are looked for, and a file that says nothing at all has full attention in every layer.

    layer i counts from 0      Keeps(kind, window)   one thing a layer keeps; a layer may keep 0, 1 or 2

Source: the model files of Hugging Face transformers and vLLM 0.32.0.
"""

from __future__ import annotations

from labs.model.keeps import FULL, LINEAR, WINDOW_KEYS, Keeps, keeps_of
from labs.model.keys import MOST_LAYERS, MOST_WINDOW, as_json
from labs.model.stated import STATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.keeps import Layers
    from labs.model.keys import Section

STATE_PREFIXES = ("mamba_", "mamba2_", "ssm_", "linear_num_", "linear_key_", "linear_value_", "linear_conv")
STATE_KEYS = (
    "linear_attn_config",
    "conv_L_cache",
    "lru_width",
    "state_size",
    "qk_dim_factor",
    "expand_k",
    "expand_v",
    "use_short_conv",
    "decay_low_rank_dim",
)
PARALLEL_KEYS = ("ssm_in_multiplier", "ssm_multipliers", "attention_in_multiplier")
KEYS_OF_SOME_LAYERS = (
    "swa_num_key_value_heads",
    "swa_head_dim",
    "num_global_key_value_heads",
    "global_head_dim",
    "attention_other_setting",
    "num_kv_shared_layers",
)
# Class defaults: every n-th layer is full, in files that need not say so themselves.
PATTERN_OF_FAMILY = {"gemma2": 2, "gptoss": 2, "gemma3n": 5, "gemma3": 6, "cohere2": 4, "olmo3": 4}
LLAMA4_INTERVAL = 4


def layer_keeps(section: Section, layers: int) -> Layers:
    """What each of the layers keeps; `LabError` if the keys do not say, or contradict each other."""
    found = _stated(section, layers) or _windowed(section, layers)
    shared = section.whole("num_kv_shared_layers", most=layers - 1, least=0) or 0
    return found[: layers - shared] + [()] * shared  # the last ones read an earlier layer's KV


def _stated(section: Section, layers: int) -> Layers | None:
    said = {key: rule(section, layers) for key, rule in STATED.items() if _has(section, key)}
    first = next(iter(said), "")
    for key, found in said.items():
        if found != said[first]:
            raise section.error("config_disagree", key, other=section.prefix + first)
    if said:
        slides = any(kept.kind == "sliding" for keeps in said[first] for kept in keeps)
        if slides and section.flag("use_sliding_window") is False:
            raise section.error("config_disagree", "use_sliding_window", other=section.prefix + first)
        return said[first]
    if any(section.has(key) for key in PARALLEL_KEYS):
        return [FULL + LINEAR] * layers
    for key, value in section.values.items():
        if value and (key.startswith(STATE_PREFIXES) or key in STATE_KEYS):
            raise section.error("config_state_layers", key)
    return None


def _has(section: Section, key: str) -> bool:
    outer, _, inner = key.partition(".")
    nested = section.object(outer) if inner else None
    return nested.has(inner) if nested else not inner and section.has(key)


def _windowed(section: Section, layers: int) -> Layers:
    """Files that name no layers: chunks (Llama 4), every n-th layer full, or one window for all."""
    chunk = section.whole("attention_chunk_size", MOST_WINDOW)
    if chunk is not None:
        if section.has("sliding_window"):
            raise section.error(
                "config_disagree", "attention_chunk_size", chunk, other=section.prefix + "sliding_window"
            )
        return _llama4(section, chunk, layers)
    if section.flag("use_sliding_window") is False:
        return [FULL] * layers
    full_every = _full_every(section)
    if isinstance(full_every, str):
        kinds = {"L": "sliding", "G": "full"}
        letters = [keeps_of(section, "sliding_window_pattern", letter, kinds) for letter in full_every]
        return [letters[index % len(letters)] for index in range(layers)]
    for key in KEYS_OF_SOME_LAYERS:
        if section.get(key) and full_every is None:
            raise section.error("config_some_layers", key)
    window = section.one_of(*WINDOW_KEYS, most=MOST_WINDOW)
    if full_every is not None:
        sliding = (Keeps("sliding", section.present(WINDOW_KEYS[0], window)),)
        return [sliding if (index + 1) % full_every else FULL for index in range(layers)]
    if window is None:
        return [FULL] * layers
    first = _first_window_layer(section, layers)
    return [(Keeps("sliding", window),) if index >= first else FULL for index in range(layers)]


def _llama4(section: Section, chunk: int, layers: int) -> Layers:
    chunked = (Keeps("chunked", chunk),)
    if section.get("no_rope_layers"):
        flags = section.items("no_rope_layers", layers)  # 1: rotary, which goes with chunks
        kinds = {"1": "chunked", "0": "full"}
        return [keeps_of(section, "no_rope_layers", as_json(flag), kinds) for flag in flags]
    interval = section.whole("no_rope_layer_interval", MOST_LAYERS) or LLAMA4_INTERVAL
    return [chunked if (index + 1) % interval else FULL for index in range(layers)]


def _full_every(section: Section) -> int | str | None:
    """n if every n-th layer is full, letters if the file gives those, None if all are alike."""
    for key in ("sliding_window_pattern", "_sliding_window_pattern"):
        pattern = section.get(key)
        if isinstance(pattern, str) and pattern:
            return pattern
    keys = ("sliding_window_pattern", "_sliding_window_pattern", "layer_switch")
    given = section.one_of(*keys, most=MOST_LAYERS)
    order = section.get("order_of_interleaved_layers")
    if order not in (None, "local_attn_first"):
        raise section.error("config_structure", "order_of_interleaved_layers", as_json(order))
    if given is not None or not section.has("sliding_window") or section.has("max_window_layers"):
        return given
    for family, every in PATTERN_OF_FAMILY.items():
        if section.named(family):
            return every
    if section.has("query_pre_attn_scalar"):  # a Gemma without its name: only the second one caps logits
        return 2 if section.has("attn_logit_softcapping") else 6
    return None


def _first_window_layer(section: Section, layers: int) -> int:
    """The first layer that slides: 0, unless the file has Qwen's switch, which is off by default."""
    if not section.flag("use_sliding_window"):
        return layers if section.has("max_window_layers") or section.named("qwen") else 0
    first = section.whole("max_window_layers", MOST_LAYERS, least=0)
    return section.present("max_window_layers", first)
