"""What was wrong, by rule: (English, Chinese). Fields stand in braces."""

RULES: dict[str, tuple[str, str]] = {
    "got": (" (got {got})", " (got {got})"),
    # numbers, words and units
    "not_whole": ("must be a whole number", "必须是整数"),
    "too_many_digits": ("has more than {most} digits", "超过 {most} 位数字"),
    "at_least": ("must be at least {least}", "至少为 {least}"),
    "at_most": ("must be at most {most}", "至多为 {most}"),
    "multiple_of": ("must be a multiple of {what}", "必须是 {what} 的整数倍"),
    "divisor_of": ("must divide {what}", "必须整除 {what}"),
    "not_one_of": ("must be one of {choices}", "只能取 {choices} 之一"),
    "not_printable": ("holds characters that cannot be printed", "含有不可打印的字符"),
    "not_a_number": ("is not a number", "不是数字"),
    "not_a_quantity": ("must be a number with a unit, such as {example}", "必须是带单位的数，例如 {example}"),
    "bare_number": ("needs a unit: {first} or {second}?", "缺少单位：{first} 还是 {second}？"),
    "unknown_unit": ("has an unknown unit; known are {units}", "单位不认识；可用的单位：{units}"),
    "not_whole_quantity": ("is not a whole number of bytes or bits", "不是整数个字节或比特"),
    "not_positive": ("must be more than zero", "必须大于零"),
    # the command line
    "unknown_option": ("no such option here", "这里没有这个选项"),
    "unknown_command": ("no such command; known are {choices}", "没有这个命令；可用的命令：{choices}"),
    "surplus_word": ("one word too many", "多余的参数"),
    "needs_value": ("needs a value", "缺少取值"),
    "takes_no_value": ("takes no value", "不接受取值"),
    "not_with": ("cannot stand beside {other}", "不能与 {other} 同时使用"),
    "usage": ("{message}", "{message}"),
    # token lists and requests
    "too_many_tokens": ("has more than {most} tokens", "超过 {most} 个 token"),
    "not_lora": ("must be NAME:PATH", "必须写成 NAME:PATH"),
    # files
    "no_such_file": ("no such file", "没有这个文件"),
    "is_a_directory": ("is a directory, not a file", "是目录，不是文件"),
    "cannot_read": ("cannot be read: {reason}", "无法读取：{reason}"),
    "cannot_write": ("cannot be written: {reason}", "无法写入：{reason}"),
    "too_large": ("is larger than {most} bytes", "超过 {most} 字节"),
    "binary_file": ("holds a zero byte: this is not a text file", "含有零字节：不是文本文件"),
    "not_utf8": ("is not UTF-8 text", "不是 UTF-8 文本"),
    "has_bom": (
        "starts with a byte order mark: save it as UTF-8 without BOM",
        "以字节序标记（BOM）开头：请存为不带 BOM 的 UTF-8",
    ),
    "has_crlf": (
        "ends its lines with CR LF: save it with LF line ends",
        "行尾是 CR LF：请以 LF 行尾保存",
    ),
    # JSON
    "not_json": ("is not JSON: {reason}", "不是合法的 JSON：{reason}"),
    "not_an_object": ("must be a JSON object", "必须是 JSON 对象"),
    "repeated_key": ("stands twice in one JSON object", "在同一个 JSON 对象里出现了两次"),
    "not_finite": ("is no finite number", "不是有限的数"),
    "nested_too_deeply": ("is nested too deeply", "嵌套太深"),
}
