"""What was wrong with a trace, by rule: (English, Chinese)."""

TRACE_RULES: dict[str, tuple[str, str]] = {
    "needs_trace": ("name one trace file", "请给出一个 trace 文件"),
    "trace_empty": ("the file is empty: there is no request", "文件为空：没有请求"),
    "trace_packed": ("is a {name} file: unpack it first", "是 {name} 文件：请先解压"),
    "trace_blank_line": ("is a blank line between requests", "请求之间有空行"),
    "trace_line_too_long": (
        "is longer than {most} bytes: this is no trace with one request a line",
        "这一行超过 {most} 字节：不是每行一个请求的 trace",
    ),
    "trace_unknown": (
        "is no trace that is read here: JSON lines with hash_ids (Mooncake), with tokens, prompt_token_ids or input_ids,"
        " or CSV with TIMESTAMP,ContextTokens,GeneratedTokens (Azure)",
        "不是这里能读的 trace：带 hash_ids 的 JSON 行（Mooncake），带 tokens、prompt_token_ids 或 input_ids 的 JSON 行，"
        "或表头为 TIMESTAMP,ContextTokens,GeneratedTokens 的 CSV（Azure）",
    ),
    "trace_key_missing": ("{key} is missing", "缺少 {key}"),
    "trace_not_ids": ("{key} must be a list of whole numbers from 0", "{key} 必须是从 0 起的整数列表"),
    "trace_no_ids": ("{key} must not be empty", "{key} 不能为空"),
    "trace_length": (
        "{key} must be a whole number from {least} to {most}",
        "{key} 必须是 {least} 到 {most} 的整数",
    ),
    "trace_length_differs": (
        "input_length must be the number of token ids, {tokens}",
        "input_length 必须等于 token id 的个数 {tokens}",
    ),
    "trace_time": (
        "{key} must be a time from 0 to {most}, in plain digits",
        "{key} 必须是 0 到 {most} 的时间，只用普通数字书写",
    ),
    "trace_times_differ": (
        "a request has its time as every other has; the first has {first}",
        "各请求的时间写法必须一致；第一个请求的写法是 {first}",
    ),
    "trace_unsorted": (
        "arrives before the request above it, which is at {before} ms: sort the trace by time",
        "到达时间早于上一个请求（{before} ms）：请按时间排序",
    ),
    "trace_header": ("the header must be {columns}", "表头必须是 {columns}"),
    "trace_columns": ("a row must have the columns {columns}", "每行必须有这些列：{columns}"),
    "trace_timestamp": (
        "must begin with a time such as {example}, in UTC",
        "开头必须是 UTC 时间，例如 {example}",
    ),
    "trace_block_count": (
        "input_length {tokens} in blocks of {block_tokens} makes {blocks} hash_ids; is --block-tokens another?",
        "input_length 为 {tokens}、每块 {block_tokens} 个 token 时应有 {blocks} 个 hash_ids；--block-tokens 是否应取其他值？",
    ),
    "trace_without_ids": (
        "an Azure trace has lengths only, no ids that tell equal prefixes: nothing can be looked up",
        "Azure trace 只有长度，没有能判断前缀相同的 id：无法查找",
    ),
    "ids_not_of_trace": (
        "this trace holds {kind}; for it --ids may be {choices}",
        "这个 trace 含有的是 {kind}；--ids 可取 {choices}",
    ),
    "too_many_capacities": ("names more than {most} capacities", "给出的容量超过 {most} 个"),
    "not_a_capacity": (
        "must be numbers of blocks from 1, or inf, parted by commas",
        "必须是从 1 起的块数或 inf，用逗号分隔",
    ),
}
