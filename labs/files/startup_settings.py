"""Settings as a start-up log shows them: `key=value` lists, and the command line that started the engine.

What is modelled, and where a key counts:

    ... LLM engine (vX) with config: model='M', max_seq_len=N, ...      the engine's own settings
    args: Namespace(key=value, ...), non-default args: {'key': value}   what was asked for
    Memory profiling results: total_gpu_memory=23.58GiB ...             V0's profile, 0.6
    cache_config_info{block_size="16", ...}                             the metric that a running engine shows
    vllm serve MODEL --block-size 64, or a line that begins with an option, or `--block-size 64` in backticks
    block_size=16, max_num_batched_tokens=2048                          these two on any line

Elsewhere an option is advice ("try --max-model-len 8192") and no setting. Values that say nothing (None,
auto for a number, -1) are left out; yes and no are the words True and False.
Does not model: settings inside nested ones (a draft model's), files of settings, environment variables.
"""

from __future__ import annotations

import re

from labs.files.startup_lines import value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.files.startup_lines import Reading, Value

NAMES = {
    "model": "model",
    "model_tag": "model",
    "dtype": "model_dtype",
    "max_model_len": "max_model_len",
    "max_seq_len": "max_model_len",
    "tensor_parallel_size": "tp",
    "pipeline_parallel_size": "pp",
    "data_parallel_size": "dp",
    "decode_context_parallel_size": "dcp",
    "kv_cache_dtype": "kv_cache_dtype",
    "cache_dtype": "kv_cache_dtype",
    "gpu_memory_utilization": "utilization",
    "block_size": "block_size",
    "swap_space": "swap_space_gib",
    "max_num_batched_tokens": "max_num_batched_tokens",
    "max_num_seqs": "max_num_seqs",
    "enable_prefix_caching": "prefix_caching",
    "async_scheduling": "async_scheduling",
    "num_gpu_blocks_override": "num_gpu_blocks_override",
    "mamba_cache_mode": "mamba_cache_mode",
}
METRIC_NAMES = {**NAMES, "num_gpu_blocks": "gpu_blocks", "num_cpu_blocks": "cpu_blocks"}
PROFILE_NAMES = {
    "total_gpu_memory": "total_gib",
    "peak_torch_memory": "peak_torch_gib",
    "non_torch_memory": "non_torch_gib",
    "kv_cache_size": "kv_gib",
    "gpu_memory_utilization": "utilization",
}
ANYWHERE_NAMES = {key: key for key in ("block_size", "max_num_batched_tokens")}
OPTIONS = {
    **{
        f"--{key.replace('_', '-')}": name
        for key, name in NAMES.items()
        if key not in ("cache_dtype", "max_seq_len")
    },
    "-tp": "tp",
    "-pp": "pp",
    "-dp": "dp",
    "-dcp": "dcp",
}
SWITCHES = {"--enable-prefix-caching": "prefix_caching", "--async-scheduling": "async_scheduling"}
SUFFIXES = {"k": 10**3, "m": 10**6, "K": 1 << 10, "M": 1 << 20}

# What opens a list of settings, which keys count in it, and what kind of line it is for counting starts.
LISTS: tuple[tuple[str, dict[str, str], str], ...] = (
    ("LLM engine", NAMES, "engine"),
    ("non-default args:", NAMES, "arguments"),
    ("args: Namespace(", NAMES, "arguments"),
    ("Memory profiling results:", PROFILE_NAMES, "profile"),
    ("cache_config_info{", METRIC_NAMES, "metric"),
)
_COMMANDS = ("vllm serve", "vllm.entrypoints", "api_server.py", "vllm/vllm-openai", '"serve"', "'serve'")
# A line without any of these adds no setting.
SETTING_WORDS = (*(sign for sign, _, _ in LISTS), *ANYWHERE_NAMES, *_COMMANDS, "server version", "█", "--")
_ENGINE = re.compile(r"Initializing an? (?:V1 )?LLM engine(?: \(v?([0-9][\w.+-]{0,60})\))? with config:")
_SERVER = re.compile(r"vLLM (?:API )?server version v?([0-9][\w.+-]{0,60})")
_LOGO = re.compile("█ {1,8}version v?([0-9][\\w.+-]{0,60})")
_NESTED = re.compile(r"speculative_config['\"]?\s?[=:]\s?\w{0,40}[({][^(){}]{0,2000}[)}]")
_OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z_-]{1,40}(?![a-z_-])")
_OPTION_VALUE = re.compile(r"(?:=|[\"']?,? {0,3}=?)[\"']?([\w./:@][\w./:+@-]{0,300})")
_BEGINS_WITH_OPTION = re.compile(r"(?:[\s>|*,'\"\[`]|- ){0,40}--?[a-z]")
_IN_BACKTICKS = re.compile(r"`(--?[a-z][a-z_-]{1,40}[ =][^`\s]{1,300})`")
_SERVED = re.compile(r"vllm serve ['\"]?([\w./:@][\w./:@-]{0,300})")


