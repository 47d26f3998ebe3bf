"""The sheet `module5`: (English, Chinese). Only questions and solutions hold digits."""

TITLE: dict[str, tuple[str, str]] = {
    "title": (
        "Module 5: the KV cache of three models in three scenarios, and what fits on a card.",
        "模块 5：三个模型在三种场景下的 KV cache，以及显卡放得下多少请求。",
    ),
}

QUESTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "{model}: {layers} layers, {query_heads} query heads, {kv_heads} KV heads, head dimension {head_dim}, FP16. How large is a request's KV cache with prompt + output of {prompts[0]}+{outputs[0]}, {prompts[1]}+{outputs[1]} and {prompts[2]}+{outputs[2]} tokens? Answer in MiB: [A, B, C].",
        "{model}：{layers} 层，{query_heads} 个 query head，{kv_heads} 个 KV head，head dim {head_dim}，FP16。prompt + 输出为 {prompts[0]}+{outputs[0]}、{prompts[1]}+{outputs[1]}、{prompts[2]}+{outputs[2]} 个 token 时，一个请求的 KV cache 各多大？以 MiB 作答：[A, B, C]。",
    ),
    "p2": (
        "{model}: {layers} layers, {query_heads} query heads, {kv_heads} KV heads, head dimension {head_dim}, FP16. How large is a request's KV cache with prompt + output of {prompts[0]}+{outputs[0]}, {prompts[1]}+{outputs[1]} and {prompts[2]}+{outputs[2]} tokens? Answer in MiB: [A, B, C].",
        "{model}：{layers} 层，{query_heads} 个 query head，{kv_heads} 个 KV head，head dim {head_dim}，FP16。prompt + 输出为 {prompts[0]}+{outputs[0]}、{prompts[1]}+{outputs[1]}、{prompts[2]}+{outputs[2]} 个 token 时，一个请求的 KV cache 各多大？以 MiB 作答：[A, B, C]。",
    ),
    "p3": (
        "{model}: {layers} layers, {query_heads} query heads, {kv_heads} KV heads, head dimension {head_dim}, FP16. How large is a request's KV cache with prompt + output of {prompts[0]}+{outputs[0]}, {prompts[1]}+{outputs[1]} and {prompts[2]}+{outputs[2]} tokens? Answer in MiB: [A, B, C].",
        "{model}：{layers} 层，{query_heads} 个 query head，{kv_heads} 个 KV head，head dim {head_dim}，FP16。prompt + 输出为 {prompts[0]}+{outputs[0]}、{prompts[1]}+{outputs[1]}、{prompts[2]}+{outputs[2]} 个 token 时，一个请求的 KV cache 各多大？以 MiB 作答：[A, B, C]。",
    ),
    "p4": (
        "{model} has {layers} layers, {query_heads} query heads, {kv_heads} KV heads and head dimension {head_dim}, FP16. How large is the KV cache of one request of {prompts[0]}+{outputs[0]} tokens? Answer in MiB: one number.",
        "{model} 有 {layers} 层、{query_heads} 个 query head、{kv_heads} 个 KV head，head dim {head_dim}，FP16。一个 {prompts[0]}+{outputs[0]} token 的请求，KV cache 多大？以 MiB 作答：一个数。",
    ),
    "p5": (
        "{model} has {layers} layers, {query_heads} query heads, {kv_heads} KV heads and head dimension {head_dim}, FP16. How much KV do {concurrent} concurrent requests of {prompts[0]}+{outputs[0]} tokens hold? Answer in GiB: one number.",
        "{model} 有 {layers} 层、{query_heads} 个 query head、{kv_heads} 个 KV head，head dim {head_dim}，FP16。{concurrent} 个并发请求，每个 {prompts[0]}+{outputs[0]} token，共占多少 KV？以 GiB 作答：一个数。",
    ),
    "p6": (
        "{model} has {layers} layers, {query_heads} query heads, {kv_heads} KV heads and head dimension {head_dim}, FP16. How many requests of {prompts[0]}+{outputs[0]} tokens fit on a card of {card} GB beside {weights} GB of weights? The sizes may mean GB or GiB, and an engine may use only a share of the card: name your assumptions. Answer: [requests, card, weights, share], sizes in quotes with GB or GiB, the share up to 1.",
        "{model} 有 {layers} 层、{query_heads} 个 query head、{kv_heads} 个 KV head，head dim {head_dim}，FP16。显存 {card} GB 的卡上，除去 {weights} GB 权重，能放下多少个 {prompts[0]}+{outputs[0]} token 的请求？两个大小可能指 GB 或 GiB，引擎也可能只用显存的一部分：请写明假设。作答：[请求数, 显存, 权重, 比例]，大小写成带 GB 或 GiB 的字符串，比例至多为 1。",
    ),
}

