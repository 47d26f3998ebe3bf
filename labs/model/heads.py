"""What one attention layer of a config keeps of one token: KV heads and the widths of K and V.

    plain attention   KV heads x (K width + V width) elements; K width = head_dim, else hidden / heads
    MLA               kv_lora_rank + qk_rope_head_dim elements: one latent, no V, whatever the heads say

Source: the model files of Hugging Face transformers and vLLM 0.32.0 (`get_num_kv_heads`).

Does not model: query heads beyond their count, caches of a sparse-attention indexer (refused), engines
that store MLA as plain heads, K and V that are equal and might be stored once (Gemma 4: both charged).
"""

from __future__ import annotations

from labs.model.keys import as_json
from labs.model.shape import STORED_BYTES_PER_ELEMENT, LayerGroup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.keys import Section

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "num_query_heads", "attention_heads")
HIDDEN = ("hidden_size", "n_embd", "n_embed", "d_model", "dim")
HEAD_DIM = ("head_dim", "kv_channels", "attention_head_dim")
KV_HEADS = (
    "num_key_value_heads",
    "num_kv_heads",
    "n_head_kv",
    "n_kv_heads",
    "multi_query_group_num",
    "num_query_groups",
    "num_attention_groups",
    "num_key_value_heads_per_layer",
)
HEAD_DIM_IN_CLASS = ("gemma", "qwen3", "gptoss")  # their classes do not divide hidden by heads
KV_HEADS_OF_SOME_LAYERS = ("num_global_key_value_heads", "swa_num_key_value_heads")


def attention_layer(section: Section, kind: str, window: int | None, index: int, layers: int) -> LayerGroup:
    """What layer `index` keeps at 16 bits, as a group of one; `LabError` if the keys do not say."""
    latent = latent_elements(section)
    if latent is not None:
        return LayerGroup(kind, 1, latent * STORED_BYTES_PER_ELEMENT, window)
    heads = kv_heads(section, kind, index, layers)
    k_dim, v_dim = widths(section, kind, index, layers)
    in_bytes = heads * (k_dim + v_dim) * STORED_BYTES_PER_ELEMENT
    return LayerGroup(kind, 1, in_bytes, window, heads, k_dim, v_dim)


def latent_elements(section: Section) -> int | None:
    """Elements of MLA's latent, None for plain attention."""
    if section.flag("use_mla") is False:
        return None  # such files carry the latent's keys as zeros or as decoys
    rank = section.whole("kv_lora_rank")
    if rank is not None:
        return rank + section.needed("qk_rope_head_dim")
    if section.has("qk_rope_head_dim") or section.has("qk_nope_head_dim"):
        raise section.error("config_missing", "kv_lora_rank")
    return None


def query_heads(section: Section, index: int = 0, layers: int = 1) -> int | None:
    """Query heads of a layer, None if the file does not say; the KV cache may not depend on them."""
    return section.agreed({key: section.whole_of_layer(key, index, layers) for key in HEADS})


def needed_query_heads(section: Section, index: int, layers: int) -> int:
    """Query heads of a layer where the KV cache follows from them."""
    return section.present(HEADS[0], query_heads(section, index, layers))


def kv_heads(section: Section, kind: str, index: int, layers: int) -> int:
    """KV heads of a layer: its kind's own key, its block's, multi-query flags, then the general key."""
    own = _heads_of_kind(section, kind)
    if own is not None:
        return own
    if section.has("block_configs"):
        return _heads_of_block(section, index, layers)
    found = _heads_by_flag(section, index, layers)
    if found is None:
        found = section.agreed({key: section.whole_of_layer(key, index, layers) for key in KV_HEADS})
    if found is None:  # multi-head attention: a file without the key means one KV head a query head
        return needed_query_heads(section, index, layers)
    heads = query_heads(section, index, layers)
    if heads is not None and heads % found:
        key = next((key for key in KV_HEADS if section.has(key)), HEADS[0])
        raise section.error("config_heads", key, found, heads=heads)
    return found


def _heads_of_kind(section: Section, kind: str) -> int | None:
    """Models whose full or sliding layers have KV heads of their own (Gemma 4, MiMo, Step)."""
    if kind == "full":
        return section.whole("num_global_key_value_heads")
    if kind == "sliding":
        other = section.object("attention_other_setting")
        from_other = other.one_of("num_attention_groups", "num_key_value_heads") if other else None
        return from_other or section.whole("swa_num_key_value_heads")
    return None


