"""Broken runs of the sheet `bugs` in print.

    1: A prefill 5, B prefill 5 [waiting C] [blocks 4]      a round: who computes how much, then notes

Notes are in the engine's own words, the same in every language; which stand there depends on the question.

Does not model: the right run; it is what the learner has in mind.
"""

from __future__ import annotations

from answers.sheets.bugs_cases import (
    BudgetFirst,
    InFlight,
    Oversized,
    Pooled,
    Recounted,
    Reported,
    Shown,
    broken_run,
)
from labs.base import LabError
from labs.bugs.account import Account, Tpot
from labs.bugs.look_up import LookUp
from labs.engine.run.live_request import WAITING_FOR_REMOTE_KVS
from labs.view.units import trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.simulator import Round


def printed(inputs: Shown) -> Shown:
    """The case with its run in print; `LabError` where the bug does not show."""
    run, first = broken_run(inputs)
    if first is None:
        raise LabError(inputs.bug, "not_asked", "a right run")
    if isinstance(run, LookUp):
        lines = [
            f"block {block.index} {list(block.tokens)}: {'hit' if block.hit else 'miss'}"
            for block in run.blocks
        ]
    elif isinstance(inputs, Reported):
        lines = [
            f"{place}: outputs {tpot.outputs}, first {tpot.first}, last {tpot.last}, TPOT {_tpot(tpot)}"
            for place, tpot in enumerate(run.tpots, 1)
        ]
    else:
        lines = [_line(inputs, run, round) for round in run.run.rounds]
    return inputs.replace(run="".join([f"\n  {line}" for line in lines]))


def _tpot(tpot: Tpot) -> str:
    return "-" if tpot.rounds is None else trimmed(tpot.rounds.numerator, tpot.rounds.denominator)


def _line(inputs: Shown, account: Account, round: Round) -> str:
    """One round: work, then what became of the others, then what this kind of question looks at."""
    work = ", ".join([f"{item.request} {item.phase} {item.tokens}" for item in round.work]) or "-"
    loading = _loading(round)
    waiting = [name for name in round.waiting if name not in (*round.preempted, *loading)]
    hits = [f"{item.request} {item.cached_tokens}" for item in round.admitted if item.cached_tokens]
    notes = [_note("preempted", round.preempted), _note("loading", loading), _note("waiting", waiting)]
    if not (isinstance(inputs, InFlight) and "A" in {item.request for item in round.admitted}):
        notes.append(_note("hit", hits))
    if isinstance(inputs, BudgetFirst):
        notes.append(f"[unused {round.unused_budget}]")
    if isinstance(inputs, (Recounted, Oversized)):
        notes.append(f"[blocks {round.used_blocks}]")
    if isinstance(inputs, Recounted):
        count = [count for count in account.counts if count.round <= round.round][-1]
        notes.append(f"[queries {count.queries}, hits {count.hits}]")
    if isinstance(inputs, Pooled) and round.columns is not None:
        pairs = zip(round.work, round.columns.computed_before)
        notes.append(_note("tokens", [f"{item.request} {before + item.tokens}" for item, before in pairs]))
    return " ".join([f"{round.round}: {work}", *[note for note in notes if note]])


def _note(word: str, names: Sequence[str]) -> str:
    return f"[{word} {', '.join(names)}]" if names else ""


def _loading(round: Round) -> list[str]:
    external = round.columns.external if round.columns else None
    states = external.after_schedule if external else ()
    return [state[0] for state in states if state[1] == WAITING_FOR_REMOTE_KVS]
