"""`schedule --bug NAME`: a broken scheduler beside the right one, and the first step that breaks a rule.

Both play the same requests under rule vllm; the bugs, with a case of its own for each, stand in `labs.bugs`.
Does not model: other rules; what `labs.bugs.face` leaves out.
"""

from __future__ import annotations

from labs.base import LabError, require
from labs.bugs import BUGS, Break, Bug, module_of
from labs.bugs.account import Account, Case, Variant, hit_of_waiting, play
from labs.bugs.face import BugFace as Face
from labs.bugs.face import BugParams, BugResult, refuse
from labs.bugs.invariants import OF_RUNS, READ_TABLES
from labs.engine.knobs import CONFIG_KEYS, Knobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from labs.engine.simulator import Round, Run
    from labs.files.requests import RequestFile

RULE = "vllm"


class Params(BugParams):
    """The bug, and the requests and knobs that it is tried on."""

    case: Case


class Result(BugResult):
    """Both runs, the right one None where the requests were refused, and why; where they part is a round."""

    params: Params
    right: Account | None
    refusal: LabError | None
    broken: Account


class BugFace(Face):
    """The face of the schedule lab under `--bug`."""

    def params(self, bug: str, **options: Any) -> Params:
        """What the options give over the bug's own case; `LabError` at an option that means nothing here."""
        chosen, own = BUGS[bug], module_of(bug).CASE
        refuse(chosen, (*self.lab.NOT_WITH_PREDICT, *chosen.not_with), options)
        rule = options.get("rule", RULE)
        require(rule == RULE, "--rule", "bug_of_rule", rule, bug=bug, name=RULE)
        given = self.lab.given(**{**options, "rule": RULE})
        refuse_config(chosen, options.get("requests"))
        if "external" in given and "external" in chosen.not_with:
            raise LabError(given["external"].where, "not_with", "external", other=f"--bug {bug}")
        settings = own.knobs.as_dict()
        if chosen.own_pool_only and "requests" in given:
            settings["kv_blocks"] = None
        settings.update(given)
        settings.setdefault("requests", own.requests)
        if "requests" not in given:
            settings.setdefault("external", own.external)
        # the lab refuses what cannot be; here a request larger than the pool may be, if the variant lets it
        blocks = {}
        if not module_of(bug).VARIANT.refuses_oversized:
            blocks = {"kv_blocks": None}
            for request in settings["requests"]:
                require(request.decode is not None, "--request", "endless_beside_bug", request.name, bug=bug)
        checked = self.lab.Params(**{**settings, **blocks})
        knobs = Knobs(**{knob: settings[knob] for knob in Knobs.field_names})
        case = Case(checked.requests, knobs, checked.external, checked.rounds)
        return Params(bug=chosen, is_own=case == own, case=case)

    def run(self, params: Params, detail: bool = False) -> Result:
        """Play both, and look for the first round that differs and the first step that breaks.

        Tables are recorded where `detail` or the invariant asks for them.
        """
        bug, case = params.bug, params.case
        detail = detail or bug.invariant in READ_TABLES
        right, refusal = None, None
        try:
            right = play(case, detail=detail)
        except LabError as error:
            if error.rule != "larger_than_pool":
                raise
            refusal = error
        variant = module_of(bug.name).VARIANT
        broken = play(case, variant, detail)
        parted = first_difference(right.run, broken.run) if right else None
        first = OF_RUNS[bug.invariant](case, broken)
        if first is not None and bug.invariant == "budget":
            first = with_hit(first, case, variant)
        return Result(parted=parted, first=first, params=params, right=right, refusal=refusal, broken=broken)

    def render(self, result: Result, lang: str) -> str:
        from labs.view.bug_schedule import render_schedule_bug

        return render_schedule_bug(result, lang)

    def document(self, result: Result) -> dict[str, Any]:
        """Under the lab's own name; played again, if need be, for the tables that only JSON shows."""
        from labs.view.bug_json import schedule_bug_document

        if result.params.bug.invariant not in READ_TABLES:
            result = self.run(result.params, detail=True)
        return {"lab": self.name, **schedule_bug_document(result)}


def refuse_config(bug: Bug, file: RequestFile | None) -> None:
    """`LabError` at the line of a file that names a knob which means nothing beside a bug."""
    for entry in file.config if file else ():
        allowed = CONFIG_KEYS[entry.key] not in bug.not_with
        require(allowed, f"{entry.where}: {entry.key}", "not_with", entry.value, other=f"--bug {bug.name}")


def with_hit(first: Break, case: Case, variant: Variant) -> Break:
    """Who waits with budget left over: how much it would hit, what is left to compute, whether that fits."""
    name, tokens, unused = [first.values[key] for key in ("name", "tokens", "unused")]
    hit = hit_of_waiting(case, variant, name, first.step)
    how = "whole" if tokens - hit <= unused else "part"
    return first.replace(values={"how": how, **first.values, "hit": hit, "left": tokens - hit})


def first_difference(right: Run, broken: Run) -> int | None:
    """The first round in which two runs do not do the same."""
    ours, theirs = ([_done(round) for round in run.rounds] for run in (right, broken))
    for number in range(1, max(len(ours), len(theirs)) + 1):
        if ours[number - 1 : number] != theirs[number - 1 : number]:
            return number
    return None


def _done(round: Round) -> tuple[object, ...]:
    return round.work, round.preempted, round.finished, round.aborted
