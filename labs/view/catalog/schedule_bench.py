"""Texts of `schedule bench`: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "RESULT": (
        "results of vllm bench serve: JSON files (summary or detailed), or text with the printed block",
        "vllm bench serve 的结果：JSON 文件（汇总或明细），或含打印结果块的文本",
    ),
    "--goodput": (
        "limits of a good request in milliseconds: ttft:200 tpot:50 e2el:1000",
        "达标请求的上限，单位毫秒：ttft:200 tpot:50 e2el:1000",
    ),
    "--csv": ("write the table over rates to a file", "把各速率的表写入文件"),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "schedule bench: {results} results of {files} files; {limits}.",
        "schedule bench：{files} 个文件，{results} 个结果；{limits}。",
    ),
    "setup_one_file": (
        "schedule bench: {results} results of one file; {limits}.",
        "schedule bench：一个文件，{results} 个结果；{limits}。",
    ),
    "setup_one": ("schedule bench: one result; {limits}.", "schedule bench：一个结果；{limits}。"),
    "no_limits": ("no --goodput limits", "没有 --goodput 上限"),
    "limits": ("a good request has {limits}", "达标请求：{limits}"),
    "limit": ("{name} <= {ms} ms", "{name} <= {ms} ms"),
    "join": ("; ", "；"),
    "head": (
        "\n{path}:{line}  {form}, {origin}; {settings}",
        "\n{path}:{line}  {form}，{origin}；{settings}",
    ),
    "setting": ("{name} {value}", "{name} {value}"),
    "no_settings": ("settings not told", "没有写明设置"),
    "generation_unknown": ("of unknown year", "年份不明"),
    "measured": ("  measured: {figures}", "  measured：{figures}"),
    "statistics_head": ("measured, ms", "measured，ms"),
    "compared": (
        "  recomputed from the lists: {count} figures, none differs",
        "  由明细重算：{count} 项，全部一致",
    ),
    "compared_differ": (
        "  recomputed from the lists: {count} figures, {differing} differ",
        "  由明细重算：{count} 项，{differing} 项不一致",
    ),
    "compared_one_differs": (
        "  recomputed from the lists: {count} figures, one differs",
        "  由明细重算：{count} 项，1 项不一致",
    ),
    "no_lists": (
        "  no lists of every request: only relations among the figures can be checked",
        "  没有逐请求的明细：只能核对数值之间的关系",
    ),
    "differing_columns": ("figure|printed|right|what prints it", "名称|结果值|正确值|这样算会得到结果值"),
    "no_mistake": ("no mistake known here", "不是这里已知的错误"),
    "checks": ("  checks: {count}, all hold", "  核对：{count} 项，全部成立"),
    "no_checks": ("  checks: none possible with these figures", "  核对：这些数值不足以核对任何关系"),
    "check_fails": ("  checks: {count}, of which one fails", "  核对：{count} 项，1 项不成立"),
    "checks_fail": ("  checks: {count}, of which {failing} fail", "  核对：{count} 项，{failing} 项不成立"),
    "check_columns": ("figure|printed|allowed", "名称|结果值|允许值"),
    "from_to": ("{low} to {high}", "{low} 至 {high}"),
    "at_least": ("at least {low}", "至少 {low}"),
    "at_most": ("at most {high}", "至多 {high}"),
    "estimates": ("  from the averages (model):", "  由平均值推算（model）："),
    "goodput_printed": (
        "request_goodput {printed} (its limits are not told)",
        "request_goodput {printed}（没有写明上限）",
    ),
    "goodput": (
        "  goodput (counted): {goodput} req/s, good requests: {good}",
        "  goodput（counted）：{good} 个达标请求，{goodput} req/s",
    ),
    "peak": (
        "  requests under way at once (counted): at most {peak}",
        "  同时在途请求数（counted）：至多 {peak}",
    ),
    "warning": ("  - {word}: {text}", "  - {word}：{text}"),
    "more": (
        "\n... results not shown here: {more}; --json has all",
        "\n……另有 {more} 个结果（用 --json 查看全部）",
    ),
    "table_head": (
        "\nOver {load} (measured; M/M/1 wait: model)",
        "\n按{load}排列（measured；M/M/1 等待时间为 model）",
    ),
    "workload": (
        ", about {inputs} tokens in and {outputs} out a request",
        "，每请求约 {inputs} token 输入、{outputs} token 输出",
    ),
    "table_columns": (
        "load|req/s|tok/s|TTFT ms|TPOT ms|goodput|M/M/1 wait|",
        "负载|req/s|tok/s|TTFT ms|TPOT ms|goodput|M/M/1 等待|",
    ),
    "seconds": ("{s} s", "{s} s"),
    "without_bound": ("without bound", "无上界"),
    "is_knee": ("knee", "拐点"),
    "is_peak": ("peak", "峰值"),
    "load_request_rate": ("request_rate", "request_rate"),
    "load_max_concurrency": ("max_concurrency", "max_concurrency"),
    "load_completed": ("completed requests, all sent as fast as allowed", "完成的请求数（尽快发出）"),
    "load_request_throughput": ("measured request throughput", "实测请求吞吐"),
    "result_holds": ("\nresult: every equality that must hold does", "\n结果：该成立的等式全部成立"),
    "result_partly_checked": (
        "\nresult: every equality that must hold does; nothing could be checked in {unchecked} of {results} results",
        "\n结果：该成立的等式全部成立；{results} 个结果中有 {unchecked} 个没有可核对的内容",
    ),
    "result_unchecked": (
        "\nresult: nothing could be checked: no two figures here are bound to each other",
        "\n结果：没有可核对的内容：这些数值之间没有约束关系",
    ),
    "result_fails_alone": ("\nresult: it contradicts itself", "\n结果：自相矛盾"),
    "result_fails_one": (
        "\nresult: one of {results} results contradicts itself",
        "\n结果：{results} 个结果中有 1 个自相矛盾",
    ),
    "result_fails": (
        "\nresult: {count} of {results} results contradict themselves",
        "\n结果：{results} 个结果中有 {count} 个自相矛盾",
    ),
    "of_curve": ("requests alike{workload}:", "同类请求{workload}："),
    "knee": (
        "knee: {load} (measured {throughput}); plan with {plan} req/s, 70 % of the {served} req/s served there",
        "拐点：{load}（实测 {throughput}）；建议按 {plan} req/s 规划，即该点实际服务的 {served} req/s 的 70 %",
    ),
    "knee_contradicted": (
        "knee: {load} as printed (measured {throughput}), and no plan: what was measured at {at} contradicts itself",
        "拐点：按结果值为 {load}（实测 {throughput}），但不给出规划速率：{at} 处的结果自相矛盾",
    ),
    "knee_mixed": (
        "knee: {load} as printed (measured {throughput}), and no plan: max_concurrency is not the same at all rates",
        "拐点：按结果值为 {load}（实测 {throughput}），但不给出规划速率：各速率的 max_concurrency 不同",
    ),
    "knee_no_plan": ("knee: {load} (measured {throughput})", "拐点：{load}（实测 {throughput}）"),
    "no_knee": (
        "knee: not reached; no larger load than {load} was tried",
        "拐点：未达到；没有试过比 {load} 更大的负载",
    ),
    "no_knee_inf": (
        "knee: not among these rates; {load}, sent as fast as allowed, still serves more than any finite rate",
        "拐点：不在这些速率之中；{load}（尽快发出）的吞吐仍高于任何有限速率",
    ),
    "no_knee_mixed": (
        "knee: none is told: max_concurrency is not the same at all rates",
        "拐点：不判断：各速率的 max_concurrency 不同",
    ),
    "why": ("\nWhy: ", "\n原因："),
    "why_rate": (
        "{completed} completed / {duration} s = {rate} req/s",
        "{completed} 个请求 / {duration} s = {rate} req/s",
    ),
    "why_little": (
        "at {rate} req/s and {latency} s each, {little} requests are under way on average (Little's law)",
        "按 Little 定律，速率 {rate} req/s、每个请求 {latency} s 时平均有 {little} 个请求在途",
    ),
    "why_side_by_side": (
        "mean TTFT + (n - 1) x mean TPOT = {parts} s is the whole run of {s} s: all requests ran side by side",
        "平均 TTFT + (n - 1) x 平均 TPOT = {parts} s，正是整个压测的 {s} s：所有请求并行进行",
    ),
    "why_differs": (
        "{name} is printed as {printed}, and the lists give {right}",
        "{name} 的结果值为 {printed}，由明细得到 {right}",
    ),
    "why_check": (
        "{name} is printed as {printed}, and the other figures allow {allowed}",
        "{name} 的结果值为 {printed}，其他数值只允许 {allowed}",
    ),
    "why_knee": (
        "the knee is the smallest load whose throughput no larger load exceeds by more than 5 %: {at} at {load},"
        " at most {later} beyond it",
        "拐点是这样的最小负载：任何更大负载的吞吐都不比它高出 5 % 以上；{load} 处为 {at}，其后最高 {later}",
    ),
    "why_growing": (
        "the last step, to {load}, went from {before} to {at}, and no larger load was tried: whether it would still"
        " grow is not known",
        "最后一步到 {load} 时，吞吐从 {before} 变为 {at}，没有试过更大的负载，是否继续增长未知",
    ),
    "why_growing_inf": (
        "sent as fast as allowed ({load}) it went from the {before} at {finite} to {at}: the knee lies above {finite}",
        "尽快发出（{load}）时，吞吐从 {finite} 处的 {before} 变为 {at}：拐点在 {finite} 以上",
    ),
    "why_mm1": (
        "with {capacity} req/s served at best, M/M/1 waits 1 / ({capacity} - rate): {wait} s at {load}",
        "最多服务 {capacity} req/s，M/M/1 的等待时间为 1 / ({capacity} - 速率)：{load} 处为 {wait} s",
    ),
    "stop": (".", "。"),
    "not_shown": (
        "\nDoes not show: why the server was as fast as it was; what a summary leaves out (each request); the asked"
        " length of answers that stopped early. M/M/1 serves one at a time, an engine batches: its wait stays flat"
        " for longer and then grows faster.",
        "\n不能说明：服务端为何是这个速度；汇总略去的逐请求数据；提前结束的回答原本要求的长度。"
        "M/M/1 一次只服务一个请求，而引擎成批处理：实际等待时间平坦得更久，随后增长更快。",
    ),
    "next_goodput": (
        "\nNext: how many requests are good under limits of your own:",
        "\n下一步：给出自己的上限，看有多少请求达标：",
    ),
    "next_detailed": (
        "\nNext: run the benchmark again with --save-result --save-detailed, and read that file. Every figure of this"
        " one:",
        "\n下一步：用 --save-result --save-detailed 重新压测，再读取该文件。查看这次的全部数值：",
    ),
    "next_rates": (
        "\nNext: add results of more rates, to see the knee. Every figure:",
        "\n下一步：加入其他速率的结果，找出拐点。查看全部数值：",
    ),
    "next_mixed": (
        "\nNext: run every rate under the same max_concurrency, or under none, and read those. Every figure:",
        "\n下一步：用相同的 max_concurrency（或都不限制）压测每个速率，再读取那些结果。查看全部数值：",
    ),
    "next_between": (
        "\nNext: run the benchmark at rates above {load} that are not inf, and add their results. Every figure:",
        "\n下一步：用高于 {load} 的有限速率再压测几次，并加入其结果。查看全部数值：",
    ),
    "next_larger": (
        "\nNext: run the benchmark at twice the largest load, {load}, and add its result. Every figure:",
        "\n下一步：以最大负载 {load} 的两倍再压测一次，并加入其结果。查看全部数值：",
    ),
}
