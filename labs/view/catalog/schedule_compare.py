"""Texts of the comparison of two scheduling rules: (English, Chinese)."""

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "compare: {rule} and {other} on the same requests.",
        "比较：同样的请求在 {rule} 与 {other} 下的运行。",
    ),
    "equal": (
        "All {rounds} rounds are the same under both rules: nothing differs.",
        "两条规则下 {rounds} 轮全部相同，没有差别。",
    ),
    "first": ("Round 1 differs already:", "第 1 轮就不同："),
    "same_first": (
        "Round 1 is the same; round 2 is the first that differs:",
        "第 1 轮相同，第 2 轮首次出现不同：",
    ),
    "same_until": (
        "Rounds 1 to {last} are the same; round {round} is the first that differs:",
        "第 1 至 {last} 轮相同，第 {round} 轮首次出现不同：",
    ),
    "same_tokens": (
        "Rounds 1 to {last} hand out the same tokens (from round {order_round} on not always in the same order);"
        " round {round} is the first that differs:",
        "第 1 至 {last} 轮分配的 token 相同（但从第 {order_round} 轮起次序不尽相同），第 {round} 轮首次出现不同：",
    ),
    "only_order": (
        "Every round hands out the same tokens; round {round} is the first that does so in another order:",
        "每一轮分配的 token 都相同，只是次序不同；第 {round} 轮首次出现次序不同：",
    ),
    "under": ("under {rule}:", "在 {rule} 下："),
    "round": ("Round {number}: ", "轮{number}："),
    "comma": (", ", "，"),
    "idle": ("nobody is served", "没有调度任何请求"),
    "no_round": ("(no round {number}: the run has ended)", "（没有第 {number} 轮：运行已结束）"),
    "list": (", ", "、"),
    "and_more": (" and {more} more", " 等（另有 {more} 个）"),
    "join": (" ", ""),
    "nothing": ("nothing", "0 个 token"),
    "why": ("Why they differ: ", "不同的原因："),
    "lead": (
        "in round {round} {name} gets {got} under {rule} and {other_got} under {other}, since ",
        "第 {round} 轮 {name} 在 {rule} 下分得 {got}，在 {other} 下分得 {other_got}。",
    ),
    "reason_batch_closed": (
        "the batch {batch} is closed: under {rule} nobody joins until all of it have finished.",
        "{rule} 的批次 {batch} 已封闭，其中的请求全部完成后才准入新请求。",
    ),
    "reason_batch_prefills": (
        "a batch decodes only when all of it have prefilled under {rule}, and {prefills} still prefill.",
        "{rule} 要等整个批次的 prefill 全部完成才开始 decode，而 {prefills} 仍在 prefill。",
    ),
    "reason_phases": (
        "{rule} never mixes phases in a step: any prefill that can run (here {prefills}) stops all decodes.",
        "{rule} 的一步里从不混合两个阶段，只要有 prefill 可以执行（此处为 {prefills}），所有 decode 都暂停。",
    ),
    "reason_decodes_uncounted": (
        "decodes do not count against the budget under {rule}: it hands out {spent} tokens at a budget of"
        " {other_budget}, while the budget of {budget} ends before {less} under {other}.",
        "{rule} 的 decode 不占预算，预算为 {other_budget} 时共分配 {spent} 个 token；而在 {other} 下，预算 {budget} 在分到 {less} 之前已用完。",
    ),
    "reason_preempted": (
        "the pool of {kv_blocks} blocks has too few free ones for all that run, and {rule} preempts {name}: its"
        " blocks are freed, and later it computes everything again that is not cached.",
        "{kv_blocks} 块的 KV 池中，空闲块不够所有运行中的请求使用，{rule} 抢占 {name} 并释放它的块，之后要重算未缓存的部分。",
    ),
    "reason_loop_ended": (
        "the pool of {kv_blocks} blocks is too small for all that run (preempted: {preempted}); a request that has"
        " to preempt itself ends the round for whoever runs behind it.",
        "{kv_blocks} 块的 KV 池不够所有运行中的请求使用（被抢占：{preempted}）；当一个请求只能抢占自己时，排在它后面的运行中的请求本轮都分不到 token。",
    ),
    "reason_no_admission": (
        "nobody is admitted in a round that preempts under {rule} (preempted: {preempted}, as the pool of"
        " {kv_blocks} blocks is too small for all that run).",
        "{rule} 在发生抢占的那一轮不准入任何请求（{kv_blocks} 块的 KV 池不够所有运行中的请求使用，被抢占：{preempted}）。",
    ),
    "reason_no_block": (
        "{name} needs {needed} more blocks, and {free} of the {kv_blocks} are free for it under {rule}.",
        "{name} 还需要 {needed} 块，而在 {rule} 下，{kv_blocks} 块中可供它使用的空闲块为 {free} 块。",
    ),
    "reason_gate": (
        "{rule} admits {name} only if all of its {known} tokens fit: that takes {needed} more blocks, and {free} of"
        " the {kv_blocks} are free, though what this round could compute takes only {chunk_blocks}.",
        "{rule} 要求放得下 {name} 的全部 {known} 个 token 才准入它，这还需要 {needed} 块，"
        "而 {kv_blocks} 块中空闲 {free} 块；若只放本轮能计算的部分，{chunk_blocks} 块就够。",
    ),
    "kept_free": (
        " The watermark keeps {watermark_blocks} of them free.",
        "此外 watermark 要求其中 {watermark_blocks} 块保持空闲。",
    ),
    "reason_watermark": (
        "{name} needs {needed} of the {free} free blocks, and the watermark keeps {watermark_blocks} of {kv_blocks}"
        " free when somebody joins those that run under {rule}.",
        "{name} 需要 {needed} 块，现有空闲块 {free} 块；而 {rule} 在已有请求运行时准入新请求，watermark 要求 {kv_blocks} 块中有 {watermark_blocks} 块保持空闲。",
    ),
    "reason_head_of_line": (
        "nobody overtakes {head}, which waits in front of it under {rule}, and ",
        "在 {rule} 下，等待中的请求不能越过排在前面的 {head}；",
    ),
    "reason_max_num_seqs": (
        "max_num_seqs {max_num_seqs} is reached under {rule}.",
        "{rule} 同时运行的请求数已达到 max_num_seqs {max_num_seqs}。",
    ),
    "reason_threshold": (
        "the long-prefill threshold under {rule} gives a request at most {threshold} tokens a round while others are"
        " there, and {name} still lacks {need}.",
        "有其他请求时，{rule} 的 long-prefill threshold 限定单个请求每轮最多分得 {threshold} 个 token，而 {name} 还需要 {need} 个。",
    ),
    "reason_chunking_off": (
        "chunked prefill is off under {rule}: {name} needs {need} tokens in one piece, and {left} of the budget are"
        " left.",
        "{rule} 关闭了 chunked prefill，{name} 须一次算完 {need} 个 token，而预算剩余 {left} 个。",
    ),
    "reason_first_only": (
        "only the first prefill of a step may be cut under {rule}: {name} needs {need} tokens, and {left} of the"
        " budget are left.",
        "{rule} 的一步里只有第一个 prefill 可以切分，{name} 需要 {need} 个 token，而预算剩余 {left} 个。",
    ),
    "reason_hit": (
        "{rule} found {tokens} tokens of {name} in its prefix cache (under {other}: {instead_of}), and these need"
        " not be computed.",
        "{name} 在 {rule} 的前缀缓存中命中 {tokens} 个 token（{other} 下为 {instead_of} 个），命中的部分无需计算。",
    ),
    "reason_external_hit": (
        "{tokens} tokens of {name} did not have to be computed under {rule}, {loaded} of them loaded from the"
        " external store (under {other}: {instead_of}).",
        "{name} 在 {rule} 下有 {tokens} 个 token 无需计算（{other} 下为 {instead_of} 个），其中 {loaded} 个从外部存储加载。",
    ),
    "reason_loading": (
        "{name} waits under {rule} for its KV to be loaded from the external store.",
        "{name} 在 {rule} 下等待从外部存储加载 KV。",
    ),
    "reason_unknown_answer": (
        "the external store cannot tell yet what it has of {name}, so {rule} steps over it.",
        "外部存储暂时无法确定有多少 {name} 的 KV，{rule} 先跳过它。",
    ),
    "reason_recompute": (
        "{rule} preempted {name} in round {round}, in which both handed out the same tokens: of its {known} known"
        " tokens it computes again what is not cached.",
        "{rule} 在第 {round} 轮抢占了 {name}（那一轮两条规则分配的 token 仍相同），它已知的 {known} 个 token 中，未缓存的部分要重算。",
    ),
    "reason_ended": ("{name} has ended under {rule}{how}.", "{name} 在 {rule} 下已经结束{how}。"),
    "FINISHED_STOPPED": (", at one of its stop tokens", "（遇到停止 token）"),
    "FINISHED_LENGTH_CAPPED": (
        ", at the end of what it asks for or of max_model_len {max_model_len}",
        "（达到请求的输出长度或 max_model_len {max_model_len}）",
    ),
    "FINISHED_ERROR": (", as its load failed", "（加载失败）"),
    "reason_budget": (
        "the budget of {budget} under {rule} ends before {less}; {other} has {other_budget}.",
        "{rule} 的预算 {budget} 在分到 {less} 之前已用完；{other} 的预算为 {other_budget}。",
    ),
    "by_order": (
        "the order of service decides who gets the budget of {budget}: {rule} serves {first} first ({order}),"
        " {other} serves {other_first} first ({other_order}).",
        "预算 {budget} 分给谁取决于调度次序：{rule} 先调度 {first}（{order}），{other} 先调度 {other_first}（{other_order}）。",
    ),
    "by_order_only": (
        "{rule} serves {first} first ({order}), {other} serves {other_first} first ({other_order}).",
        "{rule} 先调度 {first}（{order}），{other} 先调度 {other_first}（{other_order}）。",
    ),
    "decodes_first": ("decodes before prefills", "先 decode 后 prefill"),
    "prefills_first": ("prefills before decodes", "先 prefill 后 decode"),
    "priority": ("the smaller priority before the larger", "priority 数值小的在前"),
    "resumed_first": ("who was preempted waits in front", "被抢占的请求排在队首"),
    "running_first": ("who runs before who waits", "运行中的请求先于等待中的请求"),
    "admission_order": ("who runs, in the order of admission", "运行中的请求按准入次序"),
    "list_order": ("by arrival, then place in the list", "先按到达，再按列表位置"),
    "reason_order": (
        "the order of service differs; no single rule of the two can be shown to decide.",
        "调度次序不同，但无法归因于两者中的某一条规定。",
    ),
    "reason_idle": (
        "the run under {rule} goes on without serving anybody: it waits for what comes from outside.",
        "{rule} 的运行仍在继续，但本轮没有调度任何请求，它在等待外部的结果。",
    ),
    "reason_cut_off": (
        "the run under {rule} was cut off after round {rounds}, with {unfinished} unfinished.",
        "{rule} 的运行到第 {rounds} 轮截止，{unfinished} 未完成。",
    ),
    "reason_stuck": (
        "under {rule} nothing can change any more after round {rounds}: {unfinished} would wait for ever.",
        "在 {rule} 下，第 {rounds} 轮之后状态不再变化，{unfinished} 将永远等待。",
    ),
    "caption": ("Rounds waited, and the last round served, under each rule:", "两条规则下的等待轮数与末轮："),
    "columns": (
        "request|waited, {rule}|waited, {other}|difference|last, {rule}|last, {other}",
        "请求|等待 {rule}|等待 {other}|差|末轮 {rule}|末轮 {other}",
    ),
    "more_requests": (
        "... and {more} more requests (all of them with --json)",
        "……另有 {more} 个请求（用 --json 查看全部）",
    ),
    "paid": (
        "Under {other} these pay with more rounds of waiting than under {rule}: {names}.",
        "与 {rule} 相比，{other} 下等待变长的请求（轮数变化）：{names}。",
    ),
    "gained": ("Under {other} these wait less: {names}.", "{other} 下等待变短的请求（轮数变化）：{names}。"),
    "nobody_paid": (
        "Nobody waits a round more or less under {other}.",
        "{other} 下所有请求的等待轮数都不变。",
    ),
    "ends": (
        "The last round comes later or sooner under {other} for: {names}.",
        "{other} 下末轮的变化（轮）：{names}。",
    ),
    "unfinished": (
        "Unfinished under {rule} after round {rounds}: {names}; what they wait after that is not counted.",
        "{rule} 下到第 {rounds} 轮仍未完成的请求：{names}；此后的等待不计入。",
    ),
}
