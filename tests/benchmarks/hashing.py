"""Block hashes against a bare `hashlib.sha256` over the same bytes, and prefix look-ups of growing length.

Usage: python3 tests/benchmarks/hashing.py [--tokens N] [--repeats N]. All is run in turn, the best time of
each counts. Exits 1 if a bound does not hold:

    chain      scheme sha256_cbor in blocks of 16 takes at most 5 times the bare hash. That hashes, one call
               a block, the very CBOR bytes that the chain hashes, the parent's included; they are written
               beforehand, and its digests must be the chain's.
    look-up    the whole prefix lab, hashes and walk, takes at most 2.5 times as long for twice the blocks
               (linear is 2; a long run also leaves the processor's cache).
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from labs.engine.hash_chain import ExtraKeys, block_hashes, cbor, root_hash
from labs.prefix import Params, run

VOCABULARY = 151_936
BLOCK_SIZE = 16
MAX_CHAIN = 5.0
MAX_DOUBLING = 2.5


def best_seconds(jobs: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The best wall-clock time of each job, all run in turn."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def hashed_bytes(tokens: list[int]) -> list[bytes]:
    """What a sha256_cbor chain hashes, block by block."""
    parent, messages = root_hash("sha256_cbor"), []
    for start in range(0, len(tokens) - BLOCK_SIZE + 1, BLOCK_SIZE):
        messages.append(cbor((parent, tokens[start : start + BLOCK_SIZE], None)))
        parent = hashlib.sha256(messages[-1]).digest()
    return messages


def chain_holds(tokens: list[int], repeats: int) -> bool:
    """Print each scheme's ratio to the bare hash; whether that of sha256_cbor is within its bound."""
    messages = hashed_bytes(tokens)

    def bare() -> list[bytes]:
        return [hashlib.sha256(message).digest() for message in messages]

    def chain(scheme: str, extra: ExtraKeys) -> Callable[[], list[bytes]]:
        return lambda: block_hashes(tokens, BLOCK_SIZE, scheme, extra=extra)

    none, keys = ExtraKeys(), ExtraKeys(salt="tenant-a", lora=("adapter", "/path"))
    assert bare() == chain("sha256_cbor", none)(), "the bare hash is not over the same bytes"
    jobs: dict[str, Callable[[], object]] = {"bare hashlib.sha256": bare}
    for scheme in ("sha256_cbor", "sha256", "lab"):
        jobs[scheme] = chain(scheme, none)
        jobs[scheme + ", LoRA and salt"] = chain(scheme, keys)
    best = best_seconds(jobs, repeats)
    print(f"{'chain':<30}{'us a block':>10}{'ratio':>8}")
    for name, seconds in best.items():
        ratio = seconds / best["bare hashlib.sha256"]
        print(f"{name:<30}{seconds / len(messages) * 1e6:>10.2f}{ratio:>8.2f}")
    return best["sha256_cbor"] <= MAX_CHAIN * best["bare hashlib.sha256"]


def lookup_holds(tokens: list[int], repeats: int) -> bool:
    """Print look-ups of 1, 2, 4, 8 parts of the prompt; whether each is within its bound of the one before.

    The two prompts differ in their last token only, so that the walk goes to the end.
    """

    def lookup(count: int) -> Callable[[], object]:
        a = tuple(tokens[:count])
        params = Params(a=a, b=(*a[:-1], a[-1] + 1), block_size=BLOCK_SIZE, scheme="sha256_cbor")
        return lambda: run(params)

    counts = [len(tokens) * parts // 8 for parts in (1, 2, 4, 8)]
    best = best_seconds({f"{count // BLOCK_SIZE} blocks": lookup(count) for count in counts}, repeats)
    print(f"\n{'look-up':<30}{'ms':>10}{'ratio':>8}")
    before = None
    worst = 0.0
    for name, seconds in best.items():
        ratio = seconds / before if before else None
        print(f"{name:<30}{seconds * 1e3:>10.2f}" + (f"{ratio:>8.2f}" if ratio else ""))
        worst, before = max(worst, ratio or 0), seconds
    return worst <= MAX_DOUBLING


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tokens", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=15)
    args = parser.parse_args()
    source = random.Random(16)
    tokens = [source.randrange(VOCABULARY) for _ in range(args.tokens)]
    print(f"Python {sys.version.split()[0]}, best of {args.repeats} runs in turn")
    print(f"{args.tokens} ids below {VOCABULARY} in blocks of {BLOCK_SIZE}")
    print(f"bounds: sha256_cbor {MAX_CHAIN}, look-up of twice the blocks {MAX_DOUBLING}\n")
    held = [chain_holds(tokens, args.repeats), lookup_holds(tokens, args.repeats)]
    print("\nbounds held" if all(held) else "\na bound is not held")
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
