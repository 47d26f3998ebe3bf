"""Why a predicted quantity differs from the run's: (English, Chinese)."""

TEXTS: dict[str, tuple[str, str]] = {
    "also": (
        " The same value also comes from these mistakes: {causes}.",
        "以下错误也会得到同样的值：{causes}。",
    ),
    # the formula of KV
    "cause_query_heads": (
        "{factor} times: {query_heads} query heads share {kv_heads} KV heads, groups of {group}; only KV heads are stored.",
        "{factor} 倍：{query_heads} 个 query head 共用 {kv_heads} 个 KV head，每组 {group} 个；存下来的只有 KV head。",
    ),
    "cause_query_heads_of_lecture": (
        "{factor} times, as with {query_heads} heads: {layers} layers, {kv_heads} KV heads and head dim {head_dim} are {model}'s"
        " numbers. Its {query_heads} query heads ({query_heads} x {head_dim} is the hidden size) share {kv_heads} KV heads, groups of"
        " {group}; only KV heads are stored.",
        "{factor} 倍，相当于按 {query_heads} 个 head 计算：{layers} 层、{kv_heads} 个 KV head、head dim {head_dim} 正是 {model} 的参数。"
        "它有 {query_heads} 个 query head（{query_heads} x {head_dim} 即 hidden size），共用 {kv_heads} 个 KV head，每组 {group} 个；"
        "存下来的只有 KV head。",
    ),
    "cause_group_size": (
        "{factor} times, as with {query_heads} heads: only the {kv_heads} KV heads are stored, and as many query heads share each as"
        " the group size says. If it was not that: look at K and V, bytes per element, bits and bytes.",
        "{factor} 倍，相当于按 {query_heads} 个 head 计算：存下来的只有 {kv_heads} 个 KV head，每个由一组 query head 共用，每组的个数即 group size。"
        "若不是这个原因，再检查 K 和 V 的系数 2、每元素字节数、bit 与字节。",
    ),
    "cause_hidden_size": (
        "{factor} times: {hidden} is the hidden size, taken for the width of K and of V; stored are {kv_heads} KV heads x head dim"
        " {head_dim} = {width} elements each.",
        "{factor} 倍：把 hidden size {hidden} 当成了 K 和 V 各自的宽度；存下来的 K 和 V 各为 {kv_heads} 个 KV head x head dim {head_dim} = {width} 个元素。",
    ),
    "cause_head_dim": (
        "hidden size / query heads would be {divided}, but this model publishes its own head dim, {head_dim}.",
        "hidden size / query head 数是 {divided}，但这个模型的配置另给出 head dim：{head_dim}。",
    ),
    "cause_k_or_v_forgotten": (
        "half ({factor} times): a token leaves K and V, the factor 2 in the formula (or an element was taken for half its bytes).",
        "只有一半（{factor} 倍）：每个 token 既留下 K 也留下 V，公式里的系数 2 不能漏（或把每元素字节数当成一半）。",
    ),
    "cause_bits_for_bytes": (
        "8 times: bits for bytes, 1 byte is 8 bits.",
        "8 倍：把 bit 当成了字节，1 字节是 8 bit。",
    ),
    "cause_counted_twice": (
        "twice: K and V are 2 already, or an element was taken for twice its bytes.",
        "两倍：K 和 V 已是系数 2，或把每元素字节数当成了两倍。",
    ),
    "cause_layers_forgotten": (
        "{factor} times: that is one layer's; all {layers} layers keep KV of their own.",
        "{factor} 倍：这只是一层的；{layers} 层各有自己的 KV。",
    ),
    "cause_kv_heads_forgotten": (
        "{factor} times: that is one KV head's; a layer has {kv_heads}.",
        "{factor} 倍：这只是一个 KV head 的；每层有 {kv_heads} 个。",
    ),
    "cause_head_dim_forgotten": (
        "{factor} times: each head holds {head_dim} elements, the head dim.",
        "{factor} 倍：每个 head 有 {head_dim} 个元素，即 head dim。",
    ),
    "cause_divided_by_8": (
        "an eighth: bytes are asked for, and were divided by 8 as if they were bits.",
        "八分之一：问的是字节，却当成 bit 除以了 8。",
    ),
    "cause_power_of_two": (
        "{power} times what is right: look for a factor of 2 in K and V, bytes per element, heads, layers, or bits and bytes.",
        "是正确值的 {power} 倍：检查 K 和 V 的系数 2、每元素字节数、head 数、层数、bit 与字节。",
    ),
    "cause_gib_for_gb": (
        "off by {ratio}: GiB (2^30 B) and GB (10^9 B) were taken for each other.",
        "相差 {ratio} 倍：混淆了 GiB（2^30 B）与 GB（10^9 B）。",
    ),
    "cause_mib_for_mb": (
        "off by {ratio}: MiB (2^20 B) and MB (10^6 B) were taken for each other.",
        "相差 {ratio} 倍：混淆了 MiB（2^20 B）与 MB（10^6 B）。",
    ),
    "cause_kib_for_kb": (
        "off by {ratio}: KiB (1024 B) and kB (1000 B) were taken for each other.",
        "相差 {ratio} 倍：混淆了 KiB（1024 B）与 kB（1000 B）。",
    ),
    # whose, and of how many
    "cause_one_rank": (
        "that is one rank's; asked for is the whole model, on all {tp} ranks.",
        "这只是一个 rank 的；问的是整个模型，共 {tp} 个 rank。",
    ),
    "cause_all_ranks": (
        "that is what all {tp} ranks hold together; asked for is one rank's share.",
        "这是 {tp} 个 rank 合计的；问的是单个 rank。",
    ),
    "cause_all_tokens": (
        "that is the KV of {tokens} tokens; asked for is one.",
        "这是 {tokens} 个 token 的 KV；问的是每个 token。",
    ),
    "cause_one_token": (
        "that is the KV of one token; the request has {tokens}.",
        "这是一个 token 的 KV；请求有 {tokens} 个 token。",
    ),
    "cause_one_request": (
        "that is the KV of one request; there are {concurrency} at once.",
        "这是一个请求的 KV；同时有 {concurrency} 个请求。",
    ),
    "cause_all_requests": (
        "that is the KV of all {concurrency} requests; asked for is one.",
        "这是全部 {concurrency} 个请求的 KV；问的是一个请求。",
    ),
    "cause_windows_taken_off": (
        "that is what windows leave once they have forgotten; here every attention layer is charged in full.",
        "这是窗口层丢弃旧 token 之后的量；这里每个 attention 层都按全量计。",
    ),
    # blocks
    "cause_pooled_rounding": (
        "{total} tokens rounded up as one pool are {pooled} blocks of {block_size}; but each request rounds up by itself, {of_each}"
        " blocks for {lengths} tokens, as no block serves two.",
        "把 {total} 个 token 合在一起取整是 {pooled} 块（每块 {block_size} 个）；但每个请求各自取整：{lengths} 个 token 是 {of_each} 块，没有一块由两个请求共用。",
    ),
    "cause_rounded_down": (
        "a block that is only begun counts whole: {lengths} tokens in blocks of {block_size} are {of_each} blocks, rounded up.",
        "未填满的块也占一整块：{lengths} 个 token、每块 {block_size} 个，向上取整是 {of_each} 块。",
    ),
    "cause_one_block_more": (
        "a length that fills its last block needs no other one: {lengths} tokens in blocks of {block_size} are {of_each} blocks.",
        "恰好填满末块时不再多占一块：{lengths} 个 token、每块 {block_size} 个，是 {of_each} 块。",
    ),
    "cause_slots_for_blocks": (
        "that is slots; a block has {block_size} of them.",
        "这是 slot 数；每块有 {block_size} 个 slot。",
    ),
    "cause_blocks_for_slots": (
        "that is blocks; a block has {block_size} slots.",
        "这是块数；每块有 {block_size} 个 slot。",
    ),
    "cause_used_not_reserved": (
        "{total} slots hold a token; reserved are all slots of the blocks, {of_each} blocks x {block_size}.",
        "{total} 个 slot 存有 token；预留的是全部块的 slot：（{of_each}）块 x {block_size}。",
    ),
    # sharing
    "cause_sharing_forgotten": (
        "that is the logical use; of the prefix of {shared_prefix} tokens {shared} stand only once, whatever the requests.",
        "这是逻辑用量；{shared_prefix} 个 token 的前缀中有 {shared} 个只存一份，与请求数无关。",
    ),
    "cause_part_of_a_block_shared": (
        "only whole blocks of {block_size} are shared, and at least one token is computed: {shared} of the {shared_prefix} tokens.",
        "只有填满的块（{block_size} 个 token）才能共用，且至少要计算一个 token：{shared_prefix} 个中共用 {shared} 个。",
    ),
    "cause_prefix_not_stored": (
        "the shared {shared} tokens are stored too, once.",
        "共用的 {shared} 个 token 也要存一份。",
    ),
    "cause_sharing_taken_off": (
        "that is the physical use; logical counts every request as if nothing were shared.",
        "这是物理用量；逻辑用量按各请求互不共用计。",
    ),
    # transfer
    "cause_bytes_over_bits": (
        "an eighth: links are rated in bits a second, so {bytes} bytes are 8 times as many bits.",
        "八分之一：链路速率以 bit/s 计，{bytes} 字节要先乘 8 换成 bit。",
    ),
    "cause_eight_twice": ("8 times: bytes were made bits twice.", "8 倍：字节换成 bit 换了两次。"),
    "cause_seconds_for_ms": ("a thousandth: seconds were written as ms.", "千分之一：把秒写成了 ms。"),
    # what fits
    "cause_not_fits": ("{sum}", "{sum}"),
    "sum_fits": (
        "{request_blocks} blocks of a request of {max_model_len} tokens take {needed} B, no more than the {usable} B beside the"
        " null block.",
        "{max_model_len} token 的请求占 {request_blocks} 块，即 {needed} B，不超过 null 块之外的 {usable} B。",
    ),
    "sum_does_not": (
        "{request_blocks} blocks of a request of {max_model_len} tokens take {needed} B, more than the {usable} B beside the null"
        " block.",
        "{max_model_len} token 的请求占 {request_blocks} 块，即 {needed} B，超过 null 块之外的 {usable} B。",
    ),
    "sum_null_block": (
        "{request_blocks} blocks of a request of {max_model_len} tokens take {needed} B, but one block of {null} B is kept back,"
        " the null block, which leaves {usable} B.",
        "{max_model_len} token 的请求占 {request_blocks} 块，即 {needed} B；但要留出一个 null 块（{null} B），只剩 {usable} B。",
    ),
    "cause_utilization_forgotten": (
        "only a share of the GPU's memory is planned for, gpu_memory_utilization {utilization}; weights and overhead are taken"
        " off that.",
        "只按显存的一个比例规划（gpu_memory_utilization {utilization}），再从中减去权重与其他开销。",
    ),
    "cause_utilization_of_the_rest": (
        "the share {utilization} is of all the GPU's memory; weights and overhead are taken off afterwards, whole.",
        "比例 {utilization} 是对全部显存取的；权重与其他开销在此之后全额减去。",
    ),
    "cause_weights_not_taken_off": (
        "the weights lie in the same memory: take them off.",
        "权重也占同一份显存：要减去。",
    ),
    "cause_overhead_not_taken_off": (
        "the overhead (activations, graphs) lies in the same memory: take it off.",
        "其他开销（激活、graph）也占同一份显存：要减去。",
    ),
    "cause_nothing_taken_off": (
        "weights and overhead lie in the same memory: take both off.",
        "权重与其他开销也占同一份显存：都要减去。",
    ),
    "cause_whole_memory": (
        "that is all the GPU's memory; KV gets its share {utilization} without weights and overhead.",
        "这是全部显存；KV 得到的是比例 {utilization} 再减去权重与其他开销。",
    ),
    "cause_gb_for_gib": (
        "that takes GB (10^9 B) for GiB (2^30 B), or the other way round, in the memory or the weights: off by 1.0737.",
        "显存或权重混淆了 GB（10^9 B）与 GiB（2^30 B）：相差 1.0737 倍。",
    ),
    "cause_tokens_for_blocks": (
        "that is tokens; a block holds {block_size} of them (of each of {groups} groups).",
        "这是 token 数；每块存 {block_size} 个（共 {groups} 组，每组各自占块）。",
    ),
    "cause_blocks_for_tokens": (
        "that is blocks: a longest request takes {request_blocks} of them for {max_model_len} tokens.",
        "这是块数：最长请求 {max_model_len} 个 token 占 {request_blocks} 块。",
    ),
    "cause_one_group_for_all": (
        "the {groups} groups share one pool: tokens are blocks / {request_blocks} x {max_model_len}, not blocks x {block_size}.",
        "{groups} 组共用一个 KV 池：token 数 = 块数 / {request_blocks} x {max_model_len}，而不是块数 x {block_size}。",
    ),
    "cause_null_block_taken_off": (
        "the null block is one of the blocks that are allocated; it is kept back in the fit check alone.",
        "null 块也在分配的块之内；只有“能否放下”的检查才留出它。",
    ),
    "cause_rounded_up": (
        "{available} B / {bytes_per_block} B is rounded down: there is no part of a block.",
        "{available} B / {bytes_per_block} B 要向下取整：没有不完整的块。",
    ),
    "cause_whole_requests": (
        "so many whole requests fit; the engine's figure is the quotient {num_blocks} / {request_blocks}, with its fraction.",
        "能放下这么多个完整请求；引擎给出的是商 {num_blocks} / {request_blocks}，带小数。",
    ),
    "cause_not_whole_blocks": (
        "a request holds whole blocks: {request_blocks} for {max_model_len} tokens.",
        "请求占整块：{max_model_len} 个 token 占 {request_blocks} 块。",
    ),
    # fetch
    "cause_overlap_not_subtracted": (
        "{overlap} ms of the steps overlap with work that must be done anyway, and are taken off once: {steps} - {overlap} ="
        " {fetch} ms.",
        "各步中有 {overlap} ms 与本来就必须做的工作重叠，要减去一次：{steps} - {overlap} = {fetch} ms。",
    ),
    "cause_overlap_twice": (
        "the overlap of {overlap} ms is taken off once, in the cost: {steps} - {overlap} = {fetch} ms; here it was twice.",
        "重叠的 {overlap} ms 只在代价中减一次：{steps} - {overlap} = {fetch} ms；这里减了两次。",
    ),
    "cause_overlap_added": (
        "the overlap of {overlap} ms shortens the fetch: it is taken off the steps of {steps} ms, not added.",
        "重叠的 {overlap} ms 缩短取回：从各步合计 {steps} ms 中减去，而不是加上。",
    ),
    "cause_lookup_forgotten": (
        "the look-up of {lookup} ms is a step of the fetch too.",
        "查找的 {lookup} ms 也是取回的一步。",
    ),
    "cause_conversion_forgotten": (
        "conversion and waiting, {conversion} ms, are a step of the fetch too.",
        "转换与等待的 {conversion} ms 也是取回的一步。",
    ),
    "cause_data_path_alone": (
        "that is the data path alone: look-up {lookup} ms and conversion {conversion} ms are added, the overlap of {overlap} ms is"
        " taken off.",
        "这只是数据通路：还要加上查找 {lookup} ms 与转换 {conversion} ms，再减去重叠 {overlap} ms。",
    ),
    "cause_sign_turned": (
        "the sign is turned: a saving is recompute - fetch cost, {recompute} - {fetch} ms, and a break-even overlap steps -"
        " recompute, {steps} - {recompute} ms.",
        "符号反了：节省 = 重算 - 取回代价（{recompute} - {fetch} ms），盈亏平衡重叠 = 各步 - 重算（{steps} - {recompute} ms）。",
    ),
    "cause_cost_for_saving": (
        "that is the fetch cost; the saving is what recomputing takes more: {recompute} - {fetch} ms.",
        "这是取回代价；节省是重算多出的时间：{recompute} - {fetch} ms。",
    ),
    "cause_saving_for_cost": (
        "that is the saving; the fetch cost is {steps} - {overlap} ms.",
        "这是节省的时间；取回代价是 {steps} - {overlap} ms。",
    ),
    "cause_recompute_for_saving": (
        "that is the whole recomputing time; the fetch costs {fetch} ms of it.",
        "这是重算的全部时间；取回还要花其中的 {fetch} ms。",
    ),
    "cause_one_link": ("there are {links} links side by side.", "共有 {links} 条并行的链路。"),
    "cause_host_limit_forgotten": (
        "the host lets through less than the {links} links bring.",
        "主机侧的上限低于 {links} 条链路的合计速率。",
    ),
    "cause_equal_not_cheaper": (
        "there the two costs are equal, or fetching still costs more: the break-even is the first whole length at which fetching"
        " is strictly cheaper.",
        "那里两者代价相等，或取回仍更贵：盈亏平衡长度是取回严格更便宜的第一个整数长度。",
    ),
    "cause_fixed_part_forgotten": (
        "look-up {lookup} ms and conversion {conversion} ms without the overlap of {overlap} ms take part of the {recompute} ms.",
        "查找 {lookup} ms 与转换 {conversion} ms（减去重叠 {overlap} ms）也占用 {recompute} ms 中的一部分。",
    ),
    "cause_not_cheaper": (
        "fetching costs {fetch} ms, recomputing {recompute} ms.",
        "取回代价 {fetch} ms，重算 {recompute} ms。",
    ),
    "cause_there_is_one": (
        "there is one: at that point the two cost the same, and on one side of it fetching is cheaper.",
        "存在盈亏平衡点：在该点两者代价相等，在它的一侧取回更便宜。",
    ),
    "cause_always": (
        "there is no such length: fetching is cheaper at every length.",
        "没有这样的长度：任何长度下取回都更便宜。",
    ),
    "cause_never": (
        "there is no such length: fetching is cheaper at none.",
        "没有这样的长度：任何长度下取回都不更便宜。",
    ),
    "cause_never_at_any_rate": (
        "there is no such rate: look-up and conversion alone take as long as recomputing.",
        "没有这样的速率：仅查找与转换就不短于重算。",
    ),
    "cause_no_overlap_is_enough": (
        "there is no such overlap: even if all steps overlapped, fetching would not be cheaper.",
        "没有这样的重叠：即使各步全部重叠，取回也不更便宜。",
    ),
    # nothing of these
    "cause_too_few_digits": (
        "it rounds to that, but give {least} digits or more, or the exact value.",
        "四舍五入后相符，但请给出至少 {least} 位数字，或精确值。",
    ),
    "cause_other_value": (
        "{written} is {factor} times what is right, which no mistake known here gives; write the formula of {quantity} out with its"
        " units.",
        "{written} 是正确值的 {factor} 倍，不是这里已知的错误造成的；请把 {quantity} 的公式连同单位写出来逐项核对。",
    ),
}
