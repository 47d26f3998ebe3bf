"""nano-vllm: a step is all prefill or all decode, and any prefill that can run stops the decoding.

Models: nano-vllm (GeeeekExplorer, commit bb823b3), `engine/scheduler.py`, `Scheduler.schedule` and
`postprocess`, with `BlockManager` (`labs.engine.kv.nano_pool`). One step:

    prefill   waiting requests in order, at most max_num_seqs, as far as the budget goes; all blocks of a
              prompt at once; only the first request of the step may be cut, and stays in the waiting list
    decode    only if no prefill could run: one token to each of the first max_num_seqs running requests (the
              budget does not count them); without a free block the last one running is preempted, and
              recomputes everything later

Full blocks enter the hash table when the step has run, so equal prompts of one step do not share.
Does not model: the assertion with which nano-vllm stops where nothing can be scheduled.
"""

from __future__ import annotations

from labs.engine.blocks import num_blocks
from labs.engine.run.decision import Decision
from labs.engine.run.live_request import FINISHED_ABORTED, PREEMPTED, RUNNING
from labs.engine.run.stretch import decode, num_quiet_rounds
from labs.engine.run.waiting_queue import FcfsQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.external.connector import ExternalKV
    from labs.engine.kv.nano_pool import NanoPool
    from labs.engine.run.live_request import LiveRequest


