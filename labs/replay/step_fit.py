"""A step cost fitted to a detailed benchmark result: exact least squares, and what it cannot tell.

    observed   every gap between two chunks of a request: one engine step                              (ns)
    observed   TTFT of a request that had the engine to itself from its sending to its first chunk      (ns)
    unknown    base, a, b, c of `labs.replay.step_cost`, none below zero

A result says when chunks came, not which step they came from. What a step held is read off like this, at the
middle of the gap, so that chunks of one step may come a little apart:

    decodes          requests whose first chunk has come and whose last one has not
    prefill tokens   the prompts sent before the gap began, whose first chunk comes nearer to the end of this
                     gap than to that of the request's next one
    KV tokens read   of each decode, prompt + chunks so far; of each such prompt, all of it

Times are rounded to whole nanoseconds first, sums are whole numbers, the equations are solved in Fractions,
and the terms are rounded to whole picoseconds at last. The residual belongs to the rounded terms. A term that
comes out below zero is held at zero, the others fitted anew: of all choices of terms to hold, the best.

What a result can tell depends on how much its steps differ. A term whose counts follow from those of the
terms before it (in the order base, prefill, decode, kv) is `untold`: it is set to zero, and what it does
stands in the others. Such a cost is good at that load alone. One request at a time tells no decode from base;
a result without prefills beside decodes and without lone requests tells no prefill.

Source: the result's fields as vLLM 0.32.0 writes them with --save-detailed. Does not model
- prompts computed in several steps, or found in the prefix cache: all of a prompt is put in its last step;
- chunks that carry several tokens: `uneven` counts the requests that have such;
- what client and server add to a chunk's time: in the gaps it evens out, in TTFT it stays;
- outliers: one slow step pulls as squares do.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from itertools import combinations, pairwise
from math import isqrt

from labs.base import Record, require
from labs.replay.bench.samples import samples_of
from labs.replay.step_cost import TERMS, StepCost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.files.bench_result import BenchResult

    Row = tuple[int, int, int, int]
    Sample = tuple[Row, int]

NS_PER_S, NS_PER_MS, PS_PER_NS = 10**9, 10**6, 1000
LISTS = ("input_lens", "output_lens", "start_times", "ttfts", "itls")


class Timed(Record):
    """One request as its client saw it: when it was sent, and when each chunk came, in whole ns."""

    start_ns: int
    chunks_ns: tuple[int, ...]
    input_tokens: int
    output_tokens: int


class Fit(Record):
    """A fitted cost, and how well it fits; residuals are observed minus fitted.

    gaps, lone         how many of the samples are gaps, and TTFTs of lone requests
    untold             terms that this result cannot tell from those before them
    held               terms that came out below zero, and were held at zero
    mean_square_ns2    the mean of the squared residuals
    largest_ns         the largest residual, without its sign
    explained          1 - squared residuals / squares about the mean: 1 is a perfect fit; None if all
                       samples are equal
    uneven             requests whose chunks are not as many as their output tokens
    """

    cost: StepCost
    gaps: int
    lone: int
    untold: tuple[str, ...]
    held: tuple[str, ...]
    mean_square_ns2: Fraction
    largest_ns: Fraction
    explained: Fraction | None
    uneven: int

    @property
    def rms_ns(self) -> int:
        """The root of the mean square, rounded down to whole ns."""
        return isqrt(int(self.mean_square_ns2))


def timed_requests(result: BenchResult, where: str) -> list[Timed]:
    """The successful requests of a detailed result; `LabError` at `where` if a list is missing."""
    lists = result.requests
    for name in LISTS:
        require(bool(getattr(lists, name)), where, "fit_needs_detail", result.form, name=name)
    samples = samples_of(result)
    timed = []
    for place in samples.succeeded if samples else ():
        start_ns = _ns(lists.start_times[place])  # type: ignore[index]  # none of the lists is missing
        chunks_ns = [start_ns + _ns(lists.ttfts[place])]  # type: ignore[index]
        for gap in lists.itls[place]:  # type: ignore[index]
            chunks_ns.append(chunks_ns[-1] + _ns(gap))
        lengths = lists.input_lens[place], lists.output_lens[place]  # type: ignore[index]
        timed.append(Timed(start_ns, tuple(chunks_ns), *lengths))
    return timed


def _ns(seconds: float) -> int:
    """Whole nanoseconds, exactly rounded."""
    numerator, denominator = seconds.as_integer_ratio()
    return (2 * numerator * NS_PER_S + denominator) // (2 * denominator)


def fit_cost(requests: Sequence[Timed], where: str) -> Fit:
    """The cost that fits best; `LabError` at `where` if there is not one step to fit to.

    >>> alone = Timed(0, (40_000_000, 51_000_000, 62_000_000), input_tokens=100, output_tokens=3)
    >>> fit = fit_cost([alone], "--cost-fit")
    >>> [str(term) for term in fit.cost.terms], fit.untold, fit.largest_ns
    (['11', '29/100', '0', '0'], ('decode',), Fraction(0, 1))
    """
    gaps, lone = gap_samples(requests), lone_samples(requests)
    samples = gaps + lone
    require(any(observed > 0 for _, observed in samples), where, "fit_no_steps", f"{len(requests)} requests")
    equations = Equations(samples)
    told = equations.independent()
    kept, solution = equations.best(told)
    in_ps = [round(term * PS_PER_NS) for term in solution]
    # in ps, so that residuals are whole numbers too
    residuals = [y * PS_PER_NS - sum([ps * x for ps, x in zip(in_ps, row)]) for row, y in samples]
    mean_square = Fraction(sum([r * r for r in residuals]), len(samples) * PS_PER_NS**2)
    spread = Fraction(equations.square, len(samples)) - Fraction(equations.right[0], len(samples)) ** 2
    return Fit(
        cost=StepCost(*[Fraction(ps, PS_PER_NS * NS_PER_MS) for ps in in_ps]),
        gaps=len(gaps),
        lone=len(lone),
        untold=tuple([term for place, term in enumerate(TERMS) if place not in told]),
        held=tuple([TERMS[place] for place in told if place not in kept]),
        mean_square_ns2=mean_square,
        largest_ns=Fraction(max([abs(residual) for residual in residuals]), PS_PER_NS),
        explained=1 - mean_square / spread if spread else None,
        uneven=sum([len(request.chunks_ns) != request.output_tokens for request in requests]),
    )


def gap_samples(requests: Sequence[Timed]) -> list[Sample]:
    """What each gap's step held, and how many ns it took.

    >>> gap_samples([Timed(0, (40, 51), 100, 2), Timed(0, (52,), 7, 1)])
    [((1, 7, 1, 108), 11)]
    """
    prompts = sorted([(r.chunks_ns[0], r.start_ns, r.input_tokens) for r in requests])
    firsts = [first for first, _, _ in prompts]
    # a decode is there from its first chunk to its last; its KV grows by a token with each chunk between
    long = [request for request in requests if len(request.chunks_ns) > 1]
    changes = [(r.chunks_ns[0], r.input_tokens + 1) for r in long]
    changes += [(ns, 1) for r in long for ns in r.chunks_ns[1:-1]]
    changes += [(r.chunks_ns[-1], 1 - r.input_tokens - len(r.chunks_ns)) for r in long]
    times, kv_tokens = _running_sums(changes)
    begins, ends = sorted([r.chunks_ns[0] for r in long]), sorted([r.chunks_ns[-1] for r in long])
    samples = []
    for request in long:
        chunks = request.chunks_ns
        middles = [(before + after) // 2 for before, after in pairwise(chunks)]
        middles.append(chunks[-1] + (chunks[-1] - chunks[-2]) // 2)
        for place, middle in enumerate(middles[:-1]):
            begin = chunks[place]
            near = prompts[bisect_right(firsts, middle) : bisect_right(firsts, middles[place + 1])]
            prefill = sum([tokens for _, sent, tokens in near if sent <= begin])
            decodes = bisect_right(begins, middle) - bisect_right(ends, middle)
            kv = kv_tokens[bisect_right(times, middle)] + prefill
            samples.append(((1, prefill, decodes, kv), chunks[place + 1] - begin))
    return samples


def lone_samples(requests: Sequence[Timed]) -> list[Sample]:
    """The prefill step of each request that nobody was beside until its first chunk came.

    >>> lone_samples([Timed(0, (40, 51), 100, 2), Timed(60, (70, 80), 9, 2), Timed(69, (90, 95), 9, 2)])
    [((1, 100, 0, 100), 40)]
    """
    sent = sorted([request.start_ns for request in requests])
    done = sorted([request.chunks_ns[-1] for request in requests])
    samples = []
    for request in requests:
        start, first = request.start_ns, request.chunks_ns[0]
        if bisect_left(sent, first) - bisect_right(done, start) == 1:
            samples.append(((1, request.input_tokens, 0, request.input_tokens), first - start))
    return samples


def _running_sums(changes: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Times in order, and the sum of all changes before each, and at the end after all."""
    in_order = sorted(changes)
    sums = [0]
    for _, change in in_order:
        sums.append(sums[-1] + change)
    return [time for time, _ in in_order], sums


