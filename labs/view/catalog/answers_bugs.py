"""The sheet `bugs`: (English, Chinese). Only questions and solutions hold digits."""

from labs.view.catalog.answers_bugs_worked import SOLUTIONS, STEPS
from labs.view.catalog.bugs import INVARIANTS

__all__ = ["DIAGNOSES", "NOTES", "QUESTIONS", "SOLUTIONS", "STEPS", "TITLE"]

STEP = {"block": ("at which block", "块"), "round": ("in which round", "轮"), "row": ("in which row", "行")}


def asked(step: str, english: str, chinese: str, *invariants: str) -> tuple[str, str]:
    """A question in both languages with the run and what is asked of it; four invariants, the broken one first."""
    where, unit = STEP[step]
    ends = (
        f"Which of these invariants is broken, and {where} first? Answer: [number of the invariant,"
        f" number of the {step}].",
        f"下面哪个不变量被破坏，最早在哪一{unit}？作答：[不变量的编号, {unit}的编号]。",
    )
    questions = [
        " | ".join([text + "{run}\n" + end, *[INVARIANTS[name][i] for name in invariants]])
        for i, (text, end) in enumerate(zip((english, chinese), ends))
    ]
    return questions[0], questions[1]


TITLE: dict[str, tuple[str, str]] = {
    "title": (
        "Find the bug: which invariant does a run break, and at which step does that show first?",
        "找出缺陷：一次运行破坏了哪个不变量，最早在哪一步显现？",
    ),
}

LOOKED_UP = (
    "The full blocks of A = {a}, {block_size} tokens each, are in the prefix cache. B = {b} is looked up; its"
    " blocks count from 0, and what is not hit is computed:",
    "A = {a} 中填满的块（每块 {block_size} 个 token）都在前缀缓存中。现在查找 B = {b}；B 的块从 0 起编号，未命中的部分需要计算：",
)

QUESTIONS: dict[str, tuple[str, str]] = {
    "p1": asked(
        "block",
        *LOOKED_UP,
        "logits",
        "prefix",
        "loaded",
        "first_admissions",
    ),
    "p2": asked(
        "block",
        *LOOKED_UP,
        "prefix",
        "logits",
        "loaded",
        "pool",
    ),
    "p3": asked(
        "round",
        "A ({a_prompt} prompt tokens) arrives in round 1, B ({b_prompt}) in round {b_arrive}; the first {shared}"
        " tokens of both are the same, in blocks of {block_size}. Another store has these for A and loads them in"
        " the background; the workers report the load done after round {report}. There is budget and room for all."
        " The rounds, [hit B n] meaning that B found n tokens in the prefix cache:",
        "A（prompt {a_prompt} 个 token）在第 1 轮到达，B（{b_prompt} 个）在第 {b_arrive} 轮到达；两者的前 {shared} 个 token 相同，"
        "每块 {block_size} 个 token。外部存储有 A 这部分 token 的 KV，在后台加载；第 {report} 轮之后 worker 报告加载完成。预算和块都够用。各轮如下，"
        "[hit B n] 表示 B 在前缀缓存中命中 n 个 token：",
        "loaded",
        "prefix",
        "budget",
        "pool",
    ),
    "p4": asked(
        "round",
        "Budget {budget} tokens a round, blocks of {block_size}, as many as are wanted. A ({a_prompt} prompt tokens)"
        " arrives in round 1; B ({b_prompt}) and behind it C ({c_prompt}) arrive in round {arrive}. The first"
        " {shared} tokens of A and B are the same. A prefill may be cut to what is left of the budget. The rounds,"
        " [hit B n] meaning that B found n tokens in the prefix cache:",
        "每轮预算 {budget} 个 token，每块 {block_size} 个 token，块数不限。A（prompt {a_prompt} 个 token）在第 1 轮到达；B（"
        "{b_prompt} 个）和排在它后面的 C（{c_prompt} 个）在第 {arrive} 轮到达。A 和 B 的前 {shared} 个 token 相同。prefill 可以按剩余预"
        "算切分。各轮如下，[hit B n] 表示 B 在前缀缓存中命中 n 个 token：",
        "budget",
        "loaded",
        "prefix",
        "pool",
    ),
    "p5": asked(
        "round",
        "A pool of {blocks} blocks of 2 tokens; budget enough for all. A ({a_prefill} prompt tokens, {a_decode}"
        " decodes) and B ({b_prefill}, {b_decode}) arrive in round 1 and share no token. Who is preempted computes"
        " again, but for what the prefix cache still has ([hit B n]). The rounds, with the blocks held and the"
        " prefix cache's counters in tokens:",
        "KV 池有 {blocks} 块，每块 2 个 token；预算够用。A（prompt {a_prefill} 个 token，decode {a_decode} 次）和 B（"
        "{b_prefill} 个，{b_decode} 次）在第 1 轮到达，没有共享的 token。被抢占的请求要重算，仍在前缀缓存中的部分除外（记作 [hit B n]）。各轮如下，附占用的块"
        "数和前缀缓存的计数（以 token 计）：",
        "first_admissions",
        "pool",
        "loaded",
        "fits",
    ),
    "p6": asked(
        "round",
        "A pool of {blocks} blocks of {block_size} tokens; budget enough for all; no prefix cache. A ({a_prefill}"
        " prompt tokens) and B ({b_prefill}) arrive in round 1, C ({c_prefill}) in round {c_arrive}. The rounds,"
        " with the tokens that each request holds in blocks of its own:",
        "KV 池有 {blocks} 块，每块 {block_size} 个 token；预算够用；没有前缀缓存。A（prompt {a_prefill} 个 token）和 B（"
        "{b_prefill} 个）在第 1 轮到达，C（{c_prefill} 个）在第 {c_arrive} 轮到达。各轮如下，附每个请求在自己的块中存放的 token 数：",
        "pool",
        "budget",
        "loaded",
        "fits",
    ),
    "p7": asked(
        "row",
        "A benchmark reports requests as they end: how many outputs, the rounds of the first and the last one, and"
        " TPOT in rounds, to 2 decimals:",
        "压测按请求结束的次序逐行报告：输出个数、首个与最后一个输出所在的轮，以及以轮为单位的 TPOT（保留 2 位小数）：",
        "gaps",
        "first_admissions",
        "budget",
        "loaded",
    ),
    "p8": asked(
        "round",
        "A pool of {blocks} blocks of {block_size} tokens, no prefix cache; budget {budget} tokens a round. A"
        " ({a_prefill} prompt tokens, {a_decode} decodes) arrives in round 1, B ({b_prefill} prompt tokens) in round"
        " {b_arrive}. Who is preempted gives back all blocks and computes again. The rounds, with the blocks held:",
        "KV 池有 {blocks} 块，每块 {block_size} 个 token，没有前缀缓存；每轮预算 {budget} 个 token。A（prompt {a_prefill} 个 "
        "token，decode {a_decode} 次）在第 1 轮到达，B（prompt {b_prefill} 个 token）在第 {b_arrive} 轮到达。被抢占的请求释放全部块，之"
        "后重算。各轮如下，附占用的块数：",
        "fits",
        "pool",
        "logits",
        "first_admissions",
    ),
}

