"""The lines that the course documents, as `all` prints them in either language, and its answers to L3."""

from __future__ import annotations

DOCUMENTED = {
    "en": [
        *[f"position {position}: cached_matches_full=True" for position in range(4)],
        "rows per K or V projection: recompute 10, cached 4",
        "block matches: [True, False, False]",
        "block matches, other namespace: [False, False, False]",
        "Round 1: A decode 1, B decode 1, C prefill 6",
        "Round 2: A decode 1, B decode 1, C prefill 4, D prefill 2",
        "Round 3: A decode 1, C decode 1, D decode 1",
        "Round 4: C decode 1",
        "KV per token: 128 KiB",
        "KV of 8192 tokens: 1 GiB",
        "17/31 tokens, block=16: 4 blocks, 64 reserved slots",
        "1 GiB / 400 Gbit/s: about 21.47 ms",
    ],
    "zh": [
        *[f"位置 {position}：cached_matches_full=True" for position in range(4)],
        "每个 K 或 V 投影矩阵处理的行数：重算 10，缓存 4",
        "块匹配：[True, False, False]",
        "更换 namespace 后块匹配：[False, False, False]",
        "轮1：A decode 1，B decode 1，C prefill 6",
        "轮2：A decode 1，B decode 1，C prefill 4，D prefill 2",
        "轮3：A decode 1，C decode 1，D decode 1",
        "轮4：C decode 1",
        "每 token KV：128 KiB",
        "8192 tokens KV：1 GiB",
        "17/31 token，block=16：4 blocks，64 reserved slots",
        "1 GiB / 400 Gbit/s：约 21.47 ms",
    ],
}

# The course's published answers (its L3 table), as evidence against the computed keys.
L3_ANSWERS = {
    "p1": "[4, 1]",
    "p2": "[10, 36]",
    "p3": "[0, 3, 4, 6]",
    "p4": "16",
    "p5": "[10, 7.5]",
    "p6": "[22, 38]",
}
