"""Scheduling rules by name, one a module: which engine each models stands in its docstring.

To add a rule, write it either as the lecture's are, a function (states in order, budget) -> list of Work
that `LectureStepper` plays, or as a scheduler of its own that `EngineStepper` plays; then add an entry here:
the knobs it has, and how it is made.
"""

from __future__ import annotations

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from labs.engine.external.script import ExternalScript
    from labs.engine.knobs import Knobs
    from labs.engine.simulator import Stepper

    Make = Callable[[Knobs, ExternalScript | None, bool], Stepper]

POOL_KNOBS = ("kv_blocks", "block_size", "max_num_seqs", "prefix_caching")
VLLM_KNOBS = (
    *POOL_KNOBS,
    *(
        "max_model_len",
        "long_prefill_threshold",
        "policy",
        "full_prompt_must_fit",
        "chunked_prefill",
        "watermark",
    ),
)


class Rule(Record):
    """A rule's knobs beside `budget`, and how a stepper for it is made: (knobs, external KV, detail)."""

    knobs: tuple[str, ...]
    make: Make


def _decode_first(knobs: Knobs, external: ExternalScript | None, detail: bool) -> Stepper:
    from labs.engine.rules.decode_first import decode_first
    from labs.engine.rules.lecture import LectureStepper

    return LectureStepper(decode_first, knobs.budget)


def _prefill_first(knobs: Knobs, external: ExternalScript | None, detail: bool) -> Stepper:
    from labs.engine.rules.lecture import LectureStepper
    from labs.engine.rules.prefill_first import prefill_first

    return LectureStepper(prefill_first, knobs.budget)


def _static(knobs: Knobs, external: ExternalScript | None, detail: bool) -> Stepper:
    from labs.engine.rules.lecture import LectureStepper
    from labs.engine.rules.static import static

    return LectureStepper(static(knobs.max_num_seqs), knobs.budget)


def _vllm(knobs: Knobs, external: ExternalScript | None, detail: bool) -> Stepper:
    from labs.engine.run.engines import vllm

    return vllm(knobs, external, detail)


def _nano_vllm(knobs: Knobs, external: ExternalScript | None, detail: bool) -> Stepper:
    from labs.engine.run.engines import nano_vllm

    return nano_vllm(knobs, detail)


RULES = {
    "decode-first": Rule((), _decode_first),
    "prefill-first": Rule((), _prefill_first),
    "static": Rule(("max_num_seqs",), _static),
    "nano-vllm": Rule(POOL_KNOBS, _nano_vllm),
    "vllm": Rule(VLLM_KNOBS, _vllm),
}
