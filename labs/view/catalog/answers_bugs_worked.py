"""Hints and solutions of the sheet `bugs`: (English, Chinese). Only solutions hold digits."""

STEPS: dict[str, tuple[str, str]] = {
    "p1": (
        "How many tokens of B are left to compute when all these hits count?\nFrom which pass would the first output's"
        " logits come?\nTake the invariant that says so, and the block that should have been left.",
        "如果这些命中都算数，B 还剩几个 token 要计算？\n首个输出的 logits 从哪次前向得到？\n选出讲这件事的不变量，再找出本应留下来计算的块。",
    ),
    "p2": (
        "For each block that is hit, find the block of A with the same tokens.\nWhat stands before it in A, and what in B?"
        "\nThe first block where these differ is the step.",
        "对每个命中的块，在 A 中找到 token 相同的块。\n在它前面，A 中是哪些 token，B 中是哪些 token？\n最早出现不同的那一块，就是要找的一步。",
    ),
    "p3": (
        "Which tokens does B compute itself, and from where does it take the others?\nWho was to bring these, and when"
        " were they there?\nLook for the round in which B reads them.",
        "B 自己计算了哪些 token，其余的从哪里来？\n其余部分本应由谁加载，何时才加载完成？\n找出 B 读取它们的那一轮。",
    ),
    "p4": (
        "How much budget is left over in each round?\nHow many tokens does B have to compute, its hit taken off?\nLook for"
        " the first round in which that would have fitted.",
        "每轮剩下多少预算？\n减去命中的部分，B 要计算几个 token？\n找出预算最早够用的那一轮。",
    ),
    "p5": (
        "In which rounds do the counters grow?\nWhose tokens are these, and were they counted before?\nA request counts"
        " when it is admitted for the first time.",
        "计数在哪些轮增加？\n这些是谁的 token，之前计过没有？\n每个请求只在首次准入时计数。",
    ),
    "p6": (
        "Turn each request's tokens into blocks, round by round.\nA started block counts whole, and belongs to one request."
        "\nCompare the sum with {blocks} blocks.",
        "逐轮把每个请求的 token 换算成块。\n未填满的块也占一整块，而且只属于一个请求。\n把总块数与 {blocks} 块相比。",
    ),
    "p7": (
        "How long is it from the first output to the last in each row?\nHow many gaps lie between so many outputs?\nMultiply"
        " TPOT by the gaps, and compare.",
        "每一行从首个输出到最后一个输出有多久？\n这么多输出之间有几个间隔？\n用 TPOT 乘以间隔数，再与这段时间比较。",
    ),
    "p8": (
        "Who holds blocks in each round?\nHow many tokens does A have in the end, and how many fit in {blocks} blocks of"
        " {block_size}?\nLook for the round in which A gives way although nobody else holds a block.",
        "每一轮有谁占用块？\nA 最终有多少 token，{blocks} 块（每块 {block_size} 个 token）放得下多少个？\n找出没有其他请求占用块、A 却仍被抢占的那一轮。",
    ),
}

SOLUTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "hit <= floor((num_tokens - 1) / block size) blocks\n{hit} of {total} tokens hit, {left} left to compute\n[invariant,"
        " block]: {answer}\nblock {step} holds the last token, which has to be computed",
        "命中 <= floor((num_tokens - 1) / 块大小) 块\n{total} 个 token 命中 {hit} 个，剩 {left} 个要计算\n[不变量, 块]：{answer}\n"
        "块 {step} 含最后一个 token，它必须计算",
    ),
    "p2": (
        "a hit needs equal tokens in the block and in all before it\nblock {step} = {tokens} stands after {b_before} in B and"
        " after {a_before} in A\n[invariant, block]: {answer}\n{hit} tokens were hit, and KV of other prefixes is among them",
        "命中要求块内及其之前的 token 全部相同\n块 {step} = {tokens}：在 B 中前面是 {b_before}，在 A 中前面是 {a_before}\n[不变量, 块]：{answer}\n"
        "共命中 {hit} 个 token，其中混入了别的前缀的 KV",
    ),
    "p3": (
        "a block is there once it was computed, or its load was reported\n{name} hits {hit} tokens in round {step}; the load for"
        " {owner} is reported after round {report}\n[invariant, round]: {answer}\nround {step} comes before the end of round"
        " {report}",
        "块要在算出之后，或报告加载完成之后，才可用\n{name} 在第 {step} 轮命中 {hit} 个 token；为 {owner} 进行的加载，第 {report} 轮之后才报告完成\n"
        "[不变量, 轮]：{answer}\n第 {step} 轮在第 {report} 轮结束之前",
    ),
    "p4": (
        "needed of the budget = prompt - hit\n{tokens} - {hit} tokens for {name}, and {unused} are left over in round {step}\n"
        "[invariant, round]: {answer}\n{unused} is enough for the rest of {name}, not for its whole prompt",
        "占用的预算 = prompt - 命中\n{name} 需要 {tokens} - {hit} 个 token，第 {step} 轮还剩 {unused} 个\n[不变量, 轮]：{answer}\n"
        "{unused} 个够 {name} 计算余下的部分，但不够整个 prompt",
    ),
    "p5": (
        "queries and hits grow by first admissions only\nround {step}: {counted_queries} and {counted_hits} in place of {queries}"
        " and {hits}\n[invariant, round]: {answer}\n{name} resumes with {known} known tokens and finds {hit} of its own",
        "查询数与命中数只在首次准入时增加\n第 {step} 轮：{counted_queries} 和 {counted_hits}，应为 {queries} 和 {hits}\n[不变量, 轮]：{answer}\n"
        "{name} 恢复时已知 {known} 个 token，找回自己的 {hit} 个",
    ),
    "p6": (
        "blocks = sum over requests of ceil(tokens / block size)\nround {step}: tokens {tokens}, blocks {held}, together {used};"
        " the pool has {blocks}\n[invariant, round]: {answer}\nadded up first, {total} tokens look like {pooled} blocks",
        "块数 = 各请求 ceil(token 数 / 块大小) 之和\n第 {step} 轮：token {tokens}，块 {held}，共 {used}；KV 池有 {blocks}\n[不变量, 轮]：{answer}\n"
        "若先相加，{total} 个 token 看上去只要 {pooled} 块",
    ),
    "p7": (
        "TPOT = (last output - first output) / (outputs - 1)\nrow {step}: ({last} - {first}) / {gaps} = {right}, and not {wrong}\n"
        "[invariant, row]: {answer}\ndivided by {outputs} outputs in place of {gaps} gaps, it is too small",
        "TPOT = (最后一个输出 - 首个输出) / (输出数 - 1)\n第 {step} 行：({last} - {first}) / {gaps} = {right}，而不是 {wrong}\n[不变量, 行]：{answer}\n"
        "除以 {outputs} 个输出，而不是 {gaps} 个间隔，结果偏小",
    ),
    "p8": (
        "a request fits if ceil(tokens / block size) <= blocks of the pool\nround {step}: {name} has {tokens} known tokens, which"
        " need {needed} blocks of {size}; there are {blocks}\n[invariant, round]: {answer}\nnobody else holds a block there, so it"
        " will come to the same place again",
        "放得下的条件：ceil(token 数 / 块大小) <= KV 池的块数\n第 {step} 轮：{name} 已知 {tokens} 个 token，需要 {needed} 块（每块 {size} 个）；"
        "只有 {blocks} 块\n[不变量, 轮]：{answer}\n此时没有其他请求占用块，所以重算之后还会走到同一处",
    ),
}
