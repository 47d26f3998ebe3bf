"""The sheet `reuse`: (English, Chinese). Only questions and solutions hold digits."""

TITLE: dict[str, tuple[str, str]] = {
    "title": (
        "Reuse: hits of four requests after one cached prompt, and six questions to any integration.",
        "KV 复用：一个已缓存 prompt 之后四种请求的命中，以及接入时必须回答的六个问题。",
    ),
}

QUESTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "A prompt of {num_tokens} tokens, blocks of {block_size}. Four requests, each on a cache of its own: cold (nothing is cached); warm (the same prompt again); early change (the token at position {change}, counted from 0, is another one); not a prefix (the prompt after {block_size} other tokens). How many tokens are hit? Answer in tokens: [cold, warm, early change, not a prefix].",
        "prompt 有 {num_tokens} 个 token，每块 {block_size} 个。四种请求，各用一个缓存：冷缓存（什么都没有缓存）；热缓存（同一 prompt 再来一次）；开头改动（位置 {change} 的 token 换了，从 0 数起）；不在开头（prompt 之前多了 {block_size} 个别的 token）。各命中多少 token？以 token 作答：[冷缓存, 热缓存, 开头改动, 不在开头]。",
    ),
    "p2": (
        "A prompt of {num_tokens} tokens, blocks of {block_size}. Four requests, each on a cache of its own: cold (nothing is cached); warm (the same prompt again); early change (the token at position {change}, counted from 0, is another one); not a prefix (the prompt after {block_size} other tokens). How many tokens are computed? Answer in tokens: [cold, warm, early change, not a prefix].",
        "prompt 有 {num_tokens} 个 token，每块 {block_size} 个。四种请求，各用一个缓存：冷缓存（什么都没有缓存）；热缓存（同一 prompt 再来一次）；开头改动（位置 {change} 的 token 换了，从 0 数起）；不在开头（prompt 之前多了 {block_size} 个别的 token）。各计算多少 token？以 token 作答：[冷缓存, 热缓存, 开头改动, 不在开头]。",
    ),
    "p3": (
        "Can you say, for an integration you know or plan: who builds the key, and how models and adapters are kept apart? Answer: True or False, for yourself.",
        "对你了解或计划中的接入方案，你能说清楚：由谁构造 key，模型与 adapter 如何隔离？作答：True 或 False，由你自己判断。",
    ),
    "p4": (
        "Can you say, for an integration you know or plan: whether a hit lies in the engine's own cache or outside it? Answer: True or False, for yourself.",
        "对你了解或计划中的接入方案，你能说清楚：命中是在引擎自身的缓存里，还是在外部？作答：True 或 False，由你自己判断。",
    ),
    "p5": (
        "Can you say, for an integration you know or plan: who allocates the blocks that a hit is loaded into? Answer: True or False, for yourself.",
        "对你了解或计划中的接入方案，你能说清楚：命中要加载到的目标块由谁分配？作答：True 或 False，由你自己判断。",
    ),
    "p6": (
        "Can you say, for an integration you know or plan: which event makes loaded data usable? Answer: True or False, for yourself.",
        "对你了解或计划中的接入方案，你能说清楚：哪个事件发生后，加载的数据才可以使用？作答：True 或 False，由你自己判断。",
    ),
    "p7": (
        "Can you say, for an integration you know or plan: who owns the buffers while data is saved or loaded? Answer: True or False, for yourself.",
        "对你了解或计划中的接入方案，你能说清楚：保存和加载期间，缓冲区归谁所有？作答：True 或 False，由你自己判断。",
    ),
    "p8": (
        "Can you say, for an integration you know or plan: who withdraws a hit that has become invalid after a timeout, a cancel or an eviction, and decides to recompute? Answer: True or False, for yourself.",
        "对你了解或计划中的接入方案，你能说清楚：超时、取消或淘汰使命中失效后，由谁撤回，并决定重算？作答：True 或 False，由你自己判断。",
    ),
}

NOTES: dict[str, tuple[str, str]] = {
    "p1": (
        "Hits consist of whole blocks from the start; a block after a change has another parent.",
        "命中由开头起的整块组成；改动之后的块，父块已经不同。",
    ),
    "p2": (
        "The last token is always computed: its logits are needed.",
        "最后一个 token 总要计算：需要它的 logits。",
    ),
    "p3": (
        "A good answer names all that changes K and V: model, adapter, salt, the parent's key.",
        "好的回答会列出影响 K、V 的一切：模型、adapter、salt、父块的 key。",
    ),
    "p4": (
        "Local hits need no transfer, external ones a load that can fail.",
        "本地命中不需要传输；外部命中要加载，而加载可能失败。",
    ),
    "p5": ("A load without blocks of its own overwrites somebody's.", "没有自己的块就加载，会覆盖别人的。"),
    "p6": (
        "A key that was found is no data yet: never decode before the load has completed.",
        "找到 key 不等于有了数据：加载完成之前不能 decode。",
    ),
    "p7": (
        "Blocks under transfer must be neither freed nor handed out.",
        "传输中的块既不能释放，也不能分给别人。",
    ),
    "p8": (
        "Reuse is withdrawn, ownership goes back, then the tokens are computed or the request ends.",
        "撤回复用，归还所有权，然后重算或结束请求。",
    ),
}

