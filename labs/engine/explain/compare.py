"""Where two rules first part on the same requests, which rule of theirs made it so, and what it cost.

The first round that differs is the first in which somebody gets another number of tokens, or tokens of
another phase; only if there is none, the first in which the same is handed out in another order. Up to that
round both runs are the same, so what differs in it was decided there, or before it without being seen: a
preemption, a hit in the prefix cache, an end that came sooner.

The reason is looked for with those who got less under one rule. A limit of that rule (see `limits`)
that holds by itself decides; of several, one that gives somebody nothing at all comes before one that gives
less, and then whom the other rule serves first. If all of them only met the end of the budget, the order of
service decides, and both orders are named. Where neither can be shown the reason is `order`, no more.
Does not model: reasons of later differences; most follow from the first.
"""

from __future__ import annotations

from labs.base import Record
from labs.engine.explain.reasons import NOTHING, Reason, end_of_run, not_shown, reason_for, reason_for_order
from labs.engine.explain.scene import Setting, round_at, scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.external.script import ExternalScript
    from labs.engine.knobs import Knobs
    from labs.engine.requests import Request
    from labs.engine.simulator import Round, Run, Work


class Cost(Record):
    """What became of one request under both rules; each pair is (ours, theirs), None for never."""

    name: str
    waited: tuple[int, int]
    first_round: tuple[int | None, int | None]
    last_round: tuple[int | None, int | None]
    finished: tuple[bool, bool]

    @property
    def more_waiting(self) -> int:
        """Rounds that it waits more under their rule than under ours."""
        return self.waited[1] - self.waited[0]


class Comparison(Record):
    """The first round that differs, as each rule played it (None past the end of a run).

    `round` is None if all is the same; with `only_order` tokens are the same in all rounds. `order_round` is
    the first round with another order, if one comes before. `rules` are (ours, theirs), and `num_rounds` the
    rounds of each run.
    """

    rules: tuple[str, str]
    round: int | None
    only_order: bool
    order_round: int | None
    ours: Round | None
    theirs: Round | None
    reason: Reason
    costs: tuple[Cost, ...]
    num_rounds: tuple[int, int]


def compare(
    ours: Run,
    theirs: Run,
    requests: Sequence[Request],
    rule: str,
    their_rule: str,
    knobs: Knobs,
    external: ExternalScript | None = None,
    their_knobs: Knobs | None = None,
) -> Comparison:
    """Compare two runs of the same requests, made by `rule` and `their_rule` under these knobs.

    Their run may have knobs of its own. If a rule, played again, does not give its run, no reason is claimed.

    >>> from labs.engine.knobs import Knobs
    >>> from labs.engine.requests import Request
    >>> from labs.engine.rules import RULES
    >>> from labs.engine.simulator import simulate
    >>> requests = [Request("A", prefill=0, decode=2, context=1), Request("C", prefill=10, decode=0)]
    >>> rules = "decode-first", "prefill-first"
    >>> runs = [simulate(requests, RULES[rule].make(Knobs(), None, False), 99) for rule in rules]
    >>> found = compare(*runs, requests, *rules, Knobs())
    >>> found.round, found.reason.kind, [cost.more_waiting for cost in found.costs]
    (1, 'decodes_first', [1, 0])
    """
    number, order_round = first_difference(ours.rounds, theirs.rounds)
    only_order = number is None and order_round is not None
    shown = order_round if number is None else number
    our_round, their_round = [round_at(run.rounds, shown) if shown else None for run in (ours, theirs)]
    settings = Setting(rule, knobs, external), Setting(their_rule, their_knobs or knobs, external)
    return Comparison(
        (rule, their_rule),
        shown,
        only_order,
        None if only_order else order_round,
        our_round,
        their_round,
        _reason(ours, theirs, requests, settings, shown, only_order) if shown else NOTHING,
        _costs(ours, theirs),
        (ours.num_rounds, theirs.num_rounds),
    )


def first_difference(ours: Sequence[Round], theirs: Sequence[Round]) -> tuple[int | None, int | None]:
    """The first round with other tokens or phases, and the first before it that differs in order only.

    >>> from labs.engine.simulator import Round, Work
    >>> a, b = Work("A", "decode", 1), Work("B", "decode", 1)
    >>> first_difference(
    ...     [Round(1, (a, b), 6, (), repeat=9)],
    ...     [Round(1, (a, b), 6, (), repeat=3), Round(4, (b, a), 6, (), repeat=3), Round(7, (a,), 7, ())],
    ... )
    (7, 4)
    """
    i, j, number, order_round = 0, 0, 1, None
    while i < len(ours) and j < len(theirs):
        if ours[i].work != theirs[j].work:
            if _by_request(ours[i]) != _by_request(theirs[j]):
                return number, order_round
            order_round = order_round or number
        alike_until = min(ours[i].last, theirs[j].last)
        i += ours[i].last == alike_until
        j += theirs[j].last == alike_until
        number = alike_until + 1
    return (number if i < len(ours) or j < len(theirs) else None), order_round


def _by_request(round: Round | None) -> dict[str, Work]:
    return {item.request: item for item in round.work} if round else {}


def _reason(
    ours: Run,
    theirs: Run,
    requests: Sequence[Request],
    settings: tuple[Setting, Setting],
    number: int,
    only_order: bool,
) -> Reason:
    """Why this round differs."""
    ends = end_of_run(ours, theirs, number)
    if ends is not None:
        return ends
    work = [_by_request(round_at(run.rounds, number)) for run in (ours, theirs)]
    served = {**work[0], **work[1]}
    differ = {name for name in served if only_order or work[0].get(name) != work[1].get(name)}
    names = tuple(outcome.name for outcome in ours.outcomes if outcome.name in differ)
    scenes = [
        scene(requests, setting, run.rounds, number, names) for setting, run in zip(settings, (ours, theirs))
    ]
    if not all(scene.places for scene in scenes):
        return not_shown(names[0])
    return (reason_for_order if only_order else reason_for)(scenes[0], scenes[1], names)


def _costs(ours: Run, theirs: Run) -> tuple[Cost, ...]:
    became = {outcome.name: outcome for outcome in theirs.outcomes}
    pairs = [(outcome, became[outcome.name]) for outcome in ours.outcomes]
    return tuple(
        [
            Cost(
                a.name,
                (a.waited_rounds, b.waited_rounds),
                (a.first_round, b.first_round),
                (a.last_round, b.last_round),
                (a.ended, b.ended),
            )
            for a, b in pairs
        ]
    )
