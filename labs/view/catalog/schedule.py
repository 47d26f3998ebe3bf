"""Texts of the schedule lab: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "--budget": ("tokens that one round may compute", "每轮最多计算的 token 数"),
    "--request": (
        "a request: prefill= or prompt=1;2;3, decode= (or inf, or max_tokens=), arrive=, context=, priority=, salt=; repeatable,"
        " replaces the lecture's four",
        "一个请求：prefill= 或 prompt=1;2;3，decode=（或 inf，或 max_tokens=），arrive=，context=，priority=，salt=；可重复，替换课程的四个请求",
    ),
    "--requests": (
        "requests from a file: a JSON object a line with id (the name) and the keys of --request, or one object"
        ' {"config": {"token_budget": N}, "requests": [...]}',
        '从文件读取请求：每行一个 JSON 对象，含 id（名称）和 --request 的各键；或一个对象 {"config": {"token_budget": N}, "requests": [...]}',
    ),
    "--rule": ("who gets tokens", "分配 token 的规则"),
    "--rounds": ("stop after so many rounds", "最多运行的轮数"),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "schedule: a token budget per round. Budget {budget}, rule {rule}; order: by arrival, then place in the list.",
        "schedule：每轮 token 预算。预算 {budget}，规则 {rule}；次序：先按到达，再按列表位置。",
    ),
    "unused_keys": ("{rule} does not look at: {keys}.", "{rule} 不看这些键：{keys}。"),
    "column_request": ("request", "请求"),
    "column_arrive": ("arrives in round", "到达轮次"),
    "outcome_columns": ("request|first round|last round|waited rounds|", "请求|首轮|末轮|等待轮数|"),
    "finished": ("finished", "完成"),
    "unfinished": ("unfinished", "未完成"),
    "starved": ("starved", "饥饿"),
    "round": ("Round {number}: ", "轮{number}："),
    "rounds": ("Rounds {number}, each: ", "轮{number}，每轮："),
    "comma": (", ", "，"),
    "idle": ("nobody to serve", "无可调度的请求"),
    "chart": (
        "P prefill tokens, d decode tokens, . waiting",
        "P 为 prefill token 数，d 为 decode token 数，. 为等待",
    ),
    "unused": ("unused", "未用预算"),
    "more_rounds": (
        "... and {more} more rounds (all of them with --json)",
        "……另有 {more} 轮（用 --json 查看全部）",
    ),
    "cut_off": (
        "The run was cut off after round {rounds} (--rounds).",
        "运行在第 {rounds} 轮后截止（--rounds）。",
    ),
    "starved_line": (
        "Starved: {starved} got nothing from round {first} to round {rounds}. ",
        "饥饿：{starved} 在第 {first} 至 {rounds} 轮没有得到任何 token。",
    ),
    "prefills": ("prefills", "prefill "),
    "others": ("whoever stands behind it", "排在后面的请求"),
    "fairness_decodes": (
        "In these rounds the whole budget of {budget} goes to {served}, and nothing in the rule ever takes a"
        " token from a decode: a stream of decodes that fills the budget starves {victims}. Fairness would need"
        " a share of each round kept for those who wait, or a bound on how many may decode at once, or a budget"
        " larger than the number of decodes.",
        "这些轮次中，预算 {budget} 全部给了 {served}，而规则中没有任何一条会从 decode 那里收回 token：decode 流占满预算，"
        "{victims}就会挨饿。要公平，需要每轮为等待者保留份额，或限制同时 decode 的请求数，或让预算大于 decode 的请求数。",
    ),
    "fairness_order": (
        "In these rounds the whole budget of {budget} goes to {served}: those whom the rule serves first take all"
        " of it, and starve {victims}. Fairness would need a share of each round kept for those who wait, a cap"
        " on what one prefill may take a round, or a bound on how many may decode at once.",
        "这些轮次中，预算 {budget} 全部给了 {served}：规则先服务的请求拿走了全部预算，{victims}就会挨饿。"
        "要公平，需要每轮为等待者保留份额，或限制单个 prefill 每轮的份额，或限制同时 decode 的请求数。",
    ),
    "list": (", ", "、"),
    "why": ("Why: ", "原因："),
    "join": (" ", ""),
    "why_cut": (
        "In round {round} first come {before}, taking {taken} of {budget}, so {name} computes {tokens} of the"
        " {left} prefill tokens it still needs.",
        "第 {round} 轮先给 {before}，占去预算 {budget} 中的 {taken} 个，所以 {name} 还差的 {left} 个 prefill token 只算了 {tokens} 个。",
    ),
    "why_cut_alone": (
        "In round {round} the budget of {budget} ends the prefill of {name} at {tokens} of the {left} tokens it"
        " still needs.",
        "第 {round} 轮预算 {budget} 用尽，{name} 还差的 {left} 个 prefill token 只算了 {tokens} 个。",
    ),
    "why_wait": (
        "In round {round} the budget of {budget} is used up by {busy}, so {waiting} must wait.",
        "第 {round} 轮预算 {budget} 被 {busy} 用完，{waiting} 只能等待。",
    ),
    "why_most": (
        "Longest waited {names}: rounds without a token {waited}. A request gets what those leave whom the rule"
        " serves before it.",
        "{names} 等得最久：没有得到 token 的轮数为 {waited}。请求只能得到规则中先于它的请求剩下的预算。",
    ),
    "why_fits": (
        "No round needed more than {widest} of the budget of {budget}, so nobody waited and no prefill was cut.",
        "没有哪一轮需要超过 {widest} 个 token（预算 {budget}），所以无人等待，prefill 也没有被切分。",
    ),
    "not_shown": (
        "Does not show: KV capacity, preemption, priority, external loads, asynchronous state. It explains the"
        " budget; it is not a copy of vLLM's scheduler.",
        "未展示：KV 容量、抢占、优先级、外部加载、异步状态。它解释预算，并不是 vLLM 调度器的复制品。",
    ),
    "next": (
        "Next: python3 inference_lab.py schedule --budget 2  (predict first how C and D wait)",
        "下一步：python3 inference_lab.py schedule --budget 2（先预测 C 和 D 怎样等待）",
    ),
    "next_endless": (
        "Next: python3 inference_lab.py schedule --budget 2 --request A:prefill=0,decode=inf --request"
        " B:prefill=0,decode=inf --request C:prefill=10,decode=2  (predict when C gets its first token)",
        "下一步：python3 inference_lab.py schedule --budget 2 --request A:prefill=0,decode=inf --request"
        " B:prefill=0,decode=inf --request C:prefill=10,decode=2（先预测 C 何时得到第一个 token）",
    ),
    "next_lecture": (
        "Next: python3 inference_lab.py schedule --budget 3  (predict the rounds of the lecture's requests)",
        "下一步：python3 inference_lab.py schedule --budget 3（先预测课程四个请求的各轮）",
    ),
}
