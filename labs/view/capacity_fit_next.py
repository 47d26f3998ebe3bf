"""The command that `capacity fit` suggests next: this run's own options with one of them changed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.capacity_fit import Params, Result

NUMBERS = ("tp", "pp", "dcp", "block_size", "num_gpu_blocks_override")
UNITS = (("GiB", 1 << 30), ("GB", 10**9), ("MiB", 1 << 20), ("B", 1))


def next_line(result: Result, t: dict[str, str]) -> str:
    """One thing to try that changes something, as a whole command."""
    plan, params = result.plan, result.params
    windows = any(group.specs[0].window is not None for group in plan.groups)
    words = option_words(params)
    if not plan.fits and plan.estimated_max_model_len:
        return t["next_auto"].format(words=_with(words, "--max-model-len", "auto"))
    if not plan.fits and params.weights and min(params.available_bytes(0), 0) < 0:
        return t["next_ranks"].format(words=_over_twice_the_ranks(words, params))
    if windows and params.max_num_batched_tokens != 2048:
        return t["next_batched"].format(words=_with(words, "--max-num-batched-tokens", "2048"))
    if params.bytes_per_element > 1:
        return t["next_fp8"].format(words=_with(words, "--kv-dtype", "fp8"))
    return t["next_block"].format(words=_with(words, "--block-size", str(2 * params.block_size)))


def _over_twice_the_ranks(words: list[tuple[str, str]], params: Params) -> str:
    """The same weights on twice as many tensor-parallel ranks, so half of them on each."""
    halved = ",".join(size_words(size // 2) for size in params.weights[:1])
    kept = [pair for pair in words if pair[0] not in ("--weights", "--tp")]
    return _with([*kept, ("--weights", halved)], "--tp", str(2 * params.tp))


def option_words(params: Params) -> list[tuple[str, str]]:
    """The options of a run that are not the defaults, as pairs of option and value."""
    stack = params.stack.shape.name
    words = [("--model" if params.is_built_in else "--config", stack)]
    defaults = type(params).defaults
    for name in NUMBERS:
        if getattr(params, name) != defaults[name]:
            words.append((_option(name), str(getattr(params, name))))
    if params.pp_partition is not None:
        words.append(("--pp-partition", ",".join(map(str, params.pp_partition))))
    for name in ("kv_dtype", "state_dtype", "max_num_batched_tokens"):
        if getattr(params, name) != defaults[name]:
            words.append((_option(name), str(getattr(params, name))))
    for name in ("async_scheduling", "prefix_caching"):
        if getattr(params, name) != defaults[name]:
            words.append((_option(name if getattr(params, name) else f"no_{name}"), ""))
    for name in ("gpu", "weights", "overhead", "kv_memory"):
        if getattr(params, name):
            words.append((_option(name), ",".join(map(size_words, getattr(params, name)))))
    if params.utilization is not None:
        words.append(("--utilization", str(float(params.utilization))))
    if params.max_model_len is not None:
        words.append(("--max-model-len", "auto" if params.max_model_len == -1 else str(params.max_model_len)))
    return words


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def size_words(num_bytes: int) -> str:
    """Bytes as an option takes them, exact.

    >>> size_words(80 << 30), size_words(24 * 10**9), size_words(1000)
    ('80GiB', '24GB', '1000B')
    """
    return next(f"{num_bytes // size}{unit}" for unit, size in UNITS if num_bytes % size == 0)


def _with(words: list[tuple[str, str]], option: str, value: str) -> str:
    """The words of a command line with one option changed or added."""
    import shlex

    changed = [pair for pair in words if pair[0] != option] + [(option, value)]
    return " ".join(shlex.quote(word) for pair in changed for word in pair if word)
