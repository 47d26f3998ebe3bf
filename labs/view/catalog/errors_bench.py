"""What was wrong with a benchmark result, by rule: (English, Chinese)."""

BENCH_RULES: dict[str, tuple[str, str]] = {
    "needs_result": (
        "name at least one benchmark result: JSON of vllm bench serve, or its printed block",
        "请至少给出一个压测结果：vllm bench serve 的 JSON，或它打印的结果块",
    ),
    "bench_limit": ("must be {choices}, in milliseconds", "必须写成 {choices}，单位毫秒"),
    "bench_limit_twice": ("this limit stands twice", "同一个上限给了两次"),
    "bench_no_figures": (
        "holds no figure of a benchmark result; looked for are those of vllm bench serve, in JSON or printed",
        "没有压测结果的数值；查找的是 vllm bench serve 的 JSON 字段或打印的结果块",
    ),
    "bench_other_tool": (
        "is a result of {tool}; those of vllm bench serve and SGLang are read here",
        "是 {tool} 的结果；这里只读取 vllm bench serve 与 SGLang 的结果",
    ),
    "bench_too_many": ("holds more than {most} results", "结果超过 {most} 个"),
    "bench_too_many_lines": ("has more than {most} lines", "超过 {most} 行"),
    "bench_too_many_entries": (
        "has lists of more than {most} entries in all: split the run",
        "所有列表合计超过 {most} 项：请把压测拆开",
    ),
    "bench_text_too_large": (
        "is text of more than {most} bytes: keep the printed block, and leave the log out",
        "是超过 {most} 字节的文本：请只保留打印的结果块，去掉日志",
    ),
    "bench_rate": (
        "request_rate must be a number of requests a second, inf, or trace",
        "request_rate 必须是每秒请求数、inf 或 trace",
    ),
    "bench_digits": ("digits must be plain ones, 0 to 9", "数字必须用半角 0 到 9 书写"),
    "bench_number": ("{key} must be a number", "{key} 必须是数字"),
    "bench_negative": ("{key} is below zero", "{key} 小于零"),
    "bench_positive": ("{key} must be more than zero", "{key} 必须大于零"),
    "bench_at_most": ("{key} must be at most {most}", "{key} 至多为 {most}"),
    "bench_whole": ("{key} must be a whole number from 0 on", "{key} 必须是不小于 0 的整数"),
    "bench_duration": ("the duration must be more than zero", "时长必须大于零"),
    "bench_seconds": (
        "{key} must hold seconds from 0 to {most}",
        "{key} 的每一项必须是 0 到 {most} 的秒数",
    ),
    "bench_list": ("{key} must be a list, one entry a request", "{key} 必须是列表，每个请求一项"),
    "bench_list_of_lists": (
        "itls must be a list of lists, one a request",
        "itls 必须是列表的列表，每个请求一个列表",
    ),
    "bench_unlike_lengths": (
        "{key} and {other} have unlike lengths: one entry a request in each",
        "{key} 与 {other} 长度不同：每个请求应各有一项",
    ),
    "bench_short_list": (
        "{key} has fewer entries than the {completed} completed requests",
        "{key} 的项数少于已完成的 {completed} 个请求",
    ),
    "bench_cut": (
        "the block breaks off here; add the rest of the line, or leave the line out",
        "结果块在这里断开；请补全这一行，或删去这一行",
    ),
    "is_gzip": ("is compressed with gzip: unpack it first", "是 gzip 压缩文件：请先解压"),
}
