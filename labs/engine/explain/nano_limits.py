"""What kept a request from getting more tokens in a step of nano-vllm (see `labs.engine.explain.limits`)."""

from __future__ import annotations

from labs.base import Record
from labs.engine.blocks import num_blocks
from labs.engine.explain.limits import BUDGET, ENOUGH, UNKNOWN, Limit, behind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.explain.limits import Step
    from labs.engine.rules.nano_vllm import NanoScheduler
    from labs.engine.run.live_request import LiveRequest


def nano_limit(scheduler: NanoScheduler, step: Step, request: LiveRequest) -> Limit:
    """Under nano-vllm, after `schedule` and before `update_from_output`."""
    scheduled = step.decision.num_scheduled_tokens
    prefills = [other for other in scheduled if other in step.waiting]
    if request in step.decision.preempted:
        return Limit("preempted", {"kv_blocks": scheduler.pool.num_blocks})
    if request in scheduled:
        return ENOUGH if request.num_computed_tokens == request.num_tokens else BUDGET
    if request in step.running and prefills:
        return Limit("phases", {"prefills": tuple([other.name for other in prefills])})
    if prefills and step.left == 0:
        return BUDGET
    if (prefills or request in step.running) and len(scheduled) >= scheduler.max_num_seqs:
        return Limit("max_num_seqs", {"max_num_seqs": scheduler.max_num_seqs})
    if request in step.running:
        return UNKNOWN
    head = next(other for other in step.waiting if other not in scheduled)
    own = _nano_no_room(scheduler, step, request, bool(prefills))
    if own is not None or head is request:
        return own or UNKNOWN
    cause = _nano_no_room(scheduler, step, head, bool(prefills))
    return behind(head, cause) if cause else UNKNOWN


class NanoNeeds(Record):
    """What a prompt asks of nano-vllm's pool: blocks hit, those of them that somebody holds, free blocks."""

    hit_blocks: int
    shared_blocks: int
    free: int


def nano_needs(scheduler: NanoScheduler, request: LiveRequest) -> NanoNeeds:
    """As the scheduler reckons it now, for a request that holds no blocks."""
    last = num_blocks(request.num_tokens, scheduler.block_size) - 1
    hit = []
    if scheduler.prefix_caching:
        hit = scheduler.pool.hit(request.keys.between(0, last), request.keys.contents(0, last))
    return NanoNeeds(len(hit), scheduler.pool.num_in_use_among(hit), scheduler.pool.num_free)


def _nano_no_room(scheduler: NanoScheduler, step: Step, request: LiveRequest, follows: bool) -> Limit | None:
    """What keeps a request out that stands in front; `follows` says that a prefill comes before it."""
    if request.block_table:
        return None  # it was cut, so it holds all its blocks
    size, known = scheduler.block_size, request.num_tokens
    needs = nano_needs(scheduler, request) if follows else (step.needs_before or {})[request]
    need, left = known - needs.hit_blocks * size, step.left if follows else step.budget
    needed = num_blocks(known, size) - needs.shared_blocks
    if needed <= needs.free:
        return Limit("first_only", {"need": need, "left": left}) if follows and need > left else None
    values = {"needed": needed, "free": needs.free, "kv_blocks": scheduler.pool.num_blocks}
    chunk = num_blocks(needs.hit_blocks * size + min(need, left), size) - needs.shared_blocks
    if chunk > needs.free or (follows and need > left):
        return Limit("no_block", values)
    return Limit("gate", {**values, "known": known, "chunk_blocks": chunk, "watermark_blocks": 0})