MISREAD: dict[str, tuple[str, str]] = {
    "full_hit": (
        "Warm: somebody has to compute the last token's logits, and a block that is not full has no key.",
        "热缓存：最后一个 token 的 logits 总要计算，没填满的块也没有 key。",
    ),
    "partial_block": (
        "Warm: a block that is only partly filled cannot be hit.",
        "热缓存：没填满的块不能命中。",
    ),
    "not_aligned": ("Early change: a hit ends at the start of a block.", "开头改动：命中止于块的边界。"),
    "unchained": (
        "Early change: blocks after the changed one hold the same tokens, but what is their parent?",
        "开头改动：后面的块 token 相同，但父块呢？",
    ),
    "all_lost": ("Early change: is there a whole block before the change?", "开头改动：改动之前有没有整块？"),
    "same_text": (
        "Not a prefix: do the same tokens have the same parents?",
        "不在开头：token 相同，父块也相同吗？",
    ),
    "cold_hit": (
        "Cold: what is in the cache when the first request comes?",
        "冷缓存：第一个请求到来时缓存里有什么？",
    ),
}

DIAGNOSES: dict[str, tuple[str, str]] = {
    **{f"{problem}_{name}": pair for problem in ("p1", "p2") for name, pair in MISREAD.items()},
    "p1_computed_for_hit": ("These are the computed tokens.", "这是要计算的 token 数。"),
    "p2_hit_for_computed": ("These are the hit tokens.", "这是命中的 token 数。"),
    "p2_others_left_out": (
        "Not a prefix: the tokens before the prompt are computed too.",
        "不在开头：prompt 之前的 token 也要计算。",
    ),
    "p3_not_yet": ("Who sees prompt, model and adapter at once?", "谁能同时看到 prompt、模型和 adapter？"),
    "p4_not_yet": (
        "Follow one look-up: which memory does it ask, and in which order?",
        "跟踪一次查找：它依次问哪些存储？",
    ),
    "p5_not_yet": ("Who keeps the list of free blocks?", "空闲块列表由谁维护？"),
    "p6_not_yet": ("What tells the scheduler that a load is complete?", "调度器怎样知道加载完成？"),
    "p7_not_yet": (
        "What happens if the request is cancelled in the middle of a transfer?",
        "传输进行到一半时请求被取消，会怎样？",
    ),
    "p8_not_yet": ("Draw the path of a failed load to its end.", "把加载失败的路径一直画到结束。"),
}

STEPS: dict[str, tuple[str, str]] = {
    "p1": (
        "Cut the prompt into blocks of {block_size}: only full ones have a key, and the key covers the parent's.\nA look-up goes from the start, block by block, and stops at the first miss or one token before the end.\nEarly change: which whole blocks lie before position {change}? Not a prefix: what is the parent of the prompt's first block now?",
        "把 prompt 按 {block_size} 个切块：只有填满的块有 key，而 key 包含父块的 key。\n查找从开头逐块进行，到第一次未命中或末尾前一个 token 为止。\n开头改动：位置 {change} 之前有哪些整块？不在开头：prompt 的第一块现在的父块是什么？",
    ),
    "p2": (
        "Cut the prompt into blocks of {block_size}: only full ones have a key, and the key covers the parent's.\nA look-up goes from the start, block by block, and stops at the first miss or one token before the end.\nEarly change: which whole blocks lie before position {change}? Not a prefix: what is the parent of the prompt's first block now?\nComputed tokens are those of the request minus the hit ones.",
        "把 prompt 按 {block_size} 个切块：只有填满的块有 key，而 key 包含父块的 key。\n查找从开头逐块进行，到第一次未命中或末尾前一个 token 为止。\n开头改动：位置 {change} 之前有哪些整块？不在开头：prompt 的第一块现在的父块是什么？\n计算的 token 数等于请求的 token 数减命中数。",
    ),
    "p3": ("Who sees prompt, model and adapter at once?", "谁能同时看到 prompt、模型和 adapter？"),
    "p4": (
        "Follow one look-up: which memory does it ask, and in which order?",
        "跟踪一次查找：它依次问哪些存储？",
    ),
    "p5": ("Who keeps the list of free blocks?", "空闲块列表由谁维护？"),
    "p6": ("What tells the scheduler that a load is complete?", "调度器怎样知道加载完成？"),
    "p7": (
        "What happens if the request is cancelled in the middle of a transfer?",
        "传输进行到一半时请求被取消，会怎样？",
    ),
    "p8": ("Draw the path of a failed load to its end.", "把加载失败的路径一直画到结束。"),
}

SOLUTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "hit = whole blocks from the start whose chained keys are cached, at most num_tokens - 1\nwarm: ({num_tokens} - 1) // {block_size} x {block_size} = {warm}; early change: {change} // {block_size} x {block_size} = {early}\ntokens: {answer}\nall are multiples of {block_size}; a request that shares no start hits nothing",
        "命中 = 开头起、链式 key 已缓存的整块，不超过 num_tokens - 1\n热缓存：({num_tokens} - 1) // {block_size} x {block_size} = {warm}；开头改动：{change} // {block_size} x {block_size} = {early}\ntoken：{answer}\n都是 {block_size} 的倍数；开头不同的请求没有命中",
    ),
    "p2": (
        "computed = tokens of the request - hit tokens\n{num_tokens} - 0, {num_tokens} - {warm}, {num_tokens} - {early}, {longer} - 0\ntokens: {answer}\nat least one each; the last request has {longer} tokens",
        "计算 = 请求的 token 数 - 命中数\n{num_tokens} - 0，{num_tokens} - {warm}，{num_tokens} - {early}，{longer} - 0\ntoken：{answer}\n每个至少为一；最后一个请求有 {longer} 个 token",
    ),
    "p3": (
        "the question: who builds the key, and how models and adapters are kept apart\nA good answer names all that changes K and V: model, adapter, salt, the parent's key.\nno unit; {answer} once you can say it\ncompare with the four paths: miss, synchronous hit, asynchronous hit, failed load",
        "问题：由谁构造 key，模型与 adapter 如何隔离\n好的回答会列出影响 K、V 的一切：模型、adapter、salt、父块的 key。\n无单位；能说清楚就写 {answer}\n对照四条路径：未命中、同步命中、异步命中、加载失败",
    ),
    "p4": (
        "the question: whether a hit lies in the engine's own cache or outside it\nLocal hits need no transfer, external ones a load that can fail.\nno unit; {answer} once you can say it\ncompare with the four paths: miss, synchronous hit, asynchronous hit, failed load",
        "问题：命中是在引擎自身的缓存里，还是在外部\n本地命中不需要传输；外部命中要加载，而加载可能失败。\n无单位；能说清楚就写 {answer}\n对照四条路径：未命中、同步命中、异步命中、加载失败",
    ),
    "p5": (
        "the question: who allocates the blocks that a hit is loaded into\nA load without blocks of its own overwrites somebody's.\nno unit; {answer} once you can say it\ncompare with the four paths: miss, synchronous hit, asynchronous hit, failed load",
        "问题：命中要加载到的目标块由谁分配\n没有自己的块就加载，会覆盖别人的。\n无单位；能说清楚就写 {answer}\n对照四条路径：未命中、同步命中、异步命中、加载失败",
    ),
    "p6": (
        "the question: which event makes loaded data usable\nA key that was found is no data yet: never decode before the load has completed.\nno unit; {answer} once you can say it\ncompare with the four paths: miss, synchronous hit, asynchronous hit, failed load",
        "问题：哪个事件发生后，加载的数据才可以使用\n找到 key 不等于有了数据：加载完成之前不能 decode。\n无单位；能说清楚就写 {answer}\n对照四条路径：未命中、同步命中、异步命中、加载失败",
    ),
    "p7": (
        "the question: who owns the buffers while data is saved or loaded\nBlocks under transfer must be neither freed nor handed out.\nno unit; {answer} once you can say it\ncompare with the four paths: miss, synchronous hit, asynchronous hit, failed load",
        "问题：保存和加载期间，缓冲区归谁所有\n传输中的块既不能释放，也不能分给别人。\n无单位；能说清楚就写 {answer}\n对照四条路径：未命中、同步命中、异步命中、加载失败",
    ),
    "p8": (
        "the question: who withdraws a hit that has become invalid after a timeout, a cancel or an eviction, and decides to recompute\nReuse is withdrawn, ownership goes back, then the tokens are computed or the request ends.\nno unit; {answer} once you can say it\ncompare with the four paths: miss, synchronous hit, asynchronous hit, failed load",
        "问题：超时、取消或淘汰使命中失效后，由谁撤回，并决定重算\n撤回复用，归还所有权，然后重算或结束请求。\n无单位；能说清楚就写 {answer}\n对照四条路径：未命中、同步命中、异步命中、加载失败",
    ),
}
