"""The sentences of a start-up log that hold a figure: one row each, anchored at its fixed words.

What is modelled: the lines that vLLM prints between its start and its first request, from 0.2 to 0.32.
Source: that engine's own messages, by generation:

    V0, 0.2 to 0.5     # GPU blocks: B, # CPU blocks: C         weights "in GB", which are GiB
    V0, 0.6 and 0.7    # cuda blocks: ..., the memory budget, Maximum concurrency for L tokens per request: Nx
    V1, 0.8 to 0.31    Available KV cache memory, GPU KV cache size, Maximum concurrency on lines of their own
    V1, 0.32           size and concurrency on one line
    any, refusing      max seq len (L), what is needed, what is there, the estimated length

The words around a number decide what it is, never the number. The fixed words of a row (its head) are looked
up first, and the expression starts at them: a line without them costs no regular expression. In a row
`<name>` stands for the figure of that name. Runs of blanks have been made one blank before.
Does not model: lines printed while serving (throughput, cache usage), other engines' lines.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    Value = tuple[int | Fraction | str, int | None]  # value, decimals as printed
    Reading = tuple[str, int | Fraction | str, int | None]  # the same after a name
    Row = tuple[str, str, str]

# fmt: off
WHOLE = frozenset((
    "gpu_blocks", "cpu_blocks", "gpu_blocks_profiled", "num_gpu_blocks_override", "kv_tokens", "kv_bytes",
    "error_kv_tokens", "max_model_len", "estimated_max_model_len", "auto_fit_max_model_len", "block_size",
    "max_num_batched_tokens", "max_num_seqs", "tp", "pp", "dp", "dcp",
))
WORDS = frozenset((
    "blocks_device", "weights_label",
    "version", "model", "model_dtype", "kv_cache_dtype", "prefix_caching", "async_scheduling",
    "mamba_cache_mode",
))
# fmt: on
MOST_HEADS_A_LINE = 1000
FLAGS = {"enabled": "True", "disabled": "False", "true": "True", "false": "False"}

_INTEGER = r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,5}|[0-9]{1,18})(?![0-9]|,[0-9])"
_DECIMAL = r"-?[0-9]{1,12}(?:\.[0-9]{1,12})?(?![0-9]|[.,][0-9])"
_WORD = r"[\w./+:-]{1,200}?"
_G = r" ?Gi?B(?![A-Za-z/])"  # V0 says GB, and divides by 1024^3 all the same
_DEVICES = ("GPU", "cuda", "rocm", "cpu", "xpu", "hpu", "tpu", "neuron", "npu", "device")
_LOWER_DEVICES = tuple(device.lower() for device in _DEVICES)
_MAX_SEQ_LEN = r"(?:(?<=the model's )|(?<=the models's )|(?<=The model's ))max seq len \(<max_model_len>\)"
_FREE = rf"Free memory on device (?:\(?[a-z]+:[0-9]+\)? )?\(<free_gib>/<total_gib>{_G}\) on startup"
_ASKED = rf"\(<utilization>, <budget_gib>{_G}\)"
_PEAK = f"<activation_peak_gib>{_G} for peak activation"
_GRAPH = f"<graph_gib>{_G} for CUDAGraph memory"
_FITS = rf"in available KV cache memory \(<available_gib>{_G}"

# Head, expression from the head on, and which failure the sentence is, if it is one.
BLOCKS: tuple[Row, ...] = tuple(
    (f"# {word} blocks:", "# <blocks_device> blocks: <gpu_blocks>, # CPU blocks: <cpu_blocks>", "")
    for word in _DEVICES
)
MEMORY: tuple[Row, ...] = (
    (
        "Loading model weights took",
        "Loading model weights took <weights_gib> ?<weights_label>(?![A-Za-z/])",
        "",
    ),
    ("Model loading took", f"Model loading took <weights_gib>{_G}", ""),
    (
        "total_gpu_memory (",
        r"total_gpu_memory \(<total_gib>GiB\) x gpu_memory_utilization \(<utilization>\) = <budget_gib>GiB",
        "",
    ),
    ("model weights take", f"model weights take <weights_gib>{_G}", ""),
    ("non_torch_memory takes", f"non_torch_memory takes <non_torch_gib>{_G}", ""),
    ("activation peak memory takes", f"activation peak memory takes <activation_peak_gib>{_G}", ""),
    ("memory reserved for KV Cache is", f"memory reserved for KV Cache is <kv_gib>{_G}", ""),
    ("Available KV cache memory:", f"Available KV cache memory: <kv_gib>{_G}", ""),
    ("Free memory on device", rf"{_FREE}\. Desired GPU memory utilization is {_ASKED}", ""),
    ("Actual usage is", f"Actual usage is <weights_gib>{_G} for weight(?![A-Za-z])", ""),
    ("Actual usage is", f"Actual usage is <consumed_gib>{_G} for consumed memory", ""),
    ("GiB for weight,", f"GiB for weight, {_PEAK}", ""),
    ("(weights + non-torch),", rf"\(weights \+ non-torch\), {_PEAK}", ""),
    ("GiB for peak activation,", f"GiB for peak activation, <non_torch_gib>{_G} for non-torch memory", ""),
    ("GiB for peak activation,", f"GiB for peak activation, and {_GRAPH}", ""),
    ("GiB for non-torch memory, and", f"GiB for non-torch memory, and {_GRAPH}", ""),
    ("Current kv cache memory in use is", "Current kv cache memory in use is <kv_bytes> bytes", ""),
    ("Current kv cache memory in use is", f"Current kv cache memory in use is <kv_gib>{_G}", ""),
    (
        "Initial free memory",
        f"Initial free memory <free_gib>{_G}, reserved <kv_gib>{_G} memory for KV Cache",
        "",
    ),
    (
        "Graph capturing finished in",
        f"Graph capturing finished in [0-9]+ secs?(?:, took <graph_gib>{_G})?",
        "",
    ),
    ("CUDA graph pool memory:", rf"CUDA graph pool memory: <graph_gib>{_G} \(actual\)", ""),
    ("Estimated CUDA graph memory:", f"Estimated CUDA graph memory: <graph_estimate_gib>{_G}", ""),
)
CAPACITY: tuple[Row, ...] = (
    ("KV cache size:", r"(?:(?<=[A-Z]{2} )|(?<=host ))KV cache size: <kv_tokens> tokens(?![A-Za-z0-9])", ""),
    (
        "Maximum concurrency for",
        "Maximum concurrency for <max_model_len> tokens per request: <concurrency>x",
        "",
    ),
    (
        "Overriding num_gpu_blocks=",
        "Overriding num_gpu_blocks=<gpu_blocks_profiled> with "
        "num_gpu_blocks_override=<num_gpu_blocks_override>",
        "",
    ),
    (
        "Auto-fit max_model_len: reduced from",
        f"Auto-fit max_model_len: reduced from [0-9,]+ to <auto_fit_max_model_len> to fit {_FITS}",
        "",
    ),
    (
        "Auto-fit max_model_len: full",
        f"Auto-fit max_model_len: full model context length <auto_fit_max_model_len> fits {_FITS}",
        "",
    ),
)
REFUSALS: tuple[Row, ...] = (
    (
        "max seq len (",
        rf"{_MAX_SEQ_LEN}, \(<needed_gib>{_G} KV cache is needed, which is larger than the available "
        rf"KV cache memory \(<available_gib>{_G}\)",
        "kv_refusal",
    ),
    (
        "max seq len (",
        rf"{_MAX_SEQ_LEN} is larger than the maximum number of tokens that can be stored in KV cache "
        r"\(<error_kv_tokens>\)",
        "kv_refusal",
    ),
    (
        "estimated maximum model length is",
        r"estimated maximum model length is <estimated_max_model_len>(?=\.|\s)",
        "",
    ),
    (
        "Free memory on device",
        rf"{_FREE} is less than desired GPU memory utilization {_ASKED}",
        "memory_not_free",
    ),
)
SETTINGS: tuple[Row, ...] = (
    ("ttention block size to", "ttention block size to <block_size> tokens", ""),
    ("kv cache block size to", "kv cache block size to <block_size> for", ""),
    ("Padding mamba page size by", "Padding mamba page size by <mamba_padding_percent>%", ""),
    ("Mamba cache mode is set to", "Mamba cache mode is set to '<mamba_cache_mode>'", ""),
    ("Using max model len", r"Using max model len <max_model_len>(?!\S)", ""),
    (
        "Chunked prefill is enabled with",
        "Chunked prefill is enabled with max_num_batched_tokens=<max_num_batched_tokens>",
        "",
    ),
    (
        "synchronous scheduling is",
        "(?<=[Aa])synchronous scheduling is (?P<async_scheduling>enabled|disabled)",
        "",
    ),
    ("Using fp8", "Using <kv_cache_dtype> data type to store kv cache", ""),
    ("Using nvfp4", "Using <kv_cache_dtype> data type to store kv cache", ""),
    ("Using int8", "Using <kv_cache_dtype> data type to store kv cache", ""),
    ("Starting to load model", r"Starting to load model <model>\.\.\.", ""),
)


def _compiled(row: str) -> re.Pattern[str]:
    def group(name: re.Match[str]) -> str:
        kind = _INTEGER if name[1] in WHOLE else _WORD if name[1] in WORDS else _DECIMAL
        return f"(?P<{name[1]}>{kind})"

    return re.compile(re.sub(r"(?<!P)<(\w+)>", group, row))


def _by_head(rows: tuple[Row, ...]) -> dict[str, list[tuple[re.Pattern[str], str]]]:
    table: dict[str, list[tuple[re.Pattern[str], str]]] = {}
    for head, row, failure in rows:
        table.setdefault(head, []).append((_compiled(row), failure))
    return table


MESSAGES = _by_head((*BLOCKS, *MEMORY, *CAPACITY, *REFUSALS, *SETTINGS))
_DIGIT_NEXT = re.compile(r"[ (=]{0,3}-?[0-9]|[ (=]{0,3}$")
_UNUSABLE = re.compile(r" ?[^A-Za-z\s][^A-Za-z]{0,80} tokens")
_SENTENCE_ENDS = re.compile(r"[A-Za-z)]\.[\s\"'`]*$")


def value_of(name: str, text: str) -> Value | None:
    """The value and the decimals of a figure as printed; None for what is no value (None, auto, -1).

    >>> value_of("kv_tokens", "93,872"), value_of("kv_gib", "-1.05"), value_of("tp", "None")
    ((93872, None), (Fraction(-21, 20), 2), None)
    """
    if name in WORDS:
        return (FLAGS.get(text.lower(), text), None) if text not in ("", "None", "null") else None
    digits = text.replace(",", "") if re.fullmatch(_INTEGER, text) else text
    if name in WHOLE:
        plain = digits.isascii() and digits.isdigit() and len(digits) <= 18
        return (int(digits), None) if plain else None
    if not re.fullmatch(_DECIMAL, digits):
        return None
    from fractions import Fraction

    return Fraction(digits), len(digits.partition(".")[2])


def heads_in(text: str) -> Iterator[tuple[str, int]]:
    """The heads that stand in a line, each with its place; a bounded number of them."""
    for head in MESSAGES:
        place = text.find(head)
        for _ in range(MOST_HEADS_A_LINE):
            if place < 0:
                break
            yield head, place
            place = text.find(head, place + len(head))


def message_at(text: str, place: int, head: str) -> tuple[list[Reading], str] | None:
    """The figures of the sentence whose head stands at a place, and the failure that it is; None without one.

    >>> message_at("GPU KV cache size: 93,872 tokens", 4, "KV cache size:")
    ([('kv_tokens', 93872, None)], '')
    >>> message_at("GPU KV cache size: 93,8", 4, "KV cache size:")
    """
    for pattern, failure in MESSAGES[head]:
        found = pattern.match(text, place)
        if found:
            named = ((name, value_of(name, text)) for name, text in found.groupdict().items() if text)
            return [(name, *value) for name, value in named if value is not None], failure
    return None


def unusable(text: str, place: int, head: str) -> bool:
    """Whether a token line's number is none that can be read, such as one with blanks for commas.

    >>> [unusable(f"GPU KV cache size: {text}", 4, "KV cache size:") for text in ("327 680 tokens", "why")]
    [True, False]
    """
    before = text[:place].split()
    if head != "KV cache size:" or not before or before[-1].lower() not in _LOWER_DEVICES:
        return False
    return _UNUSABLE.match(text, place + len(head)) is not None


def looks_cut(text: str, place: int, head: str) -> bool:
    """Whether the sentence of a head breaks off: a number or nothing follows, and the line ends no sentence.

    >>> [looks_cut(text, 0, "KV cache size:") for text in ("KV cache size: 93,8", "KV cache size: why")]
    [True, False]
    """
    starts = _DIGIT_NEXT.match(text, place + len(head)) is not None
    return starts and _SENTENCE_ENDS.search(text[-20:]) is None
