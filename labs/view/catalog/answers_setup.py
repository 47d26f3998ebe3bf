"""The sheet `setup`: (English, Chinese). Only questions and solutions hold digits."""

TITLE: dict[str, tuple[str, str]] = {
    "title": (
        "Set-up: KV memory and blocks at start-up, block size, offered rates, queueing and the knee.",
        "启动与速率：启动时的 KV 显存与块数、块大小、到达速率、排队与拐点。",
    ),
}

QUESTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "A card has {card} GiB; the engine may use {utilisation} % of it. Weights take {weights} GiB, the activation peak"
        " of the profile run {activations} GiB, other memory {other} GiB. How much is left for KV? Answer in GiB: one number.",
        "显卡有 {card} GiB，引擎可用其中 {utilisation} %。权重占 {weights} GiB，profile 运行的激活峰值 {activations} GiB，"
        "其他 {other} GiB。留给 KV 的有多少？以 GiB 作答：一个数。",
    ),
    "p2": (
        "On a card of {card} GB the utilisation is raised from {low} % to {high} %. How much memory does KV gain?"
        " Answer in GB: one number.",
        "一张 {card} GB 的卡，利用率从 {low} % 提高到 {high} %。KV 多得多少显存？以 GB 作答：一个数。",
    ),
    "p3": (
        "How many blocks of {block} MiB fit into {memory} GB (powers of ten)? Answer in blocks: one number.",
        "{memory} GB（十的幂）能放下多少个 {block} MiB 的块？以块作答：一个数。",
    ),
    "p4": (
        "The log says {blocks} blocks of {block_size} tokens. The block size is doubled, the memory stays. How many blocks"
        " are there now, and how many tokens do they hold? Answer: [blocks, tokens].",
        "日志显示 {blocks} 块，每块 {block_size} 个 token。块大小加倍，显存不变。现在有多少块，共存多少 token？作答：[块数, token 数]。",
    ),
    "p5": (
        "KV memory is {memory} GiB, and a block takes {block} MiB with BF16 elements. How many blocks are there with FP8"
        " elements? Answer in blocks: one number.",
        "KV 显存为 {memory} GiB，元素为 BF16 时每块 {block} MiB。元素改为 FP8 时有多少块？以块作答：一个数。",
    ),
    "p6": (
        "An engine can serve {capacity} req/s. {offered[0]} req/s are offered, then {offered[1]}. What is the throughput in"
        " each case? Answer in req/s: [first, second].",
        "引擎最多服务 {capacity} req/s。先以 {offered[0]} req/s 到达，再以 {offered[1]} req/s 到达。吞吐量各是多少？以 req/s 作答：[前者, 后者]。",
    ),
    "p7": (
        "In an M/M/1 queue {served} req/s can be served and {arriving} arrive. How long is a request in the system on"
        " average, queueing and service together? Answer in ms: one number.",
        "M/M/1 队列每秒可服务 {served} 个请求，到达 {arriving} 个。一个请求在系统中的平均时间（排队加服务）是多少？以 ms 作答：一个数。",
    ),
    "p8": (
        "Throughput stops growing at {knee} req/s. With which rate does the course's rule plan? Answer in req/s: one number.",
        "吞吐量在 {knee} req/s 处不再增长。按课程的经验法则，应按多少速率规划？以 req/s 作答：一个数。",
    ),
}

NOTES: dict[str, tuple[str, str]] = {
    "p1": (
        "A larger token budget per round raises the profiled peak, and so costs KV.",
        "每轮 token 预算越大，profile 的峰值越高，KV 就越少。",
    ),
    "p2": ("All of the gain goes to KV: the rest is fixed.", "多出的全归 KV：其余都是固定的。"),
    "p3": ("What is left after the last whole block stays unused.", "最后一个整块之后的余量用不上。"),
    "p4": ("Larger blocks waste more in each request's last block.", "块越大，每个请求最后一块浪费越多。"),
    "p5": (
        "The weights do not change, so this is no gain in all memory.",
        "权重不变，所以并非全部显存都减半。",
    ),
    "p6": (
        "Beyond capacity only the queue grows, and with it TTFT.",
        "超过容量后只有队列在变长，TTFT 随之增长。",
    ),
    "p7": (
        "A real engine batches: its wait stays flat for longer, then grows faster.",
        "真实引擎会批处理：等待在更长的区间内平稳，之后涨得更快。",
    ),
    "p8": ("The rest is room for bursts.", "余下的留给突发流量。"),
}

