"""What a prediction gets for an answer: (English, Chinese)."""

HELP: dict[str, tuple[str, str]] = {
    "--predict": (
        "compare what you predict with the run: right, or the first difference and its cause; a text in the form that"
        " the lab prints or shorter, a file (@FILE), or standard input (-)",
        "用运行结果检验你的预测：正确，或指出第一处不同及其原因；预测可按本实验的输出格式写，也可简写，可来自文件（@FILE）或标准输入（-）",
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
