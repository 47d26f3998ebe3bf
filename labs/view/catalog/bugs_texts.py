"""What each bug is: (English, Chinese). STORIES say where it was seen, HERE what this run has, WHY how it came.

A key with `_how` behind a bug's name is for runs that break in that way.
"""

STORIES: dict[str, tuple[str, str]] = {
    "full-hit": (
        "the look-up in the prefix cache is bounded by num_tokens in place of num_tokens - 1. Seen where prompts whose"
        " length is a multiple of the block come twice: the engine hangs or fails on the second.",
        "前缀缓存查找的上限用了 num_tokens，而不是 num_tokens - 1。见于长度恰为块大小整数倍的 prompt 第二次到来时："
        "引擎卡住或报错。",
    ),
    "unchained": (
        "each block is hashed by its own tokens alone, not together with its parent's hash. Seen in caches that keep"
        " the KV of text chunks: answers turn wrong, and nothing fails.",
        "每块只对自己的 token 计算哈希，没有包含父块的哈希。见于按文本片段缓存 KV 的实现：回答不对，却没有任何报错。",
    ),
    "in-flight-hit": (
        "the blocks of a background load enter the hash table when they are allocated, not when the workers report them."
        " Seen where external KV was added to a prefix cache that enters blocks at once.",
        "后台加载的块在分配时就进入哈希表，而不是等 worker 报告完成。见于给“分配即登记”的前缀缓存接上外部 KV 的实现。",
    ),
    "budget-before-hit": (
        "a prompt is held against the budget before its hit is taken off. Seen in a small engine that compared"
        " num_batched_tokens + len(seq) with its limit.",
        "拿 prompt 与预算比较时，没有先减去命中的部分。见于一个小型引擎：它曾用 num_batched_tokens + len(seq) 与上限比较。",
    ),
    "preempted-as-hits": (
        "a preempted request's own blocks, found again when it resumes, are counted as hits of the prefix cache. Seen in"
        " hit rates that rise just when the pool is too small.",
        "被抢占的请求恢复时找回自己的块，也计作前缀缓存的命中。其表现是：KV 池越不够用，命中率反而越高。",
    ),
    "pooled-rounding": (
        "the blocks of all requests are counted as the sum of their tokens, rounded up once. Seen in sizing sheets and in"
        " hand-written admission checks.",
        "计算全部请求的块数时，先把各请求的 token 数相加，再一次性向上取整。见于容量估算表和手写的准入检查。",
    ),
    "tpot-by-n": (
        "TPOT is divided by the number of outputs, not by the gaps between them. Seen in benchmark scripts; the figure"
        " comes out too good, most of all for short answers.",
        "计算 TPOT 时除以输出个数，而不是输出之间的间隔数。见于压测脚本；结果好于实际，回答越短偏差越大。",
    ),
    "oversized": (
        "a request that needs more blocks than the pool has is admitted. Seen where requests are checked against"
        " max_model_len only.",
        "需要的块数超过 KV 池的请求也被准入。见于只按 max_model_len 检查请求的实现。",
    ),
}

