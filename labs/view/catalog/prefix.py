"""Texts of the prefix lab: (English, Chinese)."""

KNOBS: dict[str, tuple[str, str]] = {
    "--a": (
        "prompt that stands in the cache: 1,2,3 or @FILE or ''",
        "已在缓存中的 prompt：1,2,3、@FILE 或 ''",
    ),
    "--b": ("prompt that is looked up: 1,2,3 or @FILE or ''", "要查找的 prompt：1,2,3、@FILE 或 ''"),
    "--block-size": ("tokens a block", "每块 token 数"),
    "--namespace": ("model namespace of both prompts", "两个 prompt 的模型 namespace"),
    "--other-namespace": ("namespace of the second comparison", "第二次比较所用的 namespace"),
    "--salt": (
        "cache salt of both prompts; they are also compared with B unsalted",
        "两个 prompt 的 cache salt；另与不加 salt 的 B 比较一次",
    ),
    "--lora": ("LoRA adapter of both prompts", "两个 prompt 的 LoRA 适配器"),
    "--scheme": (
        "how keys are made: the lab's own, or as vLLM 0.32.0 does",
        "哈希方案：实验自带的，或与 vLLM 0.32.0 相同的",
    ),
    "--hash-seed": (
        "string under the root of the chain (default: vllm-none-hash, as in vLLM)",
        "链根哈希所用的字符串种子（默认 vllm-none-hash，与 vLLM 相同）",
    ),
}