class NanoScheduler:
    """The scheduler of one engine: `add`, then `schedule` and `update_from_output` in turn."""

    external: ExternalKV | None = None

    def __init__(
        self, pool: NanoPool, block_size: int, budget: int, max_num_seqs: int, prefix_caching: bool
    ) -> None:
        self.pool = pool
        self.block_size = block_size
        self.budget = budget
        self.max_num_seqs = max_num_seqs
        self.prefix_caching = prefix_caching
        self.waiting = FcfsQueue()
        self.running: list[LiveRequest] = []

    def add(self, request: LiveRequest) -> None:
        """A request joins the waiting list."""
        self.waiting.add(request)

    def add_decoding(self, request: LiveRequest) -> bool:
        """A request joins those that run, its context computed and one token sampled; False without room."""
        needed = num_blocks(request.num_tokens, self.block_size)
        if needed > self.pool.num_free:
            return False
        request.block_table = self.pool.take(needed)
        request.num_computed_tokens = request.num_tokens
        self._enter(request, request.num_computed_tokens)
        request.num_tokens += 1
        request.status = RUNNING
        self.running.append(request)
        return True

    def schedule(self) -> Decision:
        """Prefill if anything can, else decode; `num_computed_tokens` advances at once."""
        decision = Decision()
        self._schedule_prefills(decision)
        if not decision.num_scheduled_tokens:
            self._schedule_decodes(decision)
        return decision

    def _schedule_prefills(self, decision: Decision) -> None:
        budget, scheduled = self.budget, decision.num_scheduled_tokens
        while len(self.waiting) and budget > 0 and len(scheduled) < self.max_num_seqs:
            request = self.waiting.peek()
            hit = [] if request.block_table else self._hit(request)
            if hit is None:
                return
            computed = request.num_computed_tokens + len(hit) * self.block_size
            num_new_tokens = request.num_tokens - computed
            if num_new_tokens > budget and scheduled:
                return
            if not request.block_table:
                self._allocate(request, hit)
                resumes = request.status is PREEMPTED
                (decision.resumed if resumes else decision.admitted).append(request)
            num_new_tokens = min(num_new_tokens, budget)
            request.num_computed_tokens = computed + num_new_tokens
            if request.num_computed_tokens == request.num_tokens:
                request.status = RUNNING
                self.running.append(self.waiting.pop())
            scheduled[request] = num_new_tokens
            budget -= num_new_tokens

    def _hit(self, request: LiveRequest) -> list[int] | None:
        """Cached blocks of a prompt, its last block never among them; None if the rest does not fit."""
        whole = num_blocks(request.num_tokens, self.block_size)
        hit = []
        if self.prefix_caching:
            hit = self.pool.hit(request.keys.between(0, whole - 1), request.keys.contents(0, whole - 1))
        return None if whole - self.pool.num_in_use_among(hit) > self.pool.num_free else hit

    def _allocate(self, request: LiveRequest, hit: list[int]) -> None:
        self.pool.touch(hit)
        missing = num_blocks(request.num_tokens, self.block_size) - len(hit)
        request.block_table = [*hit, *self.pool.take(missing)]
        request.num_cached_blocks = len(hit)

    def _schedule_decodes(self, decision: Decision) -> None:
        scheduled = decision.num_scheduled_tokens
        for request in self.running:  # gets shorter at its end when one is preempted
            if len(scheduled) == self.max_num_seqs:
                break
            computed = request.num_computed_tokens
            if computed == request.settled_tokens and not self._make_room(request, decision):
                break
            request.num_computed_tokens = computed + 1
            scheduled[request] = 1

    def _make_room(self, request: LiveRequest, decision: Decision) -> bool:
        """One block more for a running request, preempting others; False if it had to preempt itself."""
        while not self.pool.num_free:
            victim = self.running.pop()
            self._preempt(victim, decision)
            if victim is request:
                return False
        request.block_table.extend(self.pool.take(1))
        request.settled_tokens += self.block_size
        return True

    def _preempt(self, request: LiveRequest, decision: Decision) -> None:
        self._free(request)
        request.status = PREEMPTED
        request.num_computed_tokens = 0
        request.num_preemptions += 1
        decision.preempted.append(request)
        self.waiting.put_back([request])

    def update_from_output(self, decision: Decision, number: int) -> list[LiveRequest]:
        """The step has run: full blocks can be hit, finished requests give theirs back."""
        finished = []
        for request in decision.num_scheduled_tokens:
            num_tokens = request.num_computed_tokens
            if num_tokens >= request.settled_tokens:
                self._enter(request, num_tokens)
            if num_tokens == request.num_tokens:
                request.num_tokens = num_tokens = num_tokens + 1
                if num_tokens >= request.last_num_tokens:
                    request.status = request.finished_status
                    self._free(request)
                    finished.append(request)
        if finished:
            self.running = [request for request in self.running if request.status is RUNNING]
        return finished

    def _enter(self, request: LiveRequest, num_tokens: int) -> None:
        """Enter the full blocks among so many tokens, all computed."""
        settled = len(request.block_table)
        if self.prefix_caching:
            first, full = request.num_cached_blocks, num_tokens // self.block_size
            keys, contents = request.keys.between(first, full), request.keys.contents(first, full)
            self.pool.cache(request.block_table[first:full], keys, contents)
            request.num_cached_blocks = full
            settled = min(settled, full + 1)
        request.settled_tokens = settled * self.block_size

    def _free(self, request: LiveRequest) -> None:
        self.pool.free(reversed(request.block_table))
        request.block_table = []
        request.num_cached_blocks = request.settled_tokens = 0

    def end(self, request: LiveRequest, status: str = FINISHED_ABORTED) -> None:
        """End a request from outside."""
        for queue in (self.running, self.waiting):
            if request in queue:
                queue.remove(request)
        request.status = status
        self._free(request)

    def quiet_rounds(self, most: int) -> int:
        """How many decode steps from now on only repeat themselves."""
        if len(self.waiting):
            head = self.waiting.peek()
            shares = self.prefix_caching and head.keys.can_be_shared
            if shares or head.block_table or self._hit(head) is not None:
                return 0
        served = self.running[: self.max_num_seqs]
        return num_quiet_rounds(served, most, self.pool.num_free, self.block_size) if served else 0

    def decode(self, rounds: int) -> list[LiveRequest]:
        """Take so many quiet steps at once; returns who was served in each."""
        served = self.running[: self.max_num_seqs]
        decode(served, rounds, self.pool, self.block_size, self._enter)
        return served
