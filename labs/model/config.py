"""A Hugging Face config.json to the shape of its model's KV cache, from the keys and not from its name.

    1. find the language model        `text_config` and the like in multimodal files
    2. refuse what cannot be sized    encoders, shared or doubled caches, unknown head counts
    3. what each layer keeps          `labs.model.layers`
    4. how much that is               `labs.model.heads`
    5. equal layers become groups

Sizes are at 16 bits, whatever `torch_dtype` says: that key is about the weights' file. A file that does
not say what it takes is refused by the name of the key; nothing is guessed from the parameter count.

Source: the config classes of Hugging Face transformers; vLLM 0.32.0's reading of them.

Does not model: the draft layers of multi-token prediction (`num_nextn_predict_layers` is not counted),
KV of vision or audio towers, the size of linear states.
"""

from __future__ import annotations

from labs.base import LabError
from labs.model.heads import HEADS, KV_HEADS, attention_layer, query_heads, refuse_unknown_head_counts
from labs.model.keys import MOST_LAYERS, Section, as_json
from labs.model.layers import layer_keeps
from labs.model.shape import LayerGroup, ModelShape, grouped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_transformer_layers")
LANGUAGE_PARTS = ("text_config", "llm_config", "language_config", "thinker_config")

# Keys whose presence (not null, not false, not empty) means a cache that the rules here do not describe.
REFUSED = {
    "is_encoder_decoder": "config_encoder_decoder",
    "encoder_layers": "config_encoder_decoder",
    "decoder_layers": "config_encoder_decoder",
    "num_decoder_layers": "config_encoder_decoder",
    "d_kv": "config_encoder_decoder",
    "index_head_dim": "config_indexer",
    "index_topk": "config_indexer",
    "use_cla": "config_shared_layers",
    "kv_reuse_group": "config_shared_layers",
    "kv_reuse_every_i_layer": "config_shared_layers",
    "cross_attention_layers": "config_cross_attention",
    "zero_expert_num": "config_two_attentions",
    "compress_ratios": "config_structure",
    "attn_layer_idxs": "config_structure",
    "hyena_layer_idxs": "config_structure",
    "attn_layers": "config_structure",
    "layer_sharing": "config_shared_layers",
    "_class_name": "config_structure",
}
# Types of models that only encode; any name that holds "bert" is one as well.
ENCODERS = (
    *("electra", "mpnet", "esm", "layoutlm", "longformer", "bigbird", "funnel", "xlnet", "flaubert"),
    *("vit", "clip", "siglip", "dinov2", "beit", "deit", "swin", "wav2vec2", "hubert", "wavlm"),
)

# google/gemma-3-4b-it leaves these to the class.
GEMMA3_TEXT = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "sliding_window": 4096}


def read_config(config: Any, file: str, text: str = "") -> ModelShape:
    """The shape of the model that a parsed config describes; `LabError` at `file:line` if it cannot say.

    >>> config = {"n_layer": 12, "n_head": 12, "n_embd": 768}
    >>> read_config(config, "config.json").bytes_per_token
    36864
    """
    section = language_model(config, file, text)
    kept = layers_in_order(section)
    uniform = not any(isinstance(section.get(key), list) for key in HEADS)
    groups = grouped(one for layer in kept for one in layer)
    return ModelShape(file, len(kept), groups, query_heads(section) if uniform else None)


def language_model(config: Any, file: str, text: str = "") -> Section:
    """The part of a parsed config that describes the language model; `LabError` if it cannot be sized."""
    if not isinstance(config, dict):
        raise LabError(f"{file}:1", "not_an_object", as_json(config))
    top = Section(config, "", file, text)
    section = language_section(top)
    for part in (top, section):
        refuse_unsizable(part)
    refuse_unknown_head_counts(section)
    return section


