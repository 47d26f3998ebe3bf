"""The sheet `warmup`: (English, Chinese). Only questions and solutions hold digits."""

TITLE: dict[str, tuple[str, str]] = {
    "title": (
        "Warm-up: five minutes on what the labs assume: units, matrix shapes, K and V, prefill and decode.",
        "热身：用五分钟检查各实验的前提：单位、矩阵形状、K 和 V、prefill 与 decode。",
    ),
}

QUESTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "How many KiB are {mib} MiB? Answer: one number.",
        "{mib} MiB 是多少 KiB？作答：一个数。",
    ),
    "p2": (
        "How many GB (powers of ten) are {gib} GiB (powers of two)? Answer exactly: one number, or arithmetic.",
        "{gib} GiB（二的幂）是多少 GB（十的幂）？请精确作答：一个数或算术式。",
    ),
    "p3": (
        "A link carries {gbit_per_s} Gbit/s. How many GB/s is that? Answer: one number.",
        "一条链路的速率为 {gbit_per_s} Gbit/s，合多少 GB/s？作答：一个数。",
    ),
    "p4": (
        "A token's KV takes 2^{a} bytes. 2^{b} tokens then take 2^x bytes: what is x? Answer: one number.",
        "一个 token 的 KV 占 2^{a} 字节，2^{b} 个 token 就占 2^x 字节：x 是多少？作答：一个数。",
    ),
    "p5": (
        "X has {rows} rows and {inner} columns, W has {inner} rows and {columns} columns. What shape has X W?"
        " Answer: [rows, columns].",
        "X 有 {rows} 行 {inner} 列，W 有 {inner} 行 {columns} 列。X W 的形状是什么？作答：[行数, 列数]。",
    ),
    "p6": (
        "X has {rows} rows and {inner} columns, W has {inner} rows and {columns} columns. How many"
        " multiply-adds does X W take? Answer: one number.",
        "X 有 {rows} 行 {inner} 列，W 有 {inner} 行 {columns} 列。计算 X W 需要多少次乘加？作答：一个数。",
    ),
    "p7": (
        "What does the KV cache hold? Answer: the number of the option."
        " | keys and values of all tokens so far, in every layer"
        " | queries, keys and values of all tokens so far"
        " | the attention weights between all pairs of tokens"
        " | the logits of the tokens so far",
        "KV cache 存的是什么？作答：选项的编号。"
        " | 每一层中迄今所有 token 的 key 和 value"
        " | 迄今所有 token 的 query、key 和 value"
        " | 所有 token 两两之间的注意力权重"
        " | 迄今各 token 的 logits",
    ),
    "p8": (
        "What is prefill? Answer: the number of the option."
        " | computing the prompt's tokens, many in one pass; its end yields the first output token"
        " | computing the output tokens one after the other, each from the one before"
        " | loading the model's weights before the first request",
        "什么是 prefill？作答：选项的编号。"
        " | 计算 prompt 的 token，一次前向可算许多个；结束时得到第一个输出 token"
        " | 逐个计算输出 token，每个都由前一个得出"
        " | 在第一个请求之前加载模型权重",
    ),
    "p9": (
        "What does a decode pass compute for a request? Answer: the number of the option."
        " | one new token, whose query meets the cached keys and values of all tokens before it"
        " | all tokens again, for the cache holds only the prompt"
        " | the text that belongs to the token ids",
        "一次 decode 前向为一个请求计算什么？作答：选项的编号。"
        " | 一个新 token：它的 query 与之前所有 token 已缓存的 key、value 做注意力"
        " | 重新计算全部 token，因为缓存里只有 prompt"
        " | 把 token id 转成文本",
    ),
}

NOTES: dict[str, tuple[str, str]] = {
    "p1": ("Engines print sizes in powers of two.", "引擎打印的大小以二的幂计。"),
    "p2": (
        "That gap is why both units are written out wherever they could be confused.",
        "正因为有这个差别，凡是可能混淆之处都要写清单位。",
    ),
    "p3": ("Links are sold in bits, memory in bytes.", "链路以 bit 计，内存以字节计。"),
    "p4": ("Most shapes are powers of two, so sizes often are.", "形状大多是二的幂，大小也往往如此。"),
    "p5": ("One row a token: that is how the labs count rows.", "一行一个 token：各实验就是这样数行的。"),
    "p6": (
        "The cache spares rows: a row that is not projected costs nothing.",
        "缓存省下的正是行：没有投影的行不花计算。",
    ),
    "p7": ("Queries are used once, so nobody keeps them.", "query 只用一次，所以不保存。"),
    "p8": ("A long prompt may be prefilled in chunks.", "长 prompt 可以分块 prefill。"),
    "p9": (
        "Few rows meet a long cache: decode reads much memory for little arithmetic.",
        "很少的行要读很长的缓存：decode 读内存多、算术少。",
    ),
}

