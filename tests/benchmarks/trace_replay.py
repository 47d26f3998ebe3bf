"""Real traces: every figure of `tests/cases/traces.json`, and the cost of thirteen capacities.

Usage: python3 tests/benchmarks/trace_replay.py FOLDER [--repeats N]. The traces are not kept here; FOLDER is
where `mooncake_conversation.jsonl` and `mooncake_synthetic.jsonl` lie (and, where they are at hand, Azure's
`AzureLLMInferenceTrace_conv.csv` and `..._code.csv`). What is not there is skipped and said so. Exits 1 if a
figure differs or a bound does not hold:

    figures    facts and hits of both Mooncake traces, by the rule that the file states: counts to the last
               digit, rates to the four that it has; lengths of Azure's
    speed      reading the conversation trace and replaying thirteen capacities takes at most 15 times
               `json.loads` over the file's lines, all run in turn, the best time of each
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from labs.files.traces import read_trace
from labs.prefix_replay import Params, document, run

CASES = Path(__file__).parents[1] / "cases" / "traces.json"
FILES = {
    "conversation": "mooncake_conversation.jsonl",
    "synthetic": "mooncake_synthetic.jsonl",
    "azure 2023 conversation": "AzureLLMInferenceTrace_conv.csv",
    "azure 2023 code": "AzureLLMInferenceTrace_code.csv",
}
THIRTEEN = (195, 500, 1000, 1953, 5000, 5858, 5859, 10000, 19531, 30000, 50000, 97656, None)
RATES = {
    "block": "hit_rate_blocks",
    "token": "hit_rate_tokens",
    "capped_whole_blocks": "hit_rate_whole_blocks",
}
COUNTS = ("blocks", "hit_blocks", "hit_tokens", "evicted")
MAX_RATIO = 15.0


def agrees(ours: float | None, theirs: float) -> bool:
    """Whether a figure is theirs: a count exactly, a rate to its four digits."""
    return ours is not None and (ours == theirs if isinstance(theirs, int) else round(ours, 4) == theirs)


def differing(cases: dict[str, Any], trace: str, path: Path) -> tuple[int, list[str]]:
    """How many figures of a Mooncake trace were compared, and those that differ."""
    replays = [case for case in cases["replays"] if case["trace"] == trace]
    capacities = tuple([case["capacity_blocks"] for case in replays])
    result = document(run(Params(read_trace(str(path), "FOLDER"), capacity=capacities)))["result"]
    pairs = []
    facts = next(case for case in cases["facts"] if case["trace"] == trace)
    for name, theirs in facts.items():
        if name != "trace":
            pairs.append((name, result["facts"][name], theirs))
    for case, ours in zip(replays, result["capacities"], strict=True):
        names = {**{name: name for name in COUNTS}, **RATES}
        for name, key in names.items():
            pairs.append((f"{name} at {case['capacity_blocks']}", ours[key], case[name]))
    return len(pairs), [
        f"{name}: {ours}, not {theirs}" for name, ours, theirs in pairs if not agrees(ours, theirs)
    ]


def differing_lengths(cases: dict[str, Any], trace: str, path: Path) -> tuple[int, list[str]]:
    """The same of an Azure trace, which has lengths only."""
    requests = read_trace(str(path), "FOLDER").requests
    context, generated = ([getattr(r, f"{kind}_length") for r in requests] for kind in ("input", "output"))
    ours = {
        "requests": len(requests),
        **{f"context_{name}": of(context) for name, of in (("mean", mean), ("median", median), ("max", max))},
        **{
            f"generated_{name}": of(generated)
            for name, of in (("mean", mean), ("median", median), ("max", max))
        },
    }
    theirs = next(case for case in cases["facts"] if case["trace"] == trace)
    names = [name for name in theirs if name != "trace"]
    return len(names), [f"{n}: {ours[n]}" for n in names if round(float(ours[n]), 1) != theirs[n]]


def figures_hold(folder: Path) -> bool:
    """Compare every trace that is there; whether nothing differs."""
    cases, all_hold = json.loads(CASES.read_text(encoding="utf-8")), True
    for trace, name in FILES.items():
        path = folder / name
        if not path.exists():
            print(f"{trace:<26}not in the folder, skipped")
            continue
        compare = differing if path.suffix == ".jsonl" else differing_lengths
        count, wrong = compare(cases, trace, path)
        print(f"{trace:<26}{count} figures, {len(wrong)} differ", *wrong, sep="\n    " if wrong else "")
        all_hold = all_hold and not wrong
    return all_hold


def speed_holds(path: Path, repeats: int) -> bool:
    """Print the cost of the replay beside the bare parse; whether it is within its bound."""
    lines = path.read_text(encoding="utf-8").splitlines()

    def parse() -> None:
        for line in lines:
            json.loads(line)

    def read() -> None:
        read_trace(str(path), "FOLDER")

    def replay() -> None:
        run(Params(read_trace(str(path), "FOLDER"), capacity=THIRTEEN))

    best: dict[Callable[[], None], float] = {}
    for _ in range(repeats):
        for job in (parse, read, replay):
            start = time.perf_counter()
            job()
            best[job] = min(best.get(job, 9e9), time.perf_counter() - start)
    names = {parse: "json.loads over the lines", read: "reading", replay: "reading and thirteen capacities"}
    print(f"\n{path.name:<36}{'ms':>8}{'ratio':>8}")
    for job, name in names.items():
        print(f"{name:<36}{best[job] * 1e3:>8.1f}{best[job] / best[parse]:>8.2f}")
    return best[replay] <= MAX_RATIO * best[parse]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--repeats", type=int, default=9)
    args = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, best of {args.repeats} runs in turn; bound {MAX_RATIO}\n")
    held = [figures_hold(args.folder)]
    path = args.folder / FILES["conversation"]
    if path.exists():
        held.append(speed_holds(path, args.repeats))
    print("\nall holds" if all(held) else "\nsomething does not hold")
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
