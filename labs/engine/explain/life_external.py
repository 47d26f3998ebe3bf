"""The part of a request's life that an external KV store has in it; see `labs.engine.explain.life`.

    asked     tokens that the store has beyond those hit here, None: not known yet; in each of the rounds
    loading   tokens under way into blocks just allocated; not asynchronous: before this round's computing
    loaded    the load has ended, with so many tokens usable, those hit here among them
    failed    a load lost something; so many tokens are still good

The order within a round is that of the scheduler's calls of its connector, then of what the workers report.
"""

from __future__ import annotations

from labs.engine.run.live_request import WAITING_FOR_REMOTE_KVS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from labs.engine.explain.life import Walk
    from labs.engine.run.columns import ExternalColumns
    from labs.engine.simulator import Round

REASONS = {
    "FINISHED_STOPPED": "stop",
    "FINISHED_LENGTH_CAPPED": "length",
    "FINISHED_ABORTED": "abort",
    "FINISHED_ERROR": "error",
}


def play(walk: Walk, round: Round, following: Sequence[Round]) -> None:
    """Note a round; whether an aborted request's blocks are kept shows only in the one after it."""
    assert round.columns is not None
    external = round.columns.external
    assert external is not None
    admitted = {item.request for item in round.admitted}
    walk.serve(round, [n for n, item in enumerate(round.work) if item.request not in admitted])
    loads_at_once = _admissions(walk, round, external)
    _update(walk, round, external, loads_at_once)
    later = following[0].columns.external if following and following[0].columns else None
    outlives = {
        call[1] for call in (later.calls if later else ()) if call[0] == "request_finished" and call[3]
    }
    status = {name: status for name, status, *_ in external.after_update}
    for name in round.aborted:
        still_loading = status[name] == WAITING_FOR_REMOTE_KVS and name not in walk.reported
        walk.finish(round.last, name, "abort", still_loading or name in outlives)


def _admissions(walk: Walk, round: Round, external: ExternalColumns) -> list[str]:
    """From the waiting queues, in the order of calls; returns those that a synchronous load is for."""
    states: dict[str, Any] = {name: facts for name, *facts in external.after_schedule}
    places = {item.request: place for place, item in enumerate(round.work)}
    hit_tokens: dict[str, int] = {}
    at_once = []
    for call in external.calls:
        name = str(call[1])
        if call[0] == "get_num_new_matched_tokens":
            if name in walk.lost:  # its load brought nothing, and what it held for that is of no use
                walk.lost.discard(name)
                walk.ledger.give_back(round.round, name)
            walk.reported.discard(name)
            hit_tokens[name], tokens, asynchronous = call[2:]  # type: ignore[assignment]
            answer = (hit_tokens[name], tokens, asynchronous)
            facts = dict(zip(("cached_tokens", "tokens", "asynchronous"), answer))
            walk.ledger.note_rounds(round.round, round.last, name, "asked", answer, **facts)
        elif call[0] == "update_state_after_alloc":
            walk.reported.discard(name)
            asynchronous = states[name][0] == WAITING_FOR_REMOTE_KVS
            num_cached = hit_tokens.get(name, 0) // walk.block_size
            if name in round.resumed:
                walk.ledger.note(round.round, name, "resumed")
            new = states[name][3][walk.ledger.num_held(name) :]
            if new:
                walk.ledger.allocate(round.round, name, new, num_cached)
            if call[3]:
                walk.ledger.note(round.round, name, "loading", tokens=call[3], asynchronous=asynchronous)
            if name in places:
                walk.compute(round, places[name], 0)
                at_once += [name] if call[3] else []
    return at_once


def _update(walk: Walk, round: Round, external: ExternalColumns, loads_at_once: Sequence[str]) -> None:
    """After the computing: what was lost, who has finished, whose loads and saves have ended."""
    report, ledger, number = external.report, walk.ledger, round.last
    before = {name: (status, computed) for name, status, _, computed, _ in external.after_schedule}
    after = {name: (status, computed) for name, status, _, computed, _ in external.after_update}
    lost_whole = report.failed_recving if report else ()
    for name, (status, computed) in after.items():
        ends = status == "FINISHED_ERROR" and name in walk.there
        if name in walk.there and (computed < before[name][1] or ends):
            good = 0 if name in lost_whole else computed
            ledger.note(number, name, "failed", tokens=good)
            ledger.computed[name] = good
            if status == WAITING_FOR_REMOTE_KVS and good == 0:
                walk.lost.add(name)
        elif name in loads_at_once:
            items = [item for item in round.admitted if item.request == name]
            ledger.note(number, name, "loaded", tokens=items[0].cached_tokens)
    for call in external.calls:
        name = str(call[1])
        if call[0] == "request_finished" and name in round.finished:
            loading = before[name][0] == WAITING_FOR_REMOTE_KVS and name not in walk.reported
            walk.finish(number, name, REASONS[after[name][0]], bool(call[3]) or loading)
    for name in (*report.finished_recving, *report.finished_sending) if report else ():
        if after[name][0] != WAITING_FOR_REMOTE_KVS:
            ledger.give_back(number, name)
        elif name not in walk.reported:
            ledger.note(number, name, "loaded", tokens=after[name][1])
            walk.reported.add(name)
