"""What was wrong, by rule: (English, Chinese). Fields stand in braces."""

RULES: dict[str, tuple[str, str]] = {
    # numbers, words and units
    "not_whole": ("must be a whole number", "必须是整数"),
    "too_many_digits": ("has more than {most} digits", "超过 {most} 位数字"),
    "at_least": ("must be at least {least}", "至少为 {least}"),
    "at_most": ("must be at most {most}", "至多为 {most}"),
    "too_much_work": (
        "needs {work} multiply-adds with these knobs; at most {most} are run",
        "按这些参数需要 {work} 次乘加，至多运行 {most} 次",
    ),
    "divisor_of": ("must divide {what}", "必须整除 {what}"),
    "not_one_of": ("must be one of {choices}", "只能取 {choices} 之一"),
    "is_empty": ("must not be empty", "不能为空"),
    "too_many_steps": (
        "the run takes more than {most} steps (a step: one request in one round); use fewer requests or rounds",
        "运行超过 {most} 步（一个请求的一轮为一步）；请减少请求数或轮数",
    ),
    "too_many_listed": (
        "up to this round the tables and queues asked for hold more than {most} entries; use fewer requests, rounds or blocks",
        "到这一轮为止，要输出的块表与队列合计超过 {most} 项；请减少请求数、轮数或块数",
    ),
    "too_many_blocks": (
        "the prompts and contexts of all requests fill more than {most} blocks; use larger blocks or fewer tokens",
        "所有请求的 prompt 与上下文合计超过 {most} 块；请增大块或减少 token 数",
    ),
    "document_too_large": (
        "would hold more than {most} entries; use fewer requests, rounds or blocks",
        "内容会超过 {most} 项；请减少请求数、轮数或块数",
    ),
    "not_printable": ("holds characters that cannot be printed", "含有不可打印的字符"),
    "not_a_number": ("is not a number", "不是数字"),
    "not_a_quantity": ("must be a number with a unit, such as {example}", "必须是带单位的数，例如 {example}"),
    "bare_number": ("needs a unit: {first} or {second}?", "缺少单位：{first} 还是 {second}？"),
    "unknown_unit": ("has an unknown unit; known are {units}", "单位不认识；可用的单位：{units}"),
    "not_whole_quantity": ("is not a whole number of bytes or bits", "不是整数个字节或 bit"),
    "not_positive": ("must be more than zero", "必须大于零"),
    "overlap_too_long": (
        "is longer than the {most} that can overlap, look-up, data path and conversion together (it is 8 ms unless given)",
        "超过可重叠的 {most}，即查找、数据通路与转换之和（重叠默认为 8 ms）",
    ),
    "keeps_no_kv": (
        "keeps no KV per token: there is nothing to fetch",
        "没有按 token 存储的 KV：没有可取回的内容",
    ),
    # the command line
    "option_before_command": (
        "stands before a command's name; there only --lang, --json, --predict and --html may",
        "出现在命令名之前；命令名之前只能写 --lang、--json、--predict 和 --html",
    ),
    "needs_command": ("needs a command, such as all", "需要一个命令，例如 all"),
    "unknown_option": ("no such option here", "这里没有这个选项"),
    "unknown_command": ("no such command; known are {choices}", "没有这个命令；可用的命令：{choices}"),
    "unknown_sub_word": (
        "no such word can follow it; known are {choices}",
        "其后不能接这个词；可用的子命令：{choices}",
    ),
    "late_sub_word": (
        "must follow {command} at once, before its knobs; only --lang, --json, --predict and --html may stand between",
        "必须紧跟在 {command} 之后、写在参数之前；中间只能有 --lang、--json、--predict 和 --html",
    ),
    "surplus_word": ("one word too many", "多余的参数"),
    "needs_value": ("needs a value", "缺少取值"),
    "takes_no_value": ("takes no value", "不接受取值"),
    "needs_option": ("means nothing without {other}", "没有 {other} 就没有意义"),
    "needs_one_of": ("means nothing without one of {other}", "须与以下之一同时给出：{other}"),
    "not_with": ("cannot stand beside {other}", "不能与 {other} 同时使用"),
    "usage": ("{message}", "{message}"),
    # token lists and requests
    "too_many_tokens": ("has more than {most} tokens", "超过 {most} 个 token"),
    "not_a_request": ("must be NAME:key=value,key=value", "必须写成 NAME:key=value,key=value"),
    "not_a_name": (
        "needs a short name without blanks, commas, colons or =",
        "名称要短，且不含空白、逗号、冒号或 =",
    ),
    "unknown_request_key": ("unknown key; known are {known}", "不认识的键；可用的键：{known}"),
    "repeated_request_key": ("key stands twice in one request", "同一请求里键出现了两次"),
    "keys_exclude": ("{key} cannot stand beside {other}", "{key} 不能与 {other} 同时出现"),
    "needs_prefill": ("a request needs prefill or prompt", "请求需要 prefill 或 prompt"),
    "asks_for_nothing": ("prefill 0 needs at least one decode", "prefill 为 0 时至少要有一次 decode"),
    "decoding_arrives_late": (
        "a request with prefill 0 is decoding before round 1 and cannot arrive later",
        "prefill 为 0 的请求在第 1 轮之前已在 decode，不能更晚到达",
    ),
    "context_with_prefill": ("context is for requests with prefill 0", "context 只用于 prefill 为 0 的请求"),
    "not_text": ("must be text", "必须是文本"),
    "not_token_list": ("must be a list of token ids", "必须是 token id 列表"),
    "no_requests": ("there is no request", "没有请求"),
    "name_taken": ("two requests have the same name", "两个请求同名"),
    "too_many_requests": ("more than {most} requests", "超过 {most} 个请求"),
    "not_a_request_list": ("must be a list of requests", "必须是请求列表"),
    "request_without_id": ("a request needs an id, a text", "请求需要文本形式的 id"),
    "not_a_knob_of_rule": (
        "is no knob under --rule {name}, which has {known} (--rule vllm has them all)",
        "不是 --rule {name} 的参数；可用的参数：{known}（--rule vllm 支持全部参数）",
    ),
    "bug_of_lab": (
        "must be one of {choices}; {bug} is a bug of {lab}",
        "只能取 {choices} 之一；{bug} 是 {lab} 的缺陷",
    ),
    "not_asked": ("is no run that the sheet asks about", "不是答卷会问的运行"),
    "endless_beside_bug": (
        "decodes without end, and so outgrows any pool under the right rule too: bug {bug} needs an end",
        "永不结束的 decode 在正确的规则下也会超出任何 KV 池：缺陷 {bug} 需要会结束的请求",
    ),
    "bug_of_rule": ("bug {bug} is shown under --rule {name} only", "缺陷 {bug} 只在 --rule {name} 下演示"),
    "same_rule": ("is the rule that runs already; name another", "与当前运行的规则相同；请换一条规则"),
    "not_a_fraction": (
        "must be a decimal fraction from 0 to below 1",
        "必须是 0（含）到 1（不含）之间的小数",
    ),
    "not_true_or_false": ("must be true or false", "必须是 true 或 false"),
    "larger_than_pool": (
        "request {name} needs slots for {tokens} tokens at once: {needed} blocks of {block_size}, more than the pool has;"
        " it would wait for ever",
        "请求 {name} 同时需要 {tokens} 个 token 的 slot，即 {needed} 块（每块 {block_size} 个 token），超过 KV 池的容量；它将永远等待",
    ),
    "prompt_too_long": (
        "request {name} begins with {tokens} tokens, which leaves no room for an output",
        "请求 {name} 开始时已有 {tokens} 个 token，没有为输出留出空间",
    ),
    "has_stopped_already": (
        "this request is decoding before round 1, but the token it sampled is a stop token: it has ended",
        "这个请求在第 1 轮之前已在 decode，但它采样得到的 token 是停止 token，请求已经结束",
    ),
    "answer_beyond_prompt": (
        "the connector answers request {name} with more tokens than can be loaded; at most {most}",
        "connector 对请求 {name} 应答的 token 数超过可加载的数量；至多为 {most}",
    ),
    "no_room_to_decode": (
        "request {name} is decoding before round 1, but the pool has no blocks left for its context",
        "请求 {name} 在第 1 轮之前已在 decode，但 KV 池中没有剩余的块存放它的上下文",
    ),
    "not_a_list": ("must be a list", "必须是列表"),
    "no_such_request": ("there is no request of this name", "没有叫这个名称的请求"),
    "not_an_answer": (
        "must be a list of answers [tokens or null, asynchronous true or false]",
        "必须是应答列表，每个应答写成 [token 数或 null, 是否异步 true/false]",
    ),
    "nothing_to_report": (
        "the report of step {step} names a request that, under these knobs, neither loads nor has blocks kept by then",
        "第 {step} 步的报告提到一个请求；按这些参数，它届时既不在加载，也没有保留的块",
    ),
    "external_needs_vllm": (
        "external KV needs --rule vllm; other rules know nothing of it",
        "外部 KV 需要 --rule vllm；其他规则不支持",
    ),
    "not_lora": ("must be NAME:PATH", "必须写成 NAME:PATH"),
    # files
    "no_such_file": ("no such file", "没有这个文件"),
    "is_a_directory": ("is a directory, not a file", "是目录，不是文件"),
    "cannot_read": ("cannot be read: {reason}", "无法读取：{reason}"),
    "cannot_write": ("cannot be written", "无法写入"),
    "cannot_write_file": ("cannot be written: {reason}", "无法写入：{reason}"),
    "is_an_input": ("is the file that is read", "是本次要读取的文件，不能写入"),
    "seed_is_no_number": (
        "names a sheet, but no number for its seed: write the line as the sheet was made",
        "写了答卷名，但 seed 不是数：请恢复生成时的这一行",
    ),
    "not_a_regular_file": ("is no regular file", "不是普通文件"),
    "is_same_output": ("is where {other} writes, too", "与 {other} 写入同一个文件"),
    "not_a_page": (
        "is there already and is no page of inference_lab; only such a page is written over",
        "已存在，且不是 inference_lab 生成的网页；只会覆盖这样的网页",
    ),
    "is_standard_output": ("is where standard output goes", "是标准输出的去向，不能同时写入"),
    "no_such_folder": ("is in a folder that does not exist", "所在目录不存在"),
    "too_large": ("is larger than {most} bytes", "超过 {most} 字节"),
    "binary_file": ("holds a zero byte: this is not a text file", "含有零字节：不是文本文件"),
    "not_utf8": ("is not UTF-8 text", "不是 UTF-8 文本"),
    "has_bom": (
        "starts with a byte order mark: save it as UTF-8 without BOM",
        "以字节序标记（BOM）开头：请存为不带 BOM 的 UTF-8",
    ),
    "is_utf16": (
        "is UTF-16, as some Windows shells write with >: save it as UTF-8",
        "是 UTF-16 编码（某些 Windows shell 用 > 重定向时的默认编码）：请存为 UTF-8",
    ),
    "has_crlf": (
        "ends its lines with CR LF: save it with LF line ends",
        "行尾是 CR LF：请以 LF 行尾保存",
    ),
    # start-up logs
    "line_too_long": ("is longer than {most} bytes: this is no log", "这一行超过 {most} 字节：不是日志"),
    "log_too_large": (
        "is larger than {most} bytes: cut out the part from the start to the first request",
        "超过 {most} 字节：请只截取从启动到第一个请求的部分",
    ),
    "log_utf16": (
        "is UTF-16, as some Windows shells write it: save it as UTF-8",
        "是 UTF-16 编码（某些 Windows shell 的默认输出）：请存为 UTF-8",
    ),
    "log_cut": (
        "the log breaks off in the middle of a figure, or it is no usable number; mend the line, or leave it out",
        "日志在一个数值中间断开，或者该数值无法使用；请补全这一行，或删去这一行",
    ),
    "log_unusable": (
        "holds no usable number of tokens: it must be as the engine prints it, 327,680 or 327680",
        "没有可用的 token 数：应与引擎所印一致，如 327,680 或 327680",
    ),
    "log_too_many_figures": ("holds more than {most} figures", "含有的数值超过 {most} 个"),
    "log_too_many_lines": (
        "more than {most} lines look like start-up lines: cut out the part from the start to the first request",
        "像启动日志的行超过 {most} 行：请只截取从启动到第一个请求的部分",
    ),
    "log_other_engine": (
        "is a line of {tool}; only vLLM's start-up log is read here",
        "是 {tool} 的日志行；这里只读取 vLLM 的启动日志",
    ),
    "log_empty_of_figures": (
        "holds no start-up figure of vLLM; looked for are # GPU blocks, Available KV cache memory, GPU KV cache size,"
        " Maximum concurrency, Model loading took, max seq len and the start-up failures",
        "没有 vLLM 的启动数值；查找的是 # GPU blocks、Available KV cache memory、GPU KV cache size、"
        "Maximum concurrency、Model loading took、max seq len 以及启动失败信息",
    ),
    # JSON
    "not_json": ("is not JSON: {reason}", "不是合法的 JSON：{reason}"),
    "not_an_object": ("must be a JSON object", "必须是 JSON 对象"),
    "repeated_key": ("stands twice in one JSON object", "在同一个 JSON 对象里出现了两次"),
    "not_finite": ("is no finite number", "不是有限的数"),
    "nested_too_deeply": ("is nested too deeply", "嵌套太深"),
    # answer sheets
    "not_an_assignment": (
        "is not NAME = ANSWER: a sheet holds such lines and comments",
        "不是“名字 = 答案”：答卷里只有这样的行和注释",
    ),
    "not_a_literal": (
        "is not a number, text, list or arithmetic on numbers: a sheet is read, never run",
        "不是数、字符串、列表或数的算术式：答卷只被读取，从不执行",
    ),
    "unknown_problem": ("no such problem; known are {choices}", "没有这道题；可用的题号：{choices}"),
    "not_a_folder": ("is no folder that can be listed: {reason}", "不是可以列出的文件夹：{reason}"),
    "not_a_report": (
        "has none of the {sections} numbered sections: a report is what `answers new report` writes",
        "没有 {sections} 个编号小节中的任何一个：报告应由 answers new report 生成",
    ),
    "problem_without_header": (
        "no such problem in a sheet without header line (# sheet: NAME  seed: N); known are {choices}",
        "没有题头行（# sheet: NAME  seed: N）的答卷里没有这道题；可用的题号：{choices}",
    ),
    "unknown_sheet": ("no such sheet; known are {choices}", "没有这份答卷；可用的答卷：{choices}"),
    "assigned_twice": ("has been answered on an earlier line", "前面的行已经作答"),
    "answer_too_long": ("is longer than {most} characters", "超过 {most} 个字符"),
    "division_by_zero": ("divides by zero", "除数为零"),
    "number_too_large": ("makes a number of more than {most} bits", "得出的数超过 {most} 位二进制"),
    "power_not_whole": ("a power needs a whole exponent", "乘方的指数必须是整数"),
    "has_cr": (
        "holds a carriage return: save it with LF line ends",
        "含有回车符（CR）：请以 LF 行尾保存",
    ),
}