DIAGNOSES: dict[str, tuple[str, str]] = {
    "p1_whole_card": ("May the engine use the whole card?", "引擎可以用整张卡吗？"),
    "p1_share_of_the_rest": (
        "The share is one of the whole card: apply it before anything is taken off.",
        "比例是对整张卡而言的：先乘比例，再减各项。",
    ),
    "p1_weights_left_out": ("The weights lie on the card too.", "权重也在卡上。"),
    "p1_activations_left_out": (
        "The profile run's peak has to fit beside the KV.",
        "profile 运行的峰值要与 KV 同时放得下。",
    ),
    "p1_other_left_out": ("One item of the list is missing: other memory.", "漏了一项：其他显存。"),
    "p1_unused_share": ("That starts from the share that is not used.", "这是从不用的那部分算起的。"),
    "p2_all_of_it": (
        "That is all the usable memory; the question asks for the gain.",
        "这是全部可用显存；题目问的是增量。",
    ),
    "p2_percent": ("That is a difference in percent: percent of what?", "这是百分点之差：谁的百分之几？"),
    "p2_unused_share": ("That is what still is not used.", "这是仍然没有用上的部分。"),
    "p3_binary": (
        "The memory is given in powers of ten, the block in powers of two.",
        "显存以十的幂给出，块以二的幂给出。",
    ),
    "p3_decimal": ("A MiB is no MB: go through bytes.", "MiB 不是 MB：请先换成字节。"),
    "p3_rounded_up": ("A block that fits only in part is none.", "只放得下一部分的块不算。"),
    "p4_same_blocks": (
        "The memory stays: can as many blocks of twice the size fit?",
        "显存不变：块大一倍，还能放下同样多的块吗？",
    ),
    "p4_more_blocks": ("Do larger blocks mean more of them?", "块变大，块数会变多吗？"),
    "p4_fewer_tokens": ("A token takes as many bytes as before.", "一个 token 占的字节数没有变。"),
    "p4_more_tokens": ("No memory has been added for more tokens.", "并没有增加显存来放更多 token。"),
    "p5_unchanged": (
        "That is the number with the wider elements: what does a block take now?",
        "这是原来元素宽度下的块数：现在一块占多少？",
    ),
    "p5_halved": ("Do smaller blocks mean fewer of them?", "块变小，块数会变少吗？"),
    "p5_quartered": ("By which factor does an element shrink?", "一个元素缩小到几分之一？"),
    "p6_offered": ("Can more come out than the engine can serve?", "完成的能比引擎服务得了的还多吗？"),
    "p6_capacity": ("Can more come out than goes in?", "完成的能比到达的还多吗？"),
    "p6_turned_away": ("That is by how much the queue grows.", "这是队列增长的速度。"),
    "p7_service_only": (
        "That is the service alone; the queue comes on top.",
        "这只是服务时间；还要加上排队。",
    ),
    "p7_between_arrivals": ("That is the time between two arrivals.", "这是两次到达的间隔。"),
    "p7_waiting_only": (
        "That is the queueing alone; the service belongs to it.",
        "这只是排队时间；还要加上服务。",
    ),
    "p7_seconds": ("That is in seconds.", "这是以秒计。"),
    "p8_at_the_knee": ("At the knee there is no room left for bursts.", "在拐点处已没有余量应付突发。"),
    "p8_the_rest": ("That is the room to spare, not the rate.", "这是余量，不是速率。"),
    "p8_beyond": ("That lies beyond the knee.", "这超过了拐点。"),
}

