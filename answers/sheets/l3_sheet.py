"""L3 from a seed: the six kinds of problem with other numbers.

Ranges are those of models and engines in use; KV sizes are whole sixteenths of a GiB, rates have at most
three decimals.

Does not model: how hard a problem is; any seed is meant to be as hard as another.
"""

from __future__ import annotations

from answers.draw import Draw, fresh
from answers.l3_keys import Fetch, KvSize, Load, PrefixHit, Round, Slots, kv_size_gib
from answers.l3_problems import PROBLEMS
from answers.l3_worked import WORKED
from answers.problem import Problem
from labs.base import LabError, require

DTYPES = (("BF16", 2), ("float16", 2))  # what the question can call "a ... KV cache"


def problems(seed: int) -> tuple[Problem, ...]:
    """The six problems; seed 0 is the sheet that comes with the lab.

    >>> [problem.inputs.as_dict() for problem in problems(7)][3]
    {'block_size': 16, 'num_tokens': 160}
    """
    kinds = (kv_size, slots, round_lengths, prefix_hit, load, fetch)
    made = [fresh(problem, kind, seed) for problem, kind in zip(PROBLEMS, kinds)]
    return tuple(problem.replace(worked=WORKED[problem.name]) for problem in made)


def kv_size(draw: Draw) -> KvSize:
    dtype, num_bytes = draw.choice(DTYPES)
    inputs = KvSize(
        layers=draw.choice((16, 24, 28, 32, 36, 40, 48, 64, 80)),
        head_dim=draw.choice((64, 128, 256)),
        dtype=dtype,
        bytes_per_element=num_bytes,
        tokens=draw.choice((2048, 4096, 6144, 12288, 16384, 24576, 32768)),
        kv_heads=(draw.choice((16, 24, 32, 40, 64)), draw.choice((1, 2, 4, 8))),
    )
    for size in kv_size_gib(inputs):
        require((16 * size).denominator == 1, "tokens", "not_whole", size)
    return inputs


def slots(draw: Draw) -> Slots:
    size = draw.choice((4, 8, 16))
    table = draw.sample(range(2, 40), draw.between(3, 5))
    early, late = draw.sample(range(size, size * len(table)), 2)
    return Slots(block_size=size, block_table=table, positions=(min(early, late), max(early, late)))


def round_lengths(draw: Draw) -> Round:
    return Round(lengths=tuple(draw.between(1, 9) for _ in range(draw.between(3, 5))))


def prefix_hit(draw: Draw) -> PrefixHit:
    size, blocks = draw.choice((8, 16, 32, 64)), draw.between(3, 12)
    rest = draw.choice((0, 0, draw.between(2, size - 1)))  # mostly whole blocks: there lies the trap
    return PrefixHit(block_size=size, num_tokens=size * blocks + rest)


def load(draw: Draw) -> Load:
    seconds, rate = draw.choice((5, 8, 20, 25, 40, 50)), draw.between(3, 30)
    successes = seconds * rate
    return Load(seconds, successes, within_limits=successes * draw.between(55, 95) // 100)


def fetch(draw: Draw) -> Fetch:
    inputs = Fetch(
        recompute_ms=draw.between(50, 200),
        lookup_ms=draw.between(1, 9),
        data_path_ms=draw.between(12, 60),
        conversion_ms=draw.between(2, 15),
        overlap_ms=draw.between(3, 14),
    )
    steps_ms = inputs.lookup_ms + inputs.data_path_ms + inputs.conversion_ms
    if inputs.recompute_ms <= steps_ms + inputs.overlap_ms or steps_ms <= 2 * inputs.overlap_ms:
        raise LabError("recompute_ms", "at_least", inputs.recompute_ms, least=steps_ms)
    return inputs