DIAGNOSES: dict[str, tuple[str, str]] = {
    "p1_thousand": (
        "That is the step of kB and MB; KiB and MiB are powers of two.",
        "这是 kB 与 MB 的换算；KiB、MiB 是二的幂。",
    ),
    "p1_upside_down": (
        "KiB are smaller than MiB: are there more of them, or fewer?",
        "KiB 比 MiB 小：个数应当更多还是更少？",
    ),
    "p1_two_steps": ("That is a count of bytes, one prefix too far.", "这是字节数，多换了一级。"),
    "p2_same_number": (
        "GB and GiB are not the same size. Go through bytes.",
        "GB 与 GiB 大小不同。请先换成字节。",
    ),
    "p2_upside_down": (
        "A GB is the smaller one: are there more of them, or fewer?",
        "GB 更小：个数应当更多还是更少？",
    ),
    "p2_one_prefix": (
        "The factor of one prefix step is there; how many steps lie between bytes and GiB?",
        "只换算了一级前缀；从字节到 GiB 有几级？",
    ),
    "p2_rounded": (
        "That is the answer rounded. Write it exactly; arithmetic is allowed.",
        "这是舍入后的答案。请精确作答，可以写算术式。",
    ),
    "p3_bits_for_bytes": (
        "How many bits has a byte, and are there more bytes or bits?",
        "一个字节有多少 bit？字节数应当比 bit 数多还是少？",
    ),
    "p3_tenth": (
        "A byte on this link has no extra bits: count those of memory.",
        "这里的字节没有额外的 bit：按内存中的字节算。",
    ),
    "p3_binary": (
        "That counts GiB; both units of the question are powers of ten.",
        "这是以 GiB 计；题目的两个单位都是十的幂。",
    ),
    "p4_multiplied": (
        "What happens to exponents when powers are multiplied?",
        "同底的幂相乘，指数怎样变化？",
    ),
    "p4_value": (
        "That is the number of bytes; the question asks for the exponent.",
        "这是字节数；题目问的是指数。",
    ),
    "p4_larger_one": ("One factor is missing from the exponent.", "指数里少了一个因子。"),
    "p5_swapped": ("Check the order: rows come first.", "检查顺序：先写行数。"),
    "p5_inner_kept": (
        "The inner size is summed over, so it is no side of the result.",
        "内侧的维度被求和消去，不会出现在结果里。",
    ),
    "p6_outputs": (
        "That is the number of results. How many products does each of them add up?",
        "这是结果的个数。每个结果由多少个乘积相加？",
    ),
    "p6_flops": (
        "That counts multiplications and additions apart; here the pair counts once.",
        "这是把乘和加分开数；这里一对只算一次。",
    ),
    "p6_inputs": ("That is the number of elements of X and W.", "这是 X 和 W 的元素个数。"),
    "p7_second": ("Is an old query ever used again?", "旧的 query 还会再用到吗？"),
    "p7_third": (
        "Attention weights are used at once and differ for every new query.",
        "注意力权重算完即用，且每个新 query 都不同。",
    ),
    "p7_fourth": (
        "Logits serve to sample one token; no later token reads them.",
        "logits 只用于采样一个 token，之后的 token 不会读它。",
    ),
    "p8_second": ("That is decode.", "这是 decode。"),
    "p8_third": ("Weights are loaded once, for all requests.", "权重只加载一次，供所有请求使用。"),
    "p9_second": (
        "Then the cache would spare nothing: what does it hold after each pass?",
        "那样缓存就毫无用处：每次前向之后它存了什么？",
    ),
    "p9_third": (
        "That is detokenisation; no pass of the model is needed for it.",
        "这是 detokenize，不需要模型前向。",
    ),
}

