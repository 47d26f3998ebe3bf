"""The cases of the sheet `bugs`: numbers, and the broken run that they lead to.

Each record holds the numbers of one case, in which order four invariants are listed, and the printed run; the
run itself is played by `labs.bugs`, printed by `answers.sheets.bugs_print`.

Does not model: the right run; it is what the learner has in mind.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from labs.base import Record
from labs.bugs import BUGS, Break, module_of
from labs.bugs.account import Account, Case, Tpot, play
from labs.bugs.invariants import OF_RUNS
from labs.bugs.look_up import OF_LOOK_UPS, LookUp, Prompts, look_up
from labs.engine.external.script import ExternalScript, Report
from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.simulator import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from labs.engine.simulator import Round

NUM_INVARIANTS = 4
NO_ROUNDS = Run((), (), ())
OWN = {"A": 1000, "B": 2000}  # first token id of what a request does not share


class Shown(Record):
    """A case: in which order its invariants are listed (the broken one is 0), and its run in print."""

    bug: ClassVar[str] = ""
    order: tuple[int, ...] = (0, 1, 2, 3)
    run: str = ""


class LookedUp(Shown):
    """A's full blocks are cached, B is looked up."""

    a: tuple[int, ...] = ()
    b: tuple[int, ...] = ()
    block_size: int = 2


class FullHit(LookedUp):
    bug = "full-hit"


class Unchained(LookedUp):
    bug = "unchained"


class Scheduled(Shown):
    """Requests under a scheduler."""

    def case(self) -> Case:
        raise NotImplementedError


class InFlight(Scheduled):
    """B shares `shared` tokens with A, for which they are loaded until round `report`."""

    bug = "in-flight-hit"
    block_size: int = 4
    shared: int = 8
    a_prompt: int = 10
    b_prompt: int = 11
    b_arrive: int = 2
    report: int = 3

    def case(self) -> Case:
        prompts = [sharing(name, self.shared, n) for name, n in (("A", self.a_prompt), ("B", self.b_prompt))]
        a = Request("A", self.a_prompt, 1, prompt=prompts[0])
        b = Request("B", self.b_prompt, 2, self.b_arrive, prompt=prompts[1])
        script = ExternalScript({"A": ((self.shared, True),)}, {self.report: Report(finished_recving=("A",))})
        return Case((a, b), Knobs(budget=64, block_size=self.block_size), script)


class BudgetFirst(Scheduled):
    """B shares `shared` tokens with A, C nothing; both arrive while A decodes."""

    bug = "budget-before-hit"
    block_size: int = 4
    budget: int = 12
    shared: int = 8
    a_prompt: int = 10
    a_decode: int = 3
    b_prompt: int = 12
    c_prompt: int = 5
    arrive: int = 2

    def case(self) -> Case:
        a = Request("A", self.a_prompt, self.a_decode, prompt=sharing("A", self.shared, self.a_prompt))
        b = Request("B", self.b_prompt, 0, self.arrive, prompt=sharing("B", self.shared, self.b_prompt))
        c = Request("C", self.c_prompt, 0, self.arrive)
        return Case((a, b, c), Knobs(budget=self.budget, block_size=self.block_size))


class Recounted(Scheduled):
    """Two requests, and a pool that is too small for both to the end."""

    bug = "preempted-as-hits"
    blocks: int = 7
    a_prefill: int = 6
    a_decode: int = 6
    b_prefill: int = 4
    b_decode: int = 5

    def case(self) -> Case:
        a, b = Request("A", self.a_prefill, self.a_decode), Request("B", self.b_prefill, self.b_decode)
        return Case((a, b), Knobs(budget=64, block_size=2, kv_blocks=self.blocks))


class Pooled(Scheduled):
    """Three requests; C arrives while A and B decode."""

    bug = "pooled-rounding"
    block_size: int = 4
    blocks: int = 5
    a_prefill: int = 5
    b_prefill: int = 6
    c_prefill: int = 5
    c_arrive: int = 3

    def case(self) -> Case:
        a, b = Request("A", self.a_prefill, 4), Request("B", self.b_prefill, 4)
        c = Request("C", self.c_prefill, 2, self.c_arrive)
        knobs = Knobs(budget=64, block_size=self.block_size, kv_blocks=self.blocks, prefix_caching=False)
        return Case((a, b, c), knobs)


