"""Why a predicted prefix look-up differs from the lab's: (English, Chinese)."""

TEXTS: dict[str, tuple[str, str]] = {
    "cause_tokens_differ": (
        "position {position} holds {a} in A and {b} in B, so the keys of block {block} differ.",
        "位置 {position} 在 A 中是 {a}，在 B 中是 {b}，所以块 {block} 的键不同。",
    ),
    "cause_parent_differs": (
        "block {block} holds {tokens} in both prompts, but its key also covers its parent's key, and the hash chain parted at"
        " block {parent} ({first_reason}): equal tokens are not enough.",
        "块 {block} 在两个 prompt 中都是 {tokens}，但它的键还包含父块的键，而哈希链在块 {parent} 处已分叉（{first_reason}）：只有本块 token 相同还不够。",
    ),
    "cause_not_full": (
        "only full blocks have a key: A has {a_length} tokens and B {b_length}, and block {block} needs all {block_size} of its"
        " own, up to position {until}, in both.",
        "只有填满的块才有键：A 有 {a_length} 个 token，B 有 {b_length} 个，而块 {block} 在两者中都要填满 {block_size} 个 token（到位置 {until} 为止）。",
    ),
    "cause_namespace_differs": (
        "namespace {b} is another model's than {a}: every key covers it (or stands in another pool), so no block matches.",
        "namespace {b} 与 {a} 属于不同的模型：每个键都包含它（或各用各的 KV 池），所以没有块匹配。",
    ),
    "cause_salt_differs": (
        "the key of the first block covers the salt, {a} for A; without it the first key differs, and the chain with it.",
        "首块的键包含 salt（A 为 {a}）；去掉 salt 后首块的键不同，整条链随之不同。",
    ),
    "cause_equal_prefix": (
        "up to position {until} all tokens are equal, and so is all else that the keys cover{extra}: the keys are equal.",
        "到位置 {until} 为止 token 全部相同，键所包含的其他内容也相同{extra}：所以键相等。",
    ),
    "cause_bound_not_match": (
        "the key of block {block} is equal, so it matches. That reuse stops at {bound} of {total} tokens, since one must be"
        " computed for its logits, changes the reusable tokens and not the match.",
        "块 {block} 的键相等，所以匹配。复用止于 {total} 个 token 中的 {bound} 个（至少要计算一个 token 才有 logits），这只影响可复用的 token 数，不影响匹配。",
    ),
    "extra": (" ({keys})", "（{keys}）"),
    "cause_no_such_block": (
        "{given} blocks are predicted; A has {a_tokens} tokens and B {b_tokens}, in blocks of {block_size}: {blocks} blocks.",
        "预测了 {given} 块；A 有 {a_tokens} 个 token，B 有 {b_tokens} 个，每块 {block_size} 个：共 {blocks} 块。",
    ),
    "cause_blocks_missing": (
        "the {given} predicted blocks are right, but not all are predicted: the longer of A ({a_tokens} tokens) and B ({b_tokens})"
        " has {blocks} blocks of {block_size}.",
        "预测的 {given} 块都正确，但并未预测全部的块：A（{a_tokens} 个 token）与 B（{b_tokens} 个）中较长的一个有 {blocks} 块（每块 {block_size} 个）。",
    ),
    "cause_num_tokens_bound": (
        "the matching prefix is {matching} tokens, but the look-up is bounded by num_tokens - 1 = {total} - 1, in whole blocks of"
        " {block_size}: {bound}. The rest is computed again to get logits.",
        "匹配前缀有 {matching} 个 token，但查找以 num_tokens - 1 = {total} - 1 为上限，再按 {block_size} 个一块向下取整：{bound}。其余部分要重算才能得到 logits。",
    ),
    "cause_blocks_not_tokens": (
        "{predicted} is the number of blocks; each holds {block_size} tokens.",
        "{predicted} 是块数；每块有 {block_size} 个 token。",
    ),
    "cause_behind_the_miss": (
        "the look-up stops at the first miss, block {miss}: equal blocks behind it are not hit, as their keys cover their parents'.",
        "查找在首个未命中的块 {miss} 处停止：它后面内容相同的块也不会命中，因为键包含父块的键。",
    ),
    "cause_part_of_a_block": (
        "only whole blocks of {block_size} are hit, and {predicted} is no multiple: a block that is not full or differs further on"
        " counts nothing. The matching prefix is {matching}, the bound {bound}.",
        "只能按 {block_size} 个一块命中，而 {predicted} 不是它的倍数：未填满或后面有差异的块不计。匹配前缀 {matching}，上限 {bound}。",
    ),
    "cause_other_reuse": (
        "reusable is the smaller of the matching prefix, {matching} tokens, and the bound, {bound} of {total}.",
        "可复用的 token 数是匹配前缀（{matching}）与上限（{total} 中的 {bound}）中较小的一个。",
    ),
}
