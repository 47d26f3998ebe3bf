"""`schedule --bug NAME`: a broken scheduler beside the right one, and the first step that breaks a rule.

Both play the same requests under rule vllm; the bugs, with a case of its own for each, stand in `labs.bugs`.
The line is read as a command of another name, as with `--predict`; its face gets the lab's own.
Does not model: several bugs at a time; other rules.
"""

from __future__ import annotations

from labs.base import LabError, Record, require
from labs.bugs import BUGS, Bug, module_of
from labs.bugs.account import Account, Case, play
from labs.bugs.invariants import INVARIANTS, Break
from labs.engine.knobs import Knobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.engine.simulator import Round, Run

RULE = "vllm"


class Params(Record):
    """The bug, and what it is tried on; `is_own` says that this is the bug's own case."""

    bug: Bug
    case: Case
    is_own: bool


class Result(Record):
    """Both runs, the right one None where the requests were refused; where they part, and what breaks.

    `parted` is the first round that differs, `first` the first step that breaks the bug's invariant.
    """

    params: Params
    right: Account | None
    refusal: LabError | None
    broken: Account
    parted: int | None
    first: Break | None

    @property
    def holds(self) -> bool:
        """What is broken here is broken on purpose."""
        return True


class BugFace:
    """The face of the schedule lab under `--bug`; `lab` is the lab's own."""

    def __init__(self, name: str, lab: Any) -> None:
        self.name, self.lab = name, lab
        self.Params = lab.Params

    def params(self, bug: str, **options: Any) -> Params:
        """What the options give over the bug's own case; `LabError` at an option that means nothing here."""
        chosen, own = BUGS[bug], module_of(bug).CASE
        for knob in (*self.lab.NOT_WITH_PREDICT, *chosen.refuses):
            option = "--" + knob.replace("_", "-")
            require(knob not in options, option, "not_with", option, other=f"--bug {bug}")
        rule = options.get("rule", RULE)
        require(rule == RULE, "--rule", "bug_of_rule", rule, bug=bug, name=RULE)
        given = self.lab.given(**{**options, "rule": RULE})
        if "external" in given and "external" in chosen.refuses:
            raise LabError(given["external"].where, "not_with", "external", other=f"--bug {bug}")
        settings = own.knobs.as_dict()
        if chosen.any_pool and "requests" in given:
            settings["kv_blocks"] = None
        settings.update(given)
        settings.update({knob: own.knobs.as_dict()[knob] for knob in chosen.refuses if knob != "external"})
        settings.setdefault("requests", own.requests)
        if "requests" not in given:
            settings.setdefault("external", own.external)
        # the lab refuses what cannot be; under `oversized` all but a request larger than the pool
        blocks = {"kv_blocks": None} if bug == "oversized" else {}
        checked = self.lab.Params(**{**settings, **blocks})
        knobs = Knobs(**{knob: settings[knob] for knob in Knobs.field_names})
        case = Case(checked.requests, knobs, checked.external, checked.rounds)
        return Params(chosen, case, case == own)

    def run(self, params: Params) -> Result:
        """Play both, and look for the first round that differs and the first step that breaks."""
        bug, case = params.bug, params.case
        right, refusal = None, None
        try:
            right = play(case)
        except LabError as error:
            if error.rule != "larger_than_pool":
                raise
            refusal = error
        broken = play(case, module_of(bug.name).VARIANT)
        parted = first_difference(right.run, broken.run) if right else None
        return Result(params, right, refusal, broken, parted, INVARIANTS[bug.invariant](case, broken))

    def render(self, result: Result, lang: str) -> str:
        from labs.view.bug_schedule import render_schedule_bug

        return render_schedule_bug(result, lang)

    def document(self, result: Result) -> dict[str, Any]:
        """Under the lab's own name."""
        from labs.view.bug_json import schedule_bug_document

        return {"lab": self.name, **schedule_bug_document(result)}


def first_difference(right: Run, broken: Run) -> int | None:
    """The first round in which two runs do not do the same."""
    ours, theirs = ([_done(round) for round in run.rounds] for run in (right, broken))
    for number in range(1, max(len(ours), len(theirs)) + 1):
        if ours[number - 1 : number] != theirs[number - 1 : number]:
            return number
    return None


def _done(round: Round) -> tuple[object, ...]:
    return round.work, round.preempted, round.finished, round.aborted
