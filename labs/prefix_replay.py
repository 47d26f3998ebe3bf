"""Prefix lab, a trace replayed: the hit rate of an LRU prefix cache against its size.

    read     `labs.files.traces`: requests with block ids or token ids
    keys     ids that are chained are keys as they are; content ids and token blocks are chained here
    replay   `labs.replay.hit_curve`: one pass over the trace for all capacities, and the rule it follows

`--ids` says what the ids of a Mooncake trace are. Without it they count as chained, as that format promises,
until one stands after two different blocks or twice in a request: then they are content ids, and the text
names the line. With `--ids chained` they are taken at the user's word, block by block, and the text warns.

Source: the rule of the Mooncake trace's own replay; definitions as `labs.replay.hit_curve.Hits` has them.
Does not model: what `labs.replay.hit_curve` does not; latency, outputs that later prompts go on from.
"""

from __future__ import annotations

from labs.base import LabError, Record, check_bounds, require
from labs.replay.block_keys import chained_keys, naive_hit_blocks, token_blocks
from labs.replay.capacities import by_size, ladder, read_capacities
from labs.replay.facts import Facts, facts
from labs.replay.hit_curve import Hits, Load, NotChainedError, enough, hit_curve, reuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from labs.files.traces import Trace

CHAINED, CONTENT, TOKENS = "chained", "content", "tokens"
IDS = (CHAINED, CONTENT, TOKENS)
BLOCK_TOKENS = 512
MAX_BLOCK_TOKENS = 10**7
SHARES = (50, 90, 100)  # percent of all possible hits


