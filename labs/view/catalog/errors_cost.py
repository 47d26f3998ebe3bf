"""What was wrong with a step cost or a random load, by rule: (English, Chinese)."""

COST_RULES: dict[str, tuple[str, str]] = {
    "not_a_cost": (
        "must be terms with times, such as base=5ms,prefill=20us,decode=100us,kv=40ns",
        "必须写成“项=时间”，例如 base=5ms,prefill=20us,decode=100us,kv=40ns",
    ),
    "unknown_cost_term": ("no such term; known are {known}", "没有这一项；可用的项：{known}"),
    "repeated_cost_term": ("term stands twice", "同一项出现了两次"),
    "cost_below_zero": ("the term {term} must not be below zero", "{term} 项不能小于零"),
    "cost_is_nothing": (
        "no step would take any time: at least one term must be above zero",
        "每一步都不花时间：至少有一项必须大于零",
    ),
    "not_a_count": (
        "must be a whole number above zero, such as 8030261248 or 8.03B (10^9)",
        "必须是正整数，例如 8030261248 或 8.03B（10^9）",
    ),
    "not_a_rate": (
        "must be requests a second, such as 4 or 4req/s, above zero and at most {most}; or inf",
        "必须是每秒请求数，例如 4 或 4req/s，大于零且至多为 {most}；或写 inf",
    ),
    "rates_not_ascending": (
        "each rate must be above the one before it",
        "速率必须逐个递增",
    ),
    "not_a_burstiness": (
        "must be a number from {least} to {most}, or inf",
        "必须是 {least} 到 {most} 之间的数，或写 inf",
    ),
    "fit_needs_detail": (
        "has no {name}: a step cost is fitted to a result with details (vllm bench serve --save-detailed)",
        "没有 {name}：拟合步成本需要带明细的结果（vllm bench serve --save-detailed）",
    ),
    "fit_one_result": (
        "holds several results: a step cost is fitted to one",
        "含有多个结果：步成本只对一个结果拟合",
    ),
    "fit_no_steps": (
        "holds no step that a cost could be fitted to: no request has two chunks or had the engine to itself",
        "没有可供拟合的步：没有请求收到两个以上的 chunk，也没有请求独占过引擎",
    ),
}
