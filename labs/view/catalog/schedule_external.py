"""Texts of external KV in the schedule lab: (English, Chinese)."""

TEXTS: dict[str, tuple[str, str]] = {
    "title": (
        "External KV: the states of each request. A load takes its blocks at once; found is not yet usable. If a load"
        " fails, this run's policy is {policy} (the engine's own default: fail).",
        "外部 KV：每个请求经历的状态。加载一开始就占用块；命中不等于可用。本次运行的加载失败策略为 {policy}（引擎默认为 fail）。",
    ),
    "columns": (
        "request|round|state|computed|blocks|what happened",
        "请求|轮|状态|已计算|块|事件",
    ),
    "withdrawn": ("withdrawn by its client", "被客户端中止"),
    "no_room": ("the connector has answered, but it does not fit yet", "connector 已应答，但空闲块暂时不够"),
    "queued": ("in the queue", "排队"),
    "asks": (
        "the connector does not know yet: passed over, asked again",
        "connector 暂时无法确定：先跳过，之后再询问",
    ),
    "loading": (
        "asynchronous hit: {tokens} tokens load in the background, others go on",
        "异步命中：{tokens} 个 token 在后台加载，其他请求继续",
    ),
    "sync": (
        "synchronous hit: {loaded} tokens load within the step, {tokens} are computed",
        "同步命中：{loaded} 个 token 在本步内加载，计算 {tokens} 个",
    ),
    "computes": (
        "nothing outside: {tokens} tokens computed, {cached} from the cache",
        "外部未命中：计算 {tokens} 个 token，缓存命中 {cached} 个",
    ),
    "resumes": (
        "goes on: {cached} tokens are there, {tokens} computed",
        "继续：已有 {cached} 个 token，计算 {tokens} 个",
    ),
    "preempted_back": (
        "begins again: {cached} tokens from the cache, {tokens} computed",
        "恢复运行：缓存命中 {cached} 个 token，计算 {tokens} 个",
    ),
    "preempted": ("preempted: blocks freed", "被抢占，块已释放"),
    "loaded": (
        "the workers report the load done; usable from the next round on",
        "worker 报告加载完成；下一轮起可用",
    ),
    "lost": (
        "the workers report bad blocks: {lost} tokens withdrawn, to be computed",
        "worker 报告坏块：{lost} 个 token 作废，之后重算",
    ),
    "failed": ("the load failed and the policy is fail: the request ends", "加载失败，策略为 fail：请求结束"),
    "finished": ("finished", "完成"),
    "kept": ("; its blocks are kept until a report", "；块保留到收到报告为止"),
    "given_back": ("its blocks are given back", "块已释放"),
    "decoding": (
        "decoding: {tokens} tokens computed, {cached} there before",
        "正在 decode：计算 {tokens} 个 token，此前已有 {cached} 个",
    ),
    "questions": (
        "Who answers the course's six questions here: the chain of block hashes builds the key; the scheduler looks locally"
        " first, then asks the connector for what lies beyond; the scheduler allocates the target blocks before the load;"
        " the workers' report makes the data usable; the request owns its blocks while they load, even if it is aborted;"
        " a bad block takes the computed tokens back to its start, and the policy decides between recomputing and ending.",
        "课程的六个问题在这里的答案：键由链式块哈希构成；调度器先查本地，再向 connector 询问其后的部分；目标块由调度器在加载前分配；"
        "worker 的报告使数据可用；加载期间块归请求所有，即使它被中止；出现坏块时，已计算的 token 数退回到该块开头，由策略决定重算还是结束请求。",
    ),
}
