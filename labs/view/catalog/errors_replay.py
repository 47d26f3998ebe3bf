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
        "has no KV pool, so --sweep-blocks has no blocks to sweep; rules with one: {choices}",
        "这条规则没有 KV 池，--sweep-blocks 无块数可扫；有 KV 池的规则：{choices}",
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
        "leaves {left} after weights and the share of memory: no KV block beside the engine's null block",
        "扣除权重并按显存比例计算后只剩 {left}，除引擎的空块外放不下一个 KV 块",
    ),
    "weights_fill_gpu": (
        "leave nothing for KV of the {usable} that the engine may take of --gpu {gpu}",
        "占满了引擎可用的 {usable}（--gpu {gpu} 按显存比例），没有留给 KV 的空间",
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
    "too_many_replay_requests": (
        "more requests than a replay takes, at most {most}",
        "请求太多，一次重放至多 {most} 个",
    ),
    "too_many_prefill_steps": (
        "all prompts together take more than {most} prefill steps of up to {chunk} tokens; use more tokens a step, fewer or"
        " shorter prompts",
        "所有 prompt 合计超过 {most} 个 prefill 步（每步至多 {chunk} 个 token）；请增大每步 token 数，或减少、缩短 prompt",
    ),
    "too_long_an_output": (
        "a request's output is longer than a replay takes, at most {most} tokens",
        "某个请求的输出太长，一次重放至多 {most} 个 token",
    ),
    "too_many_engine_steps": (
        "the replay takes more than {most} engine steps; use fewer requests or shorter outputs",
        "重放超过 {most} 个引擎步；请减少请求数或缩短输出",
    ),
    "too_many_replay_blocks": (
        "the prompts and outputs of all requests fill more than {most} blocks of {block_size} tokens; use larger blocks or"
        " fewer tokens",
        "所有请求的 prompt 与输出合计超过 {most} 块（每块 {block_size} 个 token）；请增大块或减少 token 数",
    ),
    "too_many_tokens_served": (
        "prefill steps and output tokens of all requests come to more than {most}, and rule {name} takes each by itself; use"
        " fewer requests or tokens",
        "所有请求的 prefill 步与输出 token 合计超过 {most}，而规则 {name} 逐个处理；请减少请求数或 token 数",
    ),
    "too_long_a_sweep": (
        "all runs of this sweep together take too long; at most {most} points with these requests",
        "这次扫描的全部重放合计耗时过长；按这些请求至多扫描 {most} 个点",
    ),
    "exponent": (
        "must be written in plain digits, without an exponent",
        "必须写成普通数字，不用指数形式",
    ),
    "repeated_blocks": ("names a number of blocks twice", "同一个块数出现了两次"),
    "is_other_output": ("is the file that {other} writes", "与 {other} 写入的是同一个文件"),
}
