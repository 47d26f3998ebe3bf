"""Texts of the capacity lab: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "--model": ("a built-in model: ", "内置模型："),
    "--config": ("a Hugging Face config.json to size", "要计算的 Hugging Face config.json"),
    "--layers": ("layers (32)", "层数（32）"),
    "--kv-heads": ("KV heads of a layer (8)", "每层 KV head 数（8）"),
    "--head-dim": ("elements of one head (128)", "每个 head 的元素数（128）"),
    "--kv-dtype": ("dtype of K and V (bfloat16): ", "K 与 V 的 dtype（bfloat16）："),
    "--tokens": ("tokens of a request (8192)", "一个请求的 token 数（8192）"),
    "--lengths": (
        "requests whose blocks are counted (17,31)",
        "要计算块数的各请求长度（17,31）",
    ),
    "--block-size": ("tokens a block (16)", "每块 token 数（16）"),
    "--concurrency": ("requests at once (1)", "并发请求数（1）"),
    "--shared-prefix": ("tokens that all requests begin with (0)", "所有请求共有的前缀 token 数（0）"),
    "--tp": ("tensor-parallel ranks (1)", "张量并行的 rank 数（1）"),
    "--size": (
        "what is transferred, with a unit: 1GiB (default: the KV of the request)",
        "要传输的数据量，须带单位：1GiB（默认为该请求的 KV）",
    ),
    "--bandwidth": ("line rate, with a unit: 400Gbit/s, 50GB/s", "线路速率，须带单位：400Gbit/s、50GB/s"),
    "--table": (
        "the course's table of models and scenarios, and its three questions",
        "课程的模型与场景表，以及三个问题",
    ),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "capacity: {bound}. {model}, KV in {dtype} ({bytes} B/element).",
        "capacity：{bound}。{model}，KV 为 {dtype}（{bytes} B/元素）。",
    ),
    "setup_bound": ("lower bounds for KV memory and transfer", "KV 内存与传输的下界"),
    "setup_windows": (
        "KV memory and transfer, layers with a window charged in full unless a line says otherwise",
        "KV 内存与传输，除非另有说明，有窗口的层按全长计",
    ),
    "plain": (
        "{layers} layers, {kv_heads} KV heads, head dim {head_dim}",
        "{layers} 层，{kv_heads} 个 KV head，head dim {head_dim}",
    ),
    "named": ("Model {name}: {layers} layers", "模型 {name}：{layers} 层"),
    "trace": (
        "\nFormula, substitution, units (model: by formula; counted: by rule)",
        "\n公式、代入与单位（model：按公式；counted：按规则）",
    ),
    "formula": (
        "  model    KV per token = 2 (K and V) x layers x KV heads x head dim x bytes per element",
        "  model    每 token KV = 2（K 和 V）x 层数 x KV head 数 x head dim x 每元素字节数",
    ),
    "formula_groups": (
        "  model    KV per token = sum over groups of layers x elements per token and layer x bytes per element",
        "  model    每 token KV = 各组（层数 x 每层每 token 元素数 x 每元素字节数）之和",
    ),
    "plain_term": (
        "           2 (K and V) x {layers} layers x {heads} KV heads x {k} elements x {bytes} B/element"
        " = {total} B per token",
        "           2（K 和 V）x {layers} 层 x {heads} KV head x {k} 元素 x {bytes} B/元素"
        " = 每 token {total} B",
    ),
    "kv_term": (
        "           {kind}: {layers} layers x {heads} KV heads x ({k} K + {v} V) elements x {bytes} B/element"
        " = {total} B per token",
        "           {kind}：{layers} 层 x {heads} KV head x ({k} K + {v} V) 元素 x {bytes} B/元素"
        " = 每 token {total} B",
    ),
    "latent_term": (
        "           {kind}: {layers} layers x {elements} elements (one latent, no V) x {bytes} B/element"
        " = {total} B per token",
        "           {kind}：{layers} 层 x {elements} 元素（一个隐向量，没有 V）x {bytes} B/元素"
        " = 每 token {total} B",
    ),
    "linear_term": (
        "           {kind}: {layers} layers keep a state of fixed size = 0 B per token",
        "           {kind}：{layers} 层保存固定大小的状态 = 每 token 0 B",
    ),
    "more_groups": (
        "           ... and {more} more groups (--json)",
        "           ……另有 {more} 组（--json）",
    ),
    "sum": ("           sum = {total} B per token", "           合计 = 每 token {total} B"),
    "request": (
        "  model    KV of a request = tokens x KV per token\n"
        "           {tokens} tokens x {per_token} B/token = {total} B      (tokens cancel)\n"
        "           = {binary} (powers of 1024)\n"
        "           = {decimal} (powers of 1000)",
        "  model    一个请求的 KV = token 数 x 每 token KV\n"
        "           {tokens} token x {per_token} B/token = {total} B      （token 约去）\n"
        "           = {binary}（1024 的幂）\n"
        "           = {decimal}（1000 的幂）",
    ),
    "blocks": (
        "  counted  blocks = ceil(tokens / block size), each request by itself\n"
        "           {terms} = {each} = {blocks} blocks\n"
        "           {blocks} blocks x {size} slots/block = {reserved} slots      (blocks cancel)",
        "  counted  块数 = ceil(token 数 / 块大小)，每个请求各自取整\n"
        "           {terms} = {each} = {blocks} 块\n"
        "           {blocks} 块 x {size} slot/块 = {reserved} slot      （块约去）",
    ),
    "transfer": (
        "  model    transfer = bytes x 8 bit/B / (bit/s)\n"
        "           {total} B x 8 bit/B / {rate} bit/s = {seconds} s = {ms} ms      (B and bit cancel)",
        "  model    传输时间 = 字节数 x 8 bit/B / (bit/s)\n"
        "           {total} B x 8 bit/B / {rate} bit/s = {seconds} s = {ms} ms      （B 与 bit 约去）",
    ),
    "group_columns": (
        "kind|layers|window|B/token/layer|B/token|tokens kept of {tokens}|bytes kept",
        "kind|层数|窗口|B/token/层|B/token|{tokens} token 中保留|保留字节",
    ),
    "per_token": ("\nKV per token: {size}", "\n每 token KV：{size}"),
    "of_tokens": ("KV of {tokens} tokens: {size}", "{tokens} tokens KV：{size}"),
    "slots": (
        "{lengths} tokens, block={size}: {blocks} blocks, {reserved} reserved slots",
        "{lengths} token，block={size}：{blocks} blocks，{reserved} reserved slots",
    ),
    "time": ("{size} / {rate}: about {ms} ms", "{size} / {rate}：约 {ms} ms"),
    "growing": (
        "KV per token that keeps growing (full attention only): {size}",
        "持续增长的每 token KV（仅 full attention）：{size}",
    ),
    "kept": (
        "KV of {tokens} tokens once windows forget: {size} ({saved} less)",
        "{tokens} tokens KV，窗口遗忘之后：{size}（少 {saved}）",
    ),
    "kept_chunked": (
        "KV of {tokens} tokens once windows forget: at most {size} (at least {saved} less)",
        "{tokens} tokens KV，窗口遗忘之后：至多 {size}（至少少 {saved}）",
    ),
    "rank": (
        "KV per token on each of {tp} ranks: {size} (KV of {tokens} tokens: {total})",
        "{tp} 个 rank 中每个 rank 的每 token KV：{size}（{tokens} tokens KV：{total}）",
    ),
    "logical": (
        "Logical use, {concurrency} x {tokens} tokens: {size}",
        "逻辑用量，{concurrency} x {tokens} token：{size}",
    ),
    "physical": (
        "Physical use, {shared} tokens of prefix shared: {size}",
        "物理用量，共享前缀 {shared} token：{size}",
    ),
    "slots_used": (
        "Slots reserved {reserved}, used {used}, empty {empty}",
        "slot：预留 {reserved}，已用 {used}，空闲 {empty}",
    ),
    "why": ("\nWhy: ", "\n原因："),
    "join": (" ", ""),
    "why_pooled": (
        "Each request fills blocks of its own, so each rounds up by itself: {each} = {blocks} blocks. A pool of"
        " {used} tokens would fill {pooled}, but no two requests share a block that is not full.",
        "每个请求填自己的块，所以各自向上取整：{each} = {blocks} 块。把 {used} 个 token 合在一起只要 {pooled} 块，"
        "但没有填满的块不会由两个请求共用。",
    ),
    "why_not_pooled": (
        "Each request rounds up by itself: {each} = {blocks} blocks; for these lengths a pool of {used}"
        " tokens would need {pooled} as well.",
        "每个请求各自向上取整：{each} = {blocks} 块；对这些长度，把 {used} 个 token 合在一起也要 {pooled} 块。",
    ),
    "why_heads": (
        "{query} query heads share {kv} KV heads, and only K and V are stored: counting query heads would give"
        " {wrong} a token, {ratio} times as much.",
        "{query} 个 query head 共用 {kv} 个 KV head，而存下来的只有 K 和 V：按 query head 计算会得到每 token"
        " {wrong}，是 {ratio} 倍。",
    ),
    "why_mha": (
        "Each of the {query} query heads has KV of its own; with a quarter of the KV heads the KV would be a"
        " quarter, the weights would not.",
        "{query} 个 query head 各有自己的 KV；KV head 减到四分之一，KV 也减到四分之一，权重却不会。",
    ),
    "why_kv_heads": (
        "Only KV heads are stored, {kv} in each layer; one more would add {more} a token. The formula is"
        " linear: twice the layers, heads, width, bytes or tokens is twice the KV.",
        "存下来的只有 KV head，每层 {kv} 个；每多一个，每 token 就多 {more}。公式是线性的：层数、head 数、"
        "宽度、字节数或 token 数翻倍，KV 就翻倍。",
    ),
    "why_latent": (
        "MLA keeps one latent of {elements} elements a layer for all its heads; the number of KV heads in the"
        " config does not count.",
        "MLA 每层只存一个 {elements} 元素的隐向量，供全部 head 使用；config 里的 KV head 数不起作用。",
    ),
    "why_layers": ("Of the {layers} layers {parts}.", "{layers} 层中，{parts}。"),
    "layers_full": ("{count} keep all tokens", "{count} 层保留全部 token"),
    "layers_windowed": ("{count} keep only a window of them", "{count} 层只保留窗口内的 token"),
    "layers_linear": ("{count} keep a fixed state", "{count} 层保存固定状态"),
    "layers_none": ("{count} keep no KV of their own", "{count} 层没有自己的 KV"),
    "comma": (", ", "，"),
    "why_transfer": (
        "Links are rated in bits: {rate} is {byte_rate}, and dividing bytes by the number of bits would give"
        " {no_bits} ms.",
        "链路速率以 bit 计：{rate} 即 {byte_rate}，若直接用字节数除以 bit 数会得到 {no_bits} ms。",
    ),
    "why_alone": (
        "With a single request nothing is shared.",
        "只有一个请求，没有可共享的对象。",
    ),
    "why_no_block": (
        "Only whole blocks are shared, and never the last token's: of the {prefix} prefix tokens none.",
        "只有整块可以共享，而最后一个 token 所在的块绝不共享：{prefix} 个前缀 token 中没有可共享的。",
    ),
    "why_shared": (
        "Only whole blocks are shared, and never the last token's: {shared} of the {prefix} prefix tokens"
        " stand once in place of {concurrency} times, which saves {saved}.",
        "只有整块可以共享，而最后一个 token 所在的块绝不共享：{prefix} 个前缀 token 中有 {shared} 个只存一份而不是"
        " {concurrency} 份，省下 {saved}。",
    ),
    "why_rank": (
        "{tp} ranks hold {on_all_ranks} in all, {ratio} x the model's KV: {reason}.",
        "{tp} 个 rank 合计 {on_all_ranks}，是模型 KV 的 {ratio} 倍：{reason}。",
    ),
    "replicated": (
        "a latent, or a KV head that is not split further, stands on every rank that needs it",
        "隐向量或不能再分的 KV head，在每个需要它的 rank 上都有一份",
    ),
    "split": ("the KV heads are split among the ranks", "KV head 由各 rank 分担"),
    "not_shown": (
        "Does not show: weights, activations and the engine's own memory; empty slots of last blocks in the"
        " logical and physical use; fixed states of linear-attention layers; a draft model (it keeps KV of its own: size it"
        " too and add);{in_flight} latency, protocol and contention of the transfer.",
        "未展示：权重、激活与引擎自身的内存；逻辑与物理用量中末块的空闲 slot；线性 attention 层的固定状态；草稿模型（它有自己的 KV，"
        "须另算后相加）；{in_flight}传输的延迟、协议与争用。",
    ),
    "in_flight": (
        " tokens in flight, often the largest part: an engine holds {held}, in_flight = max_num_batched_tokens;",
        "处理中的 token（往往是最大的一项）：引擎保留 {held}，in_flight = max_num_batched_tokens；",
    ),
    "held_sliding": (
        "ceil(min(window - 1 + in_flight, max_len) / {size}) + 1 blocks of a sliding layer",
        "sliding 层每层 ceil(min(window - 1 + in_flight, max_len) / {size}) + 1 块",
    ),
    "held_chunked": (
        "ceil(min(window + in_flight, max_len) / {size}) blocks of a chunked layer",
        "chunked 层每层 ceil(min(window + in_flight, max_len) / {size}) 块",
    ),
    "and": (" and ", "，"),
    "side": (" These are lower bounds.", "以上都是下界。"),
    "side_windows": (
        " Charging windows in full is more than their layers need once tokens leave them; the line on windows that forget is less than"
        " an engine holds.",
        "窗口按全长计，多于这些层的实际需要；窗口遗忘之后的那一行则少于引擎实际保留的量。",
    ),
    "next_heads": (
        'Next: python3 inference_lab.py capacity --kv-heads 32  (predict both: --predict "kv=... | request=...")',
        '下一步：python3 inference_lab.py capacity --kv-heads 32（先预测前两行：--predict "kv=... | request=..."）',
    ),
    "next_share": (
        'Next: python3 inference_lab.py capacity --concurrency 10 --shared-prefix 1000  (predict first: --predict "logical=... | physical=...")',
        '下一步：python3 inference_lab.py capacity --concurrency 10 --shared-prefix 1000（先预测两种用量：--predict "logical=... | physical=..."）',
    ),
    "next_table": (
        "Next: python3 inference_lab.py capacity --table  (predict how many requests fit on 80 GB)",
        "下一步：python3 inference_lab.py capacity --table（先预测 80 GB 能放下多少个请求）",
    ),
}
