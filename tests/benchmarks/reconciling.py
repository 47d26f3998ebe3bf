"""Start-up logs that nothing explains, against every config of tests/cases: all deployments are tried.

Usage: python3 tests/benchmarks/reconciling.py [--repeats N]. The least processor time of each counts; exits 1
if a search takes longer than a reader waits, 3 seconds. That is no ratio: what is bounded is the wait.

    tokens     memory, tokens and concurrency that go with no deployment, by either meaning of the token line
    refusal    more memory than any deployment needs
    short      a refusal of 3 tokens, which many deployments need, and an estimate that none gives
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from labs.model.stack import ModelStack, stack_of
from labs.sizing.log.known import Known
from labs.sizing.log.printed import Printed, Rounded
from labs.sizing.log.reconcile import reconcile

CONFIGS = Path(__file__).parents[1] / "cases" / "configs"
MAX_SECONDS = 3.0


def gib(text: str) -> Rounded:
    """A size or a factor as it is printed, with two places."""
    return Rounded(Fraction(text), Fraction(1, 200))


LOGS = {
    "tokens": Printed(
        kv_gib=gib("20.01"),
        ranks=(gib("20.01"),),
        kv_tokens=16000048,
        concurrency=gib("1.23"),
        max_model_len=8192,
    ),
    "refusal": Printed(
        needed_gib=gib("99999.99"),
        available_gib=gib("1.00"),
        estimated_max_model_len=777,
        max_model_len=10**6,
    ),
    "short": Printed(
        needed_gib=gib("0.01"), available_gib=gib("0.01"), estimated_max_model_len=777, max_model_len=3
    ),
}


def seconds(printed: Printed, stack: ModelStack) -> float:
    """Processor time of one search, which must find nothing."""
    start = time.process_time()
    outcome = reconcile(printed, stack, Known(max_model_len=printed.max_model_len))
    taken = time.process_time() - start
    assert not outcome.explained, "it must be a log that nothing explains"
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1)
    args = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, least processor time of {args.repeats}; bound {MAX_SECONDS} s\n")
    print(f"{'config':<26}" + "".join(f"{name:>9}" for name in LOGS))
    worst = 0.0
    for path in sorted(CONFIGS.glob("*.json")):
        text = path.read_text(encoding="utf-8")
        stack = stack_of(json.loads(text), path.name, text)
        taken = [min(seconds(log, stack) for _ in range(args.repeats)) for log in LOGS.values()]
        print(f"{path.stem:<26}" + "".join(f"{each:>9.2f}" for each in taken))
        worst = max(worst, *taken)
    print("\nbound held" if worst <= MAX_SECONDS else "\nthe bound is not held")
    return 0 if worst <= MAX_SECONDS else 1


if __name__ == "__main__":
    raise SystemExit(main())
