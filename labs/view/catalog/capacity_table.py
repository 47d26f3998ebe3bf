"""Texts of the capacity lab's table: (English, Chinese)."""

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "capacity --table: KV of one request, by model and scenario (tokens in + tokens out). KV in {dtype}.",
        "capacity --table：一个请求的 KV，按模型与场景（输入 + 输出 token 数）。KV 为 {dtype}。",
    ),
    "formula": (
        "model: KV = tokens x B/token; of the course's models B/token = 2 (K and V) x layers x KV heads x head dim x"
        " bytes per element (windows charged in full)",
        "model：KV = token 数 x B/token；课程模型的 B/token = 2（K 和 V）x 层数 x KV head 数 x head dim x 每元素字节数（窗口按全长计）",
    ),
    "columns": ("model|layers|KV heads|head dim|B/token", "模型|层数|KV head 数|head dim|B/token"),
    "mixed": ("mixed", "不一"),
    "question_1": (
        "Question 1: KV of one {model} request in scenario C?\n"
        "  {per_token} B/token x {tokens} tokens = {bytes} B      (tokens cancel)\n"
        "  {answer}",
        "问题 1：{model} 在场景 C 中一个请求的 KV 是多少？\n"
        "  {per_token} B/token x {tokens} token = {bytes} B      （token 约去）\n"
        "  {answer}",
    ),
    "question_2": (
        "Question 2: KV of {count} concurrent {model} requests in scenario B?\n"
        "  {count} requests x {each}/request = {bytes} B      (requests cancel)\n"
        "  {answer}",
        "问题 2：{model} 在场景 B 中 {count} 个并发请求共需多少 KV？\n"
        "  {count} 个请求 x {each}/请求 = {bytes} B      （请求约去）\n"
        "  {answer}",
    ),
    "question_3": (
        "Question 3: how many {model} requests in scenario C fit on an {card} GB card with about {weights} GB"
        " of weights?\n"
        "  floor((card x utilisation - weights) / {each}); the question leaves the units and the utilisation open:",
        "问题 3：{card} GB 的卡、约 {weights} GB 权重，能放下多少个 {model} 场景 C 请求？\n"
        "  floor((卡容量 x 利用率 - 权重) / {each})；题目没有说明单位与利用率：",
    ),
    "reading_columns": (
        "requests|card|weights|utilisation|free / one request = quotient|assumption",
        "请求数|卡容量|权重|利用率|空闲 / 单个请求 = 商|假设",
    ),
    "reading_GiB_GiB": ("binary: every GB means 2^30", "二进制：GB 都指 2^30"),
    "reading_GB_GB": ("decimal: every GB means 10^9", "十进制：GB 都指 10^9"),
    "reading_GiB_GB": ("card binary, weights decimal", "卡容量按二进制，权重按十进制"),
    "reading_100": (", the whole card", "，整卡可用"),
    "reading_90": (", 0.9 of the card", "，卡的 0.9 可用"),
    "yours": ("yours", "你的模型"),
    "why": (
        "Why: the same question has {lowest} to {highest} as its answer. Reading only the card as GiB instead of"
        " GB makes {decimal} requests {card}; reading both as GiB makes them {binary}; leaving a tenth of the card"
        " unused makes {binary} {tenth}. So say which you mean.",
        "原因：同一个问题的答案可以从 {lowest} 到 {highest}。只把卡容量从 GB 读作 GiB，{decimal} 个变成 {card} 个；"
        "卡与权重都读作 GiB，变成 {binary} 个；再留出十分之一的卡不用，{binary} 个变成 {tenth} 个。所以要说明采用哪种读法。",
    ),
    "unused_knobs": (
        "The table does not use {knobs}.",
        "表格不使用 {knobs}。",
    ),
    "not_shown": (
        "Does not show: activations, the engine's own memory, rounding to blocks, requests that grow while they"
        " run. The readings are upper bounds.",
        "未展示：激活、引擎自身的内存、按块取整、请求在运行中增长。以上读法都是上界。",
    ),
    "next_fp8": (
        "Next: python3 inference_lab.py capacity --table --kv-dtype fp8  (predict what halves and what doubles)",
        "下一步：python3 inference_lab.py capacity --table --kv-dtype fp8（先预测什么减半、什么加倍）",
    ),
    "next_own": (
        "Next: python3 inference_lab.py capacity --table --model qwen3-8b  (predict the fourth row)",
        "下一步：python3 inference_lab.py capacity --table --model qwen3-8b（先预测第四行）",
    ),
}
