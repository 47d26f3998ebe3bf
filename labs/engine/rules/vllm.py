"""vllm: no phases; every request catches up with its known tokens, running ones first.

Models: vLLM 0.32.0, `v1.core.sched.scheduler.Scheduler` (`schedule`, `update_from_output`,
`_preempt_request`), one engine core, synchronous. One step:

    1. running requests in the order of admission get num_tokens - num_computed_tokens each, as far as the
       budget goes; without a free block the last one (or, under the priority policy, the least important)
       is preempted: its blocks are freed, it recomputes everything later
    2. if nobody was preempted, waiting requests are admitted in order, until the budget, max_num_seqs or the
       free blocks end; who does not fit holds up everybody behind
    3. whoever has all known tokens computed samples one more, and is freed if that was the last

Does not model: speculative tokens, encoders, LoRA limits, structured output, asynchronous scheduling.
"""

from __future__ import annotations

from labs.engine.run.decision import Decision
from labs.engine.run.live_request import (
    ENDLESS,
    FINISHED_ABORTED,
    FINISHED_ERROR,
    PREEMPTED,
    RUNNING,
    WAITING,
    WAITING_FOR_REMOTE_KVS,
)
from labs.engine.run.stretch import decode, num_quiet_rounds
from labs.engine.run.waiting_queue import make_queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.external.connector import ExternalKV
    from labs.engine.knobs import Knobs
    from labs.engine.kv.kv_manager import KVManager
    from labs.engine.run.live_request import LiveRequest

    Prefix = tuple[list[int], int, bool]  # blocks hit, tokens a connector adds, if in the background