def _key_value(names: dict[str, str]) -> re.Pattern[str]:
    keys = "|".join(sorted(names, key=len, reverse=True))
    value = r"'([^']{0,300})'|\"([^\"]{0,300})\"|([^\s,;(){}\[\]'\"\u2e80-\uffef]{1,300})"
    return re.compile(rf"(?<![\w.-])({keys})['\"]?\s?[=:]\s?(?:{value})")


_KEY_VALUES = {id(names): _key_value(names) for names in (NAMES, METRIC_NAMES, PROFILE_NAMES, ANYWHERE_NAMES)}


def opening(text: str) -> tuple[str, str] | None:
    """What kind of line of a start this is (server, arguments, engine), and the version that it names.

    >>> opening("INFO [core.py:5] Initializing a V1 LLM engine (v0.10.1.1) with config: model='m'")
    ('engine', '0.10.1.1')
    """
    engine = _ENGINE.search(text) if "LLM engine" in text else None
    if engine:
        return "engine", engine[1] or ""
    server = _SERVER.search(text) if "server version" in text else None
    server = server or (_LOGO.search(text) if "version" in text and "█" in text else None)
    if server:
        return "server", server[1]
    if "non-default args:" in text or "args: Namespace(" in text:
        return "arguments", ""
    return None


def listed(text: str) -> tuple[list[Reading], bool]:
    """The settings in a line's list of them, and whether words of the engine itself show that it is one.

    >>> listed("non-default args: {'block_size': 64, 'max_model_len': None}")
    ([('block_size', 64, None)], True)
    >>> listed("CacheConfig(block_size=16, hash_block_size=32)")
    ([('block_size', 16, None)], False)
    """
    for sign, names, kind in LISTS:
        place = text.find(sign)
        if place >= 0 and (kind != "engine" or _ENGINE.search(text)):
            return _readings(_NESTED.sub("", text[place:]), names), True
    return _readings(text, ANYWHERE_NAMES), False


def _readings(text: str, names: dict[str, str]) -> list[Reading]:
    """The first value of each figure; what stands later belongs to something nested."""
    found: dict[str, Reading] = {}
    for match in _KEY_VALUES[id(names)].finditer(text):
        name = names[match[1]]
        value = _value(name, match[2] or match[3] or match[4] or "")
        if name not in found and value is not None:
            found[name] = (name, *value)
    return list(found.values())


def _value(name: str, text: str) -> Value | None:
    if name == "model_dtype":
        text = text.removeprefix("torch.")
    if name.endswith("_gib"):
        text = text.removesuffix("GiB")
    return value_of(name, text)


def command_line(text: str) -> list[Reading]:
    """The settings of a command line; none if the line is no such thing.

    >>> command_line("$ vllm serve org/m --max-model-len 16k -tp 2 --enable-prefix-caching")[1:]
    [('max_model_len', 16000, None), ('tp', 2, None), ('prefix_caching', 'True', None)]
    >>> command_line("then try --max-model-len 8192"), command_line("with `--block-size 64` it starts")
    ([], [('block_size', 64, None)])
    """
    command = any(word in text for word in _COMMANDS)
    if not command and not _BEGINS_WITH_OPTION.match(text):
        text = " ".join(found[1] for found in _IN_BACKTICKS.finditer(text))
    readings: list[Reading] = []
    served = _SERVED.search(text) if command else None
    if served:
        readings.append(("model", served[1], None))
    for option in _OPTION.finditer(text):
        word = option[0].replace("_", "-")
        switch = SWITCHES.get(word.replace("--no-", "--", 1))
        value = _OPTION_VALUE.match(text, option.end())
        if switch:
            readings.append((switch, str(not word.startswith("--no-")), None))
        elif word in OPTIONS and value:
            read = _option_value(OPTIONS[word], value[1])
            readings += [(OPTIONS[word], *read)] if read else []
    return readings


def _option_value(name: str, text: str) -> Value | None:
    times = SUFFIXES.get(text[-1:]) if name == "max_model_len" else None
    number = value_of(name, text[:-1] if times else text)
    if times and number and isinstance(number[0], int):
        return number[0] * times, None
    return number