NOTES: dict[str, tuple[str, str]] = {
    "p1": ("KV heads, not query heads, set the size.", "决定大小的是 KV head，不是 query head。"),
    "p2": ("Few KV heads make a small cache, whatever the number of layers.", "KV head 少，缓存就小。"),
    "p3": (
        "Many more weights do not mean as much more KV per token.",
        "权重多出许多倍，每 token 的 KV 不会多同样的倍数。",
    ),
    "p4": ("This is one request; a card holds many, or few.", "这只是一个请求；一张卡能放多少，还要另算。"),
    "p5": (
        "Requests that end early hold less; those under way have not grown to this yet.",
        "提前结束的请求占得少；进行中的请求还没有长到这么大。",
    ),
    "p6": (
        "Right under the assumptions you named; another reading gives another number. Activations and blocks come on top.",
        "在你写明的假设下正确；换一种读法数就不同。激活和按块取整还要另算。",
    ),
}

SIZES: dict[str, tuple[str, str]] = {
    "query_heads": (
        "K and V are stored for every KV head; query heads share them.",
        "K 和 V 按 KV head 存储，query head 共用它们。",
    ),
    "k_or_v_forgotten": ("Are K and V both counted?", "K 和 V 都算了吗？"),
    "bits_for_bytes": ("Bits and bytes are mixed up: sizes count bytes.", "bit 与字节混淆了：大小以字节计。"),
    "decimal_unit": ("Powers of ten and of two are mixed up.", "十的幂与二的幂混淆了。"),
    "prompt_only": ("The output's tokens leave K and V too.", "输出的 token 也会留下 K 和 V。"),
    "output_only": ("The prompt's tokens stay in the cache as well.", "prompt 的 token 同样留在缓存里。"),
    "one_layer": ("This is the KV of a single layer.", "这是单层的 KV。"),
    "other_unit": ("This counts another unit than the question asks for.", "单位与题目所问的不同。"),
}

DIAGNOSES: dict[str, tuple[str, str]] = {
    **{
        f"{problem}_{name}": pair
        for problem in ("p1", "p2", "p3", "p4", "p5")
        for name, pair in SIZES.items()
    },
    "p5_one_request": ("This is the KV of a single request.", "这是单个请求的 KV。"),
    "p6_weights_left_out": ("The weights lie on the same card.", "权重也在同一张卡上。"),
    "p6_rounded_up": ("A request that fits only in part does not fit.", "只放得下一部分的请求不算。"),
    "p6_share_of_the_rest": (
        "The share is one of the whole card; the weights are taken off after it.",
        "比例是对整张卡而言的；先乘比例，再减权重。",
    ),
    "p6_half_a_request": (
        "The KV of a request is too small by half: K and V?",
        "一个请求的 KV 少了一半：K 和 V 都算了吗？",
    ),
}

STEPS: dict[str, tuple[str, str]] = {
    "p1": (
        "Bytes of a token: K and V, times {layers} layers, times {kv_heads} KV heads, times head dimension {head_dim}, times the bytes of an element.\nThe prompt and the output both leave K and V: multiply by the tokens of both, then divide by the bytes of the unit, a power of two.",
        "每 token 字节数：K 和 V，乘 {layers} 层，乘 {kv_heads} 个 KV head，乘 head dim {head_dim}，乘每个元素的字节数。\nprompt 和输出都会留下 K 和 V：乘以两者的 token 数之和，再除以单位的字节数（二的幂）。",
    ),
    "p2": (
        "Bytes of a token: K and V, times {layers} layers, times {kv_heads} KV heads, times head dimension {head_dim}, times the bytes of an element.\nThe prompt and the output both leave K and V: multiply by the tokens of both, then divide by the bytes of the unit, a power of two.",
        "每 token 字节数：K 和 V，乘 {layers} 层，乘 {kv_heads} 个 KV head，乘 head dim {head_dim}，乘每个元素的字节数。\nprompt 和输出都会留下 K 和 V：乘以两者的 token 数之和，再除以单位的字节数（二的幂）。",
    ),
    "p3": (
        "Bytes of a token: K and V, times {layers} layers, times {kv_heads} KV heads, times head dimension {head_dim}, times the bytes of an element.\nThe prompt and the output both leave K and V: multiply by the tokens of both, then divide by the bytes of the unit, a power of two.",
        "每 token 字节数：K 和 V，乘 {layers} 层，乘 {kv_heads} 个 KV head，乘 head dim {head_dim}，乘每个元素的字节数。\nprompt 和输出都会留下 K 和 V：乘以两者的 token 数之和，再除以单位的字节数（二的幂）。",
    ),
    "p4": (
        "Bytes of a token: K and V, times {layers} layers, times {kv_heads} KV heads, times head dimension {head_dim}, times the bytes of an element.\nThe prompt and the output both leave K and V: multiply by the tokens of both, then divide by the bytes of the unit, a power of two.",
        "每 token 字节数：K 和 V，乘 {layers} 层，乘 {kv_heads} 个 KV head，乘 head dim {head_dim}，乘每个元素的字节数。\nprompt 和输出都会留下 K 和 V：乘以两者的 token 数之和，再除以单位的字节数（二的幂）。",
    ),
    "p5": (
        "Bytes of a token: K and V, times {layers} layers, times {kv_heads} KV heads, times head dimension {head_dim}, times the bytes of an element.\nThe prompt and the output both leave K and V: multiply by the tokens of both, then divide by the bytes of the unit, a power of two.\nThat is one request: there are {concurrent} of them.",
        "每 token 字节数：K 和 V，乘 {layers} 层，乘 {kv_heads} 个 KV head，乘 head dim {head_dim}，乘每个元素的字节数。\nprompt 和输出都会留下 K 和 V：乘以两者的 token 数之和，再除以单位的字节数（二的幂）。\n这是一个请求：共有 {concurrent} 个。",
    ),
    "p6": (
        "Decide how to read {card} and {weights}, and which share of the card may be used.\nCard times share, minus weights, is left for KV: all in bytes.\nHow many whole requests of {prompts[0]}+{outputs[0]} tokens go into that?",
        "先确定 {card} 和 {weights} 怎么读、显存可用的比例是多少。\n显存乘比例再减权重，就是留给 KV 的字节数。\n其中能放下多少个完整的 {prompts[0]}+{outputs[0]} token 请求？",
    ),
}

SOLUTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "KV bytes = 2 (K and V) x layers x KV heads x head dim x bytes per element x tokens\n2 x {layers} x {kv_heads} x {head_dim} x 2 = {per_token} B; x {tokens} tokens\nB / 2^20 = MiB: {answer}\ntwice the tokens take twice as much: the formula is linear",
        "KV 字节数 = 2（K 和 V）x 层数 x KV head x head dim x 每元素字节数 x token 数\n2 x {layers} x {kv_heads} x {head_dim} x 2 = {per_token} B；x {tokens} token\nB / 2^20 = MiB：{answer}\ntoken 加倍，大小也加倍：公式是线性的",
    ),
    "p2": (
        "KV bytes = 2 (K and V) x layers x KV heads x head dim x bytes per element x tokens\n2 x {layers} x {kv_heads} x {head_dim} x 2 = {per_token} B; x {tokens} tokens\nB / 2^20 = MiB: {answer}\ntwice the tokens take twice as much: the formula is linear",
        "KV 字节数 = 2（K 和 V）x 层数 x KV head x head dim x 每元素字节数 x token 数\n2 x {layers} x {kv_heads} x {head_dim} x 2 = {per_token} B；x {tokens} token\nB / 2^20 = MiB：{answer}\ntoken 加倍，大小也加倍：公式是线性的",
    ),
    "p3": (
        "KV bytes = 2 (K and V) x layers x KV heads x head dim x bytes per element x tokens\n2 x {layers} x {kv_heads} x {head_dim} x 2 = {per_token} B; x {tokens} tokens\nB / 2^20 = MiB: {answer}\ntwice the tokens take twice as much: the formula is linear",
        "KV 字节数 = 2（K 和 V）x 层数 x KV head x head dim x 每元素字节数 x token 数\n2 x {layers} x {kv_heads} x {head_dim} x 2 = {per_token} B；x {tokens} token\nB / 2^20 = MiB：{answer}\ntoken 加倍，大小也加倍：公式是线性的",
    ),
    "p4": (
        "KV bytes = 2 (K and V) x layers x KV heads x head dim x bytes per element x tokens\n2 x {layers} x {kv_heads} x {head_dim} x 2 = {per_token} B; x {tokens} tokens\nB / 2^20 = MiB: {answer}\ntwice the tokens take twice as much: the formula is linear",
        "KV 字节数 = 2（K 和 V）x 层数 x KV head x head dim x 每元素字节数 x token 数\n2 x {layers} x {kv_heads} x {head_dim} x 2 = {per_token} B；x {tokens} token\nB / 2^20 = MiB：{answer}\ntoken 加倍，大小也加倍：公式是线性的",
    ),
    "p5": (
        "KV bytes = 2 (K and V) x layers x KV heads x head dim x bytes per element x tokens x requests\n2 x {layers} x {kv_heads} x {head_dim} x 2 = {per_token} B; x {tokens} tokens x {concurrent} requests\nB / 2^30 = GiB: {answer}\none request takes that divided by {concurrent}",
        "KV 字节数 = 2（K 和 V）x 层数 x KV head x head dim x 每元素字节数 x token 数 x 请求数\n2 x {layers} x {kv_heads} x {head_dim} x 2 = {per_token} B；x {tokens} token x {concurrent} 个请求\nB / 2^30 = GiB：{answer}\n单个请求是它除以 {concurrent}",
    ),
    "p6": (
        "requests = floor((card x share - weights) / KV of a request)\n({card} GiB x 1 - {weights} GiB) / {each} MiB\nrequests under the assumptions named: {answer}\nother readings: {counts[1]} with share 0.9; {counts[2]} with weights in GB; all in GB {counts[3]}, and {counts[4]} with share 0.9",
        "请求数 = floor((显存 x 比例 - 权重) / 单个请求的 KV)\n({card} GiB x 1 - {weights} GiB) / {each} MiB\n所写假设下的请求数：{answer}\n其他读法：比例 0.9 时 {counts[1]}；权重按 GB 时 {counts[2]}；全部按 GB 时 {counts[3]}，再取比例 0.9 时 {counts[4]}",
    ),
}
