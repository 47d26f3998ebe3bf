"""Traps and mistakes in benchmark results, by word: (English, Chinese)."""

WARNINGS: dict[str, tuple[str, str]] = {
    "failed_requests": (
        "{failed} failed beside {completed} completed requests: they leave every average, and goodput counts none of them",
        "有 {failed} 个请求失败（完成 {completed} 个）：它们不进入任何平均值，也不算入 goodput",
    ),
    "errors_counted_as_complete": (
        "an error text stands beside {errors} of the {completed} requests that count as complete: failures, perhaps",
        "计为完成的 {completed} 个请求中有 {errors} 个带有错误文本：它们可能是失败的",
    ),
    "failures_not_told": (
        "nothing says how many requests were sent: failed ones would have left the sample silently",
        "没有写明发送了多少请求：失败的请求会悄悄退出样本",
    ),
    "peak_is_not_concurrency": (
        "max_concurrent_requests {printed} counts whoever touches the same second; under way at once were about {true}",
        "max_concurrent_requests 的 {printed} 统计的是同一秒内出现过的请求；实际同时在途约 {true}",
    ),
    "several_tokens_a_chunk": (
        "{gaps} gaps between chunks for {tokens} tokens after the first: ITL is a chunk's, TPOT a token's",
        "首 token 之后有 {tokens} 个 token，却只有 {gaps} 个间隔：ITL 按 chunk 计，TPOT 按 token 计",
    ),
    "itl_above_tpot": (
        "mean ITL {itl} ms is {ratio} times mean TPOT {tpot} ms: a chunk carries several tokens",
        "平均 ITL {itl} ms 是平均 TPOT {tpot} ms 的 {ratio} 倍：一个 chunk 含多个 token",
    ),
    "itl_below_tpot": (
        "mean ITL {itl} ms is below mean TPOT {tpot} ms: ITL weighs every gap alike, TPOT every request",
        "平均 ITL {itl} ms 低于平均 TPOT {tpot} ms：ITL 对每个间隔等权，TPOT 对每个请求等权",
    ),
    "not_streamed": (
        "answers came whole (TTFT {ttft} ms, E2EL {e2el} ms): there is no time to first token here",
        "回答是一次返回的（TTFT {ttft} ms，E2EL {e2el} ms）：这里没有真正的首 token 时间",
    ),
    "one_token_answers": (
        "one token or none in {answers} of {of} answers: no TPOT, and not in its averages",
        "{of} 个回答中有 {answers} 个不超过一个 token：没有 TPOT，不进入其平均值",
    ),
    "zero_tpot": (
        "a TPOT of 0 is no speed: answers of one token, or not streamed, were counted in",
        "TPOT 为 0 不代表速度：计入了只有一个 token 的或非流式的回答",
    ),
    "negative_tpot": (
        "a TPOT of {tpot} ms cannot be: such samples are invalid",
        "TPOT 不可能为 {tpot} ms：这样的样本无效",
    ),
    "drain_tail": (
        "the last {tail} s served what was left after the last request was sent: {served} req/s at a rate of {rate}"
        " is no limit of the server",
        "最后 {tail} s 在处理发送结束后剩余的请求：速率 {rate} 下的 {served} req/s 不是服务端的极限",
    ),
    "saturated": (
        "offered {rate} req/s, served {served}: the rate is what was sent, not the throughput",
        "发送速率 {rate} req/s，实际服务 {served}：速率是发送量，不是吞吐",
    ),
    "rate_label_wrong": (
        "at {rate} req/s sending alone takes {shortest} s, but the run took {s} s: the rate is not what the label says",
        "以 {rate} req/s 仅发送就需要 {shortest} s，而整个压测只有 {s} s：标注的速率不对",
    ),
    "peak_below_average": (
        "the best second has {peak} tok/s, below the average of {average}: it counts chunks, or tokens of the text",
        "最高一秒为 {peak} tok/s，低于平均值 {average}：它统计的是 chunk 或文本重新分词后的 token",
    ),
    "retokenized_differs": (
        "{tokens} tokens by the server's count, {retokenized} in the text: rates per token depend on which is meant",
        "服务端计数 {tokens} 个 token，文本重新分词为 {retokenized} 个：每 token 的数值取决于用哪一个",
    ),
    "latency_with_queue": (
        "the latency per output token, {s} s, holds queueing and the prompt: it is no TPOT",
        "每输出 token 的延迟 {s} s 含排队与 prompt 处理：不是 TPOT",
    ),
    "looks_like_seconds": (
        "all were sent at once, the run took {s} s, but a request only {parts} s: are these seconds, not ms?",
        "请求全部同时发出，压测用时 {s} s，而每个请求只有 {parts} s：单位是否是秒而不是毫秒？",
    ),
    "parts_exceed_run": (
        "mean TTFT + (n - 1) x mean TPOT = {parts} s is longer than the run of {s} s",
        "平均 TTFT + (n - 1) x 平均 TPOT = {parts} s，超过整个压测的 {s} s",
    ),
    "parts_differ": (
        "mean TTFT + (n - 1) x mean TPOT = {parts} s is far from the mean E2EL of {e2el} s",
        "平均 TTFT + (n - 1) x 平均 TPOT = {parts} s，与平均 E2EL {e2el} s 相差很大",
    ),
    "goodput_unknown": (
        "goodput is unknown, not zero: it needs --goodput and the lists of a detailed result",
        "goodput 未知，而不是 0：需要 --goodput 与明细结果",
    ),
    "goodput_limits_not_told": (
        "the file's request_goodput of {printed} req/s is under limits that it does not tell, or under none asked for",
        "文件中的 request_goodput {printed} req/s 没有写明上限，也可能压测时根本没有指定",
    ),
    "repeated_result": (
        "the same figures as {first}: one run given again, counted once in the table over rates",
        "与 {first} 的数值完全相同：是同一次压测的重复，在速率表中只计一次",
    ),
    "unlike_concurrency": (
        "max_concurrency held requests back here, and not at the other rates, or not as much: these rates are not"
        " comparable, and a knee among them says nothing",
        "这里受 max_concurrency 限制，其他速率没有或限制不同：这些速率不可比，其间的拐点没有意义",
    ),
    "goodput_other_limits": (
        "the file's goodput of {printed} req/s is not the {goodput} under these limits: its own are not told",
        "文件中的 goodput {printed} req/s 与这些上限下的 {goodput} 不同：文件没有写明它的上限",
    ),
    "warm_cache": (
        "TTFT is lower than at a smaller or equal load: a prefix cache may be warm from earlier runs of the same prompts",
        "TTFT 低于更小或相同负载的结果：前缀缓存可能已被相同 prompt 的先前压测预热",
    ),
    "tpot_for_ttft": (
        "more throughput and less TTFT than the other run at this load, but a higher TPOT: goodput may have fallen",
        "与同负载的另一结果相比吞吐更高、TTFT 更低，但 TPOT 更高：goodput 可能反而下降",
    ),
}

