"""What was wrong with a model, its config or its deployment, by rule: (English, Chinese)."""

MODEL_RULES: dict[str, tuple[str, str]] = {
    "tp_kv_heads": (
        "{heads} KV heads can neither be split among nor replicated on so many ranks evenly",
        "{heads} 个 KV head 既不能均分到、也不能均匀复制到这么多 rank",
    ),
    "tp_query_heads": ("must divide the {heads} query heads", "必须整除 {heads} 个 query head"),
    "config_missing": ("{key} is missing or null", "缺少 {key}，或其值为 null"),
    "config_whole": (
        "{key} must be a whole number from {least} to {most}",
        "{key} 必须是 {least} 到 {most} 的整数",
    ),
    "config_flag": ("{key} must be true or false", "{key} 必须是 true 或 false"),
    "config_object": ("{key} must be an object", "{key} 必须是对象"),
    "config_list": ("{key} must be a list of layers", "{key} 必须是各层的列表"),
    "config_length": ("{key} must have {layers} entries", "{key} 必须有 {layers} 项"),
    "config_layer_type": (
        "{key} names a kind of layer that is not known here",
        "{key} 含有这里不认识的层类型",
    ),
    "config_disagree": ("{key} and {other} disagree", "{key} 与 {other} 不一致"),
    "config_heads": (
        "{key} must divide the {heads} query heads",
        "{key} 必须整除 {heads} 个 query head",
    ),
    "config_width": (
        "{key} is no multiple of the {heads} query heads, and there is no head_dim",
        "{key} 不是 {heads} 个 query head 的整数倍，又没有 head_dim",
    ),
    "config_like_kv_heads": (
        "{key} looks like a count of KV heads, but is not known here",
        "{key} 像是 KV head 数，但这里不认识",
    ),
    "config_like_latent": (
        "{key} looks like the width of a latent (MLA), but is not known here",
        "{key} 像是隐向量（MLA）的宽度，但这里不认识",
    ),
    "config_state_layers": (
        "{key} belongs to layers with a state, but nothing says which layers hold attention",
        "{key} 属于带状态的层，但没有说明哪些层是 attention",
    ),
    "config_some_layers": (
        "{key} is about some of the layers, but nothing says which",
        "{key} 只涉及部分层，但没有说明是哪些层",
    ),
    "config_encoder_decoder": (
        "{key} says encoder-decoder: its two caches are not sized here",
        "{key} 表明是 encoder-decoder：这里不计算它的两种缓存",
    ),
    "config_encoder_only": (
        "{key} says encoder: there is no KV cache to size",
        "{key} 表明是 encoder：没有 KV cache 可算",
    ),
    "config_indexer": (
        "{key} means a sparse-attention indexer with a cache of its own, which is not sized here",
        "{key} 表示稀疏 attention 的 indexer，它另有缓存，这里不计算",
    ),
    "config_shared_layers": (
        "{key} means that layers share KV in a way that is not sized here",
        "{key} 表示各层之间共享 KV，这里不计算这种共享",
    ),
    "config_cross_attention": (
        "{key} means cross-attention, whose KV does not follow the text: not sized here",
        "{key} 表示 cross-attention，其 KV 不随文本增长：这里不计算",
    ),
    "config_two_attentions": (
        "{key} means two attentions in each layer, which is not sized here",
        "{key} 表示每层有两个 attention，这里不计算",
    ),
    "config_structure": (
        "{key} means a structure of layers that is not known here",
        "{key} 表示这里不认识的层结构",
    ),
    "config_state_kind": (
        "{key} means layers with a state ({kind}), whose size has no formula here: it cannot be planned for",
        "{key} 表示带状态的层（{kind}），这里没有状态大小的公式，无法规划",
    ),
    "config_state_dtype": ("{key} must be one of {choices}", "{key} 只能取 {choices} 之一"),
    "config_rope_factor": ("{key} needs a factor above zero", "{key} 的 factor 必须大于零"),
    "config_latent_window": (
        "has a latent (MLA) inside a window, whose page is not known here",
        "有窗口的层使用隐向量（MLA），这里不知道它的页大小",
    ),
    # deployments
    "state_dtype_fixed": (
        "is not read for {kind}, whose state has a dtype of its own",
        "对 {kind} 不起作用：它的状态有固定的 dtype",
    ),
    "tp_state": (
        "the state ({kind}) of a linear layer cannot be split evenly among so many ranks",
        "线性 attention 层的状态（{kind}）不能均分到这么多 rank",
    ),
    "dcp_divides_tp": ("must divide the {tp} tensor-parallel ranks", "必须整除 {tp} 个张量并行 rank"),
    "dcp_with_windows": (
        "tokens are not shared out among ranks where layers are {kind}",
        "含 {kind} 层的模型不能把 token 分摊到各 rank",
    ),
    "dcp_heads": (
        "needs at least as many ranks for each of the {heads} KV heads: --tp is {tp}",
        "每个 KV head 至少要有这么多 rank：KV head 为 {heads} 个，--tp 为 {tp}",
    ),
    "pages_not_unified": (
        "has latent (MLA) pages that do not divide the largest page: the engine refuses such a model",
        "隐向量（MLA）的页不能整除最大的页：引擎会拒绝这种模型",
    ),
    "partition_stages": ("must have one entry for each of {pp} stages", "必须为 {pp} 个阶段各写一项"),
    "partition_layers": ("must add up to the {layers} layers", "合计必须等于 {layers} 层"),
    "stage_without_layers": ("leaves a stage without cached layers", "有的阶段没有任何带缓存的层"),
    "needs_memory": (
        "nothing says how much memory there is: give --gpu with --weights, or --kv-memory",
        "没有说明显存大小：请给出 --gpu 与 --weights，或 --kv-memory",
    ),
    "once_or_a_rank": (
        "must be given once, or once for each of {ranks} ranks",
        "只能给一个值，或为 {ranks} 个 rank 各给一个",
    ),
    "no_length": (
        "the model names no length: say how many tokens the longest request has",
        "模型没有写明最大长度：请给出最长请求的 token 数",
    ),
    "keeps_nothing": ("has no layer that keeps anything", "没有任何带缓存的层"),
    "needs_model": (
        "nothing says which model: give --config FILE or --model NAME",
        "没有说明是哪个模型：请给出 --config FILE 或 --model NAME",
    ),
    "log_says": ("the log itself says {said}", "日志里写的是 {said}"),
    "needs_log": (
        "name one file with a start-up log, or - for standard input",
        "请给出一个启动日志文件，或用 - 表示标准输入",
    ),
    "not_a_share": ("must be above 0 and at most 1", "必须大于 0 且不超过 1"),
}
