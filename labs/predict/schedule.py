"""A predicted schedule against a run: the first round that differs, and why from the state of that round.

The rounds are compared one after the other, as many as were predicted. In a round each request's tokens
count, and its phase where one was named; the order in which they stand does not. The state is asked of the
rule itself, played once more up to that round (`labs.engine.explain.scene`). Of the causes that hold, the
first in this order is named:

    unknown_request, not_arrived, finished_already   who cannot be served in this round
    run_ended          the run is cut off, or stuck, before this round
    wrong_phase        it decodes where a prefill was predicted, or the other way round
    over_budget        the predicted tokens of the round are more than its budget
    cached_already     tokens that were hit or loaded were predicted to be computed again
    more_than_left     more than the request has left; a decode is one token
    decode_left_out    a decode that the rule serves was not predicted
    no_block_free      the pool has no room for what was predicted
    max_num_seqs, threshold, phases, batch_closed ... another limit of the rule (`labs.engine.explain.limits`)
    admission_order    somebody later in the order of service got tokens of somebody earlier
    budget_unused      budget was left although a prefill waits for it
    other_tokens       anything else
    rounds_missing     all that was predicted is right, but the run goes on

Under nano-vllm decodes take none of the budget, so only prefills count against it.
Does not model: anything after the first difference.
"""

from __future__ import annotations

from labs.engine.explain.scene import scene
from labs.engine.simulator import DECODE, PREFILL
from labs.predict.answer import Answer, Difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from labs.engine.explain.limits import Limit
    from labs.engine.explain.scene import Place, Scene, Setting
    from labs.engine.requests import Request
    from labs.engine.simulator import Round, Run, Work
    from labs.predict.rounds import Predicted, Share

BLOCK_LIMITS = ("no_block", "gate", "watermark", "preempted", "no_admission", "loop_ended")
NO_LIMITS = ("enough", "budget", "unknown")


def check_rounds(
    run: Run, requests: Sequence[Request], setting: Setting, predicted: Sequence[Predicted]
) -> Answer:
    """The answer to predicted rounds about a run that this setting made of these requests."""
    for number, shares, round in _places_to_compare(run.rounds, predicted):
        if not _alike(shares, round):
            return Answer("rounds", number - 1, _Case(run, requests, setting, number, shares).difference())
    last = predicted[-1].last
    checked = min(last, run.num_rounds)
    missing = next((round for round in run.rounds if round.last > last and round.work), None)
    if missing is None:
        return Answer("rounds", checked, None)
    ended = {name for round in run.rounds if round.last <= last for name in (*round.finished, *round.aborted)}
    left = [request.name for request in requests if request.name not in ended]
    number = max(missing.round, last + 1)
    values = {"predicted": last, "left": left}
    return Answer("rounds", checked, Difference("rounds_missing", {"round": number}, None, None, values))


def _places_to_compare(
    rounds: Sequence[Round], predicted: Sequence[Predicted]
) -> Iterator[tuple[int, tuple[Share, ...], Round | None]]:
    """One round out of every row of rounds that are alike in the prediction and in the run."""
    at = 0
    for piece in predicted:
        number = piece.first
        while number <= piece.last:
            while at < len(rounds) and rounds[at].last < number:
                at += 1
            round = rounds[at] if at < len(rounds) else None
            yield number, piece.shares, round
            number = piece.last + 1 if round is None else min(piece.last, round.last) + 1


def _alike(shares: Sequence[Share], round: Round | None) -> bool:
    work = {item.request: item for item in round.work} if round else {}
    if {share.request: share.tokens for share in shares} != {w.request: w.tokens for w in work.values()}:
        return False
    return all(share.phase in (None, work[share.request].phase) for share in shares)


