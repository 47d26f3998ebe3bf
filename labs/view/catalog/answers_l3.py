"""L3's hints in steps and its worked solutions: (English, Chinese), a line a step.

STEPS hold no digit and are given no key. SOLUTIONS are: formula, substitution, units, sanity check.
"""

TITLE: dict[str, tuple[str, str]] = {
    "title": (
        "L3: six problems about KV size, slots, batches, prefix hits, rates and fetching.",
        "L3：六道题，涉及 KV 大小、slot、批次、前缀命中、速率与取回。",
    ),
}

STEPS: dict[str, tuple[str, str]] = {
    "p1": (
        "What does one token leave in one layer? A key vector and a value vector for every KV head.\n"
        "Bytes of a token: K and V, times {layers} layers, times KV heads, times head dimension {head_dim},"
        " times the bytes of a {dtype} element.\n"
        "Multiply by {tokens} tokens; then divide by the bytes of a GiB, a power of two. Do it for"
        " {kv_heads[0]} and for {kv_heads[1]} KV heads.",
        "一个 token 在一层里留下什么？每个 KV head 各一个 key 向量和一个 value 向量。\n"
        "每 token 字节数：K 和 V，乘 {layers} 层，乘 KV head 数，乘 head dim {head_dim}，"
        "再乘一个 {dtype} 元素的字节数。\n"
        "乘以 {tokens} 个 token，再除以一个 GiB 的字节数（二的幂）。"
        "对 {kv_heads[0]} 和 {kv_heads[1]} 个 KV head 各算一次。",
    ),
    "p2": (
        "Positions are cut into logical blocks of {block_size}. In which logical block does {positions[0]} lie?\n"
        "The block table {block_table} gives the physical block for that index; indexes start as in Python.\n"
        "Slot = physical block times {block_size}, plus the remainder of the position by {block_size}.",
        "逻辑位置按每 {block_size} 个切成逻辑块。{positions[0]} 在哪个逻辑块里？\n"
        "用这个下标在块表 {block_table} 里查物理块；下标的起点与 Python 相同。\n"
        "slot = 物理块号乘 {block_size}，再加位置除以 {block_size} 的余数。",
    ),
    "p3": (
        "The batch is one flat row of tokens, request after request: {lengths}.\n"
        "A boundary stands before each request, and one more after the last.\n"
        "Each boundary is the running sum of the lengths before it; the first has nothing before it.",
        "批次是一排平铺的 token，一个请求接一个请求：{lengths}。\n"
        "每个请求之前有一个边界，最后一个请求之后还有一个。\n"
        "每个边界是它之前各长度的累加和；第一个边界之前什么也没有。",
    ),
    "p4": (
        "Someone has to compute the logits of the last token: not all {num_tokens} tokens may be reused.\n"
        "The look-up covers one token less than the prompt. A hit consists of whole blocks only.\n"
        "Divide that bound by {block_size}, keep the whole blocks, and turn them back into tokens.",
        "最后一个 token 的 logits 总要计算：{num_tokens} 个 token 不能全部复用。\n"
        "查找最多覆盖比 prompt 少一个 token 的长度。命中只能是整块。\n"
        "用这个上限除以 {block_size}，取整块数，再换回 token 数。",
    ),
    "p5": (
        "Both are rates: a number of requests divided by {seconds} seconds.\n"
        "Throughput counts every success; goodput only the requests that meet both limits.",
        "两者都是速率：请求数除以 {seconds} 秒。\n"
        "吞吐量数全部成功的请求；goodput 只数同时满足两项限制的请求。",
    ),
    "p6": (
        "List the steps of the fetch: {lookup_ms} ms, {data_path_ms} ms and {conversion_ms} ms.\n"
        "Work of {overlap_ms} ms has to be done anyway, so the fetch does not add it: take it off, once.\n"
        "The saving is {recompute_ms} ms of recomputing minus that cost.",
        "列出取回的各步：{lookup_ms} ms、{data_path_ms} ms 和 {conversion_ms} ms。\n"
        "其中 {overlap_ms} ms 本来就必须做，取回并没有增加它：减去，只减一次。\n"
        "节省等于重算的 {recompute_ms} ms 减去这个代价。",
    ),
}

SOLUTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "KV bytes = 2 (K and V) x layers x KV heads x head dim x bytes per element x tokens\n"
        "2 x {layers} x {kv_heads[0]} x {head_dim} x {bytes_per_element} x {tokens} = {num_bytes[0]} B;"
        " with {kv_heads[1]} KV heads {num_bytes[1]} B\n"
        "B / 2^30 = GiB: {answer}\n"
        "the sizes stand to each other as {kv_heads[0]} to {kv_heads[1]}; one token alone takes"
        " {per_token[0]} and {per_token[1]} B",
        "KV 字节数 = 2（K 和 V）x 层数 x KV head x head dim x 每元素字节数 x token 数\n"
        "2 x {layers} x {kv_heads[0]} x {head_dim} x {bytes_per_element} x {tokens} = {num_bytes[0]} B；"
        "KV head 为 {kv_heads[1]} 时 {num_bytes[1]} B\n"
        "B / 2^30 = GiB：{answer}\n"
        "两个大小之比等于 {kv_heads[0]} 比 {kv_heads[1]}；单个 token 分别占 {per_token[0]} 和 {per_token[1]} B",
    ),
    "p2": (
        "slot = block_table[position // block size] x block size + position mod block size\n"
        "{positions[0]}: table[{indexes[0]}] = {blocks[0]}, {blocks[0]} x {block_size} + {offsets[0]};"
        " {positions[1]}: table[{indexes[1]}] = {blocks[1]}, {blocks[1]} x {block_size} + {offsets[1]}\n"
        "places of one token in the pool (slots): {answer}\n"
        "slot mod {block_size} must equal position mod {block_size}: {offsets[0]} and {offsets[1]}",
        "slot = block_table[位置 // 块大小] x 块大小 + 位置 mod 块大小\n"
        "{positions[0]}：table[{indexes[0]}] = {blocks[0]}，{blocks[0]} x {block_size} + {offsets[0]}；"
        "{positions[1]}：table[{indexes[1]}] = {blocks[1]}，{blocks[1]} x {block_size} + {offsets[1]}\n"
        "池中单个 token 的位置（slot）：{answer}\n"
        "slot mod {block_size} 应等于 位置 mod {block_size}：{offsets[0]} 和 {offsets[1]}",
    ),
    "p3": (
        "query_start_loc = 0, then the running sums of the tokens computed in this round\n"
        "{lengths} -> 0, then {sums}\n"
        "tokens of this round's flat batch: {answer}\n"
        "one entry more than requests; the last equals all tokens of the round, {total}",
        "query_start_loc = 0，然后是本轮各请求计算的 token 数的累加和\n"
        "{lengths} -> 0，然后 {sums}\n"
        "以本轮平铺批次的 token 计：{answer}\n"
        "比请求数多一项；最后一项等于本轮的全部 token 数 {total}",
    ),
    "p4": (
        "reused tokens = (num_tokens - 1) // block size x block size\n"
        "({num_tokens} - 1) // {block_size} = {blocks} blocks; {blocks} x {block_size}\n"
        "tokens: {answer}\n"
        "a multiple of {block_size}, at most {bound}; {rest} tokens are computed, at least one and at most a block",
        "复用 token 数 = (num_tokens - 1) // 块大小 x 块大小\n"
        "({num_tokens} - 1) // {block_size} = {blocks} 块；{blocks} x {block_size}\n"
        "token：{answer}\n"
        "是 {block_size} 的倍数，不超过 {bound}；还要计算 {rest} 个 token，至少一个、至多一块",
    ),
    "p5": (
        "throughput = successes / seconds; goodput = successes within both limits / seconds\n"
        "{successes} / {seconds} and {within_limits} / {seconds}\n"
        "req/s: {answer}\n"
        "goodput never exceeds throughput; {missed} requests succeed but miss a limit",
        "吞吐量 = 成功请求数 / 秒；goodput = 同时满足两项限制的成功请求数 / 秒\n"
        "{successes} / {seconds} 与 {within_limits} / {seconds}\n"
        "req/s：{answer}\n"
        "goodput 不会超过吞吐量；有 {missed} 个请求成功但没有满足限制",
    ),
    "p6": (
        "cost = look-up + data path + conversion - overlap; saving = recompute - cost\n"
        "{lookup_ms} + {data_path_ms} + {conversion_ms} - {overlap_ms} = {steps} - {overlap_ms} = {cost};"
        " {recompute_ms} - {cost} = {saving}\n"
        "ms: {answer}\n"
        "cost and saving add up to recomputing, {recompute_ms} ms; a cost above it would mean: recompute",
        "代价 = 查找 + 数据通路 + 转换 - 重叠；节省 = 重算 - 代价\n"
        "{lookup_ms} + {data_path_ms} + {conversion_ms} - {overlap_ms} = {steps} - {overlap_ms} = {cost}；"
        "{recompute_ms} - {cost} = {saving}\n"
        "ms：{answer}\n"
        "代价与节省之和等于重算的 {recompute_ms} ms；代价若更高，就应当重算",
    ),
}
