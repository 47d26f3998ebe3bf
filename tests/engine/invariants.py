"""What must hold after every round of any run, told without the engine's own bookkeeping.

The ledger follows tokens themselves: what each block holds, what each request knows. A hit on a block that
holds another prefix, a block handed out while in use, a slot written twice: all of it shows there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from labs.engine.blocks import num_blocks
from labs.engine.knobs import Knobs
from labs.engine.kv.block_pool import BlockPool
from labs.engine.kv.nano_pool import NanoPool
from labs.engine.requests import Request
from labs.engine.rules.vllm import VllmScheduler
from labs.engine.run.decision import Decision
from labs.engine.run.live_request import LiveRequest
from labs.engine.run.stepper import EngineStepper
from labs.engine.simulator import DECODE, PREFILL, Round, Run
from tests.engine.workloads import stop_token

Token = int | tuple[str, int]


class Ledger:
    """Tokens by request and by block; `look` checks a run as it goes."""

    def __init__(self, rule: str, requests: Sequence[Request], knobs: Knobs, stepper: EngineStepper) -> None:
        self.rule, self.knobs, self.stepper = rule, knobs, stepper
        self.requests = {request.name: request for request in requests}
        self.known: dict[str, int] = {}
        self.held: dict[int, tuple[str, tuple[Token, ...]]] = {}  # by block: salt, tokens up to its last one
        scheduler, schedule = stepper.scheduler, stepper.scheduler.schedule

        def watched_schedule() -> Decision:
            decision = schedule()
            if isinstance(scheduler, VllmScheduler) and not decision.preempted:
                check_nobody_could_join(scheduler, decision)
            return decision

        scheduler.schedule = watched_schedule  # type: ignore[method-assign]

    def tokens(self, name: str, count: int) -> tuple[Token, ...]:
        """The first tokens of a request; those that nobody else has are (its name, their place)."""
        request = self.requests[name]
        if request.prompt is None:
            return tuple((name, place) for place in range(count))
        length = len(request.prompt)
        outputs = range(1, count - length + 1)
        made = tuple(stop_token(self.rule, name, length, n) for n in outputs)
        return (*request.prompt, *made)[:count]

    def last(self, name: str) -> int:
        """Known tokens at which a request stops."""
        request = self.requests[name]
        length = request.prefill or request.context
        ends = [10**6 if request.decode is None else length + request.decode + 1]
        if self.knobs.max_model_len is not None:
            ends.append(self.knobs.max_model_len)
        for n in range(1, ends[0] - length + 1 if request.stop_token_ids else 1):
            if stop_token(self.rule, name, length, n) in request.stop_token_ids:
                ends.append(length + n)
                break
        return min(ends)

    def write(self, name: str, start: int, stop: int, table: Sequence[int]) -> None:
        """Tokens from start to stop - 1 of a request are computed."""
        size = self.knobs.block_size
        for index in range(start // size, num_blocks(stop, size)):
            end = min(stop, (index + 1) * size)
            self.held[table[index]] = (self.requests[name].salt, self.tokens(name, end))

    def look(self, round: Round | None) -> None:
        """Take over what happened, then check everything."""
        for live in self.stepper.everybody:
            if live.name not in self.known:
                request = self.requests[live.name]
                self.known[live.name] = request.prefill or request.context + 1
                self.write(live.name, 0, request.context, live.block_table)
        if round is not None:
            self._take(round)
            check_round(round, self.knobs, self.rule)
        decoding = sum(request.prefill == 0 for request in self.requests.values())
        check_requests(self.stepper, self.knobs, self.rule, decoding)
        check_pool(self.stepper)
        self._check_tokens()

    def _take(self, round: Round) -> None:
        columns = round.columns
        assert columns is not None
        finished = []
        for item, start, table in zip(round.work, columns.computed_before, columns.block_tables, strict=True):
            known = self.known[item.request]
            request = self.requests[item.request]
            decodes = start == known - 1 and known > (request.prefill or request.context)
            assert item.phase == (DECODE if decodes else PREFILL)
            self.write(item.request, start, start + item.tokens, table)
            assert start + item.tokens <= known
            if start + item.tokens == known:
                self.known[item.request] += 1
                if known + 1 >= self.last(item.request):
                    finished.append(item.request)
        assert round.finished == tuple(sorted(finished))

    def _check_tokens(self) -> None:
        size = self.knobs.block_size
        for live in self.stepper.live.values():
            assert live.num_tokens == self.known[live.name]
            for index in range(num_blocks(live.num_computed_tokens, size)):
                end = min(live.num_computed_tokens, (index + 1) * size)
                salt, tokens = self.held[live.block_table[index]]
                expected = self.requests[live.name].salt, self.tokens(live.name, end)
                assert (salt, tokens[:end]) == expected, (live, index)


def check_round(round: Round, knobs: Knobs, rule: str) -> None:
    """Budget, and that nobody is in two places."""
    names = [item.request for item in round.work]
    total = sum(item.tokens for item in round.work)
    assert round.unused_budget == max(knobs.budget - total, 0)  # nano-vllm decodes beyond the budget
    assert total <= knobs.budget or (rule == "nano-vllm" and round.work[0].phase == DECODE)
    assert all(item.tokens >= 1 for item in round.work)
    assert rule == "vllm" or len(names) <= knobs.max_num_seqs
    assert len({*names, *round.waiting}) == len(names) + len(round.waiting)
    assert len({*names, *round.preempted}) == len(names) + len(round.preempted)
    assert set(round.finished) | set(round.resumed) <= set(names)
    assert round.columns is not None
    began = dict(zip(names, round.columns.computed_before, strict=True))
    assert all(began[admitted.request] == admitted.cached_tokens for admitted in round.admitted)
    if round.preempted:
        assert not round.resumed
        assert not round.admitted
    if rule == "vllm" and knobs.long_prefill_threshold and len(names) + len(round.waiting) > 1:
        assert all(item.tokens <= knobs.long_prefill_threshold for item in round.work)


def check_requests(stepper: EngineStepper, knobs: Knobs, rule: str, num_decoding_at_first: int) -> None:
    """Everybody unfinished runs or waits, with the blocks that takes.

    At most max_num_seqs run (nano-vllm: are served), unless more decoded from the start.
    """
    running, waiting = stepper.scheduler.running, list(stepper.scheduler.waiting)
    assert sorted(live.name for live in [*running, *waiting]) == sorted(stepper.live)
    assert rule == "nano-vllm" or len(running) <= max(knobs.max_num_seqs, num_decoding_at_first)
    for live in [*running, *waiting]:
        assert 0 <= live.num_computed_tokens < live.num_tokens
        assert live.num_computed_tokens <= len(live.block_table) * knobs.block_size
        assert live.num_tokens < live.last_num_tokens
    for live in running:
        assert len(live.block_table) == num_blocks(live.num_computed_tokens, knobs.block_size)
    for place, live in enumerate(waiting):
        cut = rule == "nano-vllm" and place == 0 and live.num_computed_tokens > 0
        assert cut or (live.num_computed_tokens, live.block_table) == (0, [])


def check_nobody_could_join(scheduler: VllmScheduler, decision: Decision) -> None:
    """With budget and a place left, the first who waits does not fit: in all of its tokens, or in a chunk."""
    knobs, pool, size = scheduler.knobs, scheduler.pool, scheduler.block_size
    budget = knobs.budget - sum(decision.num_scheduled_tokens.values())
    if not budget or len(scheduler.running) >= knobs.max_num_seqs or not len(scheduler.waiting):
        return
    head = scheduler.waiting.peek()
    hit = scheduler.kv.cached_blocks(head)
    tokens = head.num_tokens - len(hit) * size
    others = len(scheduler.running) + len(scheduler.waiting) > 1
    if others and knobs.long_prefill_threshold:
        tokens = min(tokens, knobs.long_prefill_threshold)
    if tokens > budget and not knobs.chunked_prefill:
        return
    end = len(hit) * size + min(tokens, budget)
    needed = num_blocks(head.num_tokens if knobs.full_prompt_must_fit else end, size) - len(hit)
    unused = [block for block in hit if pool.ref_cnt[block] == 0]
    margin = scheduler.kv.watermark_blocks if scheduler.running else 0
    assert needed + len(unused) + margin > pool.num_free, head


def check_pool(stepper: EngineStepper) -> None:
    """Every block is free or in tables, as often as counted; only equal prefixes share one."""
    pool = stepper.scheduler.pool
    assert isinstance(pool, (BlockPool, NanoPool))
    first = 1 if isinstance(pool, BlockPool) else 0
    users: dict[int, list[tuple[LiveRequest, int]]] = {}
    for live in stepper.everybody:
        assert len(set(live.block_table)) == len(live.block_table)
        for index, block in enumerate(live.block_table):
            users.setdefault(block, []).append((live, index))
    if pool.is_limited:
        free = pool.free_queue()
        assert sorted([*free, *users]) == list(range(first, first + pool.num_blocks))
        assert pool.num_free == len(free)
        if isinstance(pool, BlockPool):
            keyed = [block in pool.key_of for block in free]
            assert keyed == sorted(keyed)  # those that can be hit are taken last
    assert pool.num_used == len(users)
    counted = {block: count for block, count in enumerate(pool.ref_cnt) if count}
    assert counted == Counter({block: len(places) for block, places in users.items()})
    for block, places in users.items():
        if len(places) > 1:
            assert block in pool.key_of or stepper.scheduler.external  # a failed load takes it out
            assert len({index for _, index in places}) == 1
    for key, block in pool.block_of.items():
        assert pool.key_of[block] == key
    if isinstance(pool, BlockPool):
        assert set(pool.key_of.values()) == set(pool.block_of)


def check_summary(run: Run, requests: Sequence[Request]) -> None:
    """What a run says of each request follows from its rounds."""
    arrivals = {request.name: request.arrive for request in requests}
    served: dict[str, list[int]] = {name: [] for name in arrivals}
    present: dict[str, list[int]] = {name: [] for name in arrivals}
    ended: dict[str, int] = {}
    for round in run.rounds:
        for name, arrive in arrivals.items():
            if arrive <= round.round and name not in ended:
                present[name].append(round.round)
        for item in round.work:
            served[item.request].append(round.round)
        ended.update(dict.fromkeys([*round.finished, *round.aborted], round.round))
    for outcome in run.outcomes:
        mine = served[outcome.name]
        assert outcome.first_round == (mine[0] if mine else None)
        assert outcome.last_round == (mine[-1] if mine else None)
        assert outcome.waited_rounds == len(present[outcome.name]) - len(mine)
        assert outcome.ended == (outcome.name in ended)
