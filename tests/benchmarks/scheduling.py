"""Scheduling against bare loops that only count: step by step, many steps at once, with a long queue.

Usage: python3 tests/benchmarks/scheduling.py [--repeats N] [--steps N]. All is run in turn, the best time of
each counts. Exits 1 if a bound does not hold:

    stepper    64 requests decode at once, in blocks of 16: `schedule` and `update_from_output` of the `vllm`
               rule take at most 3 times a bare loop that makes the same integer updates, in two passes and
               with a dict of tokens by request, as an engine must. That loop knows no blocks, no limits and
               no end.
    skipping   1,000 requests of 128 tokens in and 512 out, 64 at once, simulated under the `vllm` rule, take
               at most 15 times a loop that counts the same 640,000 tokens one by one; twice the output
               takes at most 1.8 times as long.
    queue      a recorded round of 64 takes at most 1.5 times as long when 12,000 wait as when 100 do.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from labs.engine.knobs import Knobs
from labs.engine.requests import Request
from labs.engine.run.engines import nano_vllm, vllm
from labs.engine.run.stepper import EngineStepper
from labs.engine.simulator import simulate

NUM_SEQS = 64
PROMPT = 128
BUDGET = NUM_SEQS * PROMPT
MAX_STEPPER = 3.0
MAX_SKIPPING = 15.0
MAX_DOUBLING = 1.8
MAX_QUEUE = 1.5

Job = Callable[[], float]  # sets itself up, and returns the seconds of the part that counts


def best_seconds(jobs: dict[str, Job], repeats: int) -> dict[str, float]:
    """The best time of each job, all run in turn."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            best[name] = min(best[name], job())
    return best


class Counters:
    """What the bare loop keeps of a request."""

    __slots__ = ("num_computed_tokens", "num_tokens")

    def __init__(self) -> None:
        self.num_computed_tokens = PROMPT
        self.num_tokens = PROMPT + 1


def bare_loop(num_steps: int) -> float:
    """Seconds for the integer updates of so many steps."""
    requests = [Counters() for _ in range(NUM_SEQS)]
    start = time.perf_counter()
    for _ in range(num_steps):
        budget = BUDGET
        num_scheduled_tokens: dict[Counters, int] = {}
        for request in requests:
            num_new_tokens = request.num_tokens - request.num_computed_tokens
            request.num_computed_tokens += num_new_tokens
            num_scheduled_tokens[request] = num_new_tokens
            budget -= num_new_tokens
        for request in num_scheduled_tokens:
            request.num_tokens += 1
    seconds = time.perf_counter() - start
    check_counts(requests, num_steps)
    return seconds


def check_counts(requests: list[Counters], num_steps: int) -> None:
    """Both loops end with the same numbers: each request got a token a step."""
    counts = {(request.num_computed_tokens, request.num_tokens) for request in requests}
    assert counts == {(PROMPT + num_steps, PROMPT + num_steps + 1)}, "the loop did other updates"


def decoding(stepper: EngineStepper, num_waiting: int = 0) -> EngineStepper:
    """The stepper when 64 endless requests have computed their prompts, and others wait behind them."""
    for number in range(NUM_SEQS + num_waiting):
        stepper.add(Request(f"r{number}", prefill=PROMPT, decode=None))
    stepper.step(1, 1)
    return stepper


def steps(stepper: EngineStepper, num_steps: int) -> float:
    """Seconds for so many steps of an engine's scheduler, nothing written down."""
    scheduler = decoding(stepper).scheduler
    start = time.perf_counter()
    for number in range(num_steps):
        scheduler.update_from_output(scheduler.schedule(), number)
    seconds = time.perf_counter() - start
    check_counts(list(map(counters_of, scheduler.running)), num_steps)
    return seconds


def counters_of(request: object) -> Counters:
    counters = Counters()
    for name in Counters.__slots__:
        setattr(counters, name, getattr(request, name))
    return counters


def recorded_rounds(num_waiting: int, num_rounds: int) -> float:
    """Seconds for so many rounds under the `vllm` rule, each played by itself and written down."""
    stepper = decoding(vllm(Knobs(budget=BUDGET, max_num_seqs=NUM_SEQS), detail=False), num_waiting)
    start = time.perf_counter()
    rounds = [stepper.step(number, 1) for number in range(2, num_rounds + 2)]
    seconds = time.perf_counter() - start
    assert len(rounds[-1].work) == NUM_SEQS
    assert len(rounds[-1].waiting) == num_waiting
    return seconds