class VllmScheduler:
    """The scheduler of one engine: `add`, then `schedule` and `update_from_output` in turn."""

    def __init__(self, knobs: Knobs, kv: KVManager, external: ExternalKV | None = None) -> None:
        self.knobs, self.kv, self.external = knobs, kv, external
        self.pool, self.block_size = kv.pool, kv.block_size
        self.running: list[LiveRequest] = []
        self.waiting = make_queue(knobs.policy)
        self.holding_kv = make_queue(knobs.policy)  # waits for a load, or came back from one: served first
        self.head_is_blocked = False  # nobody is admitted until something is freed or joins (run.stretch)

    def add(self, request: LiveRequest) -> None:
        """A request joins the waiting queue."""
        self.head_is_blocked = False
        self.waiting.add(request)

    def add_decoding(self, request: LiveRequest) -> bool:
        """A request joins those that run, its context computed and one token sampled; False without room."""
        if self.kv.allocate(request, request.num_prompt_tokens) is None:
            return False
        request.status = RUNNING
        request.num_computed_tokens = request.num_prompt_tokens
        request.num_tokens += 1
        self.running.append(request)
        return True

    def schedule(self) -> Decision:
        """Hand out one step's budget; `num_computed_tokens` advances at once."""
        decision = Decision()
        cap = self.knobs.long_prefill_threshold or ENDLESS
        if cap < ENDLESS and len(self.running) + len(self.waiting) + len(self.holding_kv) == 1:
            cap = ENDLESS  # alone it holds up nobody
        budget = self._schedule_running(decision, cap)
        if not decision.preempted:
            self._schedule_waiting(decision, cap, budget)
        if self.external:
            self.external.build_connector_meta(decision)
        return decision

    def _schedule_running(self, decision: Decision, cap: int) -> int:
        """Step 1; returns the budget that is left."""
        budget, scheduled, extend = self.knobs.budget, decision.num_scheduled_tokens, self.kv.extend
        for request in tuple(self.running):
            if budget == 0:
                break
            if request.status is not RUNNING:
                continue  # the victim of one before it
            computed = request.num_tokens  # after this step
            num_new_tokens = computed - request.num_computed_tokens
            if num_new_tokens > 1:
                num_new_tokens = min(num_new_tokens, cap, budget)
                computed = request.num_computed_tokens + num_new_tokens
            # Most decodes neither fill a block nor need one: `settled_tokens` spares them the call.
            if computed >= request.settled_tokens and not extend(request, computed):
                if not self._make_room(request, computed, decision):
                    break
                budget = self.knobs.budget - sum(scheduled.values())  # victims have given theirs back
            request.num_computed_tokens = computed
            scheduled[request] = num_new_tokens
            budget -= num_new_tokens
        return budget

    def _schedule_waiting(self, decision: Decision, cap: int, budget: int) -> None:
        """Step 2: admit from the front; whom a load holds up is passed over, whom blocks hold up ends it."""
        passed_over: list[LiveRequest] = []
        while budget > 0 and len(self.running) < self.knobs.max_num_seqs and not self.head_is_blocked:
            queue = self.holding_kv if len(self.holding_kv) else self.waiting
            if not len(queue):
                break
            request = queue.peek()
            prefix = self._prefix(request)
            if prefix is None:
                passed_over.append(queue.pop())
                continue
            hit, loaded, loads_async = prefix
            ready = request.num_computed_tokens + len(hit) * self.kv.block_size + loaded
            num_new_tokens = 0 if loads_async else min(request.num_tokens - ready, cap)
            if num_new_tokens > budget and not self.knobs.chunked_prefill:
                break
            num_new_tokens = min(num_new_tokens, budget)
            if not self._allocate(request, num_new_tokens, prefix):
                may_be_hit = self.kv.prefix_caching and request.keys.can_be_shared
                self.head_is_blocked = not may_be_hit and self.external is None
                break
            queue.pop()
            request.num_computed_tokens = ready + num_new_tokens
            if loads_async:
                request.status = WAITING_FOR_REMOTE_KVS
                passed_over.append(request)
                continue
            decision.has_sync_loads |= loaded > 0
            (decision.admitted if request.status == WAITING else decision.resumed).append(request)
            request.status = RUNNING
            self.running.append(request)
            decision.num_scheduled_tokens[request] = num_new_tokens
            budget -= num_new_tokens
        if passed_over:
            self._put_back(passed_over)

    def update_from_output(self, decision: Decision, number: int) -> list[LiveRequest]:
        """Step 3, with what the workers report of loads after step `number`; returns who has finished."""
        report = self.external.report_of(number) if self.external else None
        failed = self.external.take_failures(report, self, decision) if self.external and report else []
        finished = []
        for request in decision.num_scheduled_tokens:
            num_tokens = request.num_computed_tokens
            if num_tokens == request.num_tokens:
                request.num_tokens = num_tokens = num_tokens + 1
                if num_tokens >= request.last_num_tokens:
                    self._finish(request, request.finished_status)
                    finished.append(request)
        if finished:
            self.running = [request for request in self.running if request.status is RUNNING]
        for request in failed:
            self.end(request, FINISHED_ERROR)
        if self.external and report:
            self.external.take_report(report, self.kv)
        return finished + failed

    def _make_room(self, request: LiveRequest, num_tokens: int, decision: Decision) -> bool:
        """Preempt until a running request has slots for so many tokens; False if it had to go itself."""
        while not self.kv.extend(request, num_tokens):
            victim = self.running[-1]
            if self.knobs.policy == "priority":
                victim = max(self.running, key=lambda other: (other.priority, other.arrival_time))
            self.running.remove(victim)
            decision.num_scheduled_tokens.pop(victim, None)
            decision.preempted.append(victim)
            self._preempt(victim)
            if victim is request:
                return False
        return True

    def _preempt(self, request: LiveRequest) -> None:
        """Recompute, not swap: blocks go, outputs stay, and it waits at the front."""
        self.kv.free(request)
        self.head_is_blocked = False
        if self.external:
            self.external.in_flight.discard(request)
        request.status = PREEMPTED
        request.num_computed_tokens = 0
        request.num_preemptions += 1
        self.waiting.put_back([request])

    def _prefix(self, request: LiveRequest) -> Prefix | None:
        """What need not be computed; None while a load is under way or the connector does not know yet."""
        if self.external and not self.external.is_ready(request, self.kv):
            return None
        if request.num_computed_tokens > 0:
            return [], 0, False  # it came back from a load
        hit = self.kv.cached_blocks(request)
        if not self.external:
            return hit, 0, False
        loaded, loads_async = self.external.num_new_matched_tokens(request, len(hit) * self.kv.block_size)
        return None if loaded is None else (hit, loaded, loads_async)

    def _allocate(self, request: LiveRequest, num_new_tokens: int, prefix: Prefix) -> bool:
        """Blocks for a request that waits so far; a load must leave those that prefills under way need."""
        hit, loaded, loads_async = prefix
        taken = self.kv.allocate(
            request,
            num_new_tokens,
            hit,
            loaded,
            joins=True,
            others_run=bool(self.running),
            full_prompt_must_fit=self.knobs.full_prompt_must_fit,
            reserved_blocks=self.external.reserved_blocks(self.kv) if self.external and loads_async else 0,
            enter=not loads_async,
        )
        if taken is not None and self.external:
            self.external.update_state_after_alloc(request, loaded)
        return taken is not None

    def _put_back(self, passed_over: list[LiveRequest]) -> None:
        holding = [r for r in passed_over if r.num_computed_tokens or r.status is WAITING_FOR_REMOTE_KVS]
        self.holding_kv.put_back(holding)
        self.waiting.put_back([request for request in passed_over if request not in holding])

    def end(self, request: LiveRequest, status: str = FINISHED_ABORTED) -> None:
        """End a request from outside; blocks that a load may still write are kept until it reports."""
        loading = request.status is WAITING_FOR_REMOTE_KVS
        for queue in (self.running, self.waiting, self.holding_kv):
            if request in queue:
                queue.remove(request)
        keep_blocks = loading and self.external is not None and not self.external.has_loaded(request)
        self._finish(request, status, keep_blocks)

    def _finish(self, request: LiveRequest, status: str, keep_blocks: bool = False) -> None:
        request.status = status
        self.head_is_blocked = False
        if self.external and (self.external.request_finished(request, self.block_size) or keep_blocks):
            self.external.kept.add(request)
        else:
            self.kv.free(request)

    def quiet_rounds(self, most: int) -> int:
        """How many steps from now on only repeat themselves."""
        served = self.running[: self.knobs.budget]
        is_full = len(self.running) >= min(self.knobs.budget, self.knobs.max_num_seqs)
        nobody_joins = is_full or self.head_is_blocked or not len(self.waiting)
        if self.external or not served or not nobody_joins:
            return 0
        return num_quiet_rounds(served, most, self.pool.num_free, self.block_size)

    def decode(self, rounds: int) -> list[LiveRequest]:
        """Take so many quiet steps at once; returns who was served in each."""
        served = self.running[: self.knobs.budget]
        decode(served, rounds, self.pool, self.block_size, self.kv.enter)
        return served
