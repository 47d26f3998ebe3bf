"""Random arrivals: N requests at a rate, the same ones for the same seed on every machine.

    gaps      gamma with shape `burstiness` and mean 1 / rate: 1 is Poisson, below it burstier, above it more
              even, inf constant
    arrival   of request i = (gap 1 + ... + gap i) x (N / rate) / (gap 1 + ... + gap N)

So the first request waits a gap too, and the last one is sent at N / rate exactly. That is the rule of
`vllm bench serve`; the gaps themselves are not its gaps, which come from numpy. At rate inf all come at 0.
One seed gives the same pattern at any rate, stretched: a sweep over rates compares like with like.

Poisson gaps that are stretched to a fixed sum are the gaps between N - 1 instants thrown at random into
[0, N / rate): these are drawn, as that needs no logarithm. Other shapes are drawn by Marsaglia and Tsang's
method in decimal arithmetic, whose ln, exp and sqrt are correctly rounded, while those of floats differ
between machines. `Random(seed).random()` is the same everywhere. Arrivals are whole microseconds.

Source: vLLM 0.32.0, `benchmarks.serve.get_request`. G. Marsaglia, W. W. Tsang, "A simple method for
generating gamma variables", 2000.
Does not model: ramps, a client's limit of requests in flight, clients that wait for an answer before they ask
again, lengths that vary.
"""

from __future__ import annotations

from labs.base import LabError, Record, check_bounds, require
from labs.options import whole
from labs.replay.plain_digits import check_no_exponent
from labs.view.units import plain_number, read_quantity, rounded, split_quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal
    from fractions import Fraction

    from labs.options import Reader

    Number = int | Fraction
    Uniform = Callable[[], Decimal]

US_PER_S = 10**6
INF = "inf"  # as vLLM's results have it: all at once, or gaps that are all alike
RATES_PER_HOUR = {"req/s": 3600, "requests/s": 3600, "req/min": 60, "requests/min": 60, "req/h": 1}
MOST_REQUESTS = 200_000  # more take minutes to replay: `labs.replay.bounds`
MOST_TOKENS = 10**7
MOST_RATE = 10**6
BURSTINESS_BOUNDS = {"least": "0.01", "most": "1000"}
MOST_SEED = 2**63 - 1
DIGITS = 24  # of decimal arithmetic, and GAP_UNIT keeps 18 of them
GAP_UNIT = 10**18


class RandomLoad(Record):
    """So many equal requests; `rate` in requests a second, lengths in tokens.

    `rate` and `burstiness` may be `INF`: all at once, and gaps that are all alike.
    """

    num: int
    rate: Number | str
    input_len: int
    output_len: int
    seed: int = 0
    burstiness: Number | str = 1

    def check(self) -> None:
        """Raise `LabError` at what is out of bounds."""
        check_bounds(self.num, "--random", 1, MOST_REQUESTS)
        check_bounds(self.input_len, "--input-len", 1, MOST_TOKENS)
        check_bounds(self.output_len, "--output-len", 1, MOST_TOKENS)
        check_bounds(self.seed, "--seed", 0, MOST_SEED)
        if not isinstance(self.rate, str):
            require(0 < self.rate <= MOST_RATE, "--rate", "not_a_rate", self.rate, most=MOST_RATE)
        if not isinstance(self.burstiness, str):
            _check_burstiness(self.burstiness, "--burstiness", self.burstiness)

    def arrivals_us(self) -> list[int]:
        """When each request is sent, in whole microseconds, ascending.

        >>> RandomLoad(4, 2, 128, 128, burstiness=INF).arrivals_us()
        [500000, 1000000, 1500000, 2000000]
        """
        if isinstance(self.rate, str):
            return [0] * self.num
        ends = gap_ends(self.num, self.burstiness, self.seed)
        last_us = self.num * US_PER_S
        over = self.rate.numerator * ends[-1]
        return [rounded(last_us * self.rate.denominator * end, over, 0) for end in ends]


