"""Texts of the page that `--html` writes: (English, Chinese)."""

HELP: dict[str, tuple[str, str]] = {
    "--html": (
        "write the result as a page to step through, in place of the text: one file, without network; open it in a"
        " browser",
        "把结果写成可逐步翻看的网页，不再输出文本：单个文件，不联网，用浏览器打开",
    ),
}

TEXTS: dict[str, tuple[str, str]] = {
    "how": (
        "Predict what is covered, then uncover it: the arrow keys, the slider, or a click on the question mark."
        " The keys move the lab that takes most of the window; Home covers all. What is uncovered is what is printed.",
        "先预测被盖住的内容，再揭开：按方向键、拖动滑块，或点击问号。按键控制窗口中占面积最大的那个实验，Home 键全部盖住。打印时只印已揭开的内容。",
    ),
    "written": (
        "page: {path} (open it in a browser; each step is covered until you ask for it)",
        "网页：{path}（用浏览器打开；每一步都先盖住，由你揭开）",
    ),
    "no_script": (
        "This browser runs no scripts: everything is uncovered.",
        "浏览器未启用脚本，因此全部内容都已揭开。",
    ),
    "footer": (
        "Written by inference_lab: this run's own data, no engine in the page, nothing from the network.",
        "由 inference_lab 生成：只含本次运行的数据，网页内没有引擎，也不访问网络。",
    ),
    "whole_text": ("The lab's whole text: result and why", "实验的完整输出：结果与原因"),
    "end_covered": (
        "The lab's text with the reasons stands here once everything is uncovered.",
        "全部揭开之后，这里会给出含原因的完整输出。",
    ),
    "none": ("all covered", "全部盖住"),
    "back": ("back", "后退"),
    "on": ("uncover", "揭开"),
    "round": ("round {label}", "第 {label} 轮"),
    "position": ("position {label}", "位置 {label}"),
    "block": ("block {label}", "块 {label}"),
    "line": ("line {label}", "第 {label} 行"),
    "more_columns": (
        "Drawn are rounds up to {last} of {rounds}.",
        "只画出前 {last} 轮（共 {rounds} 轮）。",
    ),
    "more_requests": ("{more} more requests are not drawn.", "另有 {more} 个请求未画出。"),
    "more_positions": ("{more} more positions are not drawn.", "另有 {more} 个位置未画出。"),
    "more_blocks": ("{more} more blocks are not drawn.", "另有 {more} 个块未画出。"),
}

SCHEDULE: dict[str, tuple[str, str]] = {
    "legend": (
        "P prefill tokens, d decode tokens, . waiting, x preempted; a double line ends a request.",
        "P 表示 prefill token，d 表示 decode token，“.” 表示等待，x 表示被抢占；双线表示请求结束。",
    ),
    "request": ("request", "请求"),
    "asked": ("prefill {prefill}, decode {decode}", "prefill {prefill}，decode {decode}"),
    "decoding": ("context {context}, decode {decode}", "上下文 {context}，decode {decode}"),
    "arrives": (", from round {arrive}", "，第 {arrive} 轮到达"),
    "budget": ("budget {budget}", "预算 {budget}"),
    "unused": ("unused", "未用"),
    "blocks": ("blocks in use", "占用块数"),
    "tokens": ("tokens computed", "已计算 token"),
    "table": ("block table", "块表"),
    "state": ("state", "状态"),
    "pool": ("pool: ", "KV 池："),
    "waiting": ("waiting queue: ", "等待队列："),
    "queue": ("free queue after the round: ", "本轮之后的空闲队列："),
    "hit_legend": (
        "Yellow blocks were hit or loaded when the request began; tables stand as scheduled.",
        "黄色的块是请求开始运行时命中或加载得到的；块表为本轮调度完成时的状态。",
    ),
}

ATTENTION: dict[str, tuple[str, str]] = {
    "legend": (
        "One square is one row of K or V: filled where it is projected at this position, empty where it is read from the cache.",
        "一个方格是 K 或 V 的一行：实心表示在该位置投影，空心表示从缓存读取。",
    ),
    "position": ("position", "位置"),
    "recompute": ("recompute projects", "重算投影的行"),
    "cached": ("cached path projects and reads", "缓存路径投影与读取的行"),
    "rows": ("rows so far, recompute / cached", "累计行数，重算 / 缓存"),
    "equal": ("outputs equal to the bit", "输出逐位相等"),
    "store": ("KV cache after position {position}:", "位置 {position} 之后的 KV cache："),
    "physical": ("physical block {block}", "物理块 {block}"),
}

PREFIX: dict[str, tuple[str, str]] = {
    "a": ("A, cached", "A，已缓存"),
    "b": ("B, looked up", "B，待查找"),
    "root": ("root", "根"),
    "no_key": ("not full: no key", "未满：没有键"),
    "nothing": ("(no tokens)", "（没有 token）"),
    "match": ("match", "匹配"),
    "miss": ("miss: {reason}", "未命中：{reason}"),
    "reuse": ("reusable tokens", "可复用的 token"),
    "reach": (
        "the look-up reaches {matching} tokens, the bound is {bound}: {reusable} of {total} are reusable",
        "查找匹配到 {matching} 个 token，上限为 {bound}：{total} 个 token 中可复用 {reusable} 个",
    ),
}

CAPACITY: dict[str, tuple[str, str]] = {
    "line_1": ("1. KV per token", "1. 每 token 的 KV"),
    "line_2": ("2. KV of {tokens} tokens", "2. {tokens} 个 token 的 KV"),
    "line_3": (
        "3. blocks of {lengths} tokens, block={size}",
        "3. {lengths} 个 token 占的块，block={size}",
    ),
    "line_4": ("4. transfer at {rate}", "4. 以 {rate} 传输"),
    "length": ("{length} tokens", "{length} 个 token"),
    "slots": (
        "A filled slot holds a token, a dashed one is reserved and empty.",
        "实心的 slot 存有 token，虚线的 slot 已预留但为空。",
    ),
}
