"""What kept a request from getting more tokens in a round, by the rule that decided.

A limit is named only where it holds by itself: if everything else were out of the way, the request would
still get no more. `enough` is none (all known tokens are computed). `budget` means that those served before
took what there was, so that the order of service counts; it is said too where another limit would have held
if the budget had not. Nothing here changes the scheduler that it reads.
Source: the rules themselves, each named in its module.
"""

from __future__ import annotations

from labs.base import Record
from labs.engine.blocks import num_blocks
from labs.engine.run.live_request import WAITING_FOR_REMOTE_KVS
from labs.engine.simulator import DECODE, PREFILL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labs.engine.explain.nano_limits import NanoNeeds
    from labs.engine.knobs import Knobs
    from labs.engine.rules.lecture import State
    from labs.engine.rules.vllm import VllmScheduler
    from labs.engine.run.decision import Decision
    from labs.engine.run.live_request import LiveRequest
    from labs.engine.simulator import Work

# A round that is short of blocks for those that run holds up others too; so does whoever waits in front.
CONSEQUENCES = ("head_of_line", "no_admission", "loop_ended")


class Limit(Record):
    """A kind, and this round's figures for it: tokens, blocks, names."""

    kind: str
    values: Mapping[str, object]


ENOUGH, BUDGET, UNKNOWN = Limit("enough", {}), Limit("budget", {}), Limit("unknown", {})


class Step(Record):
    """An engine's step: the decision, and who ran and who waited, in their order, before it.

    `lacked` are the tokens that those that ran had still to compute, `left` is the budget that was not used.
    `needs_before` is what nano-vllm asked of its pool for those that waited. `calls` are the scheduler's
    calls of the connector in this step, `earlier_calls` those before.
    """

    decision: Decision
    running: Sequence[LiveRequest]
    waiting: Sequence[LiveRequest]
    lacked: Mapping[LiveRequest, int]
    budget: int
    left: int
    needs_before: Mapping[LiveRequest, NanoNeeds] | None = None
    calls: Sequence[tuple[object, ...]] = ()
    earlier_calls: Sequence[tuple[object, ...]] = ()

    def left_after(self, request: LiveRequest) -> int:
        """The budget that was left when this request had been served."""
        scheduled = self.decision.num_scheduled_tokens
        served = list(scheduled)
        return self.budget - sum([scheduled[other] for other in served[: served.index(request) + 1]])

    def spare(self, request: LiveRequest) -> int:
        """What would be left of the budget for a request if nobody had been preempted.

        Running requests take what they lack in their order, and before all that wait.
        """
        preempted, scheduled = self.decision.preempted, self.decision.num_scheduled_tokens
        if request not in self.running:
            return self.left - sum([self.lacked[other] for other in preempted])
        first = self.running[: self.running.index(request)]
        taken = sum(
            [self.lacked[other] if other in preempted else scheduled.get(other, 0) for other in first]
        )
        return self.budget - taken

    def unless_budget(self, request: LiveRequest, limit: Limit) -> Limit:
        """A limit that a preemption sets, or the budget, if it would have ended before the request."""
        return limit if self.spare(request) > 0 else Limit("budget", {"or_else": limit})

    def names_preempted(self) -> tuple[str, ...]:
        return tuple([request.name for request in self.decision.preempted])


def lecture_limit(state: State, states: Sequence[State], work: Sequence[Work], left: int) -> Limit:
    """Under rules that look at phases and the budget only."""
    got = next((item.tokens for item in work if item.request == state.name), 0)
    if got == (state.prefill_left or 1):
        return ENOUGH
    return BUDGET if left == 0 else UNKNOWN


def static_limit(state: State, states: Sequence[State], work: Sequence[Work], left: int) -> Limit:
    """Under static: a batch is closed, and prefills before it decodes."""
    prefills = tuple([item.request for item in work if item.phase == PREFILL])
    if not state.joined and not (prefills and left == 0):
        return Limit("batch_closed", {"batch": tuple([other.name for other in states if other.joined])})
    if state.joined and state.phase == DECODE and prefills:
        return Limit("batch_prefills", {"prefills": prefills})
    return lecture_limit(state, states, work, left)


