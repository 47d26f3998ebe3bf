"""A trace against a clock: what it costs, on made requests, and on a real hour where its folder is given.

Usage: python3 tests/benchmarks/clock_replay.py [FOLDER] [--repeats N]. FOLDER is where
`mooncake_conversation.jsonl` lies; it is not kept here. Exits 1 if a bound does not hold:

    made       12,000 random requests of 2,000 tokens in and 342 out, at 4 a second, under the vllm rule: at
               most 100 times a bare loop that counts their 4.1 million output tokens one by one
    hour       12,031 requests, 4.1 million output tokens, read and replayed: at most 80 times `json.loads`
               over the file's lines and the same loop over its output tokens; and the whole command takes at
               most 250 MB of memory
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from labs.files.traces import read_trace
from labs.replay.arrivals import RandomLoad
from labs.replay.load import of_random
from labs.schedule_replay import Params, Result, params, run

ENTRY = Path(__file__).parents[2] / "inference_lab.py"
HOUR = "mooncake_conversation.jsonl"
LOAD = RandomLoad(num=12_000, rate=4, input_len=2000, output_len=342)
MAX_MADE, MAX_HOUR, MAX_MB = 100.0, 80.0, 250.0


def best(job: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest run."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def count(outputs: list[int]) -> int:
    """The bare loop: every output token by itself."""
    counted = 0
    for output in outputs:
        left = output
        while left:
            counted += 1
            left -= 1
    return counted


def told(result: Result) -> str:
    report = result.report
    return f"{report.completed:,} requests, {report.output_tokens:,} output tokens, {report.steps:,} steps"


def made_holds(repeats: int) -> bool:
    """Replay the random load beside the bare loop."""
    load = of_random(LOAD)
    outputs = [arrival.output_length for arrival in load]
    bare = best(lambda: count(outputs), repeats)
    ours = best(lambda: run(Params(arrivals=load)), repeats)
    print(f"made   {told(run(Params(arrivals=load)))}")
    print(f"       bare {bare:.2f} s, replay {ours:.2f} s, ratio {ours / bare:.1f} (at most {MAX_MADE})")
    return ours <= MAX_MADE * bare


def megabytes_of(path: Path) -> float:
    """Memory of the whole command at its peak; to be asked for first, as a child begins with its parent's."""
    command = [sys.executable, str(ENTRY), "schedule", "replay", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def hour_holds(path: Path, repeats: int, megabytes: float) -> bool:
    """Read and replay the real hour beside a loop over its lines and tokens."""

    def bare_loop() -> None:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        count([line["output_length"] for line in lines])

    def replay_hour() -> Result:
        return run(params([read_trace(str(path), "FOLDER")]))

    bare, ours = best(bare_loop, repeats), best(replay_hour, repeats)
    print(f"hour   {told(replay_hour())}")
    ratio = f"ratio {ours / bare:.1f} (at most {MAX_HOUR})"
    print(f"       bare {bare:.2f} s, reading and replay {ours:.2f} s, {ratio}")
    print(f"       {megabytes:.0f} MB at the peak (at most {MAX_MB:.0f})")
    return ours <= MAX_HOUR * bare and megabytes <= MAX_MB


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    gc.disable()
    print(f"Python {sys.version.split()[0]}, best of {args.repeats}\n")
    path = args.folder / HOUR if args.folder is not None else None
    if path is None or not path.exists():
        print("hour   no folder with it was given, skipped")
        held = [made_holds(args.repeats)]
    else:
        megabytes = megabytes_of(path)
        held = [made_holds(args.repeats), hour_holds(path, args.repeats, megabytes)]
    print("\nall holds" if all(held) else "\nsomething does not hold")
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
