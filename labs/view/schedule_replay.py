"""A replay as text: setup, its first requests, the figures, why, what it does not show, what to try next.

Each line of figures says what it is: `model` (a time, by the cost), `counted` (by the rule), or `measured`
(read from the user's file).
"""

from __future__ import annotations

from labs.view.catalog.schedule_replay import TEXTS
from labs.view.languages import texts
from labs.view.schedule_replay_figures import figures
from labs.view.schedule_replay_next import next_command
from labs.view.schedule_replay_setup import load, setup
from labs.view.schedule_replay_sweep import sweep_text
from labs.view.schedule_replay_why import why
from labs.view.tables import paragraph, table
from labs.view.units import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.replay.served import Served
    from labs.schedule_replay import Result

FIRST = 4


def render_replay(result: Result, lang: str) -> str:
    """The whole page, ending in one newline."""
    t = texts(TEXTS, lang)
    parts = [
        "\n".join([paragraph(line) for line in [*setup(result, t), load(result, t)]]),
        _first_requests(result, t),
        figures(result, t),
        *sweep_text(result, t),
        paragraph(t["why"] + "\n" + "\n".join(why(result, t))),
        paragraph(t["not_shown"]),
        next_command(result, t),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _first_requests(result: Result, t: dict[str, str]) -> str:
    served, per_ms = result.replay.served, result.replay.per_ms
    shown = list(served[:FIRST])
    longest = max(
        (each for each in served if each.first_token is not None),
        key=lambda each: (each.first_token or 0) - each.arrival,
        default=None,
    )
    worst = longest is not None and longest not in shown
    if longest is not None and worst:
        shown.append(longest)
    title = t["trace_title"].format(worst=t["trace_worst"] if worst else "")
    rows = [t["trace_columns"].split("|"), *[_request_row(each, per_ms, t) for each in shown]]
    return paragraph(title) + "\n" + table(rows)


def _request_row(served: Served, per_ms: int, t: dict[str, str]) -> list[str]:
    def after_arrival(tick: int | None) -> str:
        return t["never"] if tick is None else visible(tick - served.arrival, per_ms)

    return [
        served.name,
        visible(served.arrival, per_ms),
        *map(after_arrival, (served.admitted, served.first_token, served.last_token)),
        *map(str, (served.prompt_tokens, served.cached_tokens, served.output_tokens, served.preemptions)),
    ]
