"""What a scheduler hands out in one step."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.run.live_request import LiveRequest


class Decision:
    """Tokens a request, in the order of scheduling, and what happened to requests on the way."""

    __slots__ = ("admitted", "has_sync_loads", "num_scheduled_tokens", "preempted", "resumed")

    def __init__(self) -> None:
        self.num_scheduled_tokens: dict[LiveRequest, int] = {}
        self.admitted: list[LiveRequest] = []  # for the first time
        self.resumed: list[LiveRequest] = []
        self.preempted: list[LiveRequest] = []
        self.has_sync_loads = False
