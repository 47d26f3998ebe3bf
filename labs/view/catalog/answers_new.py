"""What `answers new`, `hint`, `show` and `grade` say: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "SHEET": ("which sheet to make; without it the sheets are listed", "要生成的答卷；不写则列出全部答卷"),
    "--seed": (
        "other numbers, the same for everyone with this seed; default: the course's numbers",
        "换一组数；同一 seed 的数相同；默认用课程原题的数",
    ),
    "FILE": ("an answer sheet", "答卷文件"),
    "PROBLEM": ("which problem, such as p1", "题号，例如 p1"),
    "--step": ("which hint; default: the first", "第几步提示；默认第一步"),
    "--reveal": (
        "also solve what is not right yet",
        "未答对的题也给出解答",
    ),
    "DIR": ("the folder that holds the sheets", "存放答卷的文件夹"),
    "--csv": ("write the marks to a CSV file", "把成绩写入 CSV 文件"),
}

TEXTS: dict[str, tuple[str, str]] = {
    "keep_header": (
        "Keep the first line: the numbers follow from it, and the checker reads it.",
        "请保留第一行：题中的数由它得出，检查时要读它。",
    ),
    "fill_in": (
        "Put your answer in place of the three dots, save, and check, from the folder that holds inference_lab.py:",
        "把三个点换成你的答案，保存，然后在 inference_lab.py 所在的文件夹里检查：",
    ),
    "how": (
        "How to write: three dots are blank.{units} Answers of several parts are lists, as in [11, 12]. Arithmetic on"
        " numbers is allowed, as in 3 * 2**5. This file is read, never run.",
        "写法：三个点表示未作答。{units}几部分的答案写成列表，例如 [11, 12]。可以写数的算术式，例如 3 * 2**5。"
        "本文件只被读取，从不执行。",
    ),
    "how_units": (
        " A bare number is in the unit that the question names; text may carry another unit, as in"
        ' "96 MiB" or "0.5 s".',
        '不带单位的数按题目所问的单位计；字符串可以带别的单位，例如 "96 MiB" 或 "0.5 s"。',
    ),
    "how_bare": (" Numbers stand without units.", "数一律不带单位。"),
    "report": (
        "the final report's template, in Markdown",
        "期末报告模板（Markdown）",
    ),
    "list": ("Sheets:", "答卷："),
    "try": (
        "Next: python3 inference_lab.py answers new l3 --seed 7",
        "下一步：python3 inference_lab.py answers new l3 --seed 7",
    ),
    "hint": ("{problem}, hint {step} of {steps}", "{problem}，第 {step} 步提示，共 {steps} 步"),
    "asked": ("asked: {question}", "题目：{question}"),
    "think": ("hint: {hint}", "提示：{hint}"),
    "next_hint": ("Next: {command}", "下一步：{command}"),
    "solved": ("{problem} solved", "{problem} 解答"),
    "formula": ("formula: {text}", "公式：{text}"),
    "substitution": ("substitution: {text}", "代入：{text}"),
    "units": ("units: {text}", "单位：{text}"),
    "sanity": ("sanity check: {text}", "合理性检查：{text}"),
    "not_yet": (
        "{problem} is not right yet, so its solution stays hidden (--reveal shows it)",
        "{problem} 还没有答对，解答暂不显示（--reveal 可显示）",
    ),
    "show_total": ("solutions: {shown} shown, {hidden} hidden", "解答：显示 {shown} 题，隐藏 {hidden} 题"),
    "row_names": (
        "file|sheet|seed|right|wrong|blank|problems",
        "文件|答卷|seed|正确|错误|空白|各题",
    ),
    "grade_note": ("{file}: {note}", "{file}：{note}"),
    "no_header": (
        "no header line: checked with the numbers of the sheet that comes with the lab",
        "没有题头行：按随附答卷的数检查",
    ),
    "passed_over": (
        "passed over, as they are no sheets: {files}",
        "不是答卷，已略过：{files}",
    ),
    "no_sheets": ("no sheets in {folder}", "{folder} 中没有答卷"),
    "grade_total": (
        "sheets: {sheets} read, {unreadable} unreadable; answers: {right} right, {wrong} wrong, {blank} blank",
        "sheets: {sheets} read, {unreadable} unreadable; answers: {right} right, {wrong} wrong, {blank} blank",
    ),
}
