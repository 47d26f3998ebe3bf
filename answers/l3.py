# L3: six problems about KV size, slots, batches, prefix hits, rates and fetching. One answer a line.
# L3：六道题，涉及 KV 大小、slot、批次、前缀命中、速率与取回。每题一行答案。
#
# Put your answer in place of the three dots, save, and check, from the folder that holds inference_lab.py:
# 把三个点换成你的答案，保存，然后在 inference_lab.py 所在的文件夹里检查：
#
#     python3 inference_lab.py answers
#     python3 -m pytest answers
#
# How to write: three dots are blank. A bare number is in the unit that the question names; text may carry
# another unit, as in "96 MiB" or "0.5 s". Two-part answers are lists, as in [11, 12]. Arithmetic on numbers
# is allowed, as in 3 * 2**5. This file is read, never run.
#
# 写法：三个点表示未作答。不带单位的数按题目所问的单位计；字符串可以带别的单位，例如 "96 MiB" 或 "0.5 s"。
# 两部分的答案写成列表，例如 [11, 12]。可以写数的算术式，例如 3 * 2**5。本文件只被读取，从不执行。

# A model has 32 layers, head dimension 128 and a BF16 KV cache; 8192 tokens are cached. How large is
# the KV cache with 32 KV heads, and how large with 8? Answer in GiB: [first, second].
# 模型有 32 层，head dim 为 128，KV cache 用 BF16，已缓存 8192 个 token。
# KV head 为 32 时和为 8 时，KV cache 各多大？以 GiB 作答：[前者, 后者]。
p1 = ...

# A block holds 4 tokens, and a request's block table is [7, 2, 9]. Which token slots of the pool hold
# its logical positions 6 and 8? Answer in slots: [first, second].
# 每块 4 个 token，某请求的块表为 [7, 2, 9]。
# 逻辑位置 6 和 8 的 token slot 各是多少？以 slot 编号作答：[前者, 后者]。
p2 = ...

# In one round the requests of a batch compute [3, 1, 2] tokens, in this order. What is query_start_loc?
# Answer in tokens: a list of numbers.
# 某一轮中，一个批次的各请求依次计算 [3, 1, 2] 个 token。query_start_loc 是什么？
# 以 token 为单位作答：一个数字列表。
p3 = ...

# A block holds 16 tokens. A prompt of 32 tokens is fully cached, and the look-up is bounded by
# num_tokens-1. How many tokens are reused? Answer in tokens: one number.
# 每块 16 个 token。长为 32 token 的 prompt 已全部缓存，查找以 num_tokens-1 为上限。
# 复用多少 token？以 token 为单位作答：一个数。
p4 = ...

# In 10 seconds 100 requests succeed, and 75 of them meet both the TTFT and the TPOT limit. What are
# throughput and goodput? Answer in req/s: [throughput, goodput].
# 10 秒内成功 100 个请求，其中 75 个同时满足 TTFT 与 TPOT 限制。
# 吞吐量与 goodput 各是多少？以 req/s 作答：[吞吐量, goodput]。
p5 = ...

# Recomputing a prefix takes 60 ms. Fetching its KV instead takes 3 ms of look-up, 20 ms on the data
# path and 7 ms of conversion and waiting; 8 ms of all that overlap with work that must be done anyway.
# What does the fetch cost, and how much less is that than recomputing? Answer in ms: [cost, saving].
# 重算某个前缀需 60 ms。改为取回它的 KV：查找 3 ms，数据通路 20 ms，转换与等待 7 ms；
# 其中 8 ms 与本来就必须做的工作重叠。取回的代价是多少，比重算少多少？以 ms 作答：[代价, 节省]。
p6 = ...
