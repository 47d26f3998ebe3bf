"""KV that another store holds: what its connector answers, which loads are under way, which failed.

The scheduler asks again in every step in which a request is at the head and cannot be admitted, so an
answer must have no side effects. An asynchronous load holds its blocks, outside the hash table, from the
answer until the report.
Source: vLLM 0.32.0, `Scheduler` (`_update_waiting_for_remote_kv`, `_handle_invalid_blocks`,
`_update_from_kv_xfer_finished`) and `kv_connector.v1.base`, driven by a scripted connector.
Does not model: data, several KV groups, saves that fail.
"""

from __future__ import annotations

from labs.base import require
from labs.engine.blocks import num_blocks
from labs.engine.run.live_request import PREEMPTED, RUNNING, WAITING, WAITING_FOR_REMOTE_KVS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from labs.engine.external.script import Answer, ExternalScript, Report
    from labs.engine.kv.kv_manager import KVManager
    from labs.engine.rules.vllm import VllmScheduler
    from labs.engine.run.decision import Decision
    from labs.engine.run.live_request import LiveRequest

    State = tuple[str, str, str, int, tuple[int, ...]]


class ExternalKV:
    """The connector's side of one run, and the loads that it has under way."""

    def __init__(self, script: ExternalScript) -> None:
        self.script = script
        self.answers = {name: list(answers) for name, answers in script.answers.items()}
        self.requests: dict[str, LiveRequest] = {}  # everybody the connector was asked about
        self.in_flight: set[LiveRequest] = set()  # loading, or with known tokens left to compute
        self.loaded: set[LiveRequest] = set()  # reported, and not yet back in the scheduler's hands
        self.failed: set[LiveRequest] = set()  # of the loads, those that lost something
        self.kept: set[LiveRequest] = set()  # finished, their blocks kept until a report
        self.calls: list[tuple[object, ...]] = []  # since somebody last took them
        self.step = 0  # the last one that ended
        self.last_news = -1  # the last one with another answer or a report

    @property
    def expects_report(self) -> bool:
        return any(step > self.step for step in self.script.reports)

    @property
    def expects_more(self) -> bool:
        """Whether something outside has just changed, or a report is still to come.

        After a step in which nothing was scheduled and nothing changed, the next one would be the same.
        """
        return self.last_news == self.step or self.expects_report

    def report_of(self, step: int) -> Report | None:
        """What the workers report after a step."""
        self.step = step
        report = self.script.reports.get(step)
        if report is not None:
            self.last_news = step
        return report

    def take_calls(self) -> tuple[tuple[object, ...], ...]:
        calls, self.calls = tuple(self.calls), []
        return calls

    def num_new_matched_tokens(self, request: LiveRequest, local_tokens: int) -> Answer:
        """Tokens that the store has beyond the local hit, and whether they are loaded in the background.

        `LabError` for more than the engine stands: a load within the step leaves a token to compute.
        """
        self.requests[request.name] = request
        plan = self.answers.get(request.name) or [(0, False)]
        total, asks_async = plan[0]
        if len(plan) > 1:
            plan.pop(0)
            self.last_news = self.step + 1
        tokens = None if total is None else max(total - local_tokens, 0)
        most = request.num_tokens if asks_async else request.num_tokens - 1
        where, rule = self.script.where, "answer_beyond_prompt"
        require((total or 0) <= most, where, rule, total, name=request.name, most=most)
        self.calls.append(("get_num_new_matched_tokens", request.name, local_tokens, tokens, asks_async))
        return tokens, bool(asks_async and tokens)

    def update_state_after_alloc(self, request: LiveRequest, num_external_tokens: int) -> None:
        """The connector learns which blocks to load into; after a load it is told once more, with 0."""
        self.in_flight.add(request)
        table = tuple(request.block_table)
        self.calls.append(("update_state_after_alloc", request.name, table, num_external_tokens))

    def build_connector_meta(self, decision: Decision) -> None:
        """Once a step, when it has been decided on."""
        scheduled = {request.name: tokens for request, tokens in decision.num_scheduled_tokens.items()}
        self.calls.append(("build_connector_meta", scheduled))

    def reserved_blocks(self, kv: KVManager) -> int:
        """Blocks that prefills under way and other loads still need."""
        return sum(
            [
                max(num_blocks(request.num_tokens, kv.block_size) - len(request.block_table), 0)
                for request in self.in_flight
                if not (request.status is RUNNING and request.num_computed_tokens >= request.num_tokens)
            ]
        )

    def is_ready(self, request: LiveRequest, kv: KVManager) -> bool:
        """Whether a waiting request can be decided on; one whose load has ended comes back here."""
        if request.status is not WAITING_FOR_REMOTE_KVS:
            return True
        if request not in self.loaded:
            return False
        if request in self.failed and request.num_computed_tokens == 0:
            kv.free(request)  # nothing good came: it will be looked up, and asked for, again
        else:
            kv.enter(request, request.num_computed_tokens)
        if request.num_computed_tokens == request.num_tokens:
            request.num_computed_tokens -= 1  # the last token is computed, for its logits
        self.loaded.discard(request)
        self.failed.discard(request)
        request.status = PREEMPTED if request.num_preemptions else WAITING
        return True

    def has_loaded(self, request: LiveRequest) -> bool:
        return request in self.loaded

    def request_finished(self, request: LiveRequest, block_size: int) -> bool:
        """Whether the blocks of a finished request are kept until their save is reported."""
        self.requests[request.name] = request
        self.in_flight.discard(request)
        self.loaded.discard(request)
        self.failed.discard(request)
        kept = request.name in self.script.blocks_outlive_request
        computed = request.block_table[: num_blocks(request.num_computed_tokens, block_size)]
        self.calls.append(("request_finished", request.name, tuple(computed), kept))
        return kept

    def take_failures(
        self, report: Report, scheduler: VllmScheduler, decision: Decision
    ) -> list[LiveRequest]:
        """Set back who lost tokens; returns those whom the policy ends."""
        recompute = self.script.policy == "recompute"
        ended = []
        for name in report.failed_recving:
            request = self.requests.get(name)
            if request is not None and request.status is WAITING_FOR_REMOTE_KVS:
                if recompute:
                    request.num_computed_tokens = 0
                    self.failed.add(request)
                else:
                    ended.append(request)
        bad = set(report.invalid_block_ids)
        loading = [r for r in scheduler.holding_kv if r.status is WAITING_FOR_REMOTE_KVS]
        lost_loading, _ = self._set_back(loading, bad, decision, scheduler.kv.block_size)
        lost_running, stale = self._set_back(scheduler.running, bad, decision, scheduler.kv.block_size)
        if recompute:
            self.failed.update(lost_loading)
            return []
        for block in stale:
            scheduler.kv.pool.uncache(block)
        return [*dict.fromkeys([*ended, *lost_loading, *lost_running])]

    def _set_back(
        self, requests: Iterable[LiveRequest], bad: set[int], decision: Decision, block_size: int
    ) -> tuple[list[LiveRequest], list[int]]:
        """Computed tokens end before the first bad block; also the blocks from there on.

        Of requests that share a bad block the first computes it again, the others count on that.
        """
        affected, stale, claimed = [], [], set()
        for request in requests:
            before = request.num_computed_tokens - decision.num_scheduled_tokens.get(request, 0)
            table = request.block_table[: num_blocks(before, block_size)]
            lost = [index for index, block in enumerate(table) if block in bad]
            if not lost:
                continue
            own = [index for index in lost if table[index] not in claimed]
            claimed.update([table[index] for index in own])
            if own:
                request.num_computed_tokens = own[0] * block_size
                stale.extend(request.block_table[own[0] :])
            else:
                request.num_computed_tokens = before
            affected.append(request)
        return affected, stale

    def take_report(self, report: Report, kv: KVManager) -> None:
        """Loads and saves that have ended: who waits goes on, who has finished gives blocks back."""
        self.calls.append(
            (
                "update_connector_output",
                tuple(sorted(report.finished_recving)),
                tuple(sorted(report.finished_sending)),
                tuple(sorted(report.invalid_block_ids)),
            )
        )
        for name in report.finished_recving:
            request = self._under_way(name)
            if request.status is WAITING_FOR_REMOTE_KVS:
                self.loaded.add(request)
            else:
                self._release(request, kv)
        for name in report.finished_sending:
            self._release(self._under_way(name, may_load=False), kv)

    def _under_way(self, name: str, may_load: bool = True) -> LiveRequest:
        """A request that has finished with its blocks kept, or that loads: only of such can be reported."""
        request = self.requests.get(name)
        loads = may_load and request is not None and request.status is WAITING_FOR_REMOTE_KVS
        reported = loads or request in self.kept
        require(reported, self.script.where, "nothing_to_report", name, step=self.step)
        assert request is not None
        return request

    def _release(self, request: LiveRequest, kv: KVManager) -> None:
        self.kept.discard(request)
        kv.free(request)

    def states(
        self,
        requests: Iterable[LiveRequest],
        running: Iterable[LiveRequest],
        waiting: Iterable[LiveRequest],
    ) -> tuple[State, ...]:
        """Where each request stands; who has finished is `gone`, or `kept` with its blocks until a report."""
        where = {**dict.fromkeys(running, "running"), **dict.fromkeys(waiting, "waiting")}

        def queue(request: LiveRequest) -> str:
            if request.status.startswith("FINISHED"):
                return "kept" if request in self.kept else "gone"
            return where.get(request, "kv_holding_waiting")

        return tuple(
            [(r.name, r.status, queue(r), r.num_computed_tokens, tuple(r.block_table)) for r in requests]
        )