STEPS: dict[str, tuple[str, str]] = {
    "p1": (
        "Begin with what the engine may use: {utilisation} % of {card} GiB.\nTake off weights, activation peak and other memory.",
        "先算引擎可用的部分：{card} GiB 的 {utilisation} %。\n再减去权重、激活峰值和其他显存。",
    ),
    "p2": (
        "Weights, peak and other memory stay the same.\nSo KV gains the difference of both shares, of {card} GB.",
        "权重、峰值和其他显存都不变。\n所以 KV 多得的是 {card} GB 乘两个比例之差。",
    ),
    "p3": (
        "Turn both into bytes: {memory} GB by powers of ten, {block} MiB by powers of two.\nDivide, and keep the whole blocks.",
        "都换成字节：{memory} GB 用十的幂，{block} MiB 用二的幂。\n相除，只取整块。",
    ),
    "p4": (
        "The memory holds as many tokens as before: {blocks} times {block_size}.\nEach block now holds twice as many: how many blocks is that?",
        "显存能存的 token 数不变：{blocks} 乘 {block_size}。\n每块的 token 数加倍：那是多少块？",
    ),
    "p5": (
        "How many blocks are there now, with {block} MiB each?\nAn element of one byte in place of two: what becomes of a block, and of their number?",
        "每块 {block} MiB 时有多少块？\n元素由两字节变为一字节：块的大小和块数怎样变化？",
    ),
    "p6": (
        "Below capacity everything that comes is served.\nAbove {capacity} req/s no more than that is served; the rest queues.",
        "低于容量时，来多少服务多少。\n超过 {capacity} req/s 时，最多服务这么多，其余排队。",
    ),
    "p7": (
        "How much faster is service than arrival?\nThe mean time is one divided by that difference; turn seconds into ms.",
        "服务比到达快多少？\n平均时间等于一除以这个差；再把秒换成 ms。",
    ),
    "p8": (
        "Plan below the knee, so that bursts find room.\nThe course plans with about seven tenths of {knee} req/s.",
        "规划速率应低于拐点，给突发留余量。\n课程按 {knee} req/s 的七成左右规划。",
    ),
}

SOLUTIONS: dict[str, tuple[str, str]] = {
    "p1": (
        "KV = card x utilisation - weights - activation peak - other\n{card} x {utilisation} / 100 = {usable}; {usable} - {weights} - {activations} - {other}\nGiB: {answer}\nall items add up to {usable} GiB, not to {card}",
        "KV = 显存 x 利用率 - 权重 - 激活峰值 - 其他\n{card} x {utilisation} / 100 = {usable}；{usable} - {weights} - {activations} - {other}\nGiB：{answer}\n各项之和为 {usable} GiB，而不是 {card}",
    ),
    "p2": (
        "gain = card x (high - low)\n{card} x ({high} - {low}) / 100\nGB: {answer}\nfar less than the card's {card} GB",
        "增量 = 显存 x (新 - 旧)\n{card} x ({high} - {low}) / 100\nGB：{answer}\n远小于整张卡的 {card} GB",
    ),
    "p3": (
        "blocks = floor(memory / block)\n{bytes} B / {each} B\nblocks: {answer}\nfewer than in powers of two alone, for a GB is smaller than a GiB",
        "块数 = floor(显存 / 块)\n{bytes} B / {each} B\n块：{answer}\n比全按二的幂算的少，因为 GB 比 GiB 小",
    ),
    "p4": (
        "tokens = blocks x block size stays\n{blocks} x {block_size} = {tokens}; {tokens} / {larger}\nblocks and tokens: {answer}\nhalf the blocks, each twice as large",
        "token 数 = 块数 x 块大小，不变\n{blocks} x {block_size} = {tokens}；{tokens} / {larger}\n块数与 token 数：{answer}\n块数减半，每块大一倍",
    ),
    "p5": (
        "blocks = KV memory / block; FP8 halves a block\n{memory} x 1024 / {block} x 2\nblocks: {answer}\ntwice as many as with BF16",
        "块数 = KV 显存 / 块；FP8 使块减半\n{memory} x 1024 / {block} x 2\n块：{answer}\n是 BF16 时的两倍",
    ),
    "p6": (
        "throughput = min(offered, capacity)\nmin({offered[0]}, {capacity}) and min({offered[1]}, {capacity})\nreq/s: {answer}\nneither above what is offered nor above capacity",
        "吞吐量 = min(到达, 容量)\nmin({offered[0]}, {capacity}) 与 min({offered[1]}, {capacity})\nreq/s：{answer}\n既不超过到达，也不超过容量",
    ),
    "p7": (
        "time in the system = 1 / (mu - lambda)\n1000 / ({served} - {arriving})\nms: {answer}\nlonger than the service alone, 1000 / {served} ms",
        "系统中的时间 = 1 / (mu - lambda)\n1000 / ({served} - {arriving})\nms：{answer}\n比单纯的服务时间 1000 / {served} ms 长",
    ),
    "p8": (
        "planned rate = 0.7 x knee\n0.7 x {knee}\nreq/s: {answer}\nbelow the knee",
        "规划速率 = 0.7 x 拐点\n0.7 x {knee}\nreq/s：{answer}\n低于拐点",
    ),
}