def gap_ends(num: int, burstiness: Number | str, seed: int) -> list[int]:
    """Where each of `num` gaps ends, one after the other, as whole numbers of a unit without meaning.

    >>> gap_ends(3, INF, seed=0)
    [1, 2, 3]
    """
    from random import Random

    random = Random(seed).random
    if isinstance(burstiness, str):
        return list(range(1, num + 1))
    if burstiness == 1:
        window = 1 << 53  # random() is a multiple of 2^-53
        return [*sorted([int(random() * window) for _ in range(num - 1)]), window]
    from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext

    ends, end = [], 0
    with localcontext(Context(prec=DIGITS, rounding=ROUND_HALF_EVEN)):
        shape = Decimal(burstiness.numerator) / Decimal(burstiness.denominator)
        for _ in range(num):
            # at least one unit, so that there is a sum to stretch
            end += 1 + int(_gamma(shape, lambda: Decimal(1.0 - random())) * GAP_UNIT)
            ends.append(end)
    return ends


def _gamma(shape: Decimal, uniform: Uniform) -> Decimal:
    """A gamma variate of scale 1; `uniform` gives numbers above 0 and up to 1."""
    if shape < 1:
        return _gamma(shape + 1, uniform) * (uniform().ln() / shape).exp()
    d = (3 * shape - 1) / 3
    c = 1 / (9 * d).sqrt()
    while True:
        x = _normal(uniform)
        root = 1 + c * x
        v = root * root * root
        if v > 0 and uniform().ln() < x * x / 2 + d - d * v + d * v.ln():
            return d * v


def _normal(uniform: Uniform) -> Decimal:
    """A standard normal variate, by the polar method."""
    while True:
        x, y = 2 * uniform() - 1, 2 * uniform() - 1
        square = x * x + y * y
        if 0 < square < 1:
            return x * (-2 * square.ln() / square).sqrt()


def options() -> tuple[tuple[str, Reader, str], ...]:
    """The options of a random load: name, reader, what stands for the value in the help."""
    return (
        ("--random", whole(1, MOST_REQUESTS), "N"),
        ("--rate", read_request_rate, "RATE"),
        ("--burstiness", read_burstiness, "SHAPE"),
        ("--input-len", whole(1, MOST_TOKENS), "N"),
        ("--output-len", whole(1, MOST_TOKENS), "N"),
        ("--seed", whole(0, MOST_SEED), "N"),
    )


def read_request_rate(text: str, where: str) -> Fraction | str:
    """Requests a second: `4`, `4req/s` and `240req/min` are the same rate; `inf` is all at once.

    A bare number is requests a second, as load generators have it. `LabError` for anything else.

    >>> read_request_rate("4", "--rate"), read_request_rate("90req/min", "--rate")
    (Fraction(4, 1), Fraction(3, 2))
    """
    if text.strip() == INF:
        return INF
    check_no_exponent(text, where)
    number, unit = split_quantity(text)
    written = text if unit else f"{number}req/s"
    try:
        rate = read_quantity(written, where, RATES_PER_HOUR, ("req/s", "req/min")) / 3600
    except LabError as error:
        if error.rule == "unknown_unit":
            raise
        raise LabError(where, "not_a_rate", text, most=MOST_RATE) from None
    require(0 < rate <= MOST_RATE, where, "not_a_rate", text, most=MOST_RATE)
    return rate


def read_request_rates(text: str, where: str) -> tuple[Fraction | str, ...]:
    """Rates parted by commas, each above the one before: `1,4,8,16,32`, or with `inf` at the end.

    >>> read_request_rates("1,2.5,inf", "--sweep-rate")
    (Fraction(1, 1), Fraction(5, 2), 'inf')
    """
    rates = tuple([read_request_rate(part, where) for part in text.split(",")])
    finite = [rate for rate in rates if not isinstance(rate, str)]
    in_order = sorted(set(finite)) == finite and INF not in rates[:-1]
    require(in_order, where, "rates_not_ascending", text)
    return rates


def read_burstiness(text: str, where: str) -> Fraction | str:
    """The shape of the gaps, a number within bounds, or `inf`; `LabError` for anything else.

    >>> read_burstiness("0.5", "--burstiness"), read_burstiness("inf", "--burstiness")
    (Fraction(1, 2), 'inf')
    """
    if text.strip() == INF:
        return INF
    check_no_exponent(text, where)
    try:
        shape = plain_number(text.strip())
    except LabError:
        raise LabError(where, "not_a_burstiness", text, **BURSTINESS_BOUNDS) from None
    _check_burstiness(shape, where, text)
    return shape


def _check_burstiness(shape: Number, where: str, got: object) -> None:
    require(1 <= 100 * shape <= 100_000, where, "not_a_burstiness", got, **BURSTINESS_BOUNDS)