def _heads_of_block(section: Section, index: int, layers: int) -> int:
    """Models found by search (Nemotron-NAS): each block says how many query heads share a KV head."""
    attention = section.entry("block_configs", index, layers).object("attention")
    if attention is None:
        raise section.error("config_missing", f"block_configs[{index}].attention")
    given = attention.whole("num_key_value_heads")
    if given is not None:
        return given
    group = attention.needed("n_heads_in_group")
    heads = needed_query_heads(section, index, layers)
    if heads % group:
        raise attention.error("config_heads", "n_heads_in_group", group, heads=heads)
    return heads // group


def _heads_by_flag(section: Section, index: int, layers: int) -> int | None:
    """Falcon, GPT-BigCode, ChatGLM, MPT and DBRX, which say multi-query in their own ways."""
    grouped = section.flag("new_decoder_architecture")
    multi_query = section.flag("multi_query")
    if multi_query and not grouped:
        # explicitly false: one head whatever num_kv_heads says; left out, a count of groups speaks against it
        for key in ("n_head_kv", "num_kv_heads") if grouped is None else ():
            if section.whole(key) not in (None, 1, query_heads(section, index, layers)):
                raise section.error("config_missing", "new_decoder_architecture")
        return 1
    if grouped is False and multi_query is None:
        raise section.error("config_missing", "multi_query")
    one_group = section.flag("multi_query_attention")
    if one_group is not None:
        if one_group:
            return section.needed("multi_query_group_num")
        return needed_query_heads(section, index, layers)
    if section.has("attention_head_type"):
        return _heads_of_type(section)
    attention = section.object("attn_config")
    if attention is None:
        return None
    refuse_unknown_head_counts(attention, ("kv_n_heads",))
    if attention.get("attn_type") == "multiquery_attention":
        return 1
    if attention.get("attn_type") == "grouped_query_attention":
        return attention.needed("kv_n_heads")
    return attention.whole("kv_n_heads")


def _heads_of_type(section: Section) -> int | None:
    """SantaCoder: the kind of attention in a word; None leaves it to the count of KV heads."""
    word = section.get("attention_head_type")
    if word in ("multiquery", "mqa"):
        return 1
    if word in ("groupedquery", "gqa"):
        return section.needed(*KV_HEADS)
    if word in ("multihead", "mha"):
        return None
    raise section.error("config_structure", "attention_head_type", as_json(word))


def widths(section: Section, kind: str, index: int, layers: int) -> tuple[int, int]:
    """The widths of one head's K and V."""
    if kind == "full" and section.has("global_head_dim"):
        k_dim = section.needed("global_head_dim")
        return k_dim, k_dim
    other = section.object("attention_other_setting") if kind == "sliding" else None
    if other is not None and other.has("head_dim"):
        k_dim = other.needed("head_dim")
        return k_dim, k_dim
    if kind == "sliding" and section.has("swa_head_dim"):
        k_dim = section.needed("swa_head_dim")
        return k_dim, section.whole("swa_v_head_dim") or k_dim
    v_dim = None if section.flag("use_mla") is False else section.whole("v_head_dim")
    # Zamba's attention is wider than the hidden states, whose width its other keys are about
    names = HEAD_DIM if not section.has("attention_hidden_size") else ("attention_head_dim",)
    given = section.one_of(*names)
    if given is None and (v_dim is not None or section.named(*HEAD_DIM_IN_CLASS)):
        raise section.error("config_missing", HEAD_DIM[0])
    k_dim = _hidden_per_head(section, index, layers) if given is None else given
    return k_dim, v_dim or k_dim


def _hidden_per_head(section: Section, index: int, layers: int) -> int:
    hidden = section.whole("attention_hidden_size") or section.needed(*HIDDEN)
    heads = needed_query_heads(section, index, layers)
    if hidden % heads:
        key = next(key for key in HIDDEN if section.has(key))
        raise section.error("config_width", key, hidden, heads=heads)
    return hidden // heads


def refuse_unknown_head_counts(
    section: Section, known: tuple[str, ...] = (*KV_HEADS, *KV_HEADS_OF_SOME_LAYERS, "kv_lora_rank")
) -> None:
    """Refuse a key that looks like a count of KV heads, or a latent's width, but is none that we know."""
    for key, value in section.values.items():
        word = key.lower()
        of_kv = any(part in word for part in ("kv", "key_value", "multi_query", "query_group"))
        if not of_kv or key in known or value is None or isinstance(value, bool):
            continue
        if "head" in word or "group" in word:
            raise section.error("config_like_kv_heads", key, value)
        if "lora" in word:
            raise section.error("config_like_latent", key, value)
