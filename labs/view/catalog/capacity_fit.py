"""Texts of `capacity fit`: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "--config": ("a Hugging Face config.json", "Hugging Face 的 config.json"),
    "--model": ("a built-in model, as in capacity", "内置模型，名称与 capacity 的相同"),
    "--tp": ("tensor-parallel ranks (1)", "张量并行的 rank 数（1）"),
    "--pp": ("pipeline stages (1)", "流水线阶段数（1）"),
    "--pp-partition": (
        "layers of each stage, such as 16,32 (even shares)",
        "各阶段的层数，如 16,32（默认均分）",
    ),
    "--dcp": (
        "decode context parallel ranks, among those of --tp (1)",
        "decode 上下文并行的 rank 数，包含在 --tp 之内（1）",
    ),
    "--kv-dtype": ("dtype of K and V (bfloat16)", "K 与 V 的 dtype（bfloat16）"),
    "--state-dtype": (
        "dtype of linear states (as the config or its class says)",
        "线性 attention 层状态的 dtype（默认按 config 或模型类）",
    ),
    "--block-size": ("tokens a block (16)", "每块 token 数（16）"),
    "--max-model-len": (
        "tokens of the longest request; auto: the longest that fits (the config's)",
        "最长请求的 token 数；auto：放得下的最大长度（默认取 config 的长度）",
    ),
    "--max-num-batched-tokens": ("token budget of a step (8192)", "每步的 token 预算（8192）"),
    "--async-scheduling": (
        "one more step under way at once: more tokens in flight (off)",
        "异步调度：多一步在途，在途 token 随之增多（默认关）",
    ),
    "--prefix-caching": (
        "linear layers keep 2 state blocks a request, 1 without (on)",
        "前缀缓存：线性 attention 层每个请求保留 2 个状态块，关闭时为 1 个（默认开）",
    ),
    "--gpu": (
        "memory of a GPU, with a unit: once, or once a rank",
        "每张 GPU 的显存，须带单位：给一个值，或每个 rank 各给一个",
    ),
    "--utilization": ("share of it that the engine may take (0.9)", "引擎可用的显存比例（0.9）"),
    "--weights": (
        "weights on one GPU, as a log's `Model loading took` has it (none)",
        "一张 GPU 上的权重，即日志中 Model loading took 的值（默认无）",
    ),
    "--overhead": (
        "what else is not KV on one GPU: activations, graphs, other (none)",
        "一张 GPU 上 KV 之外的其他开销：激活、CUDA graph 等（默认无）",
    ),
    "--kv-memory": (
        "memory for KV as it is, in place of --gpu, --utilization, --weights and --overhead",
        "直接给出 KV 内存，代替 --gpu、--utilization、--weights 和 --overhead",
    ),
    "--num-gpu-blocks-override": ("blocks to allocate, whatever the memory", "直接指定块数，不看显存"),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "capacity fit: what vLLM 0.32.0 would allocate. {name}: {layers} layers, {cached} of them cached;"
        " tp {tp}, pp {pp}, dcp {dcp}; KV in {dtype} ({bytes} B/element).",
        "capacity fit：vLLM 0.32.0 会怎样分配 KV cache。{name}：{layers} 层，其中 {cached} 层有缓存；"
        "tp {tp}，pp {pp}，dcp {dcp}；KV 为 {dtype}（{bytes} B/元素）。",
    ),
    "memory_head": (
        "\nMemory of one rank (measured: given by you or the course; model: by formula)",
        "\n单个 rank 的显存（measured：你或课程给出的值；model：按公式）",
    ),
    "memory_given": ("  measured  {who}: KV memory {size}", "  measured  {who}：KV 内存 {size}"),
    "memory_gpu": (
        "  measured  {who}: GPU {gpu}, weights {weights}, overhead {overhead}",
        "  measured  {who}：GPU {gpu}，权重 {weights}，其他开销 {overhead}",
    ),
    "memory_budget": (
        "  model     ceil({gpu} B x {share}) - {weights} B - {overhead} B = {available} B = {size} for KV",
        "  model     ceil({gpu} B x {share}) - {weights} B - {overhead} B = {available} B = {size} 用于 KV",
    ),
    "memory_override": (
        "  model     --num-gpu-blocks-override: {blocks} blocks are planned for, whatever the memory",
        "  model     --num-gpu-blocks-override：按 {blocks} 块规划，不看显存",
    ),
    "each": ("every rank", "每个 rank"),
    "rank": ("rank {rank} (stage {stage})", "rank {rank}（阶段 {stage}）"),
    "more_ranks": (
        "  ... and {more} more ranks: --json lists all",
        "  ……另有 {more} 个 rank（用 --json 查看全部）",
    ),
    "pages_head": (
        "\nPages: one block of one layer on one rank (model)",
        "\n页：一层的一个块在一个 rank 上的大小（model）",
    ),
    "page_full": (
        "  {count} x {kind}: {block} tokens x {heads} KV heads x ({k} + {v}) x {bytes} B = {page} B{changed}",
        "  {count} x {kind}：{block} token x {heads} KV head x ({k} + {v}) x {bytes} B = {page} B{changed}",
    ),
    "page_latent": (
        "  {count} x {kind}: {block} tokens x {latent} B of latent, not split among ranks = {page} B{changed}",
        "  {count} x {kind}：{block} token x 隐向量 {latent} B（不按 rank 切分）= {page} B{changed}",
    ),
    "page_state": (
        "  {count} x linear ({state}): a state of {own} B, whatever the length, in a page of {page} B",
        "  {count} x linear（{state}）：状态 {own} B，与长度无关，放在 {page} B 的页里",
    ),
    "page_padded": (", padded to {page} B", "，补齐到 {page} B"),
    "block_enlarged": (
        "  an attention block grows to {block} tokens, until its page covers the state:"
        " {align} x ceil({own} / ({align} x {per_token})) = {block}",
        "  attention 块增大到 {block} token，一页才放得下一个状态：{align} x ceil({own} / ({align} x {per_token})) = {block}",
    ),
    "groups_head": (
        "\nGroups share one pool; a request takes blocks in each (counted)",
        "\n各组共用一个 KV 池；一个请求在每组都要占块（counted）",
    ),
    "group_columns": (
        "group|layers|kind|tokens a block|blocks of {max_len} tokens",
        "组|层数|类型|每块 token 数|{max_len} token 占用的块数",
    ),
    "group_layers": ("{layers} + {padding} padding", "{layers} + 补齐 {padding}"),
    "same_groups": ("{first} to {last}", "{first} 至 {last}"),
    "of_full": ("ceil({max_len}/{block}) = {blocks}", "ceil({max_len}/{block}) = {blocks}"),
    "of_shared_out": (
        "ceil(ceil({max_len}/{dcp})/{block}) = {blocks}",
        "ceil(ceil({max_len}/{dcp})/{block}) = {blocks}",
    ),
    "of_sliding": (
        "ceil(min({window} - 1 + {in_flight}, {max_len})/{block}) + 1 = {blocks}",
        "ceil(min({window} - 1 + {in_flight}, {max_len})/{block}) + 1 = {blocks}",
    ),
    "of_chunked": (
        "ceil(min({window} + {in_flight}, {max_len})/{block}) = {blocks}",
        "ceil(min({window} + {in_flight}, {max_len})/{block}) = {blocks}",
    ),
    "of_linear": ("{blocks}: the state, fixed", "{blocks}：状态，固定"),
    "result_head": ("\nBlocks (model)", "\n块（model）"),
    "block_bytes": (
        "  {who}: bytes of a block, all layers of its largest group: {bytes} B; floor({available} / {bytes}) = {blocks} blocks",
        "  {who}：一个块 {bytes} B（最大一组的各层之和）；floor({available} / {bytes}) = {blocks} 块",
    ),
    "smallest": (
        "  the smallest rank decides for all: {blocks} blocks",
        "  各 rank 以最小者为准：{blocks} 块",
    ),
    "request_blocks": (
        "  blocks of one request of {max_len} tokens: {sum}",
        "  一个 {max_len} token 的请求占用的块数：{sum}",
    ),
    "concurrency": (
        "  max concurrency: {blocks} / {request} = {concurrency}; tokens: floor({concurrency_exact} x {max_len}) = {tokens}",
        "  最大并发：{blocks} / {request} = {concurrency}；token 数：floor({concurrency_exact} x {max_len}) = {tokens}",
    ),
    "in_flight": (
        "  tokens in flight: {batched} batched x {steps} steps under way = {in_flight}",
        "  在途 token：每步 {batched} x 同时在途 {steps} 步 = {in_flight}",
    ),
    "rounded_down": (
        "  (by hand the last is {exact}: the engine multiplies in floating point and cuts off)",
        "  （手算最后一步是 {exact}：引擎用浮点数相乘再截断）",
    ),
    "from_to": ("{low} to {high}", "{low} 至 {high}"),
    "fit_check": (
        "  fit check: {request} blocks x {bytes} B <= {available} B - 1 null block of {bytes} B: {holds}",
        "  能否放下：{request} 块 x {bytes} B <= {available} B - 1 个 null 块（{bytes} B）：{holds}",
    ),
    "yes": ("yes", "成立"),
    "no": ("no", "不成立"),
    "auto": (
        "  auto-fit: max_model_len shortened from {most} to {max_len}",
        "  自动适配：max_model_len 从 {most} 缩短到 {max_len}",
    ),
    "per_token": (
        "\nKV per token: {gpu} per GPU, {all} on all GPUs",
        "\n每 token KV：每张 GPU {gpu}，所有 GPU 合计 {all}",
    ),
    "per_request": (
        "KV of one request of {max_len} tokens: {gpu} per GPU, {all} on all GPUs",
        "一个 {max_len} token 请求的 KV：每张 GPU {gpu}，所有 GPU 合计 {all}",
    ),
    "pool": (
        "KV pool: {blocks} blocks, {gpu} per GPU, {all} on all GPUs",
        "KV 池：{blocks} 块，每张 GPU {gpu}，所有 GPU 合计 {all}",
    ),
    "fits": (
        "fits: yes, {concurrency} requests of {max_len} tokens at once",
        "能放下：同时 {concurrency} 个 {max_len} token 的请求",
    ),
    "fits_not": (
        "fits: no, one request of {max_len} tokens needs {needed} and there are {usable} beside the null block",
        "放不下：一个 {max_len} token 的请求需要 {needed}，扣除 null 块后只有 {usable}",
    ),
    "estimate": (
        "longest request that would fit: {estimate} tokens",
        "放得下的最长请求：{estimate} token",
    ),
    "no_estimate": ("longest request that would fit: none", "放得下的最长请求：没有"),
    "log": ("the engine's line: {line}", "引擎的日志行：{line}"),
    "why": ("\nWhy: ", "\n原因："),
    "why_plain": (
        "all {layers} layers keep every token, so one group has one block table, and tokens = {blocks} blocks x"
        " {block}{shared} = {slots} while a longest request fills its blocks.",
        "全部 {layers} 层都保留每个 token，所以只有一组、一张块表；最长请求填满它的每一块时，token 数 = {blocks} 块 x {block}{shared} = {slots}。",
    ),
    "why_partial": (
        "all {layers} layers keep every token; a request of {max_len} tokens leaves {empty} slots of its last"
        " block empty, so the line says {tokens} tokens while the pool has {slots} slots.",
        "全部 {layers} 层都保留每个 token；{max_len} token 的请求在最后一块空出 {empty} 个 slot，"
        "所以日志写 {tokens} token，而 KV 池有 {slots} 个 slot。",
    ),
    "why_groups": (
        "a request takes {request} blocks, {parts}; charging every layer for all {max_len} tokens would take {naive} blocks."
        " {blocks} blocks x {block} tokens = {slots} is therefore no token count.",
        "一个请求占 {request} 块：{parts}；若每层都按全部 {max_len} token 计，则要 {naive} 块。"
        "因此 {blocks} 块 x {block} token = {slots} 不是 token 数。",
    ),
    "why_unfit": (
        "one request of {max_len} tokens fills {request} blocks; of {blocks} the engine keeps one back, the null block,"
        " so {usable} are left for requests.",
        "一个 {max_len} token 的请求要占 {request} 块；KV 池共 {blocks} 块，扣除引擎自留的 null 块，请求可用 {usable} 块。",
    ),
    "why_no_blocks": (
        "one request of {max_len} tokens fills {request} blocks, and there is none to spare: the memory for KV holds"
        " {blocks}, of which the engine keeps one back.",
        "一个 {max_len} token 的请求要占 {request} 块，而 KV 内存只放得下 {blocks} 块，其中一块由引擎自留。",
    ),
    "why_shared_out": (" x {dcp} ranks that share the sequence out", " x 分摊序列的 {dcp} 个 rank"),
    "part_full": ("{blocks} that grow with its length", "{blocks} 块随长度增长"),
    "part_window": (
        "{blocks} of layers that forget (their windows and the {in_flight} tokens in flight)",
        "{blocks} 块属于有窗口的层（窗口内的 token 加上 {in_flight} 个在途 token）",
    ),
    "part_state": ("{blocks} of states", "{blocks} 块存放状态"),
    "join_parts": (", ", "，"),
    "why_replicated": (
        " With tp {tp}, {heads} KV heads are copied: each rank holds {per_rank} in full, so more ranks save no KV.",
        "tp 为 {tp} 时，{heads} 个 KV head 要复制：每个 rank 存完整的 {per_rank} 个，再加 rank 也不省 KV。",
    ),
    "why_latent": (
        " A latent has no heads to share out: each of {tp} ranks holds all of it.",
        "隐向量没有 head 可分：{tp} 个 rank 各存一整份。",
    ),
    "why_smallest": (
        " Rank {rank} has the fewest blocks; what the others could hold beyond {blocks} stays unused.",
        "rank {rank} 的块最少；其他 rank 超出 {blocks} 块的部分闲置。",
    ),
    "why_too_long": (
        " The config names {own} tokens: an engine refuses a longer --max-model-len unless it is told to allow it.",
        "config 写的长度是 {own} token：--max-model-len 超过它时，引擎默认拒绝，除非另行允许。",
    ),
    "why_negative": (
        " Weights and overhead take more than the share: the budget for KV is {size}, which is 0 blocks.",
        "权重与其他开销已超过引擎可用的显存：KV 预算为 {size}，即 0 块。",
    ),
    "not_shown": (
        "\nDoes not show: what a profile run would find (activations grow with --max-num-batched-tokens, graphs take"
        " memory too), the weights themselves, draft models, layouts that pack blocks outermost, how many requests are worth"
        " running at once. An engine's own defaults differ by GPU: 2048 to 16384 batched tokens, async scheduling on"
        " where it can be.",
        "\n未展示：profile 运行才能测出的部分（激活随 --max-num-batched-tokens 增大，CUDA graph 也占显存）、权重的计算、草稿模型、"
        "以块为最外层的布局，以及同时运行多少请求才划算。引擎自己的默认值因 GPU 而异：每步 2048 到 16384 token，能用异步调度时默认打开。",
    ),
    "no_weights": (
        " No --weights were given: a real GPU holds them too.",
        "没有给出 --weights：真实的 GPU 上还要放权重。",
    ),
    "next_auto": (
        "Next: what is the longest request that fits? python3 inference_lab.py capacity fit {words}",
        "下一步：python3 inference_lab.py capacity fit {words}（先预测放得下的最长请求）",
    ),
    "next_fp8": (
        "Next: do tokens double? python3 inference_lab.py capacity fit {words}",
        "下一步：python3 inference_lab.py capacity fit {words}（先预测 token 数是否翻倍）",
    ),
    "next_ranks": (
        "Next: the weights over twice the ranks: python3 inference_lab.py capacity fit {words}",
        "下一步：把权重分到两倍的 rank：python3 inference_lab.py capacity fit {words}",
    ),
    "next_batched": (
        "Next: which groups change? python3 inference_lab.py capacity fit {words}",
        "下一步：python3 inference_lab.py capacity fit {words}（先预测哪些组会变）",
    ),
    "next_block": (
        "Next: do tokens change with the block? python3 inference_lab.py capacity fit {words}",
        "下一步：python3 inference_lab.py capacity fit {words}（先预测 token 数是否随块大小改变）",
    ),
}
