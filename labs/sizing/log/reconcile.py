"""Which reconciliation a log gets: by blocks (V0), by a refusal, or by its token lines (V1)."""

from __future__ import annotations

from labs.sizing.log.outcome import IDENTITY, Outcome
from labs.sizing.log.refusal import reconcile_refusal
from labs.sizing.log.v0 import reconcile_v0
from labs.sizing.log.v1 import reconcile_v1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from labs.model.stack import ModelStack
    from labs.sizing.log.budget import Budget
    from labs.sizing.log.known import Known
    from labs.sizing.log.printed import Printed

UNKNOWN = "unknown"


def reconcile(
    printed: Printed, stack: ModelStack | None, known: Known, budget: Budget | None = None
) -> Outcome:
    """The outcome for a log's figures; a log of failures alone has none."""
    if printed.is_v0:
        return reconcile_v0(printed, stack, known, budget.kv_gib if budget is not None else None)
    if printed.refuses:
        return reconcile_refusal(printed, stack, known)
    if printed.kv_tokens is not None or printed.concurrency is not None or printed.kv_gib is not None:
        return reconcile_v1(printed, stack, known)
    return Outcome(IDENTITY, UNKNOWN)
