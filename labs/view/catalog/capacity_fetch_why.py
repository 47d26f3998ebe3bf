"""Texts of the capacity lab's fetch: why, what is not shown, the next step: (English, Chinese)."""

WHY: dict[str, tuple[str, str]] = {
    "why": ("\nWhy: ", "\n原因："),
    "join": (" ", ""),
    "why_overlap": (
        "The steps take {steps} ms, and {overlap} ms of them pass beside work that must be done anyway. They"
        " are taken off once, in the cost: {fetch} ms. Not taken off at all they would leave {steps} ms,"
        " taken off twice {twice} ms.",
        "各步合计 {steps} ms，其中 {overlap} ms 与本来就必须做的工作重叠。重叠只在代价中减一次：{fetch} ms。不减是 {steps} ms，"
        "减两次则是 {twice} ms。",
    ),
    "why_no_overlap": (
        "Nothing overlaps, so the fetch costs all {steps} ms of its steps.",
        "没有重叠，所以取回的代价就是各步合计的 {steps} ms。",
    ),
    "why_more": (
        "Recomputing takes {recompute} ms, {difference} ms more.",
        "重算需 {recompute} ms，多 {difference} ms。",
    ),
    "why_less": (
        "Recomputing takes {recompute} ms, {difference} ms less.",
        "重算需 {recompute} ms，少 {difference} ms。",
    ),
    "why_equal": ("Recomputing takes exactly as long.", "重算恰好一样长。"),
    "step_lookup": ("the look-up", "查找"),
    "step_data_path": ("the data path", "数据通路"),
    "step_conversion": ("conversion and waiting", "转换与等待"),
    "why_largest": (
        "The largest step is {step}, {ms} of the {steps} ms.",
        "最大的一步是{step}，占 {steps} ms 中的 {ms} ms。",
    ),
    "why_host": (
        "{links} x {bandwidth} would bring {together}, but the host lets {rate} through: another link changes"
        " nothing, a higher host limit does.",
        "{links} x {bandwidth} 可达 {together}，但主机只放行 {rate}：再加链路没有用，提高主机上限才有用。",
    ),
    "why_links": (
        "{links} x {bandwidth} bring {together}, and the host would let {host} through: the links decide.",
        "{links} x {bandwidth} 合计 {together}，主机可放行 {host}：由链路决定。",
    ),
    "why_bits": (
        "Links are rated in bits: {rate} is {byte_rate}, and dividing bytes by the number of bits would give"
        " {no_bits} ms on the data path.",
        "链路速率以 bit 计：{rate} 即 {byte_rate}，若直接用字节数除以 bit 数，数据通路会得到 {no_bits} ms。",
    ),
    "why_from": (
        "Each token fetched spares {spared} ms, so the fixed {fixed} ms are earned back after {exact} tokens.",
        "每取回一个 token 省 {spared} ms，所以取回 {exact} token 才抵得过固定的 {fixed} ms。",
    ),
    "why_up_to": (
        "Each token takes {lost} ms longer to fetch than to recompute; the overlap covers {covered} ms more than look-up and"
        " conversion take, which is used up after {exact} tokens.",
        "每个 token 取回比重算多花 {lost} ms；重叠比查找与转换之和多 {covered} ms，到 {exact} token 就用完了。",
    ),
    "why_always": (
        "A token takes {fast} ms to fetch and {slow} ms to recompute, and the fixed part is {fixed} ms: there is nothing to"
        " earn back, whatever the length.",
        "取回一个 token 需 {fast} ms，重算需 {slow} ms，固定部分为 {fixed} ms：无论多长，都没有要抵消的代价。",
    ),
    "why_never": (
        "A token takes {fast} ms to fetch and {slow} ms to recompute, and the fixed part is {fixed} ms: no length"
        " earns that back.",
        "取回一个 token 需 {fast} ms，重算需 {slow} ms，固定部分为 {fixed} ms：无论多长都抵消不了。",
    ),
    "why_under_one": (
        "Each token takes {lost} ms longer to fetch than to recompute; the {covered} ms that the overlap covers beyond look-up and"
        " conversion do not last for one.",
        "每个 token 取回比重算多花 {lost} ms；重叠只比查找与转换之和多 {covered} ms，还不够一个 token 用。",
    ),
    "why_bandwidth": (
        "At {rate} the data path would take {left} ms, and with the fixed {fixed} ms exactly as long as recomputing.",
        "有效速率为 {rate} 时，数据通路需 {left} ms，加上固定的 {fixed} ms 正好与重算一样长。",
    ),
    "why_no_bandwidth": (
        "The fixed {fixed} ms alone are not below the {recompute} ms of recomputing, so no rate is high enough.",
        "仅固定部分就有 {fixed} ms，已不低于重算的 {recompute} ms，速率再高也没有用。",
    ),
    "why_free": (
        "Recomputing costs nothing, and no fetch costs less than that.",
        "重算的代价为零，取回不可能更低。",
    ),
    "not_shown": (
        "Does not show: TTFT, which need not fall by the saving: queueing, the rest of the prompt, other requests on"
        " the same links, an overlap that does not happen; protocol overhead of each message and an effective rate"
        " below the line rate; a recompute rate that falls with the length; misses, failed loads (then both are"
        " paid) and the last token, which is computed in any case.{windows}",
        "未展示：TTFT（未必缩短这么多，还有排队、prompt 的其余部分、同一链路上的其他请求、未能实现的重叠）；每条消息的协议开销，"
        "实际速率低于线路速率；重算速率随长度下降；未命中、加载失败（此时两份代价都要付），以及无论如何都要计算的最后一个"
        " token。{windows}",
    ),
    "windows": (
        " Layers with a window are charged in full: past it a store may hold, and a fetch bring, less.",
        "有窗口的层按全长计：前缀超出窗口后，实际存储和取回的可能更少。",
    ),
    "states": (
        " The fixed state of linear-attention layers is not charged.",
        "线性 attention 层的固定状态没有计入。",
    ),
    "next": (
        "Next: python3 inference_lab.py {command}  ({predict})",
        "下一步：python3 inference_lab.py {command}（{predict}）",
    ),
    "predict_size": ("predict the fetch cost", "先预测取回代价"),
    "predict_length": ("predict the break-even length", "先预测盈亏平衡长度"),
    "predict_links": ("predict what binds, and the saving", "先预测受限于什么，以及节省多少"),
    "predict_overlap": ("predict what the overlap was worth", "先预测这段重叠省了多少"),
}
