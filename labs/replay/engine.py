"""A rule of the schedule lab, ready to be played against a clock; engines know requests by a trace's ids."""

from __future__ import annotations

from labs.engine.rules import RULES
from labs.engine.run.stepper import EngineStepper
from labs.replay.trace_keys import TraceKeys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from labs.engine.knobs import Knobs
    from labs.engine.requests import Request
    from labs.engine.run.live_request import LiveRequest
    from labs.engine.simulator import Stepper


def stepper_of(rule: str, knobs: Knobs, ids: Mapping[str, tuple[int, ...]], block_tokens: int) -> Stepper:
    """The rule's stepper, without tables and queues; requests with `ids` share what these say they share."""
    stepper = RULES[rule].make(knobs, None, False, False)
    if isinstance(stepper, EngineStepper) and ids:
        make_live = stepper.make_live

        def with_trace_keys(request: Request, position: int) -> LiveRequest:
            live = make_live(request, position)
            if request.name in ids:
                live.keys = TraceKeys(
                    ids[request.name], request.prefill, block_tokens, knobs.block_size, position
                )
            return live

        stepper.make_live = with_trace_keys
    return stepper


def takes_many_steps(rule: str) -> bool:
    """Whether equal decode steps in a row may be taken at once: only then is a step's time known before."""
    return RULES[rule].has_pool
