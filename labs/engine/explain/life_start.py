"""What the first round of a run tells of its pool: how large it is, and who holds which blocks before it.

Who decodes from the start took blocks one after another from a fresh pool, in the order of the list; who is
not served in the first round shows no table there.
"""

from __future__ import annotations

from labs.engine.blocks import num_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.engine.requests import Request
    from labs.engine.simulator import Round

    Tables = dict[str, list[int]]


def first_tables(round: Round, requests: Sequence[Request], block_size: int) -> Tables:
    """The blocks of each request that decodes from the start, before round 1; empty if no blocks are seen."""
    if round.columns is None:
        return {}
    held = {r.name: num_blocks(r.context, block_size) for r in requests if r.prefill == 0}
    block = _first_block(round, held)
    tables: Tables = {}
    for name, count in held.items():
        tables[name] = list(range(block, block + count))
        block += count
    return tables


def _first_block(round: Round, held: dict[str, int]) -> int:
    """The lowest id of the pool: engines differ in whether block 0 is handed out."""
    assert round.columns is not None
    shown = {item.request: table for item, table in zip(round.work, round.columns.block_tables)}
    before = 0
    for name, count in held.items():
        if name in shown:
            return shown[name][0] - before
        before += count
    if round.work:  # whoever is admitted first took the blocks right after theirs
        return shown[round.work[0].request][0] - before
    return min(round.columns.free_queue_after_step or (0,))


def pool_size(round: Round, before: Tables) -> int | None:
    """Usable blocks of the pool, from its first round; None if there is no end of them, or none are seen."""
    columns = round.columns
    if columns is None or columns.free_queue_after_step is None:
        return None
    if columns.external is not None:
        tables = [table for *_, table in columns.external.after_update]
    else:
        shown = {item.request: table for item, table in zip(round.work, columns.block_tables)}
        held = {**{name: tuple(table) for name, table in before.items()}, **shown}
        gone = {*round.finished, *round.preempted}
        tables = [table for name, table in held.items() if name not in gone]
    return len(columns.free_queue_after_step) + len({block for table in tables for block in table})