def layers_in_order(section: Section) -> tuple[tuple[LayerGroup, ...], ...]:
    """What every layer keeps, in the model's order and at 16 bits: nothing, one thing or two."""
    layers = section.needed(*LAYERS, most=MOST_LAYERS)
    kept = []
    for index, keeps in enumerate(layer_keeps(section, layers)):
        of_layer = []
        for one in keeps:
            if one.kind == "linear":
                of_layer.append(LayerGroup("linear", 1, 0))
            else:
                of_layer.append(attention_layer(section, one.kind, one.window, index, layers))
        kept.append(tuple(of_layer))
    return tuple(kept)


def language_section(top: Section) -> Section:
    """The object that describes the language model; `LabError` if two of them contradict each other."""
    by_structure = ("gemma3",) if top.has("mm_tokens_per_image") else ()
    section = top.replace(names=family_names(top) or by_structure)
    part = language_part(section)
    while part is not None:  # ends: each part is one object deeper in the file
        refuse_contradiction(section, part)
        section = part.replace(names=family_names(part) or section.names)
        part = language_part(section)
    return gemma3_defaults(section)


def language_part(section: Section) -> Section | None:
    """The object inside that describes the language model, None if the section does so itself."""
    inner = [key for key in LANGUAGE_PARTS if section.has(key)]
    for key in inner[1:]:
        if section.get(key) != section.get(inner[0]):
            raise section.error("config_disagree", key, other=section.prefix + inner[0])
    part = section.object(inner[0]) if inner else None
    if part is None:
        return None
    sized_inside = any(part.has(key) for key in LAYERS + LANGUAGE_PARTS)
    return part if sized_inside or section.one_of(*LAYERS) is None else None


def refuse_contradiction(section: Section, part: Section) -> None:
    """Refuse a section that counts layers or heads otherwise than the part inside it."""
    for names in (LAYERS, HEADS, KV_HEADS):
        inside = {key: part.get(key) for key in names if part.has(key)}
        for key in names:
            if inside and section.has(key) and section.get(key) not in inside.values():
                other = part.prefix + next(iter(inside))
                raise section.error("config_disagree", key, section.get(key), other=other)


def family_names(section: Section) -> tuple[str, ...]:
    """The model's type and architectures, in lower case and without underscores."""
    architectures = section.get("architectures")
    names = [section.get("model_type"), *(architectures if isinstance(architectures, list) else [])]
    return tuple(name.lower().replace("_", "") for name in names if isinstance(name, str))


def gemma3_defaults(section: Section) -> Section:
    """Gemma 3's own class defaults under what its file says; other sections as they are."""
    if section.named("gemma3") and not section.named("gemma3n"):
        return section.replace(values={**GEMMA3_TEXT, **section.values})
    return section


def refuse_unsizable(section: Section) -> None:
    """Refuse files whose cache is not that of a decoder with one attention a layer."""
    for key, rule in REFUSED.items():
        if section.get(key):
            raise section.error(rule, key, as_json(section.get(key)))
    share = section.whole("cla_share_factor")
    if share not in (None, 1) and section.flag("use_cla") is None:
        raise section.error("config_shared_layers", "cla_share_factor", share)
    if section.whole("layer_group_size") not in (None, 1):
        raise section.error("config_structure", "layer_group_size", section.get("layer_group_size"))
    if section.get("use_bidirectional_attention") is True:
        raise section.error("config_encoder_only", "use_bidirectional_attention", "true")
    if section.has("type_vocab_size") and section.get("is_decoder") is not True:
        raise section.error("config_encoder_only", "type_vocab_size", section.get("type_vocab_size"))
    architectures = section.get("architectures")
    for name in architectures if isinstance(architectures, list) else []:
        if isinstance(name, str) and name.endswith(("ForMaskedLM", "EncoderModel")):
            raise section.error("config_encoder_only", "architectures", name)
        if isinstance(name, str) and name.lower().startswith("longcat"):
            raise section.error("config_two_attentions", "architectures", name)
    family = section.get("model_type")
    plain = family.lower().replace("-", "").replace("_", "") if isinstance(family, str) else ""
    if plain in ENCODERS or ("bert" in plain and "generation" not in plain):
        raise section.error("config_encoder_only", "model_type", family)
    if isinstance(family, str) and family.lower().startswith("longcat"):
        raise section.error("config_two_attentions", "model_type", family)