STEPS: dict[str, tuple[str, str]] = {
    "p1": (
        "Ki, Mi and Gi are powers of two, each step the same factor.\nMiB to KiB is one step down, so the count grows: {mib} times that factor.",
        "Ki、Mi、Gi 是二的幂，每级的倍数相同。\nMiB 到 KiB 降一级，数目变大：{mib} 乘这个倍数。",
    ),
    "p2": (
        "Go through bytes: how many bytes are {gib} GiB?\nThen divide those bytes by the bytes of a GB, a power of ten.",
        "先换成字节：{gib} GiB 是多少字节？\n再除以一个 GB 的字节数（十的幂）。",
    ),
    "p3": (
        "G means the same on both sides; only bits and bytes differ.\nDivide {gbit_per_s} by the bits of a byte.",
        "两边的 G 含义相同，不同的只是 bit 与字节。\n用一个字节的 bit 数去除 {gbit_per_s}。",
    ),
    "p4": (
        "All tokens take the bytes of one, times their number.\nWhen powers of the same base are multiplied, add {a} and {b}.",
        "总字节数等于单个 token 的字节数乘 token 数。\n同底的幂相乘，把 {a} 和 {b} 相加。",
    ),
    "p5": (
        "Each row of X meets each column of W.\nThe result has X's rows and W's columns; {inner} is summed over.",
        "X 的每一行与 W 的每一列相乘求和。\n结果有 X 的行数和 W 的列数；{inner} 被求和消去。",
    ),
    "p6": (
        "How many elements has X W?\nEach of them sums {inner} products.",
        "X W 有多少个元素？\n每个元素是 {inner} 个乘积之和。",
    ),
    "p7": (
        "What does a new token's attention read of the tokens before it?",
        "新 token 做注意力时，要从之前的 token 读什么？",
    ),
    "p8": ("Which tokens are there before the first output?", "在第一个输出之前已有哪些 token？"),
    "p9": (
        "How many tokens of a request are new in such a pass?",
        "这样一次前向里，一个请求有多少 token 是新的？",
    ),
}

SOLUTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "KiB = MiB x 1024\n{mib} x 1024\nKiB: {answer}\n{answer} x 1024 = {num_bytes} B, as many as {mib} x 1024 x 1024",
        "KiB = MiB x 1024\n{mib} x 1024\nKiB：{answer}\n{answer} x 1024 = {num_bytes} B，与 {mib} x 1024 x 1024 相同",
    ),
    "p2": (
        "GB = GiB x 2^30 / 10^9\n{gib} x 1073741824 / 1000000000\nGB: {answer}\nabout 7 % more than {gib}: a GB is smaller than a GiB",
        "GB = GiB x 2^30 / 10^9\n{gib} x 1073741824 / 1000000000\nGB：{answer}\n约比 {gib} 多 7 %：GB 比 GiB 小",
    ),
    "p3": (
        "GB/s = Gbit/s / 8\n{gbit_per_s} / 8\nGB/s: {answer}\nfewer bytes than bits",
        "GB/s = Gbit/s / 8\n{gbit_per_s} / 8\nGB/s：{answer}\n字节数应少于 bit 数",
    ),
    "p4": (
        "2^a x 2^b = 2^(a+b)\n{a} + {b}\na bare exponent: {answer}\nlarger than both {a} and {b}",
        "2^a x 2^b = 2^(a+b)\n{a} + {b}\n指数，无单位：{answer}\n比 {a} 和 {b} 都大",
    ),
    "p5": (
        "[m, k] x [k, n] -> [m, n]\n[{rows}, {inner}] x [{inner}, {columns}]\nrows and columns: {answer}\nas many rows as X: one a token",
        "[m, k] x [k, n] -> [m, n]\n[{rows}, {inner}] x [{inner}, {columns}]\n行与列：{answer}\n行数与 X 相同：一行一个 token",
    ),
    "p6": (
        "multiply-adds = m x k x n\n{rows} x {inner} x {columns}\nmultiply-adds: {answer}\ntwice as many rows would take twice as many",
        "乘加次数 = m x k x n\n{rows} x {inner} x {columns}\n乘加次数：{answer}\n行数加倍，次数也加倍",
    ),
    "p7": (
        "attention of a new token reads keys and values of all tokens before it\nso these are kept, in every layer\noption {answer}\nbytes per token then hold a 2, for K and V",
        "新 token 的注意力要读之前所有 token 的 key 和 value\n所以每一层都保存这两者\n选项 {answer}\n每 token 字节数里的 2 正是 K 和 V",
    ),
    "p8": (
        "prefill computes the prompt, decode what comes after it\nthe prompt's tokens are known, so many fit in one pass\noption {answer}\na request of one output token has a prefill and no decode",
        "prefill 计算 prompt，decode 计算其后的 token\nprompt 的 token 已知，一次前向可算许多个\n选项 {answer}\n只输出一个 token 的请求只有 prefill，没有 decode",
    ),
    "p9": (
        "a decode pass computes the newest token\nits K and V are appended, those before it are read\noption {answer}\nthe attention lab projects 4 rows with a cache and 10 without",
        "一次 decode 前向计算最新的一个 token\n它的 K 和 V 追加到缓存，之前的只读\n选项 {answer}\nattention 实验中，有缓存时投影 4 行，没有时 10 行",
    ),
}
