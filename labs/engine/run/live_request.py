"""How far a request has come inside an engine: tokens known and computed, blocks held, state.

    num_tokens            prompt and outputs known so far
    num_computed_tokens   of these, how many have their K and V computed or loaded

Source: vLLM 0.32.0, `v1.request.Request`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.kv.block_keys import BlockKeys

WAITING, WAITING_FOR_REMOTE_KVS, RUNNING, PREEMPTED = (
    "WAITING",
    "WAITING_FOR_REMOTE_KVS",
    "RUNNING",
    "PREEMPTED",
)
FINISHED_STOPPED, FINISHED_LENGTH_CAPPED, FINISHED_ABORTED, FINISHED_ERROR = (
    "FINISHED_STOPPED",
    "FINISHED_LENGTH_CAPPED",
    "FINISHED_ABORTED",
    "FINISHED_ERROR",
)
ENDLESS = 1 << 60  # outputs of a request that decodes without end


class LiveRequest:
    """A request under way; the scheduler changes it, everybody else reads.

    `last_num_tokens` is the number of known tokens at which it stops, with `finished_status`.
    """

    __slots__ = (
        "arrival_time",
        "block_table",
        "finished_status",
        "keys",
        "last_num_tokens",
        "name",
        "num_cached_blocks",
        "num_computed_tokens",
        "num_preemptions",
        "num_prompt_tokens",
        "num_tokens",
        "priority",
        "settled_tokens",
        "status",
    )

    def __init__(
        self,
        name: str,
        num_prompt_tokens: int,
        last_num_tokens: int,
        keys: BlockKeys,
        priority: int = 0,
        arrival_time: float = 0,
        finished_status: str = FINISHED_LENGTH_CAPPED,
    ) -> None:
        self.name = name
        self.num_prompt_tokens = num_prompt_tokens
        self.num_tokens = num_prompt_tokens
        self.last_num_tokens = last_num_tokens
        self.finished_status = finished_status
        self.keys = keys
        self.priority = priority
        self.arrival_time = arrival_time
        self.status = WAITING
        self.num_computed_tokens = 0
        self.num_preemptions = 0
        self.block_table: list[int] = []
        self.num_cached_blocks = 0  # of the block table, entered in the hash table or found there
        self.settled_tokens = 0  # up to here, exclusive, no block has to be taken or entered

    @property
    def is_decoding(self) -> bool:
        """All tokens but the last known one are computed, and an output exists."""
        known = self.num_tokens
        return self.num_computed_tokens == known - 1 and known > self.num_prompt_tokens

    def __repr__(self) -> str:
        return f"<{self.name} {self.status} {self.num_computed_tokens}/{self.num_tokens}>"
