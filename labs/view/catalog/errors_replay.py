"""What was wrong with a replay against a clock, by rule: (English, Chinese)."""

REPLAY_RULES: dict[str, tuple[str, str]] = {
    "needs_requests": (
        "name one trace file, TRACE, or a random load, --random N",
        "请给出一个 trace 文件（TRACE），或用 --random N 生成随机负载",
    ),
    "needed_with": ("is needed with {other}", "使用 {other} 时必须给出"),
    "needs_model_kv": (
        "is needed to know the KV that a token reads: name --config or --model",
        "需要模型才能知道每个 token 读取多少 KV：请给出 --config 或 --model",
    ),
    "rule_without_pool": (
        "has no KV pool, so there are no blocks to sweep; rules with one: {choices}",
        "这条规则没有 KV 池，无块数可扫；有 KV 池的规则：{choices}",
    ),
    "replay_longest": (
        "request {name} holds up to {tokens} tokens, {needed} blocks of {block_size}: it would wait for ever",
        "请求 {name} 最多占 {tokens} 个 token，即 {needed} 块（每块 {block_size} 个 token）：它将永远等待",
    ),
    "replay_one_group": (
        "keeps unlike layers' KV in groups of their own; this pool is of one group, so name --kv-blocks instead",
        "各层 KV 分属不同的组；这里的 KV 池只有一组，请改用 --kv-blocks",
    ),
    "no_blocks_left": (
        "leaves no KV block after weights and the share of memory",
        "扣除权重并按显存比例计算后，放不下一个 KV 块",
    ),
    "block_of_ids": (
        "must divide the {block_tokens} tokens that an id of this trace stands for",
        "必须整除这个 trace 中一个 id 所代表的 {block_tokens} 个 token",
    ),
    "ids_only": (
        "is for traces with block ids, and this one has none",
        "只用于带块 id 的 trace，而这个 trace 没有块 id",
    ),
    "all_at_once": (
        "all requests arrive at once: there is no rate to change",
        "所有请求同时到达：没有可以改变的速率",
    ),
    "too_many_replay_steps": (
        "the replay takes more than {most} steps (a step: one request in one engine step); use fewer requests",
        "重放超过 {most} 步（一个请求的一次引擎步为一步）；请减少请求数",
    ),
    "repeated_blocks": ("names a number of blocks twice", "同一个块数出现了两次"),
    "is_other_output": ("is the file that {other} writes", "与 {other} 写入的是同一个文件"),
}
