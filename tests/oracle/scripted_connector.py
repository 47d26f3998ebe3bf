"""A KV connector for vLLM that moves no data: its answers are scripted and every call is logged.

vLLM loads this module by name, so that it is imported only where vLLM is.
"""

from __future__ import annotations

from typing import Any

from vllm.distributed.kv_transfer.kv_connector.v1.base import KVConnectorBase_V1, KVConnectorMetadata

from tests.oracle.connector_run import Answer


class NothingToLoad(KVConnectorMetadata):  # type: ignore[misc]
    """What the worker side is told each step."""


class ScriptedConnector(KVConnectorBase_V1):  # type: ignore[misc]
    """`answers` by request, the last of which repeats; `kept`: the requests whose blocks outlive them."""

    def __init__(self, vllm_config: Any, role: Any, kv_cache_config: Any) -> None:
        super().__init__(vllm_config=vllm_config, role=role, kv_cache_config=kv_cache_config)
        self.answers: dict[str, list[Answer]] = {}
        self.kept: set[str] = set()
        self.calls: list[list[Any]] = []

    def get_num_new_matched_tokens(self, request: Any, num_computed_tokens: int) -> tuple[int | None, bool]:
        """The tokens beyond the local hit."""
        answers = self.answers.get(request.request_id, [(0, False)])
        total, later = answers.pop(0) if len(answers) > 1 else answers[0]
        beyond = None if total is None else max(0, total - num_computed_tokens)
        name = "get_num_new_matched_tokens"
        self.calls.append([name, request.request_id, num_computed_tokens, beyond, later])
        return beyond, bool(later and beyond)

    def update_state_after_alloc(self, request: Any, blocks: Any, num_external_tokens: int) -> None:
        """The blocks are there."""
        table = list(blocks.get_block_ids()[0])
        self.calls.append(["update_state_after_alloc", request.request_id, table, num_external_tokens])

    def build_connector_meta(self, scheduler_output: Any) -> NothingToLoad:
        """Once a step."""
        self.calls.append(["build_connector_meta", dict(scheduler_output.num_scheduled_tokens)])
        return NothingToLoad()

    def request_finished(self, request: Any, block_ids: list[int]) -> tuple[bool, None]:
        """Whether the blocks are kept until the worker reports them sent."""
        kept = request.request_id in self.kept
        self.calls.append(["request_finished", request.request_id, list(block_ids), kept])
        return kept, None

    def update_connector_output(self, connector_output: Any) -> None:
        """The worker's report."""
        received = sorted(connector_output.finished_recving or ())
        sent = sorted(connector_output.finished_sending or ())
        bad = sorted(connector_output.invalid_block_ids)
        self.calls.append(["update_connector_output", received, sent, bad])

    def start_load_kv(self, forward_context: Any, **_more: Any) -> None:
        """Worker side; never called, as the next three."""

    def wait_for_layer_load(self, layer_name: str) -> None: ...

    def save_kv_layer(self, layer_name: str, kv_layer: Any, attn_metadata: Any, **_more: Any) -> None: ...

    def wait_for_save(self) -> None: ...
