"""How long an engine step takes: a linear cost, given or derived from stated rates, and many steps at once.

    step time  = base + a x prefill tokens + b x decodes + c x KV tokens read                      (ms)

    prefill tokens   tokens of prompts (or of what is recomputed) that the step computes
    decodes          requests that get their next token in it
    KV tokens read   of each request in the step, the tokens that it has computed when the step ends

Derived from rates that the user states, every term by itself:

    base   = weights (B) / memory rate (B/s)             all weights are read once a step
    a = b  = 2 x parameters / compute rate (FLOP/s)      one multiply and one add for each parameter and token
    c      = KV per token (B) / memory rate (B/s)        attention reads what it looks back at

Reading and computing are added up, as if nothing overlapped: that keeps the cost linear, and it is the slow
end. At the same rates a step with perfect overlap takes the longer of the two, so between half and all of the
sum. Rates, weights and KV must belong to the same GPUs: all ranks together, or one rank and its share.

`steps` decode steps in a row, in which the KV tokens read grow by `growth` a step, are an arithmetic series:

    time of n steps = n x first + c x growth x n (n - 1) / 2

All values are exact: whole numbers or Fractions. Everything here is a `model`, whatever the rates came from.

Source: ours; the counts of 2 FLOPs a parameter and of one reading of the weights a step are the usual
estimates. Does not model
- the arithmetic of attention itself, which grows with prompt length squared; low use of the compute units by
  small batches; kernel launches, sampling, communication between ranks;
- mixtures of experts: a step reads the experts that its tokens choose. State the parameters that a token
  meets, and the bytes that a step reads;
- windows: every layer is charged for all tokens.
"""

from __future__ import annotations

from math import lcm

from labs.base import Record, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    Number = int | Fraction

MS_PER_S = 1000
FLOPS_PER_PARAMETER = 2
BYTES_PER_PARAMETER = 2  # 16-bit weights
TERMS = ("base", "prefill", "decode", "kv")


class StepCost(Record):
    """The four terms in ms: a step, a prefill token, a decode, and a KV token read; none is negative.

    >>> StepCost(5, 2, 1, 3).step_ms(prefill_tokens=10, decodes=4, kv_tokens=100)
    329
    """

    base: Number
    prefill: Number
    decode: Number
    kv: Number

    def check(self) -> None:
        """Raise `LabError` at a term below zero, or if all are zero."""
        for term in TERMS:
            require(getattr(self, term) >= 0, "--cost", "cost_below_zero", getattr(self, term), term=term)
        require(any(self.terms), "--cost", "cost_is_nothing", "0 ms")

    @property
    def terms(self) -> tuple[Number, Number, Number, Number]:
        return self.base, self.prefill, self.decode, self.kv

    def step_ms(self, prefill_tokens: int, decodes: int, kv_tokens: int) -> Number:
        """The time of one step in ms."""
        return self.base + self.prefill * prefill_tokens + self.decode * decodes + self.kv * kv_tokens

    @property
    def ticks_per_ms(self) -> int:
        """The coarsest clock on which every term is a whole number of ticks.

        >>> from fractions import Fraction
        >>> StepCost(5, Fraction(1, 4), Fraction(1, 6), 0).ticks_per_ms
        12
        """
        return lcm(*[term.denominator for term in self.terms])

    def in_ticks(self, per_ms: int) -> tuple[int, int, int, int]:
        """The terms in ticks of a clock that is a multiple of `ticks_per_ms`.

        >>> from fractions import Fraction
        >>> StepCost(5, Fraction(1, 4), 0, 0).in_ticks(1000)
        (5000, 250, 0, 0)
        """
        assert per_ms % self.ticks_per_ms == 0, "a tick that does not divide a term"
        base, prefill, decode, kv = [int(term * per_ms) for term in self.terms]
        return base, prefill, decode, kv


class StatedRates(Record):
    """What a cost is derived from; rates in FLOP/s and B/s, sizes in bytes; the weights are 16-bit if None.

    >>> rates = StatedRates(
    ...     parameters=10**9, kv_bytes_per_token=10**5, flops_per_s=10**14, bytes_per_s=10**12)
    >>> [str(term) for term in rates.cost().terms]
    ['2', '1/50', '1/50', '1/10000']
    """

    parameters: Number
    kv_bytes_per_token: Number
    flops_per_s: Number
    bytes_per_s: Number
    weight_bytes: Number | None = None

    def check(self) -> None:
        """Raise `LabError` unless rates and parameters are positive."""
        for name, where in (
            ("parameters", "--parameters"),
            ("flops_per_s", "--flops"),
            ("bytes_per_s", "--memory-bandwidth"),
        ):
            require(getattr(self, name) > 0, where, "not_positive", getattr(self, name))
        require(self.kv_bytes_per_token >= 0, "--kv-per-token", "at_least", self.kv_bytes_per_token, least=0)
        require(self.step_bytes >= 0, "--weights", "at_least", self.weight_bytes, least="0 B")

    @property
    def step_bytes(self) -> Number:
        """Bytes of weights that every step reads."""
        return BYTES_PER_PARAMETER * self.parameters if self.weight_bytes is None else self.weight_bytes

    def cost(self) -> StepCost:
        """The linear cost: reading and computing added up."""
        from fractions import Fraction

        token = Fraction(MS_PER_S * FLOPS_PER_PARAMETER * self.parameters) / self.flops_per_s
        base = Fraction(MS_PER_S * self.step_bytes) / self.bytes_per_s
        kv = Fraction(MS_PER_S * self.kv_bytes_per_token) / self.bytes_per_s
        return StepCost(base=base, prefill=token, decode=token, kv=kv)
