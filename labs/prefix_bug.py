"""`prefix --bug NAME`: a broken look-up beside the right one, and the first block that breaks an invariant.

B is looked up among A's blocks by both; the bugs, with a case of its own for each, stand in `labs.bugs`.
Does not model: what `labs.bugs.face` leaves out.
"""

from __future__ import annotations

from labs.bugs import BUGS, module_of
from labs.bugs.face import BugFace as Face
from labs.bugs.face import BugParams, BugResult, refuse
from labs.bugs.look_up import OF_LOOK_UPS, LookUp, Prompts, look_up
from labs.engine.hash_chain import ExtraKeys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.bugs.look_up import Looked


class Params(BugParams):
    """The bug, and the prompts that it is tried on."""

    case: Prompts


class Result(BugResult):
    """Both look-ups; they part at the first block that does not hit the same block of A in both."""

    params: Params
    right: LookUp
    broken: LookUp


class BugFace(Face):
    """The face of the prefix lab under `--bug`."""

    def params(self, bug: str, **options: Any) -> Params:
        """What the options give over the bug's own case; `LabError` at an option that means nothing here."""
        chosen, own = BUGS[bug], module_of(bug).CASE
        refuse(chosen, chosen.not_with, options)
        defaults = {"a": own.a, "b": own.b, "block_size": own.block_size}
        checked = self.lab.Params(**{**defaults, **options})
        keys = ExtraKeys(checked.salt, checked.lora, (), checked.namespace)
        case = Prompts(checked.a, checked.b, checked.block_size, checked.scheme, checked.hash_seed, keys)
        return Params(bug=chosen, is_own=not options, case=case)

    def run(self, params: Params) -> Result:
        """Look B up in both ways."""
        case = params.case
        right, broken = look_up(case), look_up(case, module_of(params.bug.name).VARIANT)
        pairs = zip(right.blocks, broken.blocks)
        parted = next((ours.index for ours, theirs in pairs if _hit_block(ours) != _hit_block(theirs)), None)
        first = OF_LOOK_UPS[params.bug.invariant](case, broken)
        return Result(parted=parted, first=first, params=params, right=right, broken=broken)

    def render(self, result: Result, lang: str) -> str:
        from labs.view.bug_prefix import render_prefix_bug

        return render_prefix_bug(result, lang)

    def document(self, result: Result) -> dict[str, Any]:
        """Under the lab's own name."""
        from labs.view.bug_json import prefix_bug_document

        return {"lab": self.name, **prefix_bug_document(result)}


def _hit_block(block: Looked) -> int | None:
    """A's block that a block of B hits."""
    return block.found if block.hit else None