HERE: dict[str, tuple[str, str]] = {
    "full-hit": (
        "{hit} of {total} tokens are hit, {left} are left to compute",
        "{total} 个 token 命中 {hit} 个，剩下 {left} 个要计算",
    ),
    "unchained": (
        "block {step} of B holds {tokens} after {b_before}; the KV that is hit was computed after {a_before}",
        "B 的块 {step} 是 {tokens}，前面是 {b_before}；命中的 KV 却是在 {a_before} 之后算出的",
    ),
    "in-flight-hit_reported": (
        "{name} hits {hit} tokens; blocks {blocks} are still being loaded for {owner}, reported after round {reported}",
        "{name} 命中 {hit} 个 token，但块 {blocks} 还在为 {owner} 加载，第 {reported} 轮之后才报告完成",
    ),
    "in-flight-hit_unreported": (
        "{name} hits {hit} tokens; blocks {blocks} are still being loaded for {owner}, and no report ever comes",
        "{name} 命中 {hit} 个 token，但块 {blocks} 还在为 {owner} 加载，而且始终没有完成报告",
    ),
    "budget-before-hit": (
        "{unused} of {budget} tokens are left over, and {name} waits with {tokens} tokens, of which {hit} are hit",
        "{budget} 个 token 的预算剩下 {unused} 个未用，{name} 却在等待：它有 {tokens} 个 token，其中 {hit} 个命中",
    ),
    "preempted-as-hits": (
        "queries {counted_queries} and hits {counted_hits} in place of {queries} and {hits}: {name} resumes with {known}"
        " known tokens and finds {hit} of them",
        "查询 {counted_queries}、命中 {counted_hits}，应为 {queries} 和 {hits}：{name} 恢复时已知 {known} 个 token，找回其中 {hit} 个",
    ),
    "pooled-rounding": (
        "{requests}: {used} blocks are held, and the pool has {blocks}",
        "{requests}：共占用 {used} 块，而 KV 池只有 {blocks} 块",
    ),
    "tpot-by-n": (
        "{outputs} outputs from round {first} to round {last}, TPOT {rounds}; times {gaps} gaps that is {product}, not {span}",
        "{outputs} 个输出，从第 {first} 轮到第 {last} 轮，TPOT 为 {rounds}；乘以 {gaps} 个间隔得 {product}，而不是 {span}",
    ),
    "oversized_preempted": (
        "{name} has {tokens} known tokens, {needed} blocks of {size}; with all {blocks} to itself it preempts itself",
        "{name} 已知 {tokens} 个 token，需要 {needed} 块（每块 {size} 个 token）；独占全部 {blocks} 块，仍只能抢占自己",
    ),
    "oversized_waits": (
        "{name} has {tokens} known tokens, {needed} blocks of {size}; it waits for ever for a pool of {blocks}",
        "{name} 已知 {tokens} 个 token，需要 {needed} 块（每块 {size} 个 token）；KV 池只有 {blocks} 块，它将永远等待",
    ),
}

