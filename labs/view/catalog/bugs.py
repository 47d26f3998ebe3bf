"""What `--bug` says, whatever the bug: (English, Chinese)."""

HELP: dict[str, tuple[str, str]] = {
    "--bug": (
        "run a broken variant beside the right rule, and name the invariant that it breaks and the first step where that"
        " shows; each bug has a case of its own, which the other options change",
        "让一个有缺陷的变体与正确规则并排运行，指出它破坏了哪个不变量、最早在哪一步显现；每个缺陷自带案例，可用其他选项修改",
    ),
}

# Each says what must hold; the sheet `bugs` asks which of them is broken.
INVARIANTS: dict[str, tuple[str, str]] = {
    "logits": (
        "of every prompt at least one token is computed, for its logits",
        "每个 prompt 至少要计算一个 token，才能得到 logits",
    ),
    "prefix": (
        "a block is hit only where all tokens before it are the same too",
        "只有前面的全部 token 也相同，才能命中一个块",
    ),
    "loaded": (
        "a block that is hit holds KV that was computed or has been loaded",
        "命中的块，其 KV 必须已经算出或已经加载完成",
    ),
    "budget": (
        "no budget is left over while the first in the queue could use it",
        "队首请求还用得上预算时，预算不能剩下不用",
    ),
    "first_admissions": (
        "the prefix cache's queries and hits count a request once, at its first admission",
        "前缀缓存的查询数与命中数，对每个请求只在首次准入时计一次",
    ),
    "pool": (
        "the blocks held by all requests are never more than the pool has",
        "全部请求占用的块数不超过 KV 池的块数",
    ),
    "gaps": (
        "TPOT times the gaps between the outputs is the time from the first output to the last",
        "TPOT 乘以输出之间的间隔数，等于从首个输出到最后一个输出的时间",
    ),
    "fits": (
        "nobody is preempted, or waits for ever, with the whole pool to itself: what can never fit is refused",
        "独占整个 KV 池的请求不会被抢占，也不会永远等待：永远放不下的请求应当被拒绝",
    ),
}

TEXTS: dict[str, tuple[str, str]] = {
    "title": ("{lab} --bug {bug}: {story}", "{lab} --bug {bug}：{story}"),
    "comma": (", ", "，"),
    "knobs": (
        "Rule vllm, budget {budget}; pool: {blocks} blocks of {size} tokens, prefix caching {caching}.",
        "规则 vllm，预算 {budget}；KV 池的可用块数：{blocks}；每块 {size} 个 token；前缀缓存：{caching}。",
    ),
    "unlimited": ("unlimited", "不限"),
    "on": ("on", "开"),
    "off": ("off", "关"),
    "load": (
        "Another store loads {tokens} tokens for {name} in the background; the workers report it after round {round}.",
        "外部存储在后台为 {name} 加载 {tokens} 个 token；第 {round} 轮之后 worker 报告加载完成。",
    ),
    "no_report": (
        "Another store loads {tokens} tokens for {name} in the background; no report of it comes.",
        "外部存储在后台为 {name} 加载 {tokens} 个 token；worker 始终没有报告加载完成。",
    ),
    "columns_requests": ("request|prefill|decode|arrives in round", "请求|prefill|decode|到达轮次"),
    "prompt": ("prompt", "prompt"),
    "column_round": ("round", "轮"),
    "column_both": ("both runs", "两次运行"),
    "column_right": ("right", "正确"),
    "column_broken": ("broken", "有缺陷"),
    "column_blocks": ("blocks", "块"),
    "column_unused": ("unused", "未用"),
    "columns_counts": (
        "right: queries|hits|broken: queries|hits",
        "正确：查询|命中|有缺陷：查询|命中",
    ),
    "columns_tpots": (
        "place|request|outputs|first in round|last in round|TPOT in rounds: right|broken",
        "次序|请求|输出数|首个在第几轮|最后在第几轮|TPOT（轮）：正确|有缺陷",
    ),
    "columns_blocks": ("block|tokens of B|right|broken", "块|B 的 token|正确|有缺陷"),
    "none": ("-", "-"),
    "holds": ("{name} {tokens} tokens in {blocks} blocks", "{name} 的 {tokens} 个 token 占 {blocks} 块"),
    "hit": ("{served} ({tokens} hit)", "{served}（命中 {tokens}）"),
    "loaded_cell": ("{served} ({tokens} there already)", "{served}（已有 {tokens}）"),
    "loading": ("{name} loads", "{name} 加载中"),
    "waits": ("{name} waits", "{name} 等待"),
    "preempted": ("{name} preempted", "抢占 {name}"),
    "ended": ("ended", "已结束"),
    "more": ("...", "……"),
    "parts_here": ("<- parts", "<- 分叉"),
    "breaks_here": ("<- broken", "<- 破坏不变量"),
    "block_hit": ("hit: block {found} of A", "命中 A 的块 {found}"),
    "block_bound": ("block {found} of A, beyond the bound", "A 的块 {found}，超出上限"),
    "block_passed": ("block {found} of A, after a miss", "A 的块 {found}，在未命中之后"),
    "block_miss": ("miss", "未命中"),
    "prompts": (
        "A (cached) = {a}\nB (looked up) = {b}\nBlock size {size}, scheme {scheme}.",
        "A（已缓存）= {a}\nB（待查找）= {b}\n块大小 {size}，方案 {scheme}。",
    ),
    "hit_tokens": (
        "hit tokens of B: right {right}, broken {broken}, of {total}",
        "B 命中的 token 数：正确 {right}，有缺陷 {broken}，共 {total}",
    ),
    "refused": ("right rule, before round 1: {line}", "正确规则，第 1 轮之前：{line}"),
    "stuck": (
        "broken run: from round {round} on it only repeats itself",
        "有缺陷的运行：从第 {round} 轮起只是在不断重复",
    ),
    "parted_round": ("first difference: round {step}", "第一处不同：第 {step} 轮"),
    "parted_block": ("first difference: block {step}", "第一处不同：块 {step}"),
    "parted_none": ("first difference: none", "第一处不同：无"),
    "parted_figures": (
        "first difference: no round differs; the figures do",
        "第一处不同：各轮完全相同，不同的是统计数字",
    ),
    "broken_round": (
        "invariant broken in round {step}: {invariant}",
        "第 {step} 轮，不变量被破坏：{invariant}",
    ),
    "broken_block": (
        "invariant broken at block {step}: {invariant}",
        "块 {step} 处，不变量被破坏：{invariant}",
    ),
    "broken_request": (
        "invariant broken at request {request}: {invariant}",
        "请求 {request} 处，不变量被破坏：{invariant}",
    ),
    "in_values": ("  here: {values}", "  本次运行：{values}"),
    "why": ("Why: ", "原因："),
    "not_shown": ("Does not show: ", "未展示："),
    "kept": (
        "The bug does not show on this input: the broken run keeps the invariant ({invariant}).",
        "在这组输入上看不出缺陷：有缺陷的运行也没有破坏不变量（{invariant}）。",
    ),
    "next": (
        "Next: python3 inference_lab.py {command}",
        "下一步：python3 inference_lab.py {command}",
    ),
}