class _Case:
    """A round that differs: what was predicted, what the rule does, and the state that it decides from."""

    def __init__(
        self, run: Run, requests: Sequence[Request], setting: Setting, number: int, shares: Sequence[Share]
    ) -> None:
        self.run, self.setting, self.number = run, setting, number
        self.requests: Mapping[str, Request] = {request.name: request for request in requests}
        self.predicted: Mapping[str, Share] = {share.request: share for share in shares}
        by_arrival = sorted(requests, key=lambda request: request.arrive)
        self.names = [request.name for request in by_arrival if request.arrive <= number]
        self.scene: Scene = scene(requests, setting, run.rounds, number, self.names)
        self.places: Mapping[str, Place] = self.scene.places
        self.work: Mapping[str, Work] = {
            item.request: item for item in (self.scene.round.work if self.scene.round else ())
        }
        self.order = self.scene.order_of(self.names)
        self.budget = setting.knobs.budget

    def difference(self) -> Difference:
        """By the first cause that holds."""
        causes = (
            *(self._who, self._ended, self._phase, self._over_budget, self._left, self._decode_left_out),
            *(self._limit, self._order, self._budget_unused),
        )
        return next(filter(None, (cause() for cause in causes)), None) or self._other()

    def got(self, name: str) -> int:
        """Tokens that a request gets from the rule."""
        return self.work[name].tokens if name in self.work else 0

    def guessed(self, name: str) -> int:
        """Tokens that were predicted for it."""
        return self.predicted[name].tokens if name in self.predicted else 0

    def phase(self, name: str) -> str | None:
        """The phase that a request is in."""
        if name in self.work:
            return self.work[name].phase
        return self.places[name].phase if name in self.places else None

    def made(self, cause: str, name: str, /, **values: object) -> Difference:
        """A difference in one request's tokens."""
        place = {"round": self.number, "request": name}
        shared = {"rule": self.setting.rule, "budget": self.budget}
        return Difference(cause, place, self.guessed(name), self.got(name), {**shared, **values})

    def _who(self) -> Difference | None:
        for name in self.predicted:
            if name not in self.requests:
                return self.made("unknown_request", name, known=list(self.requests))
            arrive = self.requests[name].arrive
            if arrive > self.number:
                return self.made("not_arrived", name, arrive=arrive)
            for round in self.run.rounds:
                if round.last < self.number and name in (*round.finished, *round.aborted):
                    return self.made("finished_already", name, ended=round.last)
        return None

    def _ended(self) -> Difference | None:
        """Nothing is known of rounds that were not run."""
        rounds = self.run.num_rounds
        if self.number <= rounds:
            return None
        name = next(iter(self.predicted))
        return self.made("run_ended", name, rounds=rounds, stuck=self.run.stuck is not None)

    def _phase(self) -> Difference | None:
        for name, share in self.predicted.items():
            phase = self.phase(name)
            if share.phase is None or phase is None or share.phase == phase:
                continue
            made = self.made("wrong_phase", name, left=self._to_compute(name), phase=phase, named=share.phase)
            return made.replace(predicted=share.phase, actual=phase)
        return None

    def _over_budget(self) -> Difference | None:
        counted = list(self.predicted)
        if self.setting.rule == "nano-vllm":
            counted = [name for name in counted if self.phase(name) != DECODE]
        total = sum([self.guessed(name) for name in counted])
        if total <= self.budget:
            return None
        terms = [[name, self.guessed(name)] for name in counted]
        values = {"budget": self.budget, "total": total, "terms": terms, "rule": self.setting.rule}
        return Difference("over_budget", {"round": self.number}, total, None, values)

    def _left(self) -> Difference | None:
        for name in self.predicted:
            if name not in self.places or self.places[name].ended:
                continue
            left, place = self._to_compute(name), self.places[name]
            hit = place.known - place.computed - left
            if self.guessed(name) > left:
                if hit > 0 and self.guessed(name) <= left + hit:
                    return self.made("cached_already", name, left=left, cached=hit)
                return self.made("more_than_left", name, left=left, phase=self.phase(name))
        return None

    def _to_compute(self, name: str) -> int:
        """Tokens that a request has left for this round, once what is cached is taken off."""
        if name not in self.places:
            return self.got(name)
        place = self.places[name]
        return place.known - max(place.computed, place.found)

    def _decode_left_out(self) -> Difference | None:
        for item in self.work.values():
            if item.phase == DECODE and not self.guessed(item.request):
                return self.made("decode_left_out", item.request)
        return None

    def _limit(self) -> Difference | None:
        """A limit other than the budget holds for somebody who was predicted to get more."""
        for name in self.predicted:
            if self.guessed(name) <= self.got(name) or name not in self.places:
                continue
            limit: Limit = self.places[name].limit
            if "or_else" in limit.values:  # the budget might have ended as well, but a preemption came first
                limit = self._instead(limit)
            kind = str(limit.values["cause"]) if limit.kind == "head_of_line" else limit.kind
            if limit.kind in NO_LIMITS:
                continue
            cause = "no_block_free" if kind in BLOCK_LIMITS else limit.kind
            return self.made(cause, name, limit=limit.kind, **_listed(limit.values))
        return None

    def _instead(self, limit: Limit) -> Limit:
        """The limit that held, for the budget that would have."""
        other = limit.values["or_else"]
        assert isinstance(other, type(limit))
        return other

    def _order(self) -> Difference | None:
        """The first who gets less than it should, for the sake of somebody behind it."""
        for place, first in enumerate(self.order):
            if self.guessed(first) < self.got(first):
                for later in self.order[place + 1 :]:
                    if self.guessed(later) > self.got(later):
                        phases = {"phase": self.phase(first), "later_phase": self.phase(later)}
                        got = {"later_predicted": self.guessed(later), "later_actual": self.got(later)}
                        return self.made("admission_order", first, later=later, **phases, **got)
        return None

    def _budget_unused(self) -> Difference | None:
        total = sum([share.tokens for share in self.predicted.values()])
        for name in self.order:
            if self.phase(name) == PREFILL and self.guessed(name) < self.got(name) and total < self.budget:
                unused = {"total": total, "unused": self.budget - total}
                return self.made("budget_unused", name, left=self._to_compute(name), **unused)
        return None

    def _other(self) -> Difference:
        """What the rule gives there, and to whom before."""
        name = next(name for name in (*self.order, *self.predicted) if self.guessed(name) != self.got(name))
        before = self.order[: self.order.index(name)] if name in self.order else ()
        served = [[other, self.got(other)] for other in before if self.got(other)]
        taken = sum([tokens for _, tokens in served if isinstance(tokens, int)])
        left = self._to_compute(name)
        return self.made("other_tokens", name, before=served, taken=taken, left=left, phase=self.phase(name))


def _listed(values: Mapping[str, object]) -> dict[str, object]:
    """Figures of a limit as JSON has them; what stands in for another limit is left out."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
