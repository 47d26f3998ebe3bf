"""What holds of every right run, looked for in its records: the first step that breaks it, or None.

    loaded            a block that is hit holds KV that was computed or has been loaded
    budget            no budget is left over while the first in the queue could be admitted
    first_admissions  the prefix cache's counters grow by a request's first admission only
    pool              blocks held <= blocks of the pool
    gaps              TPOT x (outputs - 1) = round of the last output - round of the first
    fits              nobody is preempted, or waits for ever, with the whole pool to itself

Those of look-ups (logits, prefix) stand in `labs.bugs.look_up`.
Does not model: an engine's own assertions.
"""

from __future__ import annotations

from labs.bugs import Break
from labs.bugs.account import Account, Case, followed
from labs.engine.blocks import num_blocks
from labs.engine.run.engines import watermark_blocks
from labs.engine.run.live_request import WAITING_FOR_REMOTE_KVS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from labs.engine.simulator import Round


def loaded(case: Case, account: Account) -> Break | None:
    """The blocks of a load are there once the workers have reported it, and its request runs."""
    local: dict[str, int] = {}  # tokens that a loading request has hit, and does not load
    for round in account.run.rounds:
        external = round.columns.external if round.columns else None
        if external is None:
            return None
        calls: tuple[tuple[Any, ...], ...] = external.calls
        for kind, *told in calls:
            if kind == "get_num_new_matched_tokens":
                local[told[0]] = told[1]
        tables = {name: table for name, _, _, _, table in external.after_schedule}
        loading = {
            block: name
            for name, status, _, _, table in external.after_schedule
            if status == WAITING_FOR_REMOTE_KVS
            for block in table[local[name] // case.knobs.block_size :]
        }
        for item in round.admitted:
            early = [block for block in tables[item.request] if block in loading]
            if early:
                owner = loading[early[0]]
                reported = round_of_report(case, owner, round.round)
                how = "unreported" if reported is None else "reported"
                values = {"name": item.request, "blocks": early, "owner": owner, "hit": item.cached_tokens}
                return Break(round.round, {"how": how, **values, "reported": reported})
    return None


def round_of_report(case: Case, name: str, round: int) -> int | None:
    """The round after which a load is reported; None for never."""
    reports = case.external.reports if case.external else {}
    later = [step for step, report in reports.items() if step >= round and name in report.finished_recving]
    return min(later, default=None)


def budget(case: Case, account: Account) -> Break | None:
    """Where blocks and a place are free, only the budget may keep the first in the queue waiting."""
    knobs, run = case.knobs, account.run
    if case.external is not None or not knobs.chunked_prefill:
        return None
    for seen in followed(case, run):
        round = seen.played
        queue = round.columns.waiting_after_schedule if round.columns else ()
        if not queue or not round.unused_budget or round.preempted:
            continue
        name = queue[0]
        running = len(round.work) + len(round.waiting) - len(queue)
        if running < knobs.max_num_seqs and _has_room(case, round, seen.known[name]):
            values = {"name": name, "unused": round.unused_budget, "tokens": seen.known[name]}
            return Break(round.round, {**values, "budget": knobs.budget})
    return None


def _has_room(case: Case, round: Round, tokens: int) -> bool:
    """Whether all tokens of somebody who waits would fit in free blocks, hits left out of account."""
    knobs = case.knobs
    if knobs.kv_blocks is None or round.used_blocks is None:
        return True
    num_free = knobs.kv_blocks - round.used_blocks - watermark_blocks(knobs)
    return num_blocks(tokens, knobs.block_size) <= num_free


def first_admissions(case: Case, account: Account) -> Break | None:
    """The counters after each admission are those of first admissions so far."""
    queries = hits = 0
    counts = iter(account.counts)
    for admission in [each for seen in followed(case, account.run) for each in seen.admissions]:
        count = next(counts, None)
        if count is None:
            return None
        if not admission.again:
            queries += admission.known
            hits += admission.hit
        if (count.queries, count.hits) != (queries, hits):
            counted = {"counted_queries": count.queries, "counted_hits": count.hits}
            values = {"name": admission.request, "known": admission.known, "hit": admission.hit}
            return Break(admission.round, {**values, "queries": queries, "hits": hits, **counted})
    return None


def pool(case: Case, account: Account) -> Break | None:
    """Each request's last block counts whole."""
    most, size = case.knobs.kv_blocks, case.knobs.block_size
    for round in account.run.rounds:
        used, columns = round.used_blocks, round.columns
        if most is None or used is None or used <= most or columns is None:
            continue
        names = [work.request for work in round.work]
        tokens = [before + work.tokens for before, work in zip(columns.computed_before, round.work)]
        values = {"names": names, "tokens": tokens, "held": list(map(len, columns.block_tables))}
        counts = {"total": sum(tokens), "pooled": num_blocks(sum(tokens), size), "size": size}
        return Break(round.round, {**values, **counts, "used": used, "blocks": most})
    return None


def gaps(case: Case, account: Account) -> Break | None:
    """Between n outputs lie n - 1 gaps."""
    for place, tpot in enumerate(account.tpots, 1):
        if tpot.rounds is not None and tpot.rounds * (tpot.outputs - 1) != tpot.last - tpot.first:
            return Break(place, {**tpot.as_dict(), "gaps": tpot.outputs - 1, "span": tpot.last - tpot.first})
    return None


def fits(case: Case, account: Account) -> Break | None:
    """Who does not fit in the whole pool never will."""
    blocks, size, run = case.knobs.kv_blocks, case.knobs.block_size, account.run
    if blocks is None or case.external is not None:
        return None
    endless = [request.name for request in case.requests if request.decode is None]  # nobody can refuse them
    for seen in followed(case, run):
        round, how = seen.played, "preempted"
        suspects = [name for name in round.preempted if name not in endless]
        if run.stuck == round.round and run.blocked is not None and run.blocked.request not in endless:
            suspects, how = suspects or [run.blocked.request], "preempted" if suspects else "waits"
        for name in suspects:
            needed = num_blocks(seen.known[name], size)
            if needed > blocks:
                values = {"how": how, "name": name, "tokens": seen.known[name], "needed": needed}
                return Break(round.round, {**values, "blocks": blocks, "size": size})
    return None


OF_RUNS: dict[str, Callable[[Case, Account], Break | None]] = {
    "loaded": loaded,
    "budget": budget,
    "first_admissions": first_admissions,
    "pool": pool,
    "gaps": gaps,
    "fits": fits,
}
READ_TABLES = ("loaded", "budget", "pool")  # these look into a run's tables
