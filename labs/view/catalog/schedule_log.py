"""Texts of the schedule lab's log: (English, Chinese). The words of the log itself are the engine's."""

TEXTS: dict[str, tuple[str, str]] = {
    "title": ("The life of each request:", "每个请求的生命周期："),
    "columns": ("round|request|event|", "轮|请求|事件|"),
    "legend_runs": (
        "A line for several rounds holds for each of them; cached is what had been computed or hit before the first.",
        "一行表示多轮时，各轮内容相同；cached 是其中第一轮之前已计算或命中的 token 数。",
    ),
    "legend_blocks": (
        "free counts the blocks left after the line; freed blocks stand in the order given back.",
        "free 是该行之后的空闲块数；freed 的块按释放次序列出。",
    ),
    "legend_external": (
        "asked: external is what the store has beyond the cached tokens of this pool; loaded and failed: the tokens"
        " that can be used.",
        "asked：external 是除本池已缓存的 token 外，外部存储还有的 token 数；loaded 和 failed：可用的 token 数。",
    ),
    "no_blocks": (
        "This rule knows no blocks, so none are logged; --rule vllm shows them.",
        "这条规则没有块的概念，所以日志不含块；可用 --rule vllm 查看。",
    ),
    "totals": ("In all:", "合计："),
    "total_columns": (
        "request|computed tokens|hit blocks|most blocks|preempted|blocks back after round",
        "请求|计算 token 数|命中块数|最多持有块数|被抢占次数|释放块的轮次",
    ),
    "mixed": (
        "Prefill and decode stand side by side in {count} of {rounds} rounds, first in round {first}.",
        "{rounds} 轮中有 {count} 轮同时含有 prefill 和 decode，最早是第 {first} 轮。",
    ),
    "unmixed": (
        "No round holds both prefill and decode.",
        "任何一轮都不同时含有 prefill 和 decode。",
    ),
}
