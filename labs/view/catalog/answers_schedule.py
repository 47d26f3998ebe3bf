"""The sheet `schedule`: (English, Chinese). Only questions and solutions hold digits."""

TITLE: dict[str, tuple[str, str]] = {
    "title": ("Schedule: a token budget per round, under five rules.", "调度：五种规则下的每轮 token 预算。"),
}

QUESTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "A and B are decoding, with {a_decode} and {b_decode} decode passes left. C has {c_prefill} prefill tokens and then {c_decode} decode passes; D has {d_prefill} and {d_decode} and arrives in round {d_arrive}. Rounds count from 1. Budget {budget} tokens a round. Rule decode-first: one token to each request that decodes, in order, then prefills in order. How many tokens does C compute in each round, up to its last? Answer in tokens: one number a round, 0 where it gets none.",
        "A 和 B 正在 decode，各剩 {a_decode} 次和 {b_decode} 次。C 有 {c_prefill} 个 prefill token，之后 {c_decode} 次 decode；D 有 {d_prefill} 个和 {d_decode} 次，第 {d_arrive} 轮到达。轮次从 1 开始。每轮预算 {budget} 个 token。规则 decode-first：先按顺序给每个正在 decode 的请求一个 token，再按顺序做 prefill。C 在每一轮各计算多少 token，直到它的最后一轮？以 token 作答：每轮一个数，没有分到写 0。",
    ),
    "p2": (
        "A and B are decoding, with {a_decode} and {b_decode} decode passes left. C has {c_prefill} prefill tokens and then {c_decode} decode passes; D has {d_prefill} and {d_decode} and arrives in round {d_arrive}. Rounds count from 1. Budget {budget} tokens a round. Rule decode-first: one token to each request that decodes, in order, then prefills in order. In which round does each compute its last token? Answer in rounds: [A, B, C, D].",
        "A 和 B 正在 decode，各剩 {a_decode} 次和 {b_decode} 次。C 有 {c_prefill} 个 prefill token，之后 {c_decode} 次 decode；D 有 {d_prefill} 个和 {d_decode} 次，第 {d_arrive} 轮到达。轮次从 1 开始。每轮预算 {budget} 个 token。规则 decode-first：先按顺序给每个正在 decode 的请求一个 token，再按顺序做 prefill。各请求在第几轮计算最后一个 token？以轮次作答：[A, B, C, D]。",
    ),
    "p3": (
        "A and B are decoding, with {a_decode} and {b_decode} decode passes left. C has {c_prefill} prefill tokens and then {c_decode} decode passes; D has {d_prefill} and {d_decode} and arrives in round {d_arrive}. Rounds count from 1. Budget {budget} tokens a round. Rule prefill-first: prefills in order, then one token to each request that decodes. In which round does each compute its last token? Answer in rounds: [A, B, C, D].",
        "A 和 B 正在 decode，各剩 {a_decode} 次和 {b_decode} 次。C 有 {c_prefill} 个 prefill token，之后 {c_decode} 次 decode；D 有 {d_prefill} 个和 {d_decode} 次，第 {d_arrive} 轮到达。轮次从 1 开始。每轮预算 {budget} 个 token。规则 prefill-first：先按顺序做 prefill，再给每个正在 decode 的请求一个 token。各请求在第几轮计算最后一个 token？以轮次作答：[A, B, C, D]。",
    ),
    "p4": (
        "A and B are decoding, with {a_decode} and {b_decode} decode passes left. C has {c_prefill} prefill tokens and then {c_decode} decode passes; D has {d_prefill} and {d_decode} and arrives in round {d_arrive}. Rounds count from 1. Budget {budget} tokens a round. Rule static: A and B are the first batch; who waits when it has ended forms the next, prefills, then decodes. In which round does each compute its last token? Answer in rounds: [A, B, C, D].",
        "A 和 B 正在 decode，各剩 {a_decode} 次和 {b_decode} 次。C 有 {c_prefill} 个 prefill token，之后 {c_decode} 次 decode；D 有 {d_prefill} 个和 {d_decode} 次，第 {d_arrive} 轮到达。轮次从 1 开始。每轮预算 {budget} 个 token。规则 static：A 和 B 是第一批；它结束时在等待的请求组成下一批，先 prefill，再 decode。各请求在第几轮计算最后一个 token？以轮次作答：[A, B, C, D]。",
    ),
    "p5": (
        "A and B are decoding, with {a_decode} and {b_decode} decode passes left. C has {c_prefill} prefill tokens and then {c_decode} decode passes; D has {d_prefill} and {d_decode} and arrives in round {d_arrive}. Rounds count from 1. Budget {budget} tokens a round. Rule nano-vllm: a round is all prefill, if any can run, or all decode; decodes are not counted in the budget. In which round does each compute its last token? Answer in rounds: [A, B, C, D].",
        "A 和 B 正在 decode，各剩 {a_decode} 次和 {b_decode} 次。C 有 {c_prefill} 个 prefill token，之后 {c_decode} 次 decode；D 有 {d_prefill} 个和 {d_decode} 次，第 {d_arrive} 轮到达。轮次从 1 开始。每轮预算 {budget} 个 token。规则 nano-vllm：一轮要么全是 prefill（只要有能运行的），要么全是 decode；decode 不计入预算。各请求在第几轮计算最后一个 token？以轮次作答：[A, B, C, D]。",
    ),
    "p6": (
        "A and B are decoding, with {a_decode} and {b_decode} decode passes left. C has {c_prefill} prefill tokens and then {c_decode} decode passes; D has {d_prefill} and {d_decode} and arrives in round {d_arrive}. Rounds count from 1. Budget {budget} tokens a round. Rule vllm: running requests get their next tokens in order of admission, then waiting ones are admitted in order. In which round does each compute its last token? Answer in rounds: [A, B, C, D].",
        "A 和 B 正在 decode，各剩 {a_decode} 次和 {b_decode} 次。C 有 {c_prefill} 个 prefill token，之后 {c_decode} 次 decode；D 有 {d_prefill} 个和 {d_decode} 次，第 {d_arrive} 轮到达。轮次从 1 开始。每轮预算 {budget} 个 token。规则 vllm：运行中的请求按准入顺序取得后续 token，然后按顺序准入等待的请求。各请求在第几轮计算最后一个 token？以轮次作答：[A, B, C, D]。",
    ),
    "p7": (
        "A and B are decoding, with {a_decode} and {b_decode} decode passes left. C has {c_prefill} prefill tokens and then {c_decode} decode passes; D has {d_prefill} and {d_decode} and arrives in round {d_arrive}. Rounds count from 1. Budget {budget} tokens a round. Rule decode-first: one token to each request that decodes, in order, then prefills in order. In how many rounds are C and D there, unfinished, without a token? Answer in rounds: [C, D].",
        "A 和 B 正在 decode，各剩 {a_decode} 次和 {b_decode} 次。C 有 {c_prefill} 个 prefill token，之后 {c_decode} 次 decode；D 有 {d_prefill} 个和 {d_decode} 次，第 {d_arrive} 轮到达。轮次从 1 开始。每轮预算 {budget} 个 token。规则 decode-first：先按顺序给每个正在 decode 的请求一个 token，再按顺序做 prefill。C 和 D 各有多少轮在场、未完成、却没有分到 token？以轮数作答：[C, D]。",
    ),
}