def simulated(num_requests: int, num_outputs: int) -> float:
    """Seconds to simulate whole requests, 64 at once, as many steps at a time as are alike."""
    requests = [Request(f"r{n}", prefill=PROMPT, decode=num_outputs - 1) for n in range(num_requests)]
    stepper = vllm(Knobs(budget=BUDGET, max_num_seqs=NUM_SEQS), detail=False)
    start = time.perf_counter()
    run = simulate(requests, stepper, 1_000_000)
    seconds = time.perf_counter() - start
    batches = -(-num_requests // NUM_SEQS)
    assert run.num_rounds == batches * num_outputs, (
        "everybody gets a token a round, and leaves with its batch"
    )
    return seconds


def counted(num_tokens: int) -> float:
    """Seconds to count so many tokens one by one."""
    start = time.perf_counter()
    count = 0
    for _ in range(num_tokens):
        count += 1  # noqa: SIM113 - this is what is measured
    return time.perf_counter() - start


def stepper_holds(num_steps: int, repeats: int) -> bool:
    """Print each stepper's ratio to the bare loop; whether that of `vllm` is within its bound."""

    def knobs(prefix_caching: bool) -> Knobs:
        return Knobs(budget=BUDGET, max_num_seqs=NUM_SEQS, prefix_caching=prefix_caching)

    jobs: dict[str, Job] = {
        "bare loop": lambda: bare_loop(num_steps),
        "vllm": lambda: steps(vllm(knobs(True), detail=False), num_steps),
        "vllm, no prefix caching": lambda: steps(vllm(knobs(False), detail=False), num_steps),
        "nano-vllm": lambda: steps(nano_vllm(knobs(True), detail=False), num_steps),
        "vllm, rounds recorded": lambda: recorded_rounds(0, num_steps),
    }
    best = best_seconds(jobs, repeats)
    print(f"{'stepper, 64 decode at once':<34}{'ns':>8}{'ratio':>8}   of a request and step")
    for name, seconds in best.items():
        print(f"{name:<34}{seconds / num_steps / NUM_SEQS * 1e9:>8.0f}{seconds / best['bare loop']:>8.2f}")
    return best["vllm"] <= MAX_STEPPER * best["bare loop"]


def skipping_holds(repeats: int) -> bool:
    """Print the simulation of 1,000 requests beside a bare count; whether it is within its bounds."""
    jobs: dict[str, Job] = {
        "640,000 counted one by one": lambda: counted(640_000),
        "1,000 requests, 128 in, 512 out": lambda: simulated(1_000, 512),
        "1,000 requests, 128 in, 1,024 out": lambda: simulated(1_000, 1_024),
    }
    count, once, twice = best_seconds(jobs, repeats).values()
    print(f"\n{'skipping, 64 at once':<34}{'ms':>8}{'ratio':>8}   to the count, and to the line before")
    print(f"{'640,000 counted one by one':<34}{count * 1e3:>8.1f}{1:>8.2f}")
    print(f"{'1,000 requests, 128 in, 512 out':<34}{once * 1e3:>8.1f}{once / count:>8.2f}")
    print(f"{'the same, 1,024 out':<34}{twice * 1e3:>8.1f}{twice / count:>8.2f}{twice / once:>8.2f}")
    return once <= MAX_SKIPPING * count and twice <= MAX_DOUBLING * once


def queue_holds(num_steps: int, repeats: int) -> bool:
    """Print a round's time with 100, 1,000 and 12,000 that wait; whether it grows within its bound."""
    jobs: dict[str, Job] = {
        f"{waiting:,} wait": lambda waiting=waiting: recorded_rounds(waiting, num_steps)  # type: ignore[misc]
        for waiting in (100, 1_000, 12_000)
    }
    best = best_seconds(jobs, repeats)
    print(f"\n{'queue behind 64 that decode':<34}{'us':>8}{'ratio':>8}   of a round")
    for name, seconds in best.items():
        print(f"{name:<34}{seconds / num_steps * 1e6:>8.1f}{seconds / best['100 wait']:>8.2f}")
    return best["12,000 wait"] <= MAX_QUEUE * best["100 wait"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=25)
    parser.add_argument("--steps", type=int, default=500)
    args = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, best of {args.repeats} runs in turn, {args.steps} steps a run")
    print(
        f"bounds: vllm {MAX_STEPPER}, skipping {MAX_SKIPPING}, twice the output {MAX_DOUBLING},"
        f" 12,000 waiting {MAX_QUEUE}\n"
    )
    held = [
        stepper_holds(args.steps, args.repeats),
        skipping_holds(args.repeats),
        queue_holds(args.steps, args.repeats),
    ]
    print("\nbounds held" if all(held) else "\na bound is not held")
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
