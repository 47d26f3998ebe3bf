"""The vllm rule without end of blocks against a clock, written a second way: a plain loop over Fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Times = list[tuple[Fraction, Fraction]]


def second_way(
    load: Sequence[tuple[int, int, int]], cost: Sequence[Fraction | int], budget: int, seqs: int
) -> Times:
    """(first token, last token) of each (arrival, prompt, outputs); cost: base, prefill, decode, KV token."""
    base, a, b, c = cost
    now = Fraction(0)
    computed, tokens = [0] * len(load), [[] for _ in load]  # type: tuple[list[int], list[list[Fraction]]]
    running: list[int] = []
    waiting, coming = [], list(range(len(load)))  # type: tuple[list[int], list[int]]
    while running or waiting or coming:
        if not running and not waiting:
            now = max(now, Fraction(load[coming[0]][0]))
        while coming and load[coming[0]][0] <= now:
            waiting.append(coming.pop(0))
        left, share = budget, {}
        for who in list(running):
            share[who] = min(load[who][1] + len(tokens[who]) - computed[who], left)
            left -= share[who]
        while waiting and left and len(running) < seqs:
            who = waiting.pop(0)
            running.append(who)
            share[who] = min(load[who][1], left)
            left -= share[who]
        now += base
        for who in [who for who in running if share[who]]:
            decodes = bool(tokens[who]) and computed[who] >= load[who][1]
            computed[who] += share[who]
            now += (b if decodes else a * share[who]) + c * computed[who]
        for who in list(running):
            if share[who] and computed[who] == load[who][1] + len(tokens[who]):
                tokens[who].append(now)
                if len(tokens[who]) == load[who][2]:
                    running.remove(who)
    return [(times[0], times[-1]) for times in tokens]
