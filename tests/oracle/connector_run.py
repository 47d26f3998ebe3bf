"""A SchedulerRun with a scripted connector: each row also shows the states before, between and after."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.oracle.engine import hashed_blocks
from tests.oracle.scheduler_run import SchedulerRun

# Total prefix length that the outside holds (tokens; None is "ask again later"), and whether it is loaded
# while other steps run.
Answer = tuple["int | None", bool]


class Report(NamedTuple):
    """What a worker reports with a step; a bad block is a request and an index into its block table."""

    received: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    bad: tuple[tuple[str, int], ...] = ()
    failed: tuple[str, ...] = ()


class ConnectorRun(SchedulerRun):
    """`failure` is kv_load_failure_policy: what becomes of a request whose load failed."""

    def __init__(self, failure: str, **knobs: Any) -> None:
        from vllm.config import KVTransferConfig

        transfer = KVTransferConfig(
            kv_connector="ScriptedConnector",
            kv_role="kv_both",
            kv_connector_module_path="tests.oracle.scripted_connector",
            kv_load_failure_policy=failure,
        )
        super().__init__(**{"budget": 16, "num_blocks": 32, "transfer": transfer, **knobs})
        self.config["kv_load_failure_policy"] = failure
        self.connector: Any = self.scheduler.connector
        self.reports: dict[int, Report] = {}
        self.trace: dict[str, list[str]] = {}
        self.answers: dict[str, list[list[Any]]] = {}

    def where(self, name: str) -> str:
        """The queue that a request is in, `kept` if only its blocks are left, else `gone`."""
        queues = {
            "running": self.scheduler.running,
            "waiting": self.scheduler.waiting,
            "kv_holding_waiting": self.scheduler.kv_holding_waiting,
        }
        for queue, members in queues.items():
            if any(member.request_id == name for member in members):
                return queue
        return "kept" if name in self.scheduler.requests else "gone"

    def states(self) -> dict[str, list[Any]]:
        """Status, queue, computed tokens and block table of each request."""
        return {
            name: [str(request.status), self.where(name), request.num_computed_tokens, self.table(name)]
            for name, request in self.requests.items()
        }

    def step(self) -> dict[str, Any]:
        """One step, with the report that is due at it."""
        before = self.states()
        for name, answers in self.connector.answers.items():
            self.answers.setdefault(name, [list(answer) for answer in answers])
        plan, row = self.schedule()
        report = self.reports.pop(self.taken, None)
        row |= self.reported(report)
        row |= {
            "before": before,
            "after_schedule": self.states(),
            "has_sync_kv_loads": plan.has_sync_kv_loads,
        }
        self.finish(plan, row, self.output(report))
        row |= {"after_update": self.states(), "calls": self.connector.calls}
        self.connector.calls = []
        row |= {"cached_blocks": hashed_blocks(self.pool), "free_after": self.pool.get_num_free_blocks()}
        self.trace_states(row)
        return row

    def trace_states(self, row: dict[str, Any]) -> None:
        """Note each request's status where it changed."""
        for name, (between, *_) in row["after_schedule"].items():
            trace = self.trace.setdefault(name, [row["before"][name][0]])
            for status in (between, row["after_update"][name][0]):
                if status != trace[-1]:
                    trace.append(status)

    def bad_blocks(self, report: Report) -> list[int]:
        """The ids behind a report's bad blocks."""
        return sorted(self.table(name)[index] for name, index in report.bad)

    def reported(self, report: Report | None) -> dict[str, Any]:
        """The row's field for a report."""
        if report is None:
            return {}
        shown = {
            "finished_recving": sorted(report.received),
            "finished_sending": sorted(report.sent),
            "invalid_block_ids": self.bad_blocks(report),
            "failed_recving": sorted(report.failed),
        }
        return {"worker_report": shown}

    def output(self, report: Report | None) -> Any:
        """vLLM's form of a report."""
        from vllm.v1.outputs import KVConnectorOutput

        if report is None:
            return None
        return KVConnectorOutput(
            finished_recving=set(report.received) or None,
            finished_sending=set(report.sent) or None,
            invalid_block_ids=set(self.bad_blocks(report)),
            failed_recving=set(report.failed),
        )

    def document(self, **facts: Any) -> dict[str, Any]:
        """The case as it stands in a golden file."""
        shown = {"status_trace": self.trace, "connector_answers": self.answers}
        return super().document(**shown, blocks_outlive_request=sorted(self.connector.kept), **facts)
