"""The states that each request goes through under external KV, and what brought it there."""

from __future__ import annotations

from labs.view.catalog.schedule_external import TEXTS
from labs.view.languages import texts
from labs.view.tables import paragraph, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.external.connector import State
    from labs.engine.run.columns import ExternalColumns
    from labs.engine.simulator import Round, Run


def render_external(run: Run, policy: str, lang: str) -> str:
    """A row for each change of a request's state, by request."""
    t = texts(TEXTS, lang)
    rows: dict[str, list[list[str]]] = {outcome.name: [] for outcome in run.outcomes}
    before: dict[str, State] = {}
    for round in run.singles():
        columns = round.columns
        if columns is None or columns.external is None:
            continue
        external = columns.external
        for states, reported in ((external.after_schedule, False), (external.after_update, True)):
            for state in states:
                name, previous = state[0], before.get(state[0])
                told = reported and _is_reported(external, name) and _loads(previous)
                if told or previous is None or _has_changed(previous, state, reported):
                    reason = _reason(round, external, previous, state, reported, t)
                    rows[name].append(_row(round.round, state, reason))
                before[name] = state
    parts = [
        paragraph(t["title"].format(policy=policy)),
        table([t["columns"].split("|"), *[row for name in rows for row in rows[name]]]),
    ]
    return "\n".join(part.removesuffix("\n") for part in parts) + "\n" + paragraph(t["questions"])


def _has_changed(before: State, state: State, reported: bool) -> bool:
    """Another status, blocks given back, tokens lost with a report, or a load that begins anew."""
    lost = reported and state[3] < before[3]
    loads_anew = state[1] == before[1] == "WAITING_FOR_REMOTE_KVS" and state[4] != before[4]
    return before[1] != state[1] or bool(before[4] and not state[4]) or lost or loads_anew


def _loads(state: State | None) -> bool:
    return state is not None and state[1] == "WAITING_FOR_REMOTE_KVS"


def _is_reported(external: ExternalColumns, name: str) -> bool:
    report = external.report
    return report is not None and name in (
        *report.finished_recving,
        *report.finished_sending,
        *report.failed_recving,
    )


def _row(number: int, state: State, reason: str) -> list[str]:
    name, status, _, computed, blocks = state
    return [name, str(number), status, str(computed), ", ".join(map(str, blocks)) or "-", reason]


def _reason(
    round: Round,
    external: ExternalColumns,
    previous: State | None,
    state: State,
    reported: bool,
    t: dict[str, str],
) -> str:
    name, status, _, computed, blocks = state
    if status.startswith("FINISHED"):
        return _end(previous, status, bool(blocks), t)
    if reported:
        lost = (previous[3] if previous else computed) - computed
        return t["loaded"] if lost <= 0 else t["lost"].format(lost=lost)
    if status == "WAITING_FOR_REMOTE_KVS":
        return t["loading"].format(tokens=_external_tokens(external, name))
    answers = [call[3] for call in external.calls if call[:2] == ("get_num_new_matched_tokens", name)]
    if status == "RUNNING":
        tokens = {item.request: item.tokens for item in round.work}.get(name, 0)
        loaded = _external_tokens(external, name)
        if loaded:
            return t["sync"].format(loaded=loaded, tokens=tokens)
        came_back = previous is not None and previous[1] == "WAITING_FOR_REMOTE_KVS"
        text = "preempted_back" if _was_preempted(previous) else "computes" if answers else "decoding"
        return t["resumes" if came_back else text].format(tokens=tokens, cached=computed - tokens)
    if status == "PREEMPTED":
        return t["preempted"]
    if not answers:
        return t["queued"]
    return t["asks" if answers[-1] is None else "no_room"]


def _end(previous: State | None, status: str, has_blocks: bool, t: dict[str, str]) -> str:
    """How a request ended, and whether its blocks are kept; or that kept ones are given back."""
    if previous is not None and previous[1] == status:
        return t["given_back"]
    how = {"FINISHED_ERROR": "failed", "FINISHED_ABORTED": "withdrawn"}.get(status, "finished")
    return t[how] + (t["kept"] if has_blocks else "")


def _was_preempted(previous: State | None) -> bool:
    return previous is not None and previous[1] == "PREEMPTED"


def _external_tokens(external: ExternalColumns, name: str) -> int:
    """Tokens that the connector was told to load for a request in this round."""
    told = [call[3] for call in external.calls if call[:2] == ("update_state_after_alloc", name)]
    return int(told[-1]) if told else 0  # type: ignore[call-overload]
