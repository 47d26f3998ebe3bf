"""Layers to KV cache groups: those of one group share a block table, all groups share one pool of blocks.

    1. all layers need the same number of slots      one group
    2. else every page is made as large as the largest:
       - an attention page that divides it           its block size grows (half the bytes: twice the tokens)
       - one that does not, and every state page     padded
       - a latent (MLA) page that does not           beside windows: they are charged in full, one group
    3. layers with equal specs are cut into groups of equal size: as many layers as the rarest kind has, or as
       the most frequent if it has less than 1.5 times as many. Groups that come out short are padded.

Layer i of a kind goes to group i mod (number of that kind's groups), so that each pipeline stage has a share
of every group. A request takes blocks in every group: what is padded, or only partly filled, is paid for.

Source: vLLM 0.32.0, `get_kv_cache_groups` with a layer-outermost KV layout.
Does not model: block-outermost layouts, which pack pages of different sizes side by side; draft layers.
"""

from __future__ import annotations

from labs.base import Record, require
from labs.engine.blocks import num_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from labs.sizing.layers import LayerSpec

UNBOUNDED = ("full", "mla")


class CacheGroup(Record):
    """Layers that share a block table, by their place among all cached layers, and the spec of each.

    `size` is how many layers every group of the model has room for; what it has fewer is padding.
    """

    places: tuple[int, ...]
    specs: tuple[LayerSpec, ...]
    size: int

    @property
    def is_uniform(self) -> bool:
        """Whether all layers have the same spec; else they only need the same number of slots."""
        return all(spec == self.specs[0] for spec in self.specs)

    @property
    def padding(self) -> int:
        """Layers of padding."""
        return self.size - len(self.places)


def blocks_of_request(groups: Sequence[CacheGroup], max_len: int, in_flight: int, dcp: int) -> int:
    """Blocks that a request of `max_len` tokens may hold at once: the sum over groups, all of one pool."""
    return sum(group.specs[0].blocks_of_request(max_len, in_flight, dcp) for group in groups)


def cache_groups(specs: Sequence[LayerSpec]) -> tuple[CacheGroup, ...]:
    """The groups of a model's cached layers, in the model's order; `LabError` if pages cannot be unified."""
    if same_slots(specs):
        return (CacheGroup(tuple(range(len(specs))), tuple(specs), len(specs)),)
    paged = one_page_size(specs)
    if same_slots(paged):  # windows have been charged in full
        return (CacheGroup(tuple(range(len(paged))), tuple(paged), len(paged)),)
    kinds: dict[LayerSpec, list[int]] = {}
    for place, spec in enumerate(paged):
        kinds.setdefault(spec, []).append(place)
    size = group_size([len(places) for places in kinds.values()])
    groups = []
    for spec, places in kinds.items():
        count = num_blocks(len(places), size)
        for first in range(count):
            chosen = tuple(places[first::count])
            groups.append(CacheGroup(chosen, (spec,) * len(chosen), size))
    return tuple(groups)


def group_size(counts: Sequence[int]) -> int:
    """Layers of a group, from how many layers there are of each kind.

    >>> group_size([10, 50]), group_size([12, 13])
    (10, 13)
    """
    fewest, most = min(counts), max(counts)
    return most if 2 * most < 3 * fewest else fewest


def same_slots(specs: Sequence[LayerSpec]) -> bool:
    """Whether all layers need the same blocks of a request, however wide they are."""
    first = specs[0]
    if first.kind == "linear":
        return all(spec.kind == "linear" and spec.page_bytes == first.page_bytes for spec in specs)
    kinds = UNBOUNDED if first.kind in UNBOUNDED else (first.kind,)
    return all(
        spec.kind in kinds and spec.window == first.window and spec.block_size == first.block_size
        for spec in specs
    )


def one_page_size(specs: Sequence[LayerSpec]) -> list[LayerSpec]:
    """The same layers with pages of one size; `LabError` if a latent's page stands in the way."""
    largest = max(spec.page_bytes for spec in specs)
    stuck = any(spec.kind == "mla" and largest % spec.page_bytes for spec in specs)
    if stuck:
        may_be_full = {spec.kind for spec in specs} <= {"mla", "full", "sliding"}
        require(may_be_full, "--config", "pages_not_unified", largest)
        return [spec.without_window() for spec in specs]
    return [_with_page(spec, largest) for spec in specs]


def _with_page(spec: LayerSpec, page: int) -> LayerSpec:
    if spec.kind != "linear" and page % spec.page_bytes == 0:
        return spec.replace(page_bytes=page, block_size=spec.block_size * (page // spec.page_bytes))
    return spec.replace(page_bytes=page)
