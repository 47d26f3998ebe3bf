"""What the entry point itself says: (English, Chinese)."""

from labs.view.languages import LANGUAGES

TEXTS: dict[str, tuple[str, str]] = {
    "what": (
        "Predict what an LLM inference engine will do, run it, see where you were wrong.",
        "先预测 LLM 推理引擎会怎么做，再运行，看看错在哪里。",
    ),
    "sub_words": ("further commands:", "子命令："),
}

COMMAND_HELP: dict[str, tuple[str, str]] = {
    "attention": ("the KV cache equals recomputing", "KV cache 与重算等价"),
    "prefix": ("chained hashes of token blocks", "token 块的链式哈希"),
    "prefix groups": (
        "one cached prompt, four requests: cold, warm, early change, not a prefix",
        "一个已缓存的 prompt，四种请求：冷缓存、热缓存、开头改动、不在开头",
    ),
    "prefix replay": ("a trace's hit rates at many cache sizes", "trace 在各种缓存容量下的命中率"),
    "schedule": ("a token budget per round", "每轮 token 预算"),
    "schedule replay": (
        "a trace or a random load against a clock: TTFT, TPOT, goodput",
        "按时钟重放 trace 或随机负载：TTFT、TPOT、goodput",
    ),
    "schedule bench": ("a benchmark result, recomputed and checked", "重算并检查压测结果"),
    "capacity": ("bytes of KV, blocks and transfer time", "KV 字节数、块数与传输时间"),
    "capacity fit": (
        "what fits on this GPU: blocks, tokens, concurrency",
        "GPU 放得下多少：块数、token 数、并发",
    ),
    "capacity log": ("an engine's start-up log, reconciled figure by figure", "逐项核对引擎的启动日志"),
    "capacity fetch": (
        "fetch the KV or recompute it: cost and break-even",
        "取回 KV 还是重算：代价与盈亏平衡点",
    ),
    "all": ("the four lecture cases", "四个课程案例"),
    "answers": ("check answer sheets", "检查答卷"),
    "answers new": ("a new sheet from a seed, or the list of sheets", "按 seed 生成新答卷，或列出全部答卷"),
    "answers hint": ("a hint to one problem, step by step", "逐步提示一道题"),
    "answers show": (
        "worked solutions of what is right already",
        "已答对题目的完整解答",
    ),
    "answers grade": ("the marks of a folder of sheets", "批改一个文件夹里的答卷"),
}

OPTION_HELP: dict[str, tuple[str, str]] = {
    "lang": (
        "language of the output; default: LANGUAGE, LC_ALL, LC_MESSAGES or LANG",
        "输出语言；默认取自 LANGUAGE、LC_ALL、LC_MESSAGES 或 LANG",
    ),
    "json": ("print exactly one JSON document", "只输出一个 JSON 文档"),
}

OVERVIEW = (
    """\
inference_lab: predict what an LLM inference engine will do, run it, see where you were wrong.

  attention        the KV cache gives the same result as recomputing
  prefix           chained block hashes: which cached blocks a new prompt may reuse
  prefix groups    the same prompt cold, warm, changed early, and not at the start
  prefix replay    a trace's hit rates at many cache sizes
  schedule         a token budget per round: who computes how many tokens when
  schedule replay  a trace or a random load against a clock: TTFT, TPOT, goodput
  schedule bench   a benchmark result, recomputed and checked
  capacity         bytes of KV, blocks and transfer time
  capacity fit     what fits on this GPU: blocks, tokens, concurrency
  capacity log     an engine's start-up log, reconciled figure by figure
  capacity fetch   fetch the KV or recompute it: cost and break-even
  all              the four lecture cases, one after the other
  answers          check your L3 sheet, answers/l3.py
  answers new      a new sheet with other numbers, from a seed
  answers hint     a hint to one problem, step by step
  answers show     worked solutions of what is right already
  answers grade    the marks of a folder of sheets

Three commands to try first:

  python3 inference_lab.py all
  python3 inference_lab.py schedule --budget 2
  python3 inference_lab.py answers

With --predict a lab compares what you expect with what happens, and names the first difference:

  python3 inference_lab.py schedule --budget 2 --predict "A1 B1 | A1 B1 | ..."
""",
    """\
inference_lab：先预测 LLM 推理引擎会怎么做，再运行，看看错在哪里。

  attention        KV cache 与重算的结果相同
  prefix           链式块哈希：新 prompt 能复用哪些已缓存的块
  prefix groups    同一 prompt 的四种情形：冷缓存、热缓存、开头改动、不在开头
  prefix replay    trace 在各种缓存容量下的命中率
  schedule         每轮 token 预算：谁在哪一轮计算多少 token
  schedule replay  按时钟重放 trace 或随机负载：TTFT、TPOT、goodput
  schedule bench   重算并检查压测结果
  capacity         KV 字节数、块数与传输时间
  capacity fit     GPU 放得下多少：块数、token 数、并发
  capacity log     逐项核对引擎的启动日志
  capacity fetch   取回 KV 还是重算：代价与盈亏平衡点
  all              依次运行四个课程案例
  answers          检查 L3 答卷 answers/l3.py
  answers new      按 seed 生成换了数的新答卷
  answers hint     逐步提示一道题
  answers show     已答对题目的完整解答
  answers grade    批改一个文件夹里的答卷

先试这三条命令：

  python3 inference_lab.py all
  python3 inference_lab.py schedule --budget 2
  python3 inference_lab.py answers

加上 --predict，实验会用运行结果检验你的预测，指出第一处不同：

  python3 inference_lab.py schedule --budget 2 --predict "A1 B1 | A1 B1 | ..."
""",
)


def overview(lang: str) -> str:
    """What there is, and three commands to try first."""
    return OVERVIEW[LANGUAGES.index(lang)]
