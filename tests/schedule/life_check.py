"""Lives beside recorded runs, and beside what an engine's own methods were seen to do.

The recorded figures come from the engines (tests/golden/README.md); from the events only what they say is
taken: tables are added up from blocks allocated and freed, steps from the rounds of `scheduled`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from labs.engine.explain.life import Event
from labs.engine.run.live_request import LiveRequest
from labs.engine.run.stepper import EngineStepper
from tests.engine.golden_cases import Case, first_difference, golden

Facts = dict[str, object]
Act = tuple[object, ...]


class Recorded(NamedTuple):
    """A recorded step: what must follow from the events, and the free queue after it, if it is known."""

    number: int
    facts: Facts
    free_queue: list[int] | None


def recorded(case: Case) -> Iterator[Recorded]:
    """The steps of a case of any of the files."""
    if case.get("mode"):
        yield from _fuzz_steps(case)
        return
    for step in case.get("steps") or case["rows"]:
        facts: Facts = {
            "scheduled": dict(step["scheduled"]),
            "tables": {name: list(table) for name, table in step["tables"].items()},
            "preempted": sorted(step["preempted"]),
            "finished": sorted(step["finished"]),
        }
        if "resumed" in step:
            facts["resumed"] = sorted(step["resumed"])
        if "start_at" in step:
            facts["cached"] = dict(step["start_at"])
            facts["free after scheduling"] = step["free_blocks"]
        if isinstance(step["finished"], dict):
            facts["reasons"] = dict(step["finished"])
        if "free_after" in step:
            facts["free after the step"] = (
                step["free_after"] if isinstance(step["free_after"], int) else len(step["free_after"])
            )
        yield Recorded(step["step"], facts, step["free_after"] if "rows" in case else None)


def _fuzz_steps(case: Case) -> Iterator[Recorded]:
    columns = golden("engine_fuzz.json")["step_columns"]
    for number, row in enumerate(case["steps"], 1):
        step = dict(zip(columns, row, strict=True))
        facts: Facts = {
            "scheduled": dict(step["scheduled"]),
            "cached": dict(step["computed_before"]),
            "tables": dict(step["block_tables"]),
            "preempted": sorted(step["preempted"]),
            "resumed": sorted(step["resumed"]),
            "finished": sorted(step["finished"]),
            "free after the step": len(step["free_queue_after_step"]),
        }
        yield Recorded(number, facts, step["free_queue_after_step"])


class Tally:
    """What events add up to, round by round."""

    def __init__(self, num_blocks: int) -> None:
        self.free = num_blocks
        self.tables: dict[str, list[int]] = {}
        self.keeping: set[str] = set()  # finished, but their blocks are not free

    def after(self, events: Sequence[Event], steps: dict[str, tuple[int, int]]) -> Facts:
        """Facts of the next round; `steps` are the tokens and cached tokens of who was scheduled in it."""
        facts: dict[str, Any] = {
            "scheduled": {name: tokens for name, (tokens, _) in steps.items()},
            "cached": {name: cached for name, (_, cached) in steps.items()},
            "preempted": sorted(event.request for event in events if event.kind == "preempted"),
            "resumed": sorted(event.request for event in events if event.kind == "resumed"),
        }
        scheduling = next((n for n, event in enumerate(events) if self._comes_after(event)), len(events))
        self._take(events[:scheduling])
        facts["tables"] = {name: list(self.tables.get(name, ())) for name in steps}
        facts["free after scheduling"] = self.free
        ended = [event for event in events if event.kind == "finished" and event.reason != "abort"]
        facts["finished"] = sorted(event.request for event in ended)
        facts["reasons"] = {event.request: event.reason for event in ended}
        aborted = next((n for n, event in enumerate(events) if event.reason == "abort"), len(events))
        self._take(events[scheduling:aborted])
        facts["free after the step"] = self.free
        self._take(events[max(aborted, scheduling) :])
        return facts

    def _comes_after(self, event: Event) -> bool:
        """Whether it shows that the scheduling of its round is over."""
        kept = event.kind == "freed" and event.request in self.keeping
        return kept or event.kind in ("finished", "loaded", "failed")

    def _take(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.kind == "allocated":
                self.tables.setdefault(event.request, []).extend([*event.cached_blocks, *event.new_blocks])
            elif event.kind == "freed":
                assert list(event.freed_blocks) == self.tables.pop(event.request)[::-1]
            if event.kind in ("allocated", "freed"):
                assert event.num_free is not None
                self.free = event.num_free
            if event.keeps_blocks:
                self.keeping.add(event.request)


def steps_by_round(events: Sequence[Event]) -> dict[int, dict[str, tuple[int, int]]]:
    """Round -> request -> (tokens, cached tokens), from the rounds that `scheduled` covers."""
    found: dict[int, dict[str, tuple[int, int]]] = {}
    for event in events:
        if event.kind == "scheduled":
            assert event.tokens is not None
            assert event.cached_tokens is not None
            assert event.last_round is not None
            for offset in range(event.last_round - event.round + 1):
                cached = event.cached_tokens + offset * event.tokens
                found.setdefault(event.round + offset, {})[event.request] = event.tokens, cached
    return found


def difference(case: Case, events: Sequence[Event], num_blocks: int) -> str | None:
    """The first recorded fact that the events do not tell; the order given back, where the queue shows it."""
    by_round = {number: list(group) for number, group in groupby(events, lambda event: event.round)}
    steps = steps_by_round(events)
    tally = Tally(num_blocks)
    warm_up = case.get("warm_up_steps", 0)
    known = {step.number + warm_up: step for step in recorded(case)}
    caching = case["config"].get("prefix_caching", True)
    for number in range(1, max([*by_round, *steps]) + 1):
        facts = tally.after(by_round.get(number, []), steps.get(number, {}))
        step = known.get(number)
        if step is None:
            continue
        found = first_difference(number, facts, step.facts)
        freed = [event for event in by_round.get(number, []) if event.kind in ("freed", "allocated")]
        if found is None and step.free_queue and freed and freed[-1].kind == "freed":
            given_back = [block for block in freed[-1].freed_blocks if block in step.free_queue]
            place = slice(-len(given_back), None) if "rows" in case else slice(len(given_back))
            if ("rows" in case or not caching) and given_back and step.free_queue[place] != given_back:
                found = f"step {number}: given back {given_back}, queue {step.free_queue}"
        if found:
            return found
    return None


def spy(stepper: EngineStepper) -> list[Act]:
    """A list of what is done to a pool from now on, in order, with the free blocks after it."""
    acts: list[Act] = []
    scheduler: Any = stepper.scheduler
    pool = scheduler.pool
    give, preempt = pool.free, scheduler._preempt
    under_way: list[str] = []

    def free() -> int | None:
        return pool.num_free if pool.is_limited else None

    def watch_taking(name: str) -> None:
        take = getattr(pool, name)

        def watched(*count: int) -> Any:
            under_way.append(name)
            taken = take(*count)
            under_way.pop()
            if not under_way:  # one may call the other
                acts.append(("taken", tuple(taken) if count else (taken,), free()))
            return taken

        setattr(pool, name, watched)

    def watched_give(blocks: Iterable[int]) -> None:
        given = tuple(blocks)
        give(given)
        if given:
            acts.append(("given back", given, free()))

    def watched_preempt(request: LiveRequest, *rest: object) -> None:
        acts.append(("preempted", request.name))
        preempt(request, *rest)

    for name in ("take", "take_one"):
        if hasattr(pool, name):
            watch_taking(name)
    pool.free, scheduler._preempt = watched_give, watched_preempt
    return acts


def acts_of(events: Sequence[Event]) -> list[Act]:
    """The same from events."""
    acts: list[Act] = []
    for event in events:
        if event.kind == "allocated":
            acts.append(("taken", event.new_blocks, event.num_free))
        elif event.kind == "freed":
            acts.append(("given back", event.freed_blocks, event.num_free))
        elif event.kind == "preempted":
            acts.append(("preempted", event.request))
    return acts
