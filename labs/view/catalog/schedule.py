"""Texts of the schedule lab: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "--budget": ("tokens that one round may compute", "每轮最多计算的 token 数"),
    "--request": (
        "a request: prefill= or prompt=1;2;3, decode= (or inf, or max_tokens=), arrive=, abort= (the round after which it is"
        " withdrawn), context=, priority=, arrival_time=, salt=, stop_token_ids=; repeatable, replaces the lecture's four",
        "一个请求：prefill= 或 prompt=1;2;3，decode=（或 inf，或 max_tokens=），arrive=，abort=（在该轮之后中止），context=，priority=，"
        "arrival_time=，salt=，stop_token_ids=；可重复给出，取代课程的四个请求",
    ),
    "--requests": (
        "requests from a file: a JSON object a line with id (the name) and the keys of --request, or one object"
        ' {"config": {knobs}, "requests": [...], "external": {...}}',
        '从文件读取请求：每行一个 JSON 对象，含 id（名称）和 --request 的各键；或整个文件为一个对象 {"config": {参数}, "requests": [...], "external": {...}}',
    ),
    "--external": (
        "the lecture's four paths of external KV: miss, synchronous hit, asynchronous hit, failed load (rule vllm)",
        "课程中外部 KV 的四条路径：未命中、同步命中、异步命中、加载失败（规则 vllm）",
    ),
    "--rule": ("who gets tokens", "分配 token 的规则"),
    "--compare": (
        "a second rule for the same requests: the first round that differs, and why",
        "对同样的请求再按另一条规则运行，给出第一个不同的轮次及原因",
    ),
    "--kv-blocks": ("usable KV blocks of the pool (unlimited unless given)", "KV 池的可用块数（默认不限）"),
    "--block-size": ("tokens a block", "每块的 token 数"),
    "--max-num-seqs": ("requests that may run at once", "同时运行的请求数上限"),
    "--long-prefill-threshold": (
        "most prefill tokens of one request a round while others are there (0: no cap)",
        "有其他请求时，单个请求每轮 prefill token 数的上限（0 表示不限）",
    ),
    "--max-model-len": (
        "most tokens of a request, prompt and outputs",
        "单个请求的 token 数上限（prompt 加输出）",
    ),
    "--policy": ("order of the waiting queue, and whom to preempt", "等待队列的次序，以及抢占对象的选择"),
    "--prefix-caching": ("reuse cached blocks of equal prefixes (on)", "复用相同前缀的缓存块（默认开）"),
    "--full-prompt-must-fit": (
        "admit a request only if its whole prompt fits in free blocks (on)",
        "空闲块放得下整个 prompt 时才准入（默认开）",
    ),
    "--chunked-prefill": (
        "a prefill may be cut to what is left of the budget (on)",
        "允许按剩余预算切分 prefill（默认开）",
    ),
    "--watermark": (
        "fraction of the pool that must stay free when a request joins others",
        "已有请求在运行时，准入新请求后须保持空闲的块占 KV 池的比例",
    ),
    "--log": (
        "the life of each request and its blocks: created, allocated, scheduled, preempted, freed, finished",
        "每个请求及其块的生命周期：创建、分配、调度、抢占、释放、完成",
    ),
    "--timeline": (
        "write the run as Chrome trace events, to be opened in Perfetto",
        "把运行过程写成 Chrome trace 事件文件，可用 Perfetto 打开",
    ),
    "--rounds": ("stop after so many rounds", "最多运行的轮数"),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "schedule: a token budget per round. Budget {budget}, rule {rule}; order: {order}.",
        "schedule：每轮 token 预算。预算 {budget}，规则 {rule}；次序：{order}。",
    ),
    "order_arrival": ("by arrival, then place in the list", "先按到达，再按列表位置"),
    "order_priority": (
        "who waits by priority (smaller first), then arrival; who runs by admission",
        "等待中的请求先按优先级（数值小的在前），再按到达；运行中的请求按准入次序",
    ),
    "other_knobs": ("Further knobs: {knobs}.", "其他参数：{knobs}。"),
    "batches": (
        "Batches: when all of one have finished, the next takes up to {max_num_seqs} of those that wait.",
        "一批全部完成后，等待队列中最前的至多 {max_num_seqs} 个请求组成下一批。",
    ),
    "pool": (
        "Pool: {blocks} blocks of {block_size} tokens, prefix caching {caching}; max_num_seqs {max_num_seqs}.",
        "KV 池的可用块数：{blocks}；每块 {block_size} 个 token；前缀缓存：{caching}；max_num_seqs 为 {max_num_seqs}。",
    ),
    "unlimited": ("unlimited", "不限"),
    "on": ("on", "开"),
    "off": ("off", "关"),
    "unused_keys": ("{rule} does not look at: {keys}.", "{rule} 忽略这些键：{keys}。"),
    "column_request": ("request", "请求"),
    "column_arrive": ("arrives in round", "到达轮次"),
    "outcome_columns": ("request|first round|last round|waited rounds|", "请求|首轮|末轮|等待轮数|"),
    "finished": ("finished", "完成"),
    "unfinished": ("unfinished", "未完成"),
    "aborted": ("aborted", "中止"),
    "failed": ("failed", "失败"),
    "starved": ("starved", "饥饿"),
    "column_preempted": ("preempted", "被抢占次数"),
    "round": ("Round {number}: ", "轮{number}："),
    "rounds": ("Rounds {number}, each: ", "轮{number}，每轮："),
    "comma": (", ", "，"),
    "idle": ("nobody is served", "没有调度任何请求"),
    "chart": (
        "P prefill tokens, d decode tokens, . waiting",
        "P 为 prefill token 数，d 为 decode token 数，. 为等待",
    ),
    "chart_preempted": (
        "P prefill tokens, d decode tokens, . waiting, x preempted",
        "P 为 prefill token 数，d 为 decode token 数，. 为等待，x 为被抢占",
    ),
    "unused": ("unused", "未用预算"),
    "used_blocks": ("blocks", "占用块数"),
    "note_preempted": ("preempted {name}: its blocks are freed", "抢占 {name}，释放它的块"),
    "note_cached": (
        "{name} starts with {tokens} tokens there already",
        "{name} 开始时已有 {tokens} 个 token 的 KV",
    ),
    "note_aborted": ("{name} is withdrawn after this round", "{name} 在本轮之后中止"),
    "stuck": (
        "Stuck: from round {round} on nothing changes any more, and {names} would wait for ever.",
        "停滞：从第 {round} 轮起状态不再变化，{names} 将永远等待。",
    ),
    "more_rounds": (
        "... and {more} more rounds (all of them with --json)",
        "……另有 {more} 轮（用 --json 查看全部）",
    ),
    "cut_off": (
        "The run was cut off after round {rounds} (--rounds).",
        "运行到第 {rounds} 轮截止（--rounds）。",
    ),
    "starved_line": (
        "Starved: {starved} got nothing from round {first} to round {rounds}. ",
        "饥饿：{starved} 在第 {first} 至 {rounds} 轮未分得任何 token。",
    ),
    "prefills": ("prefills", "prefill "),
    "others": ("whoever stands behind it", "排在后面的请求"),
    "fairness_decodes": (
        "In these rounds the whole budget of {budget} goes to {served}, and nothing in the rule ever takes a"
        " token from a decode: a stream of decodes that fills the budget starves {victims}. Fairness would need"
        " a share of each round kept for those who wait, or a bound on how many may decode at once, or a budget"
        " larger than the number of decodes.",
        "这些轮次的预算 {budget} 全部分给了 {served}，而这条规则从不把 decode 的 token 让给别的请求：decode 占满预算后，"
        "{victims}就会陷入饥饿。要做到公平，可以每轮为等待中的请求保留份额，或限制同时 decode 的请求数，或让预算大于 decode 的请求数。",
    ),
    "fairness_order": (
        "In these rounds the whole budget of {budget} goes to {served}: those whom the rule serves first take all"
        " of it, and starve {victims}. Fairness would need a share of each round kept for those who wait, a cap"
        " on what one prefill may take a round, or a bound on how many may decode at once.",
        "这些轮次的预算 {budget} 全部分给了 {served}：规则优先调度的请求用完了预算，{victims}就会陷入饥饿。"
        "要做到公平，可以每轮为等待中的请求保留份额，或限制单个 prefill 每轮的 token 数，或限制同时 decode 的请求数。",
    ),
    "fairness_batch": (
        "At the end the batch of {served} runs, and until all of it has finished nobody joins: that is what continuous"
        " batching did away with.",
        "截止时运行的是 {served} 这一批，在它全部完成之前，其他请求都不能加入：连续批处理正是为了消除这种情况。",
    ),
    "list": (", ", "、"),
    "why": ("Why: ", "原因："),
    "join": (" ", ""),
    "why_cut": (
        "In round {round} first come {before}, taking {taken} of {budget}, so {name} computes {tokens} of the"
        " {left} prefill tokens it still needs.",
        "第 {round} 轮先分给 {before}，占去预算 {budget} 中的 {taken} 个，所以 {name} 剩余的 {left} 个 prefill token 本轮只计算 {tokens} 个。",
    ),
    "why_cut_alone": (
        "In round {round} the budget of {budget} ends the prefill of {name} at {tokens} of the {left} tokens it"
        " still needs.",
        "第 {round} 轮受预算 {budget} 限制，{name} 剩余的 {left} 个 prefill token 只计算 {tokens} 个。",
    ),
    "why_wait": (
        "In round {round} the budget of {budget} is used up by {busy}, so {waiting} must wait.",
        "第 {round} 轮预算 {budget} 被 {busy} 用完，{waiting} 只能等待。",
    ),
    "stuck_blocks": (
        " {request} stands in front: it knows {num_tokens} tokens by now, which need {needed_blocks} blocks; the pool"
        " has {pool}, and {free_blocks} are free.",
        "排在最前的 {request} 目前已知 {num_tokens} 个 token，需要 {needed_blocks} 块；KV 池共 {pool} 块，其中空闲 {free_blocks} 块。",
    ),
    "stuck_loading": (
        " {request} waits for a report of its load that never comes.",
        "{request} 在等待加载完成的报告，而这份报告永远不会到达。",
    ),
    "stuck_unchunked": (
        " {request} stands in front: its {num_tokens} tokens are more than the budget of {budget}, and without chunked"
        " prefill they may not be cut.",
        "排在最前的 {request} 有 {num_tokens} 个 token，超过预算 {budget}，而 chunked prefill 已关闭，prefill 不能切分。",
    ),
    "stuck_other": (
        " {request} stands in front, and nothing that is still to come lets it go on.",
        "排在最前的是 {request}，后续也没有任何事件能让它继续。",
    ),
    "why_cut_threshold": (
        "In round {round} the threshold of {threshold} caps the prefill of {name}, which still needs {left} tokens.",
        "第 {round} 轮 {name} 剩余 {left} 个 prefill token，但单轮不能超过阈值 {threshold}。",
    ),
    "why_hit": (
        "In round {round} {name} begins with {cached} tokens that are hit or loaded, and computes {tokens}.",
        "第 {round} 轮 {name} 开始时已有 {cached} 个命中或加载的 token，本轮计算 {tokens} 个。",
    ),
    "why_preempted": (
        "In round {round} a running request needs more blocks than are free of the pool's {blocks}, so {name} is preempted:"
        " its blocks go, its outputs stay.",
        "第 {round} 轮有运行中的请求需要新块，而 {blocks} 块的 KV 池空闲块不够，因此抢占 {name}：释放它的块，保留已有输出。",
    ),
    "why_resumed": (
        " It begins again in round {round}, with {cached} tokens from the cache.",
        "它在第 {round} 轮恢复运行，缓存命中 {cached} 个 token。",
    ),
    "why_peak_of": (
        "At most {used} of the {blocks} blocks were in use once a round was scheduled.",
        "各轮调度之后占用块数的峰值为 {used}（共 {blocks} 块）。",
    ),
    "why_peak": ("At most {used} blocks were in use.", "占用块数的峰值为 {used}。"),
    "why_lost": (
        "In round {round} the load of {name} fails: {tokens} of its tokens are withdrawn.",
        "第 {round} 轮 {name} 的加载失败：{tokens} 个 token 作废。",
    ),
    "note_lost": (
        "the load of {name} fails: {tokens} tokens withdrawn",
        "{name} 加载失败：{tokens} 个 token 作废",
    ),
    "why_waits": ("In round {round} {name} gets nothing, since ", "第 {round} 轮 {name} 未分得 token："),
    "why_most": (
        "Longest waited {names}: rounds without a token {waited}.",
        "等待最久的是 {names}，有 {waited} 轮未分得 token。",
    ),
    "why_leftover": (
        "A request gets what those leave whom the rule serves before it.",
        "一个请求只能使用规则中排在它之前的请求剩下的预算。",
    ),
    "why_fits": (
        "No round needed more than {widest} of the budget of {budget}, so nobody waited and no prefill was cut.",
        "每轮最多用到 {widest} 个 token（预算 {budget}），所以没有请求等待，prefill 也都未切分。",
    ),
    "not_shown": (
        "Does not show: KV capacity, preemption, priority, external loads, asynchronous state. It explains the"
        " budget; it is not a copy of vLLM's scheduler.",
        "未展示：KV 容量、抢占、优先级、外部加载、异步状态。本规则只用来说明预算，并非 vLLM 调度器的复刻。",
    ),
    "not_shown_prefill-first": (
        "Does not show: KV capacity, preemption, priority. No engine schedules like this; it is the other end of"
        " the trade between waiting prompts and waiting decodes.",
        "未展示：KV 容量、抢占、优先级。没有引擎这样调度；在“让 prompt 等待”与“让 decode 等待”的取舍中，它是另一个极端。",
    ),
    "not_shown_static": (
        "Does not show: KV capacity, padding, time. Engines before continuous batching served like this.",
        "未展示：KV 容量、填充、时间。连续批处理出现之前，引擎就是这样调度的。",
    ),
    "not_shown_vllm": (
        "Does not show: time, speculative decoding, asynchronous scheduling, several KV groups. Rounds, blocks and queues"
        " are those of vLLM 0.32.0's scheduler; a round is no unit of time.",
        "未展示：时间、投机解码、异步调度、多个 KV 组。轮次、块与队列都与 vLLM 0.32.0 的调度器一致；一轮不是时间单位。",
    ),
    "not_shown_nano-vllm": (
        "Does not show: time. Rounds, blocks and queues are those of nano-vllm's scheduler, which"
        " wants blocks of 256 tokens; a round is no unit of time.",
        "未展示：时间。轮次、块与队列都与 nano-vllm 的调度器一致（它要求每块 256 个 token）；一轮不是时间单位。",
    ),
    "next_vllm": (
        "Next: python3 inference_lab.py schedule --rule vllm --compare nano-vllm  (predict the first round that differs)",
        "下一步：python3 inference_lab.py schedule --rule vllm --compare nano-vllm（先预测第一个不同的轮次）",
    ),
    "next_pool": (
        "Next: python3 inference_lab.py schedule --rule vllm --kv-blocks 7 --block-size 2 --log  (predict who is preempted)",
        "下一步：python3 inference_lab.py schedule --rule vllm --kv-blocks 7 --block-size 2 --log（先预测谁被抢占）",
    ),
    "next_compare": (
        "Next: python3 inference_lab.py schedule --external  (predict in which round each of the four begins)",
        "下一步：python3 inference_lab.py schedule --external（先预测四个请求各在第几轮开始）",
    ),
    "next_external": (
        "Next: python3 inference_lab.py prefix groups  (predict the hit tokens of each group)",
        "下一步：python3 inference_lab.py prefix groups（先预测各组命中的 token 数）",
    ),
    "next": (
        'Next: python3 inference_lab.py schedule --budget 2  (predict how C and D wait: --predict "A1 B1 | ...")',
        '下一步：python3 inference_lab.py schedule --budget 2（先预测 C 和 D 怎样等待：--predict "A1 B1 | ..."）',
    ),
    "next_endless": (
        "Next: python3 inference_lab.py schedule --budget 2 --request A:prefill=0,decode=inf --request"
        " B:prefill=0,decode=inf --request C:prefill=10,decode=2  (predict when C gets its first token)",
        "下一步：python3 inference_lab.py schedule --budget 2 --request A:prefill=0,decode=inf --request"
        " B:prefill=0,decode=inf --request C:prefill=10,decode=2（先预测 C 何时得到第一个 token）",
    ),
    "next_lecture": (
        'Next: python3 inference_lab.py schedule --budget 3  (predict the lecture\'s requests: --predict "A1 B1 C1 | ...")',
        '下一步：python3 inference_lab.py schedule --budget 3（先预测课程四个请求的各轮：--predict "A1 B1 C1 | ..."）',
    ),
}