# What follows from the averages: short, for they stand in a table.
ESTIMATES: dict[str, tuple[str, str]] = {
    "mean_input_tokens": ("input tokens a request", "每请求输入 token"),
    "mean_output_tokens": ("output tokens a request, n", "每请求输出 token，n"),
    "min_duration_at_rate": ("s to send all requests: N / rate", "发完全部请求所需秒数：N / 速率"),
    "e2e_from_parts_s": ("mean TTFT + (n - 1) x mean TPOT", "平均 TTFT + (n - 1) x 平均 TPOT"),
    "little": ("requests under way: req/s x e2e_from_parts_s", "在途请求数：req/s x e2e_from_parts_s"),
    "mean_in_flight": ("requests under way: req/s x measured latency", "在途请求数：req/s x 实测延迟"),
    "tokens_per_gap": ("tokens a gap between chunks", "每个 chunk 间隔的 token 数"),
    "itl_over_tpot": ("mean ITL / mean TPOT", "平均 ITL / 平均 TPOT"),
    "tail_s": ("duration - min_duration_at_rate", "duration - min_duration_at_rate"),
}

MISTAKES: dict[str, tuple[str, str]] = {
    "seconds_for_ms": ("seconds for ms", "把秒当作毫秒"),
    "ms_for_seconds": ("ms for seconds, times 1000", "把毫秒当作秒，多乘了 1000"),
    "sample_std": ("the sample's std, divided by n - 1", "样本标准差（除以 n - 1）"),
    "variance_for_std": ("the variance, no root taken", "方差，没有开方"),
    "mean_for_median": ("the mean", "用了平均值"),
    "median_for_mean": ("the median", "用了中位数"),
    "nearest_rank": ("the nearest rank, not interpolated", "最近秩，没有插值"),
    "rank_below": ("the rank below, not interpolated", "取下方的秩，没有插值"),
    "rank_above": ("the rank above, not interpolated", "取上方的秩，没有插值"),
    "rank_n_times_q": ("the value at rank n x q, not interpolated", "取秩 n x q 处的值，没有插值"),
    "exclusive_ranks": ("ranks of n + 1 (exclusive)", "按 n + 1 计秩（exclusive）"),
    "largest_value": ("the largest value", "用了最大值"),
    "tpot_by_n": ("(E2EL - TTFT) / n, not n - 1", "(E2EL - TTFT) / n，而不是 n - 1"),
    "tpot_with_first_token": ("E2EL / n, the first token inside", "E2EL / n，含首 token"),
    "tpot_of_e2el": ("E2EL / (n - 1), TTFT inside", "E2EL / (n - 1)，含 TTFT"),
    "tpot_pooled": (
        "all time over all tokens, not a value a request",
        "总时间除以总 token 数，而不是每请求一个值",
    ),
    "one_token_answers_as_zero": ("one-token answers counted as 0", "单 token 回答按 0 计入"),
    "failures_in_averages": ("failed requests counted in, as zeros", "失败的请求按 0 计入平均"),
    "failures_counted": ("failed requests counted in", "计入了失败的请求"),
    "each_request_first": (
        "each request averaged first, not all gaps pooled",
        "先按请求平均，而不是合并所有间隔",
    ),
    "gaps_without_chunks": (
        "a gap a token, those within a chunk as 0",
        "每 token 一个间隔，chunk 内的按 0 计",
    ),
    "queue_counted_in": ("the client's queue counted in", "计入了客户端排队"),
    "queue_left_out": ("the client's queue left out", "没有计入客户端排队"),
    "chunks_for_tokens": ("chunks counted, not tokens", "数的是 chunk，不是 token"),
    "first_tokens_left_out": ("first tokens left out", "没有计入首 token"),
    "output_only": ("output tokens only", "只有输出 token"),
    "other_duration": (
        "from the first sending to the last chunk, not the whole run",
        "用首次发送到最后 chunk 的时间，而不是整个压测时长",
    ),
    "true_peak": ("requests under way at one moment", "同一时刻在途的请求数"),
    "rounded": ("the right value, rounded", "正确值，经过舍入"),
    "end_of_stream": (
        "the end of the stream, as older scripts measured it: no contradiction",
        "旧脚本量到流的结束：不算矛盾",
    ),
}
