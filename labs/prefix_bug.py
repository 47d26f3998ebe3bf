"""`prefix --bug NAME`: a broken look-up beside the right one, and the first block that breaks an invariant.

B is looked up among A's blocks by both; the bugs, with a case of its own for each, stand in `labs.bugs`. The
line is read as a command of another name, as with `--predict`; its face gets the lab's own.
Does not model: several bugs at a time.
"""

from __future__ import annotations

from labs.base import Record, require
from labs.bugs import BUGS, Bug, module_of
from labs.bugs.invariants import Break
from labs.bugs.look_up import INVARIANTS, LookUp, Prompts, look_up
from labs.engine.hash_chain import ExtraKeys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Params(Record):
    """The bug, and what it is tried on; `is_own` says that this is the bug's own case."""

    bug: Bug
    case: Prompts
    is_own: bool


class Result(Record):
    """Both look-ups, the first block that one hits and the other does not, and what breaks."""

    params: Params
    right: LookUp
    broken: LookUp
    parted: int | None
    first: Break | None

    @property
    def holds(self) -> bool:
        """What is broken here is broken on purpose."""
        return True


class BugFace:
    """The face of the prefix lab under `--bug`; `lab` is the lab's own."""

    def __init__(self, name: str, lab: Any) -> None:
        self.name, self.lab = name, lab
        self.Params = lab.Params

    def params(self, bug: str, **options: Any) -> Params:
        """What the options give over the bug's own case; `LabError` at an option that means nothing here."""
        chosen, own = BUGS[bug], module_of(bug).CASE
        for knob in chosen.refuses:
            option = "--" + knob.replace("_", "-")
            require(knob not in options, option, "not_with", option, other=f"--bug {bug}")
        defaults = {"a": own.a, "b": own.b, "block_size": own.block_size}
        checked = self.lab.Params(**{**defaults, **options})
        keys = ExtraKeys(checked.salt, checked.lora, (), checked.namespace)
        case = Prompts(checked.a, checked.b, checked.block_size, checked.scheme, checked.hash_seed, keys)
        return Params(chosen, case, not options)

    def run(self, params: Params) -> Result:
        """Look B up in both ways."""
        case = params.case
        right, broken = look_up(case), look_up(case, module_of(params.bug.name).VARIANT)
        pairs = zip(right.blocks, broken.blocks)
        parted = next((ours.index for ours, theirs in pairs if ours.hit != theirs.hit), None)
        return Result(params, right, broken, parted, INVARIANTS[params.bug.invariant](case, broken))

    def render(self, result: Result, lang: str) -> str:
        from labs.view.bug_prefix import render_prefix_bug

        return render_prefix_bug(result, lang)

    def document(self, result: Result) -> dict[str, Any]:
        """Under the lab's own name."""
        from labs.view.bug_json import prefix_bug_document

        return {"lab": self.name, **prefix_bug_document(result)}
