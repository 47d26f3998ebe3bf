"""What fits, as text: memory, pages, groups and blocks line by line, then the figures and why."""

from __future__ import annotations

from labs.view.capacity_fit_json import log_line
from labs.view.capacity_fit_next import next_line
from labs.view.capacity_fit_pages import page_lines
from labs.view.capacity_fit_why import why
from labs.view.catalog.capacity_fit import TEXTS
from labs.view.languages import texts
from labs.view.tables import paragraph, table
from labs.view.units import binary_size, fixed, thousands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.capacity_fit import Result
    from labs.sizing.grouping import CacheGroup

MAX_RANKS = 16
SIZES = ("gpu", "weights", "overhead", "kv_memory")


def render_fit(result: Result, lang: str) -> str:
    """The whole text."""
    t = texts(TEXTS, lang)
    parts = [
        _setup(result, t),
        *_memory(result, t),
        *page_lines(result, t),
        t["groups_head"],
        *_in_flight(result, t),
        _groups(result, t),
        *_blocks(result, t),
        *_figures(result, t),
        paragraph(t["why"] + why(result, t)),
        paragraph(t["not_shown"] + ("" if _knows_weights(result) else t["no_weights"])),
        next_line(result, t),
    ]
    return "\n".join(part.removesuffix("\n") for part in parts if part) + "\n"


def signed_size(num_bytes: int) -> str:
    """Bytes in both kinds of units, with their sign.

    >>> signed_size(-(2**30)), signed_size(2**30)
    ('-1 GiB', '1 GiB')
    """
    return ("-" if num_bytes < 0 else "") + binary_size(abs(num_bytes), 3)


def _setup(result: Result, t: dict[str, str]) -> str:
    from labs.view.errors import shown

    params = result.params
    text = t["setup"].format(
        name=shown(params.stack.shape.name, 200),
        layers=len(params.stack.layers),
        cached=len(set(result.layer_of)),
        tp=params.tp,
        pp=params.pp,
        dcp=params.dcp,
        dtype=params.kv_dtype,
        bytes=params.bytes_per_element,
    )
    return paragraph(text)


def _ranks_shown(result: Result) -> list[tuple[int, str]]:
    """The ranks to print, with what to call them: one for all if all have the same sizes and layers."""
    params = result.params
    alike = all(len(getattr(params, name)) <= 1 for name in SIZES)
    if alike and len({worker.bytes_per_block for worker in result.plan.workers}) == 1:
        return [(0, "")]
    return [(worker.rank, str(worker.stage)) for worker in result.plan.workers]


def _who(rank: int, stage: str, t: dict[str, str]) -> str:
    return t["rank"].format(rank=rank, stage=stage) if stage else t["each"]


def _memory(result: Result, t: dict[str, str]) -> list[str]:
    params = result.params
    lines = [t["memory_head"]]
    ranks = _ranks_shown(result)
    for rank, stage in ranks[:MAX_RANKS]:
        who = _who(rank, stage, t)
        if params.kv_memory:
            lines.append(t["memory_given"].format(who=who, size=signed_size(params.available_bytes(rank))))
            continue
        sizes = {name: params.of_rank(name, rank) for name in ("gpu", "weights", "overhead")}
        shown = {name: binary_size(size) for name, size in sizes.items()}
        lines.append(t["memory_gpu"].format(who=who, **shown))
        share = params.utilization
        available = params.available_bytes(rank)
        lines.append(
            t["memory_budget"].format(
                **sizes,
                share="0.9" if share is None else fixed(share.numerator, share.denominator, 4).rstrip("0"),
                available=available,
                size=signed_size(available),
            )
        )
    if ranks[MAX_RANKS:]:
        lines.append(t["more_ranks"].format(more=len(ranks) - MAX_RANKS))
    if params.num_gpu_blocks_override is not None:
        lines.append(t["memory_override"].format(blocks=params.num_gpu_blocks_override))
    return lines


def _in_flight(result: Result, t: dict[str, str]) -> list[str]:
    """How many tokens are in flight, where windows keep blocks for them and it is not one step's budget."""
    plan, batched = result.plan, result.params.max_num_batched_tokens
    windows = any(group.specs[0].window is not None for group in plan.groups)
    steps = plan.in_flight // batched
    if not windows or steps == 1:
        return []
    return [t["in_flight"].format(batched=batched, steps=steps, in_flight=plan.in_flight)]


def _groups(result: Result, t: dict[str, str]) -> str:
    """The table of groups; equal ones after each other share a line."""
    plan = result.plan
    rows: list[list[str]] = []
    first = 0
    while first < len(plan.groups):
        group = plan.groups[first]
        last = first
        while last + 1 < len(plan.groups) and _alike(group, plan.groups[last + 1]):
            last += 1
        name = str(first + 1) if first == last else t["same_groups"].format(first=first + 1, last=last + 1)
        rows.append([name, *_group_cells(result, group, plan.blocks_of_groups[first], t)])
        first = last + 1
    head = t["group_columns"].format(max_len=plan.max_model_len).split("|")
    return table([head, *rows])


def _alike(group: CacheGroup, other: CacheGroup) -> bool:
    return group.specs == other.specs and group.size == other.size


