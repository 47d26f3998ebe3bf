"""What a prediction gets for an answer: (English, Chinese)."""

HELP: dict[str, tuple[str, str]] = {
    "--predict": (
        "compare what you predict with the run: right, or the first difference and its cause; a text in the form that"
        " the lab prints or shorter, a file (@FILE), or standard input (-)",
        "用运行结果检验你的预测：正确，或指出第一处不同及其原因；预测可按本实验的输出格式写，也可简写，可来自文件（@FILE）或标准输入（-）",
    ),
}

# Behind the help, by command.
FORMS: dict[str, tuple[str, str]] = {
    "": ("", ""),
    "attention": (
        '; such as "recompute 6, cached 3" (rows) or TTFF (whether both paths agree, from position 0 on)',
        "；例如“重算 6，缓存 3”（行数）或 TTFF（各位置是否相等，从位置 0 起）",
    ),
    "prefix": (
        '; such as "TTF | reusable 3": the blocks from 0 on, and the tokens of B that need not be computed',
        "；例如“TTF | 可复用 3”：各块是否匹配（从块 0 起），以及 B 可复用的 token 数",
    ),
    "schedule": (
        '; such as "A2 B1 C5 | A2 C3 D1 | ...": rounds parted by |, phases may be left out, dots leave the rest open',
        "；例如“A2 B1 C5 | A2 C3 D1 | ...”：各轮之间用 | 隔开，阶段名可省略，末尾的 ... 表示其余各轮暂不预测",
    ),
    "capacity": (
        '; such as "kv = 96 KiB, request = 3 GiB, 5 blocks, 80 slots, transfer = 8.6 ms", also logical, physical,'
        " per rank",
        "；例如“kv = 96 KiB, request = 3 GiB, 5 blocks, 80 slots, transfer = 8.6 ms”，另有 logical、physical、per rank",
    ),
    "capacity fit": (
        '; such as "concurrency = 12.5", also blocks, tokens, available, bytes per block, kv, request, fits: yes',
        "；例如“concurrency = 12.5”，另有 blocks、tokens、available、bytes per block、kv、request、fits: yes",
    ),
    "capacity fetch": (
        '; such as "fetch = 28 ms, saving = 7 ms, cheaper: fetch", also recompute, data path, size, effective rate,'
        " break-even length, break-even bandwidth, break-even overlap (or never, always)",
        "；例如“fetch = 28 ms, saving = 7 ms, cheaper: fetch”，另有 recompute、data path、size、effective rate、"
        "break-even length、break-even bandwidth、break-even overlap（可写 never、always）",
    ),
}

TEXTS: dict[str, tuple[str, str]] = {
    "right": ("prediction right: {what}", "预测正确：{what}"),
    "checked_rounds": (
        "{checked} of {checked} rounds are as the rule gives them.",
        "全部 {checked} 轮都与规则给出的一致。",
    ),
    "checked_answers": (
        "{checked} of {checked} answers are as the lab gives them.",
        "全部 {checked} 项都与实验结果一致。",
    ),
    "checked_quantities": (
        "{checked} of {checked} quantities are as the lab gives them.",
        "全部 {checked} 个量都与实验结果一致。",
    ),
    "next_right": (
        "Next: the same line without --predict shows the whole result and why.",
        "下一步：去掉 --predict 再运行同一条命令，查看完整结果与原因。",
    ),
    "first": ("first difference: {place} ({cause})", "第一处不同：{place}（{cause}）"),
    "join": (", ", "，"),
    "list": (", ", "、"),
    "place_round": ("round {value}", "第 {value} 轮"),
    "place_request": ("request {value}", "请求 {value}"),
    "place_block": ("block {value}", "块 {value}"),
    "place_position": ("position {value}", "位置 {value}"),
    "place_quantity": ("{value}", "{value}"),
    "both": ("predicted {predicted}, the lab gives {actual}", "预测 {predicted}，实验结果 {actual}"),
    "only_predicted": ("predicted {predicted}", "预测 {predicted}"),
    "why": ("Why: ", "原因："),
    "next_wrong": (
        "Next: correct it there, and run the same line again; what comes after it was not compared.",
        "下一步：改正此处，再运行同一条命令；此后的内容尚未比较。",
    ),
}
