"""Plays an engine's scheduler round by round, and records what it did.

An engine's scheduler decides (`schedule`), the stand-in model computes, the scheduler takes over the outcome
(`update_from_output`); in between, block tables and queues are written down. Sampled tokens follow a rule,
so that two runs of anything give the same ids.
"""

from __future__ import annotations

from labs.base import require
from labs.engine.blocks import num_blocks
from labs.engine.run.columns import Columns, ExternalColumns, Growth
from labs.engine.run.live_request import WAITING_FOR_REMOTE_KVS
from labs.engine.run.unserved import Unserved
from labs.engine.simulator import DECODE, PREFILL, Admitted, Blocked, Round, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from labs.engine.external.connector import State
    from labs.engine.requests import Request
    from labs.engine.run.decision import Decision
    from labs.engine.run.live_request import LiveRequest
    from labs.engine.run.scheduler import EngineScheduler

MAX_LISTED = 10_000_000
STATE_LENGTH = 5


class EngineStepper:
    """A stepper (see `labs.engine.simulator`) over an engine's scheduler.

    `detail` records the columns; without `queues` the free queue stands in those of round 1 only, as it is as
    long as the pool.
    """

    def __init__(
        self,
        scheduler: EngineScheduler,
        make_live: Callable[[Request, int], LiveRequest],
        budget: int,
        detail: bool = True,
        queues: bool = True,
    ) -> None:
        self.scheduler = scheduler
        self.make_live = make_live
        self.budget = budget
        self.detail = detail
        self.queues = queues
        self.live: dict[str, LiveRequest] = {}  # unfinished, by arrival
        self.everybody: list[LiveRequest] = []
        self.ended: dict[str, int] = {}  # the last round in which a request was there
        self.last_round = 0
        self.decode_work: dict[LiveRequest, Work] = {}  # each is made once, as most rounds are decodes
        self.num_listed = 0  # names and block ids in all columns
        self.stuck = False
        self.sampled_when_alone = -1  # known tokens in all when a request last preempted itself, alone

    @property
    def has_unfinished(self) -> bool:
        external = self.scheduler.external
        return bool(self.live) or (external is not None and external.expects_report)

    @property
    def expects_more(self) -> bool:
        return self.scheduler.external is not None and self.scheduler.external.expects_more

    def add(self, request: Request) -> None:
        live = self.make_live(request, len(self.everybody) + 1)
        self.everybody.append(live)
        self.live[request.name] = live
        self.decode_work[live] = Work(request.name, DECODE, 1)
        self._begin_anew()
        if request.prefill:
            self.scheduler.add(live)
        else:
            fits = self.scheduler.add_decoding(live)
            require(fits, "--kv-blocks", "no_room_to_decode", self.scheduler.pool.num_blocks, name=live.name)

    def abort(self, name: str) -> None:
        request = self.live.get(name)
        if request is not None:
            self.scheduler.end(request)
            self._forget(name)
            self._begin_anew()

    def _forget(self, name: str) -> None:
        del self.live[name]
        self.ended[name] = self.last_round

    def step(self, number: int, most: int) -> Round:
        rounds = self.scheduler.quiet_rounds(most) if most > 1 else 0
        self.last_round = number + max(rounds, 1) - 1
        return self._stretch(number, rounds) if rounds > 1 else self._single(number)

    def _single(self, number: int) -> Round:
        scheduler = self.scheduler
        decision = scheduler.schedule()
        scheduled = decision.num_scheduled_tokens
        work = self._work(scheduled)
        waiting = Unserved(self.everybody, self.ended, number, work)
        used_blocks = scheduler.pool.num_used
        admitted = tuple(  # now: a load that failed will set them back
            [
                Admitted(request.name, request.num_computed_tokens - scheduled[request])
                for request in (*decision.admitted, *decision.resumed)
            ]
        )
        columns = None
        if self.detail:
            columns = self._columns(scheduled)
            scheduled_states = self._states()
        finished = scheduler.update_from_output(decision, number)
        finished.sort(key=lambda request: request.name)
        for request in finished:
            self._forget(request.name)
        self._note_progress(decision)
        if columns is not None:
            columns = columns.replace(
                free_queue_after_step=self._free_queue(number),
                external=self._external(decision, number, scheduled_states),
            )
        return Round(
            number,
            work,
            max(self.budget - sum(scheduled.values()), 0),  # nano-vllm's decodes do not count
            waiting,
            tuple([request.name for request in finished]),
            tuple([request.status for request in finished]),
            tuple(sorted([request.name for request in decision.preempted])),
            tuple(sorted([request.name for request in decision.resumed])),
            admitted=admitted,
            used_blocks=used_blocks,
            columns=columns,
        )

    def _stretch(self, number: int, rounds: int) -> Round:
        """So many rounds in which the same requests decode and nothing is decided."""
        queue = self._free_queue(number) if self.detail else None
        served = self.scheduler.decode(rounds)
        work = tuple([self.decode_work[request] for request in served])
        columns = None
        if self.detail:
            columns = self._columns(dict.fromkeys(served, rounds)).replace(
                free_queue_after_step=self._free_queue(number), queue_before=queue
            )
        return Round(
            number,
            work,
            max(self.budget - len(work), 0),
            Unserved(self.everybody, self.ended, number, work),
            repeat=rounds,
            used_blocks=self.scheduler.pool.num_used,
            growth=Growth(
                tuple([request.num_computed_tokens - rounds for request in served]), self.scheduler.block_size
            ),
            columns=columns,
        )

    def _work(self, scheduled: dict[LiveRequest, int]) -> tuple[Work, ...]:
        """`num_computed_tokens` has advanced, the sampled token is not there yet."""
        return tuple(
            [
                self.decode_work[request]
                if tokens == 1
                and request.num_computed_tokens == request.num_tokens > request.num_prompt_tokens
                else Work(request.name, PREFILL, tokens)
                for request, tokens in scheduled.items()
            ]
        )

    def _columns(self, scheduled: dict[LiveRequest, int]) -> Columns:
        self._count(sum([len(request.block_table) for request in scheduled]) + len(self.scheduler.waiting))
        return Columns(
            tuple([request.num_computed_tokens - tokens for request, tokens in scheduled.items()]),
            tuple([tuple(request.block_table) for request in scheduled]),
            tuple([request.name for request in self.scheduler.waiting]),
            None,
            self.scheduler.pool.num_used,
            self.scheduler.block_size,
        )

    def _states(self) -> tuple[State, ...]:
        external = self.scheduler.external
        if external is None:
            return ()
        self._count(sum([STATE_LENGTH + len(request.block_table) for request in self.everybody]))
        return external.states(self.everybody, self.scheduler.running, self.scheduler.waiting)

    def _external(
        self, decision: Decision, number: int, after_schedule: tuple[State, ...]
    ) -> ExternalColumns | None:
        external = self.scheduler.external
        if external is None:
            return None
        return ExternalColumns(
            decision.has_sync_loads,
            after_schedule,
            self._states(),
            external.take_calls(),
            tuple(sorted(self.scheduler.pool.key_of)),
            external.report_of(number),
        )

    def _free_queue(self, number: int) -> tuple[int, ...] | None:
        pool = self.scheduler.pool
        if not pool.is_limited or (number > 1 and not self.queues):
            return None
        self._count(pool.num_free)
        return tuple(pool.free_queue())

    def _count(self, listed: int) -> None:
        """Columns are as long as tables and queues: stop before they fill the memory."""
        self.num_listed += listed
        require(
            self.num_listed <= MAX_LISTED, "--rounds", "too_many_listed", self.last_round, most=MAX_LISTED
        )

    def blocked(self) -> Blocked | None:
        """Who waits in front, and for what."""
        request = next(iter(self.scheduler.waiting), None) or next(iter(self.live.values()), None)
        if request is None:
            return None
        needed = num_blocks(request.num_tokens, self.scheduler.block_size)
        is_loading = request.status == WAITING_FOR_REMOTE_KVS
        pool = self.scheduler.pool
        free = pool.num_free if pool.is_limited else None
        return Blocked(request.name, request.num_tokens, needed, free, is_loading)

    def _begin_anew(self) -> None:
        """Who joins or withdraws may end a loop."""
        self.stuck = False
        self.sampled_when_alone = -1

    def _note_progress(self, decision: Decision) -> None:
        """Who preempts itself while nobody else holds a block needs more than the pool has. Twice without
        a token sampled in between, and it would go on for ever."""
        if not decision.preempted or self.scheduler.running or decision.num_scheduled_tokens:
            return
        sampled = sum([request.num_tokens for request in self.everybody])  # it never falls
        self.stuck = sampled == self.sampled_when_alone and not self.expects_more
        self.sampled_when_alone = sampled
