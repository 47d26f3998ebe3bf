"""`metrics`: latency and rates from raw timestamps.

    TTFT = first token - sent      ITL = gaps between tokens      E2E latency = last token - sent
    TPOT = (last token - first token) / (tokens - 1)
    goodput = requests that meet every limit / seconds      output throughput = output tokens / seconds

Source: the course's service chapter; vLLM's benchmark. Does not model: percentiles, failed requests.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from answers.draw import Draw, fresh
from answers.problem import Mistake, Problem
from labs.base import Record
from labs.model.service import goodput, throughput
from labs.replay.latency import tpot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from answers.problem import Parts

SHEET = "metrics"


class Stamps(Record):
    """When a request was sent and when each of its tokens came, in ms."""

    sent: int = 100
    tokens: tuple[int, ...] = (340, 380, 430, 470, 540)


def ttft_of(stamps: Stamps) -> Parts:
    """Time to the first token.

    >>> ttft_of(Stamps())
    (240,)
    """
    return (stamps.tokens[0] - stamps.sent,)


def latency_of(stamps: Stamps) -> Parts:
    """Time to the last token."""
    return (stamps.tokens[-1] - stamps.sent,)


def tpot_of(stamps: Stamps) -> Parts:
    """Time per output token after the first.

    >>> tpot_of(Stamps())
    (Fraction(50, 1),)
    """
    (first,), (last,) = ttft_of(stamps), latency_of(stamps)
    found = tpot(Fraction(first), Fraction(last), len(stamps.tokens))
    assert found is not None  # there are several tokens
    return (Fraction(found),)


def gaps(stamps: Stamps) -> Parts:
    """Inter-token latencies.

    >>> gaps(Stamps())
    (40, 50, 40, 70)
    """
    return tuple(after - before for before, after in pairwise(stamps.tokens))


class Load(Record):
    """A run: TTFT and TPOT of its requests in ms, the limits, and its length."""

    ttft: tuple[int, ...] = (180, 420, 250, 610, 300, 150, 480, 220)
    tpot: tuple[int, ...] = (30, 45, 60, 35, 40, 55, 38, 25)
    max_ttft: int = 450
    max_tpot: int = 50
    seconds: int = 4


def met(load: Load) -> tuple[int, int, int]:
    """How many requests meet the TTFT limit, the TPOT limit, and both.

    >>> met(Load())
    (6, 6, 4)
    """
    first = [value <= load.max_ttft for value in load.ttft]
    other = [value <= load.max_tpot for value in load.tpot]
    return sum(first), sum(other), sum(a and b for a, b in zip(first, other))


def both_rates(load: Load) -> Parts:
    """Throughput and goodput."""
    return throughput(len(load.ttft), load.seconds), goodput(met(load)[2], load.seconds)


class Tokens(Record):
    """A run of equal requests."""

    requests: int = 40
    prompt: int = 512
    output: int = 128
    seconds: int = 16


def output_rate(run: Tokens) -> Parts:
    """Output tokens a second."""
    return (throughput(run.requests * run.output, run.seconds),)


def with_good(load: Load, number: int) -> Parts:
    return both_rates(load)[0], goodput(number, load.seconds)


TTFT_MISTAKES = (
    Mistake("clock", lambda p: [(p.tokens[0],)]),
    Mistake("last_token", lambda p: [latency_of(p)]),
    Mistake("second_token", lambda p: [(p.tokens[1] - p.sent,)]),
)
TPOT_MISTAKES = (
    Mistake("by_n", lambda p: [(Fraction(p.tokens[-1] - p.tokens[0], len(p.tokens)),)]),
    Mistake(
        "from_sent", lambda p: [(Fraction(latency_of(p)[0], n),) for n in (len(p.tokens), len(p.tokens) - 1)]
    ),
    Mistake("not_divided", lambda p: [(p.tokens[-1] - p.tokens[0],)]),
)
GAP_MISTAKES = (
    Mistake("with_ttft", lambda p: [(*ttft_of(p), *gaps(p))]),
    Mistake(
        "since_sent", lambda p: [tuple(t - p.sent for t in p.tokens), tuple(t - p.sent for t in p.tokens[1:])]
    ),
    Mistake("since_first", lambda p: [tuple(t - p.tokens[0] for t in p.tokens[1:])]),
)
LATENCY_MISTAKES = (
    Mistake("clock", lambda p: [(p.tokens[-1],)]),
    Mistake("without_ttft", lambda p: [(p.tokens[-1] - p.tokens[0],)]),
    Mistake("first_token", lambda p: [ttft_of(p)]),
)
LOAD_MISTAKES = (
    Mistake("goodput_as_throughput", lambda p: [(both_rates(p)[0],) * 2, (both_rates(p)[1],) * 2]),
    Mistake("ttft_only", lambda p: [with_good(p, met(p)[0])]),
    Mistake("tpot_only", lambda p: [with_good(p, met(p)[1])]),
    Mistake("either", lambda p: [with_good(p, met(p)[0] + met(p)[1] - met(p)[2])]),
    Mistake("not_divided", lambda p: [(len(p.ttft), met(p)[2])]),
    Mistake("swapped", lambda p: [both_rates(p)[::-1]], whole=True),
)
TOKEN_MISTAKES = (
    Mistake("with_prompts", lambda p: [(throughput(p.requests * (p.prompt + p.output), p.seconds),)]),
    Mistake("requests", lambda p: [(throughput(p.requests, p.seconds),)]),
    Mistake("one_request", lambda p: [(throughput(p.output, p.seconds),)]),
    Mistake("not_divided", lambda p: [(p.requests * p.output,)]),
)


def stamps_worked(stamps: Stamps) -> dict[str, object]:
    return {"first": stamps.tokens[0], "last": stamps.tokens[-1], "gaps": len(stamps.tokens) - 1}


def load_worked(load: Load) -> dict[str, object]:
    return {"met": list(met(load)), "number": len(load.ttft)}


def tokens_worked(run: Tokens) -> dict[str, object]:
    return {"total": run.requests * run.output}


def draw_stamps(draw: Draw) -> Stamps:
    sent = draw.between(50, 400, 10)
    tokens = [sent + draw.between(120, 600, 10)]
    for _ in range(draw.choice((4, 5))):  # so that TPOT has few decimals
        tokens.append(tokens[-1] + draw.between(20, 90, 5))
    return Stamps(sent, tuple(tokens))


def draw_load(draw: Draw) -> Load:
    number = draw.between(7, 10)
    ttft = tuple(draw.between(120, 700, 10) for _ in range(number))
    other = tuple(draw.between(20, 70) for _ in range(number))
    limits = draw.between(350, 550, 10), draw.between(38, 58)
    drawn = Load(ttft, other, *limits, seconds=draw.choice((2, 4, 5)))
    return drawn if met(drawn)[2] else draw_load(draw)


def draw_tokens(draw: Draw) -> Tokens:
    return Tokens(
        *(draw.between(10, 90, 5), draw.choice((256, 512, 1024, 2048)), draw.choice((64, 128, 256))),
        seconds=draw.choice((4, 5, 8, 10, 20, 25)),
    )


KINDS = (
    (Problem("p1", Stamps(), ttft_of, "ms", "one", TTFT_MISTAKES, SHEET, stamps_worked), draw_stamps),
    (Problem("p2", Stamps(), tpot_of, "ms", "one", TPOT_MISTAKES, SHEET, stamps_worked), draw_stamps),
    (Problem("p3", Stamps(), gaps, "ms", "list", GAP_MISTAKES, SHEET, stamps_worked), draw_stamps),
    (Problem("p4", Stamps(), latency_of, "ms", "one", LATENCY_MISTAKES, SHEET, stamps_worked), draw_stamps),
    (Problem("p5", Load(), both_rates, "req/s", "two", LOAD_MISTAKES, SHEET, load_worked), draw_load),
    (
        Problem("p6", Tokens(), output_rate, "tokens/s", "one", TOKEN_MISTAKES, SHEET, tokens_worked),
        draw_tokens,
    ),
)


def problems(seed: int) -> tuple[Problem, ...]:
    """The six problems.

    >>> problems(0)[4].key(Load())
    (Fraction(2, 1), Fraction(1, 1))
    """
    return tuple(fresh(problem, drawn, seed) for problem, drawn in KINDS)
