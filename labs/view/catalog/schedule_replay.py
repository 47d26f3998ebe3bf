"""Texts of the schedule lab's replay: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "--random": (
        "in place of a trace: so many equal requests (at most 200000), at random times",
        "不读 trace，改为生成这么多个（至多 200000）相同的请求，到达时间随机",
    ),
    "--rate": (
        "requests a second of the random load: 4, 4req/s, 240req/min; inf sends all at once (the first finite rate of"
        " --sweep-rate, or else inf)",
        "随机负载的速率，不写单位即每秒请求数：4、4req/s、240req/min；inf 为一次全部发出（默认取 --sweep-rate 的第一个有限速率，没有则为 inf）",
    ),
    "--burstiness": (
        "shape of the random gaps (1): 1 is Poisson, less is burstier, more is more even, inf constant",
        "随机间隔的形状参数（1）：1 为泊松到达，越小越突发，越大越均匀，inf 为等间隔",
    ),
    "--input-len": ("prompt tokens of each random request (1024)", "每个随机请求的 prompt token 数（1024）"),
    "--output-len": ("output tokens of each random request (128)", "每个随机请求的输出 token 数（128）"),
    "--seed": (
        "seed of the random times (0); the same seed gives the same times anywhere",
        "随机到达时间的种子（0）；同一种子在任何机器上结果相同",
    ),
    "--cost": (
        "what a step takes, each term with a unit: base=5ms,prefill=20us,decode=100us,kv=40ns"
        " (a step, a prefill token, a decode, a KV token read)",
        "每一步的耗时，每项须带单位：base=5ms,prefill=20us,decode=100us,kv=40ns"
        "（依次为每步、每个 prefill token、每个 decode、每个读取的 KV token）",
    ),
    "--cost-fit": (
        "a detailed result of `vllm bench serve` that the cost is fitted to",
        "由 `vllm bench serve` 的明细结果拟合步成本",
    ),
    "--flops": (
        "compute rate that the cost is derived from, with a unit: 989TFLOP/s",
        "由算力推导步成本，须带单位：989TFLOP/s",
    ),
    "--memory-bandwidth": (
        "rate at which weights and KV are read, with a unit: 3.35TB/s",
        "读取权重与 KV 的显存带宽，须带单位：3.35TB/s",
    ),
    "--parameters": (
        "parameters that each token meets: 8030261248 or 8.03B (10^9)",
        "每个 token 经过的参数量：8030261248 或 8.03B（10^9）",
    ),
    "TRACE": (
        "trace file: JSON lines with hash_ids (Mooncake) or token ids, or CSV with"
        " TIMESTAMP,ContextTokens,GeneratedTokens (Azure)",
        "trace 文件：带 hash_ids（Mooncake）或 token id 的 JSON 行，或表头为 TIMESTAMP,ContextTokens,GeneratedTokens 的 CSV（Azure）",
    ),
    "--block-tokens": (
        "tokens that one id of the trace stands for (512, as in Mooncake's)",
        "trace 中一个 id 代表的 token 数（512，与 Mooncake 一致）",
    ),
    "--rule": ("who gets tokens (vllm)", "分配 token 的规则（vllm）"),
    "--budget": ("tokens that one step may compute (8192)", "每步最多计算的 token 数（8192）"),
    "--block-size": (
        "tokens a KV block (as many as an id stands for; 16 without ids)",
        "每个 KV 块的 token 数（默认与一个 id 代表的相同；没有 id 时为 16）",
    ),
    "--kv-blocks": ("usable KV blocks of the pool (without limit)", "KV 池的可用块数（默认不限）"),
    "--max-num-seqs": (
        "requests that may run at once (256), under the rules vllm, nano-vllm and static",
        "同时运行的请求数上限（256），用于规则 vllm、nano-vllm 与 static",
    ),
    "--max-model-len": (
        "most tokens of a request, prompt and outputs: outputs end there (no limit)",
        "单个请求的 token 数上限（prompt 加输出），输出到此为止（默认不限）",
    ),
    "--long-prefill-threshold": (
        "most prefill tokens of one request a step while others are there (0: no cap)",
        "有其他请求时，单个请求每步 prefill token 数的上限（默认 0，即不限）",
    ),
    "--policy": (
        "order of the waiting queue, and whom to preempt (fcfs)",
        "等待队列的次序，以及抢占对象的选择（fcfs）",
    ),
    "--prefix-caching": (
        "find a prompt's blocks that an earlier request left in the cache (on)",
        "复用此前请求留在缓存中的相同前缀块（默认开）",
    ),
    "--watermark": (
        "fraction of the pool that must stay free when a request joins others (0)",
        "已有请求在运行时，准入新请求后须保持空闲的块占 KV 池的比例（0）",
    ),
    "--config": (
        "the model's Hugging Face config.json, for the KV of a token",
        "模型的 Hugging Face config.json，由它得出每 token KV",
    ),
    "--model": ("a built-in model, as in capacity", "内置模型，名称与 capacity 的相同"),
    "--gpu": (
        "memory of a GPU, with a unit: KV blocks are what it holds beside the weights",
        "GPU 显存，须带单位：扣除权重后能放下的就是 KV 块数",
    ),
    "--goodput": (
        "limits of a good request in ms: ttft:200 tpot:50 e2el:1000; several words, or repeated",
        "达标请求的上限，单位毫秒：ttft:200 tpot:50 e2el:1000；可写多个，也可重复给出",
    ),
    "--sweep-rate": (
        "the same requests again at these rates, ascending: 1,4,8,16,inf (requests a second)",
        "把同样的请求按这些速率（每秒请求数，递增）各重放一次：1,4,8,16,inf",
    ),
    "--sweep-blocks": (
        "the same requests again with these numbers of KV blocks: 1000,2000,4000",
        "把同样的请求按这些 KV 块数各重放一次：1000,2000,4000",
    ),
    "--csv": (
        "write a line a request to this file, or a line a point of a sweep",
        "写入该 CSV 文件：每个请求一行；扫描时每个点一行",
    ),
    "--timeline": (
        "write each request's queue, prefill, decode and preemptions as Chrome trace events (Perfetto)",
        "把每个请求的排队、prefill、decode 与抢占写成 Chrome trace 事件文件（Perfetto 可打开）",
    ),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "schedule replay: {source}, {requests} requests, rule {rule}, budget {budget} tokens a step{knobs}.",
        "schedule replay：{source}，{requests} 个请求，规则 {rule}，每步预算 {budget} 个 token{knobs}。",
    ),
    "knob": (", {name} {value}", "，{name} {value}"),
    "random": ("random load (seed {seed}{rate})", "随机负载（种子 {seed}{rate}）"),
    "rate_sweep": (
        "; no --rate: the first rate of the sweep",
        "；未给 --rate，取扫描的第一个速率",
    ),
    "rate_default": (
        "; no --rate: all at once, as `vllm bench serve` sends them",
        "；未给 --rate，与 `vllm bench serve` 一样一次全部发出",
    ),
    "pool": (
        "Pool: {blocks} KV blocks of {size} tokens{origin}; {shared}.",
        "KV 池：{blocks} 块，每块 {size} 个 token{origin}；{shared}。",
    ),
    "pool_unlimited": (
        "Pool: KV blocks of {size} tokens without limit (--kv-blocks, or --gpu with a model); {shared}.",
        "KV 池：块数不限（可用 --kv-blocks，或 --gpu 加模型来限定），每块 {size} 个 token；{shared}。",
    ),
    "no_pool": (
        "This rule has no KV pool: nobody is preempted, and nothing is found in a cache.",
        "这条规则没有 KV 池：没有抢占，也没有缓存命中。",
    ),
    "pool_origin": (", what the GPU holds for {model}", "，即该 GPU 能为 {model} 放下的块数"),
    "shared_ids": (
        "requests share the blocks whose ids are equal, {tokens} tokens an id",
        "id 相同的块由各请求共享，一个 id 代表 {tokens} 个 token",
    ),
    "shared_tokens": (
        "requests share the blocks of equal token ids",
        "token id 相同的块由各请求共享",
    ),
    "shared_nothing": (
        "the load tells no equal prefixes, so nothing is shared",
        "负载中没有前缀是否相同的信息，因此不共享任何块",
    ),
    "shared_off": (
        "prefix caching is off, so nothing is shared",
        "前缀缓存已关闭，因此不共享任何块",
    ),
    "cost": (
        "Time of a step (model, {origin}):\n"
        "  {base} + {prefill} x prefill tokens + {decode} x decodes + {kv} x KV tokens read\n"
        "  prefill tokens   of prompts, computed in the step\n"
        "  decodes          requests that get their next token in it\n"
        "  KV tokens read   of each request in the step, all tokens computed by its end",
        "一步的时间（model，{origin}）：\n"
        "  {base} + {prefill} x prefill token 数 + {decode} x decode 数 + {kv} x 读取的 KV token 数\n"
        "  prefill token 数    该步计算的 prompt token\n"
        "  decode 数           该步得到下一个 token 的请求数\n"
        "  读取的 KV token 数  该步每个请求到步末为止已计算的全部 token 之和",
    ),
    "cost_default": (
        "none was given: round figures, as of 8 B parameters on one H100",
        "未给出步成本：取 8 B 参数模型在一块 H100 上量级相当的整数",
    ),
    "cost_given": ("as given by --cost", "由 --cost 给出"),
    "cost_derived": (
        "derived from --flops, --memory-bandwidth and --parameters",
        "由 --flops、--memory-bandwidth 与 --parameters 推导",
    ),
    "cost_fitted": (
        "fitted to {gaps} gaps and {lone} lone prefills of a result, root mean square residual {rms}{untold}",
        "由压测结果的 {gaps} 个间隔与 {lone} 次单独 prefill 拟合，均方根残差 {rms}{untold}",
    ),
    "cost_untold": (
        "; the result cannot tell {terms}, which is 0 here",
        "；该结果无法区分 {terms}，这里取 0",
    ),
    "cost_held": (
        "; {terms} came out below 0 and is held at 0",
        "；{terms} 拟合结果小于 0，固定为 0",
    ),
    "measured": (
        "measured (read from the file): {requests} requests in {seconds} s{rate}; {input} input tokens (mean {mean_input}),"
        " {output} output tokens (mean {mean_output}){zero}",
        "measured（读自文件）：{requests} 个请求，历时 {seconds} 秒{rate}；输入 {input} 个 token（平均 {mean_input}），"
        "输出 {output} 个 token（平均 {mean_output}）{zero}",
    ),
    "drawn": (
        "model (drawn at random): {requests} requests in {seconds} s{rate}; {input} input tokens (mean {mean_input}),"
        " {output} output tokens (mean {mean_output}){zero}",
        "model（随机生成）：{requests} 个请求，历时 {seconds} 秒{rate}；输入 {input} 个 token（平均 {mean_input}），"
        "输出 {output} 个 token（平均 {mean_output}）{zero}",
    ),
    "untold": (
        "; {count} of output length 0 or none, taken as one token each",
        "；其中 {count} 个输出长度为 0 或未给出，各按一个 token 计",
    ),
    "rate": (", {rate} a second", "，每秒 {rate} 个"),
    "at_once": (", all at once", "，全部同时到达"),
    "trace_title": (
        "First requests{worst}, times in ms (model) from arrival on:",
        "最先到达的请求{worst}，时间为 ms（model），从到达算起：",
    ),
    "trace_worst": (", and the one with the longest TTFT", "，以及 TTFT 最长的请求"),
    "trace_columns": (
        "request|arrives|admitted|first token|last token|prompt|cached|outputs|preempted",
        "请求|到达时刻|准入|首个 token|最后 token|prompt|命中|输出|被抢占",
    ),
    "never": ("never", "从未"),
    "latency": ("Latency in ms (model):", "延迟，单位 ms（model）："),
    "latency_columns": ("|mean|median|P50|P95|P99", "|平均|中位数|P50|P95|P99"),
    "latency_none": ("no value", "无数值"),
    "definitions": (
        "  TTFT   first output token - arrival, so queueing is in it\n"
        "  TPOT   (E2EL - TTFT) / (output tokens - 1), one value a request: the first token is not in it, and the\n"
        "         tokens are those that came, not those that were asked for\n"
        "  ITL    each gap between two tokens, all requests pooled: it weighs tokens and TPOT weighs requests, so\n"
        "         either may be the smaller one\n"
        "  E2EL   last output token - arrival\n"
        "  P95    between the values at ranks floor and ceil of (n - 1) x 95 / 100, linearly",
        "  TTFT   首个输出 token - 到达，含排队时间\n"
        "  TPOT   (E2EL - TTFT) / (输出 token 数 - 1)，每个请求一个值：不含首个 token，token 数取实际输出而不是请求的数\n"
        "  ITL    相邻两个 token 的间隔，所有请求合在一起：ITL 按 token 加权，TPOT 按请求加权，因此谁小都有可能\n"
        "  E2EL   最后一个输出 token - 到达\n"
        "  P95    在 (n - 1) x 95 / 100 上下两个名次的值之间线性插值",
    ),
    "no_tpot": (
        "  {count} requests of one output token without a TPOT, left out of it: it is undefined there, not 0",
        "  {count} 个请求只有一个输出 token，没有 TPOT，不计入：此时它无定义，而不是 0",
    ),
    "throughput": (
        "Throughput (model): {requests} req/s, {output} output tok/s, {total} tok/s with prompts, over {seconds} s"
        " from first arrival to the last step's end",
        "吞吐（model）：{requests} req/s，输出 {output} tok/s，含 prompt 共 {total} tok/s；历时 {seconds} 秒，从首个到达到最后一步结束",
    ),
    "goodput": (
        "Goodput (model): {goodput} req/s within {limits}: {good} of {completed} requests",
        "goodput（model）：{goodput} req/s 满足 {limits}：{completed} 个请求中的 {good} 个",
    ),
    "goodput_unknown": (
        "Goodput: not asked for, so unknown and not zero (--goodput ttft:200 tpot:50)",
        "goodput：未要求计算，因此未知而不是零（--goodput ttft:200 tpot:50）",
    ),
    "limit": ("{name} <= {ms} ms", "{name} <= {ms} ms"),
    "and": (" and ", " 且 "),
    "counted": (
        "Counted: {completed} of {requests} requests completed in {steps} steps; peak {running} running, {waiting} left"
        " waiting by a step",
        "counted：{requests} 个请求完成了 {completed} 个，共 {steps} 步；同时运行最多 {running} 个，某一步后仍在等待的最多 {waiting} 个",
    ),
    "counted_pool": (
        "Counted: {preemptions}; peak {peak} KV blocks{share};"
        " {cached} of {input} prompt tokens found in the cache{cached_share}",
        "counted：{preemptions}；KV 块峰值 {peak}{share}；"
        "{input} 个 prompt token 中有 {cached} 个命中缓存{cached_share}",
    ),
    "preemptions": (
        "{preemptions} preemptions of {preempted} requests",
        "抢占 {preemptions} 次，涉及 {preempted} 个请求",
    ),
    "no_preemption": ("no preemption", "没有抢占"),
    "cut": (
        "Counted: {count} requests ended at max_model_len {most}, short of the outputs they asked for",
        "counted：{count} 个请求到 max_model_len {most} 即结束，输出少于所请求的数",
    ),
    "share": (" ({percent})", "（{percent}）"),
    "stuck": (
        "Stuck, for ever: {left} requests left waiting. Nothing can change any more, and no latency above counts them.",
        "停滞：{left} 个请求将永远等待，状态不再变化；它们不计入上面的延迟。",
    ),
    "sweep_rate": (
        "Sweep over rates (model; the same requests, their times stretched; preemptions are counted):",
        "按速率扫描（model；同样的请求，到达时间按比例伸缩；抢占次数为 counted）：",
    ),
    "rate_columns": (
        "rate|req/s|output tok/s|mean TTFT ms|P99 TTFT ms|mean TPOT ms|mean E2EL ms|M/M/1 ms|preemptions|goodput",
        "速率|req/s|输出 tok/s|平均 TTFT ms|P99 TTFT ms|平均 TPOT ms|平均 E2EL ms|M/M/1 ms|抢占|goodput",
    ),
    "unbounded": ("grows", "无界"),
    "mm1_note": (
        "  M/M/1 (model): mean ms in the system 1 / (mu - rate), mu = {mu} req/s, the best throughput found here",
        "  M/M/1（model）：系统内平均时间 1 / (mu - 速率)，mu = {mu} req/s，取这里得到的最大吞吐",
    ),
    "knee": (
        "Knee: rate {rate}, {throughput} req/s: the smallest rate whose throughput no larger rate exceeds by more than"
        " 5 %. Plan with {plan} req/s, 70 % of that throughput.",
        "拐点：速率 {rate}，吞吐 {throughput} req/s：此后更大的速率都不能使吞吐再提高 5 % 以上，取满足此条件的最小速率。"
        "规划速率 {plan} req/s，即该吞吐的 70 %。",
    ),
    "no_knee": (
        "Knee: none. At {rate} the throughput still grows by more than 5 %: sweep on to larger rates.",
        "拐点：没有。到速率 {rate} 时吞吐仍在增长 5 % 以上：请继续扫描更大的速率。",
    ),
    "no_knee_inf": (
        "Knee: not among these rates. With all at once (inf) over 5 % more is served than at {rate}, so it lies above {rate}:"
        " sweep on between {rate} and inf.",
        "拐点：不在这些速率之中。一次全部发出（inf）时的吞吐比速率 {rate} 时高 5 % 以上，因此拐点大于 {rate}："
        "请在 {rate} 与 inf 之间继续扫描。",
    ),
    "knee_alone": (
        "Knee: unknown. All at once (inf) is the largest load there is, and no rate below it was tried.",
        "拐点：未知。一次全部发出（inf）已是最大负载，而没有试过更小的速率。",
    ),
    "sweep_blocks": (
        "Sweep over KV blocks (latencies model; preemptions, blocks and hits counted):",
        "按 KV 块数扫描（延迟为 model；抢占、块数、命中为 counted）：",
    ),
    "blocks_columns": (
        "blocks|preemptions|preempted|peak blocks|cached tokens|mean TTFT ms|P99 TTFT ms|mean TPOT ms|req/s|goodput",
        "块数|抢占|被抢占请求|峰值块数|命中 token|平均 TTFT ms|P99 TTFT ms|平均 TPOT ms|req/s|goodput",
    ),
    "cliff": (
        "Cliff: of the numbers tried, {most} is the largest with a preemption, and from {least} on nobody is preempted.",
        "悬崖：在试过的块数中，{most} 是有抢占的最大值，从 {least} 起没有抢占。",
    ),
    "cliff_low": (
        " Nobody is preempted at {blocks} either, though it is fewer: preemptions need not fall with every block more, as few"
        " blocks keep the others waiting outside.",
        "块数少到 {blocks} 时也没有抢占：块数增加，抢占不一定减少，块少时其他请求只能在外面等待。",
    ),
    "cliff_above": (
        "Cliff: at {most}, the largest number tried, somebody is still preempted, so it lies above.",
        "悬崖：在试过的最大块数 {most} 仍有抢占，因此悬崖在更大处。",
    ),
    "cliff_below": (
        "Cliff: nobody is preempted at any number tried, the smallest being {least}: it lies below, or there is none.",
        "悬崖：试过的块数都没有抢占，最小的是 {least}：悬崖在更小处，或者没有。",
    ),
    "why": ("Why:", "原因："),
    "why_ttft": (
        "Mean TTFT {ttft} ms = {queue} ms from arrival to admission + {prefill} ms from there to the first token: {verdict}.",
        "平均 TTFT {ttft} ms = 到达至准入 {queue} ms + 准入至首个 token {prefill} ms：{verdict}。",
    ),
    "mostly_queue": (
        "{share} is queueing, so load or room is what to look at",
        "其中 {share} 是排队，应先看负载或空间",
    ),
    "mostly_prefill": (
        "{share} is the prompt's own steps, so its length is what to look at",
        "其中 {share} 是 prompt 自身的计算步，应先看 prompt 长度",
    ),
    "why_capped": (
        "Most requests running at once: {most}, all that --max-num-seqs allows. While so many run, admission is capped by"
        " max_num_seqs, not by KV.",
        "同时运行的请求达到了 --max-num-seqs 的上限 {most}：此时限制准入的是 max_num_seqs，而不是 KV。",
    ),
    "why_capped_no_pool": (
        "Most requests running at once: {most}, all that --max-num-seqs allows in a batch; the others wait for the next.",
        "同时运行的请求达到了 --max-num-seqs 给定的一批 {most} 个，其他请求要等下一批。",
    ),
    "why_busy": (
        "The engine was at work for {busy} of the time. {count} of {steps} steps held prefill tokens, and these took"
        " {share} of the working time.",
        "引擎有 {busy} 的时间在工作。{steps} 步中有 {count} 步含 prefill token，占工作时间的 {share}。",
    ),
    "why_itl": (
        "Half of the gaps last up to {median} ms and 1 % more than {p99} ms, {times} times as long: whoever decodes beside"
        " a prefill, or waits to be admitted again, waits for it.",
        "一半的间隔不超过 {median} ms，1 % 超过 {p99} ms，是其 {times} 倍：与 prefill 同步的 decode，或等待重新准入的请求，都要等。",
    ),
    "why_preempted": (
        "When no block was free, {preemptions} times somebody's blocks were taken; each time all its tokens were computed"
        " again, but for what the cache still held.",
        "没有空闲块时，有 {preemptions} 次收回了某个请求的块；每次它的全部 token 都要重算，缓存中还在的除外。",
    ),
    "why_hits": (
        "{cached} prompt tokens found in the cache saved {seconds} s of prefill, at {prefill} a token.",
        "命中缓存的 {cached} 个 prompt token 省去了 {seconds} 秒 prefill（每个 token {prefill}）。",
    ),
    "why_sweep_rate": (
        "From {low} to {high} mean TTFT goes from {low_ttft} to {high_ttft} ms, of which queueing {low_queue} and"
        " {high_queue} ms; most requests running at once: {low_running} and {high_running}.",
        "速率从 {low} 到 {high}，平均 TTFT 从 {low_ttft} 变为 {high_ttft} ms，其中排队 {low_queue} 与 {high_queue} ms；"
        "同时运行的请求最多 {low_running} 与 {high_running} 个。",
    ),
    "why_sweep_blocks": (
        "From {high} blocks down to {low} mean TTFT goes from {high_ttft} to {low_ttft} ms and most requests running at"
        " once from {high_running} to {low_running}.",
        "块数从 {high} 减到 {low}，平均 TTFT 从 {high_ttft} 变为 {low_ttft} ms，同时运行的请求最多从 {high_running} 个变为 {low_running} 个。",
    ),
    "not_shown": (
        "Does not show: what a server would measure. Every time here follows from the cost above, a model and no oracle:"
        " no API server, no tokenizer, no network, no kernel that is not linear, no client that waits for an answer"
        " before it asks again. Fit the cost to a result of your own (--cost-fit) before you believe a millisecond.",
        "没有显示：真实服务会测得的值。这里的时间都由上面的步成本推出，是模型而不是预言：没有 API server、分词、网络，"
        "没有非线性的 kernel，也没有等到回答才发下一个请求的客户端。要相信毫秒数，请先用自己的压测结果拟合步成本（--cost-fit）。",
    ),
    "next_knee": ("Next: where the load bends it:", "下一步：负载的拐点在哪里："),
    "next_cliff": (
        "Next: where memory bends it, below the peak of {peak} blocks:",
        "下一步：显存的悬崖在哪里（峰值 {peak} 块以下）：",
    ),
    "next_goodput": ("Next: the same under limits:", "下一步：给出上限再看一次："),
    "next_farther": ("Next: on to larger rates:", "下一步：继续增大速率："),
    "next_higher": ("Next: on to more blocks:", "下一步：继续增大块数："),
    "next_blocks": ("Next: more of the numbers between:", "下一步：在其间取更多块数："),
}
