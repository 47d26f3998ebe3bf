"""What the answers room says: (English, Chinese).

QUESTIONS are filled in with a problem's inputs. No other text holds a digit, and none of them is given
a key: a hint says what to check, never what comes out.
"""

QUESTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "A model has {layers} layers, head dimension {head_dim} and a {dtype} KV cache; {tokens} tokens are"
        " cached. How large is the KV cache with {kv_heads[0]} KV heads, and how large with {kv_heads[1]}?"
        " Answer in GiB: [first, second].",
        "模型有 {layers} 层，head dim 为 {head_dim}，KV cache 用 {dtype}，已缓存 {tokens} 个 token。"
        "KV head 为 {kv_heads[0]} 时和为 {kv_heads[1]} 时，KV cache 各多大？"
        "以 GiB 作答：[前者, 后者]。",
    ),
    "p2": (
        "A block holds {block_size} tokens, and a request's block table is {block_table}. Which token slots"
        " of the pool hold its logical positions {positions[0]} and {positions[1]}?"
        " Answer in slots: [first, second].",
        "每块 {block_size} 个 token，某请求的块表为 {block_table}。"
        "逻辑位置 {positions[0]} 和 {positions[1]} 的 token slot 各是多少？以 slot 编号作答：[前者, 后者]。",
    ),
    "p3": (
        "In one round the requests of a batch compute {lengths} tokens, in this order. What is"
        " query_start_loc? Answer in tokens: a list of numbers.",
        "某一轮中，一个批次的各请求依次计算 {lengths} 个 token。query_start_loc 是什么？"
        "以 token 为单位作答：一个数字列表。",
    ),
    "p4": (
        "A block holds {block_size} tokens. A prompt of {num_tokens} tokens is fully cached, and the look-up"
        " is bounded by num_tokens-1. How many tokens are reused? Answer in tokens: one number.",
        "每块 {block_size} 个 token。长为 {num_tokens} token 的 prompt 已全部缓存，"
        "查找以 num_tokens-1 为上限。复用多少 token？以 token 为单位作答：一个数。",
    ),
    "p5": (
        "In {seconds} seconds {successes} requests succeed, and {within_limits} of them meet both the TTFT"
        " and the TPOT limit. What are throughput and goodput? Answer in req/s: [throughput, goodput].",
        "{seconds} 秒内成功 {successes} 个请求，其中 {within_limits} 个同时满足 TTFT 与 TPOT 限制。"
        "吞吐量与 goodput 各是多少？以 req/s 作答：[吞吐量, goodput]。",
    ),
    "p6": (
        "Recomputing a prefix takes {recompute_ms} ms. Fetching its KV instead takes {lookup_ms} ms of"
        " look-up, {data_path_ms} ms on the data path and {conversion_ms} ms of conversion and waiting;"
        " {overlap_ms} ms of all that overlap with work that must be done anyway. What does the fetch cost,"
        " and how much less is that than recomputing? Answer in ms: [cost, saving].",
        "重算某个前缀需 {recompute_ms} ms。改为取回它的 KV：查找 {lookup_ms} ms，"
        "数据通路 {data_path_ms} ms，转换与等待 {conversion_ms} ms；"
        "其中 {overlap_ms} ms 与本来就必须做的工作重叠。取回的代价是多少，比重算少多少？"
        "以 ms 作答：[代价, 节省]。",
    ),
}

HINTS: dict[str, tuple[str, str]] = {
    "p1": (
        "Multiply layers, KV heads, head dimension, tokens and the bytes of an element, for K and for V;"
        " then divide the bytes by those of a GiB, a power of two.",
        "把层数、KV head、head dim、token 数与每个元素的字节数相乘，K 和 V 都要算；"
        "再把字节数除以一个 GiB 的字节数（二的幂）。",
    ),
    "p2": (
        "Divide the position by the block size: the quotient is the index into the block table, the"
        " remainder the offset. The slot is the block's id times the block size, plus the offset.",
        "用块大小去除逻辑位置：商是块表的下标，余数是块内偏移。slot 等于块号乘块大小，再加偏移。",
    ),
    "p3": (
        "Lay this round's tokens of all requests in one row: where does each request start, and where"
        " does the last one end?",
        "把这一轮所有请求的 token 排成一行：每个请求从哪里开始，最后一个在哪里结束？",
    ),
    "p4": (
        "How many tokens may the look-up cover at most, and how many whole blocks fit in that?",
        "查找最多能覆盖多少 token？其中能放下多少个整块？",
    ),
    "p5": (
        "Both are requests divided by the time; they differ in which requests count.",
        "两者都是请求数除以时间；区别在于哪些请求算数。",
    ),
    "p6": (
        "Add the steps of the fetch, take off what must be done anyway, then compare with recomputing.",
        "把取回的各步相加，减去本来就必须做的部分，再与重算比较。",
    ),
}

