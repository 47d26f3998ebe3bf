"""Texts of `capacity log`: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "LOG": ("the start-up log, or - for standard input", "启动日志文件，- 表示标准输入"),
    "--config": ("the model's Hugging Face config.json", "该模型的 Hugging Face config.json"),
    "--model": ("a built-in model, as in capacity", "内置模型，名称与 capacity 的相同"),
    "--tp": ("tensor-parallel ranks, if the log does not say", "张量并行的 rank 数（日志没写时）"),
    "--pp": ("pipeline stages, if the log does not say", "流水线阶段数（日志没写时）"),
    "--dcp": (
        "decode context parallel ranks, if the log does not say",
        "decode 上下文并行的 rank 数（日志没写时）",
    ),
    "--kv-dtype": ("dtype of K and V", "K 与 V 的 dtype"),
    "--block-size": ("tokens a block", "每块 token 数"),
    "--max-model-len": ("tokens of the longest request", "最长请求的 token 数"),
    "--max-num-batched-tokens": ("token budget of a step", "每步的 token 预算"),
    "--async-scheduling": ("async scheduling was on", "开启了异步调度"),
    "--prefix-caching": ("prefix caching was on", "开启了前缀缓存"),
    "--swap-space": ("CPU swap space of a V0 engine (4GiB)", "V0 引擎的 CPU 交换空间（4GiB）"),
    "--gpu": ("memory of the GPU, with a unit", "GPU 的显存，须带单位"),
    "--utilization": ("share of it that the engine may take", "引擎可用的显存比例"),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "capacity log: {path} (lines: {lines}); engine generation {generation}; {model}.",
        "capacity log：{path}（{lines} 行）；引擎版本：{generation}；{model}。",
    ),
    "unknown": ("not told by the log", "日志看不出"),
    "no_model": ("no config to hold it against", "没有可对照的 config"),
    "of_model": ("held against {name}", "对照 {name}"),
    "starts": (
        "The file holds {starts} starts; the last one is read.",
        "文件里有 {starts} 次启动，只读最后一次。",
    ),
    "printed_head": ("\nPrinted (measured: read from the log)", "\n日志值（measured：从日志读出）"),
    "printed_columns": ("figure|value|line", "名称|值|行"),
    "more_printed": ("  ... and {more} more: --json lists all", "  ……另有 {more} 项（用 --json 查看全部）"),
    "ranks": (
        "  {count} ranks print {smallest} to {largest} GiB: the smallest decides",
        "  {count} 个 rank 的日志值从 {smallest} 到 {largest} GiB：以最小者为准",
    ),
    "engines": (
        "  {count} engines side by side (data parallel): the figures are one engine's, the fleet has {count} times as much",
        "  数据并行，{count} 个引擎：以上是一个引擎的数值，合计为 {count} 倍",
    ),
    "budget_head": ("\nMemory of one GPU, in GiB (model)", "\n一张 GPU 的显存，单位 GiB（model）"),
    "budget_share": (
        "  {total} x {share}{told} = {product}{agrees}",
        "  {total} x {share}{told} = {product}{agrees}",
    ),
    "budget_default": (" (the default, not told)", "（默认值，日志没写）"),
    "budget_part": ("  - {size} {name}", "  - {size} {name}"),
    "budget_kv": ("  = {size} for KV{agrees}", "  = {size} 用于 KV{agrees}"),
    "budget_other": (
        "  - {kv} KV, as printed\n  = {size} for the rest: activations, graphs, other",
        "  - {kv} KV（日志值）\n  = {size} 其他开销：激活、CUDA graph 等",
    ),
    "agrees": ("; the log says {printed}: agrees", "；日志写 {printed}：一致"),
    "disagrees": ("; the log says {printed}: does NOT agree", "；日志写 {printed}：不一致"),
    "checks_head": (
        "\nChecks (counted where one number is allowed, model where a rounded figure leaves a range)",
        "\n核对（counted：只允许一个值；model：日志值经过舍入，允许一个范围）",
    ),
    "check_columns": ("figure|printed|allowed|holds", "名称|日志值|允许值|一致"),
    "yes": ("yes", "是"),
    "no": ("no", "否"),
    "from_to": ("{low} to {high}", "{low} 至 {high}"),
    "figures_head": (
        "\nFigures (model: by formula from the config and the log)",
        "\n计算值（model：由 config 与日志按公式算出）",
    ),
    "figure_columns": ("figure|value|meaning", "名称|值|含义"),
    "assumptions_head": (
        "\nAssumed, since the log does not say it, and without it the figures do not come out",
        "\n假设（日志没写，不这样假设就对不上）",
    ),
    "assumption_columns": ("assumption|value|effect", "假设|值|影响"),
    "alternatives": (
        "  as well possible: {others}. Give the option if you know.",
        "  同样说得通：{others}。已知实际值时，请用选项写明。",
    ),
    "failures_head": ("\nThe start failed", "\n启动失败"),
    "failure": ("  line {line}: {text}", "  第 {line} 行：{text}"),
    "cause": ("    cause: {cause}", "    原因：{cause}"),
    "remedy": ("    remedy: {remedy}", "    处理：{remedy}"),
    "more_failures": ("  ... and {more} more lines of the kind", "  ……另有 {more} 行同类错误"),
    "verdict": ("\nverdict: {verdict}", "\n结论：{verdict}"),
    "why": ("\nWhy: ", "\n原因："),
    "join": ("; ", "；"),
    "stop": (".", "。"),
    "why_exact": (
        "the rules leave one number for each, and the log has it: {named}",
        "按规则每项只能是一个数，日志印的正是它：{named}",
    ),
    "why_within_rounding": (
        "a printed size is rounded, so {numbers} may lie from {low} to {high}; the printed {value} lies inside",
        "日志里的内存大小经过舍入，所以 {numbers} 可以是 {low} 到 {high}；日志值 {value} 在其中",
    ),
    "why_identity_only": (
        "there is nothing to compute memory from, or no config to compute with: only relations between the printed"
        " numbers can be checked",
        "日志没有可用于计算的内存大小，或没有给出 config：只能核对日志各值之间的关系",
    ),
    "why_identity_apart": (
        "{tokens} / {max_len} = {naive} is not the printed concurrency {concurrency}: a model with groups, windows or"
        " states logs its two lines by different rules; its config tells",
        "{tokens} / {max_len} = {naive} 与日志的并发 {concurrency} 不同：有分组、窗口或状态的模型，两行按不同规则计算，给出 config 即可核对",
    ),
    "why_older": (
        "the token line counts floor({blocks} blocks / {groups} groups) x {size} tokens = {tokens}, as if a request"
        " took a block in every group for each {size} tokens; the concurrency line divides {blocks} blocks by the {request} that a request of"
        " {max_len} tokens takes, {concurrency}. So {tokens} / {max_len} = {naive} is no concurrency; for usable"
        " tokens multiply concurrency by the length: {usable}",
        "token 行是 floor({blocks} 块 / {groups} 组) x {size} token = {tokens}，相当于请求每 {size} token 在每组各占一块；"
        "并发行用 {blocks} 块除以一个 {max_len} token 请求占用的 {request} 块，得 {concurrency}。"
        "所以 {tokens} / {max_len} = {naive} 不是并发；可用的 token 数是并发乘以长度：{usable}",
    ),
    "why_newer": (
        "a request of {max_len} tokens takes {request} blocks of {blocks}, and the token line is"
        " floor({blocks} / {request} x {max_len}) = {tokens}: it changes with max_model_len although memory does not",
        "一个 {max_len} token 的请求占 {blocks} 块中的 {request} 块，token 行是 floor({blocks} / {request} x {max_len})"
        " = {tokens}：即使 KV 内存不变，它也随 max_model_len 改变",
    ),
    "why_refusal": (
        "{available} GiB is rounded, and in whole blocks of {block} tokens it holds a request of {range} tokens; the"
        " printed {estimate} is one",
        "{available} GiB 经过舍入，按每块 {block} token 的整块计，放得下的最长请求为 {range} token；日志值 {estimate} 在其中",
    ),
    "why_refusal_blocks": (
        "blocks of 16 would give {low} to {high}, so the estimate tells the block size",
        "若每块 16 token，则为 {low} 到 {high}，所以由这个估计值可知块大小",
    ),
    "why_two_points": (
        "needed / length and available / estimate give {low} and {high} bytes per token: a request has a fixed part of"
        " {fixed} GiB beside {slope} bytes per token, so one ratio must not be extrapolated",
        "“所需 / 长度”与“可用 / 估计长度”得出每 token {low} 与 {high} 字节，并不相等：一个请求除每 token {slope} 字节外，还有"
        " {fixed} GiB 的固定部分，所以不能按单一比例外推",
    ),
    "why_head_dim": (
        "the print comes out with hidden size / query heads = {value} as head dim, the config's own is {own}",
        "head dim 取 hidden size / query head 数 = {value} 时，与日志值一致；config 自己写的是 {own}",
    ),
    "why_unexplained": (
        "none of the deployments that were tried (ranks, dtype, blocks, groups, both meanings of the token line) makes"
        " the printed figures come out; the log may be another model's, or an option not its own",
        "试过的各种部署（rank 数、dtype、块、分组、token 行的两种含义）都算不出日志值：请确认日志是否属于该模型、选项是否与它相符",
    ),
    "why_swap": (
        "the CPU blocks go with a swap space of {size} GiB, not with the default 4 GiB",
        "由 CPU 块数看，交换空间是 {size} GiB，而不是默认的 4 GiB",
    ),
    "why_label": (
        "weights are labelled GB and are GiB: {gib} GiB = {gb} GB",
        "日志里权重的单位写作 GB，实为 GiB：{gib} GiB = {gb} GB",
    ),
    "why_negative": (
        "the budget for KV is negative: that is 0 blocks, and no request can be served",
        "KV 预算为负，即 0 块，无法服务任何请求",
    ),
    "why_unfit": (
        "{tokens} tokens are fewer than the longest request of {max_len}: the engine refuses to start",
        "KV 池只有 {tokens} token，放不下 {max_len} token 的最长请求：引擎拒绝启动",
    ),
    "why_larger_gpu": (
        "weights and KV are more than {total} GiB: the log is of a larger GPU",
        "权重与 KV 合计超过 {total} GiB：这份日志来自更大的 GPU",
    ),
    "why_utilization": (
        "weights and KV fill {least} of the GPU, far less than the usual share of {share}: probably the utilization was"
        " lower, and no less than that",
        "权重与 KV 只占 GPU 的 {least}，远低于通常的份额 {share}：利用率很可能更低，但不会低于它",
    ),
    "why_more_than_share": (
        "weights and KV fill {least} of the GPU, more than the share of {share}: the utilization was at least that",
        "权重与 KV 占 GPU 的 {least}，超过了份额 {share}：利用率至少是它",
    ),
    "not_shown": (
        "\nDoes not show: what else the profile run measured, other engines' logs, starts mixed up in one file, whether"
        " the config is the log's own. With several engines (data parallel) the figures are one engine's. A guess that"
        " comes out is not proved: options pin what you know.",
        "\n未展示：profile 运行的中间测量值、其他引擎的日志、几次启动混在一起的日志、config 是否真属于这份日志。数据并行有多个引擎，"
        "这里的数值只属于其中一个。猜测对得上，不等于已经证实：已知的设置请用选项写明。",
    ),
    "next_config": (
        "Next: hold it against the model's file with --config FILE; every figure at once:"
        " python3 inference_lab.py capacity log {path} --json",
        "下一步：加上 --config FILE，与模型的 config 对照；查看全部数值：python3 inference_lab.py capacity log {path} --json",
    ),
    "next_fit": (
        "Next: python3 inference_lab.py capacity fit {options}",
        "下一步：python3 inference_lab.py capacity fit {options}",
    ),
    "next_pin": (
        "Next: every figure at once: python3 inference_lab.py capacity log {path} --json",
        "下一步：查看全部数值：python3 inference_lab.py capacity log {path} --json",
    ),
}

# name of a figure, or its beginning where the rest is a number: what it means
MEANINGS: dict[str, tuple[str, str]] = {
    "block_bytes": ("bytes of a block on one GPU", "一个块在一张 GPU 上的字节数"),
    "block_bytes_fp8": ("the same, KV in fp8", "同上，KV 为 fp8"),
    "cpu_blocks": ("floor(swap space / block bytes)", "floor(交换空间 / 块字节数)"),
    "gpu_blocks": ("blocks on each GPU", "每张 GPU 的块数"),
    "tokens": ("tokens that the blocks hold", "这些块能存的 token 数"),
    "gpu_kv_gib": ("GPU blocks x block bytes", "GPU 块数 x 块字节数"),
    "kv_gib": ("KV memory of one GPU", "一张 GPU 的 KV 内存"),
    "kv_gib_all_gpus": ("KV memory of all ranks", "所有 rank 的 KV 内存"),
    "budget_gib": ("total x utilization", "总显存 x 利用率"),
    "concurrency": ("requests of max_model_len at once", "长度为 max_model_len 的请求的并发数"),
    "fits": ("whether one longest request fits", "能否放下一个最长请求"),
    "bytes_per_token_per_gpu": ("bytes a token leaves on one GPU", "每 token 在一张 GPU 上的字节数"),
    "bytes_per_token": ("needed / max_model_len", "所需 / max_model_len"),
    "tokens_from_printed_gib": ("what the rounded memory may hold", "舍入后的 KV 内存可能存下的 token 数"),
    "num_blocks": ("blocks that make all lines come out", "使日志各行都对得上的块数"),
    "num_blocks_range": (
        "all numbers of blocks that come out; figures are the smallest's",
        "对得上的全部块数；其余计算值取最小者",
    ),
    "num_blocks_inferred": ("the same, from the lines alone", "同上，只由日志各行推出"),
    "blocks_per_request": ("blocks of a longest request", "一个最长请求占用的块数"),
    "tokens_by_concurrency": (
        "floor(num_blocks / blocks_per_request x max_model_len)",
        "floor(num_blocks / blocks_per_request x max_model_len)",
    ),
    "kv_gib_if_total_mistaken_for_per_gpu": (
        "KV memory of all GPUs, easily taken for one GPU's",
        "所有 GPU 合计的 KV 内存，易误作一张 GPU 的",
    ),
    "tokens_over_": ("tokens of one rank's share of the sequence", "一个 rank 分到的 token 数"),
    "blocks_of_": ("blocks on each GPU", "每张 GPU 的块数"),
    "wrong_if_split_by_tp": (
        "wrong: as if ranks shared a latent out",
        "错误算法：当作各 rank 分摊隐向量",
    ),
    "wrong_if_mha": ("wrong: as if all heads were stored", "错误算法：当作存了全部 query head"),
    "groups": ("KV cache groups", "KV cache 组数"),
    "block_size": ("tokens of an attention block", "attention 块的 token 数"),
    "state_blocks_per_group": ("blocks of a request in a group of states", "一个请求在每个状态组占用的块数"),
    "tokens_line": ("the token line by its definition", "按其定义算出的 token 行"),
    "naive_concurrency": ("token line / max_model_len", "token 行 / max_model_len"),
    "naive_tokens": ("every layer charged for every token", "每层都按全部 token 计时的 token 数"),
    "naive_bytes_per_token": ("needed / length, available / estimate", "所需 / 长度，可用 / 估计长度"),
    "slope": ("bytes per token of a growing request", "请求每增加一个 token 的字节数"),
    "fixed_gib": ("fixed part of a request", "请求的固定部分"),
    "needed_gib": ("a longest request", "一个最长请求所需的 KV 内存"),
    "estimated_range": ("longest request in the rounded memory", "舍入后的 KV 内存放得下的最长请求"),
    "estimates_by_block": ("the same, by block size", "同上，按块大小分列"),
}

# effect of an assumption
EFFECTS: dict[str, tuple[str, str]] = {
    "tp": ("KV heads are split among so many ranks", "KV head 分给这么多 rank"),
    "kv_dtype": ("bytes of a KV element", "KV 元素的字节数"),
    "dcp": ("ranks share the sequence out: tokens are multiplied", "各 rank 分摊序列：token 数成倍增加"),
    "block_size": ("tokens are counted in blocks of this size", "token 按这个大小的块计数"),
    "hybrid_groups": ("layers of different kinds have block tables of their own", "不同类型的层各有块表"),
    "token_definition": (
        "older: every layer charged; newer: concurrency x max_model_len",
        "older：每层都按全部 token 计；newer：并发 x max_model_len",
    ),
    "max_num_batched_tokens": ("windows keep blocks for tokens in flight", "有窗口的层要为在途 token 留块"),
    "async_scheduling": ("one more step is in flight", "多一步在途"),
    "state_blocks_per_group": (
        "1 state a request, 2 with prefix caching",
        "每个请求 1 个状态，开启前缀缓存时 2 个",
    ),
    "windows_in_full": ("layers with a window are charged in full", "有窗口的层按全长计"),
    "smallest_rank": ("GiB of the rank that decides", "起决定作用的 rank 的 GiB 数"),
    "swap_space_gib": ("in place of the default 4 GiB", "代替默认的 4 GiB"),
    "fixed_gib": ("GiB that a request takes whatever its length", "一个请求固定占用的 GiB 数，与长度无关"),
    "added_up_by_layer": (
        "as older engines do, without the padding of groups",
        "按旧引擎的做法逐层相加，不计组的补齐",
    ),
    "head_dim": ("in place of the config's own", "代替 config 自己的值"),
}

# kind of failure: what it comes from
CAUSES: dict[str, tuple[str, str]] = {
    "tp_heads": (
        "the query heads cannot be split evenly among so many tensor-parallel ranks",
        "query head 不能均分到这么多张量并行 rank",
    ),
    "length_too_long": (
        "--max-model-len is longer than the model's config says",
        "--max-model-len 超过了模型 config 写的长度",
    ),
    "extension_missing": (
        "the compiled extension (vllm._C) is not built or does not go with this torch",
        "编译扩展（vllm._C）没有构建，或与当前的 torch 不匹配",
    ),
    "oom_profile": (
        "out of memory while weights were loaded or the profile run was under way",
        "加载权重或 profile 运行时显存不足",
    ),
    "oom_graph": (
        "out of memory while graphs were captured",
        "捕获 CUDA graph 时显存不足",
    ),
    "compiling": (
        "the log ends while the model is compiled: the first compilation takes 30 to 300 s",
        "日志停在编译阶段：首次编译需要 30 到 300 s",
    ),
    "nccl": (
        "tensor-parallel ranks cannot talk to each other (NCCL)",
        "张量并行的各 rank 之间无法通信（NCCL）",
    ),
    "kv_refusal": (
        "one request of max_model_len does not fit into the KV memory",
        "KV 内存放不下一个 max_model_len 的请求",
    ),
    "no_kv_memory": (
        "weights and activations take the whole share: nothing is left for KV",
        "权重与激活占满了引擎可用的显存，没有留给 KV 的",
    ),
    "memory_not_free": (
        "another process holds memory of this GPU",
        "别的进程占用了这张 GPU 的显存",
    ),
    "engine_core_failed": (
        "the engine's process ended; the reason stands further up in the log",
        "引擎进程已退出；原因在日志的前文",
    ),
}

# kind of failure: what to do
REMEDIES: dict[str, tuple[str, str]] = {
    "tp_heads": (
        "choose a --tensor-parallel-size that divides the query heads, and use --pipeline-parallel-size for the rest",
        "选择能整除 query head 数的 --tensor-parallel-size，其余用 --pipeline-parallel-size",
    ),
    "length_too_long": (
        "lower --max-model-len, or scale the rotary embedding on purpose (VLLM_ALLOW_LONG_MAX_MODEL_LEN)",
        "调低 --max-model-len，或明确放开并缩放旋转位置编码（VLLM_ALLOW_LONG_MAX_MODEL_LEN）",
    ),
    "extension_missing": (
        "install the precompiled build, in a fresh environment, with the torch that it names",
        "在全新的环境里安装预编译版本，torch 用它指定的版本",
    ),
    "oom_profile": (
        "lower --gpu-memory-utilization or --max-num-batched-tokens, or use more ranks or smaller weights",
        "调低 --gpu-memory-utilization 或 --max-num-batched-tokens，或增加 rank、换用更小的权重",
    ),
    "oom_graph": (
        "lower --gpu-memory-utilization, or run without graphs: --enforce-eager (slower decode)",
        "调低 --gpu-memory-utilization，或用 --enforce-eager 关闭 CUDA graph（decode 变慢）",
    ),
    "compiling": (
        "wait; later starts use the cache. Or lower the compilation level, or --enforce-eager",
        "等它完成，之后的启动会用缓存；也可降低编译级别，或用 --enforce-eager",
    ),
    "nccl": (
        "set NCCL_DEBUG=INFO and check links, interfaces and shared memory",
        "设置 NCCL_DEBUG=INFO，检查链路、网卡与共享内存",
    ),
    "kv_refusal": (
        "lower --max-model-len to the estimate, or raise --gpu-memory-utilization, add ranks, or KV in fp8",
        "把 --max-model-len 调低到估计值，或提高 --gpu-memory-utilization、增加 rank、KV 改用 fp8",
    ),
    "no_kv_memory": (
        "raise --gpu-memory-utilization, or use more ranks, smaller weights or fewer batched tokens",
        "提高 --gpu-memory-utilization，或增加 rank、换用更小的权重、调低 --max-num-batched-tokens",
    ),
    "memory_not_free": (
        "stop it, or lower --gpu-memory-utilization to what is free",
        "停掉那个进程，或把 --gpu-memory-utilization 调低到空闲显存的比例",
    ),
    "engine_core_failed": (
        "paste the log from its beginning",
        "请从头粘贴日志",
    ),
}
