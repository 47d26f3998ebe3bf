"""Texts of the prefix lab's four groups: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "--prompt": (
        "prompt that is cached, then asked for again: 1,2,3 or @FILE",
        "先缓存、再重复请求的 prompt：1,2,3 或 @FILE",
    ),
    "--change": (
        "position, from 0, of the token that the early change replaces (default: 5, or the last)",
        "early change 所替换 token 的位置，从 0 起（默认 5；prompt 更短时为最后一个）",
    ),
    "--before": (
        "tokens that stand before the prompt in the last group: 1,2,3 or @FILE",
        "最后一组里放在 prompt 之前的 token：1,2,3 或 @FILE",
    ),
    "--block-size": ("tokens a block", "每块的 token 数"),
    "--kv-blocks": ("usable blocks of the pool (default: no limit)", "KV 池的可用块数（默认不限）"),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "prefix groups: a cached prompt and four requests, in vLLM 0.32.0's pool. Block size {block_size}, {pool}.",
        "prefix groups：一个要缓存的 prompt 与四种请求，KV 池的规则与 vLLM 0.32.0 相同。块大小 {block_size}，{pool}。",
    ),
    "pool_limited": ("{kv_blocks} usable blocks", "可用块 {kv_blocks} 个"),
    "pool_unlimited": ("blocks without limit", "块数不限"),
    "requests": (
        "cold          the prompt, empty cache: {prompt}\n"
        "warm          the same prompt again\n"
        "early change  the same with {new} in place of {old} at position {change}\n"
        "not a prefix  {before}, then the same prompt",
        "cold          冷缓存：缓存为空时请求 prompt {prompt}\n"
        "warm          热缓存：再次请求同一 prompt\n"
        "early change  前部改动：位置 {change} 的 {old} 换成 {new}\n"
        "not a prefix  非前缀：先是 {before}，再接同一 prompt",
    ),
    "state": (
        "Each of the last three meets the cache as the cold request left it; nothing else differs.\n"
        "Block tables hold physical ids in the pool, from 1; logical blocks are a request's own, counted from 0.",
        "后三组都从 cold 请求刚结束时的缓存出发，彼此只有请求不同。\n"
        "块表中是 KV 池的物理块号，从 1 起；逻辑块按请求各自编号，从 0 起。",
    ),
    "columns": (
        "group|tokens|block table (physical)|hit (physical)|hit tokens|computed|stops at logical block",
        "组|token 数|块表（物理块）|命中的物理块|命中 token|计算 token|查找止于逻辑块",
    ),
    "stops_at": ("{block}, {reason}", "{block}，{reason}"),
    "hit": ("hit tokens: {list}", "命中 token：{list}"),
    "computed": ("computed tokens: {list}", "计算 token：{list}"),
    "comma": (", ", "，"),
    "evicts": (
        "{name} evicts {count} of the {cached} cached blocks: physical {blocks}; the prompt would then hit {left}"
        " tokens (before: {hit})",
        "{name} 从 {cached} 个已缓存的块中淘汰 {count} 个：物理块 {blocks}；此后该 prompt 可命中 {left} 个 token"
        "（之前 {hit} 个）",
    ),
    "why": ("Why:", "原因："),
    "why_empty_cache": (
        "cold: nothing is cached, so all {tokens} tokens are computed. Full blocks get a key, here {keyed} of"
        " {blocks}, and stay in the cache when the request has given them back.",
        "cold：缓存为空，{tokens} 个 token 全部计算。只有填满的块才有键，这里 {blocks} 块中有 {keyed} 块；请求释放这些块后，它们仍留在缓存中。",
    ),
    "why_not_full": (
        "{name}: the look-up ends at logical block {block}, which is not full: only a full block has a key. So {hit} of"
        " {tokens} tokens are hit.",
        "{name}：查找止于逻辑块 {block}，它尚未填满，而只有填满的块才有键，所以 {tokens} 个 token 命中 {hit} 个。",
    ),
    "why_in_that_block": (
        " Position {position}, where it differs from the cached prompt, lies in that block.",
        "与已缓存 prompt 不同的位置 {position} 就在这个块里。",
    ),
    "why_bound": (
        "{name}: logical block {block} is cached too, but the look-up may cover {tokens} - 1 tokens at most, in whole"
        " blocks: {hit}. At least the last token must be computed to get its logits, and with it its block.",
        "{name}：逻辑块 {block} 也在缓存中，但查找最多覆盖 {tokens} - 1 个 token，再按整块取整：{hit} 个。至少要计算最后一个"
        " token 才能得到 logits，它所在的块也随之重算。",
    ),
    "why_cached_ends": (
        "{name}: the cached prompt has {cached} tokens and no full logical block {block}, so {hit} of {tokens} tokens are"
        " hit.",
        "{name}：已缓存的 prompt 有 {cached} 个 token，其中没有填满的逻辑块 {block}，所以 {tokens} 个 token 命中 {hit} 个。",
    ),
    "why_tokens_differ": (
        "{name}: at position {position} stands {token}, in the cached prompt {other}, so from logical block {block} on every"
        " key is another: {hit} of {tokens} tokens are hit.",
        "{name}：位置 {position} 是 {token}，已缓存的 prompt 在那里是 {other}，所以从逻辑块 {block} 起键都不同：{tokens} 个"
        " token 命中 {hit} 个。",
    ),
    "why_parent": (
        " Logical block {block} holds {tokens} like logical block {other} of the cached prompt, but a key also covers its parent's.",
        "逻辑块 {block} 与已缓存 prompt 的逻辑块 {other} 同为 {tokens}，但键还覆盖父块的键。",
    ),
    "why_shifted": (
        " The prompt itself starts at position {position}, and so is cut into other blocks.",
        "prompt 本身从位置 {position} 才开始，切块的位置也不同。",
    ),
    "why_evicted": (
        "A block is evicted only when it is needed: the pool hands out first what was freed without a key, then what"
        " was never used, then cached blocks, of one request the last first.",
        "只有需要块时才淘汰：KV 池先分配释放时没有键的块，再分配从未用过的块，最后才是已缓存的块；同一请求的块从最后一块开始淘汰。",
    ),
    "broken": (
        "The pool gave warm {hit} tokens, the rule says {bound}: one of the two is wrong.",
        "warm 在 KV 池中命中 {hit} 个 token，而规则是 {bound} 个：两者必有一错。",
    ),
    "not_shown": (
        "Does not show: requests that run at the same time, outputs, time saved, loads from other stores, salts and"
        " adapters in the key. Computed tokens are no TTFT.",
        "未展示：同时运行的请求、输出、节省的时间、从其他存储加载、键中的 salt 与适配器。计算 token 数不等于 TTFT。",
    ),
    "next_whole": (
        "Next: python3 inference_lab.py prefix groups --block-size 7  (14 tokens in whole blocks: predict what warm hits)",
        "下一步：python3 inference_lab.py prefix groups --block-size 7（14 个 token 正好填满整数个块：先预测 warm 命中多少 token）",
    ),
    "next_small": (
        "Next: python3 inference_lab.py prefix groups --kv-blocks 5  (predict which blocks are evicted)",
        "下一步：python3 inference_lab.py prefix groups --kv-blocks 5（先预测哪些块被淘汰）",
    ),
    "next_start": (
        "Next: python3 inference_lab.py prefix groups --change 0 --before 90  (predict all four groups)",
        "下一步：python3 inference_lab.py prefix groups --change 0 --before 90（先预测四组结果）",
    ),
}
