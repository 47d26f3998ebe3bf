"""What an engine's scheduler, and its pool, offer to the stepper: for type checkers only."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable
    from typing import Protocol

    from labs.engine.external.connector import ExternalKV
    from labs.engine.run.decision import Decision
    from labs.engine.run.live_request import LiveRequest

    class Pool(Protocol):
        """What both engines' pools offer."""

        num_blocks: int
        key_of: dict[int, Hashable]

        @property
        def is_limited(self) -> bool: ...
        @property
        def num_free(self) -> int: ...
        @property
        def num_used(self) -> int: ...
        def free_queue(self) -> list[int]: ...
        def take(self, count: int) -> list[int]: ...

    class EngineScheduler(Protocol):
        """What an engine's scheduler offers."""

        @property
        def pool(self) -> Pool: ...
        @property
        def waiting(self) -> Collection[LiveRequest]: ...

        block_size: int
        external: ExternalKV | None
        running: list[LiveRequest]

        def add(self, request: LiveRequest) -> None: ...
        def add_decoding(self, request: LiveRequest) -> bool: ...
        def schedule(self) -> Decision: ...
        def update_from_output(self, decision: Decision, number: int) -> list[LiveRequest]: ...
        def end(self, request: LiveRequest) -> None: ...
        def quiet_rounds(self, most: int) -> int: ...
        def decode(self, rounds: int) -> list[LiveRequest]: ...