TEXTS: dict[str, tuple[str, str]] = {
    "setup": (
        "prefix: chained block hashes. Block size {block_size}, scheme {scheme}, hash seed {hash_seed}, namespace"
        " {namespace}.",
        "prefix：链式块哈希。块大小 {block_size}，方案 {scheme}，哈希种子 {hash_seed}，namespace {namespace}。",
    ),
    "lists": ("A (cached) = {a}\nB (looked up) = {b}", "A（已缓存）= {a}\nB（待查找）= {b}"),
    "columns": ("block|A|B|key of A|key of B|match|why not", "块|A|B|A 的键|B 的键|匹配|不匹配的原因"),
    "more_blocks": (
        "  ... and {more} more blocks (all of them with --json)",
        "  ……另有 {more} 块（用 --json 查看全部）",
    ),
    "cut_matches": (" ... ({more} more, see --json)", " ……（另有 {more} 个，见 --json）"),
    "matches": ("\nblock matches: {matches}", "\n块匹配：{matches}"),
    "other_namespace": ("block matches, other namespace: {matches}", "更换 namespace 后块匹配：{matches}"),
    "other_salt": ("block matches, B without the salt: {matches}", "B 不加 salt 时块匹配：{matches}"),
    "no_miss": ("first miss: none", "首个未命中：无"),
    "first_miss": ("first miss: block {block}, {reason}: ", "首个未命中：块 {block}，{reason}："),
    "tokens_differ": (
        "position {position} holds {a_value} in A and {b_value} in B",
        "位置 {position} 在 A 中是 {a_value}，在 B 中是 {b_value}",
    ),
    "not_full": (
        "no token stands at position {position} in {lacking} (lengths: A {a_value}, B {b_value})",
        "{lacking} 在位置 {position} 没有 token（长度：A {a_value}，B {b_value}）",
    ),
    "reusable": (
        "reusable tokens of B: {reusable} of {total} (matching prefix {matching}, bound {bound})",
        "B 可复用的 token：{reusable}/{total}（匹配前缀 {matching}，上限 {bound}）",
    ),
    "why": ("Why: ", "原因："),
    "why_parent": (
        "block {index} holds {tokens} in both prompts, but its key also covers its parent's key, and the"
        " chain parted at block {parent}. Equal tokens are not enough; all that stands before must be equal.",
        "块 {index} 在两个 prompt 中都是 {tokens}，但它的键还包含父块的键，而链在块 {parent} 处已经分叉。"
        "只有本块 token 相同还不够，前面的全部内容也必须相同。",
    ),
    "why_tokens_differ": (
        "at position {position} A has {a_value} and B has {b_value}, so block {block} has two different keys,"
        " and the look-up stops there.",
        "位置 {position} 处 A 是 {a_value}、B 是 {b_value}，所以块 {block} 的两个键不同，查找到此为止。",
    ),
    "why_not_full": (
        "the lengths are {a_value} and {b_value}: in {lacking} block {block} is not full, and only a full block has"
        " a key.",
        "A、B 的长度是 {a_value} 和 {b_value}：块 {block} 在 {lacking} 中没有填满，而只有满块才有键。",
    ),
    "why_all_match": (
        "the blocks of B, {count} in all, have the keys of A's blocks, since each key covers the same tokens and"
        " the same parent.",
        "B 的全部 {count} 块与 A 的键相同，因为每个键覆盖的 token 和父块都相同。",
    ),
    "why_nothing": ("neither prompt has a token.", "两个 prompt 都没有 token。"),
    "why_bound": (
        " Reused are {reusable} of the {matching} matching tokens: at least the last token of B must be"
        " computed to get its logits, and a hit consists of whole blocks.",
        "匹配的 {matching} 个 token 中只复用 {reusable} 个：B 至少要计算最后一个 token 才能得到 logits，"
        "而命中以整块为单位。",
    ),
    "why_namespace": (
        " Every key also covers the namespace, so {namespace} and {other_namespace} share no block.",
        "每个键还包含 namespace，所以 {namespace} 与 {other_namespace} 之间没有可共享的块。",
    ),
    "why_salt": (
        " The salt {salt} is in the key of block 0 only; later blocks have it through the chain. So B without"
        " it finds nothing.",
        "salt {salt} 只在块 0 的键里，后面的块经由链带上它，所以不加 salt 的 B 全部未命中。",
    ),
    "why_lora": (
        " The adapter {adapter} is in the key of every block.",
        "适配器 {adapter} 在每个块的键里。",
    ),
    "both": ("A and B", "A 和 B"),
    "why_same_namespace": (
        " Both namespaces are {namespace}, so the other comparison is the same once more.",
        "两个 namespace 都是 {namespace}，所以另一次比较完全相同。",
    ),
    "why_other_pool": (
        " In scheme {scheme} the namespace is not in the key: {other_namespace} is another engine with a pool of"
        " its own, so all miss although the digests are the same.",
        "方案 {scheme} 的键不含 namespace：{other_namespace} 是另一个引擎，有自己的块池，因此摘要虽相同却全部未命中。",
    ),
    "not_shown": (
        "Does not show: eviction, sharing by reference, who computes a block first, or everything that a real"
        " engine puts in its key. It is no permission system.",
        "未展示：淘汰、按引用共享、由谁先计算某一块，以及真实引擎放进键里的全部内容。它不是权限系统。",
    ),
    "next": (
        'Next: python3 inference_lab.py prefix --a 1,2,3,4 --b 1,2,3,4  (predict first: --predict "reusable: ...")',
        '下一步：python3 inference_lab.py prefix --a 1,2,3,4 --b 1,2,3,4（先预测可复用的 token 数：--predict "可复用：..."）',
    ),
    "next_size": (
        'Next: python3 inference_lab.py prefix --block-size 3  (predict which blocks match: --predict "[..., ...]")',
        '下一步：python3 inference_lab.py prefix --block-size 3（先预测哪些块匹配：--predict "[..., ...]"）',
    ),
    "next_salt": (
        "Next: python3 inference_lab.py prefix --salt tenant-a --scheme sha256_cbor  (predict what the salt changes)",
        "下一步：python3 inference_lab.py prefix --salt tenant-a --scheme sha256_cbor（先预测 salt 会改变什么）",
    ),
}