NOTES: dict[str, tuple[str, str]] = {
    "p1": (
        "Only the KV cache shrinks with the KV heads: the weights stay, so total inference memory does not"
        " fall by that factor.",
        "随 KV head 减少的只有 KV cache：权重不变，总推理显存不会按同样的倍数下降。",
    ),
    "p2": (
        "A slot says nothing about the order of tokens: other free blocks would have given other slots.",
        "slot 不反映 token 的先后：换一批空闲块，slot 就不同。",
    ),
    "p3": (
        "These are boundaries of this round's queries, not the lengths of the KV stored so far.",
        "这是本轮 query 的边界，不是已存 KV 的长度。",
    ),
    "p4": (
        "The rest is not missing from the cache: it is recomputed to get logits.",
        "其余部分并非没有缓存：重算它是为了得到 logits。",
    ),
    "p5": (
        "Neither rate shows how many requests were submitted, failed or rejected: report those too.",
        "这两个速率都看不出提交、失败和被拒绝的请求数：请一并报告。",
    ),
    "p6": (
        "Work saved is no promise about latency: TTFT need not fall by as much.",
        "省下的是工作量，不是对延迟的承诺：TTFT 不一定下降这么多。",
    ),
}

FLAWS: dict[str, tuple[str, str]] = {
    "not_one": (
        "The answer is a single number, in {unit}, or text that carries a unit.",
        "答案应是一个数，以 {unit} 计，或带单位的字符串。",
    ),
    "not_two": (
        "The answer is a list, [first, second]: each a number in {unit}, or text that carries a unit.",
        "答案应是列表 [前者, 后者]：每项是以 {unit} 计的数，或带单位的字符串。",
    ),
    "not_list": (
        "The answer is a list of numbers, in {unit}.",
        "答案应是一个数字列表，以 {unit} 计。",
    ),
    "not_yes": (
        "Write True if you can, False if not yet: nobody else judges this one.",
        "能做到写 True，还不能写 False：这一题由你自己判断。",
    ),
    "not_reading": (
        "Which reading is it? Name the assumptions beside the number, as the question shows: the card's size and"
        " the weights' size, each with GB or GiB, and the share of the card that may be used.",
        "这是哪一种读法？请照题目的格式在数后写明假设：显卡容量和权重大小（各带 GB 或 GiB），以及可用的比例。",
    ),
    "other_sizes": (
        "The assumptions must be those of the question: its sizes, read in GB or GiB, and a share above nothing and"
        " up to the whole.",
        "假设须与题目一致：题中的大小，按 GB 或 GiB 读；比例大于零且不超过全部。",
    ),
    "bare": (
        "The answer has the form that the question names, in bare numbers without text.",
        "请按题目所说的格式作答，只写数，不写字符串。",
    ),
    "partly_blank": ("A part of the list is still blank.", "列表里还有空着的部分。"),
    "no_fitting_unit": (
        "Text must hold a number and one of these units: {units}.",
        "字符串须含一个数和以下单位之一：{units}。",
    ),
}

TEXTS: dict[str, tuple[str, str]] = {
    "sheet": ("Sheet {path}", "答卷 {path}"),
    "made_from": ("made from: {sheet}, seed {seed}", "来源：{sheet}，seed {seed}"),
    "no_header": (
        "no header line (# sheet: NAME  seed: N): checked with the numbers of {shipped}",
        "没有题头行（# sheet: NAME  seed: N）：按 {shipped} 的数检查",
    ),
    "blank": ("{problem} blank: replace ... at {place}", "{problem} 未作答：请替换 {place} 处的 ..."),
    "missing": (
        "{problem} blank: there is no line for it in {place}",
        "{problem} 未作答：{place} 中没有这一行",
    ),
    "right": ("{problem} right. {note}", "{problem} 正确。{note}"),
    "wrong": (
        "{problem} wrong\nasked: {question}\nyou gave: {given}\ncheck: {check}\nedit {place}, then run: {command}",
        "{problem} 错误\n题目：{question}\n你的答案：{given}\n检查：{check}\n修改 {place}，再运行：{command}",
    ),
    "malformed": (
        "{problem} malformed, counts as wrong\nasked: {question}\nyou gave: {given}\ncheck: {check}\n"
        "edit {place}, then run: {command}",
        "{problem} 格式不符，按错误计\n题目：{question}\n你的答案：{given}\n检查：{check}\n"
        "修改 {place}，再运行：{command}",
    ),
    "next": ("Next: fill in {place}, then run: {command}", "下一步：填写 {place}，再运行：{command}"),
    "does_not_show": (
        "Does not show: how you found a number; explain it to someone, with its unit.",
        "未展示：你怎样得出这些数；请连同单位讲给别人听。",
    ),
    "total": (
        "answers: {right} right, {wrong} wrong, {blank} blank",
        "answers: {right} right, {wrong} wrong, {blank} blank",
    ),
    "sheets_help": (
        "answer sheets, or a report (.md); default: the sheet that comes with the lab",
        "答卷文件，或报告（.md）；默认检查随附的答卷",
    ),
}