class Params(Record):
    """The trace and how to read it; `capacity` empty means those of the curve, None in it is no limit."""

    trace: Trace
    ids: str | None = None
    capacity: tuple[int | None, ...] = ()
    block_tokens: int = BLOCK_TOKENS
    csv: str | None = None

    def check(self) -> None:
        trace, size = self.trace, self.block_tokens
        check_bounds(size, "--block-tokens", 1, MAX_BLOCK_TOKENS)
        require(trace.ids is not None, trace.place(-1), "trace_without_ids", trace.kind)
        choices = (TOKENS,) if trace.ids == TOKENS else (CHAINED, CONTENT)
        if self.ids is not None and self.ids not in choices:
            kind = "token ids" if trace.ids == TOKENS else "block ids"
            raise LabError("--ids", "ids_not_of_trace", self.ids, kind=kind, choices=", ".join(choices))
        for index, request in enumerate(trace.requests if trace.ids == CHAINED else ()):
            tokens, blocks = request.input_length, -(-request.input_length // size)
            if len(request.ids or ()) != blocks:
                raise LabError(
                    trace.place(index),
                    "trace_block_count",
                    len(request.ids or ()),
                    tokens=tokens,
                    block_tokens=size,
                    blocks=blocks,
                )


class Contradiction(Record):
    """A block id that no chain can have: it stands after `before` (None: first) in line `line`, and after
    `other_before` in line `other_line`."""

    block: int
    line: int
    before: int | None
    other_line: int
    other_before: int | None


class Result(Record):
    """Hits by capacity, as asked for and along the curve; what tells why.

    ids             how the ids were taken
    contradiction   why they cannot be chained, if it was found
    naive_hits      blocks that content ids taken alone would hit without end of cache
    enough          capacity that gives a share, in percent, of all possible hits; None after a plain replay
    """

    params: Params
    ids: str
    contradiction: Contradiction | None
    facts: Facts
    asked: tuple[Hits, ...]
    curve: tuple[Hits, ...]
    enough: dict[int, int] | None
    naive_hits: int | None
    holds: bool = True

    @property
    def endless(self) -> Hits:
        """The hits of a cache without end."""
        return self.curve[-1]

    @property
    def not_servable(self) -> int | None:
        """Naive hits whose K and V belong to another prefix."""
        return None if self.naive_hits is None else self.naive_hits - self.endless.hit_blocks


def run(params: Params) -> Result:
    """Replay the trace through caches of all capacities."""
    trace, size = params.trace, params.block_tokens
    ids, contradiction, naive = params.ids or trace.ids or CHAINED, None, None
    contents: list[Any] = [request.ids for request in trace.requests]
    found = None
    if ids == CHAINED:
        try:
            found, num_keys = reuses(contents), len(set().union(*contents))
        except NotChainedError as error:
            contradiction = told(trace, error)
            ids = params.ids or CONTENT
    if ids == TOKENS:
        contents = [token_blocks(request.tokens or (), size) for request in trace.requests]
    if ids == CONTENT:
        naive = naive_hit_blocks(contents)
    if ids in (CONTENT, TOKENS):
        paths = chained_keys(contents)
        found, num_keys = reuses(paths), 1 + max(map(max, paths))
    load = Load([request.input_length for request in trace.requests], size)
    if found is None:
        return plain_result(params, load, contents, contradiction)
    capacities = (*params.capacity, *ladder(num_keys))
    by_capacity = hit_curve(found, load, num_keys, capacities)
    hits = [0] * len(contents)
    for _, request, _, end in found:
        hits[request] = end
    about = facts_of(trace, load, num_keys, hits)
    shares = enough(found, SHARES)
    return result_of(params, ids, contradiction, about, by_capacity, shares, naive)


def plain_result(
    params: Params, load: Load, contents: list[Any], contradiction: Contradiction | None
) -> Result:
    """The result where ids are taken for chained at the user's word: replayed step by step."""
    from labs.replay.plain_lru import plain_replay

    num_keys = len(set().union(*contents))
    by_capacity: dict[int | None, Hits] = {}
    hits: list[int] = []
    for capacity in sorted({*params.capacity, *ladder(num_keys)}, key=by_size):
        by_capacity[capacity], hits = plain_replay(contents, load, capacity)
    about = facts_of(params.trace, load, num_keys, hits)
    return result_of(params, CHAINED, contradiction, about, by_capacity, None, None)


def facts_of(trace: Trace, load: Load, num_keys: int, hits: Sequence[int]) -> Facts:
    requests = trace.requests
    first_ids = None if trace.ids == TOKENS else [(request.ids or (-1,))[0] for request in requests]
    arrivals, outputs = [r.arrival_ms for r in requests], [r.output_length for r in requests]
    return facts(arrivals, outputs, first_ids, load, num_keys, hits)


def result_of(
    params: Params,
    ids: str,
    contradiction: Contradiction | None,
    about: Facts,
    by_capacity: dict[int | None, Hits],
    shares: dict[int, int] | None,
    naive: int | None,
) -> Result:
    asked = tuple([by_capacity[capacity] for capacity in params.capacity or ladder(about.unique)])
    return Result(params, ids, contradiction, about, asked, tuple(by_capacity.values()), shares, naive)


def told(trace: Trace, error: NotChainedError) -> Contradiction:
    """The contradiction in the trace's own terms."""
    path, other = (trace.requests[i].ids or () for i in (error.request, error.other))
    index = error.index
    elsewhere = other.index(path[index])
    return Contradiction(
        path[index],
        trace.line(error.request),
        path[index - 1] if index else None,
        trace.line(error.other),
        other[elsewhere - 1] if elsewhere else None,
    )


def params(trace: list[Trace] | None = None, **given: Any) -> Params:
    """The options as parameters; the trace is demanded here, as a plain line passes by argparse."""
    traces = trace or []
    require(len(traces) == 1, "TRACE", "needs_trace", f"{len(traces)} files" if traces else "nothing")
    if "csv" in given:
        from labs.files.writing import is_same_file

        same = is_same_file(traces[0].path, given["csv"])
        require(not same, "--csv", "is_an_input", given["csv"])
    return Params(traces[0], **given)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from argparse import SUPPRESS

    from labs.files.traces import read_trace
    from labs.options import knob, nonempty_text, one_of, reader, whole
    from labs.view.catalog.prefix_replay import KNOBS

    parser.add_argument(
        "trace",
        nargs="*",
        type=reader(read_trace, "TRACE"),
        metavar="TRACE",
        default=SUPPRESS,
        help=KNOBS["TRACE"],  # type: ignore[arg-type]  # the entry's parser picks the language
    )
    knob(parser, "--ids", one_of(IDS), KNOBS["--ids"], metavar="{" + ",".join(IDS) + "}")
    knob(parser, "--capacity", read_capacities, KNOBS["--capacity"], metavar="N,N,inf")
    knob(parser, "--block-tokens", whole(1, MAX_BLOCK_TOKENS), KNOBS["--block-tokens"], metavar="N")
    knob(parser, "--csv", nonempty_text, KNOBS["--csv"], metavar="FILE")


def render(result: Result, lang: str) -> str:
    from labs.view.prefix_replay import render_replay

    return render_replay(result, lang)


def document(result: Result) -> dict[str, Any]:
    from labs.view.prefix_replay_json import replay_document

    return replay_document(result)


def files(result: Result) -> dict[str, tuple[str, str]]:
    """Files to write beside the text: option -> (path, content)."""
    if result.params.csv is None:
        return {}
    from labs.view.prefix_replay_json import curve_csv

    return {"--csv": (result.params.csv, curve_csv(result))}