def vllm_limit(scheduler: VllmScheduler, step: Step, request: LiveRequest) -> Limit:
    """Under vllm, after `schedule` and before `update_from_output`."""
    decision, kv_blocks = step.decision, scheduler.pool.num_blocks
    got = decision.num_scheduled_tokens.get(request, 0)
    if request in decision.preempted:
        return step.unless_budget(request, Limit("preempted", {"kv_blocks": kv_blocks}))
    if got:
        cap = _cap(scheduler.knobs, step)
        if request.num_computed_tokens == request.num_tokens:
            return ENOUGH
        if got == cap and step.left_after(request) > 0:
            need = request.num_tokens - request.num_computed_tokens + got
            return Limit("threshold", {"threshold": cap, "need": need})
        return BUDGET
    if request in step.running:
        if step.left == 0 or not decision.preempted:
            return BUDGET if step.left == 0 else UNKNOWN
        ended = {"preempted": step.names_preempted(), "kv_blocks": kv_blocks}
        return step.unless_budget(request, Limit("loop_ended", ended))
    return _vllm_admission(scheduler, step, request)


def _cap(knobs: Knobs, step: Step) -> int | None:
    """What the long-prefill threshold allows a request, unless it is alone."""
    several = len(step.running) + len(step.waiting) > 1
    return knobs.long_prefill_threshold if knobs.long_prefill_threshold and several else None


def _vllm_admission(scheduler: VllmScheduler, step: Step, request: LiveRequest) -> Limit:
    """Why a request that waits was not admitted."""
    unknown = {call[1] for call in step.calls if call[0] == "get_num_new_matched_tokens" and call[3] is None}
    if request.status is WAITING_FOR_REMOTE_KVS:
        return Limit("loading", {})
    if request.name in unknown:
        return Limit("unknown_answer", {})
    if step.left == 0:
        return BUDGET
    if step.decision.preempted:
        values = {"preempted": step.names_preempted(), "kv_blocks": scheduler.pool.num_blocks}
        return step.unless_budget(request, Limit("no_admission", values))
    if len(scheduler.running) >= scheduler.knobs.max_num_seqs:
        return Limit("max_num_seqs", {"max_num_seqs": scheduler.knobs.max_num_seqs})
    own = _vllm_no_room(scheduler, step, request)
    if own is not None:
        return own
    for head in (*scheduler.holding_kv, *scheduler.waiting):
        if head is request:
            break
        if head.status is not WAITING_FOR_REMOTE_KVS and head.name not in unknown:
            cause = _vllm_no_room(scheduler, step, head)
            return behind(head, cause) if cause else UNKNOWN
    return UNKNOWN


def _vllm_no_room(scheduler: VllmScheduler, step: Step, request: LiveRequest) -> Limit | None:
    """What keeps a request out that stands in front; the sums of `KVManager.allocate`."""
    knobs, kv = scheduler.knobs, scheduler.kv
    hit = [] if request.num_computed_tokens else kv.cached_blocks(request)
    loaded, loads_async = 0, False
    for call in step.calls:
        if call[:2] == ("get_num_new_matched_tokens", request.name) and isinstance(call[3], int):
            loaded, loads_async = call[3], bool(call[4] and call[3])
    computed = request.num_computed_tokens + len(hit) * kv.block_size + loaded
    need = request.num_tokens - computed
    tokens = 0 if loads_async else min(need, _cap(knobs, step) or need)
    if tokens > step.left and not knobs.chunked_prefill:
        return Limit("chunking_off", {"need": tokens, "left": step.left})
    held = len(request.block_table) + len(hit) - kv.pool.num_free_among(hit)  # free ones leave the queue
    end = computed + min(tokens, step.left)
    whole, chunk = [max(num_blocks(most, kv.block_size) - held, 0) for most in (request.num_tokens, end)]
    gate = whole if knobs.full_prompt_must_fit else 0
    margin = kv.watermark_blocks if scheduler.running else 0
    reserved = scheduler.external.reserved_blocks(kv) if scheduler.external and loads_async else 0
    free = kv.pool.num_free

    def fits(gate: int, margin: int) -> bool:
        return gate + margin <= free and chunk + margin <= free - reserved

    if fits(gate, margin):
        return None
    blocks = {"needed": max(gate, chunk), "free": free - reserved, "kv_blocks": kv.pool.num_blocks}
    if fits(0, margin):
        known = request.num_tokens
        return Limit("gate", {**blocks, "known": known, "chunk_blocks": chunk, "watermark_blocks": margin})
    return (
        Limit("watermark", {**blocks, "watermark_blocks": margin})
        if fits(gate, 0)
        else Limit("no_block", blocks)
    )


def behind(head: LiveRequest, cause: Limit) -> Limit:
    """A request may not overtake one in front of it, which has this cause to wait."""
    return Limit("head_of_line", {"head": head.name, "cause": cause.kind, **cause.values})
