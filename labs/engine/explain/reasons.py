"""The reason why one round differs under two rules, out of two scenes of it (see `compare` beside it)."""

from __future__ import annotations

from labs.base import Record
from labs.engine.explain.limits import CONSEQUENCES, Limit
from labs.engine.explain.scene import round_at
from labs.engine.simulator import DECODE, PREFILL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from labs.engine.explain.scene import Place, Scene
    from labs.engine.simulator import Run

# Orders of service, the more telling first: of two rules' orders the first of these names the reason.
ORDERS = (
    *("decodes_first", "prefills_first", "priority", "resumed_first"),
    *("running_first", "admission_order", "list_order"),
)
SIDES = ("ours", "theirs")


class Reason(Record):
    """A kind, the side whose rule it is (None: neither's), the request that shows it, and figures."""

    kind: str
    side: str | None
    request: str | None
    values: Mapping[str, object]


NOTHING = Reason("none", None, None, {})


def not_shown(name: str) -> Reason:
    """Of no single rule it can be shown that it decides."""
    return Reason("order", None, name, {})


def end_of_run(ours: Run, theirs: Run, number: int) -> Reason | None:
    """If one run has ended before this round: cut off, or stuck for ever, or the other only idles on."""
    for side, run in zip(SIDES, (ours, theirs)):
        left = tuple([outcome.name for outcome in run.outcomes if not outcome.ended])
        if run.num_rounds < number and left:
            kind = "cut_off" if run.stuck is None else "stuck"
            return Reason(kind, side, left[0], {"rounds": run.num_rounds, "unfinished": left})
    rounds = [round_at(run.rounds, number) for run in (ours, theirs)]
    if not any(round.work for round in rounds if round):
        return Reason("idle", SIDES[rounds[0] is None], None, {})
    return None


def reason_for(ours: Scene, theirs: Scene, names: Sequence[str]) -> Reason:
    """Why the tokens of these requests differ."""
    found: list[tuple[tuple[bool, bool, int, int], Reason]] = []
    for side, mine, other in ((SIDES[0], ours, theirs), (SIDES[1], theirs, ours)):
        for arrival, name in enumerate(names):
            got = mine.got(name)
            cause = _cause(name, mine, other, side) if got <= other.got(name) else None
            if cause is not None:
                place = other.order.index(name) if name in other.order else len(other.order)
                found.append(((cause.kind in CONSEQUENCES, got > 0, place, arrival), cause))
    if found:
        return min(found, key=lambda ranked: ranked[0])[1]
    reason = _budget_reason(ours, theirs, names)
    return _by_preemption(ours, theirs, names) or reason if reason.kind == "order" else reason


def _by_preemption(ours: Scene, theirs: Scene, names: Sequence[str]) -> Reason | None:
    """A preemption that kept somebody from tokens, though the budget might have as well."""
    for side, mine in zip(SIDES, (ours, theirs)):
        for name in names:
            limit = mine.places[name].limit.values.get("or_else") if name in mine.places else None
            if isinstance(limit, Limit):
                return Reason(limit.kind, side, name, limit.values)
    return None


def _cause(name: str, mine: Scene, other: Scene, side: str) -> Reason | None:
    """Why a request gets no more under this rule, unless it is the end of the budget."""
    changed = _changed_before(name, mine, other, side)
    place = mine.places.get(name)
    if place is None or place.ended is not None or (changed is not None and changed.kind == "recompute"):
        return changed
    if place.limit.kind == "enough":
        return changed
    if place.limit.kind == "budget":  # what went before matters only if it made another order of service
        return changed if changed is not None and place.phase != other.places[name].phase else None
    return None if place.limit.kind == "unknown" else Reason(place.limit.kind, side, name, place.limit.values)


def _changed_before(name: str, mine: Scene, other: Scene, side: str) -> Reason | None:
    """What sets a request apart without being seen: a preemption, tokens found in the cache, its end."""
    a, b = mine.places.get(name), other.places.get(name)
    if a is None or b is None:
        return None
    same = (a.known, a.computed, a.ended is None) == (b.known, b.computed, b.ended is None)
    other_side = SIDES[1 - SIDES.index(side)]
    rounds = mine.preempted_in.get(name, 0), other.preempted_in.get(name, 0)
    if not same and rounds[0] != rounds[1]:
        later = rounds[1] > rounds[0]
        place = b if later else a
        values = {"round": max(rounds), "known": place.known}
        return Reason("recompute", other_side if later else side, name, values)
    if a.found != b.found:
        more = b.found > a.found
        place, fewer = (b, a) if more else (a, b)
        kind = "external_hit" if place.loaded else "hit"
        values = {"tokens": place.found, "loaded": place.loaded, "instead_of": fewer.found}
        return Reason(kind, other_side if more else side, name, values)
    if a.ended is not None and b.ended is None:
        return Reason(
            "ended", side, name, {"how": a.ended, "max_model_len": mine.setting.knobs.max_model_len}
        )
    return None


