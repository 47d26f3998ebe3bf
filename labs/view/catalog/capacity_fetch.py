"""Texts of the capacity lab's fetch: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "--lookup": (
        "time to look the KV up, with a unit: 3ms, 250us (3ms)",
        "查找 KV 的时间，须带单位：3ms、250us（3ms）",
    ),
    "--data-path": (
        "time that the data travel (20ms), if no size and bandwidth give it",
        "数据通路的时间（20ms）；也可改由数据量与带宽得出",
    ),
    "--size": ("what is fetched, with a unit: 1GiB", "要取回的数据量，须带单位：1GiB"),
    "--bandwidth": (
        "line rate of one link, with a unit: 400Gbit/s, 50GB/s",
        "单条链路的线路速率，须带单位：400Gbit/s、50GB/s",
    ),
    "--links": ("links in parallel (1)", "并行链路数（1）"),
    "--host-limit": (
        "most that the host lets through, whatever the links bring: 200Gbit/s",
        "主机的速率上限，链路再多也不能超过：200Gbit/s",
    ),
    "--conversion": ("time for conversion and waiting (7ms)", "转换与等待的时间（7ms）"),
    "--overlap": (
        "time of these steps that passes beside work that must be done anyway (8ms)",
        "以上步骤中与本来就必须做的工作重叠的时间（8ms）",
    ),
    "--recompute": (
        "time to recompute instead (60ms), if no tokens and rate give it",
        "改为重算所需的时间（60ms）；也可改由 token 数与重算速率得出",
    ),
    "--tokens": ("tokens of the prefix", "前缀的 token 数"),
    "--recompute-rate": ("tokens recomputed a second: 8000tok/s", "每秒重算的 token 数：8000tok/s"),
    "--kv-per-token": ("KV of one token, with a unit: 128KiB", "每 token 的 KV，须带单位：128KiB"),
    "--model": ("a built-in model, for the KV per token: ", "内置模型，由它得出每 token KV："),
    "--config": (
        "a Hugging Face config.json, for the KV per token",
        "Hugging Face 的 config.json，由它得出每 token KV",
    ),
    "--kv-dtype": ("dtype of the model's K and V (bfloat16): ", "模型 K 与 V 的 dtype（bfloat16）："),
    "--tp": (
        "tensor-parallel ranks of the model (1); one rank fetches its share over its own links",
        "模型的张量并行 rank 数（1）；每个 rank 经自己的链路取回自己那一份",
    ),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "capacity fetch: fetch stored KV, or recompute it? One request by itself. {what}.",
        "capacity fetch：取回已存的 KV，还是重算？只看单个请求。{what}。",
    ),
    "what_times": ("The data path is a time, no size is known", "数据通路只给了时间，数据量未知"),
    "what_size": ("KV of {size}", "KV 共 {size}"),
    "what_tokens": ("{tokens} tokens of {per_token} B each", "{tokens} token，每 token {per_token} B"),
    "what_model": (
        "{tokens} tokens of {per_token} B each: model {name}, KV in {dtype}{rank}",
        "{tokens} token，每 token {per_token} B：模型 {name}，KV 为 {dtype}{rank}",
    ),
    "what_rank": (", the share of one of {tp} ranks", "，{tp} 个 rank 中一个 rank 的份额"),
    "trace": (
        "\nFormula, substitution, units (model: by formula; measured: as it was given, by you or by the course)",
        "\n公式、代入与单位（model：按公式；measured：你或课程给出的值）",
    ),
    "measured": ("  measured {what} = {value}", "  measured {what} = {value}"),
    "given_lookup": ("look-up", "查找"),
    "given_data_path": ("data path", "数据通路"),
    "given_conversion": ("conversion and waiting", "转换与等待"),
    "given_overlap": ("overlap", "重叠"),
    "given_recompute": ("recompute", "重算"),
    "given_tokens": ("tokens", "token 数"),
    "given_recompute_rate": ("recompute rate", "重算速率"),
    "given_size": ("size", "数据量"),
    "given_kv_per_token": ("KV per token", "每 token KV"),
    "given_bandwidth": ("line rate of one link", "单条链路速率"),
    "given_links": ("links", "链路数"),
    "given_host_limit": ("host limit", "主机上限"),
    "per_token": (
        "  model    KV per token, every attention layer charged in full\n           {per_token} B/token",
        "  model    每 token KV，各 attention 层一律按全长计\n           {per_token} B/token",
    ),
    "per_token_of_size": (
        "  model    KV per token = size / tokens\n           {size} B / {tokens} tokens = {about_per_token} B/token",
        "  model    每 token KV = 数据量 / token 数\n           {size} B / {tokens} token = {about_per_token} B/token",
    ),
    "size": (
        "  model    size = tokens x KV per token\n"
        "           {tokens} tokens x {per_token} B/token = {size} B      (tokens cancel)\n"
        "           = {binary} (powers of 1024)\n"
        "           = {decimal} (powers of 1000)",
        "  model    数据量 = token 数 x 每 token KV\n"
        "           {tokens} token x {per_token} B/token = {size} B      （token 约去）\n"
        "           = {binary}（1024 的幂）\n"
        "           = {decimal}（1000 的幂）",
    ),
    "rate_links": (
        "  model    effective rate = links x line rate\n           {links} x {bandwidth} bit/s = {rate} bit/s",
        "  model    有效速率 = 链路数 x 单条链路速率\n           {links} x {bandwidth} bit/s = {rate} bit/s",
    ),
    "rate_host": (
        "  model    effective rate = min(links x line rate, host limit)\n"
        "           min({links} x {bandwidth} bit/s, {host} bit/s) = {rate} bit/s",
        "  model    有效速率 = min(链路数 x 单条链路速率, 主机上限)\n"
        "           min({links} x {bandwidth} bit/s, {host} bit/s) = {rate} bit/s",
    ),
    "data_path": (
        "  model    data path = size x 8 bit/B / effective rate\n"
        "           {size} B x 8 bit/B / {rate} bit/s = {about_data_path} ms      (B and bit cancel; 1 s = 1000 ms)",
        "  model    数据通路 = 数据量 x 8 bit/B / 有效速率\n"
        "           {size} B x 8 bit/B / {rate} bit/s = {about_data_path} ms      （B 与 bit 约去；1 s = 1000 ms）",
    ),
    "recompute": (
        "  model    recompute = tokens / recompute rate\n"
        "           {tokens} tokens / {speed} = {about_recompute} ms      (tokens cancel; 1 s = 1000 ms)",
        "  model    重算 = token 数 / 重算速率\n"
        "           {tokens} token / {speed} = {about_recompute} ms      （token 约去；1 s = 1000 ms）",
    ),
    "cost": (
        "  model    fetch cost = look-up + data path + conversion - overlap\n"
        "           {lookup} ms + {data_path} ms + {conversion} ms - {overlap} ms = {about_fetch} ms",
        "  model    取回代价 = 查找 + 数据通路 + 转换 - 重叠\n"
        "           {lookup} ms + {data_path} ms + {conversion} ms - {overlap} ms = {about_fetch} ms",
    ),
    "saved": (
        "  model    saving = recompute - fetch cost\n           {recompute} ms - {fetch} ms = {about_saving} ms",
        "  model    节省 = 重算 - 取回代价\n           {recompute} ms - {fetch} ms = {about_saving} ms",
    ),
    "fixed": (
        "  model    fixed part = look-up + conversion - overlap: what does not grow with the data\n"
        "           {lookup} ms + {conversion} ms - {overlap} ms = {about_fixed} ms",
        "  model    固定部分 = 查找 + 转换 - 重叠：不随数据量增长\n"
        "           {lookup} ms + {conversion} ms - {overlap} ms = {about_fixed} ms",
    ),
    "solve_length": (
        "  model    break-even length = fixed part / (recompute a token - data path a token)\n"
        "           {fixed} ms / ({slow} ms/token - {fast} ms/token) = {about_exact} tokens",
        "  model    盈亏平衡长度 = 固定部分 / (每 token 重算 - 每 token 数据通路)\n"
        "           {fixed} ms / ({slow} ms/token - {fast} ms/token) = {about_exact} token",
    ),
    "solve_bandwidth": (
        "  model    break-even bandwidth = size x 8 bit/B / (recompute - fixed part)\n"
        "           {bits} bit / ({recompute} ms - {signed} ms) = {about_rate}",
        "  model    盈亏平衡带宽 = 数据量 x 8 bit/B / (重算 - 固定部分)\n"
        "           {bits} bit / ({recompute} ms - {signed} ms) = {about_rate}",
    ),
    "solve_overlap": (
        "  model    break-even overlap = look-up + data path + conversion - recompute\n"
        "           {steps} ms - {recompute} ms = {about_needed} ms",
        "  model    盈亏平衡重叠 = 查找 + 数据通路 + 转换 - 重算\n           {steps} ms - {recompute} ms = {about_needed} ms",
    ),
    "about": ("about ", "约 "),
    "fetch_cost": ("\nfetch cost: {about_fetch} ms", "\n取回代价：{about_fetch} ms"),
    "recompute_cost": ("recompute: {about_recompute} ms", "重算：{about_recompute} ms"),
    "saving": ("saving: {about_saving} ms", "节省：{about_saving} ms"),
    "cheaper_fetch": ("cheaper: fetch", "代价更低：取回"),
    "cheaper_recompute": ("cheaper: recompute", "代价更低：重算"),
    "cheaper_neither": ("cheaper: neither, both cost the same", "代价更低：无，两者相同"),
    "effective_links": (
        "effective rate: {rate} = {byte_rate}, limited by the links",
        "有效速率：{rate} = {byte_rate}，受限于链路",
    ),
    "effective_host": (
        "effective rate: {rate} = {byte_rate}, limited by the host",
        "有效速率：{rate} = {byte_rate}，受限于主机",
    ),
    "length_from": (
        "break-even length: fetching is cheaper from {tokens} tokens on (equal at {about_exact})",
        "盈亏平衡长度：从 {tokens} token 起取回代价更低（{about_exact} token 时相等）",
    ),
    "length_up_to": (
        "break-even length: fetching is cheaper up to {tokens} tokens (equal at {about_exact})",
        "盈亏平衡长度：不超过 {tokens} token 时取回代价更低（{about_exact} token 时相等）",
    ),
    "length_always": (
        "break-even length: none, fetching is cheaper at every length",
        "盈亏平衡长度：无，任何长度下都是取回代价更低",
    ),
    "length_never": (
        "break-even length: none, fetching is cheaper at no length",
        "盈亏平衡长度：无，任何长度下取回的代价都不会更低",
    ),
    "length_unsolved": (
        "break-even length: not solved, give {missing}{instead}",
        "盈亏平衡长度：无法求解，请给出 {missing}{instead}",
    ),
    "instead": (" in place of {options}", "，并去掉 {options}"),
    "bandwidth_solved": (
        "break-even bandwidth: {about_rate} effective (below it recomputing is cheaper)",
        "盈亏平衡带宽：{about_rate}（有效速率，低于它则重算代价更低）",
    ),
    "bandwidth_never": (
        "break-even bandwidth: none, fetching is cheaper at no bandwidth",
        "盈亏平衡带宽：无，任何带宽下取回的代价都不会更低",
    ),
    "bandwidth_unsolved": (
        "break-even bandwidth: not solved, give --size SIZE --bandwidth RATE{instead}",
        "盈亏平衡带宽：无法求解，请给出 --size SIZE --bandwidth RATE{instead}",
    ),
    "overlap_solved": (
        "break-even overlap: {about_needed} ms of the {steps} ms that can overlap",
        "盈亏平衡重叠：{about_needed} ms（可重叠的共 {steps} ms）",
    ),
    "overlap_unneeded": (
        "break-even overlap: {about_needed} ms, fetching is cheaper without any",
        "盈亏平衡重叠：{about_needed} ms，没有重叠也是取回代价更低",
    ),
    "overlap_never": (
        "break-even overlap: none, fetching is not cheaper even if all {steps} ms overlap",
        "盈亏平衡重叠：无，即使 {steps} ms 全部重叠，取回的代价也不会更低",
    ),
}
