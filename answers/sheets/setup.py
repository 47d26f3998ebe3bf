"""`setup`: what start-up and rates decide: KV memory, blocks, utilisation, block size, the knee.

    KV memory = card x utilisation - weights - activation peak - other     blocks = floor(KV memory / block)
    throughput = min(offered, capacity)       M/M/1: mean time in the system = 1 / (mu - lambda)
    planned rate = 70 % of the knee

Source: the course's set-up chapter. Does not model: what an engine measures in its profile run, bursts.
"""

from __future__ import annotations

from fractions import Fraction

from answers.draw import Draw, fresh
from answers.problem import Mistake, Problem
from labs.base import Record
from labs.replay.queueing import mm1_wait, planned_rate
from labs.view.units import SIZES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from answers.problem import Parts

SHEET = "setup"
MIB = SIZES["MiB"]


class Memory(Record):
    """p1: a card and what lies on it, in GiB; utilisation in percent."""

    card: int = 80
    utilisation: int = 90
    weights: int = 16
    activations: int = 4
    other: int = 2


def kv_memory(inputs: Memory) -> Parts:
    """GiB left for KV.

    >>> kv_memory(Memory(card=10, utilisation=50, weights=1, activations=1, other=1))
    (Fraction(2, 1),)
    """
    usable = Fraction(inputs.card * inputs.utilisation, 100)
    return (usable - inputs.weights - inputs.activations - inputs.other,)


class Raised(Record):
    """p2: a card in GB whose utilisation is raised."""

    card: int = 80
    low: int = 90
    high: int = 95


class Blocks(Record):
    """p3: memory in GB, blocks in MiB."""

    memory: int = 4
    block: int = 2


