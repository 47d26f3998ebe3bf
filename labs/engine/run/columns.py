"""What an engine's round looks like from inside: tables, queues, free blocks.

Of rounds that are alike only the last is kept; the others follow, since in them blocks are only taken from
the head of the free queue, one where a request's next token starts a block.
Source of the columns: runs of the engines (tokens computed before, block tables, who waits after scheduling,
the free queue after the step).
"""

from __future__ import annotations

from labs.base import Record
from labs.engine.blocks import num_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.engine.external.connector import State
    from labs.engine.external.script import Report


class ExternalColumns(Record):
    """A round under an external store; a state is (request, status, queue, tokens computed, block table).

    `calls` are the scheduler's calls of the connector, in order.
    """

    has_sync_loads: bool
    after_schedule: tuple[State, ...]
    after_update: tuple[State, ...]
    calls: tuple[tuple[object, ...], ...]
    cached_blocks: tuple[int, ...]
    report: Report | None


class Growth(Record):
    """Tokens computed before the first of rounds alike, by request; the blocks taken in them follow."""

    computed_before: tuple[int, ...]
    block_size: int

    def blocks_after(self, offset: int, repeat: int) -> int:
        """Blocks taken in the rounds after the one that many after the first, of `repeat` in all."""
        size = self.block_size
        return sum([(c + repeat - 1) // size - (c + offset) // size for c in self.computed_before])


class Columns(Record):
    """Parallel to the round's work: `computed_before` and `block_tables` (after scheduling).

    `free_queue_after_step` is None for an unlimited pool. `queue_before` is the free queue before the first
    of several rounds alike, `used_blocks` the blocks in use after scheduling.
    """

    computed_before: tuple[int, ...]
    block_tables: tuple[tuple[int, ...], ...]
    waiting_after_schedule: tuple[str, ...]
    free_queue_after_step: tuple[int, ...] | None
    used_blocks: int
    block_size: int
    queue_before: tuple[int, ...] | None = None
    external: ExternalColumns | None = None

    def after(self, offset: int) -> Columns:
        """The columns of the round that many rounds after the first, of rounds alike."""
        held = [num_blocks(computed + offset + 1, self.block_size) for computed in self.computed_before]
        taken_later = sum([len(table) - count for table, count in zip(self.block_tables, held)])
        queue = self.free_queue_after_step
        if queue is not None and self.queue_before is not None:
            queue = self.queue_before[len(self.queue_before) - len(queue) - taken_later :]
        return self.replace(
            computed_before=tuple([computed + offset for computed in self.computed_before]),
            block_tables=tuple([table[:count] for table, count in zip(self.block_tables, held)]),
            free_queue_after_step=queue,
            used_blocks=self.used_blocks - taken_later,
            queue_before=None,
        )