NOTES: dict[str, tuple[str, str]] = {
    "p1": (
        "The bound is one token less than the prompt, then whole blocks.",
        "上限是 prompt 的 token 数减一，再向下取到整块。",
    ),
    "p2": (
        "A key that covers its parent's key covers all that stands before.",
        "键包含父块的键，也就包含它之前的一切。",
    ),
    "p3": (
        "Blocks of a load enter the hash table when it is reported, not before.",
        "加载中的块要等到报告加载完成，才进入哈希表。",
    ),
    "p4": (
        "What is hit costs no budget; only what is left to compute does.",
        "命中的部分不占预算，还要计算的部分才占。",
    ),
    "p5": (
        "Such counters look best when the pool is worst.",
        "这样的计数在 KV 池最紧张时反而最好看。",
    ),
    "p6": (
        "Round up for each request, then add.",
        "先逐个请求取整，再相加。",
    ),
    "p7": (
        "A row with a single output has no gap, and so no TPOT.",
        "只有一个输出的行没有间隔，也就没有 TPOT。",
    ),
    "p8": (
        "An engine can know this before the first round: it refuses.",
        "引擎在第一轮之前就能知道这一点：应当拒绝。",
    ),
}

OTHER = (
    "The step is one to look at, but does what happens there break the invariant that you chose?",
    "这一步确实值得看，但那里发生的事破坏的是你选的不变量吗？",
)
EARLY = (
    "The invariant is the one; at your step it still holds.",
    "不变量选对了；但在你写的那一步它还成立。",
)
LATE = (
    "The invariant is the one; what you see at your step is a consequence. It was broken before.",
    "不变量选对了；但它在此之前已被破坏，你写的那一步只是后果。",
)

DIAGNOSES: dict[str, tuple[str, str]] = {
    "p1_other_invariant": OTHER,
    "p1_from_one": ("From which number do the blocks count?", "块从几开始编号？"),
    "p1_too_early": EARLY,
    "p2_other_invariant": OTHER,
    "p2_too_late": LATE,
    "p2_too_early": EARLY,
    "p3_other_invariant": OTHER,
    "p3_load": (
        "The invariant is the one; there the load itself ends. Who read its blocks, and when?",
        "不变量选对了；那一步只是加载本身结束。谁读了这些块？何时读的？",
    ),
    "p3_too_early": (
        "The invariant is the one; at your step nobody has hit a block yet.",
        "不变量选对了；在你写的那一步还没有谁命中块。",
    ),
    "p3_too_late": LATE,
    "p4_other_invariant": OTHER,
    "p4_admitted": (
        "The invariant is the one; there B is served at last. Since when has it waited with budget left over?",
        "不变量选对了；B 到那一步才终于被调度。它从何时起在等待，而预算还有剩余？",
    ),
    "p4_too_late": LATE,
    "p4_too_early": EARLY,
    "p5_other_invariant": OTHER,
    "p5_preempted": (
        "The invariant is the one; there somebody is preempted, which is allowed. When do the counters grow?",
        "不变量选对了；那一步有请求被抢占，这是允许的。计数是在何时增加的？",
    ),
    "p5_too_late": LATE,
    "p5_too_early": EARLY,
    "p6_other_invariant": OTHER,
    "p6_preempted": (
        "The invariant is the one; there the engine notices at last that it is short of blocks. Who was one too many?",
        "不变量选对了；引擎到那一步才发现块不够。此前是哪个请求不该准入？",
    ),
    "p6_too_late": LATE,
    "p6_too_early": EARLY,
    "p7_other_invariant": OTHER,
    "p7_too_early": (
        "The invariant is the one; how many gaps has the row that you chose?",
        "不变量选对了；你选的那一行有几个间隔？",
    ),
    "p7_too_late": (
        "The invariant is the one; is a row before yours wrong too?",
        "不变量选对了；你写的那一行之前，是否已有出错的行？",
    ),
    "p8_other_invariant": OTHER,
    "p8_too_late": LATE,
    "p8_too_early": (
        "The invariant is the one; at your step the request still runs, or gives way to another one.",
        "不变量选对了；在你写的那一步，请求还在运行，或者是为别的请求让位。",
    ),
}