NOTES: dict[str, tuple[str, str]] = {
    "p1": (
        "The last prefill step yields C's first output token; its decode passes come after it.",
        "最后一步 prefill 已得到 C 的第一个输出 token，之后才是 decode。",
    ),
    "p2": (
        "A stream of new decodes could keep C waiting without end: fairness needs a share for prefills.",
        "decode 源源不断时 C 可能一直等下去：要公平，就得给 prefill 留份额。",
    ),
    "p3": (
        "Prompts start at once, and the gap between A's and B's tokens grows.",
        "prompt 立即开始，A 和 B 的 token 间隔则变长。",
    ),
    "p4": (
        "Nobody joins a batch that runs: continuous batching was invented against this.",
        "运行中的批次不准入新请求：连续批处理正是为此而提出。",
    ),
    "p5": ("Decodes stand still while any prefill can run.", "只要有 prefill 能运行，decode 就停着。"),
    "p6": (
        "The order of admission does it here, no rule that puts decodes first.",
        "起作用的是准入顺序，并没有 decode 优先的规则。",
    ),
    "p7": (
        "Waiting rounds are no time: a round has no length here.",
        "等待的轮数不是时间：这里的一轮没有长度。",
    ),
}

MISREAD: dict[str, tuple[str, str]] = {
    "no_budget": ("That is what happens without a budget.", "这是没有预算时的结果。"),
    "decodes_first": (
        "Decodes come first in your rounds; what comes first under this rule?",
        "你的轮次里 decode 在先；这条规则里什么在先？",
    ),
    "prefills_first": (
        "Prefills come first in your rounds; what comes first under this rule?",
        "你的轮次里 prefill 在先；这条规则里什么在先？",
    ),
    "phases_apart": (
        "Prefills and decodes never share a round in yours: does this rule keep them apart?",
        "你的轮次里 prefill 与 decode 从不同轮：这条规则要求分开吗？",
    ),
    "one_decode_more": (
        "The end of a prefill yields the first output token already.",
        "prefill 结束时已经得到第一个输出 token。",
    ),
    "there_from_the_start": ("D is not there before it arrives.", "D 到达之前并不在场。"),
}