def _group_cells(result: Result, group: CacheGroup, blocks: int, t: dict[str, str]) -> list[str]:
    plan, spec = result.plan, group.specs[0]
    layers = str(len(group.places))
    if group.padding:
        layers = t["group_layers"].format(layers=layers, padding=group.padding)
    kind = {"mla": "full"}.get(spec.kind, spec.kind)
    key = f"of_{kind}"
    if kind == "full" and plan.dcp > 1:
        key = "of_shared_out"
    formula = t[key].format(
        max_len=plan.max_model_len,
        block=spec.block_size,
        window=spec.window,
        in_flight=plan.in_flight,
        dcp=plan.dcp,
        blocks=blocks,
    )
    return [layers, spec.kind, str(spec.block_size), formula]


def _blocks(result: Result, t: dict[str, str]) -> list[str]:
    plan, params = result.plan, result.params
    lines = [t["result_head"]]
    if params.asked_max_model_len is not None and plan.max_model_len < params.asked_max_model_len:
        lines.append(t["auto"].format(most=params.asked_max_model_len, max_len=plan.max_model_len))
    ranks = _ranks_shown(result)
    for rank, stage in ranks[:MAX_RANKS]:
        worker = plan.workers[rank]
        lines.append(
            t["block_bytes"].format(
                who=_who(rank, stage, t),
                bytes=worker.bytes_per_block,
                available=max(0, worker.planned_bytes),
                blocks=worker.own_blocks,
            )
        )
    if len(ranks) > 1:
        lines.append(t["smallest"].format(blocks=plan.num_blocks))
    total = " + ".join(_added_up(plan.blocks_of_groups))
    parts = total if len(plan.groups) == 1 else f"{total} = {plan.blocks_of_request}"
    lines.append(t["request_blocks"].format(max_len=plan.max_model_len, sum=parts))
    tightest = plan.tightest
    lines.append(
        t["fit_check"].format(
            request=plan.blocks_of_request,
            bytes=tightest.bytes_per_block,
            available=tightest.planned_bytes,
            holds=t["yes" if plan.fits else "no"],
        )
    )
    if plan.fits:
        quotient = f"{plan.num_blocks}/{plan.blocks_of_request}"
        lines.append(
            t["concurrency"].format(
                blocks=plan.num_blocks,
                request=plan.blocks_of_request,
                concurrency=fixed(plan.num_blocks, plan.blocks_of_request),
                concurrency_exact=quotient,
                max_len=plan.max_model_len,
                tokens=plan.kv_cache_size_tokens,
            )
        )
        exact = plan.num_blocks * plan.max_model_len // plan.blocks_of_request
        if exact != plan.kv_cache_size_tokens:
            lines.append(t["rounded_down"].format(exact=exact))
    return lines


def _added_up(counts: Sequence[int]) -> list[str]:
    """Summands, equal ones after each other as a product.

    >>> _added_up((577, 577, 2048))
    ['2 x 577', '2048']
    """
    terms: list[tuple[int, int]] = []
    for count in counts:
        if terms and terms[-1][1] == count:
            terms[-1] = (terms[-1][0] + 1, count)
        else:
            terms.append((1, count))
    return [str(count) if times == 1 else f"{times} x {count}" for times, count in terms]


def _figures(result: Result, t: dict[str, str]) -> list[str]:
    plan = result.plan
    per_block = [worker.bytes_per_block for worker in plan.workers]
    lines = [
        t["per_token"].format(
            gpu=size_range(result.bytes_per_token_of_ranks, t, plan.dcp),
            all=size_range([sum(result.bytes_per_token_of_ranks)], t, plan.dcp),
        ),
        t["per_request"].format(
            max_len=plan.max_model_len,
            gpu=size_range([plan.blocks_of_request * size for size in per_block], t),
            all=binary_size(result.request_bytes_of_all),
        ),
    ]
    if plan.fits:
        lines += [
            t["pool"].format(
                blocks=thousands(plan.num_blocks),
                gpu=size_range([plan.num_blocks * size for size in per_block], t),
                all=binary_size(plan.num_blocks * sum(per_block)),
            ),
            t["fits"].format(
                concurrency=fixed(plan.num_blocks, plan.blocks_of_request), max_len=plan.max_model_len
            ),
            t["log"].format(line=log_line(result)),
        ]
        return lines
    tightest = plan.tightest
    needed = plan.blocks_of_request * tightest.bytes_per_block
    usable = signed_size(tightest.usable_bytes)
    lines.append(
        t["fits_not"].format(max_len=plan.max_model_len, needed=binary_size(needed, 3), usable=usable)
    )
    estimate = plan.estimated_max_model_len
    lines.append(t["no_estimate"] if estimate is None else t["estimate"].format(estimate=estimate))
    return lines


def size_range(sizes: Sequence[int], t: dict[str, str], shared_by: int = 1) -> str:
    """The smallest and the largest of some sizes, or the one that all are; each shared by so many.

    >>> size_range([1024, 2048], {"from_to": "{low} to {high}"}), size_range([1024, 1024], {}, 2)
    ('1 KiB to 2 KiB', '512 B')
    """
    low, high = (binary_size(size // shared_by) for size in (min(sizes), max(sizes)))
    return low if low == high else t["from_to"].format(low=low, high=high)


def _knows_weights(result: Result) -> bool:
    return bool(result.params.weights or result.params.kv_memory)