WHY: dict[str, tuple[str, str]] = {
    "full-hit": (
        "logits come from a pass over the last token, and KV in the cache holds none. So the right look-up may take"
        " {right_hit} of the {total} tokens and computes the other {right_left}.",
        "logits 要由最后一个 token 的前向计算得到，缓存里只有 KV，没有 logits。所以正确的查找最多命中 {total} 个 token 中的 {right_hit} 个，"
        "其余 {right_left} 个要计算。",
    ),
    "unchained_same_count": (
        "K and V of a token depend on its position and, from the second layer on, on every token before it. A key must"
        " cover all of these, and a chained one does: with it B hits as many tokens here, {right_hit}, but in the blocks"
        " that were computed after the same tokens.",
        "一个 token 的 K 和 V 取决于它的位置；从第二层起，还取决于它之前的每个 token。键必须包含这一切，链式的键正是如此："
        "这里使用链式的键，B 同样命中 {right_hit} 个 token，但命中的是在相同 token 之后算出的块。",
    ),
    "unchained": (
        "K and V of a token depend on its position and, from the second layer on, on every token before it. A key must"
        " cover all of these, and a chained one does: with it B hits {right_hit} tokens, not {hit}.",
        "一个 token 的 K 和 V 取决于它的位置；从第二层起，还取决于它之前的每个 token。键必须包含这一切，链式的键正是如此："
        "使用链式的键，B 命中 {right_hit} 个 token，而不是 {hit} 个。",
    ),
    "in-flight-hit": (
        "a computed block may be entered when it is scheduled, as it is computed before anybody reads it in a later"
        " step. A load takes as long as it takes: {name} reads in round {step} what has not come yet.",
        "要计算的块可以在调度时就登记，因为等后面的步骤读取它时，它必定已经算完。加载要多久却没有保证：{name} 在第 {step} 轮读取的内容还没有到。",
    ),
    "budget-before-hit_whole": (
        "a hit costs no computation, so {name} needs {left} tokens of the budget and not {tokens}. In round {step}"
        " there are {unused}: enough for what it has to compute, too few for the whole prompt. Whoever stands behind it"
        " waits as well.",
        "命中的部分不需要计算，所以 {name} 只需要 {left} 个 token 的预算，而不是 {tokens} 个。第 {step} 轮还有 {unused} 个："
        "够它计算余下的部分，却容不下整个 prompt。排在它后面的请求也跟着等待。",
    ),
    "budget-before-hit_part": (
        "a hit costs no computation, so {name} needs {left} tokens of the budget and not {tokens}. In round {step}"
        " there are {unused}: too few for all of these, but a part could be computed now and the rest later. The broken"
        " rule waits until the whole prompt fits. Whoever stands behind it waits as well.",
        "命中的部分不需要计算，所以 {name} 只需要 {left} 个 token 的预算，而不是 {tokens} 个。第 {step} 轮还有 {unused} 个："
        "虽不够一次算完，却可以先计算一部分，其余留到以后的轮次。有缺陷的规则却一直等到容得下整个 prompt。排在它后面的请求也跟着等待。",
    ),
    "preempted-as-hits_nothing_found": (
        "the rounds are right, the counters are not. {name} was admitted before; looked up again in round {step}, it finds"
        " nothing, but its {known} tokens are counted as queries once more, and the hit rate falls.",
        "各轮没有错，错的是计数。{name} 之前已经准入过；它在第 {step} 轮再次查找，没有找回任何块，但它的 {known} 个 token 又计入一次查询，命中率因此偏低。",
    ),
    "preempted-as-hits": (
        "the rounds are right, the counters are not. {name} was admitted before; that it finds {hit} tokens of its own in"
        " round {step} saves part of a recomputation and says nothing of what requests share.",
        "各轮没有错，错的是计数。{name} 之前已经准入过；它在第 {step} 轮找回自己的 {hit} 个 token，只是少重算了一部分，"
        "并不说明请求之间共享了什么。",
    ),
    "pooled-rounding": (
        "a block belongs to one request, so each rounds up by itself. Added up first, {total} tokens look like {pooled}"
        " blocks, and somebody is let in for whom there is no block.",
        "一块只属于一个请求，所以要逐个请求取整。若先相加，{total} 个 token 看上去只要 {pooled} 块，于是准入了一个没有块可用的请求。",
    ),
    "tpot-by-n": (
        "{outputs} outputs have {gaps} gaps between them, and {span} rounds over {gaps} gaps are {right_rounds} a gap. Divided"
        " by {outputs}, the figure is only {gaps}/{outputs} of that.",
        "{outputs} 个输出之间有 {gaps} 个间隔，{span} 轮分摊到 {gaps} 个间隔，每个间隔 {right_rounds} 轮。除以 {outputs} 则只得到它的 {gaps}/{outputs}。",
    ),
    "oversized": (
        "when no block is free, a running request preempts the last one, and alone that is itself. It gives back all"
        " blocks, computes again from the start, and comes to the same place: {needed} blocks out of {blocks}. If the"
        " whole sequence must fit at admission, it waits for ever at the head instead.",
        "没有空闲块时，运行中的请求抢占最后一个请求；只有它自己时，抢占的就是自己。它释放全部块，从头重算，又走到同一处："
        "需要 {needed} 块，却只有 {blocks} 块。如果准入时要求放得下整个序列，它就会永远等在队首。",
    ),
}

NOT_SHOWN: dict[str, tuple[str, str]] = {
    "full-hit": (
        "what the engine does without logits: it may hang, fail, or sample from old ones.",
        "没有 logits 时引擎会怎样：可能卡住、报错，或者用旧的 logits 采样。",
    ),
    "unchained": (
        "how wrong the output is; engines that reuse chunks on purpose recompute part of them.",
        "输出错到什么程度；有意复用片段的引擎会重算其中一部分。",
    ),
    "in-flight-hit": (
        "what stands in a block before its load: zeros, or another request's KV.",
        "加载之前块里是什么：全零，或是别的请求的 KV。",
    ),
    "budget-before-hit": (
        "how long a round takes; only that budget lies idle.",
        "一轮有多长；这里只能看到预算闲置。",
    ),
    "preempted-as-hits": (
        "tokens that were recomputed; how the engine exports its counters.",
        "重算了多少 token；引擎如何导出这些计数。",
    ),
    "pooled-rounding": (
        "what happens on a real pool: an error, or a neighbour's block written over.",
        "真实的 KV 池上会怎样：报错，或者覆盖别的请求的块。",
    ),
    "tpot-by-n": (
        "time: rounds stand for it here, and a round has no length.",
        "时间：这里用轮数代替，而一轮没有长度。",
    ),
    "oversized": (
        "how an engine would be freed from such a request: by an abort.",
        "引擎怎样摆脱这种请求：只能中止它。",
    ),
}
