"""vLLM's Scheduler, driven step by step with a stand-in for the model.

The stand-in samples a token for a request only in a step that reaches the end of its known tokens; the
n-th token (n = 1, 2, ...) of request R is 1000 + 17 n + the sum of the code points of R's name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tests.oracle.engine import block_hasher, new_request, new_scheduler


class Ask(NamedTuple):
    """A request of a case: `after` is the number of steps taken before it is added."""

    name: str
    prompt: Iterable[int]
    max_tokens: int
    after: int = 0
    more: dict[str, Any] = {}  # noqa: RUF012 (priority, arrival, cache_salt; never changed)


class SchedulerRun:
    """A scheduler, its requests by name, and `steps`, one row a step.

    `budget` in tokens, `num_blocks` with the null block; `scheduler` as for `engine.new_scheduler`.
    """

    def __init__(
        self,
        *,
        budget: int,
        num_blocks: int = 64,
        block_size: int = 4,
        max_num_seqs: int = 16,
        caching: bool = True,
        max_model_len: int = 512,
        transfer: Any = None,
        **scheduler: Any,
    ) -> None:
        self.scheduler = new_scheduler(
            budget=budget,
            num_blocks=num_blocks,
            block_size=block_size,
            max_num_seqs=max_num_seqs,
            caching=caching,
            max_model_len=max_model_len,
            transfer=transfer,
            scheduler=scheduler,
        )
        self.pool = self.scheduler.kv_cache_manager.block_pool
        self.hasher = block_hasher(block_size) if caching else None
        self.requests: dict[str, Any] = {}
        self.sampled: Counter[str] = Counter()
        self.taken = 0
        self.asked: list[dict[str, Any]] = []
        self.steps: list[dict[str, Any]] = []
        self.config = {
            "budget": budget,
            "usable_blocks": num_blocks - 1,
            "block_size": block_size,
            "max_num_seqs": max_num_seqs,
            "prefix_caching": caching,
            "scheduler_class": "Scheduler",
            **scheduler,
        }

    def add(self, ask: Ask) -> None:
        """Hand a request to the scheduler."""
        prompt = list(ask.prompt)
        request = new_request(ask.name, prompt, self.hasher, max_tokens=ask.max_tokens, **ask.more)
        self.scheduler.add_request(request)
        self.requests[ask.name] = request
        row = {"id": ask.name, "after_step": self.taken, "prompt": prompt, "max_tokens": ask.max_tokens}
        self.asked.append(row | ask.more)

    def table(self, name: str) -> list[int]:
        """The block table of a request."""
        return list(self.scheduler.kv_cache_manager.get_block_ids(name)[0])

    def schedule(self) -> tuple[Any, dict[str, Any]]:
        """Plan a step: vLLM's SchedulerOutput and the row that shows it."""
        counted = {name: request.num_preemptions for name, request in self.requests.items()}
        plan = self.scheduler.schedule()
        started = {new.req_id: new.num_computed_tokens for new in plan.scheduled_new_reqs}
        known = plan.scheduled_cached_reqs
        preempted = [name for name, r in self.requests.items() if r.num_preemptions > counted[name]]
        row = {
            "step": len(self.steps) + 1,
            "scheduled": dict(plan.num_scheduled_tokens),
            "total": plan.total_num_scheduled_tokens,
            "new": list(started),
            "cached_hits": {name: tokens for name, tokens in started.items() if tokens},
            "resumed": sorted(known.resumed_req_ids),
            "preempted": sorted(preempted),
            "finished_last_step": sorted(plan.finished_req_ids),
            "start_at": started | dict(zip(known.req_ids, known.num_computed_tokens, strict=True)),
            "tables": {name: self.table(name) for name in plan.num_scheduled_tokens},
            "running": [request.request_id for request in self.scheduler.running],
            "waiting": [request.request_id for request in self.scheduler.waiting],
            "free_blocks": self.pool.get_num_free_blocks(),
        }
        self.steps.append(row)
        self.taken += 1
        return plan, row

    def sample(self, name: str) -> list[int]:
        """What the stand-in makes; computed tokens already count the step's own."""
        request = self.requests[name]
        if request.num_computed_tokens < request.num_tokens:
            return []
        self.sampled[name] += 1
        return [1000 + 17 * self.sampled[name] + sum(map(ord, name))]

    def finish(self, plan: Any, row: dict[str, Any], report: Any = None) -> None:
        """Give the step's samples, and the worker's report on KV transfers, back to the scheduler."""
        from vllm.v1.outputs import ModelRunnerOutput

        names = list(plan.num_scheduled_tokens)
        samples = [self.sample(name) for name in names]
        made = ModelRunnerOutput(
            req_ids=names,
            req_id_to_index={name: place for place, name in enumerate(names)},
            sampled_token_ids=samples,
            kv_connector_output=report,
        )
        answers = self.scheduler.update_from_output(plan, made)
        outputs = [output for answer in answers.values() for output in answer.outputs]
        row["sampled"] = {name: len(tokens) for name, tokens in zip(names, samples, strict=True) if tokens}
        row["finished"] = {o.request_id: str(o.finish_reason) for o in outputs if o.finish_reason is not None}

    def step(self) -> dict[str, Any]:
        """One whole step; returns its row."""
        plan, row = self.schedule()
        self.finish(plan, row)
        return row

    def abort(self, name: str) -> None:
        """Abort a request between two steps."""
        from vllm.v1.request import RequestStatus

        self.scheduler.finish_requests(name, RequestStatus.FINISHED_ABORTED)

    def play(self, asks: Sequence[Ask], limit: int = 200) -> None:
        """Add each request when its time comes, and step until nothing is left or `limit` steps are taken."""
        coming = list(asks)
        while self.taken < limit:
            while coming and coming[0].after <= self.taken:
                self.add(coming.pop(0))
            if not coming and not self.scheduler.has_unfinished_requests():
                return
            self.step()

    def document(self, **facts: Any) -> dict[str, Any]:
        """The case as it stands in a golden file; `facts` stand before the steps."""
        preemptions = {name: r.num_preemptions for name, r in self.requests.items() if r.num_preemptions}
        return {
            "config": self.config,
            "requests": self.asked,
            "warm_up_steps": self.taken - len(self.steps),
            **facts,
            "preemptions": preemptions,
            "steps": self.steps,
        }
