"""The course's four paths of external KV as one run: miss, synchronous hit, asynchronous hit, failed load.

Four prompts of ten tokens, blocks of four. The store has nothing of the first, and the first eight tokens of
the others. The load of `failed` reports its second block bad after round 2, that of `async` is done after
round 3.
Source: the course's part on KV reuse; the paths are those of vLLM 0.32.0 (`labs.engine.external.connector`).
"""

from __future__ import annotations

from labs.engine.external.script import ExternalScript, Report
from labs.engine.requests import Request

KNOBS = {"budget": 16, "block_size": 4, "kv_blocks": 31, "rule": "vllm"}
REQUESTS = (
    Request("miss", prefill=10, decode=3),
    Request("sync", prefill=10, decode=3),
    Request("async", prefill=10, decode=1),
    Request("failed", prefill=10, decode=1),
)
SCRIPT = ExternalScript(
    answers={"sync": ((8, False),), "async": ((8, True),), "failed": ((8, True), (0, False))},
    reports={
        2: Report(finished_recving=("failed",), invalid_block_ids=(10,)),
        3: Report(finished_recving=("async",)),
    },
    policy="recompute",
)
