"""The longest request that a config claims its model can serve: `max_model_len` where nobody sets it.

    the smallest of the keys below (`model_max_length` goes before all), times the factor of a scaled
    rotary embedding if its kind asks for one

Kinds whose published length is already scaled (YaRN, Llama 3, LongRoPE) are not scaled again; LongRoPE's
engines start from `original_max_position_embeddings`.

Source: vLLM 0.32.0, `_get_and_verify_max_len`.
Does not model: a tokenizer's own limit; a file that names no length (the engine then assumes 2048).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any

    from labs.model.keys import Section

LENGTHS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "model_max_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
)
OVERRIDING = "model_max_length"
ORIGINAL = "original_max_position_embeddings"
LONG = ("longrope", "su")
SCALED_IN_FILE = (*LONG, "llama3", "yarn", "deepseek_yarn", "deepseek_llama_scaling")
MOST_LENGTH = 1_000_000_000


def max_model_len(section: Section) -> int | None:
    """The length in tokens, None if the file names none; `LabError` for a value that is no length."""
    lengths = [section.whole(key, MOST_LENGTH, least=0) for key in LENGTHS]
    found = [length for length in lengths if length]
    if not found:
        return None
    shortest = section.whole(OVERRIDING, MOST_LENGTH, least=0) or min(found)
    ropes = _ropes(section)
    if any(_kind(rope) in LONG for rope in ropes):
        return section.whole(ORIGINAL, MOST_LENGTH) or shortest
    if section.named("gemma3"):  # its length is scaled in the file, whatever the kind says
        return shortest
    scaling = [rope for rope in ropes if _kind(rope) not in SCALED_IN_FILE and "factor" in rope]
    return int(shortest * _factor(section, scaling[-1])) if scaling else shortest


def _ropes(section: Section) -> list[dict[str, Any]]:
    """The descriptions of rotary embeddings: one, or one for each kind of layer."""
    found: list[dict[str, Any]] = []
    for key in ("rope_parameters", "rope_scaling"):
        part = section.object(key)
        if part is not None:
            inner = [value for value in part.values.values() if isinstance(value, dict)]
            found += inner or [part.values]
    return found


def _kind(rope: dict[str, Any]) -> object:
    return rope.get("rope_type", rope.get("type", "default"))


def _factor(section: Section, rope: dict[str, Any]) -> Fraction:
    """The factor of a rotary embedding, 1 if it is null."""
    from fractions import Fraction

    factor = rope["factor"]
    if factor is None:
        return Fraction(1)
    if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor <= MOST_LENGTH:
        raise section.error("config_rope_factor", "rope_scaling", factor)
    return Fraction(str(factor))
