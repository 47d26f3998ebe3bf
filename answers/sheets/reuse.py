"""`reuse`: hits of four requests after one cached prompt, and six questions about any integration.

    cold, warm, early change, not a prefix      as `prefix groups` serves them, by an engine's own pool
    computed tokens = prompt tokens - hit tokens

Source: the course's L6. The six questions are a list to tick off: nobody but the learner can judge them.
Does not model: several requests at a time, eviction.
"""

from __future__ import annotations

from functools import lru_cache

from answers.draw import Draw, fresh
from answers.problem import Mistake, Problem
from answers.sheets.kinds import yes
from labs import prefix_groups
from labs.base import Record, require
from labs.engine.blocks import num_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from answers.problem import Parts

SHEET = "reuse"
FIRST_OTHER = 1000  # token ids of what stands before the prompt: none of the prompt's


class Groups(Record):
    """A cached prompt of so many tokens, the position that is changed, and what stands before it last."""

    num_tokens: int = 14
    block_size: int = 4
    change: int = 5

    @property
    def aligned(self) -> int:
        """The tokens in whole blocks before the change."""
        return self.change // self.block_size * self.block_size


@lru_cache(maxsize=64)  # a problem's mistakes look at the same groups as its key
def served(groups: Groups) -> prefix_groups.Result:
    """The four groups, served by the lab."""
    return prefix_groups.run(
        prefix_groups.Params(
            prompt=tuple(range(1, groups.num_tokens + 1)),
            change=groups.change,
            before=tuple(range(FIRST_OTHER, FIRST_OTHER + groups.block_size)),
            block_size=groups.block_size,
        )
    )


def hits(groups: Groups) -> Parts:
    """Hit tokens: cold, warm, early change, not a prefix.

    >>> hits(Groups())
    (0, 12, 4, 0)
    """
    return tuple(group.hit_tokens for group in served(groups).groups)


def computed(groups: Groups) -> Parts:
    """Computed tokens of the same four.

    >>> computed(Groups())
    (14, 2, 10, 18)
    """
    return tuple(group.computed_tokens for group in served(groups).groups)


def left(groups: Groups, hit: Parts) -> Parts:
    """Computed tokens that follow from hits."""
    number = groups.num_tokens
    totals = number, number, number, number + groups.block_size
    return tuple(total - part for total, part in zip(totals, hit))


def unchained(groups: Groups, right: Parts) -> Parts:
    """As if only the changed block missed."""
    full = groups.num_tokens // groups.block_size - 1
    return right[0], right[1], full * groups.block_size, right[3]


WRONG_HITS: dict[str, Callable[[Groups, Parts], Parts]] = {
    "full_hit": lambda g, right: (right[0], g.num_tokens, *right[2:]),
    "partial_block": lambda g, right: (
        *(right[0], num_blocks(g.num_tokens, g.block_size) * g.block_size),
        *right[2:],
    ),
    "not_aligned": lambda g, right: (*right[:2], g.change, right[3]),
    "unchained": unchained,
    "all_lost": lambda g, right: (*right[:2], 0, right[3]),
    "same_text": lambda g, right: (*right[:3], right[1]),
    "cold_hit": lambda g, right: (right[1], *right[1:]),
}


def of_hits(wrong: Callable[[Groups, Parts], Parts]) -> Callable[[Groups], list[Parts]]:
    return lambda groups: [wrong(groups, hits(groups))]


def of_computed(wrong: Callable[[Groups, Parts], Parts]) -> Callable[[Groups], list[Parts]]:
    return lambda groups: [left(groups, wrong(groups, hits(groups)))]


HIT_MISTAKES = (
    *(Mistake(name, of_hits(wrong)) for name, wrong in WRONG_HITS.items()),
    Mistake("computed_for_hit", lambda p: [computed(p)]),
)
COMPUTED_MISTAKES = (
    *(Mistake(name, of_computed(wrong)) for name, wrong in WRONG_HITS.items()),
    Mistake("hit_for_computed", lambda p: [hits(p)]),
    Mistake("others_left_out", lambda p: [(*computed(p)[:3], computed(p)[3] - p.block_size)]),
)


def draw_groups(draw: Draw) -> Groups:
    size = draw.choice((4, 8, 16))
    blocks = draw.between(3, 6)
    groups = Groups(
        size * blocks + draw.between(1, size - 1), size, change=draw.between(size + 1, 3 * size - 1)
    )
    require(groups.change % size != 0, "change", "divisor_of", groups.change, what=size)
    return groups


def worked(groups: Groups) -> dict[str, object]:
    return {
        "warm": hits(groups)[1],
        "early": hits(groups)[2],
        "longer": groups.num_tokens + groups.block_size,
    }


KINDS = (
    Problem("p1", Groups(), hits, "tokens", "list", HIT_MISTAKES, SHEET, worked),
    Problem("p2", Groups(), computed, "tokens", "list", COMPUTED_MISTAKES, SHEET, worked),
)
CHECKLIST = ("p3", "p4", "p5", "p6", "p7", "p8")


def problems(seed: int) -> tuple[Problem, ...]:
    """Two problems, and the list of six questions, which no seed changes.

    >>> [problem.name for problem in problems(1)]
    ['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8']
    """
    made = [fresh(problem, draw_groups, seed) for problem in KINDS]
    return (*made, *(yes(SHEET, name) for name in CHECKLIST))
