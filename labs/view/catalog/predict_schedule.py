"""Why a predicted schedule differs from the run: (English, Chinese)."""

TEXTS: dict[str, tuple[str, str]] = {
    "list": (", ", "、"),
    "plus": (" + ", " + "),
    "nobody": ("nobody", "（无）"),
    "cause_unknown_request": (
        "there is no request {request}; there are {known}.",
        "没有请求 {request}；这里的请求有 {known}。",
    ),
    "cause_not_arrived": (
        "{request} arrives in round {arrive}; in round {round} it is not there yet.",
        "{request} 在第 {arrive} 轮才到达，第 {round} 轮还不存在。",
    ),
    "cause_finished_already": (
        "{request} ended in round {ended}: nothing of it is left to compute.",
        "{request} 在第 {ended} 轮已经结束，没有剩余的 token 要计算。",
    ),
    "cause_run_ended": (
        "the run was cut off after round {rounds} (--rounds), so of round {round} nothing is known.",
        "运行到第 {rounds} 轮截止（--rounds），第 {round} 轮没有结果。",
    ),
    "cause_run_stuck": (
        "after round {rounds} nothing can change any more: whoever still waits would wait for ever.",
        "第 {rounds} 轮之后状态不再变化，仍在等待的请求将永远等待。",
    ),
    "cause_wrong_phase_decode": (
        "all prompt tokens of {request} are computed, and its last prefill step already yielded the first output token: in"
        " round {round} it decodes.",
        "{request} 的 prompt 已全部计算，最后一步 prefill 已经产生首个输出 token，所以第 {round} 轮是 decode。",
    ),
    "cause_wrong_phase_prefill": (
        "{request} has {left} tokens left to prefill before round {round}, and does not decode before they are computed.",
        "第 {round} 轮之前 {request} 还剩 {left} 个 prefill token，算完之前不会 decode。",
    ),
    "cause_over_budget": (
        "{terms} = {total} tokens in round {round}, {over} more than the budget of {budget}.",
        "第 {round} 轮 {terms} = {total} 个 token，超出预算 {budget} 达 {over} 个。",
    ),
    "cause_over_budget_nano-vllm": (
        "the prefills {terms} = {total} tokens in round {round}, {over} more than the budget of {budget} (decodes take none).",
        "第 {round} 轮的 prefill {terms} = {total} 个 token，超出预算 {budget} 达 {over} 个（decode 不占预算）。",
    ),
    "cause_cached_already": (
        "{cached} tokens of {request} are in the cache or loaded already; {left} are left to compute.",
        "{request} 有 {cached} 个 token 已在缓存中或已加载，只剩 {left} 个要计算。",
    ),
    "cause_more_than_left_prefill": (
        "before round {round} {request} has {left} prefill tokens left; {predicted} are {more} too many.",
        "第 {round} 轮之前 {request} 只剩 {left} 个 prefill token，预测的 {predicted} 个多了 {more} 个。",
    ),
    "cause_more_than_left_decode": (
        "{request} is decoding: a decode pass computes one token, {left} in round {round}, since the next one is not known"
        " before this one is sampled.",
        "{request} 正在 decode：每步只计算 1 个 token，第 {round} 轮为 {left} 个，因为采样出这个 token 之前无法得知下一个。",
    ),
    "cause_decode_left_out": (
        "{request} is decoding in round {round}, and the rule gives it its token. {order}",
        "{request} 在第 {round} 轮正在 decode，规则会分给它 1 个 token。{order}",
    ),
    "cause_admission_order": (
        "{request} ({phase}) comes before {later} ({later_phase}), which was predicted to get {later_predicted} while {request}"
        " gets less than its share. {order}",
        "{request}（{phase}）排在 {later}（{later_phase}）之前，而预测给 {later} {later_predicted} 个，{request} 却少于应得。{order}",
    ),
    "cause_budget_unused": (
        "{total} of the budget of {budget} are predicted in round {round}: {unused} stay unused, although {request} waits with"
        " {left} prefill tokens left.",
        "第 {round} 轮只预测了预算 {budget} 中的 {total} 个，剩下 {unused} 个未用，而 {request} 还有 {left} 个 prefill token 在等待。",
    ),
    "cause_other_tokens": (
        "before {request} (tokens left: {left}) the rule serves {before}, taking {taken}; the budget is {budget}. {order}",
        "规则先分给 {before}，占去 {taken} 个，再轮到 {request}（剩余 {left} 个 token）；预算为 {budget}。{order}",
    ),
    "cause_rounds_missing": (
        "what is predicted is right (rounds: {predicted}), but the run goes on: not ended yet: {left}.",
        "预测的 {predicted} 轮都正确，但并未预测全部轮次：{left} 还没有结束。",
    ),
    "cause_limit": (
        "in round {round} {request} gets no more, since ",
        "第 {round} 轮 {request} 分不到更多 token：",
    ),
    "order_decode-first": (
        "decode-first: first one token to each request that is decoding, in order; then prefills, by arrival and place in the"
        " list, with what is left.",
        "decode-first：先给每个正在 decode 的请求各 1 个 token，再用剩余预算按到达与列表次序做 prefill。",
    ),
    "order_prefill-first": (
        "prefill-first: first prefills, by arrival and place in the list; then one token to each request that is decoding, with"
        " what is left.",
        "prefill-first：先按到达与列表次序做 prefill，再用剩余预算给每个正在 decode 的请求各 1 个 token。",
    ),
    "order_static": (
        "static: a batch prefills as a whole, in order, then decodes, and nobody joins before all of it have finished.",
        "static：整批先按次序完成 prefill 再 decode，整批完成之前不准入其他请求。",
    ),
    "order_nano-vllm": (
        "nano-vllm: a step is either prefills, in the order of the queue and within the budget, or one token to each that runs.",
        "nano-vllm：一步要么全是 prefill（按队列次序，不超过预算），要么给每个运行中的请求各 1 个 token。",
    ),
    "order_vllm": (
        "vllm: first whoever runs, in the order of admission, each as much as it lacks; then whoever waits, from the front of"
        " the queue.",
        "vllm：先按准入次序给运行中的请求各自所缺的 token，再从队首开始准入等待中的请求。",
    ),
}
