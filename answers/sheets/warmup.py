"""`warmup`: five minutes on what the labs assume: powers of two and units, shapes, prefill and decode.

    KiB = MiB x 2^10      GB = GiB x 2^30 / 10^9      GB/s = Gbit/s / 8
    2^a x 2^b = 2^(a+b)   [m, k] x [k, n] -> [m, n], m x k x n multiply-adds

Does not model: anything of an engine; that is what the labs are for.
"""

from __future__ import annotations

from fractions import Fraction

from answers.draw import Draw, fresh
from answers.problem import Mistake, Problem, is_rounded
from answers.sheets.kinds import choice, shuffled
from labs.base import Record
from labs.view.units import RATES, SIZES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from answers.problem import Parts

SHEET = "warmup"


class Binary(Record):
    """p1: a size in MiB."""

    mib: int = 24


class Card(Record):
    """p2: a size in GiB."""

    gib: int = 8


def in_gb(inputs: Card) -> Parts:
    """The size in GB, exact.

    >>> in_gb(Card(gib=1))
    (Fraction(2097152, 1953125),)
    """
    return (Fraction(inputs.gib * SIZES["GiB"], SIZES["GB"]),)


class Link(Record):
    """p3: a rate in Gbit/s."""

    gbit_per_s: int = 400


class Powers(Record):
    """p4: two exponents of two."""

    a: int = 17
    b: int = 13


class Product(Record):
    """p5 and p6: the shapes of a matrix product."""

    rows: int = 10
    inner: int = 64
    columns: int = 16


def multiply_adds(inputs: Product) -> Parts:
    """Multiply-adds of the product.

    >>> multiply_adds(Product(rows=2, inner=3, columns=4))
    (24,)
    """
    return (inputs.rows * inputs.inner * inputs.columns,)


BINARY_MISTAKES = (
    Mistake("thousand", lambda p: [(p.mib * 1000,)]),
    Mistake("upside_down", lambda p: [(Fraction(p.mib, 1024),)]),
    Mistake("two_steps", lambda p: [(p.mib * 1024 * 1024,)]),
)
CARD_MISTAKES = (
    Mistake("same_number", lambda p: [(p.gib,)]),
    Mistake("upside_down", lambda p: [(Fraction(p.gib * SIZES["GB"], SIZES["GiB"]),)]),
    Mistake("one_prefix", lambda p: [(Fraction(p.gib * 1024, 1000),)]),
    Mistake("rounded", lambda p: (), fits=lambda p, parts: is_rounded(parts[0], in_gb(p)[0])),
)
LINK_MISTAKES = (
    Mistake("bits_for_bytes", lambda p: [(p.gbit_per_s,), (p.gbit_per_s * 8,)]),
    Mistake("tenth", lambda p: [(Fraction(p.gbit_per_s, 10),)]),
    Mistake("binary", lambda p: [(Fraction(p.gbit_per_s * RATES["Gbit/s"], 8 * SIZES["GiB"]),)]),
)
POWER_MISTAKES = (
    Mistake("multiplied", lambda p: [(p.a * p.b,)]),
    Mistake("value", lambda p: [(2 ** (p.a + p.b),)]),
    Mistake("larger_one", lambda p: [(max(p.a, p.b),)]),
)
SHAPE_MISTAKES = (
    Mistake("swapped", lambda p: [(p.columns, p.rows)], whole=True),
    Mistake("inner_kept", lambda p: [(p.rows, p.inner), (p.inner, p.columns), (p.inner, p.inner)]),
)
WORK_MISTAKES = (
    Mistake("outputs", lambda p: [(p.rows * p.columns,)]),
    Mistake("flops", lambda p: [(2 * p.rows * p.inner * p.columns,)]),
    Mistake("inputs", lambda p: [(p.rows * p.inner + p.inner * p.columns,)]),
)


def product(draw: Draw) -> Product:
    return Product(draw.between(2, 20), draw.choice((32, 64, 128, 256)), draw.choice((8, 16, 24, 48)))


def mib_worked(inputs: Binary) -> dict[str, object]:
    return {"num_bytes": inputs.mib * SIZES["MiB"]}


KINDS = (
    (
        Problem(
            *("p1", Binary(), lambda p: (p.mib * 1024,), "numbers", "one", BINARY_MISTAKES, SHEET),
            worked=mib_worked,
        ),
        lambda draw: Binary(mib=draw.between(3, 96)),
    ),
    (
        Problem("p2", Card(), in_gb, "numbers", "one", CARD_MISTAKES, SHEET),
        lambda draw: Card(gib=draw.choice((16, 24, 32, 40, 48, 64, 80, 96, 141, 192))),
    ),
    (
        Problem(
            *("p3", Link(), lambda p: (Fraction(p.gbit_per_s, 8),), "numbers", "one"),
            *(LINK_MISTAKES, SHEET),
        ),
        lambda draw: Link(gbit_per_s=draw.choice((10, 25, 40, 50, 100, 200, 800, 1600))),
    ),
    (
        Problem("p4", Powers(), lambda p: (p.a + p.b,), "numbers", "one", POWER_MISTAKES, SHEET),
        lambda draw: Powers(a=draw.between(8, 18), b=draw.between(5, 15)),
    ),
    (
        Problem("p5", Product(), lambda p: (p.rows, p.columns), "numbers", "two", SHAPE_MISTAKES, SHEET),
        product,
    ),
    (Problem("p6", Product(), multiply_adds, "numbers", "one", WORK_MISTAKES, SHEET), product),
    (choice(SHEET, "p7", 1, 0, 2, 3), shuffled(4)),
    (choice(SHEET, "p8", 1, 2, 0), shuffled(3)),
    (choice(SHEET, "p9", 0, 2, 1), shuffled(3)),
)


def problems(seed: int) -> tuple[Problem, ...]:
    """The nine problems.

    >>> problems(0)[3].inputs
    Powers(a=17, b=13)
    """
    return tuple(fresh(problem, drawn, seed) for problem, drawn in KINDS)