def _budget_reason(ours: Scene, theirs: Scene, names: Sequence[str]) -> Reason:
    """All that got less met the end of the budget: another budget, tokens that do not count, or the order."""
    scenes = ours, theirs
    fewer = [
        tuple([name for name in mine.order_of(names) if mine.got(name) < other.got(name)])
        for mine, other in (scenes, scenes[::-1])
    ]
    met_the_end = [mine.all_met_the_budget(less) for mine, less in zip(scenes, fewer)]
    budgets = [mine.setting.knobs.budget for mine in scenes]
    for i in (0, 1):
        if met_the_end[i] and fewer[i] and not fewer[1 - i]:
            spent = sum([scenes[1 - i].got(name) for name in scenes[1 - i].order])
            values = {"budget": budgets[i], "other_budget": budgets[1 - i], "spent": spent, "less": fewer[i]}
            if scenes[1 - i].setting.rule == "nano-vllm" and spent > budgets[1 - i]:
                return Reason("decodes_uncounted", SIDES[1 - i], fewer[i][0], values)
            if budgets[i] < budgets[1 - i]:
                return Reason("budget", SIDES[i], fewer[i][0], values)
    if all(fewer) and all(met_the_end) and budgets[0] == budgets[1]:
        return _order_reason(ours, theirs, ours.order_of(fewer[1]), theirs.order_of(fewer[0]))
    return not_shown(names[0])


def reason_for_order(ours: Scene, theirs: Scene, names: Sequence[str]) -> Reason:
    """Why the same tokens are handed out in another order."""
    place = next(i for i, pair in enumerate(zip(ours.order, theirs.order)) if pair[0] != pair[1])
    return _order_reason(ours, theirs, ours.order[place : place + 1], theirs.order[place : place + 1])


def _order_reason(
    ours: Scene, theirs: Scene, our_first: tuple[str, ...], their_first: tuple[str, ...]
) -> Reason:
    """Ours serves `our_first` before the others, theirs the other way round: by which order each?"""
    kinds = [_order(ours, our_first[0], their_first[0]), _order(theirs, their_first[0], our_first[0])]
    if kinds[0] == kinds[1] or None in kinds:
        return not_shown(our_first[0])
    decides = min((0, 1), key=lambda i: ORDERS.index(kinds[i] or ""))
    firsts = our_first, their_first
    scenes = ours, theirs
    values = {
        "budget": scenes[decides].setting.knobs.budget,
        "first": firsts[decides],
        "other_first": firsts[1 - decides],
        "other_order": kinds[1 - decides],
    }
    return Reason(kinds[decides] or "", SIDES[decides], firsts[decides][0], values)


def _order(scene: Scene, first: str, later: str) -> str | None:
    """The order in which a rule serves the first of two requests before the other."""
    a, b, rule = scene.places.get(first), scene.places.get(later), scene.setting.rule
    if a is None or b is None:
        return None
    if rule in ("vllm", "nano-vllm"):
        return _engine_order(a, b, by_priority=rule == "vllm" and scene.setting.knobs.policy == "priority")
    if rule == "decode-first" and (a.phase, b.phase) == (DECODE, PREFILL):
        return "decodes_first"
    if rule == "prefill-first" and (a.phase, b.phase) == (PREFILL, DECODE):
        return "prefills_first"
    known = rule in ("decode-first", "prefill-first", "static")
    return "list_order" if known and a.phase == b.phase else None


def _engine_order(first: Place, later: Place, by_priority: bool) -> str | None:
    """Who runs comes before who waits; the queue is by arrival, but for those that were preempted."""
    if first.runs or later.runs:
        return ("admission_order" if later.runs else "running_first") if first.runs else None
    if by_priority and first.priority != later.priority:
        return "priority"
    if first.resumes and not later.resumes and not by_priority:
        return "resumed_first"
    plain = not (first.resumes or later.resumes or first.loaded or later.loaded)
    return "list_order" if plain or by_priority else None