class Oversized(Scheduled):
    """A, which outgrows the pool, and a small B."""

    bug = "oversized"
    block_size: int = 4
    blocks: int = 4
    budget: int = 8
    a_prefill: int = 11
    a_decode: int = 8
    b_prefill: int = 2
    b_arrive: int = 3

    def case(self) -> Case:
        a, b = Request("A", self.a_prefill, self.a_decode), Request("B", self.b_prefill, 1, self.b_arrive)
        knobs = Knobs(self.budget, self.blocks, self.block_size, prefix_caching=False)
        return Case((a, b), knobs.replace(full_prompt_must_fit=False))


class Reported(Shown):
    """A report's rows: outputs, round of the first, round of the last."""

    bug = "tpot-by-n"
    rows: tuple[tuple[int, int, int], ...] = ((1, 1, 1), (5, 1, 9), (3, 4, 6))


def sharing(name: str, shared: int, length: int) -> tuple[int, ...]:
    """A prompt whose first tokens are everybody's.

    >>> sharing("B", 2, 4)
    (1, 2, 2000, 2001)
    """
    return (*range(1, shared + 1), *range(OWN[name], OWN[name] + length - shared))


@lru_cache(maxsize=64)  # a problem's mistakes look at the same run as its key
def played(inputs: Shown) -> tuple[LookUp | Account, Break | None]:
    """The broken run, and the first step at which it breaks the bug's invariant."""
    invariant, variant = BUGS[inputs.bug].invariant, module_of(inputs.bug).VARIANT
    if isinstance(inputs, LookedUp):
        prompts = Prompts(inputs.a, inputs.b, inputs.block_size)
        looked = look_up(prompts, variant)
        return looked, OF_LOOK_UPS[invariant](prompts, looked)
    if isinstance(inputs, Reported):
        tpots = []
        for name, (outputs, first, last) in zip("ABCDEF", inputs.rows):
            value = Fraction(last - first, variant.divisor(outputs)) if outputs > 1 else None
            tpots.append(Tpot(name, outputs, first, last, value))
        reported = Account(NO_ROUNDS, (), tuple(tpots))
        return reported, OF_RUNS[invariant](Case((), Knobs()), reported)
    assert isinstance(inputs, Scheduled)
    case = inputs.case()
    account = play(case, variant)
    return account, OF_RUNS[invariant](case, account)


def broken_run(inputs: Shown) -> tuple[LookUp | Account, Break | None]:
    """The same, whatever the order and the print."""
    return played(inputs.replace(order=(), run=""))


def first_step(inputs: Shown) -> int:
    """Where the invariant is broken first."""
    first = broken_run(inputs)[1]
    assert first is not None  # no case is asked in which the bug does not show
    return first.step


def rounds_of(inputs: Shown) -> tuple[Round, ...]:
    """The rounds of a scheduler's run."""
    run = broken_run(inputs)[0]
    return run.run.rounds if isinstance(run, Account) else ()


def num_steps(inputs: Shown) -> int:
    """How many steps a run has."""
    run = broken_run(inputs)[0]
    if not isinstance(run, Account):
        return len(run.blocks)
    return len(rounds_of(inputs)) or len(run.tpots)


@lru_cache(maxsize=8)
def deeds_of_own_case(bug: str) -> object:
    """What the broken run does on the lab's own case, which `--bug` shows with its answer."""
    case, variant = module_of(bug).CASE, module_of(bug).VARIANT
    if isinstance(case, Prompts):
        return deeds(look_up(case, variant))
    account = play(case, variant)
    has_rounds = BUGS[bug].unit == "round"  # a report is asked about by its rows alone
    return deeds(account if has_rounds else account.replace(run=NO_ROUNDS))


def deeds(run: LookUp | Account) -> object:
    """What a run does, whatever its tokens are called and however much budget is left over.

    Of a report, which has no rounds, it is what its rows say.
    """
    if isinstance(run, LookUp):
        return [(block.found, block.hit) for block in run.blocks]
    rounds = [(r.work, r.admitted, r.preempted, tuple(r.waiting)) for r in run.run.rounds]
    return rounds or [(tpot.outputs, tpot.first, tpot.last) for tpot in run.tpots]
