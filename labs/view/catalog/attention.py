"""Texts of the attention lab: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "--tokens": ("number of tokens", "token 数"),
    "--dim": ("numbers in each input", "每个输入的维数"),
    "--heads": ("query heads; divides --dim", "query head 数；须整除 --dim"),
    "--kv-heads": (
        "KV heads (grouped-query attention); divides --heads",
        "KV head 数（GQA）；须整除 --heads",
    ),
    "--chunk": (
        "also run a chunked prefill with so many tokens a chunk",
        "另以每段这么多 token 做一次 chunked prefill",
    ),
    "--block-size": (
        "keep K and V in shuffled physical blocks of so many tokens",
        "把 K、V 放进打乱次序的物理块，每块这么多 token",
    ),
    "--seed": ("make inputs, weights and block order from this number", "由该数生成输入、权重与块的次序"),
    "--dtype": ("round every sum, product and quotient to this format", "每次加、乘、除都舍入到该格式"),
    "--sabotage": ("damage the stored K and V", "破坏已存的 K、V"),
    "--blockwise": ("also run online softmax over blocks", "另按块做一次 online softmax"),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "attention: a KV cache against recomputing. Tokens {tokens}, dimension {dim}, query heads {heads}, KV"
        " heads {kv_heads}, {dtype}.",
        "attention：KV cache 与重算对比。token 数 {tokens}，维数 {dim}，query head {heads} 个，KV head {kv_heads} 个，{dtype}。",
    ),
    "lecture": ("Inputs and weights: the lecture's.", "输入与权重：课程固定值。"),
    "made": ("Inputs and weights: made from seed {seed}.", "输入与权重：由种子 {seed} 生成。"),
    "blocks": (
        "K and V lie in blocks of {size} tokens; block table {blocks}.",
        "K、V 存放在每块 {size} 个 token 的物理块中；块表 {blocks}。",
    ),
    "stale": (
        "Sabotage stale: the write of position {lost} is lost; its slot keeps what an earlier request left.",
        "破坏 stale：位置 {lost} 的写入丢失，slot 里仍是先前请求留下的内容。",
    ),
    "dropped": (
        "Sabotage dropped: K and V of position {lost} are gone; zeros stand in their place.",
        "破坏 dropped：位置 {lost} 的 K、V 丢失，slot 里是零。",
    ),
    "shifted": (
        "Sabotage shifted: each V from position 1 on is written one position too early, away from its K.",
        "破坏 shifted：从位置 1 起，每个 V 都早写了一个位置，与自己的 K 错开。",
    ),
    "columns": (
        "position|output, recompute|output, cached|largest difference",
        "位置|重算输出|缓存输出|最大差值",
    ),
    "more_rows": ("  ... and {more} more positions", "  ……另有 {more} 个位置"),
    "position": (
        "position {position}: cached_matches_full={cached_matches_full}",
        "位置 {position}：cached_matches_full={cached_matches_full}",
    ),
    "chunked": (
        "chunked prefill, chunk size {chunk}: claims equality to the bit: chunked_matches_full={equal}",
        "chunked prefill，每段 {chunk} 个 token：声称逐位相等：chunked_matches_full={equal}",
    ),
    "blockwise": (
        "blockwise, block size {size}: claims equality within a bound, not to the bit: {ulps} ulps at the"
        " largest |value|, bound {bound}, within_bound={within}",
        "blockwise，块大小 {size}：只声称在误差界内相等，不声称逐位相等：相差 {ulps} ulp（以最大 |value| 处的 ulp 计），误差界 {bound}，within_bound={within}",
    ),
    "vacuous": (
        "(the bound is as large as the values here, so keeping it says nothing: try a wider --dtype)",
        "（此处误差界与数值本身一样大，满足它说明不了什么：换更宽的 --dtype 试试）",
    ),
    "rows": (
        "rows per K or V projection: recompute {full}, cached {kept}",
        "每个 K 或 V 投影矩阵处理的行数：重算 {full}，缓存 {kept}",
    ),
    "growth": (
        "Work up to so many tokens, recompute / cached (counted):",
        "计算到第几个 token 为止的工作量，重算 / 缓存（counted）：",
    ),
    "growth_columns": (
        "tokens|rows per K or V matrix|multiply-adds|bytes of K and V read",
        "token|每个 K 或 V 矩阵的行数|乘加次数|读取的 K、V 字节数",
    ),
    "list": (", ", "、"),
    "why": ("Why: ", "原因："),
    "why_rows": (
        "recompute projects {terms} = {full} rows, the cached path {kept}: {fewer} fewer.",
        "重算要投影 {terms} = {full} 行，缓存路径只要 {kept} 行，少 {fewer} 行。",
    ),
    "why_equal": (
        " K and V of a position depend on its own input only, so what was stored is what projecting again"
        " gives, and the sums run in the same order. The cache saves projections, not reads: both paths read"
        " {bytes} bytes of K and V, since position {last} looks at all positions before it either way.",
        "一个位置的 K、V 只取决于它自己的输入，所以存下来的与再投影一次得到的完全相同，求和次序也相同。"
        "缓存省下的是投影，不是读取：两条路径都读 {bytes} 字节的 K、V，因为位置 {last} 无论如何都要看它之前的所有位置。",
    ),
    "why_one": (
        "with one token both paths project its row and nothing else; a cache pays off from the second token on.",
        "只有一个 token 时，两条路径都只投影这一行；从第二个 token 起缓存才省下投影。",
    ),
    "why_hidden": (
        " A damaged row is read at {hidden} too, but in {dtype} rounding hides it.",
        "位置 {hidden} 也读到了被破坏的行，但在 {dtype} 下被舍入掩盖了。",
    ),
    "why_damage": (
        " Under {kind} the stored K and V are no longer what projecting again gives, so positions {wrong} differ,"
        " {count} of {tokens}: the comparison can fail.",
        "在 {kind} 之下，存下来的 K、V 不再等于重新投影的结果，所以 {tokens} 个位置中有 {count} 个（{wrong}）不同：可见这个比较并非总能通过。",
    ),
    "why_no_damage": (
        " Under {kind} no output differs ({wrong}{count} of {tokens}).",
        "在 {kind} 之下，没有一个输出不同（{wrong}{count}/{tokens}）。",
    ),
    "not_shown": (
        "Does not show: generation, RoPE, many layers, GPU kernels, an engine's paging, time. No speed-up of a"
        " real engine follows from these counts.",
        "未展示：生成、RoPE、多层、GPU kernel、引擎的分页、计时。不能由这些计数推出真实引擎的加速比。",
    ),
    "next": (
        'Next: python3 inference_lab.py attention --tokens 8 --sabotage stale  (predict first: --predict "T ...")',
        '下一步：python3 inference_lab.py attention --tokens 8 --sabotage stale（先预测哪些位置会不同：--predict "T ..."）',
    ),
    "next_blockwise": (
        "Next: python3 inference_lab.py attention --dtype float32 --blockwise  (predict which equality holds)",
        "下一步：python3 inference_lab.py attention --dtype float32 --blockwise（先预测哪一种相等成立）",
    ),
}