_RULED_OUT = {  # what cannot be told from the right rounds, or is the rule itself
    **dict.fromkeys(("p1", "p2", "p6", "p7"), "decodes_first"),
    "p3": "prefills_first",
    "p5": "phases_apart",
}

DIAGNOSES: dict[str, tuple[str, str]] = {
    f"{problem}_{name}": pair
    for problem in ("p1", "p2", "p3", "p4", "p5", "p6", "p7")
    for name, pair in MISREAD.items()
    if _RULED_OUT.get(problem) != name
}

STEPS: dict[str, tuple[str, str]] = {
    "p1": (
        "Write down who is there in the first round, and how many tokens each could take.\nHand out {budget} tokens in the order of the rule; note what each has left, and go on to the next round.\nD joins in round {d_arrive}. After its last prefill token a request only decodes, a token a round.",
        "写下第一轮有谁在场、每个最多能取多少 token。\n按规则的顺序分配 {budget} 个 token，记下各自还剩多少，再做下一轮。\nD 在第 {d_arrive} 轮加入。最后一个 prefill token 之后，请求每轮只 decode 一个 token。",
    ),
    "p2": (
        "Write down who is there in the first round, and how many tokens each could take.\nHand out {budget} tokens in the order of the rule; note what each has left, and go on to the next round.\nD joins in round {d_arrive}. After its last prefill token a request only decodes, a token a round.",
        "写下第一轮有谁在场、每个最多能取多少 token。\n按规则的顺序分配 {budget} 个 token，记下各自还剩多少，再做下一轮。\nD 在第 {d_arrive} 轮加入。最后一个 prefill token 之后，请求每轮只 decode 一个 token。",
    ),
    "p3": (
        "Write down who is there in the first round, and how many tokens each could take.\nHand out {budget} tokens in the order of the rule; note what each has left, and go on to the next round.\nD joins in round {d_arrive}. After its last prefill token a request only decodes, a token a round.",
        "写下第一轮有谁在场、每个最多能取多少 token。\n按规则的顺序分配 {budget} 个 token，记下各自还剩多少，再做下一轮。\nD 在第 {d_arrive} 轮加入。最后一个 prefill token 之后，请求每轮只 decode 一个 token。",
    ),
    "p4": (
        "Write down who is there in the first round, and how many tokens each could take.\nHand out {budget} tokens in the order of the rule; note what each has left, and go on to the next round.\nD joins in round {d_arrive}. After its last prefill token a request only decodes, a token a round.",
        "写下第一轮有谁在场、每个最多能取多少 token。\n按规则的顺序分配 {budget} 个 token，记下各自还剩多少，再做下一轮。\nD 在第 {d_arrive} 轮加入。最后一个 prefill token 之后，请求每轮只 decode 一个 token。",
    ),
    "p5": (
        "Write down who is there in the first round, and how many tokens each could take.\nHand out {budget} tokens in the order of the rule; note what each has left, and go on to the next round.\nD joins in round {d_arrive}. After its last prefill token a request only decodes, a token a round.",
        "写下第一轮有谁在场、每个最多能取多少 token。\n按规则的顺序分配 {budget} 个 token，记下各自还剩多少，再做下一轮。\nD 在第 {d_arrive} 轮加入。最后一个 prefill token 之后，请求每轮只 decode 一个 token。",
    ),
    "p6": (
        "Write down who is there in the first round, and how many tokens each could take.\nHand out {budget} tokens in the order of the rule; note what each has left, and go on to the next round.\nD joins in round {d_arrive}. After its last prefill token a request only decodes, a token a round.",
        "写下第一轮有谁在场、每个最多能取多少 token。\n按规则的顺序分配 {budget} 个 token，记下各自还剩多少，再做下一轮。\nD 在第 {d_arrive} 轮加入。最后一个 prefill token 之后，请求每轮只 decode 一个 token。",
    ),
    "p7": (
        "Write down who is there in the first round, and how many tokens each could take.\nHand out {budget} tokens in the order of the rule; note what each has left, and go on to the next round.\nD joins in round {d_arrive}. After its last prefill token a request only decodes, a token a round.",
        "写下第一轮有谁在场、每个最多能取多少 token。\n按规则的顺序分配 {budget} 个 token，记下各自还剩多少，再做下一轮。\nD 在第 {d_arrive} 轮加入。最后一个 prefill token 之后，请求每轮只 decode 一个 token。",
    ),
}

SOLUTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "Rule decode-first: one token to each request that decodes, in order, then prefills in order.\n{rounds}\ntokens of C, round by round: {answer}\nall rounds together hand out {total} tokens: both prefills and every decode pass",
        "规则 decode-first：先按顺序给每个正在 decode 的请求一个 token，再按顺序做 prefill。\n{rounds}\nC 逐轮的 token 数：{answer}\n全部轮次共分配 {total} 个 token：两段 prefill 加每一次 decode",
    ),
    "p2": (
        "Rule decode-first: one token to each request that decodes, in order, then prefills in order.\n{rounds}\nrounds: {answer}\nall rounds together hand out {total} tokens: both prefills and every decode pass",
        "规则 decode-first：先按顺序给每个正在 decode 的请求一个 token，再按顺序做 prefill。\n{rounds}\n轮次：{answer}\n全部轮次共分配 {total} 个 token：两段 prefill 加每一次 decode",
    ),
    "p3": (
        "Rule prefill-first: prefills in order, then one token to each request that decodes.\n{rounds}\nrounds: {answer}\nall rounds together hand out {total} tokens: both prefills and every decode pass",
        "规则 prefill-first：先按顺序做 prefill，再给每个正在 decode 的请求一个 token。\n{rounds}\n轮次：{answer}\n全部轮次共分配 {total} 个 token：两段 prefill 加每一次 decode",
    ),
    "p4": (
        "Rule static: A and B are the first batch; who waits when it has ended forms the next, prefills, then decodes.\n{rounds}\nrounds: {answer}\nall rounds together hand out {total} tokens: both prefills and every decode pass",
        "规则 static：A 和 B 是第一批；它结束时在等待的请求组成下一批，先 prefill，再 decode。\n{rounds}\n轮次：{answer}\n全部轮次共分配 {total} 个 token：两段 prefill 加每一次 decode",
    ),
    "p5": (
        "Rule nano-vllm: a round is all prefill, if any can run, or all decode; decodes are not counted in the budget.\n{rounds}\nrounds: {answer}\nall rounds together hand out {total} tokens: both prefills and every decode pass",
        "规则 nano-vllm：一轮要么全是 prefill（只要有能运行的），要么全是 decode；decode 不计入预算。\n{rounds}\n轮次：{answer}\n全部轮次共分配 {total} 个 token：两段 prefill 加每一次 decode",
    ),
    "p6": (
        "Rule vllm: running requests get their next tokens in order of admission, then waiting ones are admitted in order.\n{rounds}\nrounds: {answer}\nall rounds together hand out {total} tokens: both prefills and every decode pass",
        "规则 vllm：运行中的请求按准入顺序取得后续 token，然后按顺序准入等待的请求。\n{rounds}\n轮次：{answer}\n全部轮次共分配 {total} 个 token：两段 prefill 加每一次 decode",
    ),
    "p7": (
        "Rule decode-first: one token to each request that decodes, in order, then prefills in order.\n{rounds}\nrounds without a token: {answer}\nall rounds together hand out {total} tokens: both prefills and every decode pass",
        "规则 decode-first：先按顺序给每个正在 decode 的请求一个 token，再按顺序做 prefill。\n{rounds}\n没有 token 的轮数：{answer}\n全部轮次共分配 {total} 个 token：两段 prefill 加每一次 decode",
    ),
}
