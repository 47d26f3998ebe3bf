"""What each layer of a config keeps: who says which layers are full, windowed, linear or nothing.

The first of these that speaks decides:

    1. the layers one by one, or by a period    `labs.model.stated`; all that speak up must agree
    2. keys of attention beside a state         both in every layer (Falcon-H1)
    3. keys of a state, or of an unknown layout refused: nothing says which layers they are about
    4. windows and chunks                       `labs.model.windows`; without any, every layer is full

After that the last `num_kv_shared_layers` keep nothing: they read an earlier layer's KV (Gemma 3n).

    layer i counts from 0      Keeps(kind, window)   one thing a layer keeps; a layer may keep 0, 1 or 2

Source: the model files of Hugging Face transformers and vLLM 0.32.0.

Does not model: layers that share KV in another way (refused by `labs.model.config`), attention that
skips tokens it still keeps (block-sparse patterns: charged as full).
"""

from __future__ import annotations

from labs.model.keeps import FULL, LINEAR
from labs.model.stated import STATED
from labs.model.windows import windowed_layers

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
    "rescale_every",
    "head_size_divisor",
)
PARALLEL_KEYS = ("ssm_in_multiplier", "ssm_multipliers", "attention_in_multiplier")
# Keys that tell layers apart in a way that only some model's own code knows; beside a list they are harmless.
UNKNOWN_LAYOUT_KEYS = (
    "mixer_types",
    "sliding_window_layers",
    "global_attn_every_n_layers",
    "global_attn_idx",
    "hybrid_layer_ids",
)


def layer_keeps(section: Section, layers: int) -> Layers:
    """What each of the layers keeps; `LabError` if the keys do not say, or contradict each other."""
    found = _stated(section, layers) or _beside_a_state(section, layers)
    if found is None:
        refuse_states_and_layouts(section)
        found = windowed_layers(section, layers)
    shared = section.whole("num_kv_shared_layers", most=layers - 1, least=0) or 0
    return found[: layers - shared] + [()] * shared


def _stated(section: Section, layers: int) -> Layers | None:
    """Rule 1; None if no key names the layers."""
    said = {key: rule(section, layers) for key, rule in STATED.items() if _has(section, key)}
    first = next(iter(said), None)
    if first is None:
        return None
    for key, found in said.items():
        if found != said[first]:
            raise section.error("config_disagree", key, other=section.prefix + first)
    slides = any(kept.kind == "sliding" for keeps in said[first] for kept in keeps)
    if slides and section.flag("use_sliding_window") is False:
        raise section.error("config_disagree", "use_sliding_window", other=section.prefix + first)
    return said[first]


def _has(section: Section, key: str) -> bool:
    """Whether a key, or `object.key`, is there."""
    outer, _, inner = key.partition(".")
    if inner:
        nested = section.object(outer)
        return nested is not None and nested.has(inner)
    # Zamba lists its layers; the period that stands beside the list counts from the fourth layer on
    counted_otherwise = key == "attn_layer_period" and section.has("attention_hidden_size")
    return section.has(key) and not counted_otherwise


def _beside_a_state(section: Section, layers: int) -> Layers | None:
    """Rule 2; None without such keys."""
    return [FULL + LINEAR] * layers if any(section.has(key) for key in PARALLEL_KEYS) else None


def refuse_states_and_layouts(section: Section) -> None:
    """Rule 3: refuse keys of some layers where nothing says which layers those are."""
    for key, value in section.values.items():
        if value and (key.startswith(STATE_PREFIXES) or key in STATE_KEYS):
            raise section.error("config_state_layers", key)
        if value and key in UNKNOWN_LAYOUT_KEYS:
            raise section.error("config_structure", key)
