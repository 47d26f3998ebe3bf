"""A step cost in whole ticks, so that no time is rounded, and equal decode steps in a row.

    time of n decode steps = n x first + growth x n (n - 1) / 2,  growth = KV cost x decodes

Does not model: steps whose time is not linear.
"""

from __future__ import annotations

from math import isqrt

from labs.base import Record

UNBOUNDED = 1 << 60  # steps: as many as there are


class Ticks(Record):
    """A step cost in whole ticks, of which `per_ms` make a millisecond."""

    base: int
    prefill_token: int
    decode: int
    kv_token: int
    per_ms: int

    def of_step(self, prefill_tokens: int, decodes: int, kv_tokens: int) -> int:
        """Ticks of one step."""
        return (
            self.base
            + self.prefill_token * prefill_tokens
            + self.decode * decodes
            + self.kv_token * kv_tokens
        )

    def of_decodes(self, steps: int, decodes: int, kv_tokens: int) -> int:
        """Ticks of so many decode steps in a row, the first of which reads so many KV tokens."""
        growth = self.kv_token * decodes
        return steps * self.of_step(0, decodes, kv_tokens) + growth * (steps * (steps - 1) // 2)

    def decodes_before(self, ticks: int, decodes: int, kv_tokens: int) -> int:
        """How many such steps begin before so many ticks have passed, at least one.

        >>> Ticks(10, 0, 0, 1, 1).decodes_before(35, 1, 5)
        3
        """
        first, growth = self.of_step(0, decodes, kv_tokens), self.kv_token * decodes
        if ticks <= 0 or (first == 0 and growth == 0):
            return 1 if ticks <= 0 else UNBOUNDED
        if growth == 0:
            return -(-ticks // first)
        # the most steps s taking less than `ticks`, and one: growth s^2 + (2 first - growth) s < 2 ticks
        linear = 2 * first - growth
        done = (isqrt(linear * linear + 8 * growth * (ticks - 1)) - linear) // (2 * growth)
        return done + 1
