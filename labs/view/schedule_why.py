"""Why the rounds of a run came out so: the first wait, cut, hit and preemption, in this run's values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from labs.engine.explain.waits import Wait
    from labs.engine.simulator import Round, Run, Work
    from labs.schedule import Params, Result


def why(result: Result, t: dict[str, str], lang: str) -> str:
    """The first events that the rule decided on, in the order of rounds; then the longest wait."""
    params, run = result.params, result.run
    reasons = [_first_cut(params, run, t), _first_hit(run, t), _first_preemption(params, run, t)]
    if result.waits is None:
        reasons.append(_first_wait(params, run, t))
    else:
        reasons += [_wait(wait, result, t, lang) for wait in result.waits]
    found = [reason for reason in reasons if reason is not None]
    said = [text for _, text in sorted(found, key=lambda reason: reason[0])]
    longest = max(outcome.waited_rounds for outcome in run.outcomes)
    if longest:
        names = [outcome.name for outcome in run.outcomes if outcome.waited_rounds == longest]
        said.append(t["why_most"].format(names=t["list"].join(names), waited=longest))
        if result.waits is None:
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


def lost_tokens(round: Round) -> dict[str, int]:
    """Tokens that failed loads took back from those that were served in a round."""
    external = round.columns.external if round.columns else None
    if external is None:
        return {}
    after = {state[0]: state[3] for state in external.after_update}
    running = [state for state in external.after_schedule if state[1] == "RUNNING"]
    return {name: count - after[name] for name, _, _, count, _ in running if after[name] < count}


def _first_wait(params: Params, run: Run, t: dict[str, str]) -> tuple[int, str] | None:
    round = next((round for round in run.rounds if round.waiting and round.work), None)
    return None if round is None else (round.round, _used_up(params, round, round.waiting, t))


def _used_up(params: Params, round: Round, names: Sequence[str], t: dict[str, str]) -> str:
    busy, waiting = t["list"].join(map(served, round.work)), t["list"].join(names)
    return t["why_wait"].format(round=round.round, busy=busy, waiting=waiting, budget=params.budget)


def _wait(wait: Wait, result: Result, t: dict[str, str], lang: str) -> tuple[int, str] | None:
    """What kept a request from more in a round, as the rule's own scheduler has it."""
    from labs.view.catalog.schedule_compare import TEXTS
    from labs.view.languages import texts
    from labs.view.schedule_compare import because

    params, limit = result.params, wait.limit
    if limit.kind == "budget":
        round = next(round for round in result.run.rounds if round.last >= wait.round)
        return wait.round, _used_up(params, round, [wait.request], t)
    if limit.kind in ("enough", "unknown", "preempted"):  # the last is told of itself
        return None
    values: dict[str, Any] = {"name": wait.request, "rule": params.rule}
    for key, value in limit.values.items():
        values[key] = t["list"].join(map(str, value)) if isinstance(value, tuple) else value
    lead = t["why_waits"].format(round=wait.round, name=wait.request)
    return wait.round, lead + because(limit.kind, values, texts(TEXTS, lang))


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
    others = len(round.work) + len(round.waiting) > 1
    budget_left = values["taken"] + item.tokens < params.budget
    if params.rule == "vllm" and others and budget_left and item.tokens == params.long_prefill_threshold:
        return t["why_cut_threshold"].format(**values)
    return t["why_cut" if before else "why_cut_alone"].format(**values)


def _first_hit(run: Run, t: dict[str, str]) -> tuple[int, str] | None:
    """The first tokens that need not be computed, or that a load promised and did not bring."""
    for round in run.rounds:
        lost = lost_tokens(round)
        if lost:
            name, tokens = next(iter(lost.items()))
            return round.round, t["why_lost"].format(round=round.round, name=name, tokens=tokens)
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
