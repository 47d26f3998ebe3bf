# sheet: l3  seed: 7  lang: en
# L3: six problems about KV size, slots, batches, prefix hits, rates and fetching.
# Keep the first line: the numbers follow from it, and the checker reads it.
#
# Put your answer in place of the three dots, save, and check, from the folder that holds
# inference_lab.py:
#
#     python3 inference_lab.py answers my_l3.py
#
# How to write: three dots are blank. A bare number is in the unit that the question names; text may carry
# another unit, as in "96 MiB" or "0.5 s". Answers of several parts are lists, as in [11, 12]. Arithmetic
# on numbers is allowed, as in 3 * 2**5. This file is read, never run.

# A model has 64 layers, head dimension 128 and a float16 KV cache; 2048 tokens are cached. How large is
# the KV cache with 16 KV heads, and how large with 8? Answer in GiB: [first, second].
p1 = [1, 0.5]

# A block holds 8 tokens, and a request's block table is [39, 9, 4]. Which token slots of the pool hold
# its logical positions 15 and 21? Answer in slots: [first, second].
p2 = ...

# In one round the requests of a batch compute [1, 4, 7] tokens, in this order. What is query_start_loc?
# Answer in tokens: a list of numbers.
p3 = ...

# A block holds 16 tokens. A prompt of 160 tokens is fully cached, and the look-up is bounded by
# num_tokens-1. How many tokens are reused? Answer in tokens: one number.
p4 = 144

# In 8 seconds 48 requests succeed, and 44 of them meet both the TTFT and the TPOT limit. What are
# throughput and goodput? Answer in req/s: [throughput, goodput].
p5 = ...

# Recomputing a prefix takes 61 ms. Fetching its KV instead takes 7 ms of look-up, 12 ms on the data path
# and 13 ms of conversion and waiting; 9 ms of all that overlap with work that must be done anyway. What
# does the fetch cost, and how much less is that than recomputing? Answer in ms: [cost, saving].
p6 = ...
