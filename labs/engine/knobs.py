"""The knobs of scheduling rules, with the engine's names and defaults where it has them.

`OPTIONS` is a knob's option on the command line, `CONFIG_KEYS` the names it has in a file of requests: its
own, and those under which the engines' recorded runs state it.
"""

from __future__ import annotations

from labs.base import Record, check_bounds, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_TOKENS = 10**9
WHOLE_KNOBS = {  # knob: (option, least, most)
    "budget": ("--budget", 1, MAX_TOKENS),
    "kv_blocks": ("--kv-blocks", 1, 10**7),
    "block_size": ("--block-size", 1, MAX_TOKENS),
    "max_num_seqs": ("--max-num-seqs", 1, MAX_TOKENS),
    "long_prefill_threshold": ("--long-prefill-threshold", 0, MAX_TOKENS),
    "max_model_len": ("--max-model-len", 2, MAX_TOKENS),
}
SWITCHES = {
    "prefix_caching": "--prefix-caching",
    "full_prompt_must_fit": "--full-prompt-must-fit",
    "chunked_prefill": "--chunked-prefill",
}
OPTIONS = {
    **{knob: option for knob, (option, _, _) in WHOLE_KNOBS.items()},
    **SWITCHES,
    "policy": "--policy",
    "watermark": "--watermark",
}
POLICIES = ("fcfs", "priority")
CONFIG_KEYS = {
    **{knob: knob for knob in OPTIONS},
    "token_budget": "budget",
    "usable_blocks": "kv_blocks",
    "long_prefill_token_threshold": "long_prefill_threshold",
    "reserve_full_isl": "full_prompt_must_fit",
    "enable_chunked_prefill": "chunked_prefill",
}


class Knobs(Record):
    """Tokens a round, and what an engine's pool and scheduler are set to.

    `kv_blocks` counts usable blocks (None: unlimited), `block_size` is in tokens, `watermark` a fraction of
    the pool, `max_model_len` in tokens (None: no limit); `long_prefill_threshold` 0 is none.
    """

    budget: int = 8
    kv_blocks: int | None = None
    block_size: int = 16
    max_num_seqs: int = 256
    long_prefill_threshold: int = 0
    policy: str = "fcfs"
    prefix_caching: bool = True
    full_prompt_must_fit: bool = True
    chunked_prefill: bool = True
    watermark: float = 0
    max_model_len: int | None = None

    def check(self) -> None:
        """Raise `LabError` at the option whose value is out of bounds."""
        for knob, option in OPTIONS.items():
            value = getattr(self, knob)
            if value is not None or knob not in ("kv_blocks", "max_model_len"):
                check_knob(knob, value, option)


def check_knob(knob: str, value: object, where: str) -> None:
    """Raise `LabError` at `where` if a knob cannot have this value."""
    if knob in SWITCHES:
        require(isinstance(value, bool), where, "not_true_or_false", value)
    elif knob == "policy":
        require(value in POLICIES, where, "not_one_of", value, choices=", ".join(POLICIES))
    elif knob == "watermark":
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        require(number and 0 <= value < 1, where, "not_a_fraction", value)  # type: ignore[operator]
    else:
        _, least, most = WHOLE_KNOBS[knob]
        require(isinstance(value, int) and not isinstance(value, bool), where, "not_whole", value)
        check_bounds(value, where, least, most)  # type: ignore[arg-type]


def knobs_of_config(entries: Iterable[tuple[str, str, object]]) -> dict[str, tuple[str, object]]:
    """Knobs from a file's (where, key, value): knob -> (where, value); `LabError` for what is no knob."""
    knobs: dict[str, tuple[str, object]] = {}
    for where, key, value in entries:
        require(key in CONFIG_KEYS, where, "unknown_request_key", key, known=", ".join(CONFIG_KEYS))
        knob = CONFIG_KEYS[key]
        require(knob not in knobs, where, "repeated_key", key)
        check_knob(knob, value, f"{where}: {key}")
        knobs[knob] = where, value
    return knobs
