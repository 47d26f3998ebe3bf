"""Texts of the prefix lab's trace replay: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "TRACE": (
        "trace file: JSON lines with hash_ids (Mooncake), or with token ids in tokens, prompt_token_ids or input_ids",
        "trace 文件：带 hash_ids 的 JSON 行（Mooncake），或在 tokens、prompt_token_ids、input_ids 中写 token id 的 JSON 行",
    ),
    "--ids": (
        "what the ids are: chained (one id stands for a block and all before it), content (for the block alone), or"
        " tokens (default: recognised)",
        "id 的含义：chained（一个 id 代表该块及其之前的全部内容）、content（只代表该块内容）或 tokens（默认自动识别）",
    ),
    "--capacity": (
        "sizes of the cache in blocks, parted by commas; inf is without limit (default: 1, 2, 5, 10, ... up to all"
        " blocks, and inf)",
        "缓存容量（块数），用逗号分隔；inf 表示不限（默认 1、2、5、10……直到容下所有块，再加 inf）",
    ),
    "--block-tokens": ("tokens a block (512)", "每块的 token 数（512）"),
    "--csv": (
        "write the whole curve, a capacity a row, to this file: those asked for and the default ones",
        "把整条命中率曲线写入该文件，每个容量一行：包括指定的容量与默认的容量",
    ),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "prefix replay: {path}, requests in file order, one LRU cache of prefix blocks, {block_tokens} tokens a block.",
        "prefix replay：{path}，按文件顺序逐个请求；一个按 LRU 淘汰的前缀块缓存，每块 {block_tokens} 个 token。",
    ),
    "ids_chained": (
        "ids: chained; each id stands after the same blocks wherever it comes, so it is a key as it is",
        "id：chained；每个 id 无论出现在哪里，前面的块都相同，可直接作为键",
    ),
    "ids_content": (
        "ids: content; an id tells the block alone, so the key is the chain of all ids up to it",
        "id：content；一个 id 只代表该块内容，因此以从开头到该块的整串 id 为键",
    ),
    "ids_tokens": (
        "ids: tokens; the prompts are cut into blocks here, and the key is the chain of all blocks up to it",
        "id：tokens；由这里把 prompt 切成块，以从开头到该块的整串块为键",
    ),
    "ids_believed": (
        "ids: chained, as --ids says, though they are not; each id is a key as it is, behind whatever prefix",
        "id：按 --ids 当作 chained，但实际并不是；每个 id 直接作为键，不管前面是什么前缀",
    ),
    "found_repeated": (
        "not chained: id {block} stands twice in line {line}, and a chain never comes back to a block",
        "不是 chained：id {block} 在第 {line} 行出现了两次，而链不会回到同一个块",
    ),
    "found_parents": (
        "not chained: id {block} stands {place} in line {line} and {other_place} in line {other_line}",
        "不是 chained：id {block} 在第 {line} 行{place}，在第 {other_line} 行{other_place}",
    ),
    "place_first": ("first", "位于开头"),
    "place_after": ("after {before}", "位于 {before} 之后"),
    "rule": (
        "Rule: a request hits its leading blocks that are all cached, up to the first miss; then all its blocks are"
        " touched, head to tail. The partial last block has an id too and is counted.",
        "规则：请求从头起连续命中已缓存的块，到第一个未命中的块为止；查找之后它的所有块从头到尾各触碰一次。未填满的最后一块也有 id，同样计数。",
    ),
    "measured": (
        "measured (read from the file): {requests} requests, {input_tokens} input tokens (median {median}, most {most}),"
        " {output_tokens} output tokens, {span}",
        "measured（读自文件）：{requests} 个请求，{input_tokens} 个输入 token（中位数 {median}，最大 {most}），"
        "{output_tokens} 个输出 token，{span}",
    ),
    "span": ("{seconds} s from first to last arrival", "首末到达相隔 {seconds} 秒"),
    "no_span": ("all arrive at once", "全部同时到达"),
    "counted": (
        "counted (by the rule): {blocks} blocks, {unique} of them different; a cache without limit hits every block of"
        " {all_hit} requests",
        "counted（按规则计数）：{blocks} 块，其中不同的有 {unique} 块；容量不限时有 {all_hit} 个请求的所有块全部命中",
    ),
    "definitions": (
        "Hit rates, counted, each by its own definition (h: hit blocks, b: blocks, n: input tokens of a request):\n"
        "  blocks        sum of h / sum of b\n"
        "  tokens        sum of min({block_tokens} x h, n) / sum of n\n"
        "  whole blocks  sum of min(h, (n-1) // {block_tokens}) x {block_tokens} / sum of n\n"
        "  requests      mean over the requests of h / b",
        "命中率（counted），各按各的定义（h：命中块数，b：块数，n：请求的输入 token 数）：\n"
        "  blocks        h 之和 / b 之和\n"
        "  tokens        min({block_tokens} x h, n) 之和 / n 之和\n"
        "  whole blocks  min(h, (n-1) // {block_tokens}) x {block_tokens} 之和 / n 之和\n"
        "  requests      各请求 h / b 的平均",
    ),
    "columns": (
        "capacity|hit blocks|blocks|tokens|whole blocks|requests|evicted",
        "容量（块）|命中块|blocks|tokens|whole blocks|requests|淘汰块",
    ),
    "chart": (
        "Hit rate of blocks against capacity; the full width is what a cache without limit hits, {ceiling}",
        "命中率（blocks）随容量的变化；满宽为容量不限时的命中率 {ceiling}",
    ),
    "chart_empty": (
        "Hit rate of blocks against capacity: 0.00 % everywhere",
        "命中率（blocks）随容量的变化：处处为 0.00 %",
    ),
    "why": ("Why:", "原因："),
    "why_first_time": (
        "{unique} of {blocks} blocks ({share}) come for the first time, and no cache has them: {ceiling} is the most that"
        " any capacity gives.",
        "{blocks} 块中有 {unique} 块（{share}）是第一次出现，任何缓存都没有：再大的容量也至多命中 {ceiling}。",
    ),
    "why_nothing": (
        "All {blocks} blocks come for the first time: no prefix is shared, and there is nothing to hit.",
        "{blocks} 块全是第一次出现：没有共享的前缀，无可命中。",
    ),
    "why_bend": (
        "A block is hit if the cache holds all that was touched since its last touch, itself included. Half of the"
        " {hits} possible hits need at most {half} blocks, 90 % need {ninety}, all need {all}.",
        "某块上次触碰以来触碰过的不同块（含它自己）全都放得下，它才会命中。可能的 {hits} 次命中中，一半至多需要 {half} 块，"
        "90 % 需要 {ninety} 块，全部命中需要 {all} 块。",
    ),
    "why_flat": (
        " Beyond {all} blocks more capacity gives nothing.",
        "超过 {all} 块后再加容量没有用。",
    ),
    "why_mean": (
        "With no limit the mean over requests is {requests} and the rate of all blocks {of_blocks}: in the mean a request"
        " of one block counts as much as one of {largest}. Only rates of one definition can be compared.",
        "容量不限时，各请求的平均为 {requests}，全部块的命中率为 {of_blocks}：取平均时，只有 1 块的请求与有 {largest} 块的请求权重相同。"
        "只有同一定义的命中率才能比较。",
    ),
    "why_whole": (
        "{all_hit} requests have all their blocks hit, with no limit. An engine computes at least the last token of each,"
        " and with it its whole last block: whole blocks counts {less} tokens less than tokens does.",
        "容量不限时有 {all_hit} 个请求的块全部命中。引擎至少要计算每个请求的最后一个 token，它所在的整块随之重算："
        "whole blocks 比 tokens 少计 {less} 个 token。",
    ),
    "why_naive": (
        "naive hits: ids taken alone, without what stands before, would hit {naive} blocks with no limit. Not servable:"
        " {wrong} of them ({share}); there another prefix stands before, and K and V depend on it.",
        "naive 命中：若只看 id 本身、不看前面的内容，容量不限时会命中 {naive} 块。其中 {wrong} 块（{share}）不能复用："
        "前面是另一个前缀，而 K 和 V 取决于它。",
    ),
    "why_believed": (
        "Warning: these ids do not tell their prefix, so some of the hits above stand behind another prefix and could not"
        " be served. --ids content counts those that could.",
        "警告：这些 id 不包含前缀信息，上面的命中里有一部分前面是另一个前缀，实际不能复用。--ids content 只统计能复用的命中。",
    ),
    "not_shown": (
        "Does not show: an engine's own pool (it gives keys to full blocks only, holds the blocks of running requests, and"
        " frees tails before heads), outputs that a later prompt goes on from, other namespaces, time, latency.",
        "未展示：引擎自己的 KV 池（只有填满的块才有键，运行中请求的块不可淘汰，且先释放尾部再释放头部）、后续 prompt 所延续的输出、"
        "其他 namespace、时间与延迟。",
    ),
    "next_share": (
        "Next: python3 inference_lab.py prefix replay {path}{options} --capacity {capacity},inf  (predict the second column)",
        "下一步：python3 inference_lab.py prefix replay {path}{options} --capacity {capacity},inf（先预测第二列）",
    ),
    "next_content": (
        "Next: python3 inference_lab.py prefix replay {path}{options} --ids content  (predict which hits are lost)",
        "下一步：python3 inference_lab.py prefix replay {path}{options} --ids content（先预测哪些命中会消失）",
    ),
    "next_all": (
        "Next: python3 inference_lab.py prefix replay {path}{options}  (the whole curve: predict where it bends)",
        "下一步：python3 inference_lab.py prefix replay {path}{options}（完整曲线：先预测它在哪里变缓）",
    ),
}
