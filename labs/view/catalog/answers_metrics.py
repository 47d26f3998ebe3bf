"""The sheet `metrics`: (English, Chinese). Only questions and solutions hold digits."""

TITLE: dict[str, tuple[str, str]] = {
    "title": (
        "Metrics: TTFT, TPOT, ITL, latency, goodput and throughput from raw timestamps.",
        "指标：由原始时间戳计算 TTFT、TPOT、ITL、延迟、goodput 与吞吐量。",
    ),
}

QUESTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "A request is sent at {sent} ms on the clock; its tokens come at {tokens} ms. What is its TTFT? Answer in ms: one number.",
        "一个请求在时刻 {sent} ms 发出，各 token 在 {tokens} ms 到达。它的 TTFT 是多少？以 ms 作答：一个数。",
    ),
    "p2": (
        "A request is sent at {sent} ms on the clock; its tokens come at {tokens} ms. What is its TPOT? Answer in ms: one number.",
        "一个请求在时刻 {sent} ms 发出，各 token 在 {tokens} ms 到达。它的 TPOT 是多少？以 ms 作答：一个数。",
    ),
    "p3": (
        "A request is sent at {sent} ms on the clock; its tokens come at {tokens} ms. What are its inter-token latencies (ITL)? Answer in ms: a list of numbers.",
        "一个请求在时刻 {sent} ms 发出，各 token 在 {tokens} ms 到达。它的各个 ITL 是多少？以 ms 作答：一个数字列表。",
    ),
    "p4": (
        "A request is sent at {sent} ms on the clock; its tokens come at {tokens} ms. What is its end-to-end latency? Answer in ms: one number.",
        "一个请求在时刻 {sent} ms 发出，各 token 在 {tokens} ms 到达。它的端到端延迟是多少？以 ms 作答：一个数。",
    ),
    "p5": (
        "In {seconds} seconds these requests succeed, with TTFT {ttft} ms and, in the same order, TPOT {tpot} ms. The limits are TTFT at most {max_ttft} ms and TPOT at most {max_tpot} ms. What are throughput and goodput? Answer in req/s: [throughput, goodput].",
        "{seconds} 秒内以下请求成功：TTFT 为 {ttft} ms，TPOT 依次为 {tpot} ms。限制：TTFT 不超过 {max_ttft} ms，TPOT 不超过 {max_tpot} ms。吞吐量与 goodput 各是多少？以 req/s 作答：[吞吐量, goodput]。",
    ),
    "p6": (
        "In {seconds} seconds {requests} requests succeed, each with {prompt} prompt tokens and {output} output tokens. What is the output token throughput? Answer in tokens/s: one number.",
        "{seconds} 秒内成功 {requests} 个请求，每个有 {prompt} 个 prompt token 和 {output} 个输出 token。输出 token 吞吐量是多少？以 tokens/s 作答：一个数。",
    ),
}

NOTES: dict[str, tuple[str, str]] = {
    "p1": (
        "It holds queueing, prefill and the way back: which of them grew, it does not say.",
        "它包含排队、prefill 和返回路径：哪一项变长，它看不出来。",
    ),
    "p2": (
        "A mean over one request: a long stall hides in it.",
        "这是单个请求内的平均：一次长停顿会被掩盖。",
    ),
    "p3": (
        "Here stalls show: the largest gap is what a reader notices.",
        "停顿在这里看得见：读者感到的是最大的间隔。",
    ),
    "p4": ("TTFT and all gaps together.", "等于 TTFT 加全部间隔。"),
    "p5": ("Each limit alone lets more through than both.", "单看一项限制，通过的会更多。"),
    "p6": (
        "Prompt tokens are reported apart: they cost other work.",
        "prompt token 另行报告：它们的开销不同。",
    ),
}

DIAGNOSES: dict[str, tuple[str, str]] = {
    "p1_clock": (
        "That is a time on the clock; TTFT begins when the request is sent.",
        "这是时刻；TTFT 从请求发出时算起。",
    ),
    "p1_last_token": ("That goes on to the last token.", "这算到了最后一个 token。"),
    "p1_second_token": ("Which token is the first?", "哪个是第一个 token？"),
    "p2_by_n": ("How many gaps lie between so many tokens?", "这么多 token 之间有几个间隔？"),
    "p2_from_sent": ("The time to the first token is no part of TPOT.", "到第一个 token 的时间不属于 TPOT。"),
    "p2_not_divided": ("That is the time of all gaps together.", "这是全部间隔之和。"),
    "p3_with_ttft": (
        "The time to the first token lies between no two tokens.",
        "到第一个 token 的时间不是两个 token 之间的间隔。",
    ),
    "p3_since_sent": (
        "These are times since the request was sent, not between tokens.",
        "这是从发出算起的时间，不是 token 之间的间隔。",
    ),
    "p3_since_first": (
        "These are times since the first token; each gap begins at the token before.",
        "这是从第一个 token 算起的时间；每个间隔应从前一个 token 算起。",
    ),
    "p4_clock": ("That is a time on the clock.", "这是时刻。"),
    "p4_without_ttft": ("The client has waited for the first token too.", "客户端也等了第一个 token。"),
    "p4_first_token": ("That ends with the first token.", "这只算到第一个 token。"),
    "p5_goodput_as_throughput": (
        "The same rate stands for both: which requests count for each?",
        "两处用了同一个速率：各计哪些请求？",
    ),
    "p5_ttft_only": ("Is the TPOT limit met by all of these?", "这些请求都满足 TPOT 限制吗？"),
    "p5_tpot_only": ("Is the TTFT limit met by all of these?", "这些请求都满足 TTFT 限制吗？"),
    "p5_either": (
        "A request has to meet both limits, not one of them.",
        "请求要同时满足两项限制，而不是其中一项。",
    ),
    "p5_not_divided": (
        "These are numbers of requests; a rate is divided by the time.",
        "这是请求数；速率还要除以时间。",
    ),
    "p5_swapped": ("Check the order, throughput first.", "检查顺序，先写吞吐量。"),
    "p6_with_prompts": ("Prompt tokens are not put out.", "prompt token 不是输出。"),
    "p6_requests": ("That is requests a second.", "这是每秒请求数。"),
    "p6_one_request": ("That counts the tokens of a single request.", "这只数了一个请求的 token。"),
    "p6_not_divided": (
        "That is a number of tokens; a rate is divided by the time.",
        "这是 token 数；速率还要除以时间。",
    ),
}

