"""Whole-process time of `inference_lab.py all` against `python -c pass`, in turn, bytecode warm.

Usage: python3 tests/benchmarks/startup.py [--pairs N]. Prints medians and the median of the ratios pair by
pair; the aim is at most 2. Measures the interpreter that runs this script: in a virtual environment, or with
`-I`, less is loaded before the first line than in an installation with many packages.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ENTRY = Path(__file__).parents[2] / "inference_lab.py"
AIM = 2.0


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """Wall-clock time of one process from start to end."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=41)
    pairs = parser.parse_args().pairs
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "all": [sys.executable, str(ENTRY), "all"],
        "--lang zh all": [sys.executable, str(ENTRY), "--lang", "zh", "all"],
        "all --json": [sys.executable, str(ENTRY), "all", "--json"],
        "schedule --budget 2": [sys.executable, str(ENTRY), "schedule", "--budget", "2"],
    }
    for command in commands.values():
        seconds(command, environment)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(pairs):
        for name, command in commands.items():
            times[name].append(seconds(command, environment))
    base = times["python -c pass"]
    print(f"Python {sys.version.split()[0]}, {pairs} runs of each in turn; aim for `all`: at most {AIM}")
    print(f"{'command':<22}{'median ms':>10}{'ratio':>8}{'lowest':>8}{'highest':>9}")
    for name, measured in times.items():
        ratios = [a / b for a, b in zip(measured, base)]
        median = statistics.median(measured) * 1000
        middle = statistics.median(ratios)
        print(f"{name:<22}{median:>10.1f}{middle:>8.2f}{min(ratios):>8.2f}{max(ratios):>9.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
