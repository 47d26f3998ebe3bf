"""What was wrong with a prediction's text, by rule: (English, Chinese)."""

PREDICT_RULES: dict[str, tuple[str, str]] = {
    "predict_empty": ("holds no prediction", "没有写预测"),
    "predict_round_order": (
        "rounds follow one another from 1 on, and a number, a new line, | or ; begins one; due is round {due}",
        "各轮须从 1 起依次写出，轮号、换行、| 或 ; 都表示新的一轮；此处应为第 {due} 轮",
    ),
    "predict_empty_round": (
        "an empty round: write - for a round in which nobody is served",
        "此轮为空：没有调度任何请求的一轮请写 -",
    ),
    "predict_no_share": (
        "must be a request and its tokens, such as C prefill 6 or C6; a new line, | or ; begins the next round",
        "必须是请求名和 token 数，例如 C prefill 6 或 C6；换行、| 或 ; 表示下一轮",
    ),
    "predict_twice": (
        "stands twice in this round; a new line, | or ; begins the next",
        "在这一轮中出现了两次；换行、| 或 ; 表示下一轮",
    ),
    "predict_no_matches": (
        "must be matches, such as [True, False, False], TFF or hit miss miss, or reusable: 2",
        "必须是各块是否匹配，例如 [True, False, False]、TFF 或 命中 未命中 未命中，或 可复用：2",
    ),
    "predict_block_order": (
        "blocks follow one another from 0 on",
        "各块须从 0 起依次写出",
    ),
    "predict_no_reuse": ("needs a number of tokens, such as reusable: 2", "缺少 token 数，例如 可复用：2"),
    "predict_no_salt": (
        "no look-up without the salt is run; give --salt",
        "没有去掉 salt 的查找；请给出 --salt",
    ),
    "predict_unnamed": (
        "names no quantity; write NAME=QUANTITY, where known are {known}",
        "没有指明是哪个量；请写 名称=数量，可用的名称：{known}",
    ),
    "predict_no_number": ("holds no number", "没有数字"),
    "predict_arithmetic": ("is arithmetic: write what it gives", "是算式：请写出结果"),
    "predict_a_count": ("is a count, and takes no unit of bytes", "是个数，不能带字节单位"),
    "predict_not_in_run": (
        "this run does not solve {name}: it was not given what it takes",
        "本次运行没有求解 {name}：缺少所需的参数",
    ),
    "predict_no_claim": (
        "must be rows, such as recompute 10, cached 4; or equalities, such as TTTT or position 0: True",
        "必须是行数，例如 重算 10，缓存 4；或各位置是否相等，例如 TTTT 或 位置 0：True",
    ),
    "goes_with": (
        "goes with {choices}",
        "只能用于：{choices}",
    ),
}
