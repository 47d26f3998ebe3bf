"""The report's template and what is said of a report: (English, Chinese)."""

TEXTS: dict[str, tuple[str, str]] = {
    "title": ("Report", "报告"),
    "intro": (
        "Write below each heading; comments do not count. Check from the folder that holds inference_lab.py:"
        " `python3 inference_lab.py answers report.md`",
        "在每个标题下书写，注释不算。在 inference_lab.py 所在的文件夹里检查：`python3 inference_lab.py answers report.md`",
    ),
    "checklist": ("Checklist of a design", "方案检查清单"),
    "report": ("Report {path}", "报告 {path}"),
    "empty": ("  {number}. {title}: still empty", "  {number}. {title}：还是空的"),
    "written": ("  {number}. {title}: written", "  {number}. {title}：已写"),
    "boxes": ("  checklist: {number} open", "  检查清单：还有 {number} 项未勾选"),
    "unjudged": (
        "Does not show: whether a section is right; ask a reader.",
        "未展示：内容是否正确；请找人审阅。",
    ),
    "report_total": (
        "report: {written} written, {empty} empty",
        "report: {written} written, {empty} empty",
    ),
}

SECTIONS: dict[str, tuple[str, str]] = {
    "setting": ("Model, hardware or assumption, load, SLO", "模型、硬件或假设、负载、SLO"),
    "architecture": (
        "Architecture, and the life of a request and its KV",
        "架构，以及请求与其 KV 的生命周期",
    ),
    "baseline": ("Baseline, or a hand calculation labelled as such", "基线，或注明为手算的估算"),
    "hypothesis": ("One bottleneck: hypothesis and evidence", "一个瓶颈：假设与证据"),
    "comparison": ("Comparison, correctness, quality", "对比、正确性、质量"),
    "failures": ("Failure paths, costs, where it does not pay", "失败路径、代价、不划算的情形"),
    "source": ("Functions of the engine's source that correspond", "对应的引擎源码函数"),
}

GUIDES: dict[str, tuple[str, str]] = {
    "setting": (
        "Model and precision; card, or what you assume of one; token distributions and bursts; limits for TTFT and TPOT.",
        "模型与精度；显卡，或你对它的假设；token 分布与突发；TTFT 与 TPOT 的限制。",
    ),
    "architecture": (
        "Queue, scheduler, KV pool, workers; when blocks are allocated, hit, freed.",
        "队列、调度器、KV 池、worker；块在何时分配、命中、释放。",
    ),
    "baseline": (
        "Weights and KV in bytes; what a plain engine does. Say whether a number was measured, counted or computed by hand.",
        "权重与 KV 的字节数；普通引擎的表现。注明每个数是实测、计数还是手算。",
    ),
    "hypothesis": (
        "One cause, what it predicts, and what could refute it. One change at a time.",
        "一个原因、它的预测，以及什么能推翻它。每次只改一处。",
    ),
    "comparison": (
        "Before and after under the same load; are outputs the same, or how is quality checked? Without a GPU: no measured gain.",
        "相同负载下的前后对比；输出是否一致，质量如何检查？没有 GPU 就不能声称实测收益。",
    ),
    "failures": (
        "Timeout, cancel, eviction, lost transfer: who notices, who owns the blocks, what it costs; when recomputing is better.",
        "超时、取消、淘汰、传输丢失：谁发现，块归谁，代价多大；何时重算更好。",
    ),
    "source": (
        "File and function for each part of section 2, with the version you read.",
        "第 2 节每一部分对应的文件与函数，并注明所读版本。",
    ),
}

CHECKLIST: dict[str, tuple[str, str]] = {
    "tokens": ("token distributions and bursts are known", "已知 token 分布与突发"),
    "quality": (
        "model, precision, allowed change of quality and total budget are known",
        "已知模型、精度、允许的质量变化与总资源预算",
    ),
    "targets": (
        "targets for TTFT and TPOT or ITL, and tolerated failures, are named",
        "写明 TTFT 与 TPOT 或 ITL 的目标，以及可容忍的失败",
    ),
    "sharing": (
        "repeated prefixes, and which tenants may share them, are known",
        "已知重复前缀，以及哪些租户可以共享",
    ),
    "topology": ("topology and memory are known", "已知拓扑与显存"),
    "sizing": (
        "weights and KV are sized before any number of GPUs is named",
        "先估算权重与 KV，再谈 GPU 数量",
    ),
    "chunked": ("the baseline is co-located, with chunked prefill", "基线为同池部署加 chunked prefill"),
    "split": ("pools are split only where interference was measured", "只有测到干扰才拆分 prefill 与 decode"),
    "routing": ("routing weighs predicted queue, compute and fetch", "路由权衡预计的排队、计算与取回"),
    "operations": (
        "admission, cancel, timeout, fallback and scale-up are named",
        "写明准入、取消、超时、降级与扩容",
    ),
    "verification": (
        "goodput is verified under mixed load and with faults",
        "在混合负载与故障下验证 goodput",
    ),
}
