"""Who waits for admission, and who is next: first come first served, or by priority.

Source: vLLM 0.32.0, `core.sched.request_queue`. A smaller priority is served first; ties go to the earlier
arrival, then to the name that sorts first.
"""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from labs.engine.run.live_request import LiveRequest


def make_queue(policy: str) -> FcfsQueue | PriorityQueue:
    """An empty queue under a policy, "fcfs" or "priority"."""
    return PriorityQueue() if policy == "priority" else FcfsQueue()


class FcfsQueue:
    """First come, first served; what was preempted or passed over goes back to the front."""

    def __init__(self) -> None:
        self.requests: deque[LiveRequest] = deque()

    def __len__(self) -> int:
        return len(self.requests)

    def __iter__(self) -> Iterator[LiveRequest]:
        return iter(self.requests)

    def __contains__(self, request: object) -> bool:
        return any(other is request for other in self)

    def peek(self) -> LiveRequest:
        return self.requests[0]

    def pop(self) -> LiveRequest:
        return self.requests.popleft()

    def add(self, request: LiveRequest) -> None:
        self.requests.append(request)

    def put_back(self, requests: Iterable[LiveRequest]) -> None:
        """To the front, in this order."""
        self.requests.extendleft(reversed(list(requests)))

    def remove(self, request: LiveRequest) -> None:
        self.requests.remove(request)


class PriorityQueue:
    """Smallest (priority, arrival, name) first; there is no front to go back to."""

    def __init__(self) -> None:
        self.heap: list[tuple[int, float, str, LiveRequest]] = []

    def __len__(self) -> int:
        return len(self.heap)

    def __iter__(self) -> Iterator[LiveRequest]:
        return iter([entry[-1] for entry in sorted(self.heap)])

    def __contains__(self, request: object) -> bool:
        return any(other is request for other in self)

    def peek(self) -> LiveRequest:
        return self.heap[0][-1]

    def pop(self) -> LiveRequest:
        return heappop(self.heap)[-1]

    def add(self, request: LiveRequest) -> None:
        heappush(self.heap, (request.priority, request.arrival_time, request.name, request))

    def put_back(self, requests: Iterable[LiveRequest]) -> None:
        for request in requests:
            self.add(request)

    def remove(self, request: LiveRequest) -> None:
        self.heap = [entry for entry in self.heap if entry[-1] is not request]
        heapify(self.heap)
