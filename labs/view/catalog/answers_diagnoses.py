"""What to check where a tempting mistake was recognised, by problem and mistake: (English, Chinese).

No text holds a digit, nor says by how much an answer is off: it names what to look at.
"""

DIAGNOSES: dict[str, tuple[str, str]] = {
    "p1_query_heads": (
        "Both sizes are the same, as if KV heads did not matter. K and V are stored for every KV head;"
        " the number of query heads does not enter.",
        "两个大小相同，好像与 KV head 无关。K 和 V 按 KV head 存储；query head 的数目不参与计算。",
    ),
    "p1_swapped": (
        "Check the order: the size that belongs to the first number of KV heads stands first.",
        "检查顺序：先写题中第一个 KV head 数对应的大小。",
    ),
    "p1_k_or_v_forgotten": (
        "Are K and V both counted, each with all the bytes of an element?",
        "K 和 V 都算了吗？每个元素的字节数都乘上了吗？",
    ),
    "p1_bits_for_bytes": (
        "Bits and bytes are mixed up: dtypes are named by bits, sizes are counted in bytes.",
        "bit与字节混淆了：dtype 以bit命名，大小以字节计。",
    ),
    "p1_gb_for_gib": (
        "GB and GiB are mixed up: a GB is a power of ten, a GiB a power of two.",
        "GB 与 GiB 混淆了：GB 是十的幂，GiB 是二的幂。",
    ),
    "p1_four_byte_elements": (
        "That is the size with single-precision elements. How many bytes does a {dtype} element take?",
        "这是单精度元素的大小。一个 {dtype} 元素占几个字节？",
    ),
    "p1_other_unit": (
        "This is a count of another unit. A bare number here counts GiB; text may carry its own unit.",
        "这是另一种单位的数值。这里不带单位的数以 GiB 计；字符串可以自带单位。",
    ),
    "p1_one_token": (
        "This is the KV of a single token; the question asks for all cached tokens.",
        "这是单个 token 的 KV；题目问的是全部已缓存的 token。",
    ),
    "p1_one_layer": (
        "This is the KV of a single layer; every layer stores its own K and V.",
        "这是单层的 KV；每一层都存自己的 K 和 V。",
    ),
    "p1_total_memory": (
        "Your sizes keep the ratio of the KV heads, but are not the size of the KV cache. Are the weights in"
        " them? They are no part of it, and do not shrink with the KV heads.",
        "两个大小保持了 KV head 的比例，却不是 KV cache 的大小。是不是把权重算进去了？"
        "权重不属于 KV cache，也不随 KV head 减少。",
    ),
    "p2_position": (
        "That is the logical position. The slot lies in the physical block that the block table names for"
        " it, not in the block of that index.",
        "这是逻辑位置。slot 位于块表所指的物理块中，而不是下标本身那一块。",
    ),
    "p2_offset_forgotten": (
        "That names a block or its start. A slot is the place of one token: block start plus offset.",
        "这只是块号或块的起点。slot 是一个 token 的位置：块起点加块内偏移。",
    ),
    "p2_block_not_multiplied": (
        "The offset is added to the block id itself. How many slots lie before that block?",
        "偏移直接加在了块号上。这个块之前有多少个 slot？",
    ),
    "p2_logical_block_as_offset": (
        "The logical block serves as offset here. The quotient chooses the block, the remainder is the"
        " offset.",
        "这里把逻辑块号当成了偏移。商用来选块，余数才是块内偏移。",
    ),
    "p2_table_from_one": (
        "This is in the neighbouring entry of the block table: indexes start as in Python.",
        "这用的是块表里相邻的一项：下标的起点与 Python 相同。",
    ),
    "p2_slots_from_one": (
        "One slot too far: slots, positions and offsets are counted as Python counts.",
        "多走了一个 slot：slot、位置和偏移的起点都与 Python 下标相同。",
    ),
    "p2_swapped": (
        "Check the order: the slot of the position that is named first stands first.",
        "检查顺序：先写题中第一个位置的 slot。",
    ),
    "p3_lengths": (
        "These are lengths. query_start_loc holds boundaries: each is the sum of all lengths before it.",
        "这是长度。query_start_loc 存的是边界：每个边界等于它之前所有长度之和。",
    ),
    "p3_no_leading_zero": (
        "Where does the first request start? That boundary is missing.",
        "第一个请求从哪里开始？缺了这个边界。",
    ),
    "p3_no_last_boundary": (
        "Where does the last request end? That boundary is missing.",
        "最后一个请求在哪里结束？缺了这个边界。",
    ),
    "p3_counted_from_one": (
        "Every boundary is shifted: token indexes in the batch start as in Python.",
        "所有边界都偏移了：批次内 token 下标的起点与 Python 相同。",
    ),
    "p3_whole_history": (
        "These boundaries leave room for more tokens than this round computes. KV lengths and earlier"
        " rounds do not enter.",
        "这些边界容纳的 token 比这一轮计算的多。KV 长度和之前的轮次不计入。",
    ),
    "p4_full_hit": (
        "If every token were reused, nothing would be computed and there would be no logits.",
        "如果全部 token 都复用，就没有 token 要计算，也就得不到 logits。",
    ),
    "p4_not_aligned": (
        "That is the bound of the look-up. A hit consists of whole blocks.",
        "这是查找的上限。命中只能由整块组成。",
    ),
    "p4_no_hit": (
        "The cached blocks before the end of the prompt can be reused all the same.",
        "prompt 末尾之前的已缓存块仍然可以复用。",
    ),
    "p4_partial_block": (
        "A block that is only partly filled is counted here. Only full blocks can be hit.",
        "这里把未填满的块也算进去了。只有完整的块才能命中。",
    ),
    "p4_blocks_for_tokens": (
        "That is a number of blocks; the question asks for tokens.",
        "这是块数；题目问的是 token 数。",
    ),
    "p5_goodput_as_throughput": (
        "The same rate stands for both. Throughput counts all successes, goodput only the requests that"
        " meet both limits.",
        "两处用了同一个速率。吞吐量计所有成功请求，goodput 只计同时满足两项限制的请求。",
    ),
    "p5_not_divided": (
        "These are numbers of requests; a rate is divided by the time.",
        "这是请求数；速率还要除以时间。",
    ),
    "p5_share": (
        "That is the share of requests that meet the limits; goodput is a rate, divided by the time.",
        "这是满足限制的请求所占比例；goodput 是速率，要除以时间。",
    ),
    "p5_swapped": (
        "Check the order, throughput first: can goodput be the larger one?",
        "检查顺序，先写吞吐量：goodput 可能比它大吗？",
    ),
    "p5_late_ones": (
        "This counts the requests that miss a limit; goodput counts those that meet both.",
        "这里数的是未满足限制的请求；goodput 数的是两项都满足的。",
    ),
    "p5_upside_down": (
        "That is time divided by requests; the question asks for requests divided by time.",
        "这是时间除以请求数；题目问的是请求数除以时间。",
    ),
    "p5_other_unit": (
        "The rates are right, the unit of time is not: per what does the question ask?",
        "速率是对的，时间单位不对：题目问的是每多久？",
    ),
    "p6_overlap_not_subtracted": (
        "Work that must be done anyway costs the fetch nothing extra. Is the overlap taken off?",
        "本来就必须做的工作不增加取回的代价。减去重叠部分了吗？",
    ),
    "p6_overlap_twice": (
        "The overlap is taken off more than once. It belongs in the cost; the saving follows from the cost.",
        "重叠部分减了不止一次。它只计入代价；节省由代价得出。",
    ),
    "p6_overlap_added": (
        "Is the overlap added? It must be done anyway, so it lowers the cost. Check also that the cost"
        " stands first, then the saving.",
        "是不是把重叠部分加上了？这部分本来就必须做，应当降低代价。另请检查顺序：先代价，后节省。",
    ),
    "p6_swapped": (
        "Check the order: the cost stands first, then the saving.",
        "检查顺序：先代价，后节省。",
    ),
    "p6_sign": (
        "Check the sign: the saving is what recomputing takes beyond the fetch.",
        "检查符号：节省是重算比取回多花的部分。",
    ),
    "p6_other_unit": (
        "The steps are right, the unit is not: in which unit does the question ask?",
        "步骤是对的，单位不对：题目问的是哪个单位？",
    ),
    "p6_step_left_out": (
        "Not every step of the fetch is counted: look-up, data path, conversion and waiting.",
        "取回的步骤没有算全：查找、数据通路、转换与等待。",
    ),
}
