"""Why the rounds of a run came out so: the first wait, cut, hit and preemption, in this run's values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.engine.simulator import Round, Run, Work
    from labs.schedule import Params


def why(params: Params, run: Run, t: dict[str, str]) -> str:
    """The first events that the rule decided on, in the order of rounds; then the longest wait."""
    reasons = [_first_wait(params, run, t), _first_cut(params, run, t), _first_hit(run, t)]
    reasons += [_first_preemption(params, run, t)]
    found = [reason for reason in reasons if reason is not None]
    said = [text for _, text in sorted(found, key=lambda reason: reason[0])]
    longest = max(outcome.waited_rounds for outcome in run.outcomes)
    if longest:
        names = [outcome.name for outcome in run.outcomes if outcome.waited_rounds == longest]
        said.append(t["why_most"].format(names=t["list"].join(names), waited=longest))
        if params.rule in ("decode-first", "prefill-first"):
            said.append(t["why_leftover"])
    used = [round.used_blocks for round in run.rounds if round.used_blocks is not None]
    if used and max(used) > 0:
        text = t["why_peak_of" if params.kv_blocks is not None else "why_peak"]
        said.append(text.format(used=max(used), blocks=params.kv_blocks))
    if not said:
        widest = max(params.budget - round.unused_budget for round in run.rounds)
        said.append(t["why_fits"].format(budget=params.budget, widest=widest))
    return t["join"].join(said)


def served(work: Work) -> str:
    """One request's share of a round, as the course writes it."""
    return f"{work.request} {work.phase} {work.tokens}"


def _first_wait(params: Params, run: Run, t: dict[str, str]) -> tuple[int, str] | None:
    round = next((round for round in run.rounds if round.waiting and round.work), None)
    if round is None:
        return None
    values = {
        "round": round.round,
        "busy": t["list"].join(map(served, round.work)),
        "waiting": t["list"].join([n for n in round.waiting if n not in round.preempted] or round.waiting),
        "budget": params.budget,
        "max_num_seqs": params.max_num_seqs,
        "unused": round.unused_budget,
    }
    return round.round, t[_wait_reason(params, run, round)].format(**values)


def _wait_reason(params: Params, run: Run, round: Round) -> str:
    """What held up those who got nothing, as far as the round itself shows it."""
    phases = {item.phase for item in round.work}
    if params.rule == "nano-vllm" and phases == {"prefill"} and _anybody_decodes(run, round):
        return "why_wait_phase"
    if params.rule == "nano-vllm" and len(round.work) >= params.max_num_seqs:
        return "why_wait_seqs"  # its decodes do not count against the budget
    if round.unused_budget <= 0:
        return "why_wait"
    if params.rule == "static":
        return "why_wait_batch"
    if round.preempted:
        return "why_wait_preempted"
    if len(round.work) >= params.max_num_seqs and params.rule == "vllm":
        return "why_wait_seqs"
    if params.external is not None:
        return "why_wait_external"
    return "why_wait_blocks" if params.kv_blocks is not None else "why_wait_other"


def _anybody_decodes(run: Run, round: Round) -> bool:
    """Whether somebody who waits in a round decodes the next time it is served."""
    later = [item for other in run.rounds if other.round > round.round for item in other.work]
    first = {item.request: item.phase for item in reversed(later)}
    return any(first.get(name) == "decode" for name in round.waiting)


def _first_cut(params: Params, run: Run, t: dict[str, str]) -> tuple[int, str] | None:
    """The first prefill that got less than it still needed, and what was served before it."""
    left: dict[str, int] = {request.name: request.prefill for request in params.requests}
    for round in run.rounds:
        for began in round.admitted:
            left[began.request] -= began.cached_tokens
        for place, item in enumerate(round.work):
            if item.request in round.preempted or item.phase != "prefill":
                continue
            if item.tokens < left[item.request]:
                return round.round, _cut(params, round, place, left[item.request], t)
            left[item.request] -= item.tokens
        if round.preempted:
            return None  # from here on prefills are computed again
    return None


def _cut(params: Params, round: Round, place: int, left: int, t: dict[str, str]) -> str:
    item, before = round.work[place], round.work[:place]
    values: dict[str, Any] = {
        "round": round.round,
        "name": item.request,
        "tokens": item.tokens,
        "left": left,
        "budget": params.budget,
        "threshold": params.long_prefill_threshold,
        "before": t["list"].join(map(served, before)),
        "taken": sum([other.tokens for other in before]),
    }
    if params.rule == "vllm" and item.tokens == params.long_prefill_threshold:
        return t["why_cut_threshold"].format(**values)
    return t["why_cut" if before else "why_cut_alone"].format(**values)


def _first_hit(run: Run, t: dict[str, str]) -> tuple[int, str] | None:
    for round in run.rounds:
        for item in round.admitted:
            if item.cached_tokens:
                tokens = {work.request: work.tokens for work in round.work}[item.request]
                values = {"name": item.request, "cached": item.cached_tokens, "tokens": tokens}
                return round.round, t["why_hit"].format(round=round.round, **values)
    return None


def _first_preemption(params: Params, run: Run, t: dict[str, str]) -> tuple[int, str] | None:
    round = next((round for round in run.rounds if round.preempted), None)
    if round is None:
        return None
    name = round.preempted[0]
    again = next(
        (
            (later.round, item.cached_tokens)
            for later in run.rounds
            for item in later.admitted
            if item.request == name and later.round > round.round
        ),
        None,
    )
    values = {"round": round.round, "name": name, "blocks": params.kv_blocks}
    text = t["why_preempted"].format(**values)
    if again is not None:
        text += t["why_resumed"].format(name=name, round=again[0], cached=again[1])
    return round.round, text