STEPS: dict[str, tuple[str, str]] = {
    "p1": (
        "When does the wait begin, and with which token does it end?\nFirst token minus {sent} ms.",
        "等待从何时开始，到哪个 token 结束？\n第一个 token 的时刻减 {sent} ms。",
    ),
    "p2": (
        "TPOT looks at the tokens after the first one.\nLast token minus first token, divided by the number of gaps between them.",
        "TPOT 只看第一个之后的 token。\n最后一个减第一个，再除以其间的间隔数。",
    ),
    "p3": (
        "Between how many pairs of neighbours is there a gap?\nEach token minus the one before it, in order.",
        "有多少对相邻的 token？\n依次用每个 token 减去前一个。",
    ),
    "p4": (
        "The client waits from {sent} ms on.\nUp to the last token.",
        "客户端从 {sent} ms 开始等。\n等到最后一个 token。",
    ),
    "p5": (
        "Go through the pairs: which meet {max_ttft} ms and {max_tpot} ms at once?\nAll requests for throughput, those for goodput: divide by {seconds} seconds.",
        "逐对检查：哪些同时满足 {max_ttft} ms 和 {max_tpot} ms？\n吞吐量计全部请求，goodput 只计这些：都除以 {seconds} 秒。",
    ),
    "p6": (
        "Only output tokens count: {output} of each request.\nAll of them, divided by {seconds} seconds.",
        "只计输出 token：每个请求 {output} 个。\n总数除以 {seconds} 秒。",
    ),
}

SOLUTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "TTFT = first token - sent\n{first} - {sent}\nms: {answer}\nless than the end-to-end latency",
        "TTFT = 第一个 token - 发出\n{first} - {sent}\nms：{answer}\n小于端到端延迟",
    ),
    "p2": (
        "TPOT = (last token - first token) / (tokens - 1)\n({last} - {first}) / {gaps}\nms: {answer}\nit is the mean of the {gaps} gaps",
        "TPOT = (最后一个 - 第一个) / (token 数 - 1)\n({last} - {first}) / {gaps}\nms：{answer}\n等于 {gaps} 个间隔的平均",
    ),
    "p3": (
        "ITL = token - the token before it\n{tokens}, neighbour by neighbour\nms: {answer}\n{gaps} gaps, which add up to {last} - {first}",
        "ITL = token - 前一个 token\n{tokens}，逐对相减\nms：{answer}\n共 {gaps} 个间隔，其和为 {last} - {first}",
    ),
    "p4": (
        "latency = last token - sent\n{last} - {sent}\nms: {answer}\nTTFT plus the sum of all gaps",
        "延迟 = 最后一个 token - 发出\n{last} - {sent}\nms：{answer}\n等于 TTFT 加全部间隔",
    ),
    "p5": (
        "throughput = requests / seconds; goodput = requests within both limits / seconds\n{number} / {seconds} and {met[2]} / {seconds}\nreq/s: {answer}\n{met[0]} meet the TTFT limit, {met[1]} the TPOT limit, {met[2]} both",
        "吞吐量 = 请求数 / 秒；goodput = 同时满足两项限制的请求数 / 秒\n{number} / {seconds} 与 {met[2]} / {seconds}\nreq/s：{answer}\n满足 TTFT 的 {met[0]} 个，满足 TPOT 的 {met[1]} 个，同时满足的 {met[2]} 个",
    ),
    "p6": (
        "output throughput = requests x output tokens / seconds\n{requests} x {output} / {seconds} = {total} / {seconds}\ntokens/s: {answer}\nthe {prompt} prompt tokens of each request do not enter",
        "输出吞吐量 = 请求数 x 输出 token / 秒\n{requests} x {output} / {seconds} = {total} / {seconds}\ntokens/s：{answer}\n每个请求的 {prompt} 个 prompt token 不计入",
    ),
}
