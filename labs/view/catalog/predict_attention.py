"""Why predicted rows or equalities differ from the attention lab's: (English, Chinese)."""

TEXTS: dict[str, tuple[str, str]] = {
    "path_recompute": (
        "recompute projects the whole history again at each position: 1 + 2 + ... + {tokens}",
        "重算在每个位置都要重新投影全部历史：1 + 2 + …… + {tokens}",
    ),
    "path_cached": ("the cached path projects each position once", "缓存路径对每个位置只投影一次"),
    "cause_cached_count": (
        "{predicted} rows is one for each of {tokens} tokens, as the cached path has it; recompute projects the whole history again"
        " at each position, 1 + 2 + ... + {tokens}.",
        "{predicted} 行是 {tokens} 个 token 各一行，那是缓存路径；重算在每个位置都要重新投影全部历史：1 + 2 + …… + {tokens}。",
    ),
    "cause_whole_square": (
        "{tokens} x {tokens} rows would be all positions at each step; attention is causal, and position i has i + 1 rows to"
        " project: 1 + 2 + ... + {tokens}.",
        "{tokens} x {tokens} 行是每步都投影全部位置；attention 是因果的，位置 i 只投影 i + 1 行：1 + 2 + …… + {tokens}。",
    ),
    "cause_own_row_left_out": (
        "the history before each position has 0 + 1 + ... rows, and the new position's own row is projected too: 1 + 2 + ... +"
        " {tokens}.",
        "各位置之前的历史有 0 + 1 + …… 行，新位置自己的一行也要投影：1 + 2 + …… + {tokens}。",
    ),
    "cause_recompute_count": (
        "{predicted} rows is what recompute projects; the cached path appends the new position's row only, one for each of {tokens}"
        " tokens.",
        "{predicted} 行是重算投影的行数；缓存路径只追加新位置的一行，{tokens} 个 token 各一行。",
    ),
    "cause_both_matrices": (
        "rows are counted for each projection matrix, of K or of V, not for both together.",
        "行数按每个投影矩阵（K 或 V）计，不是两者相加。",
    ),
    "cause_other_rows": ("{path_name}, with {tokens} tokens.", "{path_name}，共 {tokens} 个 token。"),
    "cause_same_bits": (
        "K and V of a position depend on its own input only, so what was stored is what projecting again gives, and the sums run in"
        " the same order: position {position} is equal to the bit, in {dtype} as in any format.",
        "一个位置的 K、V 只取决于它自己的输入，所以存下来的与重新投影的完全相同，求和次序也相同：位置 {position} 逐位相等，{dtype} 与其他格式都是如此。",
    ),
    "cause_not_read_yet": (
        "under {sabotage} the first position that reads a damaged row is {damaged}; position {position} reads none.",
        "在 {sabotage} 之下，最早读到被破坏的行的是位置 {damaged}；位置 {position} 还没有读到。",
    ),
    "cause_hidden_by_rounding": (
        "position {position} reads a damaged row under {sabotage}, but its weight is so small that rounding to {dtype} hides it.",
        "位置 {position} 在 {sabotage} 之下读到了被破坏的行，但它的权重太小，在 {dtype} 下被舍入掩盖。",
    ),
    "cause_reads_damage": (
        "under {sabotage} every position from {damaged} on reads a damaged row, as attention looks at all positions before it:"
        " position {position} differs.",
        "在 {sabotage} 之下，从位置 {damaged} 起都会读到被破坏的行，因为 attention 要看之前的所有位置：位置 {position} 不同。",
    ),
    "cause_no_such_position": (
        "there are {tokens} tokens, at positions 0 to {last}.",
        "共 {tokens} 个 token，位置为 0 到 {last}。",
    ),
    "cause_positions_missing": (
        "the {given} predicted positions are right, but not all are predicted: there are {tokens}.",
        "预测的 {given} 个位置都正确，但并未预测全部位置：共 {tokens} 个。",
    ),
}
