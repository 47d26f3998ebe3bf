"""Scheduling rules by name, one a module: which engine each models stands in its docstring.

To add a rule, write a function as the lecture's are, in a module of its name:

    from labs.engine.rules.lecture import State
    from labs.engine.simulator import DECODE, PREFILL, Work

    def last_first(states: Sequence[State], budget: int) -> list[Work]:
        return [Work(state.name, state.phase, 1) for state in reversed(states)][:budget]

`states` are the unfinished requests that have arrived, in order; a state has `name`, `phase`, `prefill_left`,
`decode_steps_left` (None: without end) and `joined`. Hand out at most the budget, to each at most what it has
left, a decode one token. Then add an entry below: the knobs it has beside `budget`, and how a
`LectureStepper` is made for it. Say `only_phases=True` there if the rule looks at names, order, phases and
prefills left alone: rounds of decodes are then taken many at once. (A whole scheduler with a pool offers what
`labs.engine.run.scheduler` lists, and is made in `labs.engine.run.engines`.)
"""

from __future__ import annotations

from labs.base import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from labs.engine.external.script import ExternalScript
    from labs.engine.knobs import Knobs
    from labs.engine.simulator import Stepper

    Make = Callable[..., Stepper]

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
    """A rule's knobs beside `budget`, and how a stepper for it is made.

    `make(knobs, external, detail, queues)`: the last three are for engines, and other rules ignore them.
    """

    knobs: tuple[str, ...]
    make: Make

    @property
    def has_pool(self) -> bool:
        return "kv_blocks" in self.knobs


def _decode_first(knobs: Knobs, *_: object) -> Stepper:
    from labs.engine.rules.decode_first import decode_first
    from labs.engine.rules.lecture import LectureStepper

    return LectureStepper(decode_first, knobs.budget, only_phases=True)


def _prefill_first(knobs: Knobs, *_: object) -> Stepper:
    from labs.engine.rules.lecture import LectureStepper
    from labs.engine.rules.prefill_first import prefill_first

    return LectureStepper(prefill_first, knobs.budget, only_phases=True)


def _static(knobs: Knobs, *_: object) -> Stepper:
    from labs.engine.rules.lecture import LectureStepper
    from labs.engine.rules.static import static

    return LectureStepper(static(knobs.max_num_seqs), knobs.budget, only_phases=True)


def _vllm(knobs: Knobs, external: ExternalScript | None, detail: bool, queues: bool = True) -> Stepper:
    from labs.engine.run.engines import vllm

    return vllm(knobs, external, detail, queues)


def _nano_vllm(knobs: Knobs, external: ExternalScript | None, detail: bool, queues: bool = True) -> Stepper:
    from labs.engine.run.engines import nano_vllm

    return nano_vllm(knobs, detail, queues)


RULES = {
    "decode-first": Rule((), _decode_first),
    "prefill-first": Rule((), _prefill_first),
    "static": Rule(("max_num_seqs",), _static),
    "nano-vllm": Rule(POOL_KNOBS, _nano_vllm),
    "vllm": Rule(VLLM_KNOBS, _vllm),
}


def require_knob(knob: str, rules: list[str], where: str, value: object) -> None:
    """Refuse a knob that none of the rules has."""
    from labs.base import LabError
    from labs.engine.knobs import OPTIONS

    known = dict.fromkeys(["budget", *(knob for rule in rules for knob in RULES[rule].knobs)])
    if knob not in known:
        options = ", ".join([OPTIONS[knob] for knob in known])
        raise LabError(where, "not_a_knob_of_rule", value, name=", ".join(rules), known=options)