class Equations:
    """The normal equations of samples, in whole numbers: matrix x terms = right, and the squares observed."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        size = range(len(TERMS))
        self.matrix = [[sum([row[i] * row[j] for row, _ in samples]) for j in size] for i in size]
        self.right = [sum([row[i] * observed for row, observed in samples]) for i in size]
        self.square = sum([observed * observed for _, observed in samples])

    def independent(self) -> list[int]:
        """The columns that are no sum of multiples of those before them."""
        told: list[int] = []
        for place in range(len(TERMS)):
            if self.solved([*told, place]) is not None:
                told.append(place)
        return told

    def best(self, told: Sequence[int]) -> tuple[tuple[int, ...], list[Fraction]]:
        """Of all choices of columns whose solution has no term below zero, the one with the least squares."""
        choices = [kept for size in range(len(told), 0, -1) for kept in combinations(told, size)]
        found: list[tuple[Fraction, tuple[int, ...], list[Fraction]]] = []
        for kept in choices:
            solution = self.solved(kept)
            if solution is not None and min(solution) >= 0:
                # squares left = squares observed - solution x right
                explained = sum([term * y for term, y in zip(solution, self.right)], Fraction(0))
                found.append((self.square - explained, kept, solution))
        _, kept, solution = min(found, key=lambda entry: entry[0])  # of equals the first: it keeps the most
        return kept, solution

    def solved(self, kept: Sequence[int]) -> list[Fraction] | None:
        """The solution with all other terms zero, by elimination; None if it is not the only one."""
        rows = [[Fraction(self.matrix[i][j]) for j in kept] + [Fraction(self.right[i])] for i in kept]
        for place, row in enumerate(rows):
            # a matrix of sums of squares has a zero here only if this column depends on those before it
            if row[place] == 0:
                return None
            row[:] = [value / row[place] for value in row]
            for other in rows:
                if other is not row and other[place]:
                    other[:] = [value - other[place] * mine for value, mine in zip(other, row)]
        solution = [Fraction(0)] * len(TERMS)
        for place, row in zip(kept, rows):
            solution[place] = row[-1]
        return solution