def blocks(inputs: Blocks) -> Parts:
    """Whole blocks.

    >>> blocks(Blocks(memory=4, block=2)), blocks(Blocks(memory=5, block=2))
    ((1907,), (2384,))
    """
    return (inputs.memory * SIZES["GB"] // (inputs.block * MIB),)


class Doubled(Record):
    """p4: so many blocks, whose size is doubled."""

    blocks: int = 3200
    block_size: int = 16


class Halved(Record):
    """p5: KV memory in GiB, a block's size in MiB with 16-bit elements."""

    memory: int = 40
    block: int = 2


class Offered(Record):
    """p6: what can be served, and two offered rates, in req/s."""

    capacity: int = 50
    offered: tuple[int, int] = (10, 100)


class Queue(Record):
    """p7: requests a second that can be served, and that arrive."""

    served: int = 50
    arriving: int = 40


def time_in_system(inputs: Queue) -> Parts:
    """Mean milliseconds from arrival to the end of service.

    >>> time_in_system(Queue(50, 10))
    (Fraction(25, 1),)
    """
    seconds = mm1_wait(Fraction(inputs.served), Fraction(inputs.arriving))
    assert seconds is not None  # fewer arrive than can be served
    return (1000 * seconds,)


class Knee(Record):
    """p8: the throughput at the knee, in req/s."""

    knee: int = 50


MEMORY_MISTAKES = (
    Mistake("whole_card", lambda p: [kv_memory(p.replace(utilisation=100))]),
    Mistake(
        "share_of_the_rest",
        lambda p: [(kv_memory(p.replace(utilisation=100))[0] * Fraction(p.utilisation, 100),)],
    ),
    Mistake("weights_left_out", lambda p: [kv_memory(p.replace(weights=0))]),
    Mistake("activations_left_out", lambda p: [kv_memory(p.replace(activations=0))]),
    Mistake("other_left_out", lambda p: [kv_memory(p.replace(other=0))]),
    Mistake("unused_share", lambda p: [kv_memory(p.replace(utilisation=100 - p.utilisation))]),
)
RAISED_MISTAKES = (
    Mistake("all_of_it", lambda p: [(Fraction(p.card * p.high, 100),)]),
    Mistake("percent", lambda p: [(p.high - p.low,)]),
    Mistake("unused_share", lambda p: [(Fraction(p.card * (100 - p.high), 100),)]),
)
BLOCK_MISTAKES = (
    Mistake("binary", lambda p: [(p.memory * SIZES["GiB"] // (p.block * MIB),)]),
    Mistake("decimal", lambda p: [(p.memory * 1000 // p.block,)]),
    Mistake("rounded_up", lambda p: [(blocks(p)[0] + 1,)]),
)
DOUBLED_MISTAKES = (
    Mistake("same_blocks", lambda p: [(p.blocks, p.blocks * p.block_size * 2)], whole=True),
    Mistake("more_blocks", lambda p: [(p.blocks * 2, p.blocks * p.block_size)], whole=True),
    Mistake("fewer_tokens", lambda p: [(p.blocks // 2, p.blocks * p.block_size // 2)]),
    Mistake("more_tokens", lambda p: [(p.blocks // 2, p.blocks * p.block_size * 2)]),
)
HALVED_MISTAKES = (
    Mistake("unchanged", lambda p: [(p.memory * 1024 // p.block,)]),
    Mistake("halved", lambda p: [(p.memory * 512 // p.block,)]),
    Mistake("quartered", lambda p: [(p.memory * 4096 // p.block,)]),
)
OFFERED_MISTAKES = (
    Mistake("offered", lambda p: [p.offered]),
    Mistake("capacity", lambda p: [(p.capacity, p.capacity)]),
    Mistake("turned_away", lambda p: [(p.offered[0], p.offered[1] - p.capacity)]),
)
QUEUE_MISTAKES = (
    Mistake("service_only", lambda p: [(Fraction(1000, p.served),)]),
    Mistake("between_arrivals", lambda p: [(Fraction(1000, p.arriving),)]),
    Mistake("waiting_only", lambda p: [(time_in_system(p)[0] - Fraction(1000, p.served),)]),
    Mistake("seconds", lambda p: [(Fraction(time_in_system(p)[0]) / 1000,)]),
)
KNEE_MISTAKES = (
    Mistake("at_the_knee", lambda p: [(p.knee,)]),
    Mistake("the_rest", lambda p: [(Fraction(p.knee * 30, 100),)]),
    Mistake("beyond", lambda p: [(Fraction(p.knee * 100, 70),)]),
)


def memory_worked(inputs: Memory) -> dict[str, object]:
    return {"usable": Fraction(inputs.card * inputs.utilisation, 100)}


def blocks_worked(inputs: Blocks) -> dict[str, object]:
    return {"bytes": inputs.memory * SIZES["GB"], "each": inputs.block * MIB}


def doubled_worked(inputs: Doubled) -> dict[str, object]:
    return {"tokens": inputs.blocks * inputs.block_size, "larger": inputs.block_size * 2}


def queue(draw: Draw) -> Queue:
    free = draw.choice((2, 4, 5, 8, 10, 20))  # so that the time is a whole number of ms or half of one
    served = draw.between(25, 100, 5)
    return Queue(served, served - free)


def low_high(draw: Draw) -> Raised:
    low = draw.choice((80, 85, 88, 90, 92))
    return Raised(draw.choice((24, 40, 48, 80, 96, 141)), low, low + draw.between(1, 6))


KINDS = (
    (
        Problem("p1", Memory(), kv_memory, "GiB", "one", MEMORY_MISTAKES, SHEET, memory_worked),
        lambda draw: Memory(
            *(draw.choice((40, 48, 80, 96, 141)), draw.choice((80, 85, 90, 92, 95))),
            *(draw.between(8, 20), draw.between(2, 6), draw.between(1, 4)),
        ),
    ),
    (
        Problem(
            *("p2", Raised(), lambda p: (Fraction(p.card * (p.high - p.low), 100),), "GB", "one"),
            *(RAISED_MISTAKES, SHEET),
        ),
        low_high,
    ),
    (
        Problem("p3", Blocks(), blocks, "blocks", "one", BLOCK_MISTAKES, SHEET, blocks_worked),
        lambda draw: Blocks(draw.between(2, 30), draw.choice((1, 2, 3, 4))),
    ),
    (
        Problem(
            *("p4", Doubled(), lambda p: (p.blocks // 2, p.blocks * p.block_size), "numbers", "two"),
            *(DOUBLED_MISTAKES, SHEET, doubled_worked),
        ),
        lambda draw: Doubled(draw.between(1000, 9000, 20), draw.choice((8, 16, 32))),
    ),
    (
        Problem(
            *("p5", Halved(), lambda p: (p.memory * 1024 * 2 // p.block,), "blocks", "one"),
            *(HALVED_MISTAKES, SHEET),
        ),
        lambda draw: Halved(draw.between(12, 90, 2), draw.choice((1, 2, 4))),
    ),
    (
        Problem(
            *("p6", Offered(), lambda p: tuple(min(rate, p.capacity) for rate in p.offered), "req/s", "two"),
            *(OFFERED_MISTAKES, SHEET),
        ),
        lambda draw: Offered(draw.between(30, 60), (draw.between(5, 25), draw.between(65, 110))),
    ),
    (Problem("p7", Queue(), time_in_system, "ms", "one", QUEUE_MISTAKES, SHEET), queue),
    (
        Problem(
            *("p8", Knee(), lambda p: (planned_rate(Fraction(p.knee)),), "req/s", "one"),
            *(KNEE_MISTAKES, SHEET),
        ),
        lambda draw: Knee(draw.between(10, 120)),
    ),
)


def problems(seed: int) -> tuple[Problem, ...]:
    """The eight problems.

    >>> [problem.key(problem.inputs)[0] for problem in problems(0)][2:5]
    [1907, 1600, 40960]
    """
    return tuple(fresh(problem, drawn, seed) for problem, drawn in KINDS)
